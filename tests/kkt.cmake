# SPDX-License-Identifier: MIT
# random KKT systems with stages in time and slow dense oracles for them
add_library(kkt_support STATIC kkt_support.c)
target_include_directories(kkt_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(kkt_support PUBLIC nlp base PRIVATE warnings m)

poise_test(test_kkt_support kkt_support)
poise_test(test_kkt solver kkt_support LABELS heavy)
poise_test(test_kkt_alloc solver kkt_support alloc_support LABELS heavy)
poise_test(test_kkt_hsl solver collocation nlp_support alloc_support LABELS slow)

# The same with IPOPT 3.14, which takes our linear solver from a shared library: casadi's wheel brings one,
# where a Python at configuration time has it.
find_program(poise_python NAMES python3)
foreach(python "$ENV{POISE_PYTHON}" "${poise_python}")
  if(python AND NOT IPOPT_314_DIR)
    execute_process(COMMAND ${python} -c "import casadi, os; print(os.path.dirname(casadi.__file__))"
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(EXISTS "${found}/include/coin-or/IpStdCInterface.h" AND EXISTS "${found}/libipopt.so")
      set(IPOPT_314_DIR ${found})
    endif()
  endif()
endforeach()
if(IPOPT_314_DIR AND ipopt_VERSION VERSION_LESS 3.14 AND NOT POISE_SANITIZE)
  find_package(Threads REQUIRED)
  get_target_property(sources solver SOURCES)
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/src/solver/)
  add_library(poise_hsl_314 SHARED ${PROJECT_SOURCE_DIR}/src/solver/kkt_hsl_library.c)
  target_link_libraries(poise_hsl_314 PRIVATE warnings)
  add_library(solver_314 STATIC ${sources})
  target_include_directories(solver_314 SYSTEM PRIVATE ${IPOPT_314_DIR}/include/coin-or)
  target_compile_definitions(solver_314 PRIVATE POISE_HSL_LIBRARY="$<TARGET_SONAME_FILE_NAME:poise_hsl_314>")
  target_link_libraries(solver_314 PUBLIC nlp base poise_hsl_314
                        PRIVATE ${IPOPT_314_DIR}/libipopt.so Threads::Threads warnings m)
  configure_file(test_kkt_hsl.c test_kkt_hsl_314.c COPYONLY)
  configure_file(test_solver_ipopt.c test_solver_ipopt_314.c COPYONLY)
  foreach(name test_kkt_hsl test_solver_ipopt)
    add_executable(${name}_314 ${CMAKE_CURRENT_BINARY_DIR}/${name}_314.c)
    target_link_libraries(${name}_314 PRIVATE solver_314 collocation nlp_support alloc_support unity warnings)
    add_test(NAME ${name}_314 COMMAND ${name}_314 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name}_314 PROPERTIES LABELS "slow;heavy" SKIP_RETURN_CODE 77 TIMEOUT 1200)
  endforeach()
endif()

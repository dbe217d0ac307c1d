# SPDX-License-Identifier: MIT
# tests of emitted C, of the loader, and of what both need; they skip where there is no C compiler
add_library(emit_support STATIC emit_support.c)
target_include_directories(emit_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(emit_support PUBLIC expr PRIVATE warnings)
target_link_options(emit_support INTERFACE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)

poise_test(test_process base)
poise_test(test_expr_emit_c emit_support expr m)
poise_test(test_expr_load emit_support expr m)

# CasADi: skips where no Python has the casadi wheel
add_executable(casadi_emit casadi_emit.c)
target_link_libraries(casadi_emit PRIVATE expr warnings)
poise_script_test(test_casadi sh tests/test_casadi.sh $<TARGET_FILE:casadi_emit>)

# user's terms in tasks, with libraries that the test makes
poise_test(test_user_terms emit_support plan collocation nlp m LABELS slow heavy)
if(TARGET poise)
  poise_script_test(test_casadi_term sh tests/test_casadi_term.sh $<TARGET_FILE:poise>)
  set_tests_properties(test_casadi_term PROPERTIES LABELS "slow;script")  # it solves
endif()

# SPDX-License-Identifier: MIT
# small nonlinear programs with known solutions
add_library(nlp_support STATIC nlp_support.c)
target_include_directories(nlp_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(nlp_support PUBLIC nlp PRIVATE warnings)

poise_test(test_nlp_check nlp_support alloc_support)
poise_test(test_solver_ipopt solver nlp_support alloc_support LABELS heavy)

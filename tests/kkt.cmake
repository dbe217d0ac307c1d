# SPDX-License-Identifier: MIT
# random KKT systems with stages in time and slow dense oracles for them
add_library(kkt_support STATIC kkt_support.c)
target_include_directories(kkt_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(kkt_support PUBLIC nlp base PRIVATE warnings m)

poise_test(test_kkt_support kkt_support)
poise_test(test_kkt solver kkt_support LABELS heavy)
poise_test(test_kkt_alloc solver kkt_support alloc_support LABELS heavy)
poise_test(test_kkt_hsl solver collocation nlp_support alloc_support LABELS slow)

# SPDX-License-Identifier: MIT
# tests of src/expr: graph, derivatives, tape, evaluator (emitted C and the loader are in emit.cmake)
add_library(expr_support STATIC expr_support.c)
target_include_directories(expr_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(expr_support PUBLIC expr unity m PRIVATE warnings)

# an allocator that counts and fails, put under a test by the linker
add_library(alloc_support STATIC alloc_support.c)
target_include_directories(alloc_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(alloc_support PUBLIC PkgConfig::cjson PRIVATE warnings)
target_link_options(alloc_support INTERFACE
                    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,--wrap=free)

# long double is no wider than double under valgrind, so what needs its digits is kept out of it
poise_test(test_expr_graph expr_support LABELS heavy)
poise_test(test_expr_ad expr_support LABELS heavy)
poise_test(test_expr_tape expr_support)
poise_test(test_expr_vm expr_support alloc_support LABELS heavy)

# SPDX-License-Identifier: MIT
# tests of src/dynamics, and of whatever needs robots and their dynamics
add_library(dyn_support STATIC dyn_support.c dyn_plain.c)
target_include_directories(dyn_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(dyn_support PUBLIC dynamics robot_gen unity m PRIVATE warnings)

poise_test(test_rnea dyn_support)

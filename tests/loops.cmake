# SPDX-License-Identifier: MIT
# tests of mechanisms with closed loops: model/model_loop.c, dynamics/loops.c and the methods on it
add_library(loop_support STATIC loop_support.c)
target_include_directories(loop_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(loop_support PUBLIC dynamics robot_gen unity m PRIVATE warnings)

poise_test(test_loops loop_support dyn_support LABELS heavy)
poise_test(test_tree_aug loop_support dyn_support LABELS heavy)
poise_test(test_mechanism_gen dynamics LABELS heavy)
if(TARGET poise)
  poise_script_test(test_study sh tests/test_study.sh $<TARGET_FILE:poise>)
endif()
poise_test(test_loop_check loop_support LABELS heavy)
if(TARGET poise)
  poise_script_test(test_assemble sh tests/test_assemble.sh $<TARGET_FILE:poise>)
endif()
poise_test(test_mujoco_loops mujoco_support loop_support dyn_support LABELS heavy)
poise_test(test_loop_alloc loop_support alloc_support LABELS heavy)

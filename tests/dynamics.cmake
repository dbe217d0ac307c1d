# SPDX-License-Identifier: MIT
# tests of src/dynamics, and of whatever needs robots and their dynamics
add_library(dyn_support STATIC dyn_support.c dyn_plain.c)
target_include_directories(dyn_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(dyn_support PUBLIC dynamics robot_gen unity m PRIVATE warnings)

poise_test(test_dyn_tree dyn_support)
poise_test(test_kinematics dyn_support)
poise_test(test_energy dyn_support LABELS heavy)
poise_test(test_rnea dyn_support LABELS heavy)
poise_test(test_crba dyn_support LABELS heavy)
poise_test(test_aba dyn_support LABELS heavy)
poise_test(test_dyn_form dyn_support LABELS heavy)
poise_test(test_dyn_point dyn_support expr_support LABELS slow heavy)
poise_test(test_alloc_failure dyn_support alloc_support LABELS heavy)

# MuJoCo, an outside engine; without it the test skips
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY)
add_library(mujoco_support STATIC mujoco_support.c)
target_include_directories(mujoco_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(mujoco_support PUBLIC dynamics unity m PRIVATE warnings)
if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  target_compile_definitions(mujoco_support PUBLIC POISE_HAVE_MUJOCO)
  target_include_directories(mujoco_support SYSTEM PUBLIC ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(mujoco_support PUBLIC ${MUJOCO_LIBRARY})
endif()
poise_test(test_mujoco mujoco_support dyn_support LABELS heavy)

# SPDX-License-Identifier: MIT
# tests of motions of mechanisms: src/sim/sim_motion.c and what it uses
poise_test(test_sim_motion sim loop_support dyn_support LABELS heavy)
if(TARGET poise)
  poise_script_test(test_simulate_loops sh tests/test_simulate_loops.sh $<TARGET_FILE:poise>)
  poise_script_test(test_plan_loops sh tests/test_plan_loops.sh $<TARGET_FILE:poise>)
endif()

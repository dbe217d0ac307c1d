# SPDX-License-Identifier: MIT
# tests of recursive coordinate reduction and of motions with loops
poise_test(test_rcr loop_support dyn_support LABELS heavy)
poise_test(test_rcr_plan loop_support LABELS heavy)
if(TARGET sim)
  poise_test(test_sim_loop sim loop_support LABELS heavy)
  poise_test(test_rcr_alloc sim loop_support alloc_support LABELS heavy)
endif()

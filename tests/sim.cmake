# SPDX-License-Identifier: MIT
# tests of src/sim
if(TARGET sim)
  poise_test(test_sim_integrate sim dyn_support)
  poise_test(test_sim_verify sim dyn_support)
  poise_test(test_sim_step sim)
endif()

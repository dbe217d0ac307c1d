# SPDX-License-Identifier: MIT
if(TARGET sweep)
  poise_test(test_journal sweep)
  poise_test(test_sweep sweep)
endif()
if(TARGET poise)
  poise_script_test(test_sweep_runs sh tests/test_sweep.sh $<TARGET_FILE:poise>)
  poise_script_test(test_sweep_mpi sh tests/test_sweep_mpi.sh $<TARGET_FILE:poise>)
  set_tests_properties(test_sweep_runs test_sweep_mpi PROPERTIES LABELS "slow;script" TIMEOUT 900)  # they solve
endif()

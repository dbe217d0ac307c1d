# SPDX-License-Identifier: MIT
if(TARGET poise)
  poise_script_test(test_cli_tasks sh tests/test_cli_tasks.sh $<TARGET_FILE:poise>)
  set_tests_properties(test_cli_tasks PROPERTIES LABELS "slow;script")  # it solves
endif()

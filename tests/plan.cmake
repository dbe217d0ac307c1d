# SPDX-License-Identifier: MIT
# tests of src/plan beyond test_plan
poise_test(test_plan_refine plan LABELS slow heavy)
poise_test(test_plan_relax plan LABELS slow heavy)
if(TARGET poise)
  poise_script_test(test_cli_bad sh tests/test_cli_bad.sh $<TARGET_FILE:poise>)
  set_tests_properties(test_cli_bad PROPERTIES LABELS "slow;script")  # it solves
endif()

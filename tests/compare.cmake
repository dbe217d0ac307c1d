# SPDX-License-Identifier: MIT
# tests of the comparison of sweeps in src/report
if(TARGET report)
  poise_test(test_report_compare report)
  poise_test(test_report_figure report)
  poise_test(test_report_stats report)
endif()
if(TARGET sweep)
  add_executable(synthetic_sweep synthetic_sweep.c) # a folder with made-up runs
  target_link_libraries(synthetic_sweep PRIVATE sweep warnings m)
endif()
if(TARGET poise AND TARGET synthetic_sweep)
  poise_script_test(test_compare sh tests/test_compare.sh $<TARGET_FILE:poise> $<TARGET_FILE:synthetic_sweep>)
  poise_script_test(test_compare_page sh tests/test_compare_page.sh $<TARGET_FILE:poise> $<TARGET_FILE:synthetic_sweep>)
  set_tests_properties(test_compare test_compare_page PROPERTIES LABELS "slow;script")
endif()

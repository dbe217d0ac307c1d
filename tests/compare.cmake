# SPDX-License-Identifier: MIT
# tests of the comparison of sweeps in src/report
if(TARGET report)
  poise_test(test_report_compare report)
  poise_test(test_report_stats report)
endif()
if(TARGET sweep)
  add_executable(synthetic_sweep synthetic_sweep.c) # a folder with made-up runs
  target_link_libraries(synthetic_sweep PRIVATE sweep warnings m)
endif()

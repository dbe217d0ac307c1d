# SPDX-License-Identifier: MIT
# tests of the comparison of sweeps in src/report
if(TARGET report)
  poise_test(test_report_stats report)
endif()

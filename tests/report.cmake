# SPDX-License-Identifier: MIT
# tests of src/report: the page as text, and in a real browser (skips where there is none)
if(TARGET report)
  poise_test(test_report_html report LABELS heavy)
endif()
if(TARGET poise)
  poise_script_test(test_page sh tests/test_page.sh $<TARGET_FILE:poise>)
  set_tests_properties(test_page PROPERTIES LABELS "slow;script")
endif()

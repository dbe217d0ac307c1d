# SPDX-License-Identifier: MIT
if(TARGET sweep)
  poise_test(test_journal sweep)
endif()

# SPDX-License-Identifier: MIT
if(TARGET nlp)
  poise_test(test_nlp_check nlp)
endif()
if(TARGET solver)
  poise_test(test_solver_ipopt solver)
endif()

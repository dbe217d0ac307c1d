# SPDX-License-Identifier: MIT
# tests of mechanisms in maximal coordinates and by sequential regularization
poise_test(test_ldl dynamics)
poise_test(test_maximal loop_support dyn_support LABELS heavy)
poise_test(test_srm loop_support dyn_support LABELS heavy)
poise_test(test_sim_maximal loop_support sim LABELS heavy)
poise_test(test_sim_srm loop_support sim LABELS heavy)

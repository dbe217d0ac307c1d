# SPDX-License-Identifier: MIT
# tests of recursive coordinate reduction and of the study of it
poise_test(test_rcr loop_support dyn_support cli LABELS heavy)

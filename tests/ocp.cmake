# SPDX-License-Identifier: MIT
# tests of src/ocp: task files, trajectories, guesses
poise_test(test_ocp_json ocp m)
poise_test(test_ocp_bad ocp LABELS heavy)
poise_test(test_ocp_grid ocp m)
poise_test(test_trajectory ocp m)
poise_test(test_posture ocp m)
poise_test(test_guess ocp m)
poise_test(test_ocp_alloc ocp alloc_support LABELS heavy)

# SPDX-License-Identifier: MIT
poise_test(test_model_build model)
poise_test(test_model_fuzz model LABELS heavy)
poise_test(test_model_json model)
poise_test(test_robot_gen robot_gen model LABELS heavy)

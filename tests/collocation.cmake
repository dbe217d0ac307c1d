# SPDX-License-Identifier: MIT
# tests of src/collocation and src/plan
poise_test(test_colloc_scheme collocation)
poise_test(test_colloc collocation nlp LABELS heavy)
poise_test(test_plan plan LABELS slow heavy)

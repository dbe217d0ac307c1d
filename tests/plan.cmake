# SPDX-License-Identifier: MIT
# tests of src/plan beyond test_plan
poise_test(test_plan_refine plan LABELS slow heavy)
poise_test(test_plan_relax plan LABELS slow heavy)

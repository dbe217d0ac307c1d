# SPDX-License-Identifier: MIT
poise_test(test_arena base)
poise_test(test_json_at base)
poise_test(test_json_text base)
poise_test(test_nearest base)
poise_test(test_rng base)
poise_test(test_textbuf base)

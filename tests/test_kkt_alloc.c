// SPDX-License-Identifier: MIT
// Every allocation of the symbolic phase fails once, in turn.
#include <stdio.h>

#include "alloc_support.h"
#include "kkt_support.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
  alloc_fail_from(0);
}

static void test_every_allocation_of_the_symbolic_phase_may_fail(void) {
  for (int i = 0; i < n_kkt_shapes; i++) {
    KktSystem s;
    TEST_ASSERT_TRUE(kkt_random(&s, &kkt_shapes[i], 1));
    bool reached = true;
    for (long n = 1; reached; n++) {
      for (int only = 0; only < 2; only++) {
        Kkt *k = NULL;
        Error err = {0};
        long before = alloc_live();
        if (only) alloc_fail_only(n);
        else alloc_fail_from(n);
        Status status = kkt_build(&k, &s.map, s.ptr, s.row, &err);
        reached = alloc_count() >= n;
        alloc_fail_from(0);
        TEST_ASSERT_EQUAL_INT_MESSAGE(reached ? STATUS_NO_MEMORY : STATUS_OK, status,
                                      kkt_shapes[i].name);
        TEST_ASSERT_TRUE((k == NULL) == reached);
        kkt_free(k);
        TEST_ASSERT_TRUE(alloc_live() == before);
      }
    }
    kkt_system_free(&s);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_allocation_of_the_symbolic_phase_may_fail);
  return UNITY_END();
}

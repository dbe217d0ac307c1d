// SPDX-License-Identifier: MIT
#include "collocation/colloc_scheme.h"

#include <math.h>
#include <stdio.h>

#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static Scheme scheme(OcpScheme kind, int degree) {
  Scheme s;
  const Ocp o = {.scheme = kind, .degree = degree, .n_interval = 1};
  colloc_scheme(&s, &o);
  return s;
}

static void test_radau_and_gauss_points_are_the_published_ones(void) {
  Scheme r2 = scheme(OCP_RADAU, 2), r3 = scheme(OCP_RADAU, 3), g2 = scheme(OCP_GAUSS, 2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0 / 3.0, r2.c[0]);
  TEST_ASSERT_EQUAL_DOUBLE(1.0, r2.c[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, (4.0 - sqrt(6.0)) / 10.0, r3.c[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, (4.0 + sqrt(6.0)) / 10.0, r3.c[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5 - sqrt(3.0) / 6.0, g2.c[0]);
}

static void test_lobatto_schemes_are_trapezoid_and_simpson(void) {
  Scheme t = scheme(OCP_TRAPEZOIDAL, 2), h = scheme(OCP_HERMITE_SIMPSON, 3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5, t.b[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, t.A[0][0]);
  const double A1[3] = {5.0 / 24.0, 1.0 / 3.0, -1.0 / 24.0}, b[3] = {1.0 / 6, 2.0 / 3, 1.0 / 6};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, A1, h.A[1], 3);
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, b, h.b, 3);
}

// A integrates polynomials below degree d exactly up to each point, b to the end, D differentiates
static void check_polynomials(const Scheme *s) {
  for (int p = 0; p < s->d; p++) {
    double end = 0.0;
    for (int j = 0; j < s->d; j++) {
      double sum = 0.0;
      for (int l = 0; l < s->d; l++) sum += s->A[j][l] * pow(s->c[l], p);
      TEST_ASSERT_DOUBLE_WITHIN(1e-13, pow(s->c[j], p + 1) / (p + 1), sum);
      end += s->b[j] * pow(s->c[j], p);
      if (s->at_start) continue;
      double slope = p + 1 == 0 ? s->D[j][0] : 0.0;  // of t^(p+1), zero at the start
      for (int l = 0; l < s->d; l++) slope += s->D[j][l + 1] * pow(s->c[l], p + 1);
      TEST_ASSERT_DOUBLE_WITHIN(1e-11, (p + 1) * pow(s->c[j], p), slope);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1.0 / (p + 1), end);
  }
}

static void test_integration_and_differentiation_are_exact_for_every_degree(void) {
  for (int d = 1; d <= SCHEME_MAX; d++) {
    Scheme r = scheme(OCP_RADAU, d), g = scheme(OCP_GAUSS, d);
    check_polynomials(&r);
    check_polynomials(&g);
  }
  Scheme h = scheme(OCP_HERMITE_SIMPSON, 3);
  check_polynomials(&h);
}

static void test_quadrature_has_the_order_of_its_scheme(void) {
  for (int d = 1; d <= SCHEME_MAX; d++) {
    Scheme r = scheme(OCP_RADAU, d), g = scheme(OCP_GAUSS, d);
    for (int p = 0; p < 2 * d; p++) {
      double sum_r = 0.0, sum_g = 0.0;
      for (int j = 0; j < d; j++) {
        sum_r += r.b[j] * pow(r.c[j], p);
        sum_g += g.b[j] * pow(g.c[j], p);
      }
      if (p < 2 * d - 1) TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1.0 / (p + 1), sum_r);
      TEST_ASSERT_DOUBLE_WITHIN(1e-13, 1.0 / (p + 1), sum_g);
    }
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_radau_and_gauss_points_are_the_published_ones);
  RUN_TEST(test_lobatto_schemes_are_trapezoid_and_simpson);
  RUN_TEST(test_integration_and_differentiation_are_exact_for_every_degree);
  RUN_TEST(test_quadrature_has_the_order_of_its_scheme);
  return UNITY_END();
}

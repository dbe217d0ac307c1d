// SPDX-License-Identifier: MIT
#include <math.h>

#include "ocp/ocp.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_radau_points_are_those_of_the_literature(void) {
  // Hairer and Wanner, Solving ODEs II, table 5.6: Radau IIA of order 5
  double c[OCP_MAX_DEGREE];
  Ocp o = {.scheme = OCP_RADAU, .degree = 3};
  ocp_points(&o, c);
  const double third[3] = {(4 - sqrt(6)) / 10, (4 + sqrt(6)) / 10, 1};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, third, c, 3);
  o.degree = 1;
  ocp_points(&o, c);
  TEST_ASSERT_TRUE(c[0] == 1);
}

static void test_gauss_points_are_those_of_the_literature(void) {
  double c[OCP_MAX_DEGREE];
  Ocp o = {.scheme = OCP_GAUSS, .degree = 3};
  ocp_points(&o, c);
  const double third[3] = {0.5 - sqrt(15) / 10, 0.5, 0.5 + sqrt(15) / 10};
  TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-15, third, c, 3);
}

static void test_trapezoidal_and_hermite_simpson_have_the_ends(void) {
  double c[OCP_MAX_DEGREE];
  Ocp o = {.scheme = OCP_TRAPEZOIDAL, .degree = 2};
  ocp_points(&o, c);
  TEST_ASSERT_TRUE(c[0] == 0 && c[1] == 1);
  o = (Ocp){.scheme = OCP_HERMITE_SIMPSON, .degree = 3};
  ocp_points(&o, c);
  TEST_ASSERT_TRUE(c[0] == 0 && c[1] == 0.5 && c[2] == 1);
}

// the polynomial with these zeros is orthogonal to all of lower degree: x^k for Gauss, one less for
// Radau; integrated by a fine midpoint rule on its own
static void test_points_of_every_degree_make_orthogonal_polynomials(void) {
  enum { N = 20000 };
  for (int scheme = OCP_RADAU; scheme <= OCP_GAUSS; scheme++) {
    for (int d = 1; d <= OCP_MAX_DEGREE; d++) {
      double c[OCP_MAX_DEGREE];
      Ocp o = {.scheme = (OcpScheme)scheme, .degree = d};
      ocp_points(&o, c);
      for (int j = 0; j < d; j++) TEST_ASSERT_TRUE(c[j] > (j ? c[j - 1] : 0) && c[j] <= 1);
      for (int k = 0; k < (scheme == OCP_RADAU ? d - 1 : d); k++) {
        double sum = 0, size = 0;
        for (int i = 0; i < N; i++) {
          double x = (i + 0.5) / N, p = pow(x, k);
          for (int j = 0; j < d; j++) p *= x - c[j];
          sum += p / N;
          size += fabs(p) / N;
        }
        TEST_ASSERT_TRUE(fabs(sum) < 1e-5 * size);
      }
    }
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_radau_points_are_those_of_the_literature);
  RUN_TEST(test_gauss_points_are_those_of_the_literature);
  RUN_TEST(test_trapezoidal_and_hermite_simpson_have_the_ends);
  RUN_TEST(test_points_of_every_degree_make_orthogonal_polynomials);
  return UNITY_END();
}

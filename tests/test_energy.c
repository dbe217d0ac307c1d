// SPDX-License-Identifier: MIT
// Energies against plain numbers and the mass matrix; conserved by the motion, balanced by power.
#include "dynamics/energy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dyn_plain.h"
#include "dyn_support.h"
#include "dynamics/crba.h"
#include "expr/expr_ad.h"
#include "unity.h"

void setUp(void) {
}
void tearDown(void) {
}

static void energies(Trace *t, Expr out[2]) {
  TEST_ASSERT_TRUE(energy_build(t->g, &t->tr.tree, t->tr.body, t->tr.v, &out[0], &out[1]));
}

static void check_values(const Model *m, uint64_t seed) {
  static Expr out[2 + MAX_NV * MAX_NV];
  static double y[2 + MAX_NV * MAX_NV];
  int n = m->nv;
  Trace t;
  trace_open(&t, m);
  memset(out, 0, sizeof out);
  energies(&t, out);
  TEST_ASSERT_TRUE(crba_build(t.g, m, &t.tr.tree, t.tr.body, out + 2));
  Numbers f = numbers_open(t.g, 2 + n * n, out);
  Rng rng;
  rng_seed(&rng, seed);
  for (int k = 0; k < 30; k++) {
    State s;
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    double kinetic, potential, half = 0;
    plain_energy(m, s.q, s.v, &kinetic, &potential);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + kinetic), kinetic, y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + fabs(potential)) * n, potential, y[1]);
    mass_fill(n, y + 2);
    for (int e = 0; e < n * n; e++) half += 0.5 * y[2 + e] * s.v[e % n] * s.v[e / n];
    TEST_ASSERT_DOUBLE_WITHIN(1e-11 * (1 + kinetic), kinetic, half);
  }
  numbers_close(&f);
  trace_close(&t);
}

static void test_energies_equal_plain_sums_and_half_v_m_v(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) check_values(robot[i], 1);
  robots_free(n, robot);
  for (int k = 1; k <= 40; k += 3) {
    Model *m = tree_random(k, 500 + (uint64_t)k);
    check_values(m, 2);
    model_free(m);
  }
}

// dE/dt = E_q v + E_v a = tau.v - d v.v, with a = xi(q, v, tau)
static double worst_balance(const Model *m, uint64_t seed) {
  int n = m->nv;
  Trace t;
  trace_open(&t, m);
  Expr out[3 * MAX_NV], part[2], x[2 * MAX_NV];
  energies(&t, part);
  memcpy(x, t.tr.q, (size_t)n * sizeof *x);
  memcpy(x + n, t.tr.v, (size_t)n * sizeof *x);
  TEST_ASSERT_TRUE(expr_gradient(t.g, expr_add(t.g, part[0], part[1]), 2 * n, x, out));
  TEST_ASSERT_TRUE(dyn_exp2_ode.map(&t.tr, t.tr.tau, out + 2 * n));
  Numbers f = numbers_open(t.g, 3 * n, out);
  Rng rng;
  rng_seed(&rng, seed);
  double worst = 0;
  for (int k = 0; k < 50; k++) {
    State s;
    double y[3 * MAX_NV], rate = 0, power = 0, scale = 0;
    state_random(&s, m, &rng);
    numbers_eval(&f, 1, &s, y);
    for (int i = 0; i < n; i++) {
      rate += y[i] * s.v[i] + y[n + i] * y[2 * n + i];
      power += s.tau[i] * s.v[i] - m->joint[i].damping * s.v[i] * s.v[i];
      scale += fabs(y[i] * s.v[i]) + fabs(y[n + i] * y[2 * n + i]) + fabs(s.tau[i] * s.v[i]);
    }
    worst = fmax(worst, fabs(rate - power) / scale);
  }
  numbers_close(&f);
  trace_close(&t);
  return worst;
}

static void test_power_of_the_forces_is_the_rate_of_the_energy(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double e = worst_balance(robot[i], 3);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-10, e, robot[i]->name);
    worst = fmax(worst, e);
  }
  robots_free(n, robot);
  for (int k = 1; k <= 40; k += 3) {
    Model *m = tree_random(k, 600 + (uint64_t)k);
    double e = worst_balance(m, 4);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-10, e, "random tree");
    worst = fmax(worst, e);
    model_free(m);
  }
  printf("power balance: worst error %.2g of the largest terms\n", worst);
}

// ---- a passive simulation ----------------------------------------------------------------------

typedef struct Sim {
  int n;
  Numbers accel, energy;
} Sim;

static void slope(const Sim *sim, const double *x, double *dx) {
  State s = {.q = {0}};
  memcpy(s.q, x, (size_t)sim->n * sizeof *x);
  memcpy(s.v, x + sim->n, (size_t)sim->n * sizeof *x);
  memcpy(dx, s.v, (size_t)sim->n * sizeof *x);
  numbers_eval(&sim->accel, 1, &s, dx + sim->n);
}

static double total_energy(const Sim *sim, const double *x, double *kinetic) {
  State s = {.q = {0}};
  double y[2];
  memcpy(s.q, x, (size_t)sim->n * sizeof *x);
  memcpy(s.v, x + sim->n, (size_t)sim->n * sizeof *x);
  numbers_eval(&sim->energy, 1, &s, y);
  *kinetic = y[0];
  return y[0] + y[1];
}

// classical Runge-Kutta
static void rk4_step(const Sim *sim, double h, double *x) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[2 * MAX_NV] = {0}, y[2 * MAX_NV], sum[2 * MAX_NV] = {0};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < 2 * sim->n; i++) y[i] = x[i] + h * at[stage] * k[i];
    slope(sim, y, k);
    for (int i = 0; i < 2 * sim->n; i++) sum[i] += weight[stage] * k[i];
  }
  for (int i = 0; i < 2 * sim->n; i++) x[i] += h / 6 * sum[i];
}

// largest change of T + V over one second, over the largest T; no damping
static double drift(const Model *m, const DynForm *form, double *largest) {
  Trace t;
  trace_open(&t, m);
  Expr out[MAX_NV], part[2], none[MAX_NV] = {EXPR_ZERO};
  energies(&t, part);
  TEST_ASSERT_TRUE(form->map(&t.tr, none, out));
  Sim sim = {.n = m->nv};
  sim.accel = numbers_open(t.g, m->nv, out);
  sim.energy = numbers_open(t.g, 2, part);
  Rng rng;
  rng_seed(&rng, 77);
  double x[2 * MAX_NV], kinetic, worst = 0;
  for (int i = 0; i < m->nv; i++) {
    x[i] = rng_uniform(&rng, -0.4, 0.4);
    x[m->nv + i] = rng_uniform(&rng, -0.5, 0.5);
  }
  double before = total_energy(&sim, x, largest);
  const int n_step = 4000;
  for (int k = 0; k < n_step; k++) {
    rk4_step(&sim, 1.0 / n_step, x);
    worst = fmax(worst, fabs(total_energy(&sim, x, &kinetic) - before));
    *largest = fmax(*largest, kinetic);
  }
  numbers_close(&sim.accel);
  numbers_close(&sim.energy);
  trace_close(&t);
  return worst / *largest;
}

static void test_energy_is_conserved_in_a_passive_simulation(void) {
  Model *robot[MAX_ROBOTS];
  int n = robots_load(robot);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < robot[i]->nv; k++) robot[i]->joint[k].damping = 0;
    for (int f = 0; f < 2; f++) {
      const DynForm *form = f ? &dyn_exp1_ode : &dyn_exp2_ode;
      double largest, e = drift(robot[i], form, &largest);
      printf("%s, %s: T + V drifts by %.2g of T = %.3g J over 1 s\n", robot[i]->name, form->name, e,
             largest);
      TEST_ASSERT_GREATER_THAN_DOUBLE(1e-3, largest);
      TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-10, e, robot[i]->name);
    }
  }
  robots_free(n, robot);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_energies_equal_plain_sums_and_half_v_m_v);
  RUN_TEST(test_power_of_the_forces_is_the_rate_of_the_energy);
  RUN_TEST(test_energy_is_conserved_in_a_passive_simulation);
  return UNITY_END();
}

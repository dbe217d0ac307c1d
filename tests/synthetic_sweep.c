// SPDX-License-Identifier: MIT
// synthetic_sweep DIR [N_PHI N_Z [--no-motions]]: a folder as a sweep leaves it, with made-up runs, to try
// compare and plot on. NOTHING in it was solved: costs, iterations and times are drawn at random around
// plausible values, motions are smooth curves. The name of the sweep says so, and so does the page.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/rng.h"
#include "sweep/journal.h"

enum { NV = 6, NU = 4, N_INTERVAL = 100, N_FORM = 6 };
static const double RADIUS = 0.63, TIME = 2, START = 0.41113;

typedef struct Form {
  const char *name;
  double per, iterations, evaluation;  // ms per iteration, factor, share of functions
  double trapped;                      // chance of a higher minimum
  int nlp[4];
} Form;
static const Form forms[N_FORM] = {
    {"IMPL", 8.1, 1.00, 0.13, 0.22, {8812, 8427, 72435, 38810}},
    {"SEMI", 8.4, 1.02, 0.16, 0.22, {8812, 8427, 72435, 38810}},
    {"EXP1-O", 9.6, 0.95, 0.33, 0.12, {6412, 6027, 62519, 34890}},
    {"EXP1-A", 10.2, 1.25, 0.30, 0.13, {8812, 8427, 69635, 34810}},
    {"EXP2-O", 10.4, 0.96, 0.37, 0.12, {6412, 6027, 62519, 34890}},
    {"EXP2-A", 10.7, 1.30, 0.34, 0.14, {8812, 8427, 69635, 34810}},
};

static void fail(const char *what) {
  fprintf(stderr, "synthetic_sweep: %s\n", what);
  exit(2);
}

static FILE *create(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  if (!f) fail(path);
  return f;
}

static void copy_robot(const char *folder) {
  size_t n;
  Error err = {0};
  char *text = file_read("configs/robots/arm_pendulum.json", 1 << 20, &n, &err);
  FILE *f = create(folder, "robot.json");
  if (!text || fwrite(text, 1, n, f) != n) fail("robot.json");
  fclose(f);
  free(text);
}

static void write_manifest(const char *folder, int n_phi, int n_z, const double *phi,
                           const double *z) {
  FILE *f = create(folder, "sweep.json");
  fprintf(f, "{\"name\": \"SYNTHETIC data, nothing was solved\", \"axes\": [{\"name\": \"phi\", "
             "\"unit\": \"rad\", \"values\": [");
  for (int i = 0; i < n_phi; i++) fprintf(f, "%s%.17g", i ? ", " : "", phi[i]);
  fprintf(f, "]}, {\"name\": \"z\", \"unit\": \"m\", \"values\": [");
  for (int i = 0; i < n_z; i++) fprintf(f, "%s%.17g", i ? ", " : "", z[i]);
  fprintf(f, "]}], \"mirror\": {\"points\": [");
  for (int i = 0; i < n_phi * n_z; i++) {
    fprintf(f, "%s%d", i ? ", " : "", (n_phi - 1 - i / n_z) * n_z + i % n_z);
  }
  fprintf(f, "]}}\n");
  fclose(f);
}

// ---- runs ----

static double best_cost(int set, double phi, double z) {
  double far = phi * phi;
  if (set == 0) return 524 + 70 * sin(fabs(phi)) * sin(fabs(phi)) + 300 * z * z - 120 * z;
  return 17000 + 2.9e7 * far - 0.4e7 * far * far + 4e4 * (z + 0.03) * (z + 0.03) * 100;
}

static JournalRun draw(Rng *rng, int set, const Form *form, double phi, double z) {
  double wild = rng_uniform(rng, 0, 1), cost = best_cost(set, phi, z);
  double chance = set == 0 ? form->trapped * (0.3 + 1.2 * fabs(phi)) : 0.002;
  double n = set == 0 ? 70 + 45 * fabs(phi) : 22 + 14 * fabs(phi);
  n *= form->iterations * exp(0.22 * rng_uniform(rng, -1, 1));
  if (set == 0 && fabs(phi) < 1e-9) cost *= 1.27, n *= 2.5;
  else if (wild < chance) cost *= 1.02 + 0.33 * rng_uniform(rng, 0, 1), n *= 1 + 3 * wild / chance;
  bool solved = rng_uniform(rng, 0, 1) > (set == 0 ? 0.025 : 0.004);
  double per = 1e-3 * form->per * (set == 0 ? 1.5 : 1) * (1 + 0.08 * rng_uniform(rng, -1, 1));
  int iterations = solved ? (int)n : 1000;
  double cpu = per * iterations;
  JournalRun r = {.key = rng_next(rng),
                  .status = solved ? "Solve_Succeeded" : "Maximum_Iterations_Exceeded",
                  .message = "",
                  .solver = "mumps",
                  .iterations = iterations,
                  .solves = 1,
                  .solved = solved,
                  .verified = solved && rng_uniform(rng, 0, 1) > 0.002,
                  .objective = cost,
                  .cpu_s = cpu + 0.2,
                  .wall_s = cpu + 0.25,
                  .solve_cpu_s = cpu,
                  .setup_s = 0.1,
                  .evaluation_s = form->evaluation * cpu,
                  .linear_solver_s = (0.93 - form->evaluation) * cpu,
                  .defect = 1e-9,
                  .terminal_error = 1e-10,
                  .error_estimate = 1e-6,
                  .operations = {4e5 * form->per, 1e6 * form->per, 2e6 * form->per}};
  memcpy(r.nlp, form->nlp, sizeof r.nlp);
  if (set == 1) r.nlp[3] += 396;
  return r;
}

// a smooth curve from the start to a posture near the target, and torques that look like some
static void make_motion(Trajectory *t, Rng *rng, int set, double phi, double z) {
  double reach = acos((hypot(RADIUS, z) - 0.1) / 0.6), lift = atan2(z, RADIUS);
  const double from[NV] = {0, START, -2 * START, START, 0, 0};
  const double to[NV] = {phi, reach + lift, -2 * reach, reach, -lift, 0};
  double wobble[NV];
  for (int i = 0; i < NV; i++) wobble[i] = rng_uniform(rng, -0.25, 0.25);
  for (int k = 0; k <= N_INTERVAL; k++) {
    double s = (double)k / N_INTERVAL, w = s * s * s * (10 - 15 * s + 6 * s * s);
    double dw = 30 * s * s * (1 - s) * (1 - s) / TIME, hump = s * s * (1 - s) * (1 - s) * 16;
    t->time[k] = TIME * s;
    for (int i = 0; i < NV; i++) {
      t->q[NV * k + i] = from[i] + w * (to[i] - from[i]) + hump * wobble[i];
      t->v[NV * k + i] = dw * (to[i] - from[i]) + 32 * s * (1 - s) * (1 - 2 * s) / TIME * wobble[i];
    }
    if (k == N_INTERVAL) break;
    const double hold[NU] = {0, 19, 7.3, 1.47};
    for (int i = 0; i < NU; i++) {
      double jitter = set == 0 ? 0.6 * rng_uniform(rng, -1, 1) : 0;
      t->u[NU * k + i] = hold[i] + 6 * sin(6.28 * s) * wobble[i] * 4 + jitter;
    }
  }
}

static void add_motion(JournalRun *r, Trajectory *t, FILE *motions) {
  unsigned char *bytes;
  size_t n;
  Error err = {0};
  if (journal_pack(&bytes, &n, t, true, &err) != STATUS_OK) fail(err.what);
  r->offset = ftell(motions);
  r->bytes = (int64_t)n;
  if (fwrite(bytes, 1, n, motions) != n) fail("trajectories.bin");
  free(bytes);
}

int main(int argc, char **argv) {
  int n_phi = argc > 3 ? atoi(argv[2]) : 21, n_z = argc > 3 ? atoi(argv[3]) : 11;
  bool motions = !(argc > 4 && strcmp(argv[4], "--no-motions") == 0);
  if (argc < 2 || n_phi < 1 || n_z < 1) fail("DIR [N_PHI N_Z [--no-motions]]");
  mkdir(argv[1], 0777);
  double *phi = malloc((size_t)n_phi * sizeof *phi), *z = malloc((size_t)n_z * sizeof *z);
  if (!phi || !z) fail("out of memory");
  for (int i = 0; i < n_phi; i++) phi[i] = n_phi > 1 ? M_PI * (2.0 * i / (n_phi - 1) - 1) / 2 : 0;
  for (int i = 0; i < n_z; i++) z[i] = n_z > 1 ? 0.1 * (2.0 * i / (n_z - 1) - 1) : 0;
  copy_robot(argv[1]);
  write_manifest(argv[1], n_phi, n_z, phi, z);

  Trajectory *t;
  Error err = {0};
  if (trajectory_new(&t, NV, NU, N_INTERVAL, 1, N_INTERVAL, &err) != STATUS_OK) fail(err.what);
  t->point[0] = 1;
  const JournalAxis axis[2] = {{.name = "phi"}, {.name = "z"}};
  FILE *journal = create(argv[1], "journal.jsonl");
  FILE *bin = motions ? create(argv[1], "trajectories.bin") : NULL;
  Rng rng;
  rng_seed(&rng, 231);
  for (int set = 0, index = 0; set < 2; set++) {
    for (int f = 0; f < N_FORM; f++) {
      char name[64];
      snprintf(name, sizeof name, "set%d/%s/paper/cold", set + 1, forms[f].name);
      JournalCase c = {.name = name, .cost = set ? "set2" : "set1", .formulation = forms[f].name};
      c.layout = "paper", c.strategy = "cold", c.guess = "hold", c.linear_solver = "mumps";
      c.seed = -1;
      for (int p = 0; p < n_phi * n_z; p++) {
        double at[2] = {phi[p / n_z], z[p % n_z]};
        double target[3] = {RADIUS * cos(at[0]), RADIUS * sin(at[0]), at[1]};
        JournalRun r = draw(&rng, set, &forms[f], at[0], at[1]);
        r.index = index++;
        if (bin) make_motion(t, &rng, set, at[0], at[1]), add_motion(&r, t, bin);
        TextBuf b = {0};
        journal_line(&b, 2, axis, at, target, &c, &r);
        if (b.failed || fwrite(b.text, 1, b.len, journal) != b.len) fail("journal.jsonl");
        textbuf_free(&b);
      }
    }
  }
  fclose(journal);
  if (bin) fclose(bin);
  trajectory_free(t);
  free(phi);
  free(z);
  return 0;
}

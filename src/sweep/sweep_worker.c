// SPDX-License-Identifier: MIT
// One run in a process of its own: a message on standard input says what to do, the answer goes to standard
// output. A message is its length, five texts that end in a NUL and a motion.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "plan/plan.h"
#include "sweep/sweep_internal.h"

static const size_t LARGEST = (size_t)1 << 30;
enum { NAME, FOLDER, PRECISION, REFINE, TASK, N_TEXT };  // the texts of a message
static const double NOTHING = 1e-9;                      // costs below are no cost
enum { N_BETTER = 4 };                 // times that a finer grid may lead to a better motion
static const double SAME_COST = 0.01;  // relative; a refined motion that costs more is another one

typedef struct MessageHead {
  uint32_t magic, zero;
  uint64_t n_text, n_motion;
} MessageHead;

Status sweep_message(unsigned char **bytes, size_t *n, const Sweep *s, const char *name,
                     const char *task, const unsigned char *motion, size_t n_motion, Error *err) {
  const char *const text[N_TEXT] = {[NAME] = name,
                                    [FOLDER] = s->task_folder,
                                    [PRECISION] = !s->keep    ? "none"
                                                  : s->single ? "single"
                                                              : "double",
                                    [REFINE] = s->refine ? "yes" : "no",
                                    [TASK] = task};
  MessageHead head = {.magic = SWEEP_MAGIC, .n_motion = n_motion};
  for (int i = 0; i < N_TEXT; i++) head.n_text += strlen(text[i]) + 1;
  *n = sizeof head + (size_t)head.n_text + n_motion;
  *bytes = malloc(*n);
  if (!*bytes) return error_no_memory(err);
  unsigned char *to = *bytes;
  memcpy(to, &head, sizeof head);
  to += sizeof head;
  for (int i = 0; i < N_TEXT; i++) {
    memcpy(to, text[i], strlen(text[i]) + 1);
    to += strlen(text[i]) + 1;
  }
  if (n_motion) memcpy(to, motion, n_motion);
  return STATUS_OK;
}

// ---- streams ------------------------------------------------------------------------------------

static bool read_exactly(int fd, void *to, size_t n) {
  char *p = to;
  while (n > 0) {
    ssize_t got = read(fd, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    n -= (size_t)got;
  }
  return true;
}

static bool write_exactly(int fd, const void *from, size_t n) {
  const char *p = from;
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
  }
  return true;
}

typedef struct Message {
  char *all;                 // owned
  const char *text[N_TEXT];  //
  const unsigned char *motion;
  size_t n_motion;
} Message;

static bool read_message(Message *m) {
  MessageHead head;
  if (!read_exactly(STDIN_FILENO, &head, sizeof head) || head.magic != SWEEP_MAGIC) return false;
  if (head.n_text > LARGEST || head.n_motion > LARGEST) return false;
  size_t n = (size_t)(head.n_text + head.n_motion);
  m->all = malloc(n + 1);
  if (!m->all || !read_exactly(STDIN_FILENO, m->all, n)) return false;
  const char *p = m->all, *end = m->all + head.n_text;
  for (int i = 0; i < N_TEXT; i++) {
    const char *stop = p < end ? memchr(p, '\0', (size_t)(end - p)) : NULL;
    if (!stop) return false;
    m->text[i] = p;
    p = stop + 1;
  }
  memcpy(&m->motion, &end, sizeof end);
  m->n_motion = (size_t)head.n_motion;
  return true;
}

// ---- the run ------------------------------------------------------------------------------------

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// CPU time between the first and the last iteration
typedef struct Stopwatch {
  double first, last;
} Stopwatch;

static bool look_at_watch(void *data, const SolveIteration *it) {
  Stopwatch *w = data;
  (void)it;
  w->last = cpu_seconds();
  if (w->first < 0) w->first = w->last;
  return true;
}

static double end_error(const SimGoal *g, const Ocp *o) {
  return o->goal.frame >= 0 ? g->position : fmax(g->joint, g->speed);
}

static void fill(SweepAnswer *a, const PlanResult *r, const Stopwatch *w) {
  JournalRun *run = &a->run;
  snprintf(a->status, sizeof a->status, "%s", solve_status_name(r->status));
  snprintf(a->solver, sizeof a->solver, "%s", r->info.linear_solver);
  run->solved = r->solved;
  run->verified = r->solved && r->has_verification && r->verification.verified;
  if (r->solved && r->has_verification && !r->verification.verified) {
    snprintf(a->message, sizeof a->message, "%.500s", r->verification.failure);
  }
  run->refined_objective = run->refined_defect = run->refined_cpu_s = NAN;
  run->objective = r->objective;
  run->iterations = r->iterations;
  run->solves = r->n_step;
  run->solve_cpu_s = w->first >= 0 ? w->last - w->first : NAN;
  run->setup_s = r->setup_s;
  run->evaluation_s = r->evaluation_s;
  run->linear_solver_s = r->linear_solver_s;
  run->defect = run->terminal_error = NAN;
  run->error_estimate = r->error;
  if (r->has_verification) {
    run->defect = fmax(r->verification.q_defect.value, r->verification.v_defect.value);
    run->terminal_error = end_error(&r->verification.goal, r->o);
  }
  run->nlp[0] = r->variables, run->nlp[1] = r->constraints;
  run->nlp[2] = r->jacobian_nonzeros, run->nlp[3] = r->hessian_nonzeros;
  run->operations[0] = (double)r->cost.residual;
  run->operations[1] = (double)r->cost.jacobian;
  run->operations[2] = (double)r->cost.hessian;
}

// Intervals split where the replay fails, after more points in all of them did not do.
static Status split(SweepAnswer *a, const Ocp *o, const Trajectory *solution, Error *err) {
  JournalRun *run = &a->run;
  PlanResult *r;
  PlanOptions opt = {.skip_explanation = true, .start = solution, .refine_to_verify = true};
  Status status = plan_run(&r, o, &opt, err);
  if (status != STATUS_OK) return status;
  bool same = fabs(r->objective - run->objective) <= SAME_COST * fabs(run->objective) + NOTHING;
  if (r->solved && r->has_verification && r->verification.verified && same) {
    run->refined_degree = r->o->degree;
    run->refined_objective = r->objective;
    run->refined_defect = fmax(r->verification.q_defect.value, r->verification.v_defect.value);
    run->verified = true;
  }
  plan_result_free(r);
  return STATUS_OK;
}

// More points per interval until the replay passes; the controls stay what they are. *better: a motion that costs
// less and that the finer grid led to, or NULL; the caller frees it.
static Status refine(SweepAnswer *a, const Ocp *o, const Trajectory *solution, PlanResult **better,
                     Error *err) {
  JournalRun *run = &a->run;
  double begin = cpu_seconds();
  *better = NULL;
  Ocp fine = *o;
  fine.layout = OCP_CONDENSED;
  PlanResult *last = NULL;
  Status status = STATUS_OK;
  while (status == STATUS_OK && !run->verified && fine.degree + 2 <= OCP_MAX_DEGREE) {
    fine.degree += 2;
    PlanResult *r = NULL;
    PlanOptions opt = {.skip_explanation = true, .start = last ? last->trajectory : solution};
    status = plan_run(&r, &fine, &opt, err);
    plan_result_free(last);
    last = r;
    if (status != STATUS_OK || !r->solved || !r->has_verification) break;
    const SimReport *v = &r->verification;
    run->refined_degree = fine.degree;
    run->refined_objective = r->objective;
    run->refined_defect = fmax(v->q_defect.value, v->v_defect.value);
    bool same = fabs(r->objective - run->objective) <= SAME_COST * fabs(run->objective) + NOTHING;
    if (!same) snprintf(a->message, sizeof a->message, "refined, the motion is another one");
    if (!same && r->objective < run->objective) *better = last;
    if (!same) break;
    run->verified = v->verified;
    if (!v->verified) snprintf(a->message, sizeof a->message, "%.500s", v->failure);
  }
  if (status == STATUS_OK && last && last->solved && !run->verified && !*better) {
    status = split(a, o, last->trajectory, err);
  }
  if (run->verified) a->message[0] = '\0';
  if (last != *better) plan_result_free(last);
  double before = isfinite(run->refined_cpu_s) ? run->refined_cpu_s : 0.0;
  run->refined_cpu_s = before + cpu_seconds() - begin;
  return status;
}

static bool is_coarse(const SweepAnswer *a, const Ocp *o, const PlanResult *r) {
  bool points = o->scheme == OCP_RADAU || o->scheme == OCP_GAUSS;
  return r->solved && r->has_verification && !a->run.verified && points;
}

// Verifies on a finer grid. Where that leads to a better motion, the task's own grid is solved again from there:
// *r becomes that solve, with the iterations of both.
static Status verify_finer(SweepAnswer *a, const Ocp *o, PlanResult **r, Stopwatch *watch,
                           Error *err) {
  Status status = STATUS_OK;
  for (int round = 0; round < N_BETTER && status == STATUS_OK && is_coarse(a, o, *r); round++) {
    PlanResult *better;
    status = refine(a, o, (*r)->trajectory, &better, err);
    if (status != STATUS_OK || !better) return status;
    PlanResult *again = NULL;
    PlanOptions opt = {.skip_explanation = true, .start = better->trajectory};
    status = plan_run(&again, o, &opt, err);
    if (status == STATUS_OK && again->solved && again->objective < (*r)->objective) {
      int iterations = a->run.iterations;
      double refined = a->run.refined_cpu_s;
      plan_result_free(*r);
      *r = again;
      again = NULL;
      fill(a, *r, watch);
      a->run.iterations += iterations;
      a->run.refined_cpu_s = refined;
      a->message[0] = '\0';
    } else {
      round = N_BETTER;
    }
    plan_result_free(again);
    plan_result_free(better);
  }
  return status;
}

static Status solve(const Message *m, SweepAnswer *a, unsigned char **motion, size_t *n,
                    Error *err) {
  Ocp *o = NULL;
  Trajectory *start = NULL;
  PlanResult *r = NULL;
  Stopwatch watch = {-1, -1};
  Status status = ocp_parse(&o, m->text[TASK], m->text[NAME], m->text[FOLDER], err);
  if (status == STATUS_OK && m->n_motion) {
    status = journal_unpack(&start, m->motion, m->n_motion, "motion to begin with", err);
  }
  if (status == STATUS_OK) {
    PlanOptions opt = {.skip_explanation = true,
                       .retry = o->strategy.retry,
                       .start = start,
                       .progress = look_at_watch,
                       .progress_data = &watch};
    status = plan_run(&r, o, &opt, err);
  }
  if (status == STATUS_OK) {
    fill(a, r, &watch);
    if (strcmp(m->text[REFINE], "yes") == 0) status = verify_finer(a, o, &r, &watch, err);
  }
  if (status == STATUS_OK) {
    const char *precision = m->text[PRECISION];
    if (strcmp(precision, "none") != 0) {
      status = journal_pack(motion, n, r->trajectory, strcmp(precision, "single") == 0, err);
    }
  }
  plan_result_free(r);
  trajectory_free(start);
  ocp_free(o);
  return status;
}

static void fill_error(SweepAnswer *a, const Error *err) {
  a->run.refined_objective = a->run.refined_defect = a->run.refined_cpu_s = NAN;
  a->run.objective = a->run.solve_cpu_s = a->run.setup_s = a->run.evaluation_s = NAN;
  a->run.linear_solver_s = a->run.defect = a->run.terminal_error = a->run.error_estimate = NAN;
  for (int i = 0; i < 3; i++) a->run.operations[i] = NAN;
  snprintf(a->status, sizeof a->status, "error");
  snprintf(a->message, sizeof a->message, "%.200s%s%.280s", err->where, *err->where ? ": " : "",
           err->what);
}

int sweep_worker(void) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no work for a sweep that is gone
#endif
  Message m = {0};
  if (!read_message(&m)) {
    free(m.all);
    return 3;
  }
  // whatever a library may print must not get into the answer
  int out = dup(STDOUT_FILENO), sink = open("/dev/null", O_WRONLY);
  if (sink >= 0) dup2(sink, STDOUT_FILENO);
  SweepAnswer a = {.magic = SWEEP_MAGIC};
  Error err = {0};
  unsigned char *motion = NULL;
  size_t n = 0;
  if (solve(&m, &a, &motion, &n, &err) != STATUS_OK) fill_error(&a, &err);
  a.n_motion = motion ? n : 0;
  bool good = write_exactly(out, &a, sizeof a) && write_exactly(out, motion, (size_t)a.n_motion);
  close(out);
  if (sink >= 0) close(sink);
  free(motion);
  free(m.all);
  return good ? 0 : 3;
}

// SPDX-License-Identifier: MIT
// IPOPT's C interface tells times and reasons only in print. It prints to a temporary file; we read
// along.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/solver_internal.h"

static const char timing_title[] = "\n\nTiming Statistics:\n";

bool solver_log_open(SolverLog *log) {
  *log = (SolverLog){.fd = -1};
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = P_tmpdir;
  int len = snprintf(log->path, sizeof log->path, "%s/poise-XXXXXX", folder);
  if (len < 0 || (size_t)len >= sizeof log->path) return false;
  log->fd = mkstemp(log->path);
  return log->fd >= 0;
}

void solver_log_unlink(SolverLog *log) {
  if (log->path[0] && log->fd >= 0) unlink(log->path);
  log->path[0] = 0;
}

void solver_log_close(SolverLog *log) {
  if (log->fd < 0) return;
  solver_log_unlink(log);
  close(log->fd);
  log->fd = -1;
}

void solver_log_skip(SolverLog *log) {
  if (log->fd < 0) return;
  fflush(NULL);
  off_t end = lseek(log->fd, 0, SEEK_END);
  if (end > 0) log->sent = (size_t)end;
}

void solver_log_follow(SolverLog *log, const SolveOptions *opt) {
  if (log->fd < 0) return;
  fflush(NULL);
  char piece[4096];
  ssize_t len;
  while ((len = pread(log->fd, piece, sizeof piece, (off_t)log->sent)) > 0) {
    opt->write_table(opt->write_data, piece, (size_t)len);
    log->sent += (size_t)len;
  }
}

char *solver_log_text(const SolverLog *log) {
  off_t end = log->fd < 0 ? -1 : lseek(log->fd, 0, SEEK_END);
  if (end < 0) return NULL;
  char *text = malloc((size_t)end + 1);
  if (!text) return NULL;
  size_t len = 0;
  while (len < (size_t)end) {
    ssize_t got = pread(log->fd, text + len, (size_t)end - len, (off_t)len);
    if (got <= 0) break;
    len += (size_t)got;
  }
  text[len] = 0;
  return text;
}

void solver_log_finish(SolverLog *log, const SolveOptions *opt, const char *text,
                       bool show_timing) {
  size_t len = strlen(text);
  if (log->sent >= len) return;
  const char *rest = text + log->sent;
  const char *timing = show_timing ? NULL : strstr(rest, timing_title);
  const char *after = timing ? strstr(timing, "\nEXIT:") : NULL;
  if (timing) opt->write_table(opt->write_data, rest, (size_t)(timing - rest) + 1);
  if (timing) rest = after ? after : text + len;
  opt->write_table(opt->write_data, rest, strlen(rest));
  log->sent = len;
}

// the wall time of a line " Name....:   0.010 (sys:  0.000 wall:  0.012)"; NAN if there is none
static double wall_time(const char *timing, const char *name) {
  const char *line = strstr(timing, name);
  const char *wall = line ? strstr(line, "wall:") : NULL;
  const char *end = line ? strchr(line, '\n') : NULL;
  if (!wall || (end && wall > end)) return NAN;
  return strtod(wall + strlen("wall:"), NULL);
}

void solver_log_parse(const char *text, SolveInfo *info) {
  static const char running[] = "running with linear solver ";
  const char *solver = strstr(text, running);
  if (solver) {
    solver += strlen(running);
    size_t len = strcspn(solver, "\n");
    if (len > 0 && solver[len - 1] == '.') len--;
    if (len >= sizeof info->linear_solver) len = sizeof info->linear_solver - 1;
    memcpy(info->linear_solver, solver, len);
    info->linear_solver[len] = 0;
  }

  const char *timing = strstr(text, timing_title);
  if (!timing) return;
  SolveTiming *t = &info->timing;
  t->symbolic_s = wall_time(timing, " LinearSystemSymbolicFactorization.");
  t->factorisation_s = wall_time(timing, " LinearSystemFactorization.");
  t->back_solve_s = wall_time(timing, " LinearSystemBackSolve.");
  double scaling = wall_time(timing, " LinearSystemScaling.");
  double conversion = wall_time(timing, " LinearSystemStructureConverter.");
  double parts = t->symbolic_s + t->factorisation_s + t->back_solve_s + scaling + conversion;
  // IPOPT's interface to MUMPS leaves its factorisations untimed; they are within this one
  double all = wall_time(timing, " StdAugSystemSolverMultiSolve.");
  if (t->factorisation_s == 0 && all > parts) t->factorisation_s = all - parts;
  t->linear_solver_s = all > parts ? all : parts;
}

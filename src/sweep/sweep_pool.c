// SPDX-License-Identifier: MIT
// Worker processes of this machine. One process per job: a crash, a timeout or a kill costs that job only, and
// every job begins with the same empty process, so that its result does not depend on what ran before.
#define _DEFAULT_SOURCE  // wait4
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sweep/sweep_internal.h"

extern char **environ;

enum { CHUNK = 1 << 16 };
static const size_t LARGEST = (size_t)1 << 30;  // bytes of an answer

typedef struct Slot {
  pid_t pid;              // 0: free
  int id;                 //
  int to, from;           // descriptors; -1: closed
  unsigned char *job;     // n_job, being written
  size_t n_job, written;  //
  unsigned char *bytes;   // n, read so far
  size_t n, cap;          //
  double begin;           //
  bool timed_out;         //
} Slot;

typedef struct Pool {
  SweepCrew crew;
  const char *program;  // borrowed
  double timeout;
  int n;
  Slot *slot;           // n
  struct pollfd *poll;  // 2 n
  char **environ;       // of the workers
} Pool;

// ---- starting -----------------------------------------------------------------------------------

// one thread each: results must not depend on how many there are, and the cores are taken already
static char **make_environ(void) {
  static const char *const one[] = {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1",
                                    "MKL_NUM_THREADS=1", "BLIS_NUM_THREADS=1"};
  enum { N_ONE = sizeof one / sizeof one[0] };
  size_t n = 0;
  while (environ[n]) n++;
  char **list = calloc(n + N_ONE + 1, sizeof *list);
  if (!list) return NULL;
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    bool ours = false;
    for (int k = 0; k < N_ONE; k++) {
      ours |= strncmp(environ[i], one[k], strcspn(one[k], "=") + 1) == 0;
    }
    if (!ours) list[m++] = environ[i];
  }
  for (int k = 0; k < N_ONE; k++) memcpy(&list[m++], &one[k], sizeof one[k]);
  return list;
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static bool make_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}

// a group of its own: Ctrl-C is for the sweep, which then ends its workers
static int spawn(const Pool *p, pid_t *pid, int in, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
  int code = posix_spawnattr_init(&attr);
  if (!code) code = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!code) {
    code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  char sweep[] = "sweep", worker[] = "--worker", name[] = "poise";
  char *argv[] = {name, sweep, worker, NULL};
  if (!code) code = posix_spawn(pid, p->program, &actions, &attr, argv, p->environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

static bool room(const SweepCrew *c) {
  const Pool *p = (const Pool *)c;
  for (int i = 0; i < p->n; i++) {
    if (!p->slot[i].pid) return true;
  }
  return false;
}

static Status start(SweepCrew *c, int id, unsigned char *bytes, size_t n, Error *err) {
  Pool *p = (Pool *)c;
  Slot *s = p->slot;
  while (s->pid) s++;
  int in[2], out[2];
  if (!make_pipe(in)) {
    free(bytes);
    return error_set(err, STATUS_IO, "", "can't make a pipe: %s", strerror(errno));
  }
  if (!make_pipe(out)) {
    free(bytes);
    close(in[0]), close(in[1]);
    return error_set(err, STATUS_IO, "", "can't make a pipe: %s", strerror(errno));
  }
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  *s = (Slot){.id = id, .to = in[1], .from = out[0], .job = bytes, .n_job = n};
  s->begin = clock_seconds();
  int code = spawn(p, &s->pid, in[0], out[1]);
  close(in[0]);
  close(out[1]);
  if (!code) return STATUS_OK;
  s->pid = 0;
  close_fd(&s->to);
  close_fd(&s->from);
  free(bytes);
  s->job = NULL;
  return error_set(err, STATUS_IO, p->program, "can't start a worker: %s", strerror(code));
}

// ---- waiting ------------------------------------------------------------------------------------

static void feed(Slot *s) {
  ssize_t done = write(s->to, s->job + s->written, s->n_job - s->written);
  if (done < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (done > 0) s->written += (size_t)done;
  if (done <= 0 || s->written == s->n_job) close_fd(&s->to);  // done, or nobody listens
}

// false at the end of its output
static bool drain(Slot *s) {
  if (s->cap - s->n < CHUNK) {
    size_t cap = s->cap ? 2 * s->cap : 2 * CHUNK;
    unsigned char *more = cap <= LARGEST ? realloc(s->bytes, cap) : NULL;
    if (!more) kill(s->pid, SIGKILL);
    if (!more) return false;
    s->bytes = more;
    s->cap = cap;
  }
  ssize_t got = read(s->from, s->bytes + s->n, s->cap - s->n);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got > 0) s->n += (size_t)got;
  return got > 0;
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

// the output has ended: so has the worker, or it is made to
static void collect(Slot *s, SweepDone *done) {
  int state = 0;
  struct rusage usage = {0};
  while (wait4(s->pid, &state, 0, &usage) < 0 && errno == EINTR) {}
  *done = (SweepDone){.id = s->id,
                      .bytes = s->bytes,
                      .n = s->n,
                      .signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0,
                      .exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 0,
                      .timed_out = s->timed_out,
                      .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                      .wall_s = clock_seconds() - s->begin};
  close_fd(&s->to);
  close_fd(&s->from);
  free(s->job);
  *s = (Slot){.to = -1, .from = -1};
}

// ends those that took too long; milliseconds until the next would
static int check_times(Pool *p, int milliseconds) {
  double now = clock_seconds();
  for (int i = 0; i < p->n && p->timeout > 0; i++) {
    Slot *s = &p->slot[i];
    if (!s->pid || s->timed_out) continue;
    double left = s->begin + p->timeout - now;
    if (left <= 0) {
      s->timed_out = true;
      kill(s->pid, SIGKILL);
    } else if (left * 1000 < milliseconds) {
      milliseconds = (int)ceil(left * 1000);
    }
  }
  return milliseconds;
}

static bool wait_one(SweepCrew *c, int milliseconds, SweepDone *done) {
  Pool *p = (Pool *)c;
  milliseconds = check_times(p, milliseconds);
  for (int i = 0; i < p->n; i++) {
    const Slot *s = &p->slot[i];
    p->poll[2 * i] = (struct pollfd){.fd = s->pid ? s->from : -1, .events = POLLIN};
    p->poll[2 * i + 1] = (struct pollfd){.fd = s->pid ? s->to : -1, .events = POLLOUT};
  }
  if (poll(p->poll, 2 * (nfds_t)p->n, milliseconds) <= 0) return false;
  for (int i = 0; i < p->n; i++) {
    Slot *s = &p->slot[i];
    if (s->pid && s->to >= 0 && p->poll[2 * i + 1].revents) feed(s);
  }
  for (int i = 0; i < p->n; i++) {
    Slot *s = &p->slot[i];
    if (!s->pid || !p->poll[2 * i].revents || drain(s)) continue;
    collect(s, done);
    return true;
  }
  return false;
}

static void free_pool(SweepCrew *c) {
  Pool *p = (Pool *)c;
  if (!p) return;
  for (int i = 0; i < p->n; i++) {
    Slot *s = &p->slot[i];
    if (!s->pid) continue;
    SweepDone done;
    kill(s->pid, SIGKILL);
    collect(s, &done);
    free(done.bytes);
  }
  free(p->environ);
  free(p->slot);
  free(p->poll);
  free(p);
}

static const struct SweepCrewOps ops = {room, start, wait_one, free_pool};

Status sweep_pool_new(SweepCrew **out, const char *program, int n, double timeout, Error *err) {
  *out = NULL;
  Pool *p = calloc(1, sizeof *p);
  if (!p) return error_no_memory(err);
  *p = (Pool){.crew = {&ops}, .program = program, .timeout = timeout, .n = n};
  p->slot = calloc((size_t)n, sizeof *p->slot);
  p->poll = calloc(2 * (size_t)n, sizeof *p->poll);
  p->environ = make_environ();
  if (!p->slot || !p->poll || !p->environ) {
    p->n = p->slot ? p->n : 0;
    free_pool(&p->crew);
    return error_no_memory(err);
  }
  signal(SIGPIPE, SIG_IGN);  // a worker that dies while it is written to
  *out = &p->crew;
  return STATUS_OK;
}

// SPDX-License-Identifier: MIT
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static Status spawn_error(Error *err, const char *program, int code) {
  if (code == ENOMEM) return error_no_memory(err);
  if (code == ENOENT) return error_set(err, STATUS_INPUT, program, "no such program");
  return error_set(err, STATUS_IO, program, "can't be run: %s", strerror(code));
}

// starts the program with both its outputs on the descriptor `to`; an errno value, 0 if all went
// well
static int start(const char *const *argv, int to, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code) return code;
  code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, to, 1);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, to, 2);
  // posix_spawn does not change the words, its type does not say so
  char *const *words;
  memcpy(&words, &argv, sizeof words);
  if (!code) code = posix_spawnp(pid, argv[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// reads to the end, so that the program never waits for us; keeps the first `largest` bytes
static void read_output(int from, TextBuf *output, size_t largest) {
  char part[4096];
  for (;;) {
    ssize_t n = read(from, part, sizeof part - 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    size_t keep = (size_t)n < largest ? (size_t)n : largest;
    largest -= keep;
    part[keep] = '\0';
    textbuf_add(output, part);
  }
}

static int wait_for(pid_t pid) {
  int state = 0;
  while (waitpid(pid, &state, 0) < 0) {
    if (errno != EINTR) return 128;
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

Status process_run(const char *const *argv, TextBuf *output, size_t largest, int *exit_code,
                   Error *err) {
  int ends[2];
  *exit_code = 128;
  if (pipe(ends) != 0) return spawn_error(err, argv[0], errno);
  // the reading end is not for the child: it would keep the pipe open
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  pid_t pid = 0;
  size_t before = output->len;
  int code = start(argv, ends[1], &pid);
  close(ends[1]);
  if (!code) {
    read_output(ends[0], output, largest);
    *exit_code = wait_for(pid);
    // where the system learns too late that it can't run a program, the child ends like this
    if (*exit_code == 127 && output->len == before) code = ENOENT;
  }
  close(ends[0]);
  return code ? spawn_error(err, argv[0], code) : STATUS_OK;
}

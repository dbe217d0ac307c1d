// SPDX-License-Identifier: MIT
// poise simulate: the motion of a robot under the torques of a result, or left to itself.
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/simulation.h"

static int run(const Args *args) {
  Error err = {0};
  Simulation s = {.arena = arena_new(), .progress = isatty(STDERR_FILENO)};
  Status status = s.arena ? simulation_load(&s, args, &err) : error_no_memory(&err);
  if (status == STATUS_OK) status = simulation_run(&s, &err);
  if (status == STATUS_OK) status = simulation_save(&s, args, &err);
  if (status == STATUS_OK && options_has(args, "json")) status = simulation_print_json(&s, &err);
  else if (status == STATUS_OK) simulation_print(&s);
  simulation_free(&s);
  return status == STATUS_OK ? EXIT_SOLVED : command_fail(&err);
}

static const Option options[] = {
    {"method", 'm', "M", "of mechanisms with loops: TREE+AUG (default), RCR, SRM, ..."},
    {"integrator", 'i', "NAME", "euler, rk2, rk4, cvode (default) or ida"},
    {"formulation", 'f', "F", "of robots without loops: IMPL, SEMI, EXP1 or EXP2 (default)"},
    {"until", 'T', "SECONDS", "how long; default: the result's or task's horizon, or 1"},
    {"step", 0, "SECONDS", "of euler, rk2, rk4, and between lines of output (default 0.01)"},
    {"rtol", 0, "X", "relative tolerance of cvode (default 1e-10) and ida (1e-9)"},
    {"eps", 0, "X", "of SRM: regularization (default 0.05)"},
    {"iterations", 0, "N", "of SRM (default 2)"},
    {"pose", 'p', "NAME", "start at rest in a pose of the robot; default: see below"},
    {"state", 's', "FILE", "start in the first state of a file {\"q\",\"v\",\"tau\"}, tau held"},
    {"robot", 'r', "FILE", "robot of a result, if it is no longer where the result says"},
    {"output", 'o', "FILE", "write summary and motion as JSON"},
    {"csv", 0, "FILE", "write positions, speeds, energy, and what loops are apart"},
    {"html", 0, "FILE", "write a page with the motion and plots"},
    {"json", 0, NULL, "print JSON"},
};

const Command cmd_simulate = {
    .name = "simulate",
    .summary = "replay the torques of a result, or let a robot fall",
    .positional = "RESULT.json|TASK.json|ROBOT.json",
    .n_positional_min = 1,
    .n_positional_max = 1,
    .option = options,
    .n_option = sizeof options / sizeof options[0],
    .about = "A result is replayed open loop from its first node; a task's robot starts from the\n"
             "task's start state, a robot from a pose or a state (default: all joints at 0, or\n"
             "with loops the pose \"start\"), both without torques. cvode and ida control their\n"
             "error; the drift of the energy that work and damping do not explain shows how well\n"
             "it went.\n\n"
             "Methods of mechanisms with loops: TREE+AUG, TREE+AUG-D, GAUSS, TREE+LAMBDA, RCR,\n"
             "MAXIMAL (projected after every fixed step), SRM (fixed steps only). ida solves\n"
             "motion and constraints together, and the method serves its start only.\n",
    .example =
        "poise simulate configs/robots/arm_pendulum.json --pose start --until 0.5 --csv fall.csv\n"
        "poise simulate configs/mechanisms/fourbar.json --method RCR --integrator rk4 -T 10\n",
    .run = run,
};

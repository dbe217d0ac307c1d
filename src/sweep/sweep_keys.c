// SPDX-License-Identifier: MIT
#include "sweep/sweep_keys.h"

#define LARGEST_NUMBER 1e15

#define TABLE(variable, object_name, object_place, keys)               \
  const JsonKeys variable = {.object = object_name,                    \
                             .place = object_place,                    \
                             .key = keys,                              \
                             .n = (int)(sizeof keys / sizeof keys[0]), \
                             .largest = LARGEST_NUMBER}

#define WORDS (JSON_STRING | JSON_ARRAY)

// name, types, count, rule, unit, default, what, example
static const JsonKey sweep[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "",
     "name of the sweep; the file's name without .json if absent", "\"grid231\""},
    {"task", JSON_STRING, 0, JSON_ANY, "", NULL,
     "base task, relative to the folder of the sweep file", "\"reach.json\""},
    {"axes", JSON_ARRAY, 0, JSON_ANY, "", NULL,
     "what changes from point to point of the grid, the last axis fastest; [] is one point",
     "[{\"key\": \"target.phi\", \"linspace\": [-1.5, 1.5, 21]}]"},
    {"target", JSON_OBJECT, 0, JSON_ANY, "", "{}",
     "coordinates of the goal's position that no axis changes: r, phi, z or x, y, z; others are "
     "those of the task",
     "{\"r\": 0.63}"},
    {"costs", JSON_OBJECT, 0, JSON_ANY, "", "{}",
     "cost sets by name; each replaces the cost of the task", "{\"set1\": {\"torque\": 1}}"},
    {"cases", JSON_ARRAY, 0, JSON_ANY, "", "[{}]",
     "how to solve: in each block all combinations of what it lists",
     "[{\"formulation\": \"all\", \"layout\": [\"paper\", \"condensed\"]}]"},
    {"relax", JSON_OBJECT, 0, JSON_ANY, "", "{}", "how the strategy \"relax\" works",
     "{\"first\": \"continuation\"}"},
    {"refine", JSON_BOOL, 0, JSON_ANY, "", "true",
     "where the grid is too coarse for the replay to pass: solve again from the solution with more "
     "points per interval, to verify it",
     "false"},
    {"timeout", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s", "0",
     "time that a run may take; 0 is no limit", "600"},
    {"trajectories", JSON_STRING, 0, JSON_ANY, "", "single",
     "motions in single or double precision, or none", "\"double\""},
};

static const JsonKey axis[] = {
    {"key", JSON_STRING, 0, JSON_ANY, "", NULL,
     "path of a key of the task, or target.r, target.phi, target.z, target.x, target.y",
     "\"goal.position[2]\""},
    {"name", JSON_STRING, 0, JSON_ANY, "", "",
     "name in the journal; the last word of key if absent", "\"height\""},
    {"unit", JSON_STRING, 0, JSON_ANY, "", "", "unit of the values, for labels", "\"m\""},
    {"values", JSON_ARRAY, 0, JSON_ANY, "", "", "values, of any type that the key takes",
     "[0.5, 1, 2]"},
    {"linspace", JSON_ARRAY, 3, JSON_ANY, "", "",
     "first value, last value and number of equally spaced values", "[-0.1, 0.1, 11]"},
};

static const JsonKey target[] = {
    {"r", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "m", "", "distance from the world's z axis", "0.63"},
    {"phi", JSON_NUMBER, 0, JSON_ANY, "rad", "", "angle about the world's z axis, 0 is along x",
     "0.5"},
    {"x", JSON_NUMBER, 0, JSON_ANY, "m", "", "forward", "0.63"},
    {"y", JSON_NUMBER, 0, JSON_ANY, "m", "", "to the left", "0"},
    {"z", JSON_NUMBER, 0, JSON_ANY, "m", "", "up", "-0.1"},
};

static const JsonKey cases[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "", "put before the names of the cases of this block",
     "\"mumps\""},
    {"formulation", WORDS, 0, JSON_ANY, "", "", "of the dynamics: one, several, or \"all\"",
     "[\"IMPL\", \"SEMI\"]"},
    {"layout", WORDS, 0, JSON_ANY, "", "", "of the transcription", "[\"paper\", \"condensed\"]"},
    {"cost", WORDS, 0, JSON_ANY, "", "", "names of cost sets, or \"all\"", "[\"set1\", \"set2\"]"},
    {"strategy", JSON_STRING | JSON_OBJECT | JSON_ARRAY, 0, JSON_ANY, "", "",
     "cold, continuation or multistart as in a task, or relax for the whole grid", "\"cold\""},
    {"guess", JSON_STRING | JSON_OBJECT | JSON_ARRAY, 0, JSON_ANY, "", "", "as in a task",
     "[\"hold\", \"zero\"]"},
    {"seed", JSON_NUMBER | JSON_ARRAY, 0, JSON_NOT_NEGATIVE, "", "",
     "of the strategy multistart or of the guess random", "[1, 2, 3]"},
    {"linear_solver", WORDS, 0, JSON_ANY, "", "", "the option of IPOPT", "\"mumps\""},
    {"solver", JSON_OBJECT, 0, JSON_ANY, "", "{}", "options for IPOPT, beside those of the task",
     "{\"max_iter\": 1000}"},
    {"set", JSON_OBJECT, 0, JSON_ANY, "", "{}", "any other keys of the task, by their paths",
     "{\"limits.inner\": false}"},
};

static const JsonKey relax[] = {
    {"first", JSON_STRING | JSON_OBJECT, 0, JSON_ANY, "", "continuation",
     "strategy of the first pass", "\"cold\""},
    {"rounds", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "30", "rounds at most, 1 to 10000", "10"},
    {"tolerance", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "1e-7",
     "least relative improvement that counts", "1e-6"},
    {"mirror", JSON_BOOL, 0, JSON_ANY, "", "true",
     "use mirror images, where the robot has a plane of symmetry", "false"},
};

TABLE(sweep_keys_sweep, "sweep", "", sweep);
TABLE(sweep_keys_axis, "axis", "axes[i]", axis);
TABLE(sweep_keys_target, "target", "target", target);
TABLE(sweep_keys_case, "case", "cases[i]", cases);
TABLE(sweep_keys_relax, "relax", "relax", relax);

const JsonKeys *const sweep_keys[] = {&sweep_keys_sweep, &sweep_keys_axis, &sweep_keys_target,
                                      &sweep_keys_case, &sweep_keys_relax};
const int n_sweep_keys = (int)(sizeof sweep_keys / sizeof sweep_keys[0]);

// SPDX-License-Identifier: MIT
#include "ocp/ocp_keys.h"

#define LARGEST_NUMBER 1e9    // sizes beyond it are a mistake of units
#define LARGEST_WEIGHT 1e15   // of a cost
#define LARGEST_RESULT 1e300  // in a trajectory, which may be of a failed run

#define TABLE(variable, object_name, object_place, keys, largest_number) \
  const JsonKeys variable = {.object = object_name,                      \
                             .place = object_place,                      \
                             .key = keys,                                \
                             .n = (int)(sizeof keys / sizeof keys[0]),   \
                             .largest = largest_number}

#define STRING_OR_OBJECT (JSON_STRING | JSON_OBJECT)

// name, types, count, rule, unit, default, what, example
static const JsonKey task[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "",
     "name of the task; the file's name without .json if absent", "\"reach\""},
    {"robot", JSON_STRING, 0, JSON_ANY, "", NULL,
     "robot file, relative to the folder of the task file", "\"../configs/robots/arm.json\""},
    {"formulation", JSON_STRING, 0, JSON_ANY, "", "IMPL",
     "form of the dynamics: IMPL, SEMI, EXP1-O, EXP1-A, EXP2-O or EXP2-A", "\"IMPL\""},
    {"horizon", JSON_NUMBER | JSON_OBJECT, 0, JSON_ANY, "s", NULL,
     "duration of the motion: a number, or {min, max, guess} if it is free",
     "{\"min\": 1, \"max\": 4}"},
    {"intervals", JSON_NUMBER, 0, JSON_ANY, "", "100", "equal intervals of the horizon, 1 to 10000",
     "100"},
    {"scheme", JSON_STRING, 0, JSON_ANY, "", "radau",
     "collocation: radau, gauss, trapezoidal or hermite-simpson; radau-3 is radau of degree 3",
     "\"radau\""},
    {"degree", JSON_NUMBER, 0, JSON_ANY, "", "4",
     "collocation points per interval, 1 to 9; for radau and gauss only", "4"},
    {"layout", JSON_STRING, 0, JSON_ANY, "", "condensed",
     "variables of the program: condensed (fast) or paper (collocation states are variables too)",
     "\"condensed\""},
    {"start", JSON_OBJECT, 0, JSON_ANY, "", NULL, "state at time 0", "{\"pose\": \"start\"}"},
    {"goal", JSON_OBJECT, 0, JSON_ANY, "", NULL,
     "what must hold at the end; {} is: anywhere, at rest and in equilibrium",
     "{\"frame\": \"tip\", \"position\": [0.63, 0, -0.1]}"},
    {"cost", JSON_OBJECT, 0, JSON_ANY, "", "{\"torque\": 1}",
     "weights of the cost terms; terms not named have weight 0",
     "{\"torque\": 1, \"torque_rate\": 0.01}"},
    {"limits", JSON_OBJECT, 0, JSON_ANY, "", "{}",
     "bounds that replace the robot's own, by kind and joint",
     "{\"torque\": {\"q1\": 20}, \"inner\": true}"},
    {"obstacles", JSON_ARRAY, 0, JSON_ANY, "", "[]", "regions that frames must stay out of",
     "[{\"frame\": \"tip\", \"sphere\": {\"center\": [0.6, 0.2, 0], \"radius\": 0.1}}]"},
    {"terms", JSON_ARRAY, 0, JSON_ANY, "", "[]",
     "user's functions of q, v, u from shared objects: constraints, costs or the dynamics",
     "[{\"library\": \"power.so\", \"function\": \"power\", \"use\": \"cost\"}]"},
    {"guess", STRING_OR_OBJECT, 0, JSON_ANY, "", "hold",
     "where the solver begins: hold, zero, line, random or file, or an object", "\"line\""},
    {"strategy", STRING_OR_OBJECT, 0, JSON_ANY, "", "",
     "cold, continuation or multistart, or an object; by default continuation if cost.torque_rate "
     "is 0, else cold",
     "\"continuation\""},
    {"solver", JSON_OBJECT, 0, JSON_ANY, "", "{}",
     "options for IPOPT, by IPOPT's names: strings, numbers, or true and false for yes and no; "
     "linear_solver may also be \"stage\" (default), Poise's own",
     "{\"tol\": 1e-8, \"max_iter\": 500}"},
};

static const JsonKey horizon[] = {
    {"min", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s", NULL, "shortest duration", "0.5"},
    {"max", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s", NULL, "longest duration", "4"},
    {"guess", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s", "",
     "duration that the solver begins with; the middle of min and max if absent", "2"},
};

static const JsonKey start[] = {
    {"pose", JSON_STRING, 0, JSON_ANY, "", "", "a named posture of the robot file", "\"start\""},
    {"q", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "rad | m", "",
     "positions: all in the robot's order, or by joint name; others are as in pose, else 0",
     "{\"q2\": 0.4}"},
    {"v", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "rad/s | m/s", "{}",
     "velocities: all in the robot's order, or by joint name; others are 0", "{\"q2\": 0.1}"},
};

static const JsonKey goal[] = {
    {"frame", JSON_STRING, 0, JSON_ANY, "", "", "frame whose position is asked for", "\"tip\""},
    {"position", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "m", "",
     "world position of the frame: [x, y, z] with null for a free one, or some of x, y, z by name",
     "[0.63, null, -0.1]"},
    {"pose", JSON_STRING, 0, JSON_ANY, "", "", "a named posture: asks for all joint positions",
     "\"upright\""},
    {"q", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "rad | m", "{}",
     "joint positions that are asked for: by joint name, or all with null for free ones",
     "{\"pole\": 3.141592653589793}"},
    {"at_rest", JSON_BOOL, 0, JSON_ANY, "", "true", "whether all velocities must be zero", "true"},
    {"equilibrium", JSON_BOOL, 0, JSON_ANY, "", "true",
     "whether all accelerations must be zero, so that the robot can stay", "false"},
};

static const JsonKey position[] = {
    {"x", JSON_NUMBER, 0, JSON_ANY, "m", "", "forward", "0.63"},
    {"y", JSON_NUMBER, 0, JSON_ANY, "m", "", "to the left", "0"},
    {"z", JSON_NUMBER, 0, JSON_ANY, "m", "", "up", "-0.1"},
};

static const JsonKey cost[] = {
    {"torque", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "1/((N m)^2 s)", "0",
     "weight of the integral of |u|^2 dt", "1"},
    {"torque_rate", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s/(N m)^2", "0",
     "weight of the sum of h |(u_{k+1} - u_k) / h|^2 over neighbouring controls, h the interval "
     "length: the integral of |u'|^2 dt",
     "1e5"},
    {"velocity", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s/rad^2 | s/m^2", "0",
     "weight of the integral of |v|^2 dt", "0.1"},
    {"acceleration", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s^3/rad^2 | s^3/m^2", "0",
     "weight of the integral of |a|^2 dt", "0.01"},
    {"time", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "1/s", "0",
     "weight of the horizon, where it is free", "1"},
    {"tracking", JSON_OBJECT, 0, JSON_ANY, "", "",
     "integral of the squared distance of a frame from a point",
     "{\"frame\": \"tip\", \"target\": [0.6, 0, 0], \"weight\": 100}"},
};

static const JsonKey tracking[] = {
    {"frame", JSON_STRING, 0, JSON_ANY, "", NULL, "frame that is kept near the point", "\"tip\""},
    {"target", JSON_ARRAY, 3, JSON_ANY, "m", NULL, "the point, in the world frame", "[0.6, 0, 0]"},
    {"weight", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "1/(m^2 s)", "1", "weight of the term", "100"},
};

static const JsonKey limits[] = {
    {"position", JSON_OBJECT, 0, JSON_ANY, "rad | m", "{}",
     "joint: [least, largest], null for none", "{\"q2\": [-1.5, null]}"},
    {"velocity", JSON_OBJECT, 0, JSON_ANY, "rad/s | m/s", "{}",
     "joint: largest speed, or [least, largest] velocity, null for none", "{\"q2\": 3}"},
    {"torque", JSON_OBJECT, 0, JSON_ANY, "N m | N", "{}",
     "actuated joint: largest size, or [least, largest], null for none", "{\"q2\": [0, 20]}"},
    {"torque_rate", JSON_OBJECT, 0, JSON_ANY, "N m/s | N/s", "{}",
     "actuated joint: largest rate of change, null for none", "{\"q2\": 500}"},
    {"inner", JSON_BOOL, 0, JSON_ANY, "", "true",
     "whether positions and velocities are limited at inner collocation points too", "true"},
};

static const JsonKey obstacle[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "", "for messages; obstacle 0, 1, ... if absent",
     "\"ball\""},
    {"frame", JSON_STRING, 0, JSON_ANY, "", NULL, "frame that must stay out", "\"tip\""},
    {"sphere", JSON_OBJECT, 0, JSON_ANY, "", "", "a ball to stay out of",
     "{\"center\": [0.6, 0.2, 0], \"radius\": 0.1}"},
    {"half_space", JSON_OBJECT, 0, JSON_ANY, "", "", "a plane to stay on one side of",
     "{\"normal\": [0, 0, 1], \"offset\": -0.3}"},
};

static const JsonKey sphere[] = {
    {"center", JSON_ARRAY, 3, JSON_ANY, "m", NULL, "centre in the world frame", "[0.6, 0.2, 0]"},
    {"radius", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "m", NULL, "radius, above 0", "0.1"},
};

static const JsonKey half_space[] = {
    {"normal", JSON_ARRAY, 3, JSON_ANY, "", NULL,
     "direction into the allowed side: normal . p >= offset", "[0, 0, 1]"},
    {"offset", JSON_NUMBER, 0, JSON_ANY, "m", "0",
     "distance of the plane from the origin along the normal (times its length)", "-0.3"},
};

static const JsonKey term[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "", "for messages; the function's name if absent",
     "\"power\""},
    {"library", JSON_STRING, 0, JSON_ANY, "", NULL,
     "shared object with CasADi's interface, relative to the folder of the task file; its code is run",
     "\"power.so\""},
    {"function", JSON_STRING, 0, JSON_ANY, "", NULL,
     "function of (q, v, u) in it, NAME; jac_NAME and hess_NAME must be there too", "\"power\""},
    {"use", JSON_STRING, 0, JSON_ANY, "", NULL,
     "constraint (lower <= f <= upper), cost (integral of weight f) or dynamics (a = f)",
     "\"cost\""},
    {"lower", JSON_NUMBER | JSON_ARRAY | JSON_NULL, 0, JSON_ANY, "", "0",
     "constraint: least value, for all rows or one for each, null for none", "[0, null]"},
    {"upper", JSON_NUMBER | JSON_ARRAY | JSON_NULL, 0, JSON_ANY, "", "inf",
     "constraint: largest value, for all rows or one for each, null for none", "1"},
    {"weight", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "1", "cost: factor of the term", "0.5"},
};

static const JsonKey guess[] = {
    {"kind", JSON_STRING, 0, JSON_ANY, "", "hold",
     "hold (start posture, holding torques), zero (start posture, no torques), line (straight in "
     "joint space to the goal), random (seeded) or file",
     "\"line\""},
    {"file", JSON_STRING, 0, JSON_ANY, "", "",
     "a previous result, relative to the folder of the task file; any grid, the same robot",
     "\"reach_result.json\""},
    {"seed", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "1", "of the random guess, a whole number",
     "7"},
    {"amplitude", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "rad | m", "0.1",
     "largest deviation of the random guess from the start posture", "0.2"},
};

static const JsonKey strategy[] = {
    {"kind", JSON_STRING, 0, JSON_ANY, "", "",
     "cold (a solve from the guess), continuation (torque_rate from large to the wanted weight) "
     "or multistart (random guesses, the best is kept)",
     "\"continuation\""},
    {"smoothing_start", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "s/(N m)^2", "1e5",
     "continuation: first weight of torque_rate; at least 100 times the wanted one if absent",
     "1e5"},
    {"starts", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "8",
     "multistart: number of guesses, 1 to 10000", "20"},
    {"seed", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "", "1", "multistart: seed of the first guess",
     "1"},
    {"retry", JSON_BOOL, 0, JSON_ANY, "", "true",
     "cold: whether other torques (none, or holding) are tried where the guess has not led to a "
     "solution in 150 iterations; false: one solve, as it stands",
     "false"},
    {"refine", JSON_BOOL, 0, JSON_ANY, "", "true",
     "whether intervals that fail the verification are split and the task is solved again; false: "
     "the grid stays as the task has it",
     "false"},
};

static const JsonKey trajectory[] = {
    {"joints", JSON_ARRAY, 0, JSON_ANY, "", NULL, "names of the coordinates, in the order of q",
     "[\"cart\", \"pole\"]"},
    {"actuators", JSON_ARRAY, 0, JSON_ANY, "", "",
     "names of the actuated joints, in the order of u", "[\"cart\"]"},
    {"control", JSON_STRING, 0, JSON_ANY, "", NULL,
     "u between its instants: constant (N of them), linear (N + 1) or quadratic (2 N + 1)",
     "\"constant\""},
    {"time", JSON_ARRAY, 0, JSON_ANY, "s", NULL, "the N + 1 nodes, ascending from 0",
     "[0, 0.5, 1]"},
    {"q", JSON_ARRAY, 0, JSON_ANY, "rad | m", NULL, "positions at the nodes, a row for each",
     "[[0, 0], [0.1, 0.2], [0, 0]]"},
    {"v", JSON_ARRAY, 0, JSON_ANY, "rad/s | m/s", NULL, "velocities at the nodes",
     "[[0, 0], [0.1, 0.2], [0, 0]]"},
    {"a", JSON_ARRAY, 0, JSON_ANY, "rad/s^2 | m/s^2", "",
     "accelerations at the nodes, of the interval that begins there; for readers, not read back",
     "[[0, 0], [0.1, 0.2], [0, 0]]"},
    {"u", JSON_ARRAY, 0, JSON_ANY, "N m | N", NULL, "actuator forces, a row for each instant",
     "[[1.5], [-1.5]]"},
    {"points", JSON_OBJECT, 0, JSON_ANY, "", "",
     "the collocation points; without them motion is the cubic through q and v",
     "{\"place\": [1], \"q\": [[0, 0]], \"v\": [[0, 0]], \"a\": [[0, 0]]}"},
};

static const JsonKey points[] = {
    {"place", JSON_ARRAY, 0, JSON_ANY, "", NULL, "places in an interval, ascending in 0 .. 1",
     "[0.333, 1]"},
    {"q", JSON_ARRAY, 0, JSON_ANY, "rad | m", NULL, "positions, a row for each point in time order",
     "[[0, 0], [0.1, 0.2]]"},
    {"v", JSON_ARRAY, 0, JSON_ANY, "rad/s | m/s", NULL, "velocities", "[[0, 0], [0.1, 0.2]]"},
    {"a", JSON_ARRAY, 0, JSON_ANY, "rad/s^2 | m/s^2", NULL, "accelerations",
     "[[0, 0], [0.1, 0.2]]"},
};

TABLE(ocp_keys_task, "task", "", task, LARGEST_NUMBER);
TABLE(ocp_keys_horizon, "horizon", "horizon", horizon, LARGEST_NUMBER);
TABLE(ocp_keys_start, "start", "start", start, LARGEST_NUMBER);
TABLE(ocp_keys_goal, "goal", "goal", goal, LARGEST_NUMBER);
TABLE(ocp_keys_position, "position", "goal.position", position, LARGEST_NUMBER);
TABLE(ocp_keys_cost, "cost", "cost", cost, LARGEST_WEIGHT);
TABLE(ocp_keys_tracking, "tracking", "cost.tracking", tracking, LARGEST_WEIGHT);
TABLE(ocp_keys_limits, "limits", "limits", limits, LARGEST_NUMBER);
TABLE(ocp_keys_obstacle, "obstacle", "obstacles[i]", obstacle, LARGEST_NUMBER);
TABLE(ocp_keys_sphere, "sphere", "obstacles[i].sphere", sphere, LARGEST_NUMBER);
TABLE(ocp_keys_half_space, "half-space", "obstacles[i].half_space", half_space, LARGEST_NUMBER);
TABLE(ocp_keys_term, "term", "terms[i]", term, LARGEST_WEIGHT);
TABLE(ocp_keys_guess, "guess", "guess", guess, LARGEST_NUMBER);
TABLE(ocp_keys_strategy, "strategy", "strategy", strategy, LARGEST_WEIGHT);
TABLE(ocp_keys_trajectory, "trajectory", "trajectory", trajectory, LARGEST_RESULT);
TABLE(ocp_keys_points, "points", "trajectory.points", points, LARGEST_RESULT);

const JsonKeys *const ocp_keys[] = {
    &ocp_keys_task,     &ocp_keys_horizon,  &ocp_keys_start,      &ocp_keys_goal,
    &ocp_keys_position, &ocp_keys_cost,     &ocp_keys_tracking,   &ocp_keys_limits,
    &ocp_keys_obstacle, &ocp_keys_sphere,   &ocp_keys_half_space, &ocp_keys_term,
    &ocp_keys_guess,    &ocp_keys_strategy, &ocp_keys_trajectory, &ocp_keys_points};
const int n_ocp_keys = (int)(sizeof ocp_keys / sizeof ocp_keys[0]);

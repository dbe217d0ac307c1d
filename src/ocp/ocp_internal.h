// SPDX-License-Identifier: MIT
// Shared by the readers of task files (ocp_json*.c, ocp_check.c).
#ifndef POISE_OCP_OCP_INTERNAL_H
#define POISE_OCP_OCP_INTERNAL_H

#include "base/json_keys.h"
#include "ocp/ocp.h"
#include "ocp/ocp_keys.h"

typedef struct OcpReader {
  Ocp *o;              // being filled; everything comes from o->arena
  JsonAt root;         // the task
  const char *folder;  // where it lies
} OcpReader;

// Keeps a note "file: path: what".
Status ocp_note(Ocp *o, const JsonAt *at, Error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// A string from o->arena; NULL when out of memory.
const char *ocp_printf(Ocp *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

// `path` seen from the folder of the task; NULL when out of memory.
const char *ocp_resolve(OcpReader *r, const char *path);

// Fails with `unknown joint "x"` and the nearest of the names, or all of them.
Status ocp_fail_unknown(const JsonAt *at, const char *what, const char *word,
                        const char *const *names, int n, Error *err);

// Index of a string among names; absent: *out is left alone.
Status ocp_read_choice(const JsonAt *at, const char *what, const char *const *names, int n,
                       int *out, Error *err);

// A whole number lo .. hi, or the default of the table.
Status ocp_read_int(const JsonAt *at, const JsonKeys *keys, const char *name, int lo, int hi,
                    int *out, Error *err);

// Index of a joint, or of a frame that moves, by the name given in the file.
Status ocp_find_joint(Ocp *o, const JsonAt *at, const char *name, int *out, Error *err);
Status ocp_read_frame(Ocp *o, const JsonAt *at, int *out, Error *err);

// A named pose of the robot, borrowed from the model.
Status ocp_read_pose(Ocp *o, const JsonAt *at, const double **q, Error *err);

// Joint values, an array in the robot's order or an object by name. given (nv) is set where there
// is a value; if it is NULL, an array must be complete. nv values, others are left alone.
Status ocp_read_joints(Ocp *o, const JsonAt *at, double *value, bool *given, Error *err);

// One subject each; all after the robot.
Status ocp_read_boundary(OcpReader *r, Error *err);   // start, goal
Status ocp_read_cost(OcpReader *r, Error *err);       // cost
Status ocp_read_obstacles(OcpReader *r, Error *err);  // obstacles
Status ocp_read_terms(OcpReader *r, Error *err);      // terms
Status ocp_read_limits(OcpReader *r, Error *err);     // limits
Status ocp_read_solve(OcpReader *r, Error *err);      // guess, strategy, solver

// The whole task from o->arena, o->path.
Status ocp_read_task(OcpReader *r, Error *err);

// What can be seen only when all is read: start and goal against limits and obstacles, equilibrium,
// the guess's file.
Status ocp_check(OcpReader *r, Error *err);

// Sets n_free and free_joint. With loops: the formulation must be explicit, the loops closed at the start,
// and their constraints independent there.
Status ocp_find_free(Ocp *o, Error *err);

#endif

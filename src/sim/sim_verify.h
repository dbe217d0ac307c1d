// SPDX-License-Identifier: MIT
// Is a trajectory what the robot would do? Every interval is replayed from its first node under its
// own control, by an error-controlled integrator and through a formulation other than the one that
// was optimised; then the whole horizon, open loop, from the start state.
//
// The verdict rests on the nodes: defects of the intervals, start, goal at the last node, limits,
// obstacles and the user's constraints along the replays, balance of energy. The open-loop replay is reported and is
// no part of it: where the motion is unstable it runs away although every interval is right.
#ifndef POISE_SIM_SIM_VERIFY_H
#define POISE_SIM_SIM_VERIFY_H

#include "base/textbuf.h"
#include "ocp/trajectory.h"
#include "sim/sim_integrate.h"

// The worst of its kind. For defects and limits: by how much, 0 if nowhere.
typedef struct SimWorst {
  double value;  //
  int index;     // joint, actuator or obstacle; -1: none
  int interval;  // where it is; -1: none
  double time;   // [s]
} SimWorst;

// How far the last node is from the goal; 0 for what is not asked for.
typedef struct SimGoal {
  double position;      // frame, over the components asked for [m]
  double joint;         // largest over the joints asked for [rad | m]
  double speed;         // largest, if at rest [rad/s | m/s]
  double acceleration;  // largest, if an equilibrium, under the last control [rad/s^2 | m/s^2]
} SimGoal;

typedef struct SimOpenLoop {
  bool completed;   // reached the end of the horizon
  double end;       // time reached [s]
  double q, v;      // largest difference from the last node [rad | m, and per s]
  int joint;        // where that of q is
  int frame;        // frame of `position`: the goal's, else the one that is farthest off; -1: none
  double position;  // distance of that frame from where the last node has it [m]
  double goal;      // distance from the goal, over the components asked for; 0 without one [m]
  double speed;     // largest at the end [rad/s | m/s]
} SimOpenLoop;

typedef struct SimEnergy {
  double start, end;  // T + V at the first and last node [J]
  double work;        // of the actuators, along the interval replays [J]
  double loss;        // to damping [J]
  double imbalance;   // end - start - work + loss [J]
  double relative;    // |imbalance| over the energy that was moved
} SimEnergy;

typedef struct SimReport {
  Arena *arena;         // owns the arrays
  const DynForm *form;  // replayed with
  const char *method;   // its name, or that of the method for robots with loops
  int n_interval;       //
  double *defect_q;   // n_interval, largest over the joints [rad | m]; infinite if a replay failed
  double *defect_v;   // n_interval [rad/s | m/s]
  double *error;      // n_interval, estimate of the error of the interval's polynomials: largest
                      // difference to the replay, end included, over 1 + the coordinate's largest
  double *excess;     // n_interval, what the verdict asks of an interval by itself, over what it
                      // allows: above 1 fails, and a finer interval would help
  SimWorst q_defect;  // worst of defect_q, with its joint
  SimWorst v_defect;  // worst of defect_v
  double loop_gap;    // largest violation of a loop at a node [m | -]
  SimWorst start;     // first node against the start state
  SimGoal goal;       //
  SimOpenLoop open_loop;  //
  SimWorst q_limit;       // beyond position limits, nodes and between [rad | m]
  SimWorst v_limit;       // beyond speed limits [rad/s | m/s]
  SimWorst u_limit;       // beyond effort limits [N m | N]; index: actuator
  SimWorst u_rate;        // beyond limits of the effort's rate [N m/s | N/s]
  SimWorst clearance;     // least distance from an obstacle [m], negative inside; infinite if none
  SimWorst term;       // beyond a bound of a user's constraint, in its own unit; index: of the task
  SimEnergy energy;    //
  SimStats stats;      //
  bool verified;       //
  char failure[1024];  // what failed, most important first; empty if verified
} SimReport;

// opt NULL: sim_defaults. A trajectory that can't be followed, or holds values that are not finite,
// is STATUS_OK and not verified; only out of memory and bad options fail. *out must be freed either
// way.
Status sim_verify(SimReport *out, const Ocp *o, const Trajectory *t, const SimOptions *opt,
                  Error *err);
void sim_report_free(SimReport *r);  // NULL-safe; empties it

// The "verification" object of a result file, appended to b; intervals: with the arrays.
void sim_report_write_json(const SimReport *r, const Ocp *o, bool intervals, TextBuf *b);

#endif

// SPDX-License-Identifier: MIT
// Start and goal of a task file.
#include <string.h>

#include "ocp/ocp_internal.h"

static Status read_start(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  const Model *m = o->model;
  JsonAt at = json_find(&r->root, "start");
  if (!json_keys_check(&at, &ocp_keys_start, err)) return err->code;
  o->q_start = arena_array(o->arena, (size_t)m->nv, sizeof *o->q_start);
  o->v_start = arena_array(o->arena, (size_t)m->nv, sizeof *o->v_start);
  if (!o->q_start || !o->v_start) return error_no_memory(err);

  JsonAt pose = json_find(&at, "pose"), q = json_find(&at, "q"), v = json_find(&at, "v");
  if (pose.node) {
    const double *posture = NULL;
    if (ocp_read_pose(o, &pose, &posture, err)) return err->code;
    memcpy(o->q_start, posture, (size_t)m->nv * sizeof *posture);
    if (json_type(&q) == JSON_ARRAY) {
      return json_fail(&q, err, "\"pose\" is given too; name the joints that differ from it");
    }
  }
  if (ocp_read_joints(o, &q, o->q_start, NULL, err)) return err->code;
  return ocp_read_joints(o, &v, o->v_start, NULL, err);
}

// [x, y, z] with null for a free component
static Status read_position_array(const JsonAt *at, OcpGoal *goal, Error *err) {
  if (json_count(at) != 3) {
    return json_fail(at, err, "must be [x, y, z] with null for a free one, not an array of %d",
                     json_count(at));
  }
  for (JsonAt e = json_first(at); e.node; json_next(&e)) {
    if (json_type(&e) == JSON_NULL) continue;
    if (!json_number(&e, &goal->position[e.index], err)) return err->code;
    goal->fixed[e.index] = true;
  }
  return STATUS_OK;
}

static Status read_position_object(const JsonAt *at, OcpGoal *goal, Error *err) {
  static const char *const names[3] = {"x", "y", "z"};
  if (!json_keys_check(at, &ocp_keys_position, err)) return err->code;
  for (int i = 0; i < 3; i++) {
    JsonAt e = json_find(at, names[i]);
    if (!e.node) continue;
    if (!json_number(&e, &goal->position[i], err)) return err->code;
    goal->fixed[i] = true;
  }
  return STATUS_OK;
}

static Status read_goal_frame(OcpReader *r, const JsonAt *at, Error *err) {
  OcpGoal *goal = &r->o->goal;
  goal->frame = -1;
  JsonAt frame = json_find(at, "frame"), position = json_find(at, "position");
  if (!frame.node && !position.node) return STATUS_OK;
  if (!frame.node) return json_fail(at, err, "\"position\" without \"frame\": whose position?");
  if (ocp_read_frame(r->o, &frame, &goal->frame, err)) return err->code;
  if (!position.node) return json_fail(at, err, "\"frame\" without \"position\"");
  Status status = json_type(&position) == JSON_ARRAY ? read_position_array(&position, goal, err)
                                                     : read_position_object(&position, goal, err);
  if (status != STATUS_OK) return status;
  if (!goal->fixed[0] && !goal->fixed[1] && !goal->fixed[2]) {
    return json_fail(&position, err, "no component is given: leave out frame and position");
  }
  return STATUS_OK;
}

static Status read_goal(OcpReader *r, Error *err) {
  Ocp *o = r->o;
  const Model *m = o->model;
  OcpGoal *goal = &o->goal;
  JsonAt at = json_find(&r->root, "goal");
  if (!json_keys_check(&at, &ocp_keys_goal, err)) return err->code;
  goal->joint_fixed = arena_array(o->arena, (size_t)m->nv, sizeof *goal->joint_fixed);
  goal->joint_value = arena_array(o->arena, (size_t)m->nv, sizeof *goal->joint_value);
  if (!goal->joint_fixed || !goal->joint_value) return error_no_memory(err);
  if (read_goal_frame(r, &at, err)) return err->code;

  JsonAt pose = json_find(&at, "pose"), q = json_find(&at, "q");
  if (pose.node) {
    const double *posture = NULL;
    if (ocp_read_pose(o, &pose, &posture, err)) return err->code;
    memcpy(goal->joint_value, posture, (size_t)m->nv * sizeof *posture);
    for (int i = 0; i < m->nv; i++) goal->joint_fixed[i] = true;
    if (json_type(&q) == JSON_ARRAY) {
      return json_fail(&q, err, "\"pose\" is given too; name the joints that differ from it");
    }
  }
  if (ocp_read_joints(o, &q, goal->joint_value, goal->joint_fixed, err)) return err->code;
  if (!json_keys_bool(&at, &ocp_keys_goal, "at_rest", &goal->at_rest, err)) return err->code;
  if (!json_keys_bool(&at, &ocp_keys_goal, "equilibrium", &goal->equilibrium, err)) {
    return err->code;
  }
  return STATUS_OK;
}

Status ocp_read_boundary(OcpReader *r, Error *err) {
  if (read_start(r, err)) return err->code;
  return read_goal(r, err);
}

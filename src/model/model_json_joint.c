// SPDX-License-Identifier: MIT
// One joint of a robot file in JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_keys.h"
#include "base/nearest.h"
#include "model/model_internal.h"
#include "model/model_keys.h"

static const double RAD_PER_DEG = 0.017453292519943295;

static Status read_type(const JsonAt *joint, RawType *out, Error *err) {
  JsonAt at = json_find(joint, "type");
  const char *name = NULL, *names[N_RAW_TYPES];
  if (!json_string(&at, &name, err)) return err->code;
  for (int i = 0; i < N_RAW_TYPES; i++) {
    names[i] = raw_types[i].name;
    if (strcmp(name, names[i]) != 0) continue;
    *out = (RawType)i;
    return STATUS_OK;
  }
  const char *near = nearest_name(name, names, N_RAW_TYPES);
  if (near) {
    return json_fail(&at, err, "unknown joint type \"%.60s\"; did you mean \"%s\"?", name, near);
  }
  return json_fail(&at, err, "unknown joint type \"%.60s\"; known: %s", name,
                   json_keys_find(&model_keys_joint, "type")->what);
}

// lower or upper, in radians (metres) or degrees
static Status read_position(const JsonAt *limits, const char *key, const char *key_deg,
                            RawType type, double *out, Error *err) {
  JsonAt at = json_find(limits, key), at_deg = json_find(limits, key_deg);
  const JsonAt *given = at_deg.node ? &at_deg : &at;
  if (at.node && at_deg.node) {
    return json_fail(&at_deg, err, "\"%s\" is given too: only one of the two is allowed", key);
  }
  if (given->node && type == RAW_CONTINUOUS) {
    return json_fail(given, err,
                     "a continuous joint has no position limits; use type \"revolute\"");
  }
  if (at_deg.node && type == RAW_PRISMATIC) {
    return json_fail(given, err, "a prismatic joint moves in metres; use \"%s\"", key);
  }
  if (!json_keys_number(limits, &model_keys_limits, at_deg.node ? key_deg : key, out, err)) {
    return err->code;
  }
  if (at_deg.node) *out *= RAD_PER_DEG;
  return STATUS_OK;
}

static Status read_limits(RawJoint *j, const JsonAt *at, Error *err) {
  const JsonKeys *keys = &model_keys_limits;
  if (at->node && !json_keys_check(at, keys, err)) return err->code;
  if (read_position(at, "lower", "lower_deg", j->type, &j->lower, err)) return err->code;
  if (read_position(at, "upper", "upper_deg", j->type, &j->upper, err)) return err->code;
  if (!json_keys_number(at, keys, "velocity", &j->velocity, err)) return err->code;
  if (!json_keys_number(at, keys, "effort", &j->effort, err)) return err->code;
  if (!json_keys_number(at, keys, "effort_rate", &j->effort_rate, err)) return err->code;
  return STATUS_OK;
}

// what has no meaning on joints with several coordinates is refused
static Status check_expanded(const RawJoint *j, const JsonAt *at, Error *err) {
  const char *const refused[] = {"axis", "limits"};
  for (int i = 0; i < 2; i++) {
    JsonAt key = json_find(at, refused[i]);
    if (!key.node) continue;
    return json_fail(&key, err,
                     "not allowed on a %s joint, which has %d coordinates; write a chain of simple "
                     "joints instead",
                     raw_types[j->type].name, raw_types[j->type].n);
  }
  return STATUS_OK;
}

// what has no meaning on a fixed joint is ignored: people freeze a joint by changing its type
static void note_fixed(RawRobot *r, const RawJoint *j, const JsonAt *at) {
  const char *const ignored[] = {"axis", "limits", "actuated", "damping", "armature"};
  char list[64] = "";
  for (int i = 0; i < 5; i++) {
    if (!json_find(at, ignored[i]).node) continue;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", ignored[i]);
  }
  if (*list) raw_note(r, j->where, NULL, "fixed joint \"%s\": %s ignored", j->name, list);
}

Status raw_read_joint(RawRobot *r, RawJoint *j, const JsonAt *at, Error *err) {
  const JsonKeys *keys = &model_keys_joint;
  if (!json_keys_check(at, keys, err)) return err->code;
  if (raw_read_name(r, at, "name", &j->name, err)) return err->code;
  if (read_type(at, &j->type, err)) return err->code;
  if (raw_read_name(r, at, "parent", &j->parent, err)) return err->code;
  if (raw_read_name(r, at, "child", &j->child, err)) return err->code;

  JsonAt origin = json_find(at, "origin"), limits = json_find(at, "limits");
  if (origin.node && !json_keys_check(&origin, &model_keys_origin, err)) return err->code;
  if (raw_read_placement(&origin, &model_keys_origin, &j->origin, err)) return err->code;
  if (raw_types[j->type].expand && check_expanded(j, at, err)) return err->code;
  if (!json_keys_numbers(at, keys, "axis", 3, j->axis, err)) return err->code;
  if (!json_keys_bool(at, keys, "actuated", &j->actuated, err)) return err->code;
  if (read_limits(j, &limits, err)) return err->code;
  if (!json_keys_number(at, keys, "damping", &j->damping, err)) return err->code;
  if (!json_keys_number(at, keys, "armature", &j->armature, err)) return err->code;
  if (j->type == RAW_FIXED) note_fixed(r, j, at);
  return STATUS_OK;
}

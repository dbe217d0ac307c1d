// SPDX-License-Identifier: MIT
// Names to indices; the root; the depth-first order of the joints.
#include <stdio.h>
#include <string.h>

#include "model/model_internal.h"

enum { SUGGESTION = MODEL_MAX_NAME + 24, CYCLE_TEXT = 240 };

// the body a name stands for; -1 with err filled
static int find_body(const RawRobot *r, const NameIndex *bodies, const char *where, const char *key,
                     const char *name, Error *err) {
  int i = name_index_find(bodies, name);
  if (i >= 0) return i;
  char suggestion[SUGGESTION];
  name_index_suggest(bodies, name, r->arena, suggestion, sizeof suggestion);
  raw_fail(r, where, key, err, "unknown body \"%s\"%s", name, suggestion);
  return -1;
}

// frames and bodies share one set of names
static Status check_frame_names(RawRobot *r, Error *err) {
  NameIndex all;
  int first = 0;
  if (!name_index_new(&all, r->arena, r->n_body + r->n_frame)) return error_no_memory(err);
  for (int i = 0; i < r->n_body; i++) name_index_add(&all, r->body[i].name, i);
  for (int i = 0; i < r->n_frame; i++) name_index_add(&all, r->frame[i].name, r->n_body + i);
  int second = name_index_sort(&all, &first);
  if (second < 0) return STATUS_OK;
  bool two_bodies = second < r->n_body, body_first = first < r->n_body;
  const char *where = two_bodies ? r->body[second].where : r->frame[second - r->n_body].where;
  const char *other = body_first ? r->body[first].where : r->frame[first - r->n_body].where;
  const char *name = body_first ? r->body[first].name : r->frame[first - r->n_body].name;
  return raw_fail(r, where, "name", err, "duplicate name \"%s\": %s has it too%s", name, other,
                  body_first && !two_bodies ? " (every body is a frame by its name)" : "");
}

static Status check_joint_names(RawRobot *r, Error *err) {
  NameIndex all;
  int first = 0;
  if (!name_index_new(&all, r->arena, r->n_joint)) return error_no_memory(err);
  for (int i = 0; i < r->n_joint; i++) name_index_add(&all, r->joint[i].name, i);
  int second = name_index_sort(&all, &first);
  if (second < 0) return STATUS_OK;
  return raw_fail(r, r->joint[second].where, "name", err, "duplicate name \"%s\": %s has it too",
                  r->joint[second].name, r->joint[first].where);
}

static Status resolve(RawRobot *r, Error *err) {
  if (check_frame_names(r, err) || check_joint_names(r, err)) return err->code;
  NameIndex bodies;
  int first = 0;
  if (!name_index_new(&bodies, r->arena, r->n_body)) return error_no_memory(err);
  for (int i = 0; i < r->n_body; i++) name_index_add(&bodies, r->body[i].name, i);
  name_index_sort(&bodies, &first);
  for (int i = 0; i < r->n_joint; i++) {
    RawJoint *j = &r->joint[i];
    j->parent_body = find_body(r, &bodies, j->where, "parent", j->parent, err);
    if (j->parent_body < 0) return err->code;
    j->child_body = find_body(r, &bodies, j->where, "child", j->child, err);
    if (j->child_body < 0) return err->code;
    if (j->parent_body == j->child_body) {
      return raw_fail(r, j->where, NULL, err, "joint \"%s\" joins body \"%s\" to itself", j->name,
                      j->child);
    }
  }
  for (int i = 0; i < r->n_frame; i++) {
    RawFrame *f = &r->frame[i];
    f->body_index = find_body(r, &bodies, f->where, "body", f->body, err);
    if (f->body_index < 0) return err->code;
  }
  return STATUS_OK;
}

// mover[b]: the joint that has body b as its child, -1 for the root
static Status find_movers(RawRobot *r, int *mover, Error *err) {
  for (int b = 0; b < r->n_body; b++) mover[b] = -1;
  for (int i = 0; i < r->n_joint; i++) {
    const RawJoint *j = &r->joint[i];
    int other = mover[j->child_body];
    if (other >= 0) {
      return raw_fail(r, j->where, "child", err,
                      "body \"%s\" has two parents: it is the child of \"%s\" already; a "
                      "joint that closes a loop belongs into \"loops\"",
                      j->child, r->joint[other].name);
    }
    mover[j->child_body] = i;
  }
  return STATUS_OK;
}

// a cycle exists above body b: names it from its first repeated body
static Status fail_cycle(const RawRobot *r, const int *mover, int b, Error *err) {
  for (int i = 0; i < r->n_body; i++) b = r->joint[mover[b]].parent_body;  // now on the cycle
  char text[CYCLE_TEXT];
  int start = b;
  snprintf(text, sizeof text, "\"%s\"", r->body[b].name);
  do {
    b = r->joint[mover[b]].parent_body;
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " < \"%s\"", r->body[b].name);
  } while (b != start);
  return raw_fail(r, r->joint[mover[start]].where, NULL, err,
                  "joints form a cycle that no root carries: %s", text);
}

static Status find_root(RawRobot *r, const int *mover, Error *err) {
  r->root = -1;
  for (int b = 0; b < r->n_body; b++) {
    if (mover[b] >= 0) continue;
    if (r->root >= 0) {
      return raw_fail(r, r->body[b].where, NULL, err,
                      "two roots: \"%s\" and \"%s\" are both the child of no joint; connect one "
                      "of them",
                      r->body[r->root].name, r->body[b].name);
    }
    r->root = b;
  }
  return r->root >= 0 ? STATUS_OK : fail_cycle(r, mover, 0, err);
}

// preorder from the root; siblings as in the file. Returns the number of joints reached.
static int depth_first(RawRobot *r, int *first, int *next, int *stack) {
  // lists of the joints on each body, last joint first: popped in reverse, so pushed in this order
  for (int b = 0; b < r->n_body; b++) first[b] = -1;
  for (int i = 0; i < r->n_joint; i++) {
    int b = r->joint[i].parent_body;
    next[i] = first[b];
    first[b] = i;
  }
  int n = 0, top = 0;
  for (int i = first[r->root]; i >= 0; i = next[i]) stack[top++] = i;
  while (top > 0) {
    int i = stack[--top];
    r->order[n++] = i;
    for (int k = first[r->joint[i].child_body]; k >= 0; k = next[k]) stack[top++] = k;
  }
  return n;
}

Status raw_tree(RawRobot *r, Error *err) {
  if (resolve(r, err)) return err->code;
  size_t n_joint = (size_t)r->n_joint, n_body = (size_t)r->n_body;
  int *mover = arena_array(r->arena, n_body, sizeof *mover);
  int *first = arena_array(r->arena, n_body, sizeof *first);
  int *next = arena_array(r->arena, n_joint, sizeof *next);
  int *stack = arena_array(r->arena, n_joint, sizeof *stack);
  r->order = arena_array(r->arena, n_joint, sizeof *r->order);
  if (!mover || !first || !next || !stack || !r->order) return error_no_memory(err);

  if (find_movers(r, mover, err)) return err->code;
  if (find_root(r, mover, err)) return err->code;
  int n = depth_first(r, first, next, stack);
  if (n == r->n_joint) return STATUS_OK;

  // one root and one parent each: what was not reached hangs on a cycle
  for (int i = 0; i < n; i++) mover[r->joint[r->order[i]].child_body] = -1;
  int lost = 0;
  while (mover[lost] < 0) lost++;
  return fail_cycle(r, mover, lost, err);
}

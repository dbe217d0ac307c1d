// SPDX-License-Identifier: MIT
// A robot file written again with another pose.
#include <cjson/cJSON.h>
#include <string.h>

#include "base/json_at.h"
#include "base/textbuf.h"
#include "model/model.h"

// replaces or adds a member; takes it
static bool put(cJSON *object, const char *key, cJSON *value) {
  if (!value) return false;
  bool there = cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
  if (there ? cJSON_ReplaceItemInObjectCaseSensitive(object, key, value)
            : cJSON_AddItemToObject(object, key, value)) {
    return true;
  }
  cJSON_Delete(value);
  return false;
}

static bool put_pose(cJSON *doc, const Model *m, const char *name, const double *q) {
  cJSON *poses = cJSON_GetObjectItemCaseSensitive(doc, "poses");
  if (!poses) poses = cJSON_AddObjectToObject(doc, "poses");
  cJSON *pose = cJSON_CreateObject();
  for (int i = 0; pose && i < m->nv; i++) {
    if (q[i] == 0) continue;
    if (cJSON_AddNumberToObject(pose, m->joint[i].name, q[i])) continue;
    cJSON_Delete(pose);
    pose = NULL;
  }
  return poses && put(poses, name, pose);
}

Status model_save_pose(const Model *m, const char *name, const double *q, const char *path,
                       Error *err) {
  cJSON *doc = json_load(m->path, err);
  if (!doc) return err->code;
  Status status = put_pose(doc, m, name, q) ? STATUS_OK : error_no_memory(err);
  char *text = status == STATUS_OK ? cJSON_Print(doc) : NULL;
  json_free(doc);
  if (!text) return error_no_memory(err);
  TextBuf b = {0};
  textbuf_add(&b, text);
  textbuf_add(&b, "\n");
  cJSON_free(text);
  status = b.failed ? error_no_memory(err) : textbuf_save(&b, path, err);
  textbuf_free(&b);
  return status;
}

// SPDX-License-Identifier: MIT
#include "cli/json_out.h"

#include <assert.h>
#include <stdio.h>

Status json_out_print(JsonOut *j, Error *err) {
  assert(j->depth == 0);
  Status status = j->buf.failed ? error_no_memory(err) : STATUS_OK;
  if (status == STATUS_OK) printf("%s\n", j->buf.text);
  textbuf_free(&j->buf);
  *j = (JsonOut){0};
  return status;
}

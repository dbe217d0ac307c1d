// SPDX-License-Identifier: MIT
#include "report/report_html.h"

#include <string.h>

#include "report/report_internal.h"
#include "report/report_text.h"

// page/*, made into strings by the build
extern const char report_page_html[], report_page_css[], report_basics_js[], report_motion_js[],
    report_scene_js[], report_plot_js[], report_player_js[], report_tables_js[], report_page_js[];

// ---- the verdict -------------------------------------------------------------------------------

static bool good(const PlanResult *r) {
  return r->solved && r->has_verification && r->verification.verified;
}

static void add_headline(const PlanResult *r, TextBuf *b) {
  if (r->interrupted) textbuf_add(b, "Interrupted: this is not a solution");
  else if (!r->solved) textbuf_addf(b, "Not solved: %s", solve_status_name(r->status));
  else if (!r->has_verification) textbuf_add(b, "Solved, but not verified");
  else if (!r->verification.verified) textbuf_add(b, "Solved, but verification failed");
  else textbuf_add(b, "Solved and verified");
}

static void add_explanation(const PlanResult *r, TextBuf *b) {
  const SimReport *v = &r->verification;
  if (r->interrupted) textbuf_add(b, "What follows is the last iterate before the stop.\n");
  if (!r->solved) report_add_escaped(b, r->explanation);
  if (r->solved && !r->has_verification) {
    textbuf_add(
        b, "The trajectory was not replayed: whether the robot would move like this is not known.");
  }
  if (r->has_verification && !v->verified) {
    if (!r->solved && r->explanation[0]) textbuf_add(b, "\n");
    textbuf_add(b, "Replay: ");
    report_add_escaped(b, v->failure);
  }
  if (good(r)) {
    textbuf_addf(b, "Every interval was replayed through %s by an error-controlled integrator.",
                 v->method);
  }
}

// ---- the page ----------------------------------------------------------------------------------

static void add_mark(const PlanResult *r, const char *mark, size_t n, TextBuf *b) {
  static const char *const scripts[] = {report_basics_js, report_motion_js, report_scene_js,
                                        report_plot_js,   report_player_js, report_tables_js,
                                        report_page_js};
  if (strncmp(mark, "title", n) == 0) {
    report_add_escaped(b, r->o->name);
  } else if (strncmp(mark, "verdict", n) == 0) {
    textbuf_add(b, good(r) ? "good" : "bad");
  } else if (strncmp(mark, "headline", n) == 0) {
    add_headline(r, b);
  } else if (strncmp(mark, "explanation", n) == 0) {
    add_explanation(r, b);
  } else if (strncmp(mark, "style", n) == 0) {
    textbuf_add(b, report_page_css);
  } else if (strncmp(mark, "script", n) == 0) {
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) textbuf_add(b, scripts[i]);
  } else {  // data
    TextBuf json = {0};
    report_data(r, &json);
    if (json.failed) b->failed = true;
    else report_add_script_json(b, json.text);
    textbuf_free(&json);
  }
}

void report_html(const PlanResult *r, TextBuf *b) {
  const char *page = report_page_html;
  for (const char *mark; (mark = strstr(page, "{{"));) {
    size_t n = strcspn(mark + 2, "}");
    textbuf_addf(b, "%.*s", (int)(mark - page), page);
    add_mark(r, mark + 2, n, b);
    page = mark + 2 + n + 2;
  }
  textbuf_add(b, page);
}

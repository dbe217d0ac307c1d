// SPDX-License-Identifier: MIT
#include "report/report_compare_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_words.h"

// ---- JSON --------------------------------------------------------------------------------------

static void interval(JsonOut *out, const char *key, StatsInterval i) {
  json_out_vector(out, key, (const double[]){i.low, i.high}, 2);
}

static void box(JsonOut *out, const char *key, const StatsBox *b) {
  json_out_open(out, key, '{');
  json_out_int(out, "n", b->n);
  json_out_number(out, "mean", b->mean);
  json_out_number(out, "median", b->median);
  json_out_number(out, "q1", b->q1);
  json_out_number(out, "q3", b->q3);
  json_out_number(out, "whisker_low", b->low);
  json_out_number(out, "whisker_high", b->high);
  json_out_number(out, "smallest", b->smallest);
  json_out_number(out, "largest", b->largest);
  json_out_int(out, "outliers_below", b->n_below);
  json_out_int(out, "outliers_above", b->n_above);
  json_out_close(out);
}

static void symmetry(JsonOut *out, const CompareSymmetry *s) {
  json_out_open(out, "symmetry", '{');
  json_out_int(out, "pairs", s->n);
  json_out_number(out, "median", s->median);
  json_out_number(out, "largest", s->largest);
  json_out_int(out, "above_1e-6", s->n_apart);
  json_out_int(out, "above_1_percent", s->n_high);
  json_out_close(out);
}

static void add_fields(JsonOut *out, const CompareCase *k) {
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (*k->field[f]) json_out_string(out, compare_field_names[f], k->field[f]);
  }
}

static void add_case(JsonOut *out, const CompareCase *k) {
  json_out_open(out, NULL, '{');
  add_fields(out, k);
  json_out_int(out, "group", k->group);
  json_out_int(out, "set", k->set);
  json_out_int(out, "runs", k->n_run);
  json_out_int(out, "solved", k->n_solved);
  json_out_int(out, "good", k->n_good);
  json_out_int(out, "verified_refined", k->n_refined);
  interval(out, "success_95", k->success);
  for (int i = 0; i < N_COMPARE_MEASURES; i++) box(out, compare_measures[i].name, &k->box[i]);
  interval(out, "mean_iterations_95", k->mean_iterations);
  json_out_int(out, "judged", k->n_judged);
  json_out_int(out, "above_1_percent", k->n_high);
  json_out_int(out, "at_best_known", k->n_best);
  symmetry(out, &k->symmetry);
  json_out_open(out, "nlp", '{');
  json_out_int(out, "variables", k->nlp[0]);
  json_out_int(out, "constraints", k->nlp[1]);
  json_out_int(out, "jacobian_nonzeros", k->nlp[2]);
  json_out_int(out, "hessian_nonzeros", k->nlp[3]);
  json_out_close(out);
  json_out_vector(out, "operations", k->operations, 3);
  json_out_close(out);
}

static void add_share(JsonOut *out, const char *key, const CompareShare *s) {
  json_out_open(out, key, '{');
  json_out_int(out, "n", s->n);
  json_out_int(out, "only_a", s->only_a);
  json_out_int(out, "only_b", s->only_b);
  json_out_number(out, "p", s->p);
  json_out_number(out, "p_adjusted", s->p_adjusted);
  json_out_close(out);
}

static void add_pair(JsonOut *out, const ComparePair *p) {
  json_out_open(out, NULL, '{');
  json_out_int(out, "a", p->a);
  json_out_int(out, "b", p->b);
  json_out_string(out, "differs", compare_field_names[p->differs]);
  for (int i = 0; i < N_COMPARE_PAIRED; i++) {
    const CompareRatio *r = &p->ratio[i];
    json_out_open(out, compare_measures[i].name, '{');
    json_out_int(out, "n", r->n);
    json_out_int(out, "less", r->n_less);
    json_out_int(out, "more", r->n_more);
    json_out_number(out, "ratio", r->ratio);
    interval(out, "ratio_95", r->within);
    json_out_number(out, "p", r->p);
    json_out_number(out, "p_adjusted", r->p_adjusted);
    json_out_close(out);
  }
  add_share(out, "success", &p->success);
  add_share(out, "above_1_percent", &p->high);
  json_out_close(out);
}

static void add_axes(const Compare *c, JsonOut *out) {
  json_out_open(out, "axes", '[');
  for (int i = 0; i < c->n_axis; i++) {
    const CompareAxis *axis = &c->axis[i];
    json_out_open(out, NULL, '{');
    json_out_string(out, "name", axis->name);
    json_out_string(out, "unit", axis->unit);
    json_out_vector(out, "values", axis->value, axis->n);
    if (axis->label) {
      json_out_open(out, "labels", '[');
      for (int k = 0; k < axis->n; k++) json_out_string(out, NULL, axis->label[k]);
      json_out_close(out);
    }
    json_out_close(out);
  }
  json_out_close(out);
}

static void add_sets(const Compare *c, JsonOut *out) {
  json_out_open(out, "sets", '[');
  for (int s = 0; s < c->n_set; s++) {
    json_out_open(out, NULL, '{');
    json_out_string(out, "name", c->set[s].name);
    json_out_int(out, "solved", c->set[s].n_solved);
    symmetry(out, &c->set[s].symmetry);
    json_out_close(out);
  }
  json_out_close(out);
  json_out_open(out, "groups", '[');
  for (int g = 0; g < c->n_group; g++) {
    json_out_open(out, NULL, '{');
    json_out_string(out, "title", c->group[g].title);
    json_out_int(out, "set", c->group[g].set);
    json_out_int(out, "view", c->group[g].view);
    json_out_int(out, "first", c->group[g].first);
    json_out_int(out, "cases", c->group[g].n_case);
    json_out_int(out, "choice", words_choice(c, g));
    json_out_close(out);
  }
  json_out_close(out);
}

static void add_grids(const Compare *c, JsonOut *out) {
  json_out_open(out, "convergence", '[');
  for (int i = 0; i < c->grids.n; i++) {
    json_out_open(out, NULL, '{');
    json_out_int(out, "targets", c->grids.size[i]);
    json_out_vector(out, "mean_iterations", c->grids.mean[i], c->n_case);
    json_out_close(out);
  }
  json_out_close(out);
}

void compare_write_json(const Compare *c, const CompareTerms *terms, int n_terms, const char *key,
                        JsonOut *out) {
  json_out_open(out, key, '{');
  json_out_int(out, "runs", c->n_run);
  json_out_int(out, "lines", c->n_line);
  json_out_int(out, "repeats", c->n_repeat);
  json_out_int(out, "torn_lines", c->n_torn);
  json_out_int(out, "targets", c->n_point);
  json_out_bool(out, "unverified_count", c->unverified);
  add_axes(c, out);
  add_sets(c, out);
  json_out_open(out, "cases", '[');
  for (int k = 0; k < c->n_case; k++) add_case(out, &c->kase[k]);
  json_out_close(out);
  json_out_open(out, "pairs", '[');
  for (int p = 0; p < c->n_pair; p++) add_pair(out, &c->pair[p]);
  json_out_close(out);
  add_grids(c, out);
  json_out_open(out, "terms", '[');
  for (int i = 0; i < n_terms; i++) {
    json_out_open(out, NULL, '{');
    json_out_string(out, "formulation", terms[i].form);
    json_out_string(out, "terms", terms[i].terms);
    json_out_int(out, "operations", terms[i].operations);
    json_out_int(out, "sincos", terms[i].sincos);
    json_out_close(out);
  }
  json_out_close(out);
  TextBuf words = {0};
  words_write(c, &words);
  if (words.failed) out->buf.failed = true;
  json_out_string(out, "words", words.failed || !words.text ? "" : words.text);
  textbuf_free(&words);
  json_out_close(out);
}

// ---- CSV ---------------------------------------------------------------------------------------

// quoted where it has to be (RFC 4180)
static void cell(TextBuf *b, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    textbuf_add(b, text);
    return;
  }
  textbuf_add(b, "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '"') textbuf_add(b, "\"\"");
    else textbuf_addf(b, "%c", *c);
  }
  textbuf_add(b, "\"");
}

// empty where unknown
static void number(TextBuf *b, double x) {
  textbuf_add(b, ",");
  if (isfinite(x)) textbuf_add_double(b, x);
}

static void field_names(TextBuf *b) {
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    textbuf_addf(b, "%s%s", f ? "," : "", compare_field_names[f]);
  }
}

static void field_values(TextBuf *b, const CompareCase *k) {
  for (int f = 0; f < N_COMPARE_FIELDS; f++) {
    if (f) textbuf_add(b, ",");
    cell(b, k->field[f]);
  }
}

void compare_write_csv(const Compare *c, TextBuf *b) {
  static const char *const box_names[] = {
      "n",       "mean",           "median",        "q1", "q3", "low", "high", "smallest",
      "largest", "outliers_below", "outliers_above"};
  enum { N_BOX = sizeof box_names / sizeof box_names[0] };
  field_names(b);
  textbuf_add(b, ",runs,solved,good,verified_refined,success_low,success_high,mean_iterations_low,"
                 "mean_iterations_high,judged,above_1_percent,at_best_known,mirrored_pairs,"
                 "symmetry_median,symmetry_largest,variables,constraints,jacobian_nonzeros,"
                 "hessian_nonzeros");
  for (int m = 0; m < N_COMPARE_MEASURES; m++) {
    for (int i = 0; i < N_BOX; i++) {
      textbuf_addf(b, ",%s_%s", compare_measures[m].name, box_names[i]);
    }
  }
  textbuf_add(b, "\n");
  for (int i = 0; i < c->n_case; i++) {
    const CompareCase *k = &c->kase[i];
    field_values(b, k);
    const double head[] = {k->n_run,
                           k->n_solved,
                           k->n_good,
                           k->n_refined,
                           k->success.low,
                           k->success.high,
                           k->mean_iterations.low,
                           k->mean_iterations.high,
                           k->n_judged,
                           k->n_high,
                           k->n_best,
                           k->symmetry.n,
                           k->symmetry.median,
                           k->symmetry.largest,
                           k->nlp[0],
                           k->nlp[1],
                           k->nlp[2],
                           k->nlp[3]};
    for (size_t j = 0; j < sizeof head / sizeof head[0]; j++) number(b, head[j]);
    for (int m = 0; m < N_COMPARE_MEASURES; m++) {
      const StatsBox *x = &k->box[m];
      const double figures[N_BOX] = {x->n,       x->mean,    x->median, x->q1,
                                     x->q3,      x->low,     x->high,   x->smallest,
                                     x->largest, x->n_below, x->n_above};
      for (int j = 0; j < N_BOX; j++) number(b, figures[j]);
    }
    textbuf_add(b, "\n");
  }
}

void compare_write_runs_csv(const Compare *c, TextBuf *b) {
  textbuf_add(b, "key,");
  field_names(b);
  for (int i = 0; i < c->n_axis; i++) {
    textbuf_add(b, ",");
    cell(b, c->axis[i].name);
  }
  textbuf_add(b, ",x,y,z_world,status,solved,verified");
  for (int m = 0; m < N_COMPARE_MEASURES; m++) textbuf_addf(b, ",%s", compare_measures[m].name);
  textbuf_add(b, ",wall,defect,terminal_error\n");
  for (int k = 0; k < c->n_case; k++) {
    for (int p = 0; p < c->n_point; p++) {
      const CompareRun *r = compare_at(c, k, p);
      if (!r) continue;
      const ComparePoint *point = &c->point[p];
      textbuf_addf(b, "%016" PRIx64 ",", r->source->key);
      field_values(b, &c->kase[k]);
      for (int i = 0; i < c->n_axis; i++) {
        const CompareAxis *axis = &c->axis[i];
        if (axis->label) textbuf_add(b, ","), cell(b, axis->label[point->index[i]]);
        else number(b, axis->value[point->index[i]]);
      }
      for (int i = 0; i < 3; i++) number(b, point->has_target ? point->target[i] : NAN);
      textbuf_add(b, ",");
      cell(b, r->source->status);
      textbuf_addf(b, ",%d,%d", r->source->solved, r->source->verified);
      for (int m = 0; m < N_COMPARE_MEASURES; m++) number(b, r->value[m]);
      number(b, r->source->wall_s);
      number(b, r->source->defect);
      number(b, r->source->terminal_error);
      textbuf_add(b, "\n");
    }
  }
}

// SPDX-License-Identifier: MIT
#include "cli/compare_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "report/report_words.h"

enum { LABEL = 9 };  // width of a formulation

static void put_form(const Compare *c, int kase) {
  fputs("  ", stdout);
  command_put_padded(stdout, c->kase[kase].field[COMPARE_FORM], LABEL);
}

// a number, or blanks, in a column
static void put_number(double x, int width, int digits) {
  if (isfinite(x)) printf(" %*.*g", width, digits, x);
  else printf(" %*s", width, "-");
}

static void put_p(double p) {
  if (isnan(p)) printf(" %7s", "-");
  else if (p < 0.001) printf(" %7s", "<0.001");
  else printf(" %7.3f", p);
}

// ---- head --------------------------------------------------------------------------------------

static void print_head(const Compare *c) {
  int n_good = 0, n_solved = 0, n_refined = 0;
  TextBuf common = {0};
  for (int k = 0; k < c->n_case; k++) {
    n_good += c->kase[k].n_good;
    n_solved += c->kase[k].n_solved;
    n_refined += c->kase[k].n_refined;
  }
  compare_common_label(c, &common);
  printf("%d runs of %d cases on %d targets", c->n_run, c->n_case, c->n_point);
  for (int i = 0; i < c->n_axis; i++) {
    printf("%s%d ", i ? " x " : " (", c->axis[i].n);
    command_put_text(stdout, c->axis[i].name);
  }
  printf("%s: %d good (solved%s), %d not\n", c->n_axis ? ")" : "", n_good,
         c->unverified ? ", verified or not" : " and verified", c->n_run - n_good);
  if (n_refined) printf("%d of them were verified with more points per interval\n", n_refined);
  if (n_solved > n_good) {
    printf("%d runs are solved, but not verified: they don't count (--unverified)\n",
           n_solved - n_good);
  }
  if (common.len) {
    printf("all with ");
    command_put_text(stdout, common.text);
    putchar('\n');
  }
  if (c->n_repeat) {
    printf("%d more runs of the same case and target: the best of each counts\n", c->n_repeat);
  }
  textbuf_free(&common);
}

// ---- cases -------------------------------------------------------------------------------------

static void print_success(const Compare *c, const CompareGroup *g) {
  printf("\n  %-*s %9s %7s %13s %8s %9s %8s | %13s %9s %9s\n", LABEL, "", "good", "success", "95 %",
         ">1 %", "at best", "worst", "mirror pairs", "median", "worst");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const CompareCase *x = &c->kase[k];
    char good[24], pairs[24];
    snprintf(good, sizeof good, "%d/%d", x->n_good, x->n_run);
    snprintf(pairs, sizeof pairs, "%d/%d", x->symmetry.n - x->symmetry.n_apart, x->symmetry.n);
    put_form(c, k);
    printf(" %9s %6.1f%% %5.1f - %5.1f %8d %9d", good, 100.0 * x->n_good / x->n_run,
           100 * x->success.low, 100 * x->success.high, x->n_high, x->n_best);
    put_number(100 * x->box[COMPARE_GAP].largest, 7, 3);
    printf("%% | %13s", x->symmetry.n ? pairs : "-");
    put_number(x->symmetry.median, 9, 2);
    put_number(x->symmetry.largest, 9, 2);
    putchar('\n');
  }
  const CompareSymmetry *s = &c->set[g->set].symmetry;
  if (s->n == 0) return;
  printf("  %-*s %59s | %6d/%d", LABEL, "best known", "", s->n - s->n_apart, s->n);
  put_number(s->median, 9, 2);
  put_number(s->largest, 9, 2);
  putchar('\n');
}

static void print_measure(const Compare *c, const CompareGroup *g, CompareMeasure m) {
  const CompareMeasureInfo *info = &compare_measures[m];
  char title[96];
  snprintf(title, sizeof title, "%s%s%s%s", info->title, *info->unit ? " [" : "", info->unit,
           *info->unit ? "]" : "");
  printf("\n  %s\n  %-*s %5s %10s %10s %10s %10s %10s %10s %10s %9s\n", title, LABEL, "", "n",
         "mean", "median", "q1", "q3", "whisker", "whisker", "largest", "outliers");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const StatsBox *b = &c->kase[k].box[m];
    const double x[] = {b->mean, b->median, b->q1, b->q3, b->low, b->high, b->largest};
    put_form(c, k);
    printf(" %5d", b->n);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) put_number(info->scale * x[i], 10, 5);
    printf(" %9d\n", b->n_below + b->n_above);
  }
}

static void print_shares(const Compare *c, const CompareGroup *g) {
  printf("\n  time of the solves [%%, medians]\n  %-*s %10s %15s %10s\n", LABEL, "", "functions",
         "linear solver", "rest");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    double f = 100 * c->kase[k].box[COMPARE_EVALUATION].median;
    double l = 100 * c->kase[k].box[COMPARE_LINEAR].median;
    put_form(c, k);
    put_number(f, 10, 3);
    put_number(l, 15, 3);
    put_number(fmax(0, 100 - f - l), 10, 3);
    putchar('\n');
  }
}

// ---- pairs -------------------------------------------------------------------------------------

static void print_pair(const Compare *c, const ComparePair *p) {
  char label[160];
  const char *a = c->kase[p->a].field[p->differs], *b = c->kase[p->b].field[p->differs];
  snprintf(label, sizeof label, "%s / %s", *b ? b : "-", *a ? a : "-");
  fputs("  ", stdout);
  command_put_padded(stdout, label, 18);
  printf(" %5d", p->ratio[COMPARE_CPU].n);
  static const CompareMeasure shown[] = {COMPARE_ITERATIONS, COMPARE_CPU_PER, COMPARE_CPU};
  for (int i = 0; i < 3; i++) {
    const CompareRatio *r = &p->ratio[shown[i]];
    put_number(r->ratio, 7, 4);
    if (i == 2) printf(" %7.4g - %-7.4g", r->within.low, r->within.high);
    put_p(r->p_adjusted);
  }
  printf(" |%5d%5d", p->ratio[COMPARE_OBJECTIVE].n_less, p->ratio[COMPARE_OBJECTIVE].n_more);
  put_p(p->ratio[COMPARE_OBJECTIVE].p_adjusted);
  printf(" |%4d%4d", p->success.only_b, p->success.only_a);
  put_p(p->success.p_adjusted);
  printf(" |%4d%4d", p->high.only_b, p->high.only_a);
  put_p(p->high.p_adjusted);
  putchar('\n');
}

static void pair_head(void) {
  printf("  %-18s %5s %7s %7s %7s %7s %7s %17s %7s | %-17s| %-16s| %-15s\n", "first / second", "n",
         "iter.", "p", "per it.", "p", "CPU", "95 %", "p", "cost less, more p", "good alone   p",
         ">1 % alone   p");
}

static void print_form_pairs(const Compare *c, const CompareGroup *g) {
  if (g->n_case < 2) return;
  printf("\n  paired ratios, median over the targets that both solved; p after Holm\n");
  pair_head();
  for (int i = 0; i < c->n_pair; i++) {
    const ComparePair *p = &c->pair[i];
    if (p->differs == COMPARE_FORM && &c->group[c->kase[p->a].group] == g) print_pair(c, p);
  }
}

static void print_other_pairs(const Compare *c) {
  const char *last = "";
  for (int i = 0; i < c->n_pair; i++) {
    const ComparePair *p = &c->pair[i];
    if (p->differs == COMPARE_FORM) continue;
    if (!*last) printf("\nsettings against each other, formulation by formulation\n"), pair_head();
    const CompareCase *k = &c->kase[p->a];
    last = c->group[k->group].title;
    printf("  ");
    command_put_text(stdout, k->field[COMPARE_FORM]);
    printf(" in ");
    command_put_text(stdout, last);
    putchar('\n');
    print_pair(c, p);
  }
}

// ---- tables of the paper -----------------------------------------------------------------------

static void print_sizes(const Compare *c) {
  bool any = false;
  for (int k = 0; k < c->n_case; k++) any = any || c->kase[k].nlp[0];
  if (!any) return;
  printf("\nsize of the nonlinear program (Table 3)\n");
  printf("  %-*s %10s %12s %12s %12s   %s\n", LABEL, "", "variables", "constraints", "Jacobian nz",
         "Hessian nz", "operations per evaluation: constraints, Jacobian, Hessian");
  for (int g = 0; g < c->n_group; g++) {
    printf("  ");
    command_put_text(stdout, c->group[g].title);
    putchar('\n');
    for (int k = c->group[g].first; k < c->group[g].first + c->group[g].n_case; k++) {
      const CompareCase *x = &c->kase[k];
      put_form(c, k);
      if (x->nlp[0] == 0) {
        printf(" not the same in all runs, or unknown\n");
        continue;
      }
      printf(" %10d %12d %12d %12d  ", x->nlp[0], x->nlp[1], x->nlp[2], x->nlp[3]);
      for (int i = 0; i < 3; i++) {
        if (isfinite(x->operations[i])) printf(" %10.0f", x->operations[i]);
      }
      putchar('\n');
    }
  }
}

static void print_terms(const CompareTerms *terms, int n) {
  if (n == 0) return;
  printf("\noperations of the dynamic terms (Table 4)\n  %-*s %-16s %10s %8s\n", LABEL, "", "terms",
         "total", "sin+cos");
  for (int i = 0; i < n; i++) {
    printf("  %-*s %-16s %10d %8d\n", LABEL, terms[i].form, terms[i].terms, terms[i].operations,
           terms[i].sincos);
  }
}

static void print_grids(const Compare *c, const CompareGroup *g) {
  if (c->grids.n < 2) return;
  printf("\n  mean iterations on coarser grids (Fig. 7)\n  %-*s", LABEL, "targets");
  for (int i = 0; i < c->grids.n; i++) printf(" %7d", c->grids.size[i]);
  printf("  95 %% of the last\n");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    put_form(c, k);
    for (int i = 0; i < c->grids.n; i++) put_number(c->grids.mean[i][k], 7, 4);
    printf("  %.4g - %.4g\n", c->kase[k].mean_iterations.low, c->kase[k].mean_iterations.high);
  }
}

// ---- words -------------------------------------------------------------------------------------

// one paragraph, broken at blanks; what follows its first line is indented like it
static void print_paragraph(const char *text, size_t n, int width) {
  size_t indent = strspn(text, " "), at = indent;
  printf("%*s", (int)indent, "");
  for (size_t i = indent; i < n;) {
    size_t word = strcspn(text + i, " \n");
    char piece[256];
    snprintf(piece, sizeof piece, "%.*s", (int)word, text + i);
    size_t wide = (size_t)command_text_width(piece);
    if (at > indent && at + 1 + wide > (size_t)width) {
      printf("\n%*s", (int)indent + 2, "");
      at = indent + 2;
    } else if (at > indent && i > indent) {
      putchar(' ');
      at++;
    }
    command_put_text(stdout, piece);
    at += wide;
    i += word;
    i += strspn(text + i, " ");
  }
  putchar('\n');
}

static void print_words(const Compare *c, int width) {
  TextBuf words = {0};
  words_write(c, &words);
  if (words.len && !words.failed) {
    printf("\nin words\n");
    for (const char *at = words.text; *at;) {
      size_t n = strcspn(at, "\n");
      print_paragraph(at, n, width);
      at += n + (at[n] == '\n');
    }
  }
  textbuf_free(&words);
}

void compare_print(const Compare *c, const CompareTerms *terms, int n_terms, int width) {
  print_head(c);
  for (int i = 0; i < c->n_group; i++) {
    const CompareGroup *g = &c->group[i];
    putchar('\n');
    command_put_text(stdout, g->title);
    putchar('\n');
    print_success(c, g);
    print_measure(c, g, COMPARE_OBJECTIVE);
    print_measure(c, g, COMPARE_ITERATIONS);
    print_measure(c, g, COMPARE_CPU);
    print_measure(c, g, COMPARE_CPU_PER);
    print_measure(c, g, COMPARE_GAP);
    print_shares(c, g);
    print_grids(c, g);
    print_form_pairs(c, g);
  }
  print_other_pairs(c);
  print_sizes(c);
  print_terms(terms, n_terms);
  print_words(c, width);
}

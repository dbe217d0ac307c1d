// SPDX-License-Identifier: MIT
#include "report/report_words.h"

#include <math.h>
#include <string.h>

static const double LEVEL = 0.05;  // significance, after Holm
static const double SAME = 0.02;   // ratios this near to 1 are no reason to prefer anything
enum { FEW = 20 };                 // pairs below which differences are not to be trusted

static const char *name(const Compare *c, int kase) {
  return c->kase[kase].field[COMPARE_FORM];
}

static void add_p(TextBuf *b, double p) {
  if (p < 0.001) textbuf_add(b, "p < 0.001");
  else textbuf_addf(b, "p = %.2g", p);
}

static double share(const CompareCase *k) {
  return k->n_run ? (double)k->n_good / k->n_run : 0;
}

// the ratio of case b to case a, whichever way round the pair is stored; n = 0 if there is none
static CompareRatio ratio_of(const Compare *c, int a, int b, int measure) {
  bool swapped;
  const ComparePair *p = compare_find_pair(c, a, b, &swapped);
  CompareRatio r = p ? p->ratio[measure] : (CompareRatio){.ratio = NAN, .p_adjusted = NAN};
  if (!p || !swapped) return r;
  CompareRatio turned = r;
  turned.ratio = 1 / r.ratio;
  turned.within = (StatsInterval){1 / r.within.high, 1 / r.within.low};
  turned.n_less = r.n_more;
  turned.n_more = r.n_less;
  return turned;
}

// ---- choosing ----------------------------------------------------------------------------------

static int most_successful(const Compare *c, const CompareGroup *g) {
  int best = g->first;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    if (share(&c->kase[k]) > share(&c->kase[best])) best = k;
  }
  return best;
}

static bool fails_more(const Compare *c, int kase, int best) {
  bool swapped;
  const ComparePair *p = kase == best ? NULL : compare_find_pair(c, kase, best, &swapped);
  return p && share(&c->kase[kase]) < share(&c->kase[best]) && p->success.p_adjusted < LEVEL;
}

int words_choice(const Compare *c, int group) {
  const CompareGroup *g = &c->group[group];
  int best = most_successful(c, g), choice = -1, n = 0;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const StatsBox *cpu = &c->kase[k].box[COMPARE_CPU];
    if (cpu->n == 0) continue;
    n++;
    if (fails_more(c, k, best)) continue;
    if (choice < 0 || cpu->median < c->kase[choice].box[COMPARE_CPU].median) choice = k;
  }
  return n < 2 ? -1 : choice;
}

// ---- one group ---------------------------------------------------------------------------------

static void write_success(const Compare *c, const CompareGroup *g, TextBuf *b) {
  int best = most_successful(c, g), n_worse = 0;
  textbuf_add(b, "  Success:");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    const CompareCase *kase = &c->kase[k];
    textbuf_addf(b, "%s %s %d of %d", k > g->first ? "," : "", name(c, k), kase->n_good,
                 kase->n_run);
  }
  for (int k = g->first; k < g->first + g->n_case; k++) {
    if (!fails_more(c, k, best)) continue;
    textbuf_addf(b, "%s %s",
                 n_worse++ ? "," : "; significantly fewer than with the best:", name(c, k));
  }
  textbuf_add(b, n_worse ? ".\n" : "; the differences are within chance.\n");
}

// what makes b slower than a
static const char *reason(double iterations, double per) {
  double i = log(iterations), p = log(per);
  if (!isfinite(i) || !isfinite(p)) return "";
  if (fabs(p) > 2 * fabs(i)) return p > 0 ? ", since an iteration costs more" : "";
  if (fabs(i) > 2 * fabs(p)) return i > 0 ? ", since it needs more iterations" : "";
  return p > 0 && i > 0 ? ", for both reasons" : "";
}

static bool slower(const CompareRatio *r) {
  return r->ratio > 1 + SAME && r->p_adjusted < LEVEL;
}

static bool faster(const CompareRatio *r) {
  return r->ratio < 1 - SAME && r->p_adjusted < LEVEL;
}

static void write_rival(const Compare *c, int choice, int kase, TextBuf *b) {
  CompareRatio cpu = ratio_of(c, choice, kase, COMPARE_CPU);
  CompareRatio it = ratio_of(c, choice, kase, COMPARE_ITERATIONS);
  CompareRatio per = ratio_of(c, choice, kase, COMPARE_CPU_PER);
  if (cpu.n == 0) {
    textbuf_addf(b, "    %s: no target that both solved.\n", name(c, kase));
    return;
  }
  textbuf_addf(b, "    %s takes %.3g times as long", name(c, kase), cpu.ratio);
  if (isfinite(cpu.within.low)) {
    textbuf_addf(b, " (95 %%: %.3g to %.3g; ", cpu.within.low, cpu.within.high);
  } else {
    textbuf_add(b, " (");
  }
  add_p(b, cpu.p_adjusted);
  textbuf_addf(b, "; %d targets): iterations \xc3\x97 %.3g, time per iteration \xc3\x97 %.3g",
               cpu.n, it.ratio, per.ratio);
  if (slower(&cpu)) textbuf_add(b, reason(it.ratio, per.ratio));
  else if (faster(&cpu)) textbuf_add(b, "; on the targets that both solved it is the faster one");
  else textbuf_add(b, "; no difference to rely on");
  textbuf_add(b, ".\n");
}

static int count_slower(const Compare *c, int group, int choice) {
  const CompareGroup *g = &c->group[group];
  int n = 0;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    CompareRatio r = ratio_of(c, choice, k, COMPARE_CPU);
    n += k != choice && slower(&r);
  }
  return n;
}

static void write_speed(const Compare *c, int group, int choice, TextBuf *b) {
  const CompareGroup *g = &c->group[group];
  const CompareCase *k = &c->kase[choice];
  int n_slower = count_slower(c, group, choice), n_rival = g->n_case - 1;
  textbuf_addf(b,
               "  Time: %s has the lowest median, %.3g s of CPU time: %.4g iterations of %.3g ms",
               name(c, choice), k->box[COMPARE_CPU].median, k->box[COMPARE_ITERATIONS].median,
               1e3 * k->box[COMPARE_CPU_PER].median);
  double eval = k->box[COMPARE_EVALUATION].median, linear = k->box[COMPARE_LINEAR].median;
  if (isfinite(eval) && isfinite(linear)) {
    textbuf_addf(b, ", %.0f %% in the functions and %.0f %% in the linear solver", 100 * eval,
                 100 * linear);
  }
  textbuf_addf(b, "; faster than %d of the %d others beyond chance.\n", n_slower, n_rival);
  for (int i = g->first; i < g->first + g->n_case; i++) {
    if (i != choice && c->kase[i].n_good) write_rival(c, choice, i, b);
  }
}

// who ends above the best known, and whether anyone does so more often than the choice
static void write_minima(const Compare *c, const CompareGroup *g, int choice, TextBuf *b) {
  int total = 0, n_better = 0, n_worse = 0;
  for (int k = g->first; k < g->first + g->n_case; k++) total += c->kase[k].n_high;
  if (total == 0) {
    textbuf_add(b, "  Minima: no good run is more than 1 % above the best known cost.\n");
    return;
  }
  textbuf_add(b, "  Minima: more than 1 % above the best known cost are");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    textbuf_addf(b, "%s %s %d of %d", k > g->first ? "," : "", name(c, k), c->kase[k].n_high,
                 c->kase[k].n_judged);
  }
  textbuf_add(b, ".");
  for (int k = g->first; k < g->first + g->n_case; k++) {
    bool swapped;
    const ComparePair *p = k == choice ? NULL : compare_find_pair(c, choice, k, &swapped);
    if (!p || p->high.p_adjusted >= LEVEL) continue;
    int choice_alone = swapped ? p->high.only_b : p->high.only_a;
    int other_alone = swapped ? p->high.only_a : p->high.only_b;
    bool better = other_alone < choice_alone;
    textbuf_addf(b, " %s is trapped %s often than %s (alone on %d targets against %d, ",
                 name(c, choice), better ? "more" : "less", name(c, k), choice_alone, other_alone);
    add_p(b, p->high.p_adjusted);
    textbuf_add(b, ").");
    if (better) n_better++;
    else n_worse++;
  }
  if (n_better + n_worse == 0) {
    textbuf_addf(b, " %s is trapped neither more nor less often than the others, beyond chance.",
                 name(c, choice));
  }
  if (n_better) {
    textbuf_add(b, " Where cost counts more than time, take one of the less trapped ones, or a "
                   "strategy that looks for better minima.");
  }
  textbuf_add(b, "\n");
}

static void write_symmetry(const Compare *c, const CompareGroup *g, int choice, TextBuf *b) {
  const CompareSymmetry *s = &c->kase[choice].symmetry, *best = &c->set[g->set].symmetry;
  if (s->n == 0) return;
  textbuf_addf(b,
               "  Symmetry: with %s %d of %d pairs of mirrored targets cost the same to 1e-6, the "
               "worst differ by %.2g %%; of the best known costs %d of %d do, the worst differ by "
               "%.2g %%.\n",
               name(c, choice), s->n - s->n_apart, s->n, 100 * s->largest, best->n - best->n_apart,
               best->n, 100 * best->largest);
}

static void write_group(const Compare *c, int group, TextBuf *b) {
  const CompareGroup *g = &c->group[group];
  int choice = words_choice(c, group);
  if (choice < 0) {
    int n = 0;
    for (int k = g->first; k < g->first + g->n_case; k++) n += c->kase[k].n_good;
    textbuf_addf(b, "%s: %s, so there is nothing to choose.\n", g->title,
                 n ? "only one formulation has good runs" : "no run is good");
    return;
  }
  int n_slower = count_slower(c, group, choice), n_rival = 0;
  for (int k = g->first; k < g->first + g->n_case; k++) {
    n_rival += k != choice && c->kase[k].n_good > 0;
  }
  textbuf_addf(b, "%s: ", g->title);
  if (n_slower == n_rival) {
    textbuf_addf(b, "use %s.\n", name(c, choice));
  } else if (n_slower > 0) {
    textbuf_addf(b, "use %s; as good, as far as these runs can tell:", name(c, choice));
    int n = 0;
    for (int k = g->first; k < g->first + g->n_case; k++) {
      CompareRatio r = ratio_of(c, choice, k, COMPARE_CPU);
      if (k == choice || slower(&r) || c->kase[k].n_good == 0) continue;
      textbuf_addf(b, "%s %s", n++ ? "," : "", name(c, k));
    }
    textbuf_add(b, ".\n");
  } else {
    textbuf_addf(b, "these runs give no reason to prefer one; %s has the lowest median time.\n",
                 name(c, choice));
  }
  if (c->kase[choice].n_good < FEW) {
    textbuf_addf(b, "  With %d good runs this is a hint, not a finding.\n", c->kase[choice].n_good);
  }
  write_success(c, g, b);
  write_speed(c, group, choice, b);
  write_minima(c, g, choice, b);
  write_symmetry(c, g, choice, b);
}

// ---- all ---------------------------------------------------------------------------------------

// the formulation chosen in most groups; *n_group: groups with a choice
static const char *usual_choice(const Compare *c, int *n_most, int *n_group) {
  const char *most = NULL;
  *n_most = *n_group = 0;
  for (int g = 0; g < c->n_group; g++) {
    int own = words_choice(c, g), n = 0;
    if (own < 0) continue;
    ++*n_group;
    for (int h = 0; h < c->n_group; h++) {
      int other = words_choice(c, h);
      n += other >= 0 && strcmp(name(c, own), name(c, other)) == 0;
    }
    if (n > *n_most) *n_most = n, most = name(c, own);
  }
  return most;
}

void words_write(const Compare *c, TextBuf *b) {
  for (int g = 0; g < c->n_group; g++) write_group(c, g, b);
  int n_most, n_group;
  const char *most = usual_choice(c, &n_most, &n_group);
  if (!most) return;
  if (n_group == 1) {
    textbuf_addf(b, "Overall: %s for this robot", most);
  } else if (n_most == n_group) {
    textbuf_addf(b, "Overall: %s for this robot, in all %d groups", most, n_group);
  } else {
    textbuf_addf(b, "Overall: no formulation is the choice everywhere; %s is it in %d of %d groups",
                 most, n_most, n_group);
  }
  textbuf_addf(b,
               ". This rests on %d targets and the times of one machine. Tests: Wilcoxon's signed "
               "ranks on paired times, McNemar's on success and on higher minima, p after Holm.\n",
               c->n_point);
}

// SPDX-License-Identifier: MIT
// The page of a comparison: what is chosen, and who is told when it changes.
const all = page.compare, runs = page.runs, n_point = page.points.index.length;
const measure_of = Object.fromEntries(page.measures.map((m) => [m.name, m]));
const form_name = (kase) => all.cases[kase].formulation ?? "";

// run by case and point; -1: none
const run_table = new Int32Array(all.cases.length * n_point).fill(-1);
runs.case.forEach((k, i) => { run_table[k * n_point + runs.point[i]] = i; });
const run_at = (kase, point) => run_table[kase * n_point + point];

// a value in the unit that is shown
const shown_value = (run, measure) =>
  (run < 0 || !runs.good[run] ? NaN : missing(runs.value[measure.name][run]) * measure.scale);
const with_unit = (text, unit) => (unit ? `${text} ${unit}` : text);
const value_text = (run, name, digits = 4) => {
  const m = measure_of[name];
  return with_unit(significant(shown_value(run, m), digits), m.unit);
};

// ---- axes of the targets -----------------------------------------------------------------------

const greek = {alpha: "\u03b1", beta: "\u03b2", gamma: "\u03b3", theta: "\u03b8", phi: "\u03c6", psi: "\u03c8"};
const axis_name = (a) => greek[a.name] ?? a.name;
const axis_text = (a, k) => (a.labels ? a.labels[k] : short(Math.abs(a.values[k]) < 1e-12 ? 0 : a.values[k]));
const point_text = (p) => all.axes.map((a, i) =>
  with_unit(`${axis_name(a)} = ${axis_text(a, page.points.index[p][i])}`, a.unit)).join(", ");

// ---- what is chosen ----------------------------------------------------------------------------

const chosen = {view: 0, group: 0, measure: page.measures[0], kase: 0, point: -1, slice: all.axes.map((a) => a.values.length >> 1)};
const watchers = [];  // functions of {what: true}, called when something was chosen
const tell = (...what) => watchers.forEach((w) => w(Object.fromEntries(what.map((x) => [x, true]))));

const group_cases = (g) => Array.from({length: all.groups[g].cases}, (_, i) => all.groups[g].first + i);

// another group keeps the formulation, if it has it
function choose_group(g) {
  const form = form_name(chosen.kase), cases = group_cases(g);
  chosen.group = g;
  chosen.view = all.groups[g].view;
  chosen.kase = cases.find((k) => form_name(k) === form) ?? cases[0];
  tell("group", "run");
}

function choose_run(kase, point, play = false) {
  chosen.kase = kase;
  chosen.point = point;
  tell("run", ...(play ? ["play"] : []));
}

// ---- head --------------------------------------------------------------------------------------

function show_head() {
  const good = all.cases.reduce((sum, k) => sum + k.good, 0);
  const high = all.cases.reduce((sum, k) => sum + k.above_1_percent, 0);
  const put = (name, value, unit = "") => {
    const dd = make("dd", {}, value);
    if (unit) dd.append(make("small", {}, " " + unit));
    document.getElementById("figures").append(make("div", {}, make("dt", {}, name), dd));
  };
  put("targets", String(all.targets), all.axes.map((a) => `${a.values.length} ${axis_name(a)}`).join(" \u00d7 "));
  put("cases", String(all.cases.length), `${new Set(all.cases.map((k) => k.formulation)).size} formulations`);
  put("runs", String(all.runs));
  put(all.unverified_count ? "solved" : "solved and verified", String(good),
      `${significant((100 * good) / Math.max(all.runs, 1), 4)} %`);
  put("above 1 % of the best known", String(high), `${significant((100 * high) / Math.max(good, 1), 3)} %`);
  const common = ["layout", "linear_solver", "strategy", "guess"].filter((f) =>
    new Set(all.cases.map((k) => k[f] ?? "")).size === 1 && all.cases[0][f]);
  document.getElementById("subtitle").textContent =
    common.map((f) => (f === "layout" ? `${all.cases[0][f]} layout` : f === "guess" ? `guess ${all.cases[0][f]}`
                                                                    : all.cases[0][f])).join(" \u00b7 ");
  const lines = all.words.split("\n").filter((l) => l && !l.startsWith(" "));
  document.getElementById("gist").textContent = lines.slice(0, 4).join(" ");
  const left = page.motions_left_out;
  document.getElementById("made").textContent = "Made by Poise. Keys: space plays, arrows step." +
    (left ? ` ${left} motions were left out to keep this file small.` : "");
}

// ---- controls ----------------------------------------------------------------------------------

function fill_select(id, options, value, changed) {
  const select = document.getElementById(id);
  select.replaceChildren(...options.map(([text, v]) => make("option", {value: v}, text)));
  select.value = value;
  select.onchange = () => changed(Number(select.value));
}

function show_controls() {
  fill_select("view-choice", page.views.map((v, i) => [v.title || "all", i]), chosen.view,
              (v) => {
                const set = all.groups[chosen.group].set;
                choose_group(page.views[v].groups.find((g) => all.groups[g].set === set) ?? page.views[v].groups[0]);
              });
  document.getElementById("choose-view").hidden = page.views.length < 2;
  fill_select("set-choice", page.views[chosen.view].groups.map((g) => [all.sets[all.groups[g].set].name || "all", g]),
              chosen.group, choose_group);
  fill_select("measure-choice", page.measures.slice(0, 5).map((m, i) => [with_unit(m.title, m.unit && `[${m.unit}]`), i]),
              page.measures.indexOf(chosen.measure),
              (i) => { chosen.measure = page.measures[i]; tell("measure"); });
  for (const d of document.querySelectorAll(".figures")) d.hidden = Number(d.dataset.view) !== chosen.view;
}

// axes beyond the two of the map
function show_slices() {
  document.getElementById("slices").replaceChildren(...all.axes.slice(2).map((a, j) => {
    const select = make("select", {}, ...a.values.map((_, k) => make("option", {value: k}, axis_text(a, k))));
    select.value = chosen.slice[j + 2];
    select.addEventListener("change", () => { chosen.slice[j + 2] = Number(select.value); tell("measure"); });
    return make("label", {}, `${axis_name(a)} `, select);
  }));
}

watchers.push((what) => { if (what.group) show_controls(); });

// outliers in the figures are runs
document.querySelectorAll("svg.fig [data-run]").forEach((e) => e.addEventListener("click", () => {
  const run = Number(e.dataset.run), group = all.cases[runs.case[run]].group;
  if (group !== chosen.group) choose_group(group);
  choose_run(runs.case[run], runs.point[run], true);
  document.getElementById("maps").scrollIntoView({behavior: "smooth"});
}));

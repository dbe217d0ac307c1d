// SPDX-License-Identifier: MIT
// Tables that can be sorted and copied, and the start of the page.

// columns: {name, title}; rows: arrays of text or {v: number, text}. Returns the element
function sortable_table(columns, rows, row_of = () => ({})) {
  let order = rows.map((_, i) => i), by = -1, down = false;
  const key = (cell) => (typeof cell === "string" ? cell : cell.v);
  const text = (cell) => (typeof cell === "string" ? cell : cell.text);
  const is_number = columns.map((_, j) => rows.some((r) => typeof r[j] !== "string"));
  const body = make("tbody");
  const heads = columns.map((c, j) => {
    const button = make("button", {type: "button", class: "sort", title: c.title ?? `Sort by ${c.name}`}, c.name);
    button.addEventListener("click", () => sort(j));
    return make("th", {class: is_number[j] ? "n" : "", scope: "col"}, button);
  });
  function fill() {
    body.replaceChildren(...order.map((i) => {
      const {action, ...attributes} = row_of(i);
      const tr = make("tr", attributes, ...rows[i].map((c, j) => make(j ? "td" : "th", {class: is_number[j] ? "n" : ""}, text(c))));
      if (action) tr.addEventListener("click", action);
      return tr;
    }));
    heads.forEach((h, j) => h.setAttribute("aria-sort", j !== by ? "none" : down ? "descending" : "ascending"));
  }
  // what is not finite stays at the end
  function sort(j) {
    down = by === j ? !down : false;
    by = j;
    order = rows.map((_, i) => i).sort((a, b) => {
      const x = key(rows[a][j]), y = key(rows[b][j]);
      if (typeof x === "string") return down ? y.localeCompare(x) : x.localeCompare(y);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return Number.isFinite(y) - Number.isFinite(x);
      return down ? y - x : x - y;
    });
    fill();
  }
  fill();
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body);
  const lines = () => [columns.map((c) => c.name), ...order.map((i) => rows[i].map(text))];
  return {table, copy: () => lines().map((l) => l.join("\t")).join("\n")};
}

async function copy_text(text, button) {
  const area = make("textarea", {class: "copied"});
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {  // not allowed for files in some browsers: the old way
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "copied" : "can't copy";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

function put_table(id, title, note, columns, rows) {
  if (!rows.length) return;
  const {table, copy} = sortable_table(columns, rows);
  const button = make("button", {type: "button", class: "copy", title: "Copy the table, for a spreadsheet"}, "copy");
  button.addEventListener("click", () => copy_text(copy(), button));
  document.getElementById("tables").append(make("section", {class: "card", id},
    make("div", {class: "controls"}, make("h2", {}, title), button), make("p", {class: "soft"}, note),
    make("div", {class: "table"}, table)));
}

// ---- cells -------------------------------------------------------------------------------------

const cell = (v, digits = 4) => ({v: missing(v ?? null), text: significant(missing(v ?? null), digits)});
const whole = (v) => ({v, text: String(v)});
const percent = (v, digits = 3) => cell(v === null ? null : 100 * v, digits);
const p_cell = (p) => ({v: missing(p), text: p === null ? "\u2014" : p < 0.001 ? "< 0.001" : p.toFixed(3)});
const columns_of = (...names) => names.map((n) => (typeof n === "string" ? {name: n} : {name: n[0], title: n[1]}));

function show_cases() {
  const rows = all.cases.map((k) => [
    all.groups[k.group].title || "all", k.formulation ?? "", whole(k.good), whole(k.runs),
    percent(k.runs ? k.good / k.runs : null, 4), cell(k.iterations.median), cell(k.iterations.mean), cell(k.cpu.median, 3), cell(k.cpu.mean, 3),
    cell(k.cpu_per_iteration.median === null ? null : 1e3 * k.cpu_per_iteration.median, 3), cell(k.objective.median, 6),
    cell(k.objective.mean, 6), percent(k.evaluation_share.median), percent(k.linear_share.median),
    whole(k.above_1_percent), whole(k.at_best_known), percent(k.gap.largest),
    whole(k.symmetry.pairs - k.symmetry["above_1e-6"]), whole(k.symmetry.pairs), percent(k.symmetry.largest),
  ]);
  put_table("table-cases", "Cases", "Statistics over good runs: " + (all.unverified_count ? "solved." : "solved and verified."),
    columns_of("settings", "formulation", "good", "runs", ["success %", "Good runs of all"], ["iterations", "Median"],
      ["mean", "Mean number of iterations"], ["CPU s", "Median CPU time of the solves"], ["mean s", "Mean CPU time"],
      ["ms/iteration", "Median"], ["cost", "Median"], ["mean cost", "Mean"], ["functions %", "Share of the time, median"],
      ["linear %", "Share of the linear solver, median"], ["> 1 %", "Runs more than 1 percent above the best known cost"],
      ["at best", "Runs within 1e-6 of the best known"], ["worst %", "Largest gap to the best known"],
      ["symmetric", "Mirrored pairs that agree to 1e-6"], ["pairs", "Mirrored pairs"], ["worst %", "Largest difference of mirrored targets"]), rows);
}

function show_pairs() {
  const ratio = (r) => cell(r.ratio, 4), within = (r) => (r.ratio_95[0] === null ? "" : `${significant(r.ratio_95[0], 3)} \u2013 ${significant(r.ratio_95[1], 3)}`);
  const value = (k, field) => all.cases[k][field] ?? "";
  const rows = all.pairs.map((p) => [
    all.groups[all.cases[p.a].group].title || "all",
    `${p.differs === "formulation" ? "" : form_name(p.b) + ": "}${value(p.b, p.differs)} / ${value(p.a, p.differs)}`,
    whole(p.cpu.n), ratio(p.iterations), p_cell(p.iterations.p_adjusted), ratio(p.cpu_per_iteration), p_cell(p.cpu_per_iteration.p_adjusted),
    ratio(p.cpu), within(p.cpu), p_cell(p.cpu.p_adjusted), whole(p.objective.less), whole(p.objective.more), p_cell(p.objective.p_adjusted),
    whole(p.success.only_b), whole(p.success.only_a), p_cell(p.success.p_adjusted),
    whole(p.above_1_percent.only_b), whole(p.above_1_percent.only_a), p_cell(p.above_1_percent.p_adjusted),
  ]);
  put_table("table-pairs", "Paired ratios", "First to second on the targets that both solved: medians, with Wilcoxon's signed-rank test; " +
    "success and higher minima on single targets with McNemar's test. p after Holm's correction.",
    columns_of("settings", "first / second", "n", ["iterations", "Median ratio"], "p ", ["ms/iteration", "Median ratio"], "p  ",
      ["CPU", "Median ratio"], ["95 %", "Interval of that ratio"], "p   ", ["cost less", "Targets where the first costs less"],
      ["more", "Targets where it costs more"], "p    ", ["first alone", "Targets good in the first alone"],
      ["second alone", "Targets good in the second alone"], "p     ", ["> 1 % first", "Above the best known in the first alone"],
      ["second", "Above the best known in the second alone"], "p      "), rows);
}

function show_sizes() {
  const rows = all.cases.filter((k) => k.nlp.variables).map((k) => [
    all.groups[k.group].title || "all", k.formulation ?? "", whole(k.nlp.variables), whole(k.nlp.constraints),
    whole(k.nlp.jacobian_nonzeros), whole(k.nlp.hessian_nonzeros), ...k.operations.map((x) => cell(x, 7)),
  ]);
  put_table("table-sizes", "Size of the nonlinear program (Table 3)", "Nonzeros of the lower triangle of the Hessian; operations of one evaluation.",
    columns_of("settings", "formulation", "variables", "constraints", "Jacobian nonzeros", "Hessian nonzeros",
      "constraints' operations", "Jacobian's", "Hessian's"), rows);
  put_table("table-terms", "Operations of the dynamic terms (Table 4)", "Additions, multiplications, divisions, negations and roots; sine and cosine apart.",
    columns_of("formulation", "terms", "operations", "sin + cos"),
    all.terms.map((t) => [t.formulation, t.terms, whole(t.operations), whole(t.sincos)]));
}

function show_convergence() {
  const rows = all.cases.map((k, i) => [all.groups[k.group].title || "all", k.formulation ?? "",
    ...all.convergence.map((g) => cell(g.mean_iterations[i])),
    k.mean_iterations_95[0] === null ? "" : `${significant(k.mean_iterations_95[0], 4)} \u2013 ${significant(k.mean_iterations_95[1], 4)}`]);
  put_table("table-convergence", "Mean iterations by size of the grid (Fig. 7)", "Coarser grids take evenly spread values of every axis.",
    columns_of("settings", "formulation", ...all.convergence.map((g) => [String(g.targets), `${g.targets} targets`]), ["95 %", "Interval of the last mean"]), rows);
}

// ---- the chosen target -------------------------------------------------------------------------

function show_rivals() {
  const title = document.getElementById("chosen"), place = document.getElementById("rivals");
  if (chosen.point < 0) return;
  title.textContent = `${all.groups[chosen.group].title || "All"}: ${point_text(chosen.point)}`;
  const cases = group_cases(chosen.group).filter((k) => run_at(k, chosen.point) >= 0);
  const rows = cases.map((k) => {
    const run = run_at(k, chosen.point), value = (name) => shown_value(run, measure_of[name]);
    const status = runs.good[run] ? "good" : String(runs.status[run]).replaceAll("_", " ");
    return [form_name(k), cell(value("objective"), 8), cell(value("gap"), 3), cell(value("iterations")), cell(value("cpu"), 3), status];
  });
  const {table} = sortable_table(columns_of("formulation", "cost", ["above best %", "Above the best known cost of this target"], "iterations", "CPU s", "status"), rows,
    (i) => ({class: `${cases[i] === chosen.kase ? "chosen" : ""} ${runs.good[run_at(cases[i], chosen.point)] ? "" : "bad"}`,
             tabindex: 0, title: "Play this one", action: () => choose_run(cases[i], chosen.point, true)}));
  table.addEventListener("keydown", (e) => { if (e.key === "Enter" && e.target.tagName === "TR") e.target.click(); });
  place.replaceChildren(table);
}

watchers.push((what) => { if (what.run || what.group) show_rivals(); });

// ---- go ----------------------------------------------------------------------------------------

// the choice of the first group, at the target in the middle that has a motion
function begin() {
  const choice = all.groups[0].choice;
  chosen.kase = choice >= 0 ? choice : all.groups[0].first;
  const far = (p) => page.points.index[p].reduce((sum, k, i) => sum + Math.abs(k - (all.axes[i].values.length - 1) / 2), 0);
  const points = page.points.index.map((_, p) => p).filter((p) => run_at(chosen.kase, p) >= 0);
  const moving = points.filter((p) => runs.motion[run_at(chosen.kase, p)] >= 0);
  chosen.point = (moving.length ? moving : points).reduce((a, b) => (a < 0 || far(b) < far(a) ? b : a), -1);
  if (!page.robot) document.body.classList.add("no-motion");
  show_head();
  show_slices();
  tell("group", "run");
  show_cases();
  show_pairs();
  show_sizes();
  show_convergence();
}
begin();

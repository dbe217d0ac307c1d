// SPDX-License-Identifier: MIT
// Figures and tables, and the pictures of the sparsity patterns.

const units = (list) => [...new Set(list)].join(" | ");

// rows: arrays of cells; a cell is text, or {n: number text, unit}, {wide: text}
function make_table(place, head, rows, bad = () => false) {
  const cell = (tag, c) => {
    if (typeof c === "string") return make(tag, {}, c);
    if ("wide" in c) return make(tag, {class: "wide"}, c.wide);
    const e = make(tag, {class: "n"}, c.n);
    if ("unit" in c) e.append(make("small", {}, c.unit));
    return e;
  };
  const table = make("table");
  if (head) table.append(make("thead", {}, make("tr", {}, ...head.map((c) => cell("th", c)))));
  table.append(make("tbody", {}, ...rows.map((row, i) =>
    make("tr", bad(i) ? {class: "bad"} : {}, ...row.map((c, j) => cell(j ? "td" : "th", c))))));
  document.getElementById(place).replaceChildren(table);
}

function show_figures() {
  const list = document.getElementById("figures"), t = result.timing, v = result.verification;
  const put = (name, value, unit = "", note = "") => {
    const dd = make("dd", {}, value);
    if (unit) dd.append(make("small", {}, " " + unit));
    list.append(make("div", note ? {title: note} : {}, make("dt", {}, name), dd));
  };
  put("objective", significant(result.objective, 8));
  put("final time", short(horizon), result.problem.free_time ? "s, free" : "s");
  put("iterations", String(result.iterations),
      result.strategy.solves.length > 1 ? `in ${result.strategy.solves.length} solves` : "");
  put("time taken", significant(t.total_s, 3), "s");
  put("variables", String(result.nlp.variables));
  put("constraints", String(result.nlp.constraints));
  if (v) {
    put("largest defect", rough(Math.max(v.defect_q.value ?? Infinity, v.defect_v.value ?? Infinity)));
    if (page.goal.frame !== null) put("goal missed by", rough(v.goal.position), "m");
  }
  document.getElementById("subtitle").textContent =
    `${robot.name}: ${nv} joints, ${nu} actuated \u00b7 ${result.formulation} \u00b7 ` +
    `${result.problem.scheme} ${result.problem.degree} \u00d7 ${result.problem.intervals} \u00b7 ` +
    `${result.layout} layout`;
}

// ---- verification ------------------------------------------------------------------------------

function show_verification() {
  const v = result.verification;
  if (!v) {
    make_table("verification", null, [["not done"]], () => true);
    return;
  }
  // units of a quantity, of one joint if it is known: "rad/s"
  const unit_of = (joint, per) => {
    const i = robot.joints.findIndex((j) => j.name === joint);
    return units((i < 0 ? robot.joints.map((j, k) => k) : [i]).map((k) => joint_unit(k) + per));
  };
  const effort_of = (joint, per) => {
    const k = page.actuators.findIndex((i) => robot.joints[i].name === joint);
    return units((k < 0 ? page.actuators.map((i, n) => n) : [k]).map((n) => effort_unit(n) + per));
  };
  const where = (w) => {
    const who = w.joint ?? w.obstacle ?? w.term;
    if (!who || w.value === 0) return "";
    return who + (w.interval >= 0 && w.time !== null ? ` at ${significant(w.time, 3)} s` : "");
  };
  const rows = [], o = v.open_loop, e = v.energy, goal = page.goal;
  const put = (name, value, unit, place = "") => rows.push([name, {n: rough(value), unit}, place]);
  const worst = (name, w, unit, per) => put(name, w.value, unit(w.joint, per), where(w));
  worst("defect of positions", v.defect_q, unit_of, "");
  worst("defect of velocities", v.defect_v, unit_of, "/s");
  worst("start missed by", v.start, unit_of, "");
  if (goal.frame !== null) put("goal: position", v.goal.position, "m", robot.frames[goal.frame].name);
  if (goal.joints.some((x) => x !== null)) put("goal: joints", v.goal.joint, unit_of(null, ""));
  put("goal: speed left", v.goal.speed, unit_of(null, "/s"));
  put("goal: acceleration left", v.goal.acceleration, unit_of(null, "/s\u00b2"));
  worst("beyond position limits", v.q_limit, unit_of, "");
  worst("beyond velocity limits", v.v_limit, unit_of, "/s");
  worst("beyond torque limits", v.u_limit, effort_of, "");
  worst("beyond torque rate limits", v.u_rate, effort_of, "/s");
  if (page.obstacles.length) worst("least clearance", v.clearance, () => "m", "");
  if (v.constraint && v.constraint.term) worst("beyond a user's constraint", v.constraint, () => "", "");
  put("work of the actuators", e.work, "J");
  put("energy out of balance", e.imbalance, "J", `${rough(e.relative)} of what moved`);
  if (!o.completed) put("open loop: stopped at", o.end, "s", "no part of the verdict");
  else if (o.frame) put("open loop: off at the end", o.position, "m", o.frame);
  else put("open loop: off at the end", o.q, unit_of(o.joint, ""), o.joint ?? "");
  make_table("verification", ["replayed with " + v.formulation, {n: "value", unit: ""}, "where"], rows);
  if (!v.verified) {
    document.getElementById("verification").prepend(make("p", {class: "bad"}, `Failed: ${v.failure ?? ""}`));
  }
}

// ---- solves, problem ---------------------------------------------------------------------------

function show_solves() {
  const solves = result.strategy.solves, solved = /^(Solve_Succeeded|Solved_To_Acceptable_Level)$/;
  const seeds = solves.some((s) => "seed" in s), pushed = solves.some((s) => "pushed_joints" in s);
  const head = ["", {n: "intervals"}, {n: "rate weight"}];
  if (seeds) head.push({n: "seed"});
  if (pushed) head.push({n: "pushed"});
  head.push("status", {n: "iterations"}, {n: "objective"}, {n: "time"});
  const rows = solves.map((s, i) => {
    const row = [String(i + 1), {n: String(s.intervals)}, {n: significant(s.torque_rate, 3)}];
    if (seeds) row.push({n: "seed" in s ? String(s.seed) : ""});
    if (pushed) row.push({n: s.pushed_joints ? String(s.pushed_joints) : ""});
    row.push(s.status.replaceAll("_", " "), {n: String(s.iterations)}, {n: significant(s.objective, 8)},
             {n: `${significant(s.seconds, 3)} s`});
    return row;
  });
  make_table("solves", head, rows, (i) => !solved.test(solves[i].status));
  const t = result.timing, table = document.getElementById("solves");
  const parts = `Strategy: ${result.strategy.kind}. Of ${significant(t.total_s, 3)} s: setup ` +
    `${significant(t.setup_s, 3)}, functions ${significant(t.evaluation_s, 3)}, linear algebra ` +
    `${significant(t.linear_solver_s, 3)}.`;
  table.prepend(make("p", {class: "soft"}, parts));
  const fine = result.refinement;
  if (fine) {
    table.prepend(make("p", {class: "soft"}, `Grid refined from ${fine.intervals[0]} to ${fine.intervals[1]} ` +
      `intervals: objective ${significant(fine.unrefined_objective, 8)} on the task's grid, ` +
      `${significant(fine.objective, 8)} on this one.`));
  }
  show_optima(table);
}

// the distinct solutions of a multistart
function show_optima(place) {
  const optima = result.strategy.optima;
  if (!optima) return;
  const box = make("div", {id: "optima"});
  place.append(make("p", {}, `${optima.length} distinct optima`), box);
  make_table("optima", ["", {n: "objective"}, {n: "starts"}, {n: "motion away"}, "seeds"],
             optima.map((o, i) => [String(i + 1), {n: significant(o.objective, 8)}, {n: String(o.count)},
                                   {n: rough(o.distance)}, {wide: o.seeds.join(", ")}]));
}

function show_problem() {
  const p = result.problem;
  const cost = Object.entries(p.cost).filter(([, w]) => typeof w === "number" && w !== 0)
    .map(([name, w]) => `${name.replaceAll("_", " ")} ${significant(w, 4)}`).join(", ");
  const hash = (h) => (h ? ` (${h})` : "");
  const rows = [
    ["task", {wide: `${p.task}${hash(p.task_hash)}`}],
    ["robot", {wide: `${p.robot}${hash(p.robot_hash)}`}],
    ["cost weights", cost || "none"],
    ["nonlinear program", `${result.nlp.variables} variables, ${result.nlp.constraints} constraints, ` +
      `${result.nlp.jacobian_nonzeros} and ${result.nlp.hessian_nonzeros} nonzeros`],
    ["solver", `IPOPT ${p.ipopt}, ${p.linear_solver}`],
  ];
  make_table("problem", null, rows);
  document.getElementById("made").textContent = `Poise ${p.poise}. Keys: space plays, arrows step, Home and End.`;
  document.getElementById("save").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(result, null, 1)], {type: "application/json"}));
    make("a", {href: url, download: `${result.name}.result.json`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
}

// ---- sparsity ----------------------------------------------------------------------------------

function show_sparsity() {
  const names = {jacobian: "Jacobian of the constraints", hessian: "Hessian of the Lagrangian"};
  for (const [key, name] of Object.entries(names)) {
    const s = page.sparsity[key], [n_row, n_col] = s.size;
    const full = Math.max(1, Math.ceil(s.rows / Math.max(n_row, 1)) * Math.ceil(s.cols / Math.max(n_col, 1)));
    // four shades by how full a cell is
    const shades = ["", "", "", ""];
    for (let i = 0; i < s.cells.length; i += 3) {
      const [row, column, count] = s.cells.slice(i, i + 3);
      const shade = Math.min(3, Math.floor(4 * Math.sqrt(count / full)));
      shades[shade] += `M${column} ${row}h1v1h-1z`;
    }
    const tall = Math.min(2, Math.max(0.5, s.rows / Math.max(s.cols, 1)));
    const svg = make("svg", {viewBox: `0 0 ${Math.max(n_col, 1)} ${Math.max(n_row, 1)}`, role: "img",
                             preserveAspectRatio: "none", "aria-label": name, "shape-rendering": "crispEdges",
                             style: `aspect-ratio: ${1 / tall}`});
    shades.forEach((d, i) => {
      if (d) svg.append(make("path", {d, fill: "var(--accent)", opacity: 0.4 + 0.2 * i}));
    });
    const share = s.rows && s.cols ? (100 * s.nonzeros) / (s.rows * s.cols) : 0;
    const note = `${s.rows} \u00d7 ${s.cols}, ${s.nonzeros} nonzeros` +
      (key === "hessian" ? ", lower triangle" : ` (${significant(share, 2)} %)`);
    document.getElementById("sparsity").append(
      make("figure", {}, make("figcaption", {}, make("b", {}, name), note), svg));
  }
}

// SPDX-License-Identifier: MIT
// Figures and tables, and the pictures of the sparsity patterns.

// rows: arrays of cells; a cell is text, or {n: number text}, {wide: text}
function make_table(place, head, rows, bad = () => false) {
  const cell = (tag, c) => {
    if (typeof c === "object" && c !== null && "n" in c) return make(tag, {class: "n"}, c.n);
    if (typeof c === "object" && c !== null && "wide" in c) return make(tag, {class: "wide"}, c.wide);
    return make(tag, {}, c);
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
    put("largest defect", exponential(Math.max(v.defect_q.value ?? Infinity, v.defect_v.value ?? Infinity)));
    if (page.goal.frame !== null) put("goal missed by", exponential(v.goal.position), "m");
  }
  document.getElementById("subtitle").textContent =
    `${robot.name}: ${nv} joints, ${nu} actuated · ${result.formulation} · ` +
    `${result.problem.scheme} ${result.problem.degree} × ${result.problem.intervals} · ` +
    `${result.layout} layout`;
}

// ---- verification ------------------------------------------------------------------------------

function show_verification() {
  const v = result.verification;
  if (!v) {
    make_table("verification", null, [["not done"]], () => true);
    return;
  }
  const where = (w) => {
    const who = w.joint ?? w.obstacle;
    return w.interval < 0 && !who ? "" : `${who ?? ""}${w.time !== null ? ` at ${short(w.time)} s` : ""}`;
  };
  const rows = [], number = (x) => ({n: exponential(x)});
  const worst = (name, w, unit) => rows.push([name, number(w.value), unit, where(w)]);
  const o = v.open_loop, e = v.energy;
  worst("defect of positions", v.defect_q, "rad | m");
  worst("defect of velocities", v.defect_v, "rad/s | m/s");
  worst("start missed by", v.start, "");
  if (page.goal.frame !== null) {
    rows.push(["goal: position missed by", number(v.goal.position), "m", robot.frames[page.goal.frame].name]);
  }
  if (page.goal.joints.some((x) => x !== null)) {
    rows.push(["goal: joints missed by", number(v.goal.joint), "rad | m", ""]);
  }
  rows.push(["goal: speed left", number(v.goal.speed), "rad/s | m/s", ""]);
  rows.push(["goal: acceleration left", number(v.goal.acceleration), "rad/s² | m/s²", ""]);
  worst("beyond position limits", v.q_limit, "rad | m");
  worst("beyond velocity limits", v.v_limit, "rad/s | m/s");
  worst("beyond torque limits", v.u_limit, "N m | N");
  worst("beyond torque rate limits", v.u_rate, "N m/s | N/s");
  if (page.obstacles.length) worst("least clearance", v.clearance, "m");
  rows.push(["energy: work of the actuators", {n: significant(e.work, 4)}, "J", ""]);
  rows.push(["energy: imbalance", number(e.imbalance), "J", `${exponential(e.relative)} of what moved`]);
  rows.push([o.completed ? "open loop: off at the end" : "open loop: stopped early",
             number(o.completed ? o.position ?? o.q : o.end), o.completed ? "m" : "s",
             o.completed ? o.frame ?? "" : "no part of the verdict"]);
  if (!v.verified) rows.unshift(["failed", "", "", {wide: v.failure ?? ""}]);
  make_table("verification", ["replayed with " + v.formulation, {n: "value"}, "unit", "where"], rows,
             (i) => !v.verified && i === 0);
}

// ---- solves, problem ---------------------------------------------------------------------------

function show_solves() {
  const solves = result.strategy.solves, solved = /^(Solve_Succeeded|Solved_To_Acceptable_Level)$/;
  const seeds = solves.some((s) => "seed" in s), pushed = solves.some((s) => "pushed_joints" in s);
  const head = ["", {n: "rate weight"}];
  if (seeds) head.push({n: "seed"});
  if (pushed) head.push({n: "pushed"});
  head.push("status", {n: "iterations"}, {n: "objective"}, {n: "time"});
  const rows = solves.map((s, i) => {
    const row = [String(i + 1), {n: significant(s.torque_rate, 3)}];
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
  table.prepend(make("p", {style: "color: var(--soft); margin-bottom: 6px"}, parts));
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
    const note = `${s.rows} × ${s.cols}, ${s.nonzeros} nonzeros` +
      (key === "hessian" ? ", lower triangle" : ` (${significant(share, 2)} %)`);
    document.getElementById("sparsity").append(
      make("figure", {}, make("figcaption", {}, make("b", {}, name), note), svg));
  }
}

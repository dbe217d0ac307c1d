// SPDX-License-Identifier: MIT
// Puts the page of a solve together.

const result = page.result;
set_path(result.trajectory);
scene.load();

// ---- plots over time ---------------------------------------------------------------------------

const samples = (() => {
  const per = Math.max(1, Math.min(6, Math.ceil(600 / (path.time.length - 1)))), out = [];
  for (let k = 0; k + 1 < path.time.length; k++) {
    for (let i = 0; i < per; i++) {
      const t = path.time[k] + ((path.time[k + 1] - path.time[k]) * i) / per;
      out.push({t, ...state_at(t, k), u: control_at(t, k)});
    }
  }
  const last = path.time.length - 2;
  out.push({t: horizon, ...state_at(horizon, last), u: control_at(horizon, last)});
  return out;
})();

// constant controls are stairs
function control_points(k) {
  if (path.control !== "constant") return samples.map((s) => [s.t, s.u[k]]);
  return path.u.flatMap((u, i) => [[path.time[i], u[k]], [path.time[i + 1], u[k]]]);
}

function trajectory_plots() {
  const all = robot.joints.map((j, i) => i), x_range = [0, horizon], x = "time [s]";
  const joint_series = (key, per) => all.map((i) => ({
    name: robot.joints[i].name, unit: joint_unit(i) + per, limits: page.limits[key][i],
    points: samples.map((s) => [s.t, s[key][i]]), value: (t) => state_at(t)[key][i],
  }));
  const plot = (id, title, name, series) => make_plot(document.getElementById(id), {
    title, series, x, x_range, timed: true, y: `${name} [${units(series.map((s) => s.unit))}]`,
    note: series.some((s) => s.limits.some((l) => l !== null)) ? "limits dashed; point at a name for its own" : "no limits",
  });
  const forces = page.actuators.map((joint, k) => ({
    name: robot.joints[joint].name, unit: effort_unit(k), limits: page.limits.u[k],
    points: control_points(k), value: (t) => control_at(t)[k],
  }));
  const turning = forces.filter((s) => s.unit === "N m").length;
  const effort = turning === forces.length ? "Torques" : turning ? "Torques and forces" : "Forces";
  return [
    plot("plot-q", "Joint positions", "position", joint_series("q", "")),
    plot("plot-v", "Joint velocities", "velocity", joint_series("v", "/s")),
    plot("plot-u", effort, effort.toLowerCase().replace(/s\b/g, ""), forces),
  ];
}

// ---- plots of the solve ------------------------------------------------------------------------

function history_plots() {
  const history = result.history, n = history.length;
  if (!n) {
    document.getElementById("plot-objective").replaceChildren("No iterations were recorded.");
    return;
  }
  const x_range = [0, Math.max(n - 1, 1)], x = "iteration";
  const series = (name, key) => {
    const values = history.map((it) => missing(it[key]));
    // a gap between solves
    const points = values.flatMap((v, i) =>
      i && history[i].solve !== history[i - 1].solve ? [[i - 0.5, NaN], [i, v]] : [[i, v]]);
    return {name, unit: "", points, value: (i) => values[i] ?? NaN};
  };
  const objective = series("objective", "objective");
  const all = objective.points.map(([, y]) => y).filter((y) => !Number.isNaN(y));
  const log = all.every((y) => y > 0) && Math.max(...all) > 20 * Math.min(...all);
  const solves = result.strategy.solves.length;
  const note = solves > 1 ? `${solves} solves, one after the other` : "";
  make_plot(document.getElementById("plot-objective"), {
    title: "Objective", series: [objective], x, x_range, log, whole: true, y: "objective", height: 160, note,
  });
  make_plot(document.getElementById("plot-residuals"), {
    title: "Residuals", x, x_range, log: true, whole: true, y: "residual", height: 200, note,
    series: [series("inf_pr", "inf_pr"), series("inf_du", "inf_du"), series("mu", "mu")],
  });
}

function error_plot() {
  const intervals = result.verification && result.verification.intervals;
  const figure = document.getElementById("plot-error");
  if (!intervals) {
    figure.remove();
    return null;
  }
  const series = (name, values) => ({
    name, unit: "", value: (t) => missing(values[interval_at(t)]),
    points: values.flatMap((v, k) => [[path.time[k], missing(v)], [path.time[k + 1], missing(v)]]),
  });
  return make_plot(figure, {
    title: "Error of each interval", x: "time [s]", x_range: [0, horizon], log: true, y: "error", height: 170,
    series: [series("of the polynomials", intervals.error), series("defect q", intervals.defect_q),
             series("defect v", intervals.defect_v)],
  });
}

// ---- go ----------------------------------------------------------------------------------------

if (document.body.classList.contains("bad")) {
  const warning = document.getElementById("warning");
  warning.textContent = result.solved ? "NOT VERIFIED" : "NOT SOLVED";
  warning.hidden = false;
}
show_figures();
show_verification();
show_solves();
show_problem();
show_sparsity();
player.load();
player.watch(trajectory_plots());
history_plots();
error_plot();

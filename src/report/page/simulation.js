// SPDX-License-Identifier: MIT
// Puts the page of a simulation together: figures, plots over time.

const result = page.result;
set_path(result.trajectory);
scene.load();

function simulation_figures() {
  const list = document.getElementById("figures");
  const put = (name, value, unit = "") => {
    const dd = make("dd", {}, value);
    if (unit) dd.append(make("small", {}, " " + unit));
    list.append(make("div", {}, make("dt", {}, name), dd));
  };
  put("simulated", short(horizon), "s");
  put("steps", String(result.steps));
  put("operations", String(result.operations), "an evaluation");
  put("time taken", significant(result.seconds, 3), "s");
  put("energy drift", rough(result.drift), "J");
  if (result.off) put("loops apart by", rough(result.worst));
}

function simulation_plots() {
  const all = robot.joints.map((j, i) => i), x_range = [0, horizon], x = "time [s]";
  const plot = (id, options) => make_plot(document.getElementById(id), {x, x_range, timed: true, ...options});
  const near = (t) => {
    const k = interval_at(t);
    return t - path.time[k] > path.time[k + 1] - t ? k + 1 : k;
  };
  const joint_series = (key, per) => all.map((i) => ({
    name: robot.joints[i].name, unit: joint_unit(i) + per, limits: [null, null],
    points: path.time.map((t, k) => [t, path[key][k][i]]), value: (t) => state_at(t)[key][i],
  }));
  const y = (name, series) => `${name} [${units(series.map((s) => s.unit))}]`;
  const q = joint_series("q", ""), v = joint_series("v", "/s");
  const out = [
    plot("plot-q", {title: "Joint positions", series: q, y: y("position", q)}),
    plot("plot-v", {title: "Joint velocities", series: v, y: y("velocity", v)}),
  ];
  const energy = result.energy.map((e) => missing(e) - missing(result.energy[0]));
  out.push(plot("plot-energy", {
    title: "Energy", y: "T + V beyond the start [J]", height: 150,
    series: [{name: "energy", unit: "J", limits: [null, null], points: path.time.map((t, k) => [t, energy[k]]),
              value: (t) => energy[near(t)]}],
  }));
  if (!result.off) {
    document.getElementById("plot-off").remove();
    return out;
  }
  const least = 1e-18;  // what a logarithm shows of nothing
  const off = ["position", "velocity", "acceleration"].map((name, i) => {
    const values = result.off.map((row) => Math.max(missing(row[i]), least));
    return {name, unit: "", points: path.time.map((t, k) => [t, values[k]]), value: (t) => values[near(t)]};
  });
  out.push(plot("plot-off", {title: "What loops are apart", series: off, log: true, y: "violation", height: 180}));
  return out;
}

simulation_figures();
player.load();
player.watch(simulation_plots());

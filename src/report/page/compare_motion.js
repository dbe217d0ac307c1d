// SPDX-License-Identifier: MIT
// The motion of the chosen run: unpacked, in 3D among the targets, with its torques.

// ---- unpacking ---------------------------------------------------------------------------------

let motion_bytes = null;  // all motions; unpacked when the first one is wanted

// one motion as a trajectory of a result file. Between nodes q is the cubic through positions and slopes: as
// points of a collocation with places 0, 1/2, 1 it is what state_at expects
function unpack_motion(offset) {
  if (!motion_bytes) {
    const text = atob(document.getElementById("motions").textContent.replace(/\s+/g, ""));
    motion_bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) motion_bytes[i] = text.charCodeAt(i);
  }
  const data = new DataView(motion_bytes.buffer);
  let at = offset;
  const word = () => { at += 2; return data.getUint16(at - 2, true); };
  const number = () => { at += 4; return data.getFloat32(at - 4, true); };
  const nodes = word(), controls = word(), even = word();
  word();
  const end = number(), time = [];
  for (let k = 0; k < nodes; k++) time.push(even ? (end * k) / (nodes - 1) : (end * word()) / 65535);
  const channel = (n) => {
    const low = number(), step = number();
    return Array.from({length: n}, () => low + step * word());
  };
  const by_rows = (columns, n) => Array.from({length: n}, (_, k) => columns.map((c) => c[k]));
  const q = by_rows(robot.joints.map(() => channel(nodes)), nodes);
  const u = by_rows(page.actuators.map(() => channel(controls)), controls);
  const kinds = {[nodes - 1]: "constant", [nodes]: "linear"};
  return {time, q, u, ...slopes(time, q), control: kinds[controls] ?? "quadratic"};
}

// velocities at the nodes by differences, and in the middle so that positions meet (Simpson)
function slopes(time, q) {
  const n = q.length, v = q.map((row, k) => {
    const a = Math.max(0, k - 1), b = Math.min(n - 1, k + 1);
    return row.map((_, i) => (q[b][i] - q[a][i]) / (time[b] - time[a]));
  });
  const points = {place: [0, 0.5, 1], v: [], a: []};
  for (let k = 0; k + 1 < n; k++) {
    const h = time[k + 1] - time[k];
    const middle = v[k].map((x, i) => (6 * (q[k + 1][i] - q[k][i])) / (4 * h) - (x + v[k + 1][i]) / 4);
    points.v.push(v[k], middle, v[k + 1]);
    // slopes of the parabola through the three
    const bend = (s) => v[k].map((x, i) => (x * (4 * s - 3) + middle[i] * (4 - 8 * s) + v[k + 1][i] * (4 * s - 1)) / h);
    points.a.push(bend(0), bend(0.5), bend(1));
  }
  return {v, points};
}

// ---- plots -------------------------------------------------------------------------------------

function curve_plot(title, y, series) {
  const figure_of = make("figure", {class: "plot"});
  document.getElementById("curves").append(figure_of);
  return make_plot(figure_of, {title, series, x: "time [s]", x_range: [0, horizon], timed: true, y, height: 170});
}

function show_curves() {
  document.getElementById("curves").replaceChildren();
  const last = path.time.length - 1;
  const torque = page.actuators.map((joint, k) => ({
    name: robot.joints[joint].name, unit: effort_unit(k), limits: page.limits.u[k], value: (t) => control_at(t)[k],
    points: path.control === "constant" ? path.u.flatMap((u, i) => [[path.time[i], u[k]], [path.time[i + 1], u[k]]])
      : path.control === "linear" ? path.u.map((u, i) => [path.time[i], u[k]])
      : path.u.map((u, i) => [(path.time[i >> 1] + path.time[Math.min(last, (i + 1) >> 1)]) / 2, u[k]]),
  }));
  const position = robot.joints.map((j, i) => ({
    name: j.name, unit: joint_unit(i), limits: page.limits.q[i], value: (t) => state_at(t).q[i],
    points: path.q.map((q, k) => [path.time[k], q[i]]),
  }));
  const units_of = (series) => [...new Set(series.map((s) => s.unit))].join(" | ");
  player.watch([curve_plot("Torques", `torque [${units_of(torque)}]`, torque),
                curve_plot("Joint positions", `position [${units_of(position)}]`, position)]);
}

// ---- the chosen run ----------------------------------------------------------------------------

// the frame that is at the target in the end
function find_traced_frame(target) {
  if (!target) return;
  const bodies = placements(path.q[path.q.length - 1]);
  let least = Infinity;
  robot.frames.forEach((f, i) => {
    const far = norm(sub(frame_at(i, bodies), target));
    if (far < least - 1e-6) least = far, traced_frame = i;
  });
}

function show_motion(play) {
  const run = chosen.point < 0 ? -1 : run_at(chosen.kase, chosen.point);
  const warning = document.getElementById("warning"), target = page.points.target[chosen.point] ?? null;
  player.stop();
  warning.hidden = run >= 0 && runs.motion[run] >= 0;
  if (run < 0) warning.textContent = "NO RUN";
  else if (!runs.good[run]) warning.textContent = runs.status[run] === 0 ? "" : "NOT SOLVED OR NOT VERIFIED";
  else if (runs.motion[run] < 0) warning.textContent = "MOTION NOT IN THIS PAGE";
  page.goal.position = target ?? [null, null, null];
  page.goal.frame = target ? Math.max(traced_frame, 0) : null;
  if (run < 0 || runs.motion[run] < 0) {
    document.getElementById("curves").replaceChildren();
    player.watch([]);
    if (path) scene.draw();
    return;
  }
  set_path(unpack_motion(runs.motion[run]));
  find_traced_frame(target);
  if (target) page.goal.frame = traced_frame;
  scene.load();
  player.load();
  show_curves();
  if (play && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.toggle();
}

function show_marks() {
  const with_target = page.points.target.map((t, p) => [t, p]).filter(([t]) => t);
  const scale = map_scale ?? colour_scale();
  scene.set_marks(with_target.map(([t, p]) => {
    const value = shown_value(run_at(chosen.kase, p), chosen.measure);
    return {at: t, fill: Number.isFinite(value) ? scale.colour(value) : "#88888866", chosen: p === chosen.point};
  }), (i) => choose_run(chosen.kase, with_target[i][1], true));
}

watchers.push((what) => {
  if (what.group || what.measure || what.run) show_marks();
  if (what.run) show_motion(what.play);
});

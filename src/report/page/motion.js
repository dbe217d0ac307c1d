// SPDX-License-Identifier: MIT
// A trajectory as a function of time, and where the robot's parts are at a time.
const robot = page.robot, nv = robot.joints.length, nu = page.actuators.length;
let path = null, horizon = 0, polynomials = [];  // the trajectory that is shown

// shows another trajectory, as in a result file, or without polynomials, as of a simulation
function set_path(trajectory) {
  path = trajectory;
  for (const key of ["q", "v", "u"]) path[key] = path[key].map((row) => row.map(missing));
  horizon = path.time[path.time.length - 1];
  if (!path.points) return;
  for (const key of ["v", "a"]) path.points[key] = path.points[key].map((row) => row.map(missing));
  polynomials = lagrange_polynomials(path.points.place);
}

const joint_unit = (i) => (robot.joints[i].type === "revolute" ? "rad" : "m");
const effort_unit = (k) => (robot.joints[page.actuators[k]].type === "revolute" ? "N m" : "N");

// ---- the trajectory ----------------------------------------------------------------------------

// coefficients, lowest power first, of the Lagrange polynomials on the points of an interval
function lagrange_polynomials(place) {
  return place.map((own, j) => {
    let c = [1];
    place.forEach((other, i) => {
      if (i === j) return;
      const next = new Array(c.length + 1).fill(0);
      c.forEach((x, k) => {
        next[k] -= (x * other) / (own - other);
        next[k + 1] += x / (own - other);
      });
      c = next;
    });
    return c;
  });
}

const polynomial_value = (c, s) => c.reduceRight((sum, x) => sum * s + x, 0);
const polynomial_integral = (c, s) => s * c.reduceRight((sum, x, k) => sum * s + x / (k + 1), 0);

// interval that holds a time: the one that begins there; the last one at the end
function interval_at(t) {
  let low = 0, high = path.time.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (path.time[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

// cubics through positions and speeds at both ends of an interval of length h
function between(k, h, s) {
  const a = 2 * s * s * s - 3 * s * s + 1, b = s * (1 - s) * (1 - s), c = s * s * (s - 1);
  const q = path.q[k].map((x, i) =>
    a * x + (1 - a) * path.q[k + 1][i] + h * (b * path.v[k][i] + c * path.v[k + 1][i]));
  const v = path.v[k].map((x, i) => x + s * (path.v[k + 1][i] - x));
  return {q, v};
}

// q and v by the collocation polynomials of the interval: x_k + h sum_j x'_kj int_0^s l_j
function state_at(t, k = interval_at(t)) {
  const h = path.time[k + 1] - path.time[k], s = Math.min(1, Math.max(0, (t - path.time[k]) / h));
  if (!path.points) return between(k, h, s);
  const weights = polynomials.map((c) => h * polynomial_integral(c, s)), d = weights.length;
  const q = path.q[k].slice(), v = path.v[k].slice();
  for (let j = 0; j < d; j++) {
    const pv = path.points.v[k * d + j], pa = path.points.a[k * d + j];
    for (let i = 0; i < nv; i++) {
      q[i] += weights[j] * pv[i];
      v[i] += weights[j] * pa[i];
    }
  }
  return {q, v};
}

// controls: constant, linear or quadratic in the interval
function control_at(t, k = interval_at(t)) {
  if (path.control === "constant") return path.u[k];
  const s = (t - path.time[k]) / (path.time[k + 1] - path.time[k]);
  if (path.control === "linear") {
    return path.u[k].map((x, i) => x + s * (path.u[k + 1][i] - x));
  }
  const [a, b, c] = [path.u[2 * k], path.u[2 * k + 1], path.u[2 * k + 2]];
  return a.map((x, i) =>
    x * (1 - s) * (1 - 2 * s) + b[i] * 4 * s * (1 - s) + c[i] * s * (2 * s - 1));
}

// ---- kinematics: matrices by rows --------------------------------------------------------------

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const turn = (r, a) => [0, 3, 6].map((i) => r[i] * a[0] + r[i + 1] * a[1] + r[i + 2] * a[2]);

function product(a, b) {
  const c = new Array(9);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
  }
  return c;
}

// rotation by an angle about a unit axis (Rodrigues)
function rotation([x, y, z], angle) {
  const c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  return [c + x * x * d, x * y * d - z * s, x * z * d + y * s,
          y * x * d + z * s, c + y * y * d, y * z * d - x * s,
          z * x * d - y * s, z * y * d + x * s, c + z * z * d];
}

const WORLD = {r: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [0, 0, 0]};
const in_world = (placement, point) => add(placement.p, turn(placement.r, point));

// placement of every body in the world
function placements(q) {
  const out = [];
  robot.joints.forEach((joint, i) => {
    const base = joint.parent < 0 ? WORLD : out[joint.parent];
    const r = product(base.r, joint.rot), p = in_world(base, joint.pos);
    out.push(joint.type === "revolute" ? {r: product(r, rotation(joint.axis, q[i])), p}
                                       : {r, p: add(p, scale(turn(r, joint.axis), q[i]))});
  });
  return out;
}

const frame_at = (f, bodies) =>
  in_world(robot.frames[f].body < 0 ? WORLD : bodies[robot.frames[f].body], robot.frames[f].pos);

// the frame whose way is drawn: the goal's, else the outermost one of the last body that has any
let traced_frame = (() => {
  if (page.goal.frame !== null) return page.goal.frame;
  let best = -1;
  robot.frames.forEach((f, i) => {
    if (f.body >= 0 && (best < 0 || f.body > robot.frames[best].body ||
        (f.body === robot.frames[best].body && norm(f.pos) > norm(robot.frames[best].pos)))) best = i;
  });
  return best;
})();

// ---- the figure: what is drawn of each body ----------------------------------------------------

// links: segments in the axes of a body (-1: the world), from its joint to the next ones, to its frames
// or, at the ends of the tree, to the centre of mass; masses: centres of mass at the ends;
// ties: loops, joints like the others when they are drawn
const figure = (() => {
  const links = [], masses = [], joints = [], ties = [];
  const children = robot.joints.map(() => 0), tied = new Set(robot.loops.flatMap((loop) => loop.bodies));
  const link = (body, from, to) => {
    if (norm(sub(to, from)) > 1e-9) links.push({body, from, to});
  };
  robot.joints.forEach((joint) => {
    if (joint.parent >= 0) children[joint.parent]++;
    link(joint.parent, [0, 0, 0], joint.pos);
  });
  robot.joints.forEach((joint, i) => {
    const body = robot.bodies[i];
    if (joint.type === "revolute") joints.push(i);
    const far = robot.frames.filter((f) => f.body === i && norm(f.pos) > 1e-9);
    far.forEach((f) => link(i, [0, 0, 0], f.pos));
    if (children[i] || tied.has(i) || !(norm(body.com) > 1e-9)) return;
    if (!far.length) link(i, [0, 0, 0], body.com);
    if (body.mass > 0) masses.push({body: i, at: body.com});
  });
  // loops: a link to each of their two ends, and a tie where they keep a distance
  robot.loops.forEach((loop) => {
    loop.bodies.forEach((body, side) => { if (body >= 0) link(body, [0, 0, 0], loop.pos[side]); });
    ties.push(loop);
  });
  return {links, masses, joints, ties};
})();

const loop_end = (loop, side, bodies) =>
  in_world(loop.bodies[side] < 0 ? WORLD : bodies[loop.bodies[side]], loop.pos[side]);

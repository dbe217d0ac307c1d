// SPDX-License-Identifier: MIT
// The robot in 3D on a canvas: perspective, far things first. z is up.
const scene = (() => {
  const canvas = document.getElementById("scene"), pen = canvas.getContext("2d");
  const ghosts = document.getElementById("ghosts");
  const N_GHOST = 6, N_WAY = 240;
  let colour = {}, width = 1, height = 1, now = 0, queued = false;

  // ---- what a trajectory brings: way of the frame, extent of the motion -------------------------

  const finite = (p) => p.every(Number.isFinite);
  const spheres = page.obstacles.filter((o) => "radius" in o);
  const walls = page.obstacles.filter((o) => "normal" in o);
  let poses = [], way = [], goal_bodies = null, marks = [], picked = null;
  let low, high, centre = [0, 0, 0], extent = [1, 1, 1], size = 1, ground = 0, thick = 0.05;
  let grid_step = 0.1;

  function reach(p, margin = 0) {
    if (!finite(p)) return;
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], p[i] - margin);
      high[i] = Math.max(high[i], p[i] + margin);
    }
  }

  // a motion in a plane is looked at from the front, any other from above a corner
  const home = {azimuth: -0.9, elevation: 0.38}, camera = {...home, zoom: 1};
  const views = {
    home, x: {azimuth: 0, elevation: 0}, y: {azimuth: -Math.PI / 2, elevation: 0},
    z: {azimuth: -Math.PI / 2, elevation: Math.PI / 2 - 1e-4},
  };

  function sample() {
    poses = [], way = [];
    for (let i = 0; i <= N_WAY; i++) {
      const bodies = placements(state_at((horizon * i) / N_WAY).q);
      if (traced_frame >= 0) way.push(frame_at(traced_frame, bodies));
      if (i % 8 === 0) poses.push(bodies);
    }
    goal_bodies = page.goal.joints.some((x) => x !== null)
      ? placements(path.q[path.q.length - 1].map((x, i) => page.goal.joints[i] ?? x)) : null;
  }

  function measure() {
    low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const bodies of poses) {
      bodies.forEach((b) => reach(b.p));
      for (const l of figure.links) reach(in_world(l.body < 0 ? WORLD : bodies[l.body], l.to));
    }
    robot.joints.forEach((j) => { if (j.parent < 0) reach(j.pos); });
    way.forEach((p) => reach(p));
    marks.forEach((m) => reach(m.at));
    spheres.forEach((o) => reach(o.center, o.radius));
    if (page.goal.frame !== null && page.goal.position.every((x) => x !== null)) reach(page.goal.position);
    if (!finite(low) || !finite(high)) low.fill(-0.5), high.fill(0.5);
    centre = scale(add(low, high), 0.5), extent = sub(high, low);
    size = Math.max(0.5 * norm(extent), 1e-3);
    ground = low[2] > -1e-6 * size ? Math.min(0, low[2]) : low[2] - 0.08 * size;
    thick = 0.045 * size;
    grid_step = nice_step((2 * size) / 6);
  }

  // takes over the trajectory that is shown now; later ones are looked at from the same place
  let begun = false;
  function load() {
    sample();
    if (!begun || !marks.length) measure();
    if (!begun) {
      if (extent[1] < 0.05 * size) Object.assign(home, {azimuth: -Math.PI / 2 + 0.22, elevation: 0.16});
      else if (extent[0] < 0.05 * size) Object.assign(home, {azimuth: 0.22, elevation: 0.16});
      Object.assign(camera, home);
    }
    begun = true;
    draw();
  }

  // ---- camera ----------------------------------------------------------------------------------

  let eye, ahead, right, up, focus;
  function aim() {
    const ce = Math.cos(camera.elevation), se = Math.sin(camera.elevation);
    const ca = Math.cos(camera.azimuth), sa = Math.sin(camera.azimuth);
    ahead = [-ce * ca, -ce * sa, -se];
    right = [-sa, ca, 0];
    up = cross(right, ahead);
    const distance = 4 * size;
    focus = (camera.zoom * 0.46 * Math.min(width, height) * distance) / size;
    // wide windows have room for wide motions
    focus *= Math.min(1.25, Math.max(1, width / height));
    eye = sub(centre, scale(ahead, distance));
  }

  // x, y on the canvas, depth, and pixels per metre there
  function project(p) {
    const d = sub(p, eye), depth = dot(d, ahead), s = focus / Math.max(depth, 1e-6);
    return {x: width / 2 + s * dot(d, right), y: height / 2 - s * dot(d, up), depth, s};
  }

  // ---- pieces ----------------------------------------------------------------------------------

  function line(points, style, line_width, dash = []) {
    pen.strokeStyle = style;
    pen.lineWidth = line_width;
    pen.setLineDash(dash);
    pen.beginPath();
    let begun = false;
    for (const p of points) {
      const s = finite(p) ? project(p) : null;
      if (!s || s.depth < 0.05 * size) begun = false;
      else if (begun) pen.lineTo(s.x, s.y);
      else pen.moveTo(s.x, s.y), begun = true;
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  function disc(p, radius, fill, stroke) {
    const s = project(p);
    if (!finite(p) || s.depth < 0.05 * size) return;
    pen.beginPath();
    pen.arc(s.x, s.y, Math.max(radius * s.s, 1.5), 0, 2 * Math.PI);
    if (fill) pen.fillStyle = fill, pen.fill();
    if (stroke) pen.strokeStyle = stroke, pen.lineWidth = 1.6, pen.stroke();
  }

  function quad(middle, a, b, style) {
    const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([i, j]) =>
      project(add(middle, add(scale(a, i), scale(b, j)))));
    pen.beginPath();
    corners.forEach((c, i) => (i ? pen.lineTo(c.x, c.y) : pen.moveTo(c.x, c.y)));
    pen.closePath();
    pen.fillStyle = style;
    pen.fill();
  }

  function label(p, text, style) {
    const s = project(p);
    pen.fillStyle = style;
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(text, s.x + 4, s.y - 4);
  }

  function draw_ground() {
    const n = 6, x0 = Math.round(centre[0] / grid_step) * grid_step;
    const y0 = Math.round(centre[1] / grid_step) * grid_step, r = n * grid_step;
    for (let i = -n; i <= n; i++) {
      const o = i * grid_step, fade = colour.line;
      line([[x0 + o, y0 - r, ground], [x0 + o, y0 + r, ground]], fade, 1);
      line([[x0 - r, y0 + o, ground], [x0 + r, y0 + o, ground]], fade, 1);
    }
  }

  function draw_axes() {
    const l = 0.3 * size;
    [["x", [l, 0, 0], colour.c6], ["y", [0, l, 0], colour.c2], ["z", [0, 0, l], colour.c0]]
      .forEach(([name, tip, style]) => {
        line([[0, 0, 0], tip], style, 1.4);
        label(tip, name, style);
      });
  }

  // rails of prismatic joints, along limits or the way travelled
  function draw_rails(bodies) {
    robot.joints.forEach((joint, i) => {
      if (joint.type !== "prismatic") return;
      const base = joint.parent < 0 ? WORLD : bodies[joint.parent];
      const all = path.q.map((q) => q[i]).filter(Number.isFinite);
      const [a, b] = page.limits.q[i];
      const end = (q) => in_world(base, add(joint.pos, turn(joint.rot, scale(joint.axis, q))));
      const from = Math.min(...all) - 0.15 * size, to = Math.max(...all) + 0.15 * size;
      line([end(a === null ? from : Math.max(a, from - size)),
            end(b === null ? to : Math.min(b, to + size))], colour.joint, 2);
    });
  }

  // one posture in one colour, for ghosts and shadows
  function outline(bodies, style, line_width, flat = false) {
    pen.lineCap = "round";
    for (const l of figure.links) {
      const at = l.body < 0 ? WORLD : bodies[l.body];
      const ends = [in_world(at, l.from), in_world(at, l.to)];
      line(flat ? ends.map((p) => [p[0], p[1], ground]) : ends, style, line_width);
    }
  }

  // ---- the robot: pieces sorted by depth -------------------------------------------------------

  // half the length of the longest link at each joint
  const longest = robot.joints.map((joint, i) => Math.max(0, ...figure.links
    .filter((l) => l.body === i || (l.body === joint.parent && norm(sub(l.to, joint.pos)) < 1e-9))
    .map((l) => 0.5 * norm(sub(l.to, l.from)))));

  function pieces(bodies) {
    const list = [];
    const put = (p, draw, nearer = 0) => {
      if (finite(p)) list.push({depth: project(p).depth - nearer, draw});
    };
    for (const l of figure.links) {
      const at = l.body < 0 ? WORLD : bodies[l.body];
      const a = in_world(at, l.from), b = in_world(at, l.to), middle = scale(add(a, b), 0.5);
      put(middle, () => {
        const w = Math.max(thick * project(middle).s, 3);
        line([a, b], colour.card, w + 2.5);
        line([a, b], l.body < 0 ? colour.joint : colour.body, w);
      });
    }
    robot.joints.forEach((joint, i) => {
      const p = bodies[i].p;
      if (joint.type === "prismatic") {
        put(p, () => draw_box(bodies[i], 1.6 * thick), thick);
      }
      if (joint.parent < 0 && joint.type === "revolute") {
        put(p, () => disc(p, 1.25 * thick, colour.joint, colour.card));
      }
    });
    for (const i of figure.joints) {
      // before the links that meet in it
      const p = bodies[i].p, driven = robot.joints[i].actuated;
      put(p, () => disc(p, 0.72 * thick, driven ? colour.accent : colour.card,
                        driven ? colour.card : colour.accent), thick + longest[i]);
    }
    for (const loop of figure.ties) {
      const ends = [0, 1].map((side) => loop_end(loop, side, bodies));
      const middle = scale(add(...ends), 0.5);
      if (loop.type === "distance") put(middle, () => line(ends, colour.joint, 3));
      else put(middle, () => disc(middle, 0.72 * thick, colour.card, colour.c2), 2 * thick);
    }
    for (const m of figure.masses) {
      const p = in_world(bodies[m.body], m.at);
      put(p, () => disc(p, 0.95 * thick, colour.c1, colour.card), thick);
    }
    for (const o of spheres) put(o.center, () => draw_sphere(o));
    return list.sort((a, b) => b.depth - a.depth);
  }

  function draw_box(at, half) {
    const corner = (x, y, z) => project(in_world(at, [x * half * 1.6, y * half, z * half]));
    const faces = [];
    for (const axis of [0, 1, 2]) {
      for (const side of [-1, 1]) {
        const face = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => {
          const c = [0, 0, 0];
          c[axis] = side, c[(axis + 1) % 3] = a, c[(axis + 2) % 3] = b;
          return corner(...c);
        });
        faces.push({face, depth: face.reduce((sum, c) => sum + c.depth, 0)});
      }
    }
    faces.sort((a, b) => b.depth - a.depth);
    for (const {face} of faces) {
      pen.beginPath();
      face.forEach((c, i) => (i ? pen.lineTo(c.x, c.y) : pen.moveTo(c.x, c.y)));
      pen.closePath();
      pen.fillStyle = colour.body;
      pen.fill();
      pen.strokeStyle = colour.card;
      pen.lineWidth = 1;
      pen.stroke();
    }
  }

  function draw_sphere(o) {
    const s = project(o.center), r = o.radius * s.s;
    const shade = pen.createRadialGradient(s.x - 0.35 * r, s.y - 0.35 * r, 0.1 * r, s.x, s.y, r);
    shade.addColorStop(0, colour.c4 + "dd");
    shade.addColorStop(1, colour.c4 + "66");
    disc(o.center, o.radius, shade, colour.c4);
  }

  function draw_walls() {
    for (const o of walls) {
      const n = o.normal, off = dot(n, centre) - o.offset;
      const side = Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], a = cross(n, side);
      const unit = scale(a, 1 / norm(a));
      quad(sub(centre, scale(n, off)), scale(unit, size), scale(cross(n, unit), size),
           colour.c4 + "33");
    }
  }

  // other targets, coloured: {at, fill, chosen}
  function draw_marks() {
    const seen = marks.map((m) => ({...m, ...project(m.at)})).sort((a, b) => b.depth - a.depth);
    for (const m of seen) {
      disc(m.at, 0.018 * size, m.fill, m.chosen ? colour.ink : null);
    }
  }

  // the mark nearest to a place on the canvas; -1 if none is near
  function mark_at(x, y) {
    let best = -1, least = 14;
    marks.forEach((m, i) => {
      const p = project(m.at), far = Math.hypot(p.x - x, p.y - y);
      if (far < least) least = far, best = i;
    });
    return best;
  }

  // a point, or the line or plane that the goal allows
  function draw_goal() {
    if (goal_bodies) {
      pen.globalAlpha = 0.5;
      outline(goal_bodies, colour.good, 3);
      pen.globalAlpha = 1;
      if (traced_frame >= 0 && page.goal.frame === null) mark_goal(frame_at(traced_frame, goal_bodies));
    }
    if (page.goal.frame === null) return;
    const free = [0, 1, 2].filter((i) => page.goal.position[i] === null);
    const p = page.goal.position.map((x, i) => x ?? centre[i]);
    const unit = (i) => [0, 1, 2].map((j) => (i === j ? size : 0));
    if (free.length === 0) mark_goal(p);
    if (free.length === 1) line([sub(p, unit(free[0])), add(p, unit(free[0]))], colour.good, 2, [6, 4]);
    if (free.length === 2) quad(p, unit(free[0]), unit(free[1]), colour.good + "2a");
  }

  function mark_goal(p) {
    if (!finite(p)) return;
    const s = project(p), r = 9;
    pen.strokeStyle = colour.good;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(s.x, s.y, r, 0, 2 * Math.PI);
    for (const [x, y] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(s.x + 0.55 * r * x, s.y + 0.55 * r * y);
      pen.lineTo(s.x + 1.5 * r * x, s.y + 1.5 * r * y);
    }
    pen.stroke();
  }

  function draw_key() {
    const items = [["dot", colour.accent, "actuated"], ["ring", colour.accent, "passive"]];
    if (figure.ties.length) items.push(["ring", colour.c2, "closes a loop"]);
    if (figure.masses.length) items.push(["dot", colour.c1, "end mass"]);
    if (page.goal.frame !== null || goal_bodies) items.push(["ring", colour.good, "goal"]);
    if (way.length) items.push(["line", colour.c3, `way of ${robot.frames[traced_frame].name}`]);
    if (page.obstacles.length) items.push(["dot", colour.c4, "obstacle"]);
    items.push(["none", "", `grid ${short(grid_step)} m`]);
    pen.font = "11px system-ui, sans-serif";
    let x = 12, y = height - 12;
    const total = items.reduce((sum, [, , text]) => sum + pen.measureText(text).width + 28, 0);
    if (total > width - 12) y -= 16;
    for (const [kind, style, text] of items) {
      const w = pen.measureText(text).width + 28;
      if (x + w > width) x = 12, y += 16;
      pen.strokeStyle = pen.fillStyle = style;
      pen.lineWidth = 2;
      pen.beginPath();
      if (kind === "line") pen.moveTo(x - 2, y - 4), pen.lineTo(x + 9, y - 4), pen.stroke();
      else if (kind !== "none") pen.arc(x + 4, y - 4, 3.6, 0, 2 * Math.PI);
      if (kind === "dot") pen.fill();
      if (kind === "ring") pen.stroke();
      pen.fillStyle = colour.soft;
      pen.fillText(text, kind === "none" ? x - 2 : x + 13, y);
      x += w;
    }
  }

  // ---- a picture -------------------------------------------------------------------------------

  function read_colours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["card", "ink", "soft", "line", "accent", "good", "body", "joint", "shadow",
                        "c0", "c1", "c2", "c3", "c4", "c6"]) {
      colour[name] = style.getPropertyValue("--" + name).trim();
    }
  }

  function paint() {
    queued = false;
    if (!path) return;
    const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    width = Math.max(box.width, 1);
    height = Math.max(box.height, 1);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineCap = pen.lineJoin = "round";
    aim();
    const bodies = placements(state_at(now).q);
    draw_ground();
    outline(bodies, colour.shadow, 6, true);
    draw_axes();
    draw_walls();
    draw_rails(bodies);
    draw_marks();
    if (ghosts.checked) {
      pen.globalAlpha = 0.2;
      for (let i = 0; i <= N_GHOST; i++) {
        outline(poses[Math.round((i * (poses.length - 1)) / N_GHOST)], colour.body, 3);
      }
      pen.globalAlpha = 1;
    }
    line(way, colour.c3, 1.8);
    draw_goal();
    for (const piece of pieces(bodies)) piece.draw();
    if (traced_frame >= 0) disc(frame_at(traced_frame, bodies), 0.4 * thick, colour.c3, colour.card);
    draw_key();
  }

  function draw(t = now) {
    now = t;
    if (!queued) queued = true, requestAnimationFrame(paint);
  }

  // ---- the hand --------------------------------------------------------------------------------

  const fingers = new Map();
  let spread = 0, moved = 0;
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  const zoom_by = (f) => (camera.zoom = Math.min(12, Math.max(0.2, camera.zoom * f)));
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    moved = fingers.size > 1 ? Infinity : 0;
    if (fingers.size === 2) spread = apart();
    canvas.classList.add("held");
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = fingers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    moved += Math.hypot(dx, dy);
    if (fingers.size === 2) {
      zoom_by(apart() / Math.max(spread, 1));
      spread = apart();
    }
    const share = 0.009 / fingers.size;
    camera.azimuth -= share * dx;
    camera.elevation = Math.min(1.5707, Math.max(-1.5707, camera.elevation + share * dy));
    draw();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (e) => {
      fingers.delete(e.pointerId);
      canvas.classList.toggle("held", fingers.size > 0);
    });
  }
  canvas.addEventListener("click", (e) => {
    const box = canvas.getBoundingClientRect();
    const i = moved < 5 && picked ? mark_at(e.clientX - box.left, e.clientY - box.top) : -1;
    if (i >= 0) picked(i);
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    zoom_by(Math.exp(-0.0012 * e.deltaY));
    draw();
  }, {passive: false});
  document.getElementById("cameras").addEventListener("click", (e) => {
    const view = views[e.target.dataset.camera];
    if (view) Object.assign(camera, view, {zoom: 1}), draw();
  });
  ghosts.addEventListener("change", () => draw());

  const recolour = () => { read_colours(); draw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  window.addEventListener("beforeprint", () => { read_colours(); paint(); });
  window.addEventListener("afterprint", recolour);
  new ResizeObserver(() => draw()).observe(canvas);
  read_colours();
  // marks: other targets; pick(i): one of them was clicked
  function set_marks(list, pick) {
    marks = list;
    picked = pick;
    draw();
  }
  const mark_place = (i) => project(marks[i].at);  // on the canvas
  return {draw, load, set_marks, mark_place};
})();

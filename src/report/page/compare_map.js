// SPDX-License-Identifier: MIT
// The grid of targets as maps, one per formulation, all with the same colours.
const map_x = all.axes[0] ?? null, map_y = all.axes[1] ?? null;

// point by place in the map, in the slice that is chosen; -1: none
function map_points() {
  const nx = map_x ? map_x.values.length : 1, ny = map_y ? map_y.values.length : 1;
  const at = new Int32Array(nx * ny).fill(-1);
  page.points.index.forEach((index, p) => {
    if (index.slice(2).every((k, j) => k === chosen.slice[j + 2])) at[(index[1] ?? 0) * nx + (index[0] ?? 0)] = p;
  });
  return {nx, ny, at};
}

// ---- colours -----------------------------------------------------------------------------------

function colour_scale() {
  const values = group_cases(chosen.group).flatMap((k) =>
    Array.from({length: n_point}, (_, p) => shown_value(run_at(k, p), chosen.measure))).filter(Number.isFinite);
  let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(low <= high)) low = 0, high = 1;
  if (chosen.measure.name === "gap") low = 0, high = Math.max(high, 1);
  if (high - low <= 1e-9 * Math.abs(high)) low -= 0.5 * Math.abs(low) || 1, high += 0.5 * Math.abs(high) || 1;
  const log = low > 0 && high > 20 * low, n = page.colours.length;
  const share = (x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const level = (x) => Math.min(n - 1, Math.max(0, Math.round(share(x) * (n - 1))));
  return {low, high, log, share, level, colour: (x) => page.colours[level(x)]};
}

function scale_ticks(scale) {
  const ticks = [];
  if (scale.log) {
    const few = scale.high / scale.low > 200;
    for (let k = Math.floor(Math.log10(scale.low)); k <= Math.log10(scale.high); k++) {
      for (const f of few ? [1] : [1, 2, 5]) ticks.push(f * 10 ** k);
    }
  } else {
    const step = nice_step((scale.high - scale.low) / 6);
    for (let k = Math.ceil(scale.low / step); k * step <= scale.high * (1 + 1e-12); k++) ticks.push(k * step);
  }
  return ticks.filter((x) => x >= scale.low * (1 - 1e-12) && x <= scale.high * (1 + 1e-12));
}

function draw_legend(scale) {
  const place = document.getElementById("legend"), w = Math.min(420, Math.max(200, place.clientWidth - 40)), h = 12;
  const svg = make("svg", {viewBox: `0 0 ${w + 40} 46`, width: w + 40, height: 46, role: "img", class: "fig",
                           "aria-label": `Colours: ${chosen.measure.title}`});
  const n = page.colours.length;
  page.colours.forEach((c, i) => svg.append(make("rect", {x: 20 + (i * w) / n, y: 16, width: w / n + 0.6, height: h, fill: c})));
  svg.append(make("rect", {x: 20, y: 16, width: w, height: h, class: "axis"}));
  const m = chosen.measure;
  svg.append(make("text", {x: 20, y: 11}, with_unit(m.title, m.unit && `[${m.unit}]`)));
  for (const t of scale_ticks(scale)) {
    const x = 20 + scale.share(t) * w;
    svg.append(make("line", {x1: x, x2: x, y1: 16 + h, y2: 20 + h, class: "axis"}),
               make("text", {x, y: 42, "text-anchor": "middle"}, t >= 1e5 ? t.toExponential(0).replace("e+", "e") : short(t)));
  }
  place.replaceChildren(svg, make("span", {class: "key"}, make("i", {class: "failed"}, "\u00d7"),
                                  all.unverified_count ? "not solved" : "not solved or not verified"));
}

// ---- one panel ---------------------------------------------------------------------------------

const EDGE_LEFT = 36, EDGE_BOTTOM = 28, EDGE_TOP = 4;
const CELL_W = 210 / (map_x ? map_x.values.length : 1);
const CELL_H = map_y ? 110 / map_y.values.length : 20;

const tick_text = (a, k) =>
  (a.labels ? a.labels[k] : significant(Math.abs(a.values[k]) < 1e-12 ? 0 : a.values[k], 3));

function draw_axes(svg, nx, ny, height) {
  const ticks = (n) => [...new Set([0, (n - 1) / 2, n - 1].filter((k) => Number.isInteger(k)))];
  for (const k of map_x ? ticks(nx) : []) {
    svg.append(make("text", {x: EDGE_LEFT + (k + 0.5) * CELL_W, y: height - 16, "text-anchor": "middle"},
                    tick_text(map_x, k)));
  }
  for (const k of map_y ? ticks(ny) : []) {
    svg.append(make("text", {x: EDGE_LEFT - 4, y: EDGE_TOP + (ny - k - 0.5) * CELL_H + 3, "text-anchor": "end"},
                    tick_text(map_y, k)));
  }
  if (map_x) {
    svg.append(make("text", {x: EDGE_LEFT + (nx * CELL_W) / 2, y: height - 3, "text-anchor": "middle"},
                    with_unit(axis_name(map_x), map_x.unit && `[${map_x.unit}]`)));
  }
  if (map_y) {
    svg.append(make("text", {"text-anchor": "middle", transform: `translate(8 ${EDGE_TOP + (ny * CELL_H) / 2}) rotate(-90)`},
                    with_unit(axis_name(map_y), map_y.unit && `[${map_y.unit}]`)));
  }
}

// cells of one colour are one path
function draw_cells(svg, kase, grid, scale) {
  const paths = new Map();
  let crosses = "", failed = "";
  for (let y = 0; y < grid.ny; y++) {
    for (let x = 0; x < grid.nx; x++) {
      const point = grid.at[y * grid.nx + x], run = point < 0 ? -1 : run_at(kase, point);
      if (run < 0) continue;
      const px = EDGE_LEFT + x * CELL_W, py = EDGE_TOP + (grid.ny - 1 - y) * CELL_H;
      const square = `M${px.toFixed(2)} ${py.toFixed(2)}h${CELL_W.toFixed(2)}v${CELL_H.toFixed(2)}h-${CELL_W.toFixed(2)}z`;
      const value = shown_value(run, chosen.measure);
      if (!Number.isFinite(value)) {
        failed += square;
        crosses += `M${(px + 0.5 * CELL_W - 2).toFixed(2)} ${(py + 0.5 * CELL_H - 2).toFixed(2)}l4 4m0-4l-4 4`;
      } else {
        const level = scale.level(value);
        paths.set(level, (paths.get(level) ?? "") + square);
      }
    }
  }
  for (const [level, d] of paths) {
    svg.append(make("path", {d, fill: page.colours[level], "shape-rendering": "crispEdges", class: "cells"}));
  }
  if (failed) svg.append(make("path", {d: failed, class: "none"}), make("path", {d: crosses, class: "cross"}));
}

function draw_panel(kase, grid, scale) {
  const width = EDGE_LEFT + grid.nx * CELL_W + 8, height = EDGE_TOP + grid.ny * CELL_H + EDGE_BOTTOM;
  const k = all.cases[kase];
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, class: "fig map", tabindex: 0, role: "application",
                           "data-case": kase, "aria-label": `${form_name(kase)}: ${chosen.measure.title} over the targets; arrow keys move, Enter plays`});
  draw_axes(svg, grid.nx, grid.ny, height);
  draw_cells(svg, kase, grid, scale);
  svg.append(make("rect", {x: EDGE_LEFT, y: EDGE_TOP, width: grid.nx * CELL_W, height: grid.ny * CELL_H, class: "axis"}));
  const cursor = make("rect", {width: CELL_W, height: CELL_H, class: "cursor-cell", visibility: "hidden"});
  svg.append(cursor);
  const under = (e) => {
    const box = svg.getBoundingClientRect(), s = width / box.width;
    const x = Math.floor(((e.clientX - box.left) * s - EDGE_LEFT) / CELL_W);
    const y = grid.ny - 1 - Math.floor(((e.clientY - box.top) * s - EDGE_TOP) / CELL_H);
    return x < 0 || y < 0 || x >= grid.nx || y >= grid.ny ? -1 : grid.at[y * grid.nx + x];
  };
  svg.addEventListener("pointermove", (e) => {
    const point = under(e), run = point < 0 ? -1 : run_at(kase, point);
    if (run < 0) tip.hidden = true;
    else show_tip(e, run_rows(run));
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  svg.addEventListener("click", (e) => {
    const point = under(e);
    if (point >= 0) choose_run(kase, point, true);
  });
  svg.addEventListener("keydown", (e) => move_by_key(e, kase, grid));
  const title = make("figcaption", {}, make("b", {}, form_name(kase)),
                     make("small", {}, ` ${k.good}/${k.runs} good, ${k.above_1_percent} above 1 %`));
  return {kase, cursor, figure: make("figure", {class: "panel"}, title, svg)};
}

// what to tell about a run
function run_rows(run) {
  const rows = [[`${form_name(runs.case[run])}, ${point_text(runs.point[run])}`, "", ""]];
  if (!runs.good[run]) return [...rows, [String(runs.status[run]).replaceAll("_", " "), "", "var(--bad)"]];
  return [...rows, ["cost", value_text(run, "objective", 8), ""], ["above the best known", value_text(run, "gap", 3), ""],
          ["iterations", value_text(run, "iterations"), ""], ["CPU time", value_text(run, "cpu", 3), ""]];
}

function move_by_key(e, kase, grid) {
  const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
  const index = page.points.index[Math.max(chosen.point, 0)];
  if (e.key === "Enter" || e.key === " ") {
    choose_run(kase, chosen.point, true);
  } else if (steps[e.key]) {
    const x = (index[0] ?? 0) + steps[e.key][0], y = (index[1] ?? 0) + steps[e.key][1];
    const inside = x >= 0 && y >= 0 && x < grid.nx && y < grid.ny;
    if (inside && grid.at[y * grid.nx + x] >= 0) choose_run(kase, grid.at[y * grid.nx + x]);
  } else {
    return;
  }
  e.preventDefault();
  e.stopPropagation();
}

// ---- all panels --------------------------------------------------------------------------------

let panels = [], map_scale = null;

function show_maps() {
  const grid = map_points();
  map_scale = colour_scale();
  const focused = document.activeElement?.dataset?.case;
  panels = group_cases(chosen.group).map((k) => draw_panel(k, grid, map_scale));
  document.getElementById("panels").replaceChildren(...panels.map((p) => p.figure));
  draw_legend(map_scale);
  if (focused !== undefined) document.querySelector(`svg.map[data-case="${focused}"]`)?.focus();
  show_cursor();
}

function show_cursor() {
  const index = chosen.point < 0 ? null : page.points.index[chosen.point];
  const ny = map_y ? map_y.values.length : 1;
  for (const p of panels) {
    const on = index && index.slice(2).every((k, j) => k === chosen.slice[j + 2]);
    p.cursor.setAttribute("visibility", on ? "visible" : "hidden");
    p.figure.classList.toggle("chosen", p.kase === chosen.kase);
    if (!on) continue;
    p.cursor.setAttribute("x", EDGE_LEFT + (index[0] ?? 0) * CELL_W);
    p.cursor.setAttribute("y", EDGE_TOP + (ny - 1 - (index[1] ?? 0)) * CELL_H);
  }
}

watchers.push((what) => {
  if (what.group || what.measure) show_maps();
  else if (what.run) show_cursor();
});

// SPDX-License-Identifier: MIT
// Plots as SVG: lines with a legend, limits as shaded bands, a cursor at the time of the slider, a
// read-out under the pointer. Colours come from the style sheet, so they follow it.
const N_COLOURS = 8, EDGE = 7;  // EDGE: pixels
const series_colour = (i) => `var(--c${i % N_COLOURS})`;
const series_dash = (i) => (Math.floor(i / N_COLOURS) % 2 ? "6 3" : "none");

const tip = document.getElementById("tip");
function show_tip(event, rows) {
  tip.replaceChildren(...rows.map(([name, value, colour]) => {
    const label = make("span", colour ? {style: `color: ${colour}`} : {}, name);
    return make("div", {}, label, make("span", {}, value));
  }));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width
                                                        : event.clientX + 16;
  const y = Math.min(event.clientY + 12, innerHeight - box.height - 6);
  tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
}

// ---- axes --------------------------------------------------------------------------------------

function linear_axis(low, high, length, flip, n) {
  const step = nice_step((high - low) / n), ticks = [];
  const at = (x) => (flip ? length - ((x - low) / (high - low)) * length
                          : ((x - low) / (high - low)) * length);
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return {at, ticks, low, high, text: (x) => short(Math.abs(x) < 1e-9 * step ? 0 : x)};
}

function log_axis(low, high, length) {
  const a = Math.floor(Math.log10(low)), b = Math.max(Math.ceil(Math.log10(high)), a + 1);
  const every = Math.max(1, Math.ceil((b - a) / 6)), ticks = [];
  for (let k = a; k <= b; k += every) ticks.push(10 ** k);
  const at = (x) => length - ((Math.log10(x) - a) / (b - a)) * length;
  const text = (x) => {
    const k = Math.round(Math.log10(x));
    return k >= -2 && k <= 3 ? short(x) : `1e${k}`;
  };
  return {at, ticks, low: 10 ** a, high: 10 ** b, text};
}

// range of the shown data; limits join where they are near enough to be worth the room
function linear_range(series) {
  let low = Infinity, high = -Infinity;
  for (const s of series) {
    for (const [, y] of s.points) if (Number.isFinite(y)) low = Math.min(low, y), high = Math.max(high, y);
  }
  if (!(low <= high)) return [-1, 1];
  const span = Math.max(high - low, 1e-9, 1e-6 * Math.abs(high));
  const [data_low, data_high] = [low, high];
  for (const s of series) {
    for (const limit of s.limits || []) {
      if (limit === null || limit < data_low - 0.7 * span || limit > data_high + 0.7 * span) continue;
      low = Math.min(low, limit);
      high = Math.max(high, limit);
    }
  }
  const margin = 0.07 * Math.max(high - low, span);
  return [low - margin, high + margin];
}

// ---- one plot ----------------------------------------------------------------------------------

// figure: element; spec: {title, note, y, x, series, log, timed, height, x_range}
// series: {name, unit, points: [[x, y], ...], limits: [lower, upper], value(x)}
function make_plot(figure, spec) {
  const hidden = new Set();
  let axes = null, cursor = null, dots = [], marked = -1, time = 0;
  const svg = make("svg", {role: "img", "aria-label": spec.title});
  if (spec.timed) svg.classList.add("timed");
  const caption = make("figcaption", {}, spec.title);
  if (spec.note) caption.append(make("small", {}, spec.note));
  const legend = make("div", {class: "legend"}), values = [];

  spec.series.forEach((s, i) => {
    const value = make("span"), swatch = make("i", {style: `color: ${series_colour(i)}`});
    if (series_dash(i) !== "none") swatch.classList.add("dashed");
    const button = make("button", {type: "button", "aria-pressed": "true", title: legend_title(s)},
                        swatch, make("b", {}, s.name));
    if (spec.timed) button.append(value);
    button.addEventListener("click", () => {
      if (hidden.has(i)) hidden.delete(i);
      else hidden.add(i);
      button.setAttribute("aria-pressed", String(!hidden.has(i)));
      render();
    });
    button.addEventListener("pointerenter", () => mark(i));
    button.addEventListener("pointerleave", () => mark(-1));
    values.push(value);
    legend.append(button);
  });
  figure.replaceChildren(caption, legend, svg);

  function legend_title(s) {
    const [a, b] = s.limits || [null, null];
    const text = a === null && b === null ? "no limits"
      : `limits ${a === null ? "-\u221e" : short(a)} to ${b === null ? "\u221e" : short(b)} ${s.unit}`;
    return `Show or hide ${s.name}` + (s.limits ? `; ${text}` : "");
  }

  function mark(i) {
    marked = i;
    for (const e of svg.querySelectorAll("[data-series]")) {
      const own = e.dataset.series.split(" ").includes(String(i));
      e.classList.toggle("dim", i >= 0 && !own);
      e.classList.toggle("own", own || e.dataset.series.split(" ").length === spec.series.length);
    }
  }

  // a shaded edge on the forbidden side of each limit; all of that side for the series that is
  // pointed at in the legend, or if all share their limits
  function draw_limits(shown, y, left, top, w, h) {
    const groups = new Map();
    for (const s of shown) {
      if (!s.limits || (s.limits[0] === null && s.limits[1] === null)) continue;
      const key = JSON.stringify(s.limits);
      groups.set(key, [...(groups.get(key) || []), s]);
    }
    const clamp = (v) => Math.min(h, Math.max(0, v));
    for (const [key, members] of groups) {
      const [low, high] = JSON.parse(key);
      const colour = members.length > 1 ? "var(--soft)" : members[0].colour;
      const names = members.map((s) => s.index).join(" ");
      const side = (limit, from, to, edge) => {
        if (limit === null) return;
        const at = y.at(limit);
        const band = (kind, begin, end) => svg.append(make("rect", {
          class: kind, x: left, y: top + clamp(begin), width: w, fill: colour, "data-series": names,
          height: Math.max(0, clamp(end) - clamp(begin))}));
        band("band", from, to);
        band("edge", Math.min(at, at + edge), Math.max(at, at + edge));
        if (at < 0 || at > h) return;
        svg.append(make("line", {class: "limit", x1: left, x2: left + w, y1: top + at, y2: top + at,
                                 stroke: colour, "data-series": names}));
      };
      side(high, 0, y.at(high), -EDGE);
      side(low, y.at(low), h, EDGE);
    }
  }

  function draw_axes(x, y, left, top, w, h) {
    for (const t of y.ticks) {
      const at = top + y.at(t);
      svg.append(make("line", {class: "gridline", x1: left, x2: left + w, y1: at, y2: at}),
                 make("text", {x: left - 6, y: at + 3.5, "text-anchor": "end"}, y.text(t)));
    }
    for (const t of x.ticks) {
      const at = left + x.at(t);
      svg.append(make("line", {class: "gridline", x1: at, x2: at, y1: top, y2: top + h}),
                 make("text", {x: at, y: top + h + 14, "text-anchor": "middle"}, x.text(t)));
    }
    svg.append(make("rect", {class: "frame", x: left, y: top, width: w, height: h}),
               make("text", {x: left + w / 2, y: top + h + 28, "text-anchor": "middle"}, spec.x),
               make("text", {x: 0, y: 0, "text-anchor": "middle",
                             transform: `translate(11 ${top + h / 2}) rotate(-90)`}, spec.y));
  }

  function curve(s, x, y, left, top) {
    let d = "", begun = false;
    for (const [px, py] of s.points) {
      const drawable = Number.isFinite(py) && (!spec.log || py > 0);
      if (drawable) {
        d += `${begun ? "L" : "M"}${(left + x.at(px)).toFixed(2)} ${(top + y.at(py)).toFixed(2)}`;
      }
      begun = drawable;
    }
    return make("path", {class: "series", d, stroke: s.colour, "stroke-dasharray": series_dash(s.index),
                         "data-series": s.index});
  }

  function render() {
    const width = figure.clientWidth - parseFloat(getComputedStyle(figure).paddingLeft) * 2;
    if (!(width > 60)) return;
    const height = spec.height || 180, left = 56, right = 10, top = 6, bottom = 34;
    const w = width - left - right, h = height - top - bottom;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.style.height = `${height}px`;
    const all = spec.series.map((s, i) => ({...s, index: i, colour: series_colour(i)}));
    const shown = all.filter((s) => !hidden.has(s.index));
    const x = linear_axis(spec.x_range[0], spec.x_range[1], w, false, Math.min(10, w / 60));
    let y;
    if (spec.log) {
      const ys = shown.flatMap((s) => s.points.map((p) => p[1])).filter((v) => v > 0 && v < Infinity);
      y = ys.length ? log_axis(Math.min(...ys), Math.max(...ys), h) : log_axis(0.1, 1, h);
    } else {
      y = linear_axis(...linear_range(shown), h, true, Math.max(3, h / 34));
    }
    svg.replaceChildren();
    draw_axes(x, y, left, top, w, h);
    draw_limits(shown, y, left, top, w, h);
    svg.append(...shown.map((s) => curve(s, x, y, left, top)));
    axes = {x, y, left, top, w, h, shown, width};
    cursor = make("line", {class: "cursor", y1: top, y2: top + h, visibility: "hidden"});
    dots = shown.map((s) => make("circle", {class: "dot", r: 3.4, fill: s.colour,
                                            visibility: "hidden", "data-series": s.index}));
    svg.append(cursor, ...dots);
    mark(marked);
    if (spec.timed) set_time(time);
  }

  function put_cursor(at) {
    if (!axes) return;
    const px = axes.left + axes.x.at(at);
    cursor.setAttribute("x1", px);
    cursor.setAttribute("x2", px);
    cursor.setAttribute("visibility", "visible");
    axes.shown.forEach((s, k) => {
      const v = s.value(at), ok = Number.isFinite(v) && (!spec.log || v > 0);
      dots[k].setAttribute("visibility", ok ? "visible" : "hidden");
      if (!ok) return;
      dots[k].setAttribute("cx", px);
      dots[k].setAttribute("cy", axes.top + axes.y.at(v));
    });
  }

  function set_time(t) {
    time = t;
    put_cursor(t);
    spec.series.forEach((s, i) => { values[i].textContent = `${spec.log ? rough(s.value(t)) : fixed(s.value(t))} ${s.unit}`; });
  }

  // ---- pointer ---------------------------------------------------------------------------------

  function pointed(e) {
    const box = svg.getBoundingClientRect(), px = ((e.clientX - box.left) * axes.width) / box.width;
    const [a, b] = spec.x_range;
    const at = a + ((px - axes.left) / axes.w) * (b - a);
    const clamped = Math.min(b, Math.max(a, at));
    return spec.whole ? Math.round(clamped) : clamped;
  }
  function follow(e) {
    if (!axes) return;
    const at = pointed(e);
    const rows = axes.shown.slice(0, 14).map((s) =>
      [s.name, `${spec.log ? rough(s.value(at)) : fixed(s.value(at))} ${s.unit}`, s.colour]);
    show_tip(e, [[spec.whole ? `iteration ${at}` : `t = ${at.toFixed(3)} s`, "", ""], ...rows]);
    if (spec.timed && e.buttons) player.set(at);
    else put_cursor(at);
  }
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", () => {
    tip.hidden = true;
    if (spec.timed) set_time(time);
    else if (cursor) [cursor, ...dots].forEach((e) => e.setAttribute("visibility", "hidden"));
  });
  new ResizeObserver(render).observe(figure);
  window.addEventListener("beforeprint", render);
  render();
  return {set_time};
}

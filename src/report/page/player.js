// SPDX-License-Identifier: MIT
// Plays the motion: slider, button, keys.
const player = (() => {
  const slider = document.getElementById("slider"), clock = document.getElementById("clock");
  const button = document.getElementById("play"), speed = document.getElementById("speed");
  const shapes = {play: "M2 1l11 6-11 6z", pause: "M2 1h4v12H2zM8 1h4v12H8z"};
  let time = 0, running = false, last = 0, watchers = [];

  // a new trajectory is shown, from its beginning
  function load() {
    slider.max = horizon;
    set(0);
  }
  function set(t) {
    time = Math.min(horizon, Math.max(0, t));
    slider.value = time;
    clock.textContent = `${time.toFixed(2)} / ${horizon.toFixed(2)} s`;
    scene.draw(time);
    watchers.forEach((w) => w.set_time(time));
  }
  function show() {
    const svg = make("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"});
    svg.append(make("path", {d: running ? shapes.pause : shapes.play}));
    button.replaceChildren(svg);
    button.setAttribute("aria-label", running ? "Pause" : "Play");
  }
  function tick(now) {
    if (!running) return;
    const next = time + (Math.max(0, now - last) / 1000) * Number(speed.value);
    last = now;
    set(next);
    if (next >= horizon) stop();
    else requestAnimationFrame(tick);
  }
  function stop() {
    running = false;
    show();
  }
  function toggle() {
    if (running) return stop();
    if (time >= horizon) set(0);
    running = true;
    last = performance.now();
    show();
    requestAnimationFrame(tick);
  }
  // by a number of nodes
  function step(n) {
    const h = horizon / (path.time.length - 1);
    stop();
    set((Math.round(time / h) + n) * h);
  }
  slider.addEventListener("input", () => { stop(); set(Number(slider.value)); });
  button.addEventListener("click", toggle);
  show();
  return {load, set, toggle, step, stop, watch: (list) => { watchers = list; set(time); }};
})();

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  const other = e.target.closest("button, select, input:not(#slider), a");
  if (e.key === " " && !other) player.toggle();
  else if (e.key === "ArrowRight" && !other) player.step(1);
  else if (e.key === "ArrowLeft" && !other) player.step(-1);
  else if (e.key === "Home" && !other) player.set(0);
  else if (e.key === "End" && !other) player.set(horizon);
  else return;
  e.preventDefault();
});

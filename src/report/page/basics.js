// SPDX-License-Identifier: MIT
// The data of the page, elements, numbers as text.
const page = JSON.parse(document.getElementById("data").textContent);

const missing = (x) => (x === null ? NaN : x);  // values that are not finite are null in JSON

const SVG = "http://www.w3.org/2000/svg";

// an element with attributes and children (text or elements)
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "rect", "text", "g", "circle"].includes(tag);
  const e = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// ---- numbers as text ---------------------------------------------------------------------------

// 1, 2 or 5 times a power of ten, at least x
function nice_step(x) {
  const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

const finite_text = (x, text) => (Number.isFinite(x) ? text(x) : "\u2014");
const short = (x) => finite_text(x, () => String(Number(x.toPrecision(6))));
const significant = (x, n) => finite_text(x, () => String(Number(x.toPrecision(n))));
const fixed = (x) =>
  finite_text(x, () => x.toFixed(Math.abs(x) < 100 ? 3 : 1).replace(/^-(0\.0+)$/, "$1"));
// two digits: 3.4e-9, 0.026, 15
const rough = (x) => finite_text(x, () => {
  const size = Math.abs(x);
  return size === 0 || (size >= 1e-3 && size < 1e4) ? significant(x, 2) : x.toExponential(1);
});

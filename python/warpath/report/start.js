// What all parts of the page share: data, elements, numbers. Texts of files become text nodes only.

const meta = JSON.parse(document.getElementById("meta").textContent);
const colours = [
  "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7A3B9A", "#6B6B6B",
];
let data = null;  // unpacked by start()

function byId(id) {
  return document.getElementById(id);
}

// Makes an element. Children are elements or texts; attributes with a false value are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function fill(element, ...children) {
  element.replaceChildren(...children);
  return element;
}

function option(value, text) {
  return make("option", { value: String(value) }, text);
}

function colourOf(agent) {
  return colours[agent % colours.length];
}

function swatch(agent) {
  const style = `background:${colourOf(agent)}`;
  return make("span", { class: "swatch", style, "aria-hidden": "true" });
}

function metricNamed(name) {
  return meta.metrics.find((metric) => metric.name === name);
}

const arrows = { higher: " ↑", lower: " ↓", neither: "" };

function metricLabel(metric) {
  return metric.name + (metric.unit ? ` (${metric.unit})` : "") + arrows[metric.better];
}

// Makes the unit of a metric and the arrow to what is better, as they stand behind its name.
function unitOf(metric) {
  const unit = metric.unit ? ` ${metric.unit}` : "";
  return make("span", { class: "unit" }, unit + arrows[metric.better]);
}

// Writes a number with a minus sign; "–" for none.
function numberText(value, digits) {
  return value === null ? "–" : value.toFixed(digits).replace("-", "\u2212");
}

// Returns an item's value, null where there is none.
function valueOf(metric, agent, item) {
  const values = data.values[metric.name];
  let whole = null;
  if (values) {
    whole = values[agent][item];
  } else {
    const place = data.place.get(item);
    if (place !== undefined) whole = data.terms[metric.name][agent][place];
  }
  return whole === null ? null : whole / 10 ** metric.digits;
}

// Returns the mean of an item's values over agents, and the largest difference between two.
function meanAndSpread(metric, item) {
  let sum = 0, count = 0, low = Infinity, high = -Infinity;
  for (let agent = 0; agent < meta.agents.length; ++agent) {
    const value = valueOf(metric, agent, item);
    if (value === null) continue;
    sum += value;
    ++count;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { mean: count ? sum / count : null, spread: count > 1 ? high - low : null };
}

// Shortens a name in its middle: agents often differ in their last letters.
function shortName(name, most) {
  const tail = Math.ceil(most / 2);
  return name.length > most ? name.slice(0, most - tail - 1) + "…" + name.slice(-tail) : name;
}

function labelOf(item) {
  const occurrence = data.occurrence ? data.occurrence[item] : 0;
  return data.ids[item] + (occurrence ? ` #${occurrence + 1}` : "");
}

// Returns the bytes of a gzipped text that stands in the page as base64.
async function unpack(id) {
  const element = byId(id);
  const packed = atob(element.textContent);
  element.remove();
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; ++k) bytes[k] = packed.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function fail(text) {
  const place = byId("failure");
  place.hidden = false;
  place.textContent = text;
}

// Paths over the graph of their building, in space or from above.

const symbols = [
  "circle", "square", "diamond", "cross", "circle-open", "square-open", "diamond-open",
];
const dark = "#111111";
// One place for all items: a browser has few WebGL contexts, and plotly keeps that of a place.
const canvas = make("div", { id: "drawing" });
const canvasNote = make("p", { class: "hint", id: "drawing-note", hidden: "" });
let library = null;
let hasWebGl = null;  // not asked yet

// Starts plotly; returns a promise that everyone shares.
function loadPlotly() {
  if (!library) {
    library = unpack("plotly").then((text) => {
      document.head.append(make("script", null, text));
      return window.Plotly;
    });
  }
  return library;
}

function pointsOf(flat) {
  const points = [];
  for (let k = 0; k < flat.length; k += 3) {
    points.push([flat[k] / 1000, flat[k + 1] / 1000, flat[k + 2] / 1000]);
  }
  return points;
}

// Returns positions with z up: those of episodes have y up.
function upright(points) {
  return data.drawings.continuous ? points.map(([x, y, z]) => [x, -z, y]) : points;
}

// Gives what is drawn of an item, in metres; null if the graph has no positions.
function sceneOf(item) {
  const drawings = data.drawings, place = data.place.get(item);
  const scan = drawings.continuous ? null : drawings.scans[data.scans[data.scan[item]]];
  if (scan && !scan.positions) return null;
  const building = scan ? pointsOf(scan.positions) : [];
  const pathOf = (number) => scan
    ? drawings.paths[number].map((node) => ({ at: building[node], name: scan.viewpoints[node] }))
    : upright(pointsOf(drawings.paths[number])).map((at, k) => ({ at, name: `position ${k + 1}` }));
  const agents = [];
  drawings.query[place].forEach((query, agent) => {
    if (query < 0) return;
    const number = drawings.reference[place][agent];
    agents.push({ agent, number, query: pathOf(query), reference: pathOf(number) });
  });
  const goals = drawings.goals[place].map((node) => building[node]);
  const scene = { scan, building, agents, goals };
  scene.ranges = rangesOf(scene);
  const [[left, right], [front, back]] = scene.ranges;
  // Between two agents, so that none hides another.
  scene.lift = 0.006 * Math.max(right - left, back - front);
  return scene;
}

function trace(mode, points, rest) {
  const [x, y, z] = [0, 1, 2].map((axis) => points.map((point) => (point ? point[axis] : null)));
  if (mode === "space") return { type: "scatter3d", x, y, z, ...rest };
  return { type: "scatter", x, y, ...rest };
}

function buildingTraces(mode, scene) {
  if (!scene.scan) return [];
  const ends = scene.scan.edges, lines = [];
  for (let k = 0; k < ends.length; k += 2) {
    lines.push(scene.building[ends[k]], scene.building[ends[k + 1]], null);
  }
  const isSpace = mode === "space";
  return [
    trace(mode, lines, { mode: "lines", name: "graph", legendgroup: "graph", hoverinfo: "skip",
      line: { color: "#c3ccd5", width: isSpace ? 2 : 1 } }),
    trace(mode, scene.building, { mode: "markers", name: "viewpoints", legendgroup: "graph",
      showlegend: false, marker: { size: isSpace ? 2.5 : 4, color: "#aab5c0" },
      text: scene.scan.viewpoints.map(plain), hovertemplate: "%{text}<extra></extra>" }),
  ];
}

function lifted(path, by, mode) {
  const aside = 0.7 * by;
  return path.map(({ at: [x, y, z] }) =>
    (mode === "space" ? [x, y, z + by] : [x + aside, y + aside]));
}

function labels(path, title) {
  return path.map(({ name }, k) => `${title} ${k + 1}: ${name}`);
}

// plotly reads <b> and the like in texts, so what could be markup is replaced.
function plain(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function pathTrace(mode, path, by, { name, colour, width, symbol, size, dash }) {
  return trace(mode, lifted(path, by, mode), {
    mode: "lines+markers", name: plain(name),
    line: { color: colour, width: mode === "space" ? width + 2 : width, dash },
    marker: { size: mode === "space" ? size - 2 : size, color: colour, symbol },
    text: labels(path, name).map(plain), hovertemplate: "%{text}<extra></extra>",
  });
}

function referenceTraces(mode, scene) {
  const seen = new Map();
  for (const { number, reference, agent } of scene.agents) {
    if (!seen.has(number)) seen.set(number, { reference, agents: [] });
    seen.get(number).agents.push(meta.agents[agent].name);
  }
  const several = seen.size > 1;  // NDH with all references
  return [...seen.values()].map(({ reference, agents }) => pathTrace(mode, reference, 0, {
    name: several ? `reference of ${shortName(agents.join(", "), 26)}` : "reference",
    colour: dark, width: 5, symbol: "circle", size: 8,
  }));
}

function agentTraces(mode, scene) {
  return scene.agents.map(({ agent, query }, k) => pathTrace(mode, query, scene.lift * (k + 1), {
    name: meta.agents[agent].name, colour: colourOf(agent), width: 3, size: 7,
    symbol: symbols[agent % symbols.length],
    dash: ["solid", "dash", "dot", "dashdot"][mode === "plan" ? k % 4 : 0],
  }));
}

function endTraces(mode, scene) {
  const { reference } = scene.agents[0];
  const goals = scene.goals.length ? scene.goals : [reference[reference.length - 1].at];
  const mark = (points, name, marker) =>
    trace(mode, points, { mode: "markers", name, marker, hoverinfo: "name" });
  const size = mode === "space" ? 9 : 15;
  return [
    mark([reference[0].at], "start",
      { size, color: "#ffffff", symbol: "circle", line: { color: dark, width: 2 } }),
    mark(goals, scene.goals.length > 1 ? "goals" : "goal",
      { size, color: "#F0E442", symbol: "diamond", line: { color: dark, width: 2 } }),
  ];
}

// Draws the threshold around the goal, as the crow flies; paths through the building are longer.
function circleTrace(mode, scene) {
  const radius = meta.convention.threshold;
  if (scene.goals.length || meta.convention.distance === "hops" || !(radius > 0)) return [];
  const { reference } = scene.agents[0];
  const [x, y, z] = reference[reference.length - 1].at;
  const points = Array.from({ length: 73 }, (_, k) =>
    [x + radius * Math.cos((k * Math.PI) / 36), y + radius * Math.sin((k * Math.PI) / 36), z]);
  return [trace(mode, points, { mode: "lines", name: `threshold, ${Number(radius.toFixed(3))} m`, hoverinfo: "skip",
    line: { color: "#8a6d00", width: mode === "space" ? 3 : 1.5, dash: "dot" } })];
}

// Links what the optimal warping joins, for the chosen agent.
function linkTrace(mode, scene, item) {
  const at = scene.agents.findIndex(({ agent }) => agent === detail.agent);
  const alignment = at < 0 ? null : data.drawings.alignment[data.place.get(item)][detail.agent];
  if (!detail.links || !alignment) return [];
  const { query, reference } = scene.agents[at];
  const from = lifted(reference, 0, mode), to = lifted(query, scene.lift * (at + 1), mode);
  const steps = warpingOf(alignment);
  const points = steps.flatMap(({ r, q }) => [from[r], to[q], null]);
  const text = steps.flatMap(({ r, q, distance }) => {
    const unit = meta.convention.distance === "hops" ? "edges" : "m";
    const label = `r ${r + 1} – q ${q + 1}: ${numberText(distance, 3)} ${unit}`;
    return [label, label, null];
  });
  return [trace(mode, points, { mode: "lines", name: `alignment, ${steps.length} links`, text,
    hovertemplate: "%{text}<extra></extra>",
    line: { color: colourOf(detail.agent), width: mode === "space" ? 3 : 1.5, dash: "dot" } })];
}

// Returns the part of space that paths need, with some of the building around.
function rangesOf(scene) {
  const points = scene.agents.flatMap(({ query, reference }) => [...query, ...reference])
    .map(({ at }) => at);
  return [0, 1, 2].map((axis) => {
    const values = points.map((point) => point[axis]).concat(scene.goals.map((goal) => goal[axis]));
    const margin = axis === 2 ? 1 : 2.5;
    return [Math.min(...values) - margin, Math.max(...values) + margin];
  });
}

function layoutOf(mode, scene) {
  const { ranges } = scene;
  const layout = {
    margin: { l: 0, r: 0, t: 0, b: 0 }, showlegend: true, font: { size: 12 }, paper_bgcolor: "#fff",
    legend: { x: 0, y: 1, bgcolor: "rgba(255,255,255,0.8)", itemsizing: "constant" },
    uirevision: `${detail.item} ${mode}`,
  };
  if (mode === "space") {
    const axisOf = (range) => ({ visible: false, showspikes: false, range });
    const whole = wholeOf(scene), [x, y, z] = scaledSizes(whole).sizes;
    layout.scene = {
      aspectmode: "manual", aspectratio: { x, y, z },  // "data" goes by the traces, not the ranges
      camera: cameraFor(scene, whole), dragmode: "orbit",
      xaxis: axisOf(whole[0]), yaxis: axisOf(whole[1]), zaxis: axisOf(whole[2]),
      domain: { x: [0.12, 1] },
    };
    return layout;
  }
  const axis = { showgrid: false, zeroline: false, visible: false };
  layout.xaxis = { ...axis, range: ranges[0], domain: [0.14, 1] };
  layout.yaxis = { ...axis, range: ranges[1], scaleanchor: "x" };
  layout.dragmode = "pan";
  layout.hovermode = "closest";
  return layout;
}

// Returns the space of everything that is drawn.
function wholeOf(scene) {
  return scene.ranges.map(([low, high], axis) => {
    const values = scene.building.map((point) => point[axis]);
    return [Math.min(low - 0.6, ...values) - 0.2, Math.max(high + 0.6, ...values) + 0.2];
  });
}

// Returns the metres of plotly's unit, in which the space has the volume 1, and its sides in units.
function scaledSizes(whole) {
  const metres = whole.map(([low, high]) => Math.max(high - low, 1e-3));
  const unit = Math.cbrt(metres[0] * metres[1] * metres[2]);
  return { unit, sizes: metres.map((size) => size / unit) };
}

// Looks at the paths from the south and above.
function cameraFor(scene, whole) {
  const { ranges } = scene;
  const { unit } = scaledSizes(whole);
  const centre = [0, 1, 2].map((axis) =>
    ((ranges[axis][0] + ranges[axis][1]) / 2 - (whole[axis][0] + whole[axis][1]) / 2) / unit);
  const reach = Math.max((ranges[0][1] - ranges[0][0]) / 1.4, ranges[1][1] - ranges[1][0]) / unit;
  return {
    center: { x: centre[0], y: centre[1], z: centre[2] },
    eye: { x: centre[0], y: centre[1] - 0.5 * reach, z: centre[2] + 1.45 * reach },
    up: { x: 0, y: 0, z: 1 },
  };
}

function findWebGl() {
  if (hasWebGl === null) {
    const probe = document.createElement("canvas");
    hasWebGl = Boolean(probe.getContext("webgl2") || probe.getContext("webgl"));
  }
  return hasWebGl;
}

// Shows a text in place of the drawing; an empty one shows the drawing.
function showNote(text) {
  canvasNote.textContent = text;
  canvasNote.hidden = !text;
  canvas.hidden = Boolean(text);
}

async function draw(item) {
  const scene = sceneOf(item);
  if (!scene) {
    showNote("The graph of this building has no positions, so nothing can be drawn.");
    return null;
  }
  showNote("");
  if (detail.mode === "space" && !findWebGl()) {
    detail.mode = "plan";
    return showDetail(item);
  }
  const plotly = await loadPlotly();
  const mode = detail.mode;
  if (detail.item !== item || !canvas.isConnected) return null;  // another was chosen meanwhile
  const traces = [
    ...buildingTraces(mode, scene), ...circleTrace(mode, scene), ...referenceTraces(mode, scene),
    ...agentTraces(mode, scene), ...linkTrace(mode, scene, item), ...endTraces(mode, scene),
  ];
  return plotly.react(canvas, traces, layoutOf(mode, scene), {
    responsive: true, displaylogo: false, scrollZoom: true,
    modeBarButtonsToRemove: ["lasso2d", "select2d"],
  });
}

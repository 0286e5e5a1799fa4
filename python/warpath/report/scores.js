// The table of scores, with an interval for each mean, and where the numbers come from.

function bestAgents(metric, column) {
  if (metric.better === "neither" || meta.agents.length < 2) return new Set();
  const means = meta.agents.map((agent) => agent.summary[column][0]);
  const known = means.filter((mean) => mean !== null);
  const best = metric.better === "higher" ? Math.max(...known) : Math.min(...known);
  return new Set(means.flatMap((mean, agent) => (mean === best ? [agent] : [])));
}

function scoreCell(metric, estimate, isBest) {
  const [mean, low, high, n, of] = estimate;
  if (mean === null) return make("td", { class: "none" }, "–");
  const digits = metric.digits || 2;
  const cell = make("td", { class: "number" + (isBest ? " best" : "") }, numberText(mean, digits));
  if (low !== null) {
    const ends = `${numberText(low, digits)} … ${numberText(high, digits)}`;
    cell.append(make("span", { class: "interval" }, ends));
  }
  cell.title = `mean over ${n} of ${of} items`;
  return cell;
}

// Draws all agents' intervals over one scale, as SVG.
function intervalStrip(metric, column) {
  const width = 180, step = 6, pad = 6;
  const estimates = meta.agents.map((agent) => agent.summary[column])
    .map((estimate) => (estimate[0] === null ? null : estimate));
  const ends = estimates.flatMap((e) => (e ? [e[0], e[1] ?? e[0], e[2] ?? e[0]] : []));
  const low = metric.is_fraction ? 0 : Math.min(0, ...ends);
  const high = metric.is_fraction ? 1 : Math.max(...ends, low + 1e-9);
  const x = (value) => (pad + ((value - low) / (high - low)) * (width - 2 * pad)).toFixed(1);
  const height = estimates.length * step + 4;
  const label = "intervals of the agents";
  const svg = svgElement("svg", { width, height, role: "img", "aria-label": label });
  svg.append(svgElement("line", {
    x1: pad, x2: width - pad, y1: height - 1, y2: height - 1, stroke: "#9aa8b5",
  }));
  estimates.forEach((estimate, agent) => {
    if (!estimate) return;
    const y = 4 + agent * step, colour = colourOf(agent);
    if (estimate[1] !== null) {
      svg.append(svgElement("line", {
        x1: x(estimate[1]), x2: x(estimate[2]), y1: y, y2: y, stroke: colour, "stroke-width": 1.8,
      }));
    }
    svg.append(svgElement("circle", { cx: x(estimate[0]), cy: y, r: 2.6, fill: colour }));
  });
  return svg;
}

function svgElement(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function scoreRow(metric, column) {
  const best = bestAgents(metric, column);
  const cells = meta.agents.map((agent, a) =>
    scoreCell(metric, agent.summary[column], best.has(a)));
  const title = `${metric.title}. ${metric.formula}`;
  const name = make("th", { scope: "row", title }, metric.name, unitOf(metric));
  return make("tr", null, name, ...cells, make("td", null, intervalStrip(metric, column)));
}

function showScores() {
  const all = byId("all-metrics").checked;
  const heads = meta.agents.map((agent, a) =>
    make("th", { class: "number name-cell", scope: "col", title: agent.file },
      swatch(a), agent.name));
  const head = make("tr", null, make("th", { scope: "col" }, "metric"), ...heads,
    make("th", { scope: "col" }, "mean and 95 % interval"));
  const rows = [];
  meta.metrics.forEach((metric, column) => {
    if (all || metric.headline) rows.push(scoreRow(metric, column));
  });
  const counts = meta.agents.map((agent) =>
    make("td", { class: "number" }, String(Math.max(...agent.summary.map((e) => e[3])))));
  rows.push(make("tr", null, make("th", { scope: "row" }, "n"), ...counts, make("td", null)));
  fill(byId("summary"), make("thead", null, head), make("tbody", null, ...rows));
}

function showNotes() {
  fill(byId("notes"), ...meta.notes.map((line) => make("li", null, line)));
}

function tableOf(heads, rows) {
  const head = make("tr", null, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map((row) => make("tr", null, ...row.map((cell) => make("td", null, cell))));
  return make("table", null, make("thead", null, head), make("tbody", null, ...body));
}

function showStatuses() {
  const found = new Set(meta.agents.flatMap((agent) => Object.keys(agent.statuses)));
  found.delete("ok");
  if (!found.size) return [];
  const rows = [...found].map((status) => [
    status,
    meta.agents.filter((agent) => agent.statuses[status])
      .map((agent) => `${agent.name}: ${agent.statuses[status]}`).join(", "),
    ...meta.remedies[status],
  ]);
  const heads = ["status", "items", "what it is", "remedy"];
  return [make("h3", null, "Items with a remark"), tableOf(heads, rows)];
}

function code(text) {
  return make("code", null, text);
}

function showProvenance() {
  const inputs = meta.inputs.map(([what, file, description, hash]) =>
    [what, code(file), description, code(hash)]);
  const agents = meta.agents.map(({ name, file, hash }) =>
    [name, code(file), "predictions", code(hash)]);
  const settings = Object.entries(meta.convention).map(([name, value]) => [name, String(value)]);
  const metrics = meta.metrics.map((m) => [m.name, m.title, m.unit, code(m.formula), m.source]);
  const runs = meta.command_lines.filter((words) => words.length)
    .map((words) => [code(words.join(" "))]);
  fill(byId("provenance-body"),
    ...showStatuses(),
    make("h3", null, "Files"),
    tableOf(["", "file", "read as", "hash of the content"], [...inputs, ...agents]),
    make("h3", null, `Convention: preset ${meta.preset}, ${meta.precision} precision`),
    make("div", { class: "columns" }, ...columnsOf(["setting", "value"], settings, 3)),
    make("details", null, make("summary", null, "Metrics: formula and source"),
      tableOf(["metric", "what it is", "unit", "formula", "source"], metrics)),
    ...(runs.length ? [tableOf(["command line of the scores"], runs)] : []),
    make("p", { class: "hint" }, `Written by warpath ${meta.warpath}. The file needs no network.`));
}

function columnsOf(heads, rows, count) {
  const size = Math.ceil(rows.length / count);
  const parts = [];
  for (let k = 0; k < rows.length; k += size) parts.push(tableOf(heads, rows.slice(k, k + size)));
  return parts;
}

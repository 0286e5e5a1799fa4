// One item: its paths, its scores, and how they come about.

const detail = { item: -1, agent: 0, mode: "space", links: true };

function showDetail(item) {
  detail.item = item;
  const place = data.place.get(item);
  const isPaired = (agent) => place !== undefined && data.drawings.query[place][agent] >= 0;
  if (!isPaired(detail.agent)) detail.agent = Math.max(0, meta.agents.findIndex((_, a) => isPaired(a)));
  const parts = [titleRow(item), make("p", { class: "facts" }, factsOf(item))];
  const remark = remarkOn(item, place);
  if (remark) parts.push(remark);
  const hasPaths = meta.agents.some((_, agent) => isPaired(agent));
  if (hasPaths) parts.push(drawingTools(), make("div", { id: "drawing" }));
  parts.push(scoreTable(item));
  if (hasPaths) parts.push(make("div", { id: "terms" }));
  fill(byId("detail"), ...parts);
  if (!hasPaths) return;
  showTerms();
  draw(item);
}

function titleRow(item) {
  const move = (by, text, label) => make("button", { type: "button", "aria-label": label,
    disabled: view.at < 0 || !view.shown[view.at + by] && view.shown[view.at + by] !== 0 ? "" : false,
    onclick: () => moveTo(view.at + by) }, text);
  return make("div", { class: "title-row" }, make("h3", null, labelOf(item)),
    make("span", { class: "push" }, move(-1, "◀ previous", "previous item"), " ", move(1, "next ▶", "next item")));
}

function factsOf(item) {
  const facts = [`scan ${data.scans[data.scan[item]] || "unknown"}`];
  if (data.length[item]) facts.push(`reference of ${data.length[item]} ${data.drawings.continuous ? "positions" : "viewpoints"}`);
  if (data.languages[data.language[item]]) facts.push(data.languages[data.language[item]]);
  return facts.join(" · ");
}

// Says what is the matter with an item, and what to do; null where all is well.
function remarkOn(item, place) {
  const lines = [];
  for (const status of statusesOf(item).filter((name) => name !== "ok")) {
    const number = data.statuses.indexOf(status);
    const agents = meta.agents.filter((_, a) => data.status[a][item] === number).map((agent) => agent.name);
    const [problem, remedy] = meta.remedies[status];
    lines.push(`${status} (${agents.join(", ")}): ${problem}; ${remedy}`);
  }
  if (place === undefined && meta.limits.length) lines.push("The paths of this item are not in this file. " + meta.limits[0]);
  return lines.length ? make("p", { class: "limit" }, lines.join(" ")) : null;
}

function drawingTools() {
  const mode = (value, text) => make("button", { type: "button", "aria-pressed": String(detail.mode === value),
    onclick: () => { detail.mode = value; showDetail(detail.item); } }, text);
  const links = make("input", { type: "checkbox", checked: detail.links ? "" : false,
    onchange: (event) => { detail.links = event.target.checked; draw(detail.item); } });
  return make("div", { class: "tools" }, mode("space", "3-D"), mode("plan", "from above"),
    make("label", null, links, " alignment of ", agentChoice()));
}

function agentChoice() {
  const place = data.place.get(detail.item);
  const choices = meta.agents.flatMap((agent, a) =>
    data.drawings.query[place][a] >= 0 ? [option(a, agent.name)] : []);
  const choice = make("select", { id: "agent", "aria-label": "agent whose alignment and terms are shown",
    onchange: (event) => { detail.agent = Number(event.target.value); showTerms(); draw(detail.item); } }, ...choices);
  choice.value = String(detail.agent);
  return choice;
}

function scoreTable(item) {
  const metrics = meta.metrics.filter((metric) => meta.agents.some((_, a) => valueOf(metric, a, item) !== null));
  const shown = metrics.filter((metric) => metric.headline);
  const head = make("tr", null, make("th", { scope: "col" }, "agent"),
    ...shown.map((metric) => make("th", { scope: "col", class: "number", title: metric.title }, metricLabel(metric))));
  const rows = meta.agents.map((agent, a) => make("tr", null,
    make("th", { scope: "row" }, swatch(a), agent.name),
    ...shown.map((metric) => {
      const value = valueOf(metric, a, item);
      return make("td", { class: value === null ? "none" : "number" }, numberText(value, metric.digits));
    })));
  return make("div", { class: "scroll" }, make("table", { class: "numbers", id: "item-scores" },
    make("thead", null, head), make("tbody", null, ...rows)));
}

// Puts an item's values in the place of the names in a formula; empty where something else is left.
function withNumbers(metric, agent, item) {
  const known = new Map(meta.metrics.map((m) => [m.name, m.name]));
  known.set("|R|", "n_ref").set("|Q|", "n_query").set("PL(R)", "PLR");
  const names = [...known.keys()].sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[|()]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}_])(?:${escaped.join("|")}|d_th)(?![\\p{L}_])`, "gu");
  let isComplete = true;
  const text = metric.formula.replace(pattern, (name) => {
    if (name === "d_th") return String(meta.convention.threshold);
    const of = metricNamed(known.get(name));
    const value = of ? valueOf(of, agent, item) : null;
    if (value === null) isComplete = false;
    return value === null ? name : numberText(value, of.digits);
  });
  const letters = text.replace(/\b(?:exp|max|min)\b/g, "").match(/\p{L}/u);
  return isComplete && !letters && text !== metric.formula ? text : "";
}

function termRows(item, agent) {
  const rows = [];
  for (const metric of meta.metrics) {
    const value = valueOf(metric, agent, item);
    if (value === null) continue;
    const formula = metric.formula || metric.title;
    rows.push(make("tr", null, make("th", { scope: "row" }, metric.name),
      make("td", { class: "number" }, numberText(value, metric.digits)), make("td", null, metric.unit),
      make("td", { class: "formula" }, formula), make("td", { class: "formula" }, withNumbers(metric, agent, item))));
  }
  return rows;
}

function headOf(...texts) {
  return make("thead", null, make("tr", null, ...texts.map((text) => make("th", { scope: "col" }, text))));
}

function showTerms() {
  const { item, agent } = detail;
  const place = data.place.get(item);
  const name = meta.agents[agent].name;
  const terms = make("details", { open: "" }, make("summary", null, `Terms of ${name}`),
    make("div", { class: "scroll" }, make("table", { class: "numbers", id: "term-table" },
      headOf("metric", "value", "unit", "formula", "with numbers"), make("tbody", null, ...termRows(item, agent)))));
  const alignment = data.drawings.alignment[place][agent];
  const body = alignment ? alignmentTables(place, agent, alignment)
    : [make("p", { class: "hint" }, "There is no alignment: some distance is not finite, or the paths are too long.")];
  fill(byId("terms"), terms, make("details", { open: "" },
    make("summary", null, `Alignment and nearest viewpoints of ${name}`), make("div", { class: "columns" }, ...body)));
}

// Lists the warping as pairs of positions, with the distance of each.
function warpingOf(alignment) {
  const [moves, distances] = alignment;
  let r = 0, q = 0;
  return distances.map((distance, k) => {
    if (k) {
      if (moves[k - 1] !== "q") ++r;
      if (moves[k - 1] !== "r") ++q;
    }
    return { r, q, distance: distance / 1000 };
  });
}

function viewpointText(place, path, at) {
  if (data.drawings.continuous) return "";
  const scan = data.drawings.scans[data.scans[data.scan[detail.item]]];
  return scan.viewpoints[data.drawings.paths[path][at]];
}

function shortened(text) {
  return make("td", { title: text }, text.length > 10 ? text.slice(0, 8) + "…" : text);
}

function numberCell(text) {
  return make("td", { class: "number" }, text);
}

function alignmentTables(place, agent, alignment) {
  const reference = data.drawings.reference[place][agent], query = data.drawings.query[place][agent];
  let cost = 0;
  const steps = warpingOf(alignment).map(({ r, q, distance }) => make("tr", null,
    numberCell(r + 1), numberCell(q + 1), shortened(viewpointText(place, reference, r)),
    shortened(viewpointText(place, query, q)), numberCell(numberText(distance, 3)),
    numberCell(numberText(cost += distance, 3))));
  const nearest = (path, list) => Array.from({ length: list.length / 2 }, (_, k) => make("tr", null,
    numberCell(k + 1), shortened(viewpointText(place, path, k)), numberCell(list[k] + 1),
    numberCell(numberText(list[k + list.length / 2] / 1000, 3))));
  const table = (title, head, rows) => make("div", null, make("h4", null, title),
    make("table", { class: "numbers" }, head, make("tbody", null, ...rows)));
  return [
    table("Warping", headOf("r", "q", "reference", "query", "d(r, q)", "cost"), steps),
    table("Coverage", headOf("r", "reference", "nearest q", "d(r, Q)"), nearest(reference, alignment[2])),
    table("Deviation", headOf("q", "query", "nearest r", "d(q, R)"), nearest(query, alignment[3])),
  ];
}

// One item: its paths, its scores, and how they come about.

const detail = { item: -1, agent: 0, mode: "space", links: true };

function showDetail(item) {
  detail.item = item;
  const place = data.place.get(item);
  const isPaired = (agent) => place !== undefined && data.drawings.query[place][agent] >= 0;
  if (!isPaired(detail.agent)) {
    detail.agent = Math.max(0, meta.agents.findIndex((_, agent) => isPaired(agent)));
  }
  const parts = [titleRow(item), make("p", { class: "facts" }, factsOf(item))];
  const instruction = instructionOf(item);
  if (instruction) {
    const lang = data.languages[data.language[item]] || false;
    parts.push(make("blockquote", { class: "instruction", lang }, instruction));
  }
  const remark = remarkOn(item, place);
  if (remark) parts.push(remark);
  const hasPaths = meta.agents.some((_, agent) => isPaired(agent));
  if (hasPaths) {
    const frame = make("div", { class: "frame" }, canvas, canvasNote);
    parts.push(drawingTools(), frame, make("p", { class: "hint" }, drawingHint()));
  }
  parts.push(make("div", { id: "terms" }), make("div", { id: "alignment" }));
  fill(byId("detail"), ...parts);
  showTerms();
  if (!hasPaths) return;
  showAlignment();
  draw(item);
}

// Returns the text of an item's instruction, empty where it has none.
function instructionOf(item) {
  return data.instructions[data.instruction[item]];
}

function titleRow(item) {
  const move = (by, text, label) => {
    const isThere = view.at >= 0 && view.shown[view.at + by] !== undefined;
    return make("button", { type: "button", "aria-label": label, disabled: isThere ? false : "",
      onclick: () => moveTo(view.at + by) }, text);
  };
  const back = move(-1, "◀ previous", "previous item"), on = move(1, "next ▶", "next item");
  return make("div", { class: "title-row" }, make("h3", null, labelOf(item)),
    make("span", { class: "push" }, back, " ", on));
}

function factsOf(item) {
  const facts = [`scan ${data.scans[data.scan[item]] || "unknown"}`];
  const places = data.drawings.continuous ? "positions" : "viewpoints";
  if (data.length[item]) facts.push(`reference of ${data.length[item]} ${places}`);
  const language = data.languages[data.language[item]];
  if (language) facts.push(language);
  return facts.join(" · ");
}

// Says what is the matter with an item, and what to do; null where all is well.
function remarkOn(item, place) {
  const lines = [];
  for (const status of statusesOf(item).filter((name) => name !== "ok")) {
    const number = data.statuses.indexOf(status);
    const agents = meta.agents.filter((_, agent) => data.status[agent][item] === number)
      .map((agent) => agent.name);
    const [problem, remedy] = meta.remedies[status];
    lines.push(`${status} (${agents.join(", ")}): ${problem}; ${remedy}`);
  }
  if (place === undefined && meta.limits.length) {
    lines.push("The paths of this item are not in this file. " + meta.limits[0]);
  }
  return lines.length ? make("p", { class: "limit" }, lines.join(" ")) : null;
}

function drawingTools() {
  const mode = (value, text) => make("button", {
    type: "button", "aria-pressed": String(detail.mode === value),
    onclick: () => { detail.mode = value; showDetail(detail.item); },
  }, text);
  const links = make("input", { type: "checkbox", checked: detail.links ? "" : false,
    onchange: (event) => { detail.links = event.target.checked; draw(detail.item); } });
  return make("div", { class: "tools" }, mode("space", "3-D"), mode("plan", "from above"),
    make("label", null, links, " alignment of ", agentChoice()));
}

function drawingHint() {
  const where = detail.mode === "space" ? "lies a little above the one before"
    : "is moved a little aside";
  const circle = data.drawings.continuous ? ""
    : " The circle is as the crow flies; distances are measured along the graph.";
  const hasGoals = data.drawings.goals[data.place.get(detail.item)].length > 0;
  const hasCircle = meta.convention.distance !== "hops" && !hasGoals;
  return `Each path ${where}, so that none hides another.` + (hasCircle ? circle : "");
}

function agentChoice() {
  const place = data.place.get(detail.item);
  const choices = meta.agents.flatMap((agent, a) =>
    data.drawings.query[place][a] >= 0 ? [option(a, agent.name)] : []);
  const choice = make("select", {
    id: "agent", "aria-label": "agent whose alignment and terms are shown",
    onchange: (event) => chooseAgent(Number(event.target.value)),
  }, ...choices);
  choice.value = String(detail.agent);
  return choice;
}

function chooseAgent(agent) {
  detail.agent = agent;
  showTerms();
  showAlignment();
  draw(detail.item);
}

// Puts an item's values in the place of the names in a formula; empty where something else is left.
function withNumbers(metric, agent, item) {
  const known = new Map(meta.metrics.map((m) => [m.name, m.name]));
  known.set("|R|", "n_ref").set("|Q|", "n_query").set("PL(R)", "PLR");
  const names = [...known.keys()].sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[|()+.]/g, "\\$&"));
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

// Makes a metric's row: each agent's value, and the formula with the numbers of the chosen agent.
function termRow(metric, item) {
  const cells = meta.agents.map((_, agent) => {
    const value = valueOf(metric, agent, item);
    const chosen = agent === detail.agent && meta.agents.length > 1 ? " chosen" : "";
    const classes = (value === null ? "none" : "number") + chosen;
    return make("td", { class: classes }, numberText(value, metric.digits));
  });
  const numbers = withNumbers(metric, detail.agent, item);
  const formula = make("td", { class: "formula" }, metric.formula || metric.title);
  if (numbers) formula.append(make("span", { class: "with-numbers" }, "= " + numbers));
  const name = make("th", { scope: "row", title: metric.title }, metric.name, unitOf(metric));
  return make("tr", null, name, ...cells, formula);
}

function headOf(...texts) {
  const cells = texts.map((text) => make("th", { scope: "col" }, text));
  return make("thead", null, make("tr", null, ...cells));
}

function showTerms() {
  const { item, agent } = detail;
  const metrics = meta.metrics.filter((metric) =>
    meta.agents.some((_, a) => valueOf(metric, a, item) !== null));
  if (!metrics.length) return;
  const heads = meta.agents.map(({ name }, a) =>
    make("th", { scope: "col", class: "number", title: name }, swatch(a), shortName(name, 14)));
  const ofAgent = meta.agents.length > 1 ? ` of ${shortName(meta.agents[agent].name, 14)}` : "";
  const head = make("tr", null, make("th", { scope: "col" }, "metric"), ...heads,
    make("th", { scope: "col" }, "formula" + ofAgent));
  const rows = metrics.map((metric) => termRow(metric, item));
  const table = make("table", { class: "numbers", id: "item-scores" },
    make("thead", null, head), make("tbody", null, ...rows));
  fill(byId("terms"), make("div", { class: "scroll" }, table));
}

function showAlignment() {
  const { item, agent } = detail;
  const place = data.place.get(item);
  const alignment = data.drawings.alignment[place][agent];
  const body = alignment ? alignmentTables(place, agent, alignment)
    : [make("p", { class: "hint" }, "There is no alignment: some distance is not finite, " +
      "or the paths are too long.")];
  fill(byId("alignment"), make("details", { open: "" },
    make("summary", null, `Alignment and nearest viewpoints of ${meta.agents[agent].name}`),
    make("div", { class: "columns" }, ...body)));
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
  const reference = data.drawings.reference[place][agent];
  const query = data.drawings.query[place][agent];
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
    table("Warping", headOf("r", "q", "reference", "query", "d(q, r)", "cost"), steps),
    table("Coverage", headOf("r", "reference", "nearest q", "d(Q, r)"),
      nearest(reference, alignment[2])),
    table("Deviation", headOf("q", "query", "nearest r", "d(q, R)"), nearest(query, alignment[3])),
  ];
}

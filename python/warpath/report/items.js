// The table of items: order, filters, and the rows that are in sight.

const rowHeight = 26;
const view = {
  metric: null, agent: -1,  // what the columns show; -1: the metric of all agents
  key: "mean", descending: false,  // the column that sorts
  shown: [], at: -1, selected: -1,  // the items in order; the chosen one's place there, and it
  made: "",  // which rows are there
};
let statistics = { metric: null, mean: [], spread: [] };  // of the chosen metric, by item

function computeStatistics() {
  if (statistics.metric === view.metric) return;
  const mean = [], spread = [];
  for (let item = 0; item < meta.items; ++item) {
    const of = meanAndSpread(view.metric, item);
    mean.push(of.mean);
    spread.push(of.spread);
  }
  statistics = { metric: view.metric, mean, spread };
}

// Returns the statuses of an item, each once; those that are not ok come first.
function statusesOf(item) {
  const found = new Set(data.status.map((column) => column[item]).filter((status) => status >= 0));
  return [...found].sort((a, b) => b - a).map((status) => data.statuses[status]);
}

function isRemarkable(item) {
  return statusesOf(item).some((status) => status !== "ok");
}

// Lists the columns: what describes an item, then numbers.
function columnList() {
  const columns = [
    { key: "id", head: "item", width: 8 * Math.min(26, data.longestId) + 26, text: labelOf,
      isHead: true },
    { key: "scan", head: "scan", width: 106, text: (item) => data.scans[data.scan[item]] },
    { key: "length", head: "length", width: 66, digits: 0, title: "viewpoints of the reference",
      number: (item) => data.length[item] || null },
  ];
  if (data.languages.length > 1) {
    columns.push({ key: "language", head: "language", width: 88,
      text: (item) => data.languages[data.language[item]] });
  }
  const status = { key: "status", head: "status", width: 104,
    text: (item) => statusesOf(item).join(", ") };
  return [...columns, ...(view.agent >= 0 ? metricColumns() : agentColumns()), status];
}

function agentColumns() {
  const { name, digits } = view.metric;
  const summary = meta.agents.length < 2 ? [] : [
    { key: "mean", head: "mean", width: 80, digits: digits || 2,
      title: `mean ${name} of the agents`, number: (item) => statistics.mean[item] },
    { key: "spread", head: "spread", width: 78, digits,
      title: `largest difference of ${name} between two agents`,
      number: (item) => statistics.spread[item] }];
  return summary.concat(meta.agents.map((agent, a) => ({
    key: `agent ${a}`, head: shortName(agent.name, 12), swatch: a, digits,
    width: 50 + 8 * Math.min(12, Math.max(4, agent.name.length)),
    number: (item) => valueOf(view.metric, a, item), title: `${name} of ${agent.name}`,
  })));
}

function metricColumns() {
  const isShown = (metric) => metric.headline || metric === view.metric;
  const shown = meta.metrics.filter((metric) => data.values[metric.name] && isShown(metric));
  return shown.map((metric) => ({
    key: `metric ${metric.name}`, head: metric.name, width: 74, digits: metric.digits,
    number: (item) => valueOf(metric, view.agent, item), title: metricLabel(metric),
  }));
}

// Sorts items; those without a value come last in either direction.
function sortItems(items, column, descending) {
  const sign = descending ? -1 : 1;
  if (column.text) {
    const texts = new Map(items.map((item) => [item, column.text(item)]));
    const collator = new Intl.Collator("en", { numeric: true });
    return items.sort((a, b) => sign * collator.compare(texts.get(a), texts.get(b)) || a - b);
  }
  const numbers = new Float64Array(meta.items);
  for (const item of items) numbers[item] = column.number(item) ?? NaN;
  return items.sort((a, b) => {
    const x = numbers[a], y = numbers[b];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b;
    return sign * (x - y) || a - b;
  });
}

function filtered() {
  const wanted = byId("search").value.trim().toLowerCase();
  const scan = byId("filter-scan").value, length = byId("filter-length").value;
  const language = byId("filter-language").value, status = byId("filter-status").value;
  const items = [];
  for (let item = 0; item < meta.items; ++item) {
    if (scan !== "" && data.scan[item] !== Number(scan)) continue;
    if (length !== "" && data.length[item] !== Number(length)) continue;
    if (language !== "" && data.language[item] !== Number(language)) continue;
    if (status !== "" && !data.status.some((column) => column[item] === Number(status))) continue;
    if (wanted && !data.searched[item].includes(wanted)) continue;
    items.push(item);
  }
  return items;
}

// Returns whether large values of a metric are bad.
function isWorseAbove(metric) {
  return metric.better === "lower";
}

function worstOrder() {
  const key = meta.agents.length > 1 && view.agent < 0 ? "mean"
    : view.agent >= 0 ? `metric ${view.metric.name}` : "agent 0";
  return { key, descending: isWorseAbove(view.metric) };
}

function sortBy(key) {
  if (view.key === key) {
    view.descending = !view.descending;
  } else {
    view.key = key;
    view.descending = key === "spread";
  }
  showTable();
}

function showTable() {
  computeStatistics();
  const columns = columnList();
  if (!columns.some((column) => column.key === view.key)) Object.assign(view, worstOrder());
  const order = columns.find((column) => column.key === view.key);
  view.shown = sortItems(filtered(), order, view.descending);
  view.columns = columns;
  view.at = view.shown.indexOf(view.selected);
  const n = view.shown.length;
  byId("count").textContent = n === meta.items ? `${n} items` : `${n} of ${meta.items} items`;
  showHead();
  const rows = byId("rows");
  rows.scrollTop = 0;
  view.made = "";
  showRows();
}

function showHead() {
  const heads = view.columns.map((column) => {
    const isSorted = column.key === view.key;
    const arrow = isSorted ? (view.descending ? " ▼" : " ▲") : "";
    const mark = column.swatch === undefined ? null : swatch(column.swatch);
    const button = make("button", { type: "button", title: column.title || "",
      onclick: () => sortBy(column.key) }, mark, column.head + arrow);
    const sorted = isSorted ? (view.descending ? "descending" : "ascending") : "none";
    return make("th", { scope: "col", class: column.number ? "number" : "", "aria-sort": sorted,
      "data-key": column.key }, button);
  });
  const table = byId("table");
  const width = view.columns.reduce((sum, column) => sum + column.width, 0);
  table.style.cssText = `table-layout:fixed;min-width:${width}px`;
  table.querySelectorAll("colgroup").forEach((group) => group.remove());
  table.prepend(make("colgroup", null, ...view.columns.map((column) =>
    make("col", { style: `width:${column.width}px` }))));
  table.setAttribute("role", "grid");
  table.setAttribute("aria-rowcount", String(view.shown.length + 1));
  fill(table.tHead, make("tr", null, ...heads));
}

// Makes the rows that are in sight and some more, and two that are as high as all above and below.
function showRows() {
  const place = byId("rows");
  const block = 10;  // rows are made anew only after so many have gone out of sight
  const top = Math.floor(place.scrollTop / rowHeight / block) * block;
  const first = Math.max(0, top - block);
  const inSight = Math.ceil(place.offsetHeight / rowHeight);
  const last = Math.min(view.shown.length, top + inSight + 2 * block);
  if (view.made === `${first} ${last}`) return;
  view.made = `${first} ${last}`;
  const rows = [spacer(first)];
  for (let at = first; at < last; ++at) rows.push(rowOf(at));
  rows.push(spacer(view.shown.length - last));
  fill(byId("table").tBodies[0], ...rows);
}

function spacer(rows) {
  return make("tr", { style: `height:${rows * rowHeight}px`, "aria-hidden": "true" });
}

function rowOf(at) {
  const item = view.shown[at];
  const cells = view.columns.map((column) => {
    if (column.text) {
      const text = column.text(item);
      const isMarked = (column.isHead || column.key === "status") && isRemarkable(item);
      const attributes = { title: text, class: isMarked ? "mark" : "" };
      return make(column.isHead ? "th" : "td", attributes, text);
    }
    const value = column.number(item);
    const text = numberText(value, column.digits);
    return make("td", { class: value === null ? "none" : "number" }, text);
  });
  return make("tr", { "aria-rowindex": at + 2, "aria-selected": String(item === view.selected),
    "data-item": item, onclick: () => select(item) }, ...cells);
}

// Shows an item, and its row where the table has one.
function select(item) {
  view.selected = item;
  view.at = view.shown.indexOf(item);
  history.replaceState(null, "", "#" + new URLSearchParams({ item: labelOf(item) }));
  for (const row of byId("table").tBodies[0].rows) {
    if (row.dataset.item === undefined) continue;
    row.setAttribute("aria-selected", String(Number(row.dataset.item) === item));
  }
  showDetail(item);
}

function moveTo(at) {
  if (!view.shown.length) return;
  const place = byId("rows");
  const target = Math.max(0, Math.min(view.shown.length - 1, at));
  const top = target * rowHeight, headHeight = byId("table").tHead.offsetHeight;
  if (top < place.scrollTop) place.scrollTop = top;
  const bottom = top + rowHeight + headHeight;
  if (bottom > place.scrollTop + place.clientHeight) place.scrollTop = bottom - place.clientHeight;
  showRows();
  select(view.shown[target]);
}

function onKey(event) {
  const page = 20;
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  if (event.target.closest("button")) return;
  if (event.key in moves) moveTo(view.at + moves[event.key]);
  else if (event.key === "Home") moveTo(0);
  else if (event.key === "End") moveTo(view.shown.length - 1);
  else return;
  event.preventDefault();
}

// Lists the items that are worst and those that agents differ on most.
function showPicks() {
  computeStatistics();
  const all = Array.from({ length: meta.items }, (_, item) => item);
  const metric = view.metric;
  const values = { number: (item) => statistics.mean[item] };
  const known = all.filter((item) => statistics.mean[item] !== null);
  const isAlone = meta.agents.length < 2;
  byId("worst-title").textContent = `Worst by ${isAlone ? "" : "mean "}${metric.name}`;
  const worst = sortItems([...known], values, isWorseAbove(metric)).slice(0, 8);
  fill(byId("worst"), ...worst.map((item) => pick(item, statistics.mean[item])));
  byId("disputed-box").hidden = isAlone;
  if (isAlone) return;
  const spreads = { number: (item) => statistics.spread[item] };
  const differing = known.filter((item) => statistics.spread[item] > 0);
  const disputed = sortItems(differing, spreads, true).slice(0, 8);
  byId("disputed-title").textContent = `Most disputed: ${metric.name} differs most between agents`;
  fill(byId("disputed"), ...disputed.map((item) => pick(item, statistics.spread[item])));
}

function pick(item, value) {
  return make("li", null, make("button", { type: "button", onclick: () => select(item) },
    labelOf(item) + " ", make("small", null, numberText(value, view.metric.digits || 2))));
}

function fillFilters() {
  const named = (names) => names.map((name, k) => option(k, name || "(none)"));
  const lengths = [...new Set(data.length)].filter((length) => length).sort((a, b) => a - b);
  fill(byId("filter-scan"), option("", "all"), ...named(data.scans));
  fill(byId("filter-length"), option("", "all"),
    ...lengths.map((length) => option(length, String(length))));
  fill(byId("filter-language"), option("", "all"), ...named(data.languages));
  byId("language-label").hidden = data.languages.length < 2;
  const found = new Set(data.status.flatMap((column) => [...new Set(column)]));
  found.delete(-1);
  fill(byId("filter-status"), option("", "all"),
    ...[...found].sort((a, b) => a - b).map((status) => option(status, data.statuses[status])));
}

function fillChoices() {
  const inTable = meta.metrics.filter((metric) => data.values[metric.name]);
  fill(byId("metric"),
    ...inTable.map(({ name, title }) => option(name, `${name} – ${title}`)));
  byId("metric").value = meta.rank;
  const agents = meta.agents.map((agent, a) => option(a, `all metrics of ${agent.name}`));
  const isAlone = meta.agents.length < 2;
  const ofAll = option(-1, isAlone ? "this metric" : "this metric of all agents");
  fill(byId("columns"), ofAll, ...agents);
  view.agent = isAlone ? 0 : -1;
  byId("columns").value = String(view.agent);
}

function startItems() {
  data.searched = data.ids.map((id, item) =>
    `${id}\n${data.scans[data.scan[item]]}\n${instructionOf(item)}`.toLowerCase());
  data.longestId = data.ids.reduce((longest, id) => Math.max(longest, id.length), 4);
  fill(byId("limits"), ...meta.limits.map((line) => make("p", { class: "limit" }, line)));
  fillFilters();
  fillChoices();
  view.metric = metricNamed(meta.rank);
  Object.assign(view, worstOrder());
  byId("search").addEventListener("input", showTable);
  for (const choice of byId("filters").querySelectorAll("select")) {
    choice.addEventListener("change", showTable);
  }
  byId("filters").addEventListener("reset", () => setTimeout(showTable));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("metric").addEventListener("change", () => changeView(true));
  byId("columns").addEventListener("change", () => changeView(false));
  byId("rows").addEventListener("scroll", showRows, { passive: true });
  byId("rows").addEventListener("keydown", onKey);
  showPicks();
  showTable();
}

function changeView(isOtherMetric) {
  view.metric = metricNamed(byId("metric").value);
  view.agent = Number(byId("columns").value);
  if (isOtherMetric) computeStatistics();
  Object.assign(view, worstOrder());
  showPicks();
  showTable();
}

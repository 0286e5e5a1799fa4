// Starts the page: what stands in it as text first, the items once they are unpacked.

function showTitle() {
  document.title = `${meta.title} – warpath report`;
  byId("title").textContent = meta.title;
  const agents = meta.agents.length === 1 ? "1 agent" : `${meta.agents.length} agents`;
  const items = `${meta.items.toLocaleString("en")} items`;
  const parts = [items, agents, `preset ${meta.preset}`, `warpath ${meta.warpath}`];
  byId("subtitle").textContent = parts.join(" · ");
}

// Opens the item that the address names, else the one that comes first in the table.
function openFirst() {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("item");
  const named = wanted === null ? -1 : data.ids.findIndex((_, item) => labelOf(item) === wanted);
  const item = named >= 0 ? named : view.shown[0];
  if (item !== undefined) select(item);
  if (named >= 0) byId("items").scrollIntoView();
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    fail("This browser cannot unpack the items: use Chrome or Edge from version 80, " +
      "Firefox from 113 or Safari from 16.4.");
    return;
  }
  data = JSON.parse(await unpack("data"));
  data.place = new Map(data.detailed.map((item, place) => [item, place]));
  startItems();
  document.body.dataset.ready = "items";
  openFirst();
  loadPlotly();
}

showTitle();
showScores();
showNotes();
showProvenance();
byId("all-metrics").addEventListener("change", showScores);
start().catch((error) => fail(`The items cannot be shown: ${error.message}`));

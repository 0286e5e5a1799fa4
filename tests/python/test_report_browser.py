"""The page of warpath.report in a real browser."""

from __future__ import annotations

import json
import pathlib
import shutil
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import warpath
from report_pages import Page, Study, items_of, make_study, read_page, warping
from test_report import marked_study, markup, targets

pytest.importorskip("selenium", reason="no selenium to drive a browser")
pytest.importorskip("plotly", reason="reports need plotly: pip install plotly")
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.options import Options  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402

patience = 60.0  # seconds until a page that does not come counts as broken


class Browser:
    """Drives Chromium and keeps what a reader sees."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, path: pathlib.Path, fragment: str = "") -> None:
        self.driver.get("about:blank")
        self.driver.get(path.as_uri() + fragment)
        self.wait("return document.body.dataset.ready === 'items'")

    def wait(self, condition: str) -> None:
        end = time.monotonic() + patience
        while not self.run(condition):
            assert time.monotonic() < end, f"never came: {condition}; {self.errors()}"
            time.sleep(0.02)

    def wait_for_drawing(self) -> None:
        self.wait("return Boolean(document.querySelector('#drawing .main-svg')) && "
                  "Boolean(document.getElementById('drawing').data)")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def errors(self) -> list[str]:
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def choose(self, element: str, value: str) -> None:
        Select(self.one(f"#{element}")).select_by_visible_text(value)

    def column(self, name: str) -> list[str]:
        """Returns the texts of a column, of the rows that are in sight."""
        heads = [h.text.rstrip(" ▲▼") for h in self.all("#table thead th")]
        return self.run(
            "return [...document.querySelectorAll('#table tbody tr[data-item]')]"
            ".map(row => row.children[arguments[0]].textContent)",
            heads.index(name),
        )

    def sort(self, key: str) -> None:
        self.one(f'#table th[data-key="{key}"] button').click()

    def traces(self) -> list[dict[str, Any]]:
        self.wait_for_drawing()
        found: list[dict[str, Any]] = self.run(
            "return document.getElementById('drawing').data.map(({name, type, x, y, z}) => "
            "({name, type, x: [...x], y: [...y], z: z ? [...z] : null}))"
        )
        return found

    def trace(self, name: str) -> dict[str, Any]:
        return next(trace for trace in self.traces() if trace["name"].startswith(name))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium, service = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not service:
        pytest.skip("no chromium and chromedriver")
    options = Options()
    options.binary_location = chromium
    for flag in ("headless=new", "no-sandbox", "window-size=1500,1000", "enable-unsafe-swiftshader",
                 "disable-dev-shm-usage"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(service))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def study() -> Study:
    made = make_study(paths=60)
    for entry in made.dataset:
        entry["instructions"] = [f"Wait in room <{entry['path_id']}>.", ""]
    return made


@pytest.fixture(scope="module")
def place(study: Study, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    from warpath import report

    path = tmp_path_factory.mktemp("report") / "page.html"
    few = dict(list(study.agents["wild"].items())[:-10])
    partly = Study(study.graphs, study.dataset, {"good": study.agents["good"], "wild": few})
    report.write(partly.evaluate(missing="zero"), path, graphs=study.graphs)
    return path


@pytest.fixture
def page(browser: Browser, place: pathlib.Path) -> Iterator[Page]:
    browser.open(place)
    yield read_page(place)
    assert browser.errors() == []


def test_it_opens_without_network(browser: Browser, page: Page) -> None:
    browser.wait_for_drawing()
    loaded = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in loaded if not name.startswith(("data:", "blob:"))] == []
    assert browser.one("#title").text == page.meta["title"]
    assert browser.one("#failure").is_displayed() is False
    rows = browser.run("return document.querySelectorAll('#summary tbody tr').length")
    assert rows == 1 + sum(metric["headline"] for metric in page.meta["metrics"])
    browser.one("#all-metrics").click()
    rows = browser.run("return document.querySelectorAll('#summary tbody tr').length")
    assert rows == 1 + len(page.meta["metrics"])


def test_scores_have_their_intervals(browser: Browser, page: Page) -> None:
    row = browser.run("return [...document.querySelectorAll('#summary tbody tr')]"
                      ".find(row => row.textContent.startsWith('nDTW')).innerText")
    column = [metric["name"] for metric in page.meta["metrics"]].index("nDTW")
    for agent in page.meta["agents"]:
        for value in agent["summary"][column][:3]:
            assert f"{value:.4f}" in row


def test_the_worst_items_come_first(browser: Browser, page: Page) -> None:
    means = [float(text) for text in browser.column("mean")]
    assert means == sorted(means) and len(means) > 10
    values = np.array(page.data["values"]["nDTW"], float) / 1e4
    assert means[0] == pytest.approx(values.mean(axis=0).min(), abs=1e-4)
    assert browser.one("#worst button").text.split()[0] in browser.column("item")[:8]
    spreads = [float(element.text) for element in browser.all("#disputed small")]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[0] == pytest.approx(np.ptp(values, axis=0).max(), abs=1e-4)


def test_columns_sort(browser: Browser, page: Page) -> None:
    browser.sort("spread")
    spreads = [float(text) for text in browser.column("spread")]
    assert spreads == sorted(spreads, reverse=True) and spreads[0] > spreads[-1]
    browser.sort("spread")
    assert [float(t) for t in browser.column("spread")] != spreads
    assert browser.one('#table th[data-key="spread"]').get_attribute("aria-sort") == "ascending"
    browser.sort("id")
    names = browser.column("item")
    assert names[:4] == ["0_0", "0_1", "1_0", "1_1"]
    browser.sort("agent 1")
    values = [float(text) for text in browser.column("wild")]
    assert values == sorted(values)


def test_filters_and_search(browser: Browser, page: Page) -> None:
    count = len(page.data["ids"])
    assert browser.one("#count").text == f"{count} items"
    browser.choose("filter-scan", "scan1")
    assert set(browser.column("scan")) == {"scan1"}
    of_scan = sum(page.data["scans"][k] == "scan1" for k in page.data["scan"])
    assert browser.one("#count").text == f"{of_scan} of {count} items"
    length = str(page.data["length"][page.data["scan"].index(1)])
    browser.choose("filter-length", length)
    assert set(browser.column("length")) == {length}
    browser.one("#reset").click()
    browser.wait(f"return document.getElementById('count').textContent === '{count} items'")
    browser.choose("filter-status", "missing")
    assert browser.one("#count").text == f"10 of {count} items"
    assert set(browser.column("status")) == {"missing, ok"}
    browser.one("#reset").click()
    browser.one("#search").send_keys("17_")
    assert set(browser.column("item")) == {"17_0", "17_1"}
    browser.one("#reset").click()
    browser.one("#search").send_keys("ROOM <17>")
    assert browser.column("item") == ["17_0"]
    browser.one("#table tbody tr[data-item]").click()
    assert browser.one("#detail .instruction").text == "Wait in room <17>."
    browser.one("#search").send_keys("nothing")
    assert browser.column("item") == [] and browser.one("#count").text == f"0 of {count} items"


def test_a_click_shows_the_paths_that_were_scored(
    browser: Browser, page: Page, study: Study
) -> None:
    browser.wait_for_drawing()
    browser.one('#table tbody tr[data-item]:nth-child(4)').click()
    name = browser.column("item")[2]
    item = page.item(name)
    assert browser.one("#detail h3").text == name
    browser.wait_for_drawing()
    browser.wait(f"return detail.item === {item} && "
                 "document.getElementById('drawing').data.some(t => t.name === 'wild')")
    positions = {
        scan: dict(zip(study.graphs.viewpoints(scan), np.asarray(study.graphs.positions(scan))))
        for scan in study.graphs.scans
    }
    at = positions[page.data["scans"][page.data["scan"][item]]]
    for agent, title in ((0, "good"), (1, "wild")):
        trace = browser.trace(title)
        expected = np.array([at[v] for v in page.path("query", agent, item)])
        assert trace["type"] == "scatter3d"
        assert np.allclose(np.transpose([trace["x"], trace["y"]]), expected[:, :2], atol=1e-3)
    reference = browser.trace("reference")
    expected = np.array([at[v] for v in page.path("reference", 0, item)])
    assert np.allclose(np.transpose([reference[k] for k in "xyz"]), expected, atol=1e-3)
    links = browser.trace("alignment")
    assert len(links["x"]) == 3 * len(warping(page.alignment(0, item)))
    graph = browser.trace("graph")
    edges = page.data["drawings"]["scans"][page.data["scans"][page.data["scan"][item]]]["edges"]
    assert len(graph["x"]) == 3 * (len(edges) // 2)


def test_terms_and_alignment_follow_the_chosen_agent(browser: Browser, page: Page) -> None:
    browser.wait_for_drawing()
    item = page.item(browser.column("item")[0])
    for agent, name in enumerate(("good", "wild")):
        browser.choose("agent", name)
        steps = warping(page.alignment(agent, item))
        cells = browser.run(
            "return [...document.querySelectorAll('#alignment table')[0].tBodies[0].rows]"
            ".map(row => [...row.cells].map(cell => cell.textContent))"
        )
        assert [(int(c[0]) - 1, int(c[1]) - 1) for c in cells] == steps
        assert float(cells[-1][5]) == pytest.approx(page.value("DTW", agent, item), abs=0.01)
        browser.wait(f"return document.getElementById('drawing').data.some("
                     f"t => t.name === 'alignment, {len(steps)} links')")
    row = browser.run("return [...document.querySelectorAll('#item-scores tbody tr')]"
                      ".find(row => row.textContent.startsWith('SDTW')).innerText")
    sr, ndtw = page.value("SR", 1, item), page.value("nDTW", 1, item)
    assert f"= {sr:.4f} · {ndtw:.4f}" in row


def test_the_building_is_seen_from_above(browser: Browser, page: Page) -> None:
    browser.wait_for_drawing()
    browser.all(".tools button")[1].click()
    browser.wait("return document.getElementById('drawing').data && "
                 "document.getElementById('drawing').data[0].type === 'scatter'")
    links = len(browser.trace("alignment")["x"])
    browser.one(".tools input").click()
    browser.wait("return document.getElementById('drawing').data.every("
                 "trace => !trace.name.startsWith('alignment'))")
    assert links > 0
    browser.all(".tools button")[0].click()
    browser.wait("return document.getElementById('drawing').data && "
                 "document.getElementById('drawing').data[0].type === 'scatter3d'")


def test_keys_move_through_the_items(browser: Browser, page: Page) -> None:
    rows = browser.one("#rows")
    names = browser.column("item")
    rows.send_keys(Keys.ARROW_DOWN)
    rows.send_keys(Keys.ARROW_DOWN)
    assert browser.one("#detail h3").text == names[2]
    rows.send_keys(Keys.END)
    assert browser.one("#detail h3").text == browser.column("item")[-1]
    assert browser.one('#table tr[aria-selected="true"]').is_displayed()
    rows.send_keys(Keys.HOME)
    assert browser.one("#detail h3").text == names[0]


def test_many_items_share_one_webgl_context(browser: Browser, page: Page) -> None:
    browser.wait_for_drawing()
    names = browser.column("item")
    for k in range(20):
        browser.run("moveTo(arguments[0])", k)
        browser.wait("return document.getElementById('drawing').layout.uirevision === "
                     "`${detail.item} space`")
    assert browser.one("#detail h3").text == names[19]
    assert browser.run("return document.querySelectorAll('#drawing canvas').length") >= 1
    messages = [entry["message"] for entry in browser.driver.get_log("browser")]
    assert [text for text in messages if "active WebGL contexts" in text] == []


def test_an_address_names_an_item(browser: Browser, page: Page, place: pathlib.Path) -> None:
    name = page.data["ids"][33]
    browser.open(place, "#item=" + urllib.parse.quote(name))
    assert browser.one("#detail h3").text == name


def test_problems_come_with_their_remedies(browser: Browser, page: Page) -> None:
    browser.choose("filter-status", "missing")
    browser.one("#table tbody tr[data-item]").click()
    text = browser.one("#detail .limit").text
    assert "missing (wild)" in text and page.meta["remedies"]["missing"][1] in text
    assert page.meta["remedies"]["missing"][1] in browser.one("#provenance").text


def test_provenance_has_convention_and_hashes(browser: Browser, page: Page) -> None:
    text = browser.one("#provenance").text
    for row in page.meta["inputs"]:
        assert row[3] in text
    for agent in page.meta["agents"]:
        assert agent["hash"] in text
    assert "spl-length" in text and "threshold" in text


def test_another_metric_reorders(browser: Browser, page: Page) -> None:
    Select(browser.one("#metric")).select_by_value("NE")
    means = [float(text) for text in browser.column("mean")]
    assert means == sorted(means, reverse=True)
    browser.choose("columns", "all metrics of wild")
    errors = [float(text) for text in browser.column("NE")]
    assert errors == sorted(errors, reverse=True)
    browser.sort("metric SR")
    assert browser.column("SR")[0] == "0.0000"


def test_markup_in_texts_stays_text(browser: Browser, tmp_path: pathlib.Path) -> None:
    from warpath import report

    made, path = marked_study(), tmp_path / "page.html"
    report.write(made.evaluate(), path, graphs=made.graphs, title=markup)
    browser.open(path)
    page = read_page(path)
    for name in page.data["ids"]:
        browser.open(path, "#item=" + urllib.parse.quote(name, safe=""))
        assert browser.one("#detail h3").text == name
        if page.path("query", 0, page.item(name)):
            browser.wait_for_drawing()
    assert browser.one("#title").text == markup
    assert browser.run("return document.querySelectorAll('img, b, main script').length") == 0
    assert browser.errors() == []


def test_what_cannot_be_drawn_is_said(browser: Browser, tmp_path: pathlib.Path) -> None:
    from warpath import report

    graphs = warpath.Graphs({"s": warpath.Graph(["a", "b", "c"], [[0, 1]], weights=[2.0])})
    dataset = items_of("s", ["a", "b"])
    evaluation = warpath.evaluate({"0_0": ["a"], "0_1": ["c"]}, dataset, graphs, invalid="zero")
    path = tmp_path / "page.html"
    report.write(evaluation, path, graphs=graphs)
    browser.open(path, "#item=0_0")
    assert "no positions" in browser.one("#drawing-note").text
    browser.open(path, "#item=0_1")
    assert "There is no alignment" in browser.one("#alignment").text
    assert browser.errors() == []


def test_one_agent_and_positions_without_a_graph(browser: Browser, tmp_path: pathlib.Path) -> None:
    from warpath import report

    folder = targets / "vlnce"
    evaluation = warpath.evaluate(folder / "predictions.json", folder / "episodes.json")
    path = tmp_path / "page.html"
    report.write(evaluation, path)
    browser.open(path)
    assert browser.one("#disputed-box").is_displayed() is False
    assert browser.one("#language-label").is_displayed()
    drawn = browser.trace("reference")
    page = read_page(path)
    item = page.item(browser.one("#detail h3").text)
    number = page.data["drawings"]["reference"][page.data["detailed"].index(item)][0]
    points = np.reshape(page.data["drawings"]["paths"][number], (-1, 3)) / 1000
    assert np.allclose(drawn["z"], points[:, 1]) and np.allclose(drawn["y"], -points[:, 2])
    browser.choose("filter-language", "hi-IN")
    assert set(browser.column("language")) == {"hi-IN"}
    assert browser.errors() == []


def test_old_browsers_are_told(browser: Browser, place: pathlib.Path) -> None:
    script = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.DecompressionStream"}
    )
    try:
        browser.driver.get(place.as_uri())
        assert "cannot unpack" in browser.one("#failure").text
        assert browser.one("#summary").text.count("nDTW") >= 1
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_load_time_is_reported(
    browser: Browser, place: pathlib.Path, record_property: Any, tmp_path: pathlib.Path
) -> None:
    """Records how long 2,349 items of five agents take; a busy machine does not fail."""
    from warpath import report

    many = make_study(seed=9, paths=1175)
    agents = {f"agent {k}": many.agents["wild" if k % 2 else "good"] for k in range(5)}
    path = tmp_path / "page.html"
    report.write(Study(many.graphs, many.dataset, agents).evaluate(), path, graphs=many.graphs)
    browser.open(path)
    record_property("milliseconds", browser.run("return performance.now()"))
    record_property("bytes", path.stat().st_size)
    assert path.stat().st_size < 15_000_000
    assert json.loads(browser.run("return JSON.stringify(meta.items)")) == 2350

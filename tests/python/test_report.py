"""warpath.report: what the page says and draws is what was scored."""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any

import made_flights
import numpy as np
import pytest
import warpath
from report_pages import Page, Study, items_of, make_study, read_page, warping

pytest.importorskip("plotly", reason="reports need plotly: pip install plotly")
from warpath import report  # noqa: E402
from warpath.commands import run_command  # noqa: E402
from warpath.report import page as page_module  # noqa: E402

targets = pathlib.Path(__file__).parents[1] / "golden" / "targets"


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study()


def page_of(result: Any, folder: pathlib.Path, **settings: Any) -> Page:
    place = folder / "page.html"
    report.write(result, place, **settings)
    return read_page(place)


@pytest.fixture(scope="module")
def page(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("report")
    return page_of(study.evaluate(), folder, graphs=study.graphs)


def test_scores_are_those_of_the_evaluation(study: Study, page: Page) -> None:
    evaluation = study.evaluate()
    assert [agent["name"] for agent in page.meta["agents"]] == ["good", "wild"]
    for agent, result in enumerate(evaluation.agents):
        columns = result.per_item
        assert page.data["ids"] == columns["instr_id"].tolist()
        assert [page.data["scans"][k] for k in page.data["scan"]] == columns["scan"].tolist()
        for place, metric in enumerate(page.meta["metrics"]):
            name, tolerance = metric["name"], 0.51 / 10 ** metric["digits"]
            estimate = result.summary[name]
            shown = page.meta["agents"][agent]["summary"][place]
            assert shown[:3] == [estimate.mean, *(estimate.ci95 or (None, None))]
            for item, value in enumerate(columns[name].tolist()):
                assert page.value(name, agent, item) == pytest.approx(value, abs=tolerance)


def test_paths_and_alignment_are_those_that_were_scored(study: Study, page: Page) -> None:
    count = 0
    for agent, name in enumerate(study.agents):
        for explained in study.evaluate().explain_items(page.data["ids"]):
            if explained.agent != name:
                continue
            item = page.item(explained.instr_id)
            assert page.path("reference", agent, item) == list(explained.reference)
            assert page.path("query", agent, item) == study.agents[name][explained.instr_id]
            alignment = page.alignment(agent, item)
            assert warping(alignment) == [tuple(step) for step in explained.warping.tolist()]
            assert sum(alignment[1]) / 1000 == pytest.approx(
                explained.metrics["DTW"], abs=0.0006 * len(alignment[1])
            )
            nearest = alignment[2][len(alignment[2]) // 2 :]
            covered = np.exp(-np.array(nearest) / 1000 / 3).mean()
            assert covered == pytest.approx(explained.metrics["PC"], abs=1e-3)
            deviation = np.array(alignment[3][len(alignment[3]) // 2 :]) / 1000
            assert deviation.max() == pytest.approx(explained.metrics["MD"], abs=1e-3)
            count += 1
    assert count == 2 * len(page.data["ids"])


def test_buildings_are_those_of_the_graphs(study: Study, page: Page) -> None:
    for scan, drawn in page.data["drawings"]["scans"].items():
        assert drawn["viewpoints"] == study.graphs.viewpoints(scan)
        positions = np.reshape(drawn["positions"], (-1, 3)) / 1000
        assert np.abs(positions - study.graphs.positions(scan)).max() < 0.00051
        edges = np.reshape(drawn["edges"], (-1, 2)).tolist()
        assert edges == sorted(study.graphs.edges(scan).tolist())


def test_without_graphs_only_what_paths_visit_is_drawn(
    study: Study, tmp_path: pathlib.Path
) -> None:
    bare = page_of(study.evaluate(), tmp_path)
    for agent in range(2):
        for item in range(len(bare.data["ids"])):
            visited = bare.path("query", agent, item)
            scan = bare.data["drawings"]["scans"][bare.data["scans"][bare.data["scan"][item]]]
            assert set(visited) <= set(scan["viewpoints"])
            assert len(scan["positions"]) == 3 * len(scan["viewpoints"])


def result_file(study: Study, folder: pathlib.Path, *options: str) -> pathlib.Path:
    file = folder / "results.json"
    words = ["warpath", "eval", *study.write(folder), "--quiet", "--json", str(file), *options]
    assert warpath._core.run_program(words) == 0
    return file


@pytest.mark.parametrize("has_items", [True, False])
def test_result_files_lead_to_the_same_page(
    study: Study, page: Page, tmp_path: pathlib.Path, has_items: bool
) -> None:
    result = result_file(study, tmp_path, *(["--items"] if has_items else []))
    place = tmp_path / "page.html"
    assert run_command(["report", str(result), "-o", str(place)]) == 0
    of_files = read_page(place)
    assert of_files.meta["limits"] == []
    assert of_files.meta["command_lines"][0][0] == "eval"
    for key in ("ids", "status", "length", "values"):
        assert of_files.data[key] == page.data[key], key
    for key in ("reference", "query", "alignment"):
        assert of_files.data["drawings"][key] == page.data["drawings"][key], key


def test_inputs_that_moved_or_changed(
    study: Study, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result, place = result_file(study, tmp_path, "--items"), tmp_path / "page.html"
    moved = tmp_path / "elsewhere.json"
    (tmp_path / "dataset.json").rename(moved)
    assert run_command(["report", str(result), "-o", str(place)]) == 0
    assert "name it with --dataset" in capsys.readouterr().err
    without = read_page(place)
    assert without.data["detailed"] == [] and len(without.data["ids"]) == 24
    assert "name it with --dataset" in without.meta["limits"][0]

    assert run_command(["report", str(result), "-o", str(place), "--dataset", str(moved)]) == 0
    assert len(read_page(place).data["detailed"]) == 24

    before = place.read_bytes()
    entries = json.loads(moved.read_text())
    entries[0]["heading"] = 1.0
    moved.write_text(json.dumps(entries))
    assert run_command(["report", str(result), "-o", str(place), "--dataset", str(moved)]) == 1
    assert "made from other dataset" in capsys.readouterr().err
    assert place.read_bytes() == before
    assert run_command(["report", str(result), "-o", str(place), "--no-paths"]) == 0
    assert read_page(place).meta["limits"] == []


def test_agents_of_several_results_stand_side_by_side(study: Study, tmp_path: pathlib.Path) -> None:
    first, second = study.evaluate(), study.evaluate(metrics="SR,nDTW")
    both = page_of([first, second], tmp_path, graphs=study.graphs)
    names = [agent["name"] for agent in both.meta["agents"]]
    assert names[:2] == ["good", "wild"] and len(set(names)) == 4
    assert [metric["name"] for metric in both.meta["metrics"]] == ["SR", "nDTW"]
    assert both.data["values"]["SR"][0] == both.data["values"]["SR"][2]
    with pytest.raises(warpath.InputError, match=r"another convention \(threshold=1"):
        page_of([first, study.evaluate(threshold=1.0)], tmp_path)
    other = make_study(seed=4)
    with pytest.raises(warpath.InputError, match="is of another dataset"):
        page_of([first, other.evaluate()], tmp_path)


def test_details_are_of_the_worst_and_the_most_disputed(
    study: Study, tmp_path: pathlib.Path
) -> None:
    evaluation = study.evaluate()
    limited = page_of(evaluation, tmp_path, graphs=study.graphs, details=6)
    values = np.array([agent.per_item["nDTW"] for agent in evaluation.agents])
    worst = set(np.argsort(values.mean(axis=0), kind="stable")[:3].tolist())
    by_spread = np.argsort(-np.ptp(values, axis=0), kind="stable").tolist()
    disputed = [item for item in by_spread if item not in worst][:3]
    assert limited.data["detailed"] == sorted(worst | set(disputed))
    assert len(limited.data["ids"]) == 24
    (limit,) = limited.meta["limits"]
    assert "6 of 24 items" in limit and "--details 0" in limit
    assert len(limited.data["drawings"]["query"]) == 6
    whole = page_of(evaluation, tmp_path, graphs=study.graphs, details=0)
    assert whole.data["detailed"] == list(range(24)) and whole.meta["limits"] == []


def test_items_are_ranked_by_any_metric_that_has_a_direction(
    study: Study, tmp_path: pathlib.Path
) -> None:
    evaluation = study.evaluate()
    by_error = page_of(evaluation, tmp_path, metric="ne", details=2)
    assert by_error.meta["rank"] == "NE"
    errors = np.array([agent.per_item["NE"] for agent in evaluation.agents]).mean(axis=0)
    assert int(errors.argmax()) in by_error.data["detailed"]
    for metric in ("PL", "nothing"):
        with pytest.raises(warpath.UsageError, match="cannot be ranked"):
            page_of(evaluation, tmp_path, metric=metric)


def test_the_same_results_give_the_same_bytes(study: Study, tmp_path: pathlib.Path) -> None:
    evaluation = study.evaluate()
    first = page_of(evaluation, tmp_path, run_info=False).text
    assert page_of(study.evaluate(), tmp_path, run_info=False).text == first


markup = '</script><img src=x onerror="alert(1)"><!--<script>'


def marked_study() -> Study:
    """Returns a study whose names are all markup."""
    viewpoints = [f"{markup}{k}" for k in range(3)] + ["视点 ع\u202e"]
    graph = warpath.Graph(viewpoints, [[0, 1], [1, 2], [2, 3]], [[k, 0, 0] for k in range(4)])
    path = viewpoints[:3]
    dataset = items_of(markup, path, path_id=f"<b>{markup}")
    ids = [f"<b>{markup}_{k}" for k in range(2)]
    agent = {ids[0]: viewpoints, ids[1]: path, markup: path}
    return Study(warpath.Graphs({markup: graph}), dataset, {f"agent {markup}": agent})


def test_texts_of_files_are_no_markup(tmp_path: pathlib.Path) -> None:
    made = marked_study()
    page = page_of(made.evaluate(), tmp_path, graphs=made.graphs, title=markup)
    plain = page_of(make_study().evaluate(), tmp_path)
    assert markup in page.data["ids"] and page.meta["title"] == markup
    assert page.data["scans"] == ["", markup]
    for text in ("<script", "</script", "<!--", "<img"):
        assert page.text.count(text) == plain.text.count(text), text


def test_predictions_for_no_item_are_listed(tmp_path: pathlib.Path) -> None:
    made = marked_study()
    page = page_of(made.evaluate(), tmp_path, graphs=made.graphs)
    item = page.item(markup)
    assert page.data["statuses"][page.data["status"][0][item]] == "unknown_id"
    assert page.path("query", 0, item) == [] and page.value("nDTW", 0, item) is None
    assert "unknown_id" in page.meta["agents"][0]["statuses"]
    assert page.meta["remedies"]["unknown_id"][1] != ""


def test_degenerate_paths(street: warpath.Graphs, tmp_path: pathlib.Path) -> None:
    dataset = [
        {"path_id": k, "scan": "street", "path": path, "heading": 0, "instructions": [""]}
        for k, path in enumerate([["a"], ["a", "b", "a"], ["a", "b"], ["a", "b", "c"]])
    ]
    walk = [["a"], *[["b"] if k % 2 else ["a"] for k in range(400)]]
    agent = {"0_0": ["a"], "1_0": ["a"], "2_0": ["e", "a"], "3_0": [v for (v,) in walk]}
    page = page_of(warpath.evaluate(agent, dataset, street), tmp_path, graphs=street)
    assert page.alignment(0, 0) == ["", [0], [0, 0], [0, 0]]
    assert len(page.path("query", 0, 3)) == 401
    assert len(warping(page.alignment(0, 3))) >= 401
    assert page.path("query", 0, 2) == ["e", "a"]  # no edge joins them
    alone = page_of(warpath.evaluate({"1_0": ["a"]}, dataset[1:2], street), tmp_path)
    assert alone.path("query", 0, 0) == ["a"] and alone.alignment(0, 0)[0] == "rr"
    assert alone.data["drawings"]["scans"]["street"]["viewpoints"] == ["a", "b"]


def test_graphs_without_positions_and_paths_without_distance(tmp_path: pathlib.Path) -> None:
    graphs = warpath.Graphs({"s": warpath.Graph(["a", "b", "c"], [[0, 1]], weights=[2.0])})
    dataset = items_of("s", ["a", "b"])
    agent = {"0_0": ["a", "b"], "0_1": ["c"]}
    page = page_of(
        warpath.evaluate(agent, dataset, graphs, invalid="zero"), tmp_path, graphs=graphs
    )
    assert page.data["drawings"]["scans"]["s"]["positions"] is None
    assert page.alignment(0, 0) == ["b", [0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert page.alignment(0, 1) is None
    assert page.value("nDTW", 0, 1) == 0.0  # counts as a failure


def test_items_without_a_prediction(study: Study, tmp_path: pathlib.Path) -> None:
    fewer = Study(study.graphs, study.dataset, {
        "all": study.agents["good"], "some": dict(list(study.agents["wild"].items())[:5]),
    })
    page = page_of(fewer.evaluate(missing="skip"), tmp_path, graphs=study.graphs)
    missing = page.data["statuses"].index("missing")
    assert page.data["status"][1].count(missing) == 19
    assert page.value("SR", 1, 10) is None and page.path("query", 1, 10) == []
    assert page.data["length"][10] > 0


def test_episodes_are_drawn_as_positions(tmp_path: pathlib.Path) -> None:
    folder = targets / "vlnce"
    evaluation = warpath.evaluate(
        folder / "predictions.json", folder / "episodes.json", ground_truth=folder / "truth.json"
    )
    page = page_of(evaluation, tmp_path)
    drawings = page.data["drawings"]
    assert drawings["continuous"] and not drawings["scans"]
    count = 0
    for explained in evaluation.explain_items(page.data["ids"]):
        if not len(explained.query_positions):
            continue
        place = page.data["detailed"].index(page.item(explained.instr_id))
        points = np.reshape(drawings["paths"][drawings["query"][place][0]], (-1, 3)) / 1000
        assert np.abs(points - explained.query_positions).max() < 0.00051
        count += 1
    assert count > 10


def test_flights_are_drawn_with_z_up(tmp_path: pathlib.Path) -> None:
    evaluation = warpath.evaluate(*made_flights.citynav(tmp_path), preset="citynav")
    drawings = page_of(evaluation, tmp_path).data["drawings"]
    path = np.reshape(drawings["paths"][drawings["reference"][0][0]], (-1, 3)) / 1000
    upright = np.stack([path[:, 0], -path[:, 2], path[:, 1]], 1)  # as drawing.js turns it
    assert upright.tolist() == made_flights.REFERENCE


def test_references_may_differ_from_agent_to_agent(tmp_path: pathlib.Path) -> None:
    evaluation = warpath.evaluate(
        targets / "ndh_agent.json",
        targets / "ndh.json",
        targets.parent / "connectivity",
        preset="ndh",
        ndh_reference="all",
        invalid="zero",
        missing="zero",
    )
    page = page_of(evaluation, tmp_path)
    assert len(page.meta["agents"]) == 3
    differing = [row for row in page.data["drawings"]["reference"] if len(set(row)) > 1]
    assert differing


def test_files_of_others_stay(study: Study, tmp_path: pathlib.Path) -> None:
    place = tmp_path / "notes.html"
    place.write_text("mine")
    with pytest.raises(warpath.UsageError, match="is no report of warpath"):
        report.write(study.evaluate(), place)
    assert place.read_text() == "mine"
    report.write(study.evaluate(), place, force=True)
    report.write(study.evaluate(), place)  # ours by now
    assert read_page(place).meta["items"] == 24
    assert os.listdir(tmp_path) == ["notes.html"]


def test_places_that_cannot_be_written(study: Study, tmp_path: pathlib.Path) -> None:
    evaluation = study.evaluate()
    for place, problem in (
        (tmp_path, "name a file, not a folder"),
        (tmp_path / "no" / "x", "make the folder first"),
    ):
        with pytest.raises(warpath.InputError, match=problem):
            report.write(evaluation, place)
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "gone.html")
    with pytest.raises(warpath.InputError, match="a link to nothing"):
        report.write(evaluation, link)
    (tmp_path / "gone.html").touch()
    report.write(evaluation, link)
    assert link.is_symlink() and read_page(tmp_path / "gone.html").meta["items"] == 24


def test_a_failed_write_leaves_the_old_file(
    study: Study, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "page.html"
    report.write(study.evaluate(), place)
    before = place.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", fail)
    with pytest.raises(warpath.InputError, match="free some space"):
        report.write(study.evaluate(), place)
    assert place.read_bytes() == before and os.listdir(tmp_path) == ["page.html"]


def test_plotly_is_named_where_it_is_missing(
    study: Study, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page_module._plotly.cache_clear()
    for module in [name for name in sys.modules if name.split(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "plotly", None)
    message = r'plotly is missing: pip install plotly, or in the checkout: pip install "\.\[report\]"'
    with pytest.raises(warpath.UsageError, match=message):
        report.write(study.evaluate(), tmp_path / "page.html")
    assert not os.listdir(tmp_path)


def test_what_is_no_result_file_is_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "agent.json"
    file.write_text('[{"instr_id": "0_0", "trajectory": []}]')
    with pytest.raises(warpath.InputError, match="agent.json"):
        report.write(file, tmp_path / "page.html")
    with pytest.raises(warpath.InputError, match="missing.json"):
        report.write(tmp_path / "missing.json", tmp_path / "page.html")


def test_many_items_have_headline_metrics_alone(page: Page) -> None:
    from warpath.report import payload

    names = [metric["name"] for metric in page.meta["metrics"]]
    rows = {name: warpath.metrics[name] for name in names}
    assert payload._table_metrics(rows, "nDTW", 100) == names
    few = payload._table_metrics(rows, "GP", 226_000)
    assert set(few) == {m for m in names if warpath.metrics[m].headline} | {"GP"}


def test_plotly_is_packed(page: Page) -> None:
    from plotly.offline import get_plotlyjs

    assert len(page.text) < 0.5 * len(get_plotlyjs())

"""Metrics that are functions of the caller: their columns, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import needing_meshes, plain_dtw
from made_agents import ITEMS, World, evaluate_ends, graphs, saved
from warpath.own_metrics import Distances


def own_ndtw(reference: Any, query: Any, distances: Distances) -> float:
    return math.exp(-plain_dtw(distances(query, reference)) / (3.0 * len(reference)))


def own_success(reference: Any, query: Any, distances: Distances) -> bool:
    return bool(distances(query[-1:], reference[-1:])[0, 0] <= 3.0)


def own_length(reference: Any, query: Any, distances: Distances) -> float:
    return float(np.trace(distances(query[:-1], query[1:])))


COPIES = {
    "MyDTW": warpath.OwnMetric(own_ndtw, better="higher"),
    "MySR": warpath.OwnMetric(own_success, better="higher"),
    "MyPL": warpath.OwnMetric(own_length, unit="length"),
}
"""Copies of nDTW, SR and PL."""
ORIGINALS = {"MyDTW": "nDTW", "MySR": "SR", "MyPL": "PL"}


def evaluate(own_metrics: Any, *ends: str, **options: Any) -> warpath.results.Evaluation:
    return evaluate_ends(*ends or ("c",), own_metrics=own_metrics, **options)


@pytest.fixture(scope="module")
def world() -> World:
    return World(paths=12)


def assert_same(own: warpath.results.Estimate, original: warpath.results.Estimate) -> None:
    assert own[2:] == original[2:]
    assert own.mean == pytest.approx(original.mean, abs=1e-9)
    assert own.ci95 is not None and own.ci95 == pytest.approx(original.ci95, abs=1e-9)


@pytest.mark.parametrize("interval", ["path", "scan", "none", "bootstrap"])
def test_copies_have_the_values_of_metrics(world: World, interval: str) -> None:
    agent = world.agent(0.6)
    result = world.evaluate(agent, own_metrics=COPIES, interval=interval, backend="reference")
    for own, original in ORIGINALS.items():
        np.testing.assert_allclose(result.per_item[own], result.per_item[original], atol=1e-9)
        assert_same(result.summary[own], result.summary[original])
        for name, group in result.by("scan").items():
            assert group[own].n == group[original].n, name
    assert list(result.summary)[-3:] == list(COPIES)


def test_comparison_of_copies(world: World, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("scipy", reason="scipy is not installed")
    result = world.evaluate(world.agent(0.6), world.agent(0.2), own_metrics=COPIES)
    names = [*COPIES, *ORIGINALS.values()]
    for compared in (result, saved(result, tmp_path / "results.json")):
        [pair] = warpath.compare(compared, metrics=names, permutations=199).pairs
        for own, original in ORIGINALS.items():
            mine, theirs = pair.metrics[own], pair.metrics[original]
            assert mine.p == theirs.p
            assert mine.difference == pytest.approx(theirs.difference, abs=1e-6)
            assert mine.ci95 == pytest.approx(theirs.ci95, abs=1e-6)
            assert (mine.n, mine.clusters) == (theirs.n, theirs.clusters)
        assert pair.metrics["MyDTW"].wins == pair.metrics["nDTW"].wins
        assert pair.metrics["MyPL"].wins is None
    everything = warpath.compare(result, permutations=99)
    assert "MyDTW ↑" in str(everything) and "MyPL (m)" in str(everything)


def test_comparison_of_other_declarations() -> None:
    pytest.importorskip("scipy", reason="scipy is not installed")
    one = evaluate({"Own": own_ndtw})
    other = evaluate({"Own": warpath.OwnMetric(own_ndtw, better="higher")}, "b")
    with pytest.raises(warpath.InputError, match="Own: is fraction, better higher"):
        warpath.compare([one, other])
    assert "Own" not in warpath.compare([one, evaluate(None, "b")]).pairs[0].metrics


def test_tables_and_files() -> None:
    own = {"MyDTW": COPIES["MyDTW"], "MyPL": COPIES["MyPL"]}
    result = evaluate(own, "c", "b", by="scan", also="duet")
    assert "MyDTW ↑" in str(result) and "MyPL (m)" in str(result)
    assert "own metrics, by functions of the caller: MyDTW, MyPL" in str(result)
    assert "MyDTW (%) ↑" in result.to_markdown(percent=True)
    assert "MyDTW" in result.to_latex()
    assert "MyDTW" in result._repr_html_()

    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [float(row["MyPL"]) for row in rows] == [4.0, 2.0, 4.0, 0.0]
    report = json.loads(result.to_json(items=True))
    run = report["runs"][1]
    estimate = run["own_metrics"]["MyDTW"]
    assert estimate["better"] == "higher" and estimate["unit"] == "fraction"
    assert estimate["mean"] == pytest.approx(run["metrics"]["nDTW"]["mean"])
    assert "MyDTW" not in run["metrics"]
    assert run["per_item"]["own_values"]["MyPL"] == [4.0, 0.0]
    assert run["groups"][0]["own_metrics"]["MyPL"]["mean"] == 2.0
    assert "own_metrics" not in run["also"][0]  # the preset changes no own mean
    assert result.agents[1].flat()["MyDTW"] == pytest.approx(100 * estimate["mean"])
    assert result.agents[0].per_item["mypl"][0] == 4.0


def test_other_presets_have_other_values() -> None:
    own = {"Edges": warpath.OwnMetric(own_length, unit="count")}
    result = evaluate(own, also="r4r-hops")
    also = json.loads(result.to_json())["runs"][0]["also"]
    assert also[0]["own_metrics"]["Edges"]["mean"] == 1.5  # 2 and 1 edges, not 4 and 2 metres
    assert result.summary["Edges"].mean == 3.0


def test_every_preset_calls_few_functions() -> None:
    calls = []

    def counted(reference: Any, query: Any, distances: Distances) -> float:
        calls.append(len(query))
        return distances(query, reference).max() / 1000

    result = evaluate({"Far": counted}, also="all")
    assert len(calls) <= 2 * (1 + len(warpath.presets))
    assert "Far" in str(result)


def test_signature_names_them() -> None:
    result = evaluate({"Mine": own_ndtw, "Other": own_success})
    parts = dict(part.split(":") for part in result.signature.split("|"))
    assert parts["own_metrics"] == "Mine,Other"
    assert "own_metrics" not in evaluate(None).signature


def test_runs() -> None:
    result = evaluate(COPIES, "c", "b", "c", names=["ours", "ours", "other"], runs=True)
    [ours] = result.run_groups
    for own, original in ORIGINALS.items():
        assert_same(ours.summary[own], ours.summary[original])
        assert ours.deviations[own] == pytest.approx(ours.deviations[original])
    agents = json.loads(result.to_json())["agents"]
    assert agents[0]["own_metrics"]["MyPL"]["sd_over_runs"] == pytest.approx(
        agents[0]["metrics"]["PL"]["sd_over_runs"]
    )


@pytest.mark.parametrize("nothing", [None, math.nan, np.float32("nan")])
def test_not_defined(nothing: Any) -> None:
    def of_long(reference: Any, query: Any, distances: Distances) -> Any:
        return nothing if len(reference) < 3 else np.float32(0.5)

    result = evaluate({"Long": of_long})
    estimate = result.summary["Long"]
    assert (estimate.mean, estimate.n, estimate.of) == (0.5, 1, 2)
    assert np.isnan(result.per_item["Long"][1])
    assert "Long: 1 item without a value, 1_0, in no mean" in str(result)
    assert evaluate({"Never": lambda *_: nothing}).summary["Never"].mean is None


def test_failed_items() -> None:
    agent = [{"instr_id": "0_0", "trajectory": [["a"], ["b"], ["c"]]}]
    own = {"MyDTW": COPIES["MyDTW"], "MyPL": COPIES["MyPL"]}
    zero = warpath.evaluate([agent], ITEMS, graphs(), missing="zero", own_metrics=own)
    for mine in own:
        assert zero.summary[mine][2:] == zero.summary[ORIGINALS[mine]][2:]
    assert (zero.summary["MyDTW"].mean, zero.summary["MyPL"].mean) == (0.5, 4.0)
    skipped = warpath.evaluate([agent], ITEMS, graphs(), missing="skip", own_metrics=own)
    assert (skipped.summary["MyDTW"].mean, skipped.summary["MyDTW"].n) == (1.0, 1)


def test_paths_are_as_scored() -> None:
    seen = []
    agent = [
        {"instr_id": "0_0", "trajectory": [["a"], ["a"], ["b"]]},
        {"instr_id": "1_0", "trajectory": [["b"]]},
    ]

    def look(reference: list[str], query: list[str], distances: Distances) -> bool:
        seen.append((reference, query))
        assert distances(["c"], ["a", "b"]).tolist() == [[4.0, 2.0]]
        assert distances([], query).shape == (0, len(query))
        reference.clear()  # the next function gets its own
        return True

    warpath.evaluate(
        [agent], ITEMS, graphs(), own_metrics={"First": look, "Second": lambda r, q, d: len(r) > 0},
        repeats="collapse",
    )  # fmt: skip
    assert [query for _, query in seen] == [["a", "b"], ["b"]]


def test_pairs() -> None:
    pairs = [{"id": "0", "scan": "s", "reference": ["a", "b"], "prediction": ["a", "b", "c"]}]
    result = warpath.evaluate_pairs(pairs, graphs(), own_metrics=COPIES)
    for own, original in ORIGINALS.items():
        assert result.summary[own].mean == pytest.approx(result.summary[original].mean)


def episodes() -> tuple[dict[str, Any], dict[str, Any]]:
    path = [[0.0, 0.5, 0.0], [2.0, 0.5, 0.0], [2.0, 0.5, 2.0]]
    dataset = {
        "episodes": [
            {
                "episode_id": 1,
                "scene_id": "mp3d/s/s.glb",
                "start_position": path[0],
                "reference_path": path,
                "goals": [{"position": path[-1], "radius": 3.0}],
                "instruction": {"instruction_text": ""},
            }
        ]
    }
    walked = [path[0], [1.0, 0.5, 0.25], path[1]]
    return dataset, {"1": [{"position": p, "stop": p is walked[-1]} for p in walked]}


@pytest.mark.parametrize("distance", ["3d", "2d"])
def test_positions(distance: str) -> None:
    dataset, predictions = episodes()

    def look(reference: Any, query: Any, distances: Distances) -> float:
        assert reference.tolist() == dataset["episodes"][0]["reference_path"]
        assert query.shape == (3, 3) and query[1].tolist() == [1.0, 0.5, 0.25]
        assert distances([], query).shape == (0, 3)
        with pytest.raises(warpath.InputError, match="sources: 0: is no position of the item"):
            distances([[9.0, 9.0, 9.0]], query)
        with pytest.raises(warpath.InputError, match=r"targets: is an array \[3\]"):
            distances(query, query[0])
        return own_ndtw(reference, query, distances)

    own = {"MyDTW": look, "MyPL": COPIES["MyPL"]}
    result = warpath.evaluate(predictions, dataset, own_metrics=own, distance=distance)
    for mine in own:
        assert result.summary[mine].mean == pytest.approx(result.summary[ORIGINALS[mine]].mean)


def test_positions_over_a_mesh() -> None:
    mesh = pathlib.Path(__file__).parents[1] / "fuzz/corpus/navmesh/version_2.navmesh"
    start, corner, goal = [1.0, 0, 3], [3.0, 0, 3], [5.0, 0, 7]  # a way leads around x = z = 4
    dataset, _ = episodes()
    dataset["episodes"][0].update(
        start_position=start, reference_path=[start, goal], goals=[{"position": goal}]
    )
    predictions = {"1": [{"position": p, "stop": p is corner} for p in (start, corner)]}
    own = {"MyDTW": COPIES["MyDTW"], "MyPL": COPIES["MyPL"]}
    with needing_meshes():
        result = warpath.evaluate(
            predictions, dataset, own_metrics=own, navmesh=mesh, geodesic="all"
        )
    for mine in own:
        assert result.summary[mine].mean == pytest.approx(result.summary[ORIGINALS[mine]].mean)


def test_cells_of_a_grid(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "s.json"
    dataset, predictions = episodes()
    np.save(tmp_path / "cells.npy", np.ones((3, 4), bool))
    grid = {"scan": "s", "resolution": 1.0, "origin": [-0.5, -0.5], "up": "y", "height": 0.5}
    file.write_text(json.dumps({**grid, "free": "cells.npy"}))
    seen = []

    def look(reference: Any, query: Any, distances: Distances) -> float:
        seen.append((reference, query))
        return own_ndtw(reference, query, distances)

    result = warpath.evaluate(predictions, dataset, own_metrics={"MyDTW": look}, grid=file)
    assert result.summary["MyDTW"].mean == pytest.approx(result.summary["nDTW"].mean)
    assert all(isinstance(cell, str) for path in seen[0] for cell in path)
    assert len(seen[0][0]) == 3


def test_report_page(world: World, tmp_path: pathlib.Path) -> None:
    from warpath.report.payload import build
    from warpath.report.sources import Inputs, load

    result = world.evaluate(world.agent(0.5), world.agent(0.1), own_metrics=COPIES)
    for source in (result, saved(result, tmp_path / "results.json")):
        meta, data = build(load([source], Inputs(paths=False)), None, rank="MyDTW")
        rows = {row["name"]: row for row in meta["metrics"]}
        assert rows["MyDTW"]["better"] == "higher" and rows["MyPL"]["unit"] == "m"
        assert rows["MyDTW"]["formula"] == "" and meta["rank"] == "MyDTW"
        assert data["values"]["MyDTW"] == data["values"]["nDTW"]


def test_report_page_shows_numbers_without_a_unit(world: World) -> None:
    from warpath.report.payload import build
    from warpath.report.sources import Inputs, load

    own = {"Mine": warpath.OwnMetric(lambda *_: 0.375, unit="count")}
    result = world.evaluate(world.agent(0.5), own_metrics=own)
    meta, data = build(load([result], Inputs(paths=False)), None)
    row = next(row for row in meta["metrics"] if row["name"] == "Mine")
    assert {value / 10 ** row["digits"] for value in data["values"]["Mine"][0]} == {0.375}


def test_report_page_refuses_other_declarations(world: World) -> None:
    from warpath.report.payload import build
    from warpath.report.sources import Inputs, load

    results = [
        world.evaluate(world.agent(0.5), own_metrics={"Mine": warpath.OwnMetric(own_length, unit)})
        for unit in ("length", "count")
    ]
    with pytest.raises(warpath.InputError, match="Mine: is declared otherwise than of"):
        build(load(results, Inputs(paths=False)), None)


def test_result_files_that_are_damaged(tmp_path: pathlib.Path) -> None:
    result = evaluate({"Mine": own_ndtw})
    whole = json.loads(result.to_json(items=True))
    file = tmp_path / "results.json"
    for place, value, problem in (
        (("own_metrics", "Mine", "better"), "up", "better: is neither"),
        (("own_metrics", "Mine", "unit"), "ells", "is 'ells', which is no unit"),
        (("own_metrics", "nDTW"), {}, "nDTW: is no name of an own metric"),
        (("per_item", "own_values", "Mine"), [1.0], "has 1 values for 2 items"),
    ):
        damaged = json.loads(json.dumps(whole))
        target = damaged["runs"][0]
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = value
        file.write_text(json.dumps(damaged))
        with pytest.raises(warpath.InputError, match=problem):
            warpath.result_files.read_results(file)


def test_exceptions_name_item_and_metric() -> None:
    def fails(reference: list[str], query: list[str], distances: Distances) -> float:
        raise ZeroDivisionError("by\nzero") if len(reference) == 2 else StopIteration

    with pytest.raises(warpath.InputError) as caught:
        evaluate({"Fails": fails})
    assert "0_0: Fails: its function raised StopIteration" in str(caught.value)
    assert isinstance(caught.value.__cause__, StopIteration)
    of_second = "1_0: Fails: its function raised ZeroDivisionError: by zero"
    with pytest.raises(warpath.InputError, match=of_second):
        evaluate({"Fails": lambda r, q, d: 1.0 if len(r) == 3 else fails(r, q, d)})

    def stops(*_: Any) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate({"Stops": stops})
    with pytest.raises(warpath.InputError, match="sources: x: is no viewpoint of scan s"):
        evaluate({"Unknown": lambda r, q, d: d(["x"], r).min()})


@pytest.mark.parametrize("value", ["0.5", [0.5], np.array(0.5), np.array([1.0]), object(), 1j])
def test_values_that_are_none(value: Any) -> None:
    with pytest.raises(warpath.InputError, match="0_0: Mine: its function returned a "):
        evaluate({"Mine": lambda *_: value})


@pytest.mark.parametrize(
    ("value", "unit", "problem"),
    [
        (1.5, "fraction", r"is 1.5, but a fraction lies in \[0, 1\]; declare"),
        (-0.1, "fraction", "a fraction lies in"),
        (math.inf, "length", "is infinite; return None or NaN"),
        (1e12, "count", "is 1e.12, which is beyond 1e9; return it in a larger unit"),
        (10**400, "length", "raised OverflowError"),
    ],
)
def test_values_out_of_range(value: Any, unit: str, problem: str) -> None:
    with pytest.raises(warpath.InputError, match="0_0: Mine: .*" + problem):
        evaluate({"Mine": warpath.OwnMetric(lambda *_: value, unit=unit)})


@pytest.mark.parametrize(
    ("own_metrics", "problem"),
    [
        ({"nDTW": own_ndtw}, "a metric is called nDTW already"),
        ({"tc": own_ndtw}, "a metric is called tc already"),
        ({"A": own_ndtw, "a": own_ndtw}, "is there twice, letter case aside"),
        ({"nav_error": own_ndtw}, "is the name of another column"),
        ({"Mine_n": own_ndtw}, "is the name of another column"),
        ({"N_ref": own_ndtw}, "a metric is called N_ref already"),
        ({"groups": own_ndtw}, "is the name of another column"),
        ({"two words": own_ndtw}, "'two words' is no name"),
        ({"": own_ndtw}, "'' is no name"),
        ({"a,b": own_ndtw}, "'a,b' is no name"),
        ({1: own_ndtw}, "own_metrics: is of type int; give text"),
        ({"Mine": 1.0}, "own_metrics: Mine: is of type float; give a function"),
        ({"Mine": warpath.OwnMetric(own_ndtw, unit="ells")}, "no unit 'ells'; .*are fraction"),
        ({"Mine": warpath.OwnMetric(own_ndtw, better="up")}, "no better 'up'"),
        ([own_ndtw], "own_metrics: is of type list; give a dict"),
    ],
)
def test_declarations_that_are_none(own_metrics: Any, problem: str) -> None:
    with pytest.raises((warpath.UsageError, warpath.InputError), match=problem):
        evaluate(own_metrics)


def test_distances_end_with_their_call() -> None:
    kept = []
    evaluate({"Keeps": lambda r, q, d: kept.append(d) is None})
    with pytest.raises(warpath.UsageError, match="its call has ended"):
        kept[0](["a"], ["b"])

"""Drop-ins against plain transcriptions of the equations, and against goldens of the originals."""

from __future__ import annotations

import csv
import gzip
import json
import pathlib
from typing import Any

import networkx as nx
import numpy as np
import pytest
import warpath
from conftest import plain_dtw
from warpath import compat


def graph_of(seed: int, size: int = 25) -> nx.Graph:
    draw = np.random.default_rng(seed)
    graph = nx.Graph()
    for k in range(size):
        graph.add_node(f"v{k}", position=draw.uniform(0, 9, 3))
    for k in range(1, size):
        for other in {int(draw.integers(k)), int(draw.integers(k))}:
            a, b = (graph.nodes[f"v{n}"]["position"] for n in (k, other))
            graph.add_edge(f"v{k}", f"v{other}", weight=float(np.linalg.norm(a - b)))
    return graph


def walk(graph: nx.Graph, draw: np.random.Generator, steps: int) -> list[str]:
    path = [f"v{int(draw.integers(len(graph)))}"]
    for _ in range(steps):
        path.append(str(draw.choice(list(graph[path[-1]]))))
    return path


def plain_cls(d: Any, prediction: list[str], reference: list[str], lengths: Any) -> float:
    nearest = [min(d[u][v] for v in prediction) for u in reference]
    coverage = np.mean([np.exp(-near / 3) for near in nearest])
    expected = coverage * lengths(reference)
    return float(coverage * expected / (expected + abs(expected - lengths(prediction))))


@pytest.fixture(scope="module")
def cases() -> list[tuple[nx.Graph, dict[str, dict[str, float]], list[str], list[str]]]:
    draw = np.random.default_rng(5)
    made = []
    for seed in range(4):
        graph = graph_of(seed)
        distances = dict(nx.all_pairs_dijkstra_path_length(graph))
        for _ in range(50):
            made.append((graph, distances, walk(graph, draw, 12), walk(graph, draw, 6)))
    return made


def test_cal_dtw_has_the_bits_of_a_plain_loop(cases: Any) -> None:
    draw = np.random.default_rng(6)
    for _, d, prediction, reference in cases:
        scores = compat.cal_dtw(d, prediction, reference)
        cost = plain_dtw(np.array([[d[q][r] for r in reference] for q in prediction]))
        ndtw = np.exp(-cost / (3.0 * len(reference)))
        success = float(d[prediction[-1]][reference[-1]] < 3.0)
        assert scores == {"DTW": cost, "nDTW": ndtw, "SDTW": success * ndtw}
        assert compat.cal_dtw(d, prediction, reference, 0.25)["SDTW"] == 0.25 * ndtw
        assert all(isinstance(value, np.float64) for value in scores.values())
        for threshold in draw.uniform(0.1, 30, 25).tolist():
            ndtw = compat.cal_dtw(d, prediction, reference, threshold=threshold)["nDTW"]
            assert ndtw == np.exp(-cost / (threshold * len(reference)))


class OtherExp:
    """Stands for np.exp of a NumPy that has no loop of it. It counts its calls."""

    calls = 0

    def __call__(self, x: float) -> Any:
        self.calls += 1
        return np.exp2(x)


class ExpOfOtherVersion(OtherExp):
    """Hands out a loop in a form that warpath does not know."""

    def _resolve_dtypes_and_context(self, types: Any) -> Any:
        return types

    def _get_strided_loop(self, context: Any) -> None:
        pass


@pytest.mark.parametrize("other", [OtherExp(), ExpOfOtherVersion()])
def test_cal_dtw_calls_exp_where_numpy_hands_out_no_loop(
    cases: Any, monkeypatch: pytest.MonkeyPatch, other: OtherExp
) -> None:
    _, d, prediction, reference = cases[0]
    compat.forget()
    expected = compat.cal_dtw(d, prediction, reference)
    monkeypatch.setattr(np, "exp", other)
    compat.forget()
    scores = compat.cal_dtw(d, prediction, reference)
    compat.forget()
    assert other.calls == 1
    assert scores["DTW"] == expected["DTW"]
    assert scores["nDTW"] == np.exp2(-scores["DTW"] / (3.0 * len(reference))) != expected["nDTW"]


def test_cal_cls_is_that_of_a_plain_loop(cases: Any) -> None:
    for _, d, prediction, reference in cases:

        def lengths(path: list[str]) -> float:
            return float(np.sum([d[a][b] for a, b in zip(path[:-1], path[1:])]))

        expected = plain_cls(d, prediction, reference, lengths)
        assert compat.cal_cls(d, prediction, reference) == pytest.approx(expected, abs=1e-12)


def test_classes_on_graphs(cases: Any) -> None:
    for graph, d, prediction, reference in cases[::10]:
        dtw, cls = compat.DTW(graph), compat.CLS(graph)
        cost = plain_dtw(np.array([[d[q][r] for r in reference] for q in prediction]))
        ndtw = np.exp(-cost / (3 * len(reference)))
        assert dtw(prediction, reference, metric="dtw") == pytest.approx(cost, rel=1e-12)
        assert dtw(prediction, reference, metric="ndtw") == pytest.approx(ndtw, abs=1e-12)
        success = d[prediction[-1]][reference[-1]] <= 3
        assert dtw(prediction, reference) == pytest.approx(success * ndtw, abs=1e-12)

        def lengths(path: list[str]) -> float:
            return sum(graph.edges[a, b]["weight"] for a, b in zip(path[:-1], path[1:]))

        expected = plain_cls(d, prediction, reference, lengths)
        assert cls(prediction, reference) == pytest.approx(expected, abs=1e-12)
        with pytest.raises(KeyError):
            cls([prediction[0], prediction[0]], reference)  # a repeat is no edge


def test_classes_count_edges_without_weights() -> None:
    graph = nx.path_graph(6)
    assert compat.DTW(graph)([0, 1, 2], [0, 1, 2, 3], metric="dtw") == 1
    assert compat.CLS(graph, threshold=1.0)([0, 1, 2], [0, 1, 2]) == 1


def test_distances_of_all_pairs_are_those_of_networkx(cases: Any) -> None:
    for graph, expected, _, _ in cases[::50]:
        found = compat.all_pairs_dijkstra_path_length(graph)
        assert list(found) == list(expected)
        for node, row in found.items():
            assert row == pytest.approx(expected[node], rel=1e-12)
            assert list(row.values()) == sorted(row.values()) and next(iter(row)) == node


@pytest.mark.parametrize("weight", ["weight", "hops"])
def test_distances_of_graphs_at_the_edge(weight: str) -> None:
    graph = nx.Graph()
    assert compat.all_pairs_dijkstra_path_length(graph, weight=weight) == {}
    graph.add_edge((0, 1), "b", weight=2.5)
    graph.add_node(3)  # nothing leads there
    expected = dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight))
    assert compat.all_pairs_dijkstra_path_length(graph, weight=weight) == expected
    with pytest.raises(warpath.UsageError, match="attribute"):
        compat.all_pairs_dijkstra_path_length(graph, weight=lambda *_: 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        compat.all_pairs_dijkstra_path_length(graph, 3)  # type: ignore[misc]


def test_eval_item_has_the_keys_and_values_of_the_original(cases: Any) -> None:
    _, d, path, reference = cases[3]
    path[0] = reference[0]
    actions = [path[:1], path[1:3], path[3:]]
    scores = compat.eval_item(d, actions, reference)
    assert scores["nav_error"] == d[path[-1]][reference[-1]]
    assert scores["oracle_error"] == min(d[v][reference[-1]] for v in path)
    assert (scores["action_steps"], scores["trajectory_steps"]) == (2, len(path) - 1)
    length = np.sum([d[a][b] for a, b in zip(path[:-1], path[1:])])
    gt_length = np.sum([d[a][b] for a, b in zip(reference[:-1], reference[1:])])
    assert scores["trajectory_lengths"] == pytest.approx(length, rel=1e-12)
    spl = scores["success"] * gt_length / max(length, gt_length, 0.01)
    assert scores["spl"] == pytest.approx(spl, rel=1e-12)
    assert scores["CLS"] == compat.cal_cls(d, path, reference)
    assert set(scores) == {
        "nav_error", "oracle_error", "action_steps", "trajectory_steps", "trajectory_lengths",
        "success", "spl", "oracle_success", "DTW", "nDTW", "SDTW", "CLS",
    }  # fmt: skip
    del scores["action_steps"]  # VLN-HAMT's paths have no actions
    assert compat.eval_item(d, path, reference) == scores
    with pytest.raises(AssertionError):
        compat.eval_item(d, [["elsewhere"]], reference)


def test_forget_reads_a_dict_again() -> None:
    d = {"a": {"a": 0.0, "b": 1.0}, "b": {"a": 1.0, "b": 0.0}}
    assert compat.cal_dtw(d, ["a"], ["b"])["DTW"] == 1
    d["a"]["b"] = 2.0
    compat.forget()
    assert compat.cal_dtw(d, ["a"], ["b"])["DTW"] == 2


def test_errors_are_those_of_dicts() -> None:
    d = {"a": {"a": 0.0}, "b": {"b": 0.0}}
    for prediction, reference, error in [
        (["x"], ["a"], KeyError),
        (["a"], ["b"], KeyError),
        ([], ["a"], IndexError),
        (["a"], [], IndexError),
        ([["a"]], ["a"], TypeError),
        (3, ["a"], TypeError),
    ]:
        with pytest.raises(error):
            compat.cal_dtw(d, prediction, reference)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        compat.cal_dtw({"a": 3}, ["a"], ["a"])  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        compat.cal_dtw({"a": {"a": "far"}}, ["a"], ["a"])  # type: ignore[dict-item]


# Goldens of the originals, see $WARPATH_DATA/README.md.


def golden(data: pathlib.Path, name: str) -> list[tuple[dict[str, Any], dict[str, str]]]:
    with gzip.open(data / f"golden/{name}.jsonl.gz", "rt") as pairs:
        with gzip.open(data / f"golden/{name}.csv.gz", "rt") as scores:
            return list(zip(map(json.loads, pairs), csv.DictReader(scores), strict=True))


@pytest.fixture(scope="session")
def distances(data: pathlib.Path) -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    graphs = warpath.Graphs(data / "connectivity")

    class OfScans(dict):  # type: ignore[type-arg]
        def __missing__(self, scan: str) -> dict[str, dict[str, float]]:
            ids = graphs.viewpoints(scan)
            rows = graphs.distances(scan).tolist()
            self[scan] = {a: dict(zip(ids, row)) for a, row in zip(ids, rows)}
            return self[scan]

    return OfScans(found)


@pytest.mark.parametrize(
    "name",
    ["R2R_val_seen_walks", "R4R_val_seen_walks", "R2R_val_seen_phi3", "NDH_val_seen_seq2seq40"],
)
def test_goldens_of_the_originals(data: pathlib.Path, distances: Any, name: str) -> None:
    for pair, row in golden(data, name):
        d = distances[pair["scan"]]
        prediction, reference = pair["prediction"], pair["reference"]
        scores = compat.cal_dtw(d, prediction, reference)
        has_repeats = any(a == b for a, b in zip(prediction, prediction[1:]))
        if not has_repeats:  # the column dtw is of paths without them
            assert scores["DTW"] == pytest.approx(float(row["dtw"]), rel=1e-12)
        assert scores["nDTW"] == pytest.approx(float(row["ndtw_duet"]), abs=1e-12)
        assert scores["SDTW"] == pytest.approx(float(row["sdtw_duet"]), abs=1e-12)
        cls = compat.cal_cls(d, prediction, reference)
        assert cls == pytest.approx(float(row["cls_duet"]), abs=1e-12, nan_ok=True)
        if prediction[0] == reference[0]:
            item = compat.eval_item(d, [[v] for v in prediction], reference)
            assert item["spl"] == pytest.approx(float(row["spl_duet"]), abs=1e-12)
            assert item["nav_error"] == pytest.approx(float(row["ne"]), rel=1e-12)
            assert item["oracle_success"] == float(row["osr"])


@pytest.fixture(scope="session")
def networkx_graphs(data: pathlib.Path) -> Any:
    """Graphs as google-research's r4r loads them: positions and weights in metres."""

    class OfScans(dict):  # type: ignore[type-arg]
        def __missing__(self, scan: str) -> nx.Graph:
            with gzip.open(data / f"connectivity/{scan}_connectivity.json.gz") as file:
                nodes = json.load(file)
            graph = nx.Graph()
            position = [np.array(node["pose"])[[3, 7, 11]] for node in nodes]
            for i, node in enumerate(nodes):
                for j, is_free in enumerate(node["unobstructed"]):
                    if is_free and node["included"] and nodes[j]["included"]:
                        length = float(np.linalg.norm(position[i] - position[j]))
                        graph.add_edge(node["image_id"], nodes[j]["image_id"], weight=length)
            self[scan] = graph
            return graph

    return OfScans()


def test_distances_of_a_real_scan(networkx_graphs: Any) -> None:
    graph = networkx_graphs["17DRP5sb8fy"]
    found = compat.all_pairs_dijkstra_path_length(graph)
    for node, row in nx.all_pairs_dijkstra_path_length(graph):
        assert found[node] == pytest.approx(row, rel=1e-12)
        assert list(found[node]) == list(row)


@pytest.mark.parametrize("name", ["R2R_val_seen_phi3", "R4R_val_seen_walks"])
def test_goldens_of_the_classes(data: pathlib.Path, networkx_graphs: Any, name: str) -> None:
    classes: dict[str, tuple[compat.DTW, compat.CLS]] = {}
    for pair, row in golden(data, name):
        scan, reference = pair["scan"], pair["reference"]
        raw = pair["prediction"]
        prediction = [v for k, v in enumerate(raw) if k == 0 or v != raw[k - 1]]
        if scan not in classes:
            classes[scan] = (compat.DTW(networkx_graphs[scan]), compat.CLS(networkx_graphs[scan]))
        dtw, cls = classes[scan]
        for metric in ("dtw", "ndtw", "sdtw"):
            value = dtw(prediction, reference, metric=metric)
            assert value == pytest.approx(float(row[metric]), rel=1e-12, abs=1e-12)
        value = cls(prediction, reference)
        assert value == pytest.approx(float(row["cls"]), abs=1e-12, nan_ok=True)

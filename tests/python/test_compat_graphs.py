"""Every kind of networkx' graphs: the classes of r4r against their transcription, and Graphs."""

from __future__ import annotations

import json
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import warpath
from conftest import plain_dtw
from warpath import compat

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


class Plain:
    """DTW and CLS as r4r/dtw.py and cls.py compute them, from networkx' own distances."""

    def __init__(self, graph: Any, weight: Any = "weight") -> None:
        self.graph, self.weight = graph, weight
        self.distance = dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight))

    def dtw(self, prediction: list[Any], reference: list[Any], metric: str) -> Any:
        dtw = plain_dtw(np.array([[self.distance[q][r] for r in reference] for q in prediction]))
        if metric == "dtw":
            return dtw
        ndtw = np.exp(-dtw / (3.0 * len(reference)))
        succeeds = self.distance[prediction[-1]][reference[-1]] <= 3.0
        return ndtw if metric == "ndtw" else succeeds * ndtw

    def length(self, path: list[Any]) -> float:
        steps = zip(path[:-1], path[1:])
        return float(np.sum([self.graph.edges[step].get(self.weight, 1.0) for step in steps]))

    def cls(self, prediction: list[Any], reference: list[Any]) -> Any:
        d = self.distance
        near = [np.min([d[u][v] / 3.0 for v in prediction]) for u in reference]
        coverage = np.mean([np.exp(-x) for x in near])
        expected = coverage * self.length(reference)
        score = expected / (expected + np.abs(expected - self.length(prediction)))
        return coverage * score


def outcome(call: Callable[[], Any]) -> Any:
    """Returns what a call returns, or the kind of error that it raises."""
    try:
        with np.errstate(invalid="ignore"):
            return float(call())
    except (KeyError, ValueError) as error:
        return KeyError if isinstance(error, KeyError) else ValueError


def graph_of(kind: Any, draw: np.random.Generator, size: int = 12) -> Any:
    """A graph with a loop, an edge without a weight, a node without edges, and parallel and one-way
    edges where it may have them."""
    graph = kind()
    graph.add_nodes_from([*(f"v{k}" for k in range(size)), "alone"])
    for k in range(1, size):
        for other in draw.integers(k, size=2).tolist():
            ends = (f"v{k}", f"v{other}")[:: int(draw.choice([1, -1]))]
            for _ in range(int(draw.integers(1, 3))):
                graph.add_edge(*ends, weight=float(draw.uniform(0, 4)))
                if draw.random() < 0.7:
                    graph.add_edge(*ends[::-1], weight=float(draw.uniform(0, 4)))
    graph.add_edge("v0", "v1")
    graph.add_edge("v2", "v2", weight=0.5)
    return graph


def path_of(graph: Any, draw: np.random.Generator) -> list[str]:
    """A walk along edges, which sometimes jumps."""
    path = [str(draw.choice(list(graph)))]
    for _ in range(int(draw.integers(7))):
        along = list(graph[path[-1]])
        jumps = draw.random() < 0.05 or not along
        path.append(str(draw.choice(list(graph) if jumps else along)))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_classes_equal_their_transcription(kind: Any) -> None:
    draw = np.random.default_rng(11)
    seen: list[Any] = []
    for _ in range(12):
        graph = graph_of(kind, draw)
        plain, dtw, cls = Plain(graph), compat.DTW(graph), compat.CLS(graph)
        assert dtw.distance == plain.distance
        for _ in range(40):
            prediction, reference = path_of(graph, draw), path_of(graph, draw)
            for metric in ("dtw", "ndtw", "sdtw"):
                want = outcome(lambda: plain.dtw(prediction, reference, metric))
                got = outcome(lambda: dtw(prediction, reference, metric=metric))
                assert got == want, (prediction, reference)
            want = outcome(lambda: plain.cls(prediction, reference))
            got = outcome(lambda: cls(prediction, reference))
            assert got == (want if isinstance(want, type) else pytest.approx(want, nan_ok=True))
            seen += [want]
    values = sum(isinstance(one, float) for one in seen)
    assert values > 5 and (values > 200) != graph.is_multigraph()
    assert KeyError in seen and (ValueError in seen) == graph.is_multigraph()


def test_directions_by_hand() -> None:
    circle = nx.DiGraph()
    circle.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)])
    assert compat.DTW(circle)(["a", "c"], ["a", "b"], "dtw") == 2  # d(a, a) + d(c, b)
    assert compat.DTW(circle)(["b", "c"], ["a", "b"], "dtw") == 4  # not 2, as d(a, b) + d(b, c)
    near = (1 + 1 / np.e ** (1 / 3)) / 2  # d(a, b) and d(b, b)
    assert compat.CLS(circle)(["b", "c"], ["a", "b"]) == pytest.approx(near**2)
    lane = nx.DiGraph([("a", "b")])
    assert compat.DTW(lane)(["a"], ["b"], "dtw") == 1
    with pytest.raises(KeyError):
        compat.DTW(lane)(["b"], ["a"])
    with pytest.raises(KeyError):
        compat.CLS(lane)(["b", "a"], ["a", "b"])


def test_weights_may_be_other_attributes_or_functions() -> None:
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", length=3.0)
    graph.add_edge("a", "b", length=2.0)
    assert compat.DTW(graph, weight="length")(["a"], ["b"], "dtw") == 2
    for kind in KINDS:
        graph = graph_of(kind, np.random.default_rng(12))

        def weigh(a: str, b: str, data: Any) -> float | None:
            """More the one way than the other, and no edge at all from a node."""
            return None if a == "v3" else len(data) + (2.5 if a < b else 1.0)

        assert compat.DTW(graph, weight=weigh).distance == Plain(graph, weigh).distance


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_have_the_distances_of_networkx(kind: Any) -> None:
    graph = graph_of(kind, np.random.default_rng(13))
    graph.remove_edge("v0", "v1")  # the only one without a weight
    graphs = warpath.Graphs({"s": graph})
    nodes = graphs.viewpoints("s")
    want = dict(nx.all_pairs_dijkstra_path_length(graph))
    for a, row in zip(nodes, graphs.distances("s").tolist(), strict=True):
        assert {b: d for b, d in zip(nodes, row) if d < np.inf} == want[a]
    edges = {(nodes[a], nodes[b]) for a, b in graphs.edges("s").tolist()}
    assert len(edges) == len(graphs.edges("s"))
    if graph.is_directed():
        assert edges == {(a, b) for a, b in nx.DiGraph(graph).edges if a != b}
    again: warpath.Graphs = pickle.loads(pickle.dumps(graphs))
    np.testing.assert_array_equal(again.distances("s"), graphs.distances("s"))


def test_scores_are_from_the_query_to_the_reference() -> None:
    draw = np.random.default_rng(14)
    graph = graph_of(nx.DiGraph, draw)
    nx.set_edge_attributes(graph, {("v0", "v1"): 1.0}, "weight")
    plain = Plain(graph)
    d = {a: {b: plain.distance[a].get(b, np.inf) for b in graph} for a in graph}
    plain.distance = d
    pairs = [(path_of(graph, draw), path_of(graph, draw)) for _ in range(60)]
    references, queries = [r for _, r in pairs], [q for q, _ in pairs]
    walkable = [all(d[a][b] < np.inf for p in pair for a, b in zip(p, p[1:])) for pair in pairs]
    for graphs in ({"s": graph}, {"s": d}):
        scorer = warpath.Scorer(graphs, metrics=["DTW", "NE"], repeats="keep", backend="reference")
        scores = scorer.score(references, queries, "s")
        costs = [plain.dtw(query, reference, "dtw") for query, reference in pairs]
        scored = np.isfinite(costs) & walkable
        assert 10 < np.count_nonzero(scored) < 50
        np.testing.assert_array_equal(scores.status == 0, scored)
        want = np.where(scored, costs, np.nan)
        np.testing.assert_allclose(scores["DTW"], want, rtol=1e-12)
        errors = [d[query[-1]][reference[-1]] for query, reference in pairs]
        np.testing.assert_allclose(scores["NE"], np.where(scored, errors, np.nan), rtol=1e-12)


def test_a_graph_of_arrays_may_be_directed() -> None:
    graph = warpath.Graph(["a", "b"], [[0, 1], [1, 0]], weights=[1.0, 5.0], directed=True)
    assert warpath.Graphs({"s": graph}).distances("s").tolist() == [[0, 1], [5, 0]]
    lane = warpath.Graph(["a", "b"], [[0, 1]], weights=[1.0], directed=True)
    assert warpath.Graphs({"s": lane}).distances("s").tolist() == [[0, 1], [np.inf, 0]]


def test_refusals_name_the_callers_edges() -> None:
    graph = nx.DiGraph()
    graph.add_edge("x", "y", weight=-1.0)
    problem = "edge from x to y: has the weight -1.0; weights are lengths from 0 to 1e7 metres"
    with pytest.raises(warpath.InputError) as error:
        warpath.Graphs({"s": graph})
    assert str(error.value) == f"graphs: scan s: {problem}"
    with pytest.raises(ValueError) as refused:
        compat.DTW(graph)
    assert str(refused.value) == f"graph: {problem}"


def test_explanations_say_the_direction(tmp_path: pathlib.Path) -> None:
    nodes = [{"id": name, "position": None} for name in "abc"]
    edges = [["a", "b", 1], ["b", "c", 1], ["c", "a", 1]]
    circle = {"scan": "s", "directed": True, "nodes": nodes, "edges": edges}
    (tmp_path / "s.json").write_text(json.dumps(circle))
    entries = [{"path_id": 1, "scan": "s", "heading": 0, "instructions": [""], "path": ["a", "b"]}]
    result = warpath.evaluate({"1_0": ["b", "c"]}, entries, str(tmp_path))
    assert result.summary["NE"].mean == 2
    text = result.explain("1_0")
    assert "the graph is directed: d(a, b) is the way from a to b" in text
    assert "d(Q, r)" in text


def test_random_walks_follow_directions() -> None:
    entry = {"scan": "s", "heading": 0, "instructions": [""]}

    def walk(edges: list[tuple[str, str, float]], path: list[str], **settings: Any) -> Any:
        graph = nx.DiGraph()
        graph.add_weighted_edges_from(edges)
        entries = [{**entry, "path_id": 1, "path": path}]
        return warpath.random_baseline(entries, {"s": graph}, 200, steps=3, **settings)

    circle = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "a", 4.0)]
    result = walk(circle, ["a", "b"])
    assert (result.summary["PL"].mean, result.summary["NE"].mean) == (7, 1)  # back at a
    trap = [*circle, ("b", "d", 1.0), ("d", "e", 1.0), ("e", "d", 1.0)]
    with pytest.raises(warpath.InputError, match="of 200 walks come where no way leads on"):
        walk(trap, ["a", "b"])
    assert 20 < walk(trap, ["a", "b"], invalid="skip").summary["NE"].n < 180
    with pytest.raises(warpath.InputError, match="1 of 1 reference has viewpoints that no path"):
        walk(trap, ["a", "d", "a"])
    with pytest.raises(warpath.InputError, match="where edges lead to d, but none leads on"):
        walk(trap[:4], ["a", "b"])

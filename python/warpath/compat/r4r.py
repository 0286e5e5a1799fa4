"""The classes of google-research's ``r4r``, over graphs of networkx."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import Where
from ..graphs import Graph, Graphs, lengths_of, shortest_edges

if TYPE_CHECKING:
    import networkx


class _OnGraph:
    """Holds the distances on a graph of networkx: distance[a][b] is the way from a to b."""

    def __init__(
        self,
        graph: networkx.Graph[Any],
        weight: str | Callable[[Any, Any, Any], float | None] = "weight",
        threshold: float = 3.0,
    ) -> None:
        self.graph = graph
        self.weight: Any = weight
        self.threshold = threshold
        self.distance = _all_distances(graph, weight)
        self._table = _core.DistanceTable(self.distance)


def _weighted_edges(graph: networkx.Graph[Any], weight: Any) -> list[tuple[Any, Any, float]]:
    """Returns edges with their lengths as networkx' Dijkstra takes them, which passes by those of
    length None. A function's may differ by direction, whatever the graph."""
    if not callable(weight):
        edges = [(a, b, data.get(weight, 1.0)) for a, b, data in graph.edges(data=True)]
    else:
        neighbours = graph.adjacency()
        edges = [(a, b, weight(a, b, data)) for a, row in neighbours for b, data in row.items()]
    return [edge for edge in edges if edge[2] is not None]


def _all_distances(graph: networkx.Graph[Any], weight: Any) -> dict[Any, dict[Any, float]]:
    nodes = list(graph.nodes)
    weighted = _weighted_edges(graph, weight)
    ends = [(a, b) for a, b, _ in weighted]
    weights = lengths_of(ends, [weight for *_, weight in weighted], Where("graph"))
    directed = graph.is_directed() or callable(weight)
    edges, least = shortest_edges(nodes, ends, weights, directed)
    names = [str(k) for k in range(len(nodes))]
    scan = Graph(names, edges, weights=least, directed=directed)
    rows = Graphs({"": scan}).distances("").tolist()
    return {
        a: {b: d for b, d in zip(nodes, row) if d != float("inf")} for a, row in zip(nodes, rows)
    }


class DTW(_OnGraph):
    """Computes DTW, nDTW and SDTW as the class of google-research's ``r4r/dtw.py`` does: from the
    distances from the prediction's nodes to the reference's.

    Args:
        graph: any graph of networkx. Edges without the attribute have length 1. A directed graph's
            edges lead one way; of parallel edges the shortest counts.
        weight: the attribute of edges that is their length, or a function as networkx takes it.
        threshold: metres.
    """

    def __call__(
        self, prediction: Sequence[Hashable], reference: Sequence[Hashable], metric: str = "sdtw"
    ) -> Any:
        """Returns a metric of two paths.

        Args:
            prediction, reference: nodes of the graph, at least one each.
            metric: ``dtw`` (metres), ``ndtw``, or ``sdtw``, where success is a distance of at most
                the threshold between the last nodes.

        Raises:
            KeyError, IndexError: as ``cal_dtw``; KeyError also where no way leads from a node of
            the prediction to one of the reference. AssertionError: there is no such metric.
        """
        assert metric in ["ndtw", "sdtw", "dtw"]
        cost, error = self._table.dtw(prediction, reference)
        if metric == "dtw":
            return np.float64(cost)
        ndtw = np.exp(-cost / (self.threshold * len(reference)))
        return ndtw if metric == "ndtw" else (error <= self.threshold) * ndtw


class CLS(_OnGraph):
    """Computes CLS as the class of google-research's ``r4r/cls.py`` does: coverage is from the
    distances from the reference's nodes to the prediction's, against the direction of ``DTW``.

    Args:
        graph, weight, threshold: as in ``DTW``.
    """

    def __call__(self, prediction: Sequence[Hashable], reference: Sequence[Hashable]) -> Any:
        """Returns CLS of two paths, NaN where it is 0/0.

        Raises:
            KeyError: a node is not in the graph, no way leads from a node of the reference to one
                of the prediction, or a step of a path is no edge, such as a node that repeats.
            ValueError: the graph has parallel edges, which a step does not choose among.
            IndexError: a path is empty.
        """
        coverage = np.float64(self._table.coverage(prediction, reference, self.threshold))
        expected = coverage * self.length(reference)
        return coverage * (expected / (expected + np.abs(expected - self.length(prediction))))

    def length(self, nodes: Sequence[Hashable]) -> float:
        """Returns the sum of the lengths of a path's edges."""
        edges = self.graph.edges
        return float(np.sum([edges[e].get(self.weight, 1.0) for e in zip(nodes[:-1], nodes[1:])]))

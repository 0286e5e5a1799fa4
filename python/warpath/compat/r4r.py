"""The classes of google-research's ``r4r``, over graphs of networkx."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..graphs import Graph, Graphs

if TYPE_CHECKING:
    import networkx


class _OnGraph:
    """Holds the distances on a graph of networkx."""

    def __init__(
        self, graph: networkx.Graph[Any], weight: str = "weight", threshold: float = 3.0
    ) -> None:
        self.graph = graph
        self.weight = weight
        self.threshold = threshold
        self.distance = _all_distances(graph, weight)
        self._table = _core.DistanceTable(self.distance)


def _all_distances(graph: networkx.Graph[Any], weight: str) -> dict[Any, dict[Any, float]]:
    nodes = list(graph.nodes)
    number = {node: k for k, node in enumerate(nodes)}
    edges = [(number[a], number[b]) for a, b in graph.edges()]
    weights = [data.get(weight, 1.0) for _, _, data in graph.edges(data=True)]
    scan = Graph([str(k) for k in range(len(nodes))], edges, weights=weights)
    rows = Graphs({"": scan}).distances("").tolist()
    return {
        a: {b: d for b, d in zip(nodes, row) if d != float("inf")} for a, row in zip(nodes, rows)
    }


class DTW(_OnGraph):
    """Computes DTW, nDTW and SDTW as the class of google-research's ``r4r/dtw.py`` does.

    Args:
        graph: a networkx graph. Edges without the attribute have length 1.
        weight: the attribute of edges that is their length.
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
            KeyError, IndexError: as ``cal_dtw``. AssertionError: there is no such metric.
        """
        assert metric in ["ndtw", "sdtw", "dtw"]
        cost, error = self._table.dtw(prediction, reference)
        if metric == "dtw":
            return np.float64(cost)
        ndtw = np.exp(-cost / (self.threshold * len(reference)))
        return ndtw if metric == "ndtw" else (error <= self.threshold) * ndtw


class CLS(_OnGraph):
    """Computes CLS as the class of google-research's ``r4r/cls.py`` does.

    Args:
        graph, weight, threshold: as in ``DTW``.
    """

    def __call__(self, prediction: Sequence[Hashable], reference: Sequence[Hashable]) -> Any:
        """Returns CLS of two paths, NaN where it is 0/0.

        Raises:
            KeyError: a node is not in the graph, or a step of a path is no edge, such as a node
                that repeats. IndexError: a path is empty.
        """
        coverage = np.float64(self._table.coverage(prediction, reference, self.threshold))
        expected = coverage * self.length(reference)
        return coverage * (expected / (expected + np.abs(expected - self.length(prediction))))

    def length(self, nodes: Sequence[Hashable]) -> float:
        """Returns the sum of the lengths of a path's edges."""
        edges = self.graph.edges
        return float(np.sum([edges[e].get(self.weight, 1.0) for e in zip(nodes[:-1], nodes[1:])]))

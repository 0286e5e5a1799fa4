"""Drop-in forms of the functions by which public agents score their paths.

One import changes, the rest of the program stays:

===========================================  ====================================
original                                     here
===========================================  ====================================
VLN-DUET, VLN-HAMT and relatives:            ``warpath.compat.cal_dtw``,
``r2r.eval_utils.cal_dtw``, ``cal_cls``      ``cal_cls``
their ``_eval_item`` of a scan               ``eval_item``
google-research ``r4r.dtw.DTW``,             ``DTW``, ``CLS``
``r4r.cls.CLS``
VLN-CE: ``dtw.dtw``, ``fastdtw.fastdtw``     ``dtw``, ``fastdtw``
===========================================  ====================================

Arguments and results are those of the originals. Numbers agree to 1e-12, those of ``cal_dtw`` to
the last bit. Everything is computed in double precision, so thresholds decide as in the original.

A dict of distances becomes a table when it is first seen (about 1 ms for a scan). Dict and table
are kept until ``forget()``. Call that after you changed such a dict, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _core
from .graphs import Graph, Graphs

if TYPE_CHECKING:
    import networkx
    import numpy.typing as npt

__all__ = ["CLS", "DTW", "cal_cls", "cal_dtw", "dtw", "eval_item", "fastdtw", "forget"]

Distances: TypeAlias = "Mapping[Any, Mapping[Any, float]]"
"""Distances from viewpoint to viewpoint, as ``networkx.all_pairs_dijkstra_path_length`` gives."""

# By id of the dict. The dict is kept, because an id is used again after its object dies.
_tables: dict[int, tuple[Distances, _core.DistanceTable]] = {}


def forget() -> None:
    """Drops all tables that were made of dicts of distances."""
    _tables.clear()


def _table_of(distances: Distances) -> _core.DistanceTable:
    try:
        return _tables[id(distances)][1]
    except KeyError:
        table = _core.DistanceTable(distances)
        _tables[id(distances)] = (distances, table)
        return table


def cal_dtw(
    shortest_distances: Distances,
    prediction: Sequence[Hashable],
    reference: Sequence[Hashable],
    success: float | None = None,
    threshold: float = 3.0,
) -> dict[str, Any]:
    """Computes DTW, nDTW and SDTW (Ilharco et al. 2019) as VLN-DUET's ``eval_utils`` does.

    Args:
        shortest_distances: distances in metres, ``shortest_distances[a][b]`` from viewpoint a to b.
        prediction, reference: viewpoints, at least one each, as keys of that dict.
        success: the factor of nDTW in SDTW; None for 1.0 where the distance between the last
            viewpoints is below the threshold, and 0.0 elsewhere.
        threshold: metres.

    Returns:
        A dict with the float64 values ``DTW`` (metres), ``nDTW`` and ``SDTW``.

    Raises:
        KeyError: a viewpoint has no distances. IndexError: a path is empty.
    """
    table = _table_of(shortest_distances)
    cost, ndtw, sdtw = table.dtw_scores(prediction, reference, success, threshold)
    return {"DTW": cost, "nDTW": ndtw, "SDTW": sdtw}


def cal_cls(
    shortest_distances: Distances,
    prediction: Sequence[Hashable],
    reference: Sequence[Hashable],
    threshold: float = 3.0,
) -> Any:
    """Computes CLS (Jain et al. 2019) as VLN-DUET's ``eval_utils`` does.

    Args:
        shortest_distances, prediction, reference, threshold: as in ``cal_dtw``.

    Returns:
        CLS as a float64, NaN where it is 0/0.

    Raises:
        KeyError, IndexError: as ``cal_dtw``.
    """
    return np.float64(_table_of(shortest_distances).cls(prediction, reference, threshold))


def eval_item(
    shortest_distances: Distances,
    pred_path: Sequence[Hashable],
    gt_path: Sequence[Hashable],
    threshold: float = 3.0,
) -> dict[str, Any]:
    """Computes all scores of one item as ``_eval_item`` of an environment of VLN-DUET or VLN-HAMT
    does; it takes the scan's distances in place of the environment and the scan.

    Args:
        shortest_distances: distances in metres on the item's scan.
        pred_path: lists of viewpoints, one for each action, as VLN-DUET has them; or viewpoints, as
            VLN-HAMT has them.
        gt_path: viewpoints of the reference.
        threshold: metres.

    Returns:
        A dict with the original's keys: ``nav_error``, ``oracle_error`` and ``trajectory_lengths``
        (metres), ``trajectory_steps``, ``success``, ``spl`` (by the reference's length, as there),
        ``oracle_success``, ``DTW`` (metres), ``nDTW``, ``SDTW``, ``CLS``; and ``action_steps``
        if the path has actions.

    Raises:
        AssertionError: the path does not begin where the reference does, as in the original.
        KeyError, IndexError: as ``cal_dtw``.
    """
    has_actions = len(pred_path) > 0 and isinstance(pred_path[0], (list, tuple))
    actions: Sequence[Any] = pred_path
    path = [viewpoint for action in actions for viewpoint in action] if has_actions else pred_path
    assert gt_path[0] == path[0], "Result trajectories should include the start position"
    table = _table_of(shortest_distances)
    to_goal = table.nearest(path, gt_path[-1:])
    length = np.float64(table.length(path))
    gt_length = np.float64(table.length(gt_path))
    scores: dict[str, Any] = {
        "nav_error": to_goal[-1],
        "oracle_error": np.min(to_goal),
        **({"action_steps": len(pred_path) - 1} if has_actions else {}),
        "trajectory_steps": len(path) - 1,
        "trajectory_lengths": length,
        "success": float(to_goal[-1] < threshold),
    }
    scores["spl"] = scores["success"] * gt_length / max(length, gt_length, 0.01)
    scores["oracle_success"] = float(scores["oracle_error"] < threshold)
    scores |= cal_dtw(shortest_distances, path, gt_path, scores["success"], threshold)
    scores["CLS"] = cal_cls(shortest_distances, path, gt_path, threshold)
    return scores


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


Distance: TypeAlias = "Callable[[Any, Any], float]"


def dtw(
    x: npt.ArrayLike, y: npt.ArrayLike, dist: Distance
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], tuple[Any, Any]]:
    """Computes dynamic time warping as ``dtw.dtw`` (version 1.4) does, as VLN-CE calls it.

    Args:
        x, y: points [n, d] and [m, d].
        dist: the distance of two points. One that is called ``euclidean_distance`` or
            ``euclidean``, and is that for the first points and the last, is computed for all pairs
            at once; any other is called for each.

    Returns:
        The cost of the best warping, the distances [n, m], the accumulated costs [n, m], and the
        warping as two arrays of indices.

    Raises:
        ValueError: a path is empty.
    """
    costs = _costs(x, y, dist)
    sums, path = _core.warp(costs, True)
    i, j = np.array(path).T
    return float(sums[-1]), costs, sums.reshape(costs.shape), (i, j)


def fastdtw(
    x: npt.ArrayLike, y: npt.ArrayLike, radius: int = 1, dist: Distance | int | None = None
) -> tuple[float, list[tuple[int, int]]]:
    """Computes dynamic time warping with the call of ``fastdtw.fastdtw``, but exactly: the cost is
    that of the best warping, which the original only comes near to.

    Args:
        x, y: points [n, d] and [m, d], or numbers [n] and [m].
        radius: is ignored; the original's cost becomes exact as it grows.
        dist: as in ``dtw``, or p for the p-norm; None for the 1-norm.

    Returns:
        The cost, and the warping as a list of pairs of indices.

    Raises:
        ValueError: a path is empty.
    """
    if dist is None or isinstance(dist, int):
        order = 1 if dist is None else dist
        a, b = _points(x), _points(y)
        costs = np.linalg.norm(a[:, None] - b[None], ord=order, axis=-1)
    else:
        costs = _costs(x, y, dist)
    sums, path = _core.warp(np.ascontiguousarray(costs, np.float64), False)
    return float(sums[-1]), path


def _points(x: npt.ArrayLike) -> npt.NDArray[np.float64]:
    points = np.asarray(x, np.float64)
    return points[:, None] if points.ndim == 1 else points


def _costs(x: Any, y: Any, dist: Distance) -> npt.NDArray[np.float64]:
    if not len(x) or not len(y):
        raise ValueError("a path is empty; give at least one point")
    if getattr(dist, "__name__", "") in ("euclidean_distance", "euclidean"):
        a, b = _points(x), _points(y)
        costs: npt.NDArray[np.float64] = np.sqrt(np.sum((a[:, None] - b[None]) ** 2, axis=-1))
        if all(np.isclose(costs[k, k], dist(x[k], y[k]), 1e-9, 1e-12) for k in (0, -1)):
            return costs
    return np.array([[dist(p, q) for q in y] for p in x], np.float64)

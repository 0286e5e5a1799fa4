"""The functions of ``eval_utils`` of VLN-DUET, VLN-HAMT and relatives, over dicts of distances."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from .. import _core

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

"""The functions of ``eval_utils`` of VLN-DUET, VLN-HAMT and relatives, over dicts of distances."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from .. import _core

Distances: TypeAlias = "Mapping[Any, Mapping[Any, float]]"
"""Distances from viewpoint to viewpoint, as ``networkx.all_pairs_dijkstra_path_length`` gives."""

_Pairs: TypeAlias = "Iterable[tuple[Hashable, Hashable]]"

# By id of the dict. The dict is kept, because an id is used again after its object dies.
_tables: dict[int, tuple[Distances, _core.DistanceTable]] = {}
_max_tables = 64
_no_table = _core.DistanceTable({})  # of distances that are read anew with each call


def forget() -> None:
    """Drops all tables that were made of dicts of distances."""
    _tables.clear()


def _table_of(distances: Distances) -> _core.DistanceTable:
    try:
        return _tables[id(distances)][1]
    except KeyError:
        table = _make_table(distances)
        if len(_tables) >= _max_tables:
            _tables.pop(next(iter(_tables)), None)  # the oldest
        _tables[id(distances)] = (distances, table)
        return table


def _make_table(distances: Distances) -> _core.DistanceTable:
    if type(distances) is not dict:
        return _no_table  # another class may compute a distance when it is asked
    try:
        return _core.DistanceTable(distances)
    except (TypeError, ValueError, OverflowError):  # rows or values of another kind, maybe unused
        return _no_table


def _read_anew(
    distances: Distances,
    prediction: Sequence[Hashable],
    reference: Sequence[Hashable],
    *kinds: Callable[[Sequence[Hashable], Sequence[Hashable]], _Pairs],
) -> _core.DistanceTable:
    """Makes a table of the distances of these pairs of viewpoints, reads no others, and gives up
    the table that could not answer."""
    _tables[id(distances)] = (distances, _no_table)
    part: dict[Any, dict[Any, float]] = {viewpoint: {} for viewpoint in (*prediction, *reference)}
    for pairs in kinds:
        for a, b in pairs(prediction, reference):
            part[a][b] = distances[a][b]
    return _core.DistanceTable(part)


def _pairs_of_dtw(prediction: Sequence[Hashable], reference: Sequence[Hashable]) -> _Pairs:
    return itertools.product(prediction, reference)


def _pairs_of_cls(prediction: Sequence[Hashable], reference: Sequence[Hashable]) -> _Pairs:
    return itertools.chain(
        itertools.product(reference, prediction),
        itertools.pairwise(reference),
        itertools.pairwise(prediction),
    )


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
        KeyError: two viewpoints have no distance. IndexError: a path is empty, and no success is
            given. TypeError: a distance is no number.
    """
    table = _table_of(shortest_distances)
    try:
        cost, ndtw, sdtw = table.dtw_scores(prediction, reference, success, threshold)
    except KeyError:
        table = _read_anew(shortest_distances, prediction, reference, _pairs_of_dtw)
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
        KeyError, TypeError: as ``cal_dtw``. IndexError: a path is empty.
    """
    try:
        score = _table_of(shortest_distances).cls(prediction, reference, threshold)
    except KeyError:
        part = _read_anew(shortest_distances, prediction, reference, _pairs_of_cls)
        score = part.cls(prediction, reference, threshold)
    return np.float64(score)


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
        KeyError, IndexError, TypeError: as ``cal_cls``.
    """
    has_actions = len(pred_path) > 0 and isinstance(pred_path[0], (list, tuple))
    actions: Sequence[Any] = pred_path
    path = [viewpoint for action in actions for viewpoint in action] if has_actions else pred_path
    assert gt_path[0] == path[0], "Result trajectories should include the start position"
    moves = {"action_steps": len(pred_path) - 1} if has_actions else {}
    try:
        return _score_item(_table_of(shortest_distances), path, gt_path, threshold, moves)
    except KeyError:
        part = _read_anew(shortest_distances, path, gt_path, _pairs_of_dtw, _pairs_of_cls)
        return _score_item(part, path, gt_path, threshold, moves)


def _score_item(
    table: _core.DistanceTable,
    path: Sequence[Hashable],
    gt_path: Sequence[Hashable],
    threshold: float,
    moves: dict[str, int],
) -> dict[str, Any]:
    to_goal = table.nearest(path, gt_path[-1:])
    length: Any = np.float64(table.length(path))
    gt_length: Any = np.float64(table.length(gt_path))
    success = float(to_goal[-1] < threshold)
    oracle_error = np.min(to_goal)
    cost, ndtw, sdtw = table.dtw_scores(path, gt_path, success, threshold)
    return {
        "nav_error": to_goal[-1],
        "oracle_error": oracle_error,
        **moves,
        "trajectory_steps": len(path) - 1,
        "trajectory_lengths": length,
        "success": success,
        "spl": success * gt_length / max(length, gt_length, 0.01),
        "oracle_success": float(oracle_error < threshold),
        "DTW": cost,
        "nDTW": ndtw,
        "SDTW": sdtw,
        "CLS": np.float64(table.cls(path, gt_path, threshold)),
    }

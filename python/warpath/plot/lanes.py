"""Lines of paths on a plan: edges that are passed again lie beside each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from .scene import Route

__all__ = ["arrow_heads", "lay_out", "polyline"]

Points: TypeAlias = "npt.NDArray[np.float64]"
Lane = tuple[int, int]
"""Number of a route, and of a step on it."""


def lay_out(routes: Sequence[Route], shown: Sequence[npt.NDArray[np.bool_]]) -> dict[Lane, float]:
    """Gives each step its place beside the edge that it follows, in lanes from the middle: 0 where
    only one step follows an edge, -0.5 and 0.5 where two do. Positive is to the left of the edge
    from its smaller end to its larger.

    Args:
        routes: paths of viewpoints; steps of continuous paths all have lane 0.
        shown: of each route which steps are drawn, [points - 1].
    """
    steps = defaultdict[tuple[str, str], list[Lane]](list)
    for r, route in enumerate(routes):
        for k in range(len(route.viewpoints) - 1):
            a, b = route.viewpoints[k], route.viewpoints[k + 1]
            if shown[r][k] and a != b:
                steps[min(a, b), max(a, b)].append((r, k))
    return {
        step: place - (len(lanes) - 1) / 2
        for lanes in steps.values()
        for place, step in enumerate(lanes)
    }


def polyline(
    route: Route,
    number: int,
    shown: npt.NDArray[np.bool_],
    lanes: dict[Lane, float],
    width: float,
) -> Points:
    """Returns the points of a route's line on the plan, [n, 2]: two for each step that is shown,
    and NaN where the line is interrupted.

    Args:
        width: of a lane, metres.
    """
    line = list[Any]()
    for k in range(len(route.points) - 1):
        ends = route.points[k : k + 2, :2]
        if not shown[k] or np.isnan(ends).any():
            line.append([np.nan, np.nan])
            continue
        offset = lanes.get((number, k), 0.0) * width
        if offset:
            forward = route.viewpoints[k] < route.viewpoints[k + 1]
            along = (ends[1] - ends[0]) * (1 if forward else -1)
            length = float(np.hypot(*along))
            if length:
                ends = ends + offset * np.array([-along[1], along[0]]) / length
        line += ends.tolist()
    return np.array(line, np.float64).reshape(-1, 2)


def arrow_heads(line: Points, size: float, distance: float) -> list[Points]:
    """Returns triangles that show a line's direction, each [3, 2], in the middle of its longer
    steps.

    Args:
        line: as ``polyline`` returns it.
        size: length of a triangle, metres.
        distance: at least this much of the line lies between two of them, metres.
    """
    heads = list[Points]()
    steps = np.diff(line, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1]) if len(steps) else np.zeros(0)
    since = distance
    for k, length in enumerate(lengths):
        if np.isnan(length):
            since = distance
            continue
        since += length
        if since < distance or length < 0.4 * size or length == 0:
            continue
        along = steps[k] / length
        across = np.array([-along[1], along[0]])
        tip = line[k] + steps[k] / 2 + along * size / 2
        base = tip - along * size
        heads.append(np.array([tip, base + across * size * 0.42, base - across * size * 0.42]))
        since = 0.0
    return heads

"""Dynamic time warping of points, by the calls of the packages ``dtw`` and ``fastdtw``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _core

if TYPE_CHECKING:
    import numpy.typing as npt

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

"""Dynamic time warping of points, by the calls of the packages ``dtw`` and ``fastdtw``.

A distance may be any function. The usual ones are recognised, and then computed without a call for
each pair of points, if one formula gives the function's own bits

- at nine pairs spread over both paths, the ends among them,
- at the two most distant points in each coordinate, so that a coordinate that the function leaves
  out or weighs otherwise shows, unless both paths agree in it,
- where several formulas are left, at pairs at which they differ,
- at the most distant pair that the computation looked at,
- at up to (n + m) / 2 others that it looked at, spread evenly,
- at every pair of the warping that is returned, and
- for FastDTW of points on a grid, at the means of these pairs in each coarser path, where a
  function that rounds has other values.

The cost is therefore always a sum of the function's own values. The formulas are the Euclidean
distance as ``np.linalg.norm``, ``scipy.spatial.distance.euclidean`` or a plain sum rounds it, its
square, and the 1-norm. Any other function is called for each pair, as the originals do.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import numbers
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .. import _core

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Distance: TypeAlias = "Callable[[Any, Any], float]"
Build: TypeAlias = Literal["pure", "compiled"]
Pair: TypeAlias = tuple[int, int]
# A result, and distances of pairs that have to be those of the function.
Warped: TypeAlias = "tuple[Any, Iterable[Pair], Iterable[float]]"

# np.linalg.norm multiplies and adds in one step, or adds every fourth square, as its BLAS does on the
# processor; scipy adds in extended precision; a power of 0.5 is no square root to the last bit.
FORMULAS: tuple[str, ...] = (
    "fused norm",
    "striped norm",
    "extended norm",
    "norm",
    "power of squares",
    "squares",
    "fused squares",
    "striped squares",
    "absolutes",
)
QUARTERS = ((0, 0), (4, 4), (0, 4), (4, 0), (1, 1), (2, 2), (3, 3), (1, 3), (3, 1))
MIN_PAIRS_TO_TRY = 64
MOST_TO_TELL_APART = 64  # points of each path
MAX_RADIUS = 2**31


def dtw(
    x: npt.ArrayLike, y: npt.ArrayLike, dist: Distance
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], tuple[Any, Any]]:
    """Computes dynamic time warping as ``dtw.dtw`` (version 1.4) does, as VLN-CE calls it.

    Args:
        x, y: points [n, d] and [m, d], numbers [n] and [m], or sequences of what dist takes.
        dist: the distance of two points, see this module; +inf is allowed.

    Returns:
        The cost of the best warping, the distances [n, m], the accumulated costs [n, m], and the
        warping as two arrays of indices.

    Raises:
        AssertionError: a path is empty.
        ValueError: a coordinate is not finite, points have different dimensions, or a distance is
            NaN or a sequence.
        TypeError: a distance is no number.
    """
    if not len(x) or not len(y):  # type: ignore[arg-type]
        raise AssertionError("a path is empty; give at least one point")
    costs = _costs(x, y, dist)
    sums, path = _core.warp(costs)
    i, j = np.array(path).T
    return float(sums[-1]), costs, sums.reshape(costs.shape), (i, j)


def fastdtw(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    radius: int = 1,
    dist: Distance | float | None = None,
    build: Build | None = None,
) -> tuple[float, list[tuple[int, int]]]:
    """Computes FastDTW as ``fastdtw.fastdtw`` (version 0.3.4) does: the cost of a warping that is
    near the best one of coarser paths, so it may exceed the cost of ``exact_dtw``.

    The package is two programs: a compiled module, and Python where that could not be built. They
    take other windows and break ties otherwise, so their costs differ for about 1 pair in 100.

    Args:
        x, y: points [n, d] and [m, d], or numbers [n] and [m].
        radius: 1 or more; the cost is exact if the shorter path has at most radius + 1 points.
        dist: the distance of two points or of their means, see this module; or p for the p-norm;
            None for the 1-norm. It gets rows of arrays of float64, or np.float64.
        build: "pure" or "compiled"; by default the build of the package that is installed, and
            "pure" where it is not.

    Returns:
        The cost, added in double precision, and the warping as a list of pairs of indices.

    Raises:
        ValueError: a path is empty, a coordinate is not finite, points have different dimensions,
            radius is below 1, p is not above 0, a distance is NaN, or there is no such build.
        TypeError: radius is not whole, or dist or a distance is of another type.
    """
    size = operator.index(radius)
    if size < 1:
        raise ValueError(f"radius: {size} is not 1 or more; exact_dtw needs none")
    return _fast_dtw(x, y, min(size, MAX_RADIUS), dist, build)


def exact_dtw(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    dist: Distance | float | None = None,
    build: Build | None = None,
) -> tuple[float, list[tuple[int, int]]]:
    """Computes dynamic time warping as ``fastdtw.dtw`` does: the cost of the best warping.

    Takes, returns and raises the same as ``fastdtw``. Of warpings that cost the same, the build
    decides which one is returned.
    """
    return _fast_dtw(x, y, MAX_RADIUS, dist, build)


def _fast_dtw(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    radius: int,
    dist: Distance | float | None,
    build: Build | None,
) -> tuple[float, list[tuple[int, int]]]:
    is_compiled = _is_compiled(build)
    points = _points(x, "x"), _points(y, "y")
    _require_equal_dimensions(*points)
    flat = _flat(points[0]), _flat(points[1])
    is_of_numbers = points[0].ndim == 1
    if not callable(dist):
        order = _order(dist)
        if points[0].ndim > 2:
            raise ValueError("x and y have more than two axes; give a function dist")
        if is_compiled:
            return _core.fast_dtw_of_powers(*flat, radius, order, is_of_numbers)
        dist = _numbers_apart if dist is None and is_of_numbers else _norm(order)

    may_round = min(map(len, flat)) > radius + 1 and all(map(_is_on_grid, flat))

    def warp(formula: str) -> Warped | None:
        cost, path, pairs, distances = _core.fast_dtw(*flat, radius, is_compiled, formula)
        if may_round and not _holds_at_means(formula, dist, points, path):
            return None
        return (cost, path), pairs, distances

    found: tuple[float, list[Pair]] | None = _recognise(points, dist, flat, warp)
    if found is not None:
        return found
    levels_x, levels_y = ([list(level) for level in _levels(path)] for path in points)
    return _core.fast_dtw_by_calls(levels_x, levels_y, radius, is_compiled, dist, _number)


def _is_compiled(build: Build | None) -> bool:
    if build is None:
        return _installed_build() == "compiled"
    if build not in ("pure", "compiled"):
        raise ValueError(f"build: {build!r} is none of pure, compiled")
    return build == "compiled"


@functools.cache
def _installed_build() -> Build:
    # As the package itself does. A module that was built for another NumPy has other errors.
    try:
        importlib.import_module("fastdtw._fastdtw")
    except Exception:
        return "pure"
    return "compiled"


def _points(path: npt.ArrayLike, name: str) -> Floats:
    points: Floats = np.asanyarray(path, np.float64)
    if points.ndim == 0:
        raise TypeError(f"{name} is a single number; give a sequence of points")
    if not len(points):
        raise ValueError(f"{name} is empty; give at least one point")
    _require_finite(points, name)
    return points


def _require_finite(points: Floats, name: str) -> None:
    is_finite = np.isfinite(points)
    if not is_finite.all():
        place = np.argwhere(~is_finite)[0]
        raise ValueError(f"{name}: point {place[0]} is not finite; leave it out")


def _require_equal_dimensions(x: Floats, y: Floats) -> None:
    if x.shape[1:] != y.shape[1:]:
        raise ValueError(
            f"x has points of shape {x.shape[1:]}, y of {y.shape[1:]}; give both the same"
        )


def _order(dist: Any) -> float:
    """Returns p of the p-norm."""
    if dist is None:
        return 1
    if not isinstance(dist, numbers.Real):
        raise TypeError(f"dist: {dist!r:.60} is neither a function nor p of the p-norm")
    order = float(dist)
    if not order > 0:
        raise ValueError(f"dist: p = {dist} is not above 0")
    return order


def _flat(points: Floats) -> Floats:
    return np.ascontiguousarray(points).reshape(len(points), -1)


def _numbers_apart(a: float, b: float) -> float:
    return abs(a - b)


def _norm(order: float) -> Distance:
    def distance(a: Any, b: Any) -> float:
        return np.linalg.norm(np.atleast_1d(a) - np.atleast_1d(b), order)  # type: ignore[return-value]

    return distance


def _levels(points: Any) -> list[Any]:
    """Returns the points of each level of coarsening."""
    levels = [points]
    while len(points) > 1:
        end = len(points) // 2 * 2
        points = (points[0:end:2] + points[1:end:2]) / 2
        levels.append(points)
    return levels


def _is_on_grid(points: Floats) -> bool:
    return bool((np.fmod(points, 2.0**-10) == 0).all())


def _holds_at_means(
    formula: str, dist: Distance, points: tuple[Any, Any], path: list[Pair]
) -> bool:
    """Says whether a formula gives the bits of dist at the means that a warping goes through."""
    for k, (x, y) in enumerate(zip(*map(_levels, points))):
        if k == 0:
            continue  # the warping's own pairs are looked at elsewhere
        halves = {(i >> k, j >> k) for i, j in path}
        pairs = [(i, j) for i, j in sorted(halves) if i < len(x) and j < len(y)]
        i, j = zip(*pairs)
        row = _core.paired_distances(_flat(x)[[*i]], _flat(y)[[*j]], (formula,))[0]
        if not _Values(dist, x, y).are(pairs, row.tolist()):
            return False
    return True


def _number(value: Any, sequence_error: type[Exception] = TypeError) -> float:
    """Returns a distance as a float. An array of one element is its element, as in NumPy 1."""
    if not isinstance(value, float):
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        elif isinstance(value, (np.ndarray, list, tuple)):
            raise sequence_error(f"dist gives {value!r:.60}, which is no number")
        try:
            value = float(value + 0.0)  # text has no sum
        except TypeError:
            raise TypeError(f"dist gives {value!r:.60}, which is no number") from None
    if value != value:
        raise ValueError("dist gives NaN")
    return float(value)


class _Values:
    """The values of a function at pairs of points, which it is asked for once."""

    def __init__(self, dist: Distance, x: Any, y: Any) -> None:
        self._dist, self._x, self._y = dist, x, y
        self._known: dict[Pair, float] = {}

    def at(self, pair: Pair) -> float:
        """Returns NaN where there is none: the calls in order say why, if they come there."""
        if pair not in self._known:
            try:
                self._known[pair] = _number(self._dist(self._x[pair[0]], self._y[pair[1]]))
            except Exception:
                self._known[pair] = np.nan
        return self._known[pair]

    def are(self, pairs: Iterable[Pair], distances: Iterable[float]) -> bool:
        return all(self.at(pair) == distance for pair, distance in zip(pairs, distances))


def _recognise(
    paths: tuple[Any, Any],
    dist: Distance,
    points: tuple[Floats, Floats],
    warp: Callable[[str], Warped | None],
) -> Any:
    """Returns what ``warp`` makes of the first formula that gives the bits of dist, or None.

    Args:
        paths: what dist is called with; points: the same as arrays [n, d] and [m, d].
    """
    if len(points[0]) * len(points[1]) < MIN_PAIRS_TO_TRY:
        return None  # calls for all cost no more
    values = _Values(dist, *paths)
    formulas = FORMULAS
    for choose in (_spread_pairs, _distant_pairs):
        pairs = choose(*points)
        i, j = zip(*pairs)
        table = _core.paired_distances(points[0][[*i]], points[1][[*j]], formulas)
        formulas = tuple(f for f, row in zip(formulas, table.tolist()) if values.are(pairs, row))
        if not formulas:
            return None
    for formula in _tell_apart(formulas, values, points):
        warped = warp(formula)
        if warped is not None and values.are(*warped[1:]):
            return warped[0]
    return None


def _tell_apart(
    formulas: tuple[str, ...], values: _Values, points: tuple[Floats, Floats]
) -> tuple[str, ...]:
    """Returns the formulas that still give the values of the function where formulas differ: in one
    pair of ten, or of some hundred, by the last bit."""
    if len(formulas) < 2:
        return formulas
    first, second = (_spread_numbers(len(p)) for p in points)
    i, j = np.repeat(first, len(second)), np.tile(second, len(first))
    table = _core.paired_distances(points[0][i], points[1][j], formulas)
    while (differ := (table != table[0]).any(0)).any():
        k = int(differ.argmax())
        agrees = np.equal(table[:, k], values.at((int(i[k]), int(j[k]))))
        formulas = tuple(itertools.compress(formulas, agrees))
        if not formulas:
            return ()
        table = table[agrees]
    return formulas


def _spread_numbers(size: int) -> npt.NDArray[np.int64]:
    count = min(size, MOST_TO_TELL_APART)
    return np.arange(count) * size // count


def _spread_pairs(x: Floats, y: Floats) -> list[Pair]:
    n, m = len(x) - 1, len(y) - 1
    return [(a * n // 4, b * m // 4) for a, b in QUARTERS]


def _distant_pairs(x: Floats, y: Floats) -> list[Pair]:
    """Returns the two most distant points in each coordinate, and the first two."""
    is_up = x.max(0) - y.min(0) >= y.max(0) - x.min(0)
    i = np.where(is_up, x.argmax(0), x.argmin(0))
    j = np.where(is_up, y.argmin(0), y.argmax(0))
    return [(0, 0), *zip(i.tolist(), j.tolist())]


def _costs(x: Any, y: Any, dist: Distance) -> Floats:
    """Returns the distances [n, m] of all pairs."""
    if (points := _points_of_any(x, y)) is not None:

        def warp(formula: str) -> Warped:
            costs = _core.point_distances(*points, formula)
            _, path = _core.warp(costs)
            shares = np.arange(sum(costs.shape) // 2) * 0.6180339887498949 % 1.0  # golden ratio
            cells = [int(costs.argmax()), *(shares * costs.size).astype(int).tolist()]
            pairs = [*path, *(divmod(cell, costs.shape[1]) for cell in cells)]
            return costs, pairs, [costs[pair] for pair in pairs]

        found: Floats | None = _recognise((x, y), dist, points, warp)
        if found is not None:
            return found
    return np.array([[_number(dist(p, q), ValueError) for q in y] for p in x], np.float64)


def _points_of_any(x: Any, y: Any) -> tuple[Floats, Floats] | None:
    """Returns paths as arrays [n, d] and [m, d], or None if they have no numbers, as words."""
    try:
        arrays = np.asarray(x), np.asarray(y)
    except Exception:
        return None
    if any(a.dtype.kind not in "biuf" for a in arrays):
        return None
    points = arrays[0].astype(np.float64), arrays[1].astype(np.float64)
    _require_finite(points[0], "x")
    _require_finite(points[1], "y")
    _require_equal_dimensions(*points)
    return _flat(points[0]), _flat(points[1])

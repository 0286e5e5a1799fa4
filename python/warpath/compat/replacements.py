"""What ``install`` puts in the place of a function, and how it sees that the numbers are equal.

A function is taken for one of these by its arguments and their defaults. Both are then called with
made-up paths, and have to return the same types and numbers.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .duet import Distances, cal_cls, cal_dtw
from .warping import Build, dtw, exact_dtw, fastdtw

Function: TypeAlias = "Callable[..., Any]"
_Call: TypeAlias = "tuple[tuple[Any, ...], dict[str, Any]]"
_Warped: TypeAlias = "tuple[Any, list[tuple[int, int]]]"


class Form(NamedTuple):
    """A function that may stand for an original. What it raises sends the call to the original."""

    call: Function
    name: str
    numbers: str
    tolerance: float = 0.0


class Kind(NamedTuple):
    """The functions of one name that users have, and their forms here."""

    signature: str
    forms: Sequence[Form]
    calls: Callable[[], Iterator[_Call]]


class AskOriginal(Exception):
    """Sends a call to the original, which decides by rules of its own."""


# fastdtw


def _is_array_of_another_class(path: Any) -> bool:
    return isinstance(path, np.ndarray) and type(path) is not np.ndarray


def _with_types_of(build: Build, dist: Any, warp: Callable[[Any], _Warped]) -> _Warped:
    """Gives the cost the type that the original's sum of distances has. A sum of other types than
    these rounds otherwise."""
    if build == "compiled":
        return warp(dist)  # of infinite cost, too, where the original's path is any memory
    types: set[type] = set()

    def watched(a: Any, b: Any) -> Any:
        distance = dist(a, b)
        types.add(type(distance))
        return distance

    cost, path = warp(watched if callable(dist) else dist)
    if not math.isfinite(cost) or types not in (set(), {float}, {np.float64}):
        raise AskOriginal
    return cost if types == {float} else np.float64(cost), path


def _fastdtw_of(build: Build) -> Form:
    def call(x: Any, y: Any, radius: int = 1, dist: Any = None) -> _Warped:
        if _is_array_of_another_class(x) or _is_array_of_another_class(y):
            raise AskOriginal
        return _with_types_of(build, dist, lambda dist: fastdtw(x, y, radius, dist, build))

    numbers = f"FastDTW of fastdtw 0.3.4, {build} build, to the last bit"
    return Form(call, "warpath.compat.fastdtw", numbers)


def _exact_dtw_of(build: Build) -> Form:
    def call(x: Any, y: Any, dist: Any = None) -> _Warped:
        if _is_array_of_another_class(x) or _is_array_of_another_class(y):
            raise AskOriginal
        return _with_types_of(build, dist, lambda dist: exact_dtw(x, y, dist, build))

    numbers = f"exact DTW of fastdtw 0.3.4, {build} build, to the last bit"
    return Form(call, "warpath.compat.exact_dtw", numbers)


# dtw


def _dtw(x: Any, y: Any, dist: Any) -> tuple[Any, Any, Any, Any]:
    if any(type(path) not in (list, tuple, np.ndarray) for path in (x, y)):
        raise AskOriginal  # asks for x[i], which another class may not have in order
    if len(x) < 2 or len(y) < 2:
        raise AskOriginal  # its warping has floats and a range there
    cost, costs, sums, warping = dtw(x, y, dist)
    if not math.isfinite(cost):
        raise AskOriginal  # its warping goes through cells that cannot be reached
    return np.float64(cost), costs, sums, warping


def _mean_dtw(x: Any, y: Any, dist: Any) -> tuple[Any, Any, Any, Any]:
    """As versions to 1.3.3, which divide the cost by both paths' points."""
    cost, costs, sums, warping = _dtw(x, y, dist)
    return cost / sum(costs.shape), costs, sums, warping


# Evaluators of graphs


def _cal_dtw(
    shortest_distances: Distances,
    prediction: Sequence[Hashable],
    reference: Sequence[Hashable],
    success: float | None = None,
    threshold: float = 3.0,
) -> dict[str, Any]:
    scores = cal_dtw(shortest_distances, prediction, reference, success, threshold)
    if any(score != score for score in scores.values()):
        raise AskOriginal
    return scores


def _cal_cls(
    shortest_distances: Distances,
    prediction: Sequence[Hashable],
    reference: Sequence[Hashable],
    threshold: float = 3.0,
) -> Any:
    distance = shortest_distances[reference[0]][prediction[0]]
    if not isinstance(distance, (float, int)):
        raise AskOriginal  # of float32, the exponentials are, too
    score = cal_cls(shortest_distances, prediction, reference, threshold)
    if score != score:
        raise AskOriginal  # it warns of 0/0, or has a rule for it
    return score


# Made-up calls


def _walk(draw: random.Random, size: int, step: Callable[[], float]) -> list[list[float]]:
    points = [[0.0, 0.0, 0.0]]
    while len(points) < size:
        points.append([coordinate + step() for coordinate in points[-1]])
    return points


def _pairs(seed: int, count: int) -> Iterator[tuple[list[list[float]], list[list[float]]]]:
    """Walks in space, and on whole numbers, where many warpings cost the same."""
    draw = random.Random(seed)
    steps: list[Callable[[], float]] = [lambda: draw.gauss(0, 1), lambda: draw.choice((-1, 0, 1))]
    for k in range(count):
        x, y = (_walk(draw, draw.randint(1, 24), steps[k % 2]) for _ in "xy")
        yield x, y


def _norm(a: Any, b: Any) -> Any:
    return np.linalg.norm(np.array(b) - np.array(a), ord=2)


def _plain_norm(a: Any, b: Any) -> float:
    return float(np.linalg.norm(np.array(b) - np.array(a)))


def _calls_of_fastdtw() -> Iterator[_Call]:
    for k, (x, y) in enumerate(_pairs(1, 24)):
        yield (x, y), {"dist": _norm}
        yield (np.array(x), np.array(y), 1 + k % 3), {"dist": (None, 1, 2, _plain_norm)[k % 4]}
    yield ([1, 2, 3, 4, 5], [2, 3, 4]), {}


def _calls_of_exact_dtw() -> Iterator[_Call]:
    for k, (x, y) in enumerate(_pairs(2, 12)):
        yield (x, y), {"dist": _norm}
        yield (np.array(x), np.array(y), (None, 1, 2, _plain_norm)[k % 4]), {}


def _calls_of_dtw() -> Iterator[_Call]:
    for k, (x, y) in enumerate(_pairs(3, 12)):
        if min(len(x), len(y)) > 1:
            yield (x, y), {"dist": _norm}
            yield (np.array(x), np.array(y), _plain_norm), {}


def _walks_on_graph(seed: int, count: int) -> Iterator[tuple[Any, Any, Any, float]]:
    """Distances that differ by direction, two paths and a threshold; many distances are the
    threshold."""
    draw = random.Random(seed)
    for k in range(count):
        names = [f"v{i}" for i in range(9)]
        threshold = (3.0, 2.5, 0.7)[k % 3]

        def length() -> float:
            return draw.uniform(0, 9) if k % 2 == 0 else threshold * draw.choice((0.5, 1, 2))

        distances = {a: {b: length() if a != b else 0.0 for b in names} for a in names}
        prediction, reference = (
            [draw.choice(names) for _ in range(draw.randint(2, 9))] for _ in "pr"
        )
        yield distances, prediction, reference, threshold


def _calls_of_cal_dtw() -> Iterator[_Call]:
    for distances, prediction, reference, threshold in _walks_on_graph(4, 12):
        yield (distances, prediction, reference), {}
        yield (distances, prediction, reference), {"threshold": threshold}
        yield (distances, prediction, reference, 0.25, threshold), {}


def _calls_of_cal_cls() -> Iterator[_Call]:
    for distances, prediction, reference, threshold in _walks_on_graph(5, 12):
        yield (distances, prediction, reference), {}
        yield (distances, prediction, reference, threshold), {}


_BUILDS: tuple[Build, ...] = ("compiled", "pure")

FASTDTW = Kind(
    "(x, y, radius=1, dist=None)", [_fastdtw_of(build) for build in _BUILDS], _calls_of_fastdtw
)
EXACT_DTW = Kind(
    "(x, y, dist=None)", [_exact_dtw_of(build) for build in _BUILDS], _calls_of_exact_dtw
)
DTW = Kind(
    "(x, y, dist, warp=1, w=inf, s=1.0)",
    [
        Form(_dtw, "warpath.compat.dtw", "exact DTW of dtw 1.4, to the last bit"),
        Form(_mean_dtw, "warpath.compat.dtw", "exact DTW / (n + m) of dtw 1.3, to the last bit"),
    ],
    _calls_of_dtw,
)
CAL_DTW = Kind(
    "(shortest_distances, prediction, reference, success=None, threshold=3.0)",
    [Form(_cal_dtw, "warpath.compat.cal_dtw", "exact DTW on a graph, to the last bit")],
    _calls_of_cal_dtw,
)
CAL_CLS = Kind(
    "(shortest_distances, prediction, reference, threshold=3.0)",
    [Form(_cal_cls, "warpath.compat.cal_cls", "CLS on a graph, to 1e-12", 1e-12)],
    _calls_of_cal_cls,
)


# The comparison


def find_form(original: Function, kind: Kind) -> Form | str:
    """Returns the form that gives an original's numbers, or why there is none."""
    signature = _signature(original)
    if signature not in (kind.signature, ""):
        return f"takes {signature}, not {kind.signature}"
    forms = list(kind.forms)
    with np.errstate(all="ignore"):
        for arguments, named in kind.calls():
            try:
                expected = original(*arguments, **named)
            except (Exception, SystemExit) as error:
                return f"raises {type(error).__name__} for a made-up pair of paths"
            forms = [form for form in forms if _gives(form, arguments, named, expected)]
            if not forms:
                return "gives other numbers for a made-up pair of paths"
    return forms[0]


def _signature(function: Function) -> str:
    """Returns the arguments without their annotations; nothing if a compiled function has none."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def _gives(form: Form, arguments: Any, named: dict[str, Any], expected: Any) -> bool:
    try:
        found = form.call(*arguments, **named)
    except Exception:
        return False
    return _is_same(found, expected, form.tolerance)


def _is_same(a: Any, b: Any, tolerance: float) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(_is_same(a[key], b[key], tolerance) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_is_same(p, q, tolerance) for p, q in zip(a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b or abs(a - b) <= tolerance)

"""Modules that stand for the packages fastdtw and dtw and for evaluators, where they are absent."""

from __future__ import annotations

import functools
import math
import pathlib
import types
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def powers(difference: Any, p: float) -> float:
    """The p-norm as the compiled build of fastdtw computes it."""
    total = 0.0
    for value in difference.tolist():
        total += math.pow(abs(value), p)
    return math.pow(total, 1 / p)


@functools.cache
def _transcription() -> types.CodeType:
    file = ROOT / "tests/golden/make_fast_dtw_golden.py"
    return compile(file.read_text(), str(file), "exec")


def fast_dtw_transcription() -> Any:
    """Both builds cell by cell: a new module, whose ``distance`` may be set."""
    module = types.ModuleType("make_fast_dtw_golden")
    module.__file__ = _transcription().co_filename
    exec(_transcription(), vars(module))
    return module


def make_fastdtw(build: str) -> types.ModuleType:
    """A module with the functions of one build, which give what the package's do."""
    made = types.ModuleType("fastdtw")
    made.calls = 0  # type: ignore[attr-defined]

    def run(x: Any, y: Any, radius: int, dist: Any) -> Any:
        made.calls += 1  # type: ignore[attr-defined]
        x, y = np.asanyarray(x, dtype="float"), np.asanyarray(y, dtype="float")
        order = 1 if dist is None else dist

        def distance(a: Any, b: Any) -> Any:
            a, b = (np.array(p)[0] if x.ndim == 1 else np.array(p) for p in (a, b))
            if callable(dist):
                value = dist(a, b)
            elif build == "compiled":
                value = powers(np.atleast_1d(a - b), order)
            else:
                value = np.linalg.norm(np.atleast_1d(a - b), order)
            return float(value) if build == "compiled" else value

        module = fast_dtw_transcription()
        module.distance = distance
        rows = [p[:, None].tolist() if p.ndim == 1 else p.tolist() for p in (x, y)]
        return getattr(module, build)(*rows, radius)

    def fastdtw(x, y, radius=1, dist=None):  # type: ignore[no-untyped-def]
        return run(x, y, radius, dist)

    def dtw(x, y, dist=None):  # type: ignore[no-untyped-def]
        return run(x, y, 10**6, dist)

    return _with(made, fastdtw, dtw)


def make_dtw(version: str) -> types.ModuleType:
    """A module with the function of dtw 1.3 or 1.4."""
    inf = math.inf

    def dtw(x, y, dist, warp=1, w=inf, s=1.0):  # type: ignore[no-untyped-def]
        assert len(x) and len(y) and warp == 1 and s == 1.0
        table = np.full((len(x) + 1, len(y) + 1), inf)
        table[0, 0] = 0
        costs = np.array([[dist(p, q) for q in y] for p in x], float)
        costs[abs(np.subtract.outer(np.arange(len(x)), np.arange(len(y)))) > w] = inf
        for i, j in np.ndindex(costs.shape):
            before = min(table[i, j], table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = costs[i, j] + before
        sums = table[1:, 1:]
        cost = sums[-1, -1] / (sum(costs.shape) if version == "1.3" else 1)
        if len(x) == 1:
            return cost, costs, sums, (np.zeros(len(y)), range(len(y)))
        if len(y) == 1:
            return cost, costs, sums, (range(len(x)), np.zeros(len(x)))
        cells = [(len(x) - 1, len(y) - 1)]
        while cells[-1] != (0, 0):
            i, j = cells[-1]
            step = int(np.argmin((table[i, j], table[i, j + 1], table[i + 1, j])))
            cells.append(((i - 1, j - 1), (i - 1, j), (i, j - 1))[step])
        rows, columns = zip(*cells[::-1])
        return cost, costs, sums, (np.array(rows), np.array(columns))

    return _with(types.ModuleType("dtw"), dtw)


def make_evaluator(
    *, is_strict: bool = True, least_length: float = 0.0, root: bool = False
) -> types.ModuleType:
    """A module with ``cal_dtw`` and ``cal_cls`` as agents have them, or with another rule."""

    def cal_dtw(  # type: ignore[no-untyped-def]
        shortest_distances, prediction, reference, success=None, threshold=3.0
    ):
        table = np.full((len(prediction) + 1, len(reference) + 1), np.inf)
        table[0][0] = 0
        for i in range(1, len(prediction) + 1):
            for j in range(1, len(reference) + 1):
                best = min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
                table[i][j] = shortest_distances[prediction[i - 1]][reference[j - 1]] + best
        dtw = table[len(prediction)][len(reference)]
        size = np.sqrt(len(reference)) if root else len(reference)
        ndtw = np.exp(-dtw / (threshold * size))
        if success is None:
            error = shortest_distances[prediction[-1]][reference[-1]]
            success = float(error < threshold if is_strict else error <= threshold)
        return {"DTW": dtw, "nDTW": ndtw, "SDTW": success * ndtw}

    def cal_cls(  # type: ignore[no-untyped-def]
        shortest_distances, prediction, reference, threshold=3.0
    ):
        def length(nodes: Any) -> Any:
            steps = [shortest_distances[a][b] for a, b in zip(nodes[:-1], nodes[1:])]
            return max(np.sum(steps), least_length)

        nearest = [np.min([shortest_distances[u][v] for v in prediction]) for u in reference]
        coverage = np.mean([np.exp(-distance / threshold) for distance in nearest])
        expected = coverage * length(reference)
        return coverage * expected / (expected + np.abs(expected - length(prediction)))

    return _with(types.ModuleType("made_eval_utils"), cal_dtw, cal_cls)


def _with(module: types.ModuleType, *functions: Any) -> types.ModuleType:
    for function in functions:
        function.__module__, function.__qualname__ = module.__name__, function.__name__
        setattr(module, function.__name__, function)
    return module

"""correlate: draws and names at the edges."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
import warpath
from made_scores import Row, made_scores
from warpath import _core

pytest.importorskip("scipy.stats", reason="SciPy is not installed")


def test_draws_that_take_more_than_there_are() -> None:
    n = 65_000
    x, y = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    x[-1] = y[0] = 1
    taken = np.ones((1, n, 16), np.uint32)
    taken[0, 5] = 2000  # as of a part of more instructions
    total = n + 1999
    counts = _core.kendall_draws(x, y, taken)[0].tolist()
    assert counts[1] == counts[2] == (total - 1) * (total - 2) // 2 and counts[3] == total


def test_systems_with_commas_stay_apart() -> None:
    rows = [
        {"system": s, "split": t, "instruction": k, "x": k, "y": k * k}
        for s, t in (("a, b", "c"), ("a", "b, c"))
        for k in range(3)
    ]
    found = warpath.correlate(rows, score="x", outcome="y", draws=8)
    assert list(found.instructions.values()) == [3, 3]


@pytest.mark.parametrize("only", [5, "a", {5: "a"}, {"system": 5}])
def test_only_of_wrong_types(only: object) -> None:
    rows = [{"system": s, "instruction": k, "x": k} for s in "ab" for k in range(3)]
    with pytest.raises(warpath.InputError, match="only: is of type"):
        warpath.correlate(rows, score="x", outcome="x", only=only)  # type: ignore[arg-type]


ODD: list[Any] = [
    None, 1, True, math.nan, 2**70, b"x", "\udc80", [None], {}, {5: 1}, np.zeros(3), np.array(1),
    np.array([object()]), object(), {"system": None}, [{"a": 1}], "/", lambda x: x,
]  # fmt: skip


@pytest.mark.parametrize("argument", sorted(set(inspect.signature(warpath.correlate).parameters)))
def test_arguments_of_every_type(argument: str) -> None:
    attempts, scores = made_scores(systems=3, instructions=5)
    good: Row = {"attempts": attempts, "scores": scores, "score": "SPICE", "outcome": "NE"}
    for odd in ODD:
        try:
            warpath.correlate(**{**good, "draws": 4, "missing": "skip", argument: odd})
        except (warpath.InputError, warpath.UsageError) as error:
            assert "\n" not in str(error)

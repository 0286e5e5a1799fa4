"""traces: cells and names at the edges of the wayfinding table."""

from __future__ import annotations

import csv
import io
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath
from made_traces import MadeTrace
from warpath import traces

STREET = warpath.Graphs(
    {"street": warpath.Graph(["a", "b", "c"], [[0, 1], [1, 2]], [[0, 0, 0], [2, 0, 0], [4, 0, 0]])}
)
DATASET: list[dict[str, Any]] = [
    {"path_id": k, "scan": "street", "path": ["a", "b", "c"], "heading": 0.0, "distance": 4.0,
     "instructions": [words]}
    for k, words in ((1, "go on there"), (2, "go on"))
]  # fmt: skip


def attempts(*words: float | None) -> list[dict[str, Any]]:
    ids = ("1_0", "1_0", "2_0")
    return [{"instruction": i, "path": "a b", "words": w} for i, w in zip(ids, words)]


def test_words_of_some_rows() -> None:
    for given, expected in (
        ((None, None, None), [3, 3, 2]),
        ((9, None, None), [9, 9, 2]),
        ((None, 9, None), [9, 9, 2]),
    ):
        found = traces.wayfinding(attempts(*given), None, DATASET, STREET)
        assert [row["words"] for row in found.attempts] == expected
        words = found["all"]["words"]
        assert (words.mean, words.n) == ((expected[0] + expected[2]) / 2, 2)
    with pytest.raises(warpath.InputError, match="row 1: column words: is 8, but row 0 has 9"):
        traces.wayfinding(attempts(9, 8, None), None, DATASET, STREET)


def test_rows_keep_apart_what_their_names_do_not() -> None:
    rows = [
        {"scan": "street", "reference": "a b c", "path": "a b c", "system": s, "split": t}
        for s, t in (("a, b", "c"), ("a", "b, c"))
    ]
    found = traces.wayfinding(rows, None, None, STREET)
    assert len(found) == 2 and [row.attempts for row in found.values()] == [1, 1]
    ids = {row["instruction"] for row in csv.DictReader(io.StringIO(found.to_csv()))}
    assert ids == {"street a b c"}  # what correlate joins by


def test_times_that_are_too_far_apart(tmp_path: pathlib.Path) -> None:
    file = MadeTrace([("a", 0, 0), ("b", 0, 0)]).npz(tmp_path / "t.npz")
    arrays = dict(np.load(file))
    arrays["time"] = np.array([-1.7e308, 1.7e308])
    np.savez(file, **arrays)
    with pytest.raises(warpath.InputError, match="time: is too large"):
        traces.read(file)

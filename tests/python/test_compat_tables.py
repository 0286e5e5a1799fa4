"""Distances that drop-ins do not know for good: dicts that change, mappings, gaps, many dicts."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections import defaultdict
from typing import Any

import networkx as nx
import numpy as np
import pytest
from warpath import compat
from warpath.compat import duet


def original_cal_dtw(
    d: Any, prediction: Any, reference: Any, success: Any = None, threshold: float = 3.0
) -> dict[str, Any]:
    """The equations of Ilharco et al. 2019, in VLN-DUET's order of operations."""
    n, m = len(prediction), len(reference)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0
    for i in range(n):
        for j in range(m):
            best = min(table[i, j + 1], table[i + 1, j], table[i, j])
            table[i + 1, j + 1] = d[prediction[i]][reference[j]] + best
    with np.errstate(divide="ignore", invalid="ignore"):
        ndtw = np.exp(-table[n, m] / (threshold * m))
    if success is None:
        success = float(d[prediction[-1]][reference[-1]] < threshold)
    return {"DTW": table[n, m], "nDTW": ndtw, "SDTW": success * ndtw}


def original_cal_cls(d: Any, prediction: Any, reference: Any, threshold: float = 3.0) -> Any:
    """Jain et al. 2019, Eq. 1 to 4."""

    def length(path: Any) -> Any:
        return np.sum([d[a][b] for a, b in zip(path[:-1], path[1:])])

    coverage = np.mean([np.exp(-np.min([d[u][v] for v in prediction]) / threshold) for u in reference])
    expected = coverage * length(reference)
    return coverage * expected / (expected + np.abs(expected - length(prediction)))


def line(size: int = 8) -> dict[str, dict[str, float]]:
    return {f"v{a}": {f"v{b}": abs(a - b) * 1.25 for b in range(size)} for a in range(size)}


PREDICTION, REFERENCE = ["v0", "v1", "v3", "v2"], ["v0", "v2", "v3"]


def check(d: Any, prediction: Any = PREDICTION, reference: Any = REFERENCE) -> None:
    assert compat.cal_dtw(d, prediction, reference) == original_cal_dtw(d, prediction, reference)
    expected = original_cal_cls(d, prediction, reference)
    assert compat.cal_cls(d, prediction, reference) == pytest.approx(expected, abs=1e-12)
    if prediction[0] == reference[0]:
        item = compat.eval_item(d, prediction, reference)
        assert item["DTW"] == original_cal_dtw(d, prediction, reference)["DTW"]
        assert item["CLS"] == compat.cal_cls(d, prediction, reference)
        assert item["nav_error"] == d[prediction[-1]][reference[-1]]


def scale_in_place(d: Any) -> None:
    for row in d.values():
        for key in row:
            row[key] *= 2


def replace_rows(d: Any) -> None:
    for key in d:
        d[key] = {to: 3 * distance for to, distance in d[key].items()}


def grow(d: Any) -> None:
    for row in d.values():
        row["new"] = 2.0
    d["new"] = {key: 2.0 for key in d} | {"new": 0.0}


def grow_rows(d: Any) -> None:
    d["v3"]["new"] = 2.0
    d["v3"]["v0"] = 9.0


def change_the_last_pair(d: Any) -> None:
    d["v2"]["v3"] = 7.0


@pytest.mark.parametrize(
    "change", [scale_in_place, replace_rows, grow, grow_rows, change_the_last_pair]
)
def test_a_dict_that_changed_gives_fresh_numbers(change: Any) -> None:
    d = line()
    for _ in range(2):
        check(d)
        change(d)
        check(d)
    grow(d)
    check(d, ["v0", "new"], ["v0", "new", "v3"])


def test_every_function_notices_a_change_by_itself() -> None:
    prediction = ["v0", "v1", "v4"]  # away from the reference, or CLS would stay the same
    for function in (compat.cal_dtw, compat.cal_cls, compat.eval_item):
        d = line()
        before = function(d, prediction, REFERENCE)
        scale_in_place(d)
        after = function(d, prediction, REFERENCE)
        compat.forget()
        assert after == function(d, prediction, REFERENCE) != before


def test_what_looks_miss_is_kept_until_forget() -> None:
    """The rule that is documented, from its other side."""
    d = line()
    before = compat.cal_dtw(d, PREDICTION, REFERENCE)
    d["v1"]["v2"] = 0.0  # not on the diagonal
    assert original_cal_dtw(d, PREDICTION, REFERENCE) != before
    assert compat.cal_dtw(d, PREDICTION, REFERENCE) == before
    compat.forget()
    check(d)


class Row:
    def __init__(self, a: int) -> None:
        self.a = a

    def __getitem__(self, b: int) -> int:
        return abs(self.a - b)


class Lazy:
    """Distances that are computed when they are asked."""

    def __getitem__(self, a: int) -> Row:
        return Row(a)


def test_mappings_of_other_classes() -> None:
    check(Lazy(), [1, 2, 5], [1, 4])
    check({k: Row(k) for k in range(6)}, [1, 2, 5], [1, 4])
    far: Any = defaultdict(lambda: defaultdict(lambda: 99.0))
    far["a"]["a"] = 0.0
    check(far, ["a", "b"], ["a", "c"])
    check({a: dict(row) for a, row in line().items()} | {"v9": np.array([])})


@pytest.mark.parametrize("strange", ["far", None, 10**400, [1.0]])
def test_values_that_are_no_numbers(strange: Any) -> None:
    d: Any = line()
    d["v5"]["v6"] = strange
    check(d)
    with pytest.raises((TypeError, OverflowError)):
        compat.cal_dtw(d, ["v5"], ["v6"])
    check(d)


def test_numbers_of_any_kind() -> None:
    d: Any = line()
    d["v0"]["v2"], d["v1"]["v2"], d["v3"]["v3"] = np.float32(0.1), True, 0
    d["v2"]["v0"] = np.int64(3)
    check(d)


def test_distances_that_are_not_finite() -> None:
    d = line()
    d["v1"]["v2"] = float("inf")
    check(d)
    d = line()
    d["v1"]["v2"] = float("nan")
    with np.errstate(invalid="ignore"):
        expected = original_cal_dtw(d, ["v0", "v1"], ["v2"])
    found = compat.cal_dtw(d, ["v0", "v1"], ["v2"])
    np.testing.assert_equal(found, expected)
    assert np.isnan(compat.cal_cls(d, ["v2"], ["v1"]))
    del d["v0"]["v3"]
    with pytest.raises(KeyError):
        compat.cal_dtw(d, ["v1", "v0", "v2"], ["v2", "v3"])
    far = {"a": {"a": float("inf")}, "b": {"a": 1.0, "b": 0.0}}  # and none from a to b
    with pytest.raises(KeyError):
        compat.cal_dtw(far, ["a"] * 4, ["b", "b", "a", "a", "a"], success=0.5)


def test_viewpoints_without_a_row() -> None:
    d: Any = line()
    d["v1"]["leaf"] = d["v0"]["leaf"] = 1.5
    assert compat.cal_dtw(d, ["v0", "v1"], ["leaf"]) == original_cal_dtw(d, ["v0", "v1"], ["leaf"])
    with pytest.raises(KeyError):
        compat.cal_dtw(d, ["leaf"], ["v0"])
    with pytest.raises(KeyError):
        compat.cal_cls(d, ["v0"], ["leaf"])
    check(d)


@pytest.mark.parametrize(("prediction", "reference"), [([], ["v0"]), (["v0"], []), ([], [])])
def test_empty_paths_with_a_success(prediction: list[str], reference: list[str]) -> None:
    for d in (line(), Lazy()):
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = original_cal_dtw(d, prediction, reference, 1.0)
        np.testing.assert_equal(compat.cal_dtw(d, prediction, reference, 1.0), expected)
        with pytest.raises(IndexError):
            compat.cal_dtw(d, prediction, reference)


def test_64_dicts_are_kept() -> None:
    class Tracked(float):
        pass

    compat.forget()
    values = []
    for k in range(68):
        value = Tracked(k)
        values.append(weakref.ref(value))
        compat.cal_dtw({"a": {"a": value}}, ["a"], ["a"])
    del value
    gc.collect()
    assert [alive() is not None for alive in values] == [False] * 4 + [True] * 64
    assert len(duet._tables) == 64
    compat.forget()
    assert not any(alive() for alive in values)


def test_memory_of_many_dicts_is_bounded() -> None:
    compat.forget()
    of_graph = dict(nx.all_pairs_dijkstra_path_length(nx.grid_graph([5, 5])))
    tracemalloc.start()
    try:
        sizes = []
        for k in range(800):
            d = {a: dict(row) for a, row in of_graph.items()}
            compat.cal_dtw(d, [(0, 0)], [(1, 1)])
            if k in (300, 799):
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        compat.forget()
    assert sizes[1] < 1.05 * sizes[0]

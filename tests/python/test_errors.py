"""Every input that cannot be used is refused by one line that says where the fault is."""

from __future__ import annotations

import pickle
import re
from typing import Any, Literal

import numpy as np
import pytest
import warpath


@pytest.fixture(scope="module")
def scorer(street: warpath.Graphs) -> warpath.Scorer:
    return warpath.Scorer(street)


good = [list("abcd"), list("abc")]


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([list("abcd")], "references: has 2 paths for 1 queries"),
        (
            [list("abcd"), list("abx")],
            "queries: pair 1: viewpoint 2: is 'x', which scan street does not have",
        ),
        ([list("abcd"), [0, 9]], "queries: pair 1: viewpoint 1: is 9 in scan street of 5"),
        ([list("abcd"), [0, -1]], "is -1 in scan street"),
        ([list("abcd"), [0, 2**70]], "is 1180591620717411303424"),
        ([list("abcd"), [0, 1.5]], "viewpoint 1: is 1.5"),
        ([list("abcd"), [0, None]], "viewpoint 1: is None"),
        ([list("abcd"), [True]], "is True"),
        ([list("abcd"), 3], "pair 1: is 3"),
        ([list("abcd"), []], "query 1: is empty"),
        (7, "queries: is of type int"),
        (None, "queries: is of type NoneType"),
        ({0: list("ab")}, "queries: is of type dict"),
        (np.zeros((2, 3)), r"queries: is an array float64\[2, 3\]"),
        (np.zeros((2, 3), bool), r"bool\[2, 3\]"),
        (np.zeros((2, 3), complex), "queries"),
        (np.full((2, 3), None), "pair 0: viewpoint 0: is None"),
        (np.array([["a", "b"], ["a", "x"]]), "pair 1: viewpoint 1: is .*'x'"),
        (np.full((2, 3), 5), "pair 0: query"),
        (np.full((2, 3), -1), "query 0: is empty"),
        (np.full((2, 3), 2**40), "element 0: is 1099511627776"),
        (np.zeros((2, 0), int), "query 0: is empty"),
        (np.zeros(2, int), r"int64\[2\]"),
        (np.zeros((2, 3, 3)), "only one of them has points"),
        ([[[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]]], "only one of them has points"),
    ],
)
def test_queries_are_checked(scorer: warpath.Scorer, queries: object, message: str) -> None:
    with pytest.raises(warpath.InputError, match=message) as caught:
        scorer.score(good, queries, "street")  # type: ignore[arg-type]
    assert "\n" not in str(caught.value) and caught.value.remedy


@pytest.mark.parametrize(
    ("values", "offsets", "message"),
    [
        ([0, 1, 2], [0, 2], "offsets: ends at 2 of 3 values"),
        ([0, 1, 2], [1, 2, 3], "element 0: is 1"),
        ([0, 1, 2], [0, 2, 1], "element 2: is 1"),
        ([0, 1, 2], [0, 2, 9], "element 2: is 9"),
        ([0, 1, 2], [0, -1, 3], "element 1: is -1"),
        ([0, 1, 2], [], "offsets: is empty"),
        ([0, 1, 2], [0, 3, 3], "query 1: is empty"),
        ([0, -1, 2], [0, 1, 3], "pair 1: query|element 1"),
        ([0, 5, 2], [0, 1, 3], "pair 1: query"),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_csr_is_checked(
    scorer: warpath.Scorer, values: list[int], offsets: list[int], message: str, dtype: type
) -> None:
    paths = warpath.CsrPaths(np.array(values, dtype), np.array(offsets, np.int64))
    references = good if len(offsets) == 3 else good[: max(len(offsets) - 1, 0)]
    with pytest.raises(warpath.InputError, match=message):
        scorer.score(references, paths, "street")


def test_other_members_of_paths_are_checked(scorer: warpath.Scorer) -> None:
    rows = np.zeros((2, 3), int)
    for paths, message in [
        (warpath.PaddedPaths(rows, np.array([1])), "lengths: has 1 values for 2 rows"),
        (warpath.PaddedPaths(rows, np.array([1, 4])), "lengths: pair 1: is 4 in rows of 3"),
        (warpath.PaddedPaths(rows, np.array([1, -1])), "lengths: pair 1: is -1"),
        (warpath.PaddedPaths(rows, np.array([1.0, 1.0])), "give integers"),
        (warpath.PaddedPaths([[0], [1]]), "holds a list"),
        (warpath.CsrPaths(rows[0], None), "offsets"),
        (warpath.CsrPaths(rows, np.array([0, 1, 2])), "queries"),
    ]:
        with pytest.raises(warpath.InputError, match=message):
            scorer.score(good, paths, "street")


@pytest.mark.parametrize("count", [2, 5000])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("dtype", "at", "value", "lengths", "message"),
    [
        (np.int64, 1, 1 << 32, None, "queries: element {1}: is 4294967296"),
        (np.int64, 70, 1 << 40, None, "queries: element {70}: is 1099511627776"),
        (np.uint64, 70, 1 << 63, None, "queries: element {70}: is 9223372036854775808"),
        (np.int64, 70, -1, 71, "queries: element {70}: is -1"),
        (np.int64, 70, -(1 << 40), 71, "queries: element {70}: is -1099511627776"),
        (np.int32, 70, -1, 71, "queries: element {70}: is -1"),
        (np.int16, 3, -1, 71, "queries: element {3}: is -1"),
        (np.int64, 70, 1 << 31, None, "query: names viewpoint 2147483648"),
        (np.int64, 0, -1, None, "is empty"),
        (np.int64, 70, 1 << 32, 70, None),
        (np.int64, 70, -1, None, None),
    ],
)
def test_viewpoints_of_rows_are_checked(
    scorer: warpath.Scorer,
    count: int,
    order: Literal["C", "F"],
    dtype: type,
    at: int,
    value: int,
    lengths: int | None,
    message: str | None,
) -> None:
    width, bad = 72, count - 1
    rows = np.zeros((count, width), dtype, order)
    rows[bad, at] = value
    references = np.zeros((count, 1), int)
    paths: Any = rows
    if lengths is not None:
        paths = warpath.PaddedPaths(rows, np.full(count, lengths))
    if message is None:
        assert np.isfinite(scorer.score(references, paths, "street")["DTW"]).all()
        return
    message = re.sub(r"{(\d+)}", lambda k: str(bad * width + int(k[1])), message)
    with pytest.raises(warpath.InputError, match=message):
        scorer.score(references, paths, "street")


@pytest.mark.parametrize(
    ("scans", "message"),
    [
        ("stret", "scan stret: has no graph"),
        (["street"], "scans: has 1 elements for 2 pairs"),
        (["street", None], "scans: pair 1: is None"),
        (np.array([0, 1]), "scans: pair 1: is 1 of 1 scans"),
        (np.array([0, -1]), "scans: pair 1: is -1"),
        (np.array([[0, 0]]), "scans"),
        (np.array([0]), "scans: has 1 elements"),
    ],
)
def test_scans_are_checked(scorer: warpath.Scorer, scans: object, message: str) -> None:
    with pytest.raises(warpath.InputError, match=message):
        scorer.score(good, good, scans)  # type: ignore[arg-type]


def test_points_are_checked() -> None:
    scorer = warpath.Scorer()
    path = np.zeros((1, 2, 3))
    for bad, message in [
        ([[[0.0, 0.0]]], "point 0: is"),
        ([[[0.0, 0.0, "x"]]], "point 0: is"),
        (np.full((1, 2, 3), np.inf), "query 0"),
        (np.full((1, 2, 3), np.nan), "query 0"),
        (np.full((1, 2, 3), 1e13), "query 0"),
    ]:
        with pytest.raises(warpath.InputError, match=message):
            scorer.score(path, bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (warpath.Graph(["a", "a"], []), "a: the node is there twice"),
        (warpath.Graph(["a", "b"], [[0, 2]]), r"edges\[0\]: names viewpoint 2 of 2"),
        (warpath.Graph(["a", "b"], [[0, -1]]), r"edges\[0\]: names viewpoint -1"),
        (warpath.Graph(["a", "b"], [[0, 1]], [[0, 0, 0]]), "positions: has 1 rows for 2"),
        (warpath.Graph(["a", "b"], [[0, 1]], [[0, 0, 0], [0, 0, np.nan]]), "b: position: is nan"),
        (warpath.Graph(["a", "b"], [[0, 1]], weights=[-1.0]), "edge 0: weight: is negative"),
        (warpath.Graph(["a", "b"], [[0, 1]], weights=[1.0, 2.0]), "weights: has 2 values"),
        (3, "is of type int"),
    ],
)
def test_graphs_are_checked(graph: object, message: str) -> None:
    with pytest.raises(warpath.InputError, match=message) as caught:
        warpath.Graphs({"s": graph})  # type: ignore[dict-item]
    assert "scan s" in caught.value.where[:2]


def test_files_of_graphs_are_checked(tmp_path: object) -> None:
    with pytest.raises(warpath.InputError, match="nowhere"):
        warpath.Graphs("nowhere/at/all")
    with pytest.raises(warpath.InputError, match="type int"):
        warpath.Graphs(3)  # type: ignore[arg-type]


def test_names_are_checked(street: warpath.Graphs) -> None:
    for arguments, message in [
        ({"preset": "r2"}, "r2r"),
        ({"metrics": "nDTV"}, "nDTW"),
        ({"metrics": []}, "no metric"),
        ({"backend": "gpu"}, "cuda"),
        ({"success": "often"}, "often"),
        ({"colour": "red"}, "colour"),
    ]:
        with pytest.raises(warpath.UsageError, match=message):
            warpath.Scorer(street, **arguments)  # type: ignore[arg-type]
    with pytest.raises(warpath.InputError, match="threads"):
        warpath.Scorer(street, threads=-1)


def test_more_threads_than_anyone_has_are_no_failure(street: warpath.Graphs) -> None:
    threads = 2**31 - 1
    scorer = warpath.Scorer(street, threads=threads)
    assert scorer.score(good, good)["SR"].tolist() == [1, 1]
    rewards = warpath.Rewards(street, good, ["street"] * 2, threads=threads)
    assert rewards.compute([[0, 1], [1, 2]]).reward.shape == (2, 2)
    warpath.Rewards(threads=threads)
    dataset = [{"path_id": 1, "scan": "street", "heading": 0, "path": good[0], "instructions": ["x"]}]
    assert warpath.random_baseline(dataset, street, 8, threads=threads).summary["PL"].n == 8


def test_errors_have_their_parts_and_can_be_pickled(scorer: warpath.Scorer) -> None:
    with pytest.raises(warpath.InputError) as caught:
        scorer.score(good, [list("abcd"), list("abx")])
    error = caught.value
    assert isinstance(error, ValueError)
    assert tuple(error.where) == ("queries", "pair 1", "viewpoint 2")
    assert error.problem.startswith("is 'x'")
    assert str(error) == f"queries: pair 1: viewpoint 2: {error.problem}; {error.remedy}"
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.where, copy.remedy) == (str(error), error.where, error.remedy)
    failure = pickle.loads(pickle.dumps(warpath.CudaError("failed", 2)))
    assert failure.code == 2 and str(failure) == "failed"

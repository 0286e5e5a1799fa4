"""Arrays of every type of NumPy and in every layout, at every argument that takes an array: equal
scores, or one line that names the argument. None ends the interpreter."""

from __future__ import annotations

import datetime
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import warpath

edges = [[0, 1], [1, 2], [2, 3]]
graph = warpath.Graph(["a", "b", "c", "d"], edges, weights=[1.0, 2.0, 3.0])
scorer = warpath.Scorer({"s": graph}, metrics="NE,nDTW,SDTW")
rewards = warpath.Rewards({"s": graph}, [[0, 1, 2], [1, 2, 3]], "s")
ends = warpath.Rewards({"s": graph}, [[0, 1, 2], [1, 2, 3]], "s", preset="etp-r1-rxr")
point_rewards = warpath.Rewards()
rows = np.array([[0, 1, 2], [1, 2, 2]])
points = np.arange(18.0).reshape(2, 3, 3)
two = np.array([0, 1])
real = np.array([0.5, 1.0])
square = np.zeros((2, 2))


def tracker(has_points: bool = False) -> warpath.RewardTracker:
    if has_points:
        return warpath.RewardTracker(point_rewards, 2, max_reference_length=3)
    made = warpath.RewardTracker(rewards, 2)
    made.reset([0, 1])
    return made


def listed(array: Any, depth: int = 1) -> Any:
    """Returns lists of what lies in an array, if anything does."""
    try:
        return [listed(part, depth - 1) for part in array] if depth else array
    except (TypeError, NotImplementedError):
        return array


def one_graph(**fields: Any) -> Any:
    arguments = {"viewpoints": ["a", "b"], "edges": [[0, 1]], "weights": [1.0], **fields}
    return warpath.Graphs({"s": warpath.Graph(**arguments)}).distances("s")


def written(out: Any) -> Any:
    return scorer.score(rows, rows, "s", out={"NE": out})["NE"]


def ended(out: Any) -> Any:
    return tracker().finish(out=out)


def forked(numbers: Any) -> Any:
    made = tracker()
    made.fork(numbers, [1, 0])
    return made.finish()


# Each argument with a value that it takes, and what becomes of it.
entries: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "queries": (lambda x: scorer.score(rows, x, "s")["nDTW"], rows),
    "queries of points": (lambda x: scorer.score(points, x)["nDTW"], points),
    "references": (lambda x: scorer.score(x, rows, "s")["nDTW"], rows),
    "statistics": (lambda x: scorer.statistics(rows, x, "s").of("nDTW").moments(), rows),
    "a list of queries": (lambda x: scorer.score(rows, listed(x), "s")["nDTW"], rows),
    "a list of lists": (
        lambda x: scorer.score(rows, listed(x, 2), "s")["nDTW"],
        rows,
    ),
    "a list of points": (lambda x: scorer.score(points, listed(x))["nDTW"], points),
    "rows": (lambda x: scorer.score(rows, warpath.PaddedPaths(x), "s")["nDTW"], rows),
    "lengths": (
        lambda x: scorer.score(rows, warpath.PaddedPaths(rows, x), "s")["nDTW"],
        two + 1,
    ),
    "values": (
        lambda x: scorer.score(rows, warpath.CsrPaths(x, np.array([0, 1, 2])), "s")["nDTW"],
        two,
    ),
    "offsets": (
        lambda x: scorer.score(rows[:1], warpath.CsrPaths(rows[0, :1], x), "s")["nDTW"],
        two,
    ),
    "scans": (lambda x: scorer.score(rows, rows, x)["nDTW"], two * 0),
    "task_success": (lambda x: scorer.score(rows, rows, "s", task_success=x)["SDTW"], real),
    "out": (written, np.zeros(2)),
    "values to add": (lambda x: warpath.Statistics().add(x), real),
    "stored references": (
        lambda x: warpath.Rewards({"s": graph}, x, "s").compute(rows).reward,
        rows,
    ),
    "goals": (
        lambda x: warpath.Rewards({"s": graph}, rows, "s", goals=x).compute(rows).reward,
        rows,
    ),
    "rewards.queries": (lambda x: rewards.compute(x).reward, rows),
    "rewards.lengths": (lambda x: rewards.compute(rows, x).reward, two + 1),
    "reference": (lambda x: rewards.compute(rows, reference=x).reward, two),
    "active": (lambda x: rewards.compute(rows, active=x).reward, two),
    "stopped": (lambda x: rewards.compute(rows, stopped=x).reward, two),
    "distance_to_goal": (
        lambda x: rewards.compute(rows, distance_to_goal=x).reward,
        points[0, :2, :],
    ),
    "prefix": (lambda x: ends.compute(rows, prefix=x).reward, two),
    "spl_length": (lambda x: ends.compute(rows, spl_length=x).reward, real),
    "rewards.out": (
        lambda x: rewards.compute(rows, out=x).reward,
        np.zeros((2, 3), np.float32),
    ),
    "points": (lambda x: point_rewards.compute_points(x, points).reward, points),
    "points of references": (lambda x: point_rewards.compute_points(points, x).reward, points),
    "reward": (lambda x: warpath.rewards.add_up(x, two + 1).returns, points[0, :2]),
    "critic": (
        lambda x: warpath.rewards.add_up(points[0, :2], two + 1, value=x).advantage,
        points[0, :2],
    ),
    "bootstrap": (
        lambda x: warpath.rewards.add_up(points[0, :2], two + 1, bootstrap=x).returns,
        real,
    ),
    "groups": (lambda x: warpath.group_advantages([1, 2], groups=x).advantage, two),
    "totals": (lambda x: warpath.group_advantages(x, group_size=2).advantage, real),
    "tracker.references": (lambda x: tracker().reset(x), two),
    "tracker.points": (lambda x: tracker(True).reset(x), points),
    "starts": (lambda x: tracker().reset(two, x), two + 1),
    "episodes": (lambda x: tracker().reset(two, episodes=x), two),
    "nodes": (lambda x: tracker().step(x), two + 1),
    "mask": (lambda x: tracker().finish(None, x), two),
    "tracker.out": (ended, np.zeros(2, np.float32)),
    "paths": (lambda x: tracker().score_extensions(x).reward, rows[:, None] + 0),
    "from_": (forked, two),
    "edges": (lambda x: one_graph(edges=x), np.array([[0, 1]])),
    "positions": (lambda x: one_graph(positions=x), points[0, :2]),
    "weights": (lambda x: one_graph(weights=x), np.array([2.0])),
    "distances": (lambda x: one_graph(distances=x, weights=None, edges=()), square),
    "a graph": (lambda x: warpath.Graphs({"s": x}).distances("s"), square),
    "path": (lambda x: warpath.perturb_path({"s": graph}, "s", x, "reversal"), rows[0]),
}
integer_kinds = {
    name for name, (_, good) in entries.items() if good.dtype.kind == "i"
} - {"active", "stopped", "mask"}

# Flags may be bools; what is written to has one type; texts are ids of viewpoints.
odd = [
    *"?cSUOVMm", "S3", "U2", "V8", "M8[s]", "M8[D]", "m8[ns]", "datetime64", "timedelta64", "e",
    "g", "F", "D", "G", [("a", "i4"), ("b", "f8")],
]  # fmt: skip
types = [*np.typecodes["All"], *odd]


@pytest.mark.parametrize("name", entries)
def test_every_type_is_taken_or_refused(name: str) -> None:
    call, good = entries[name]
    expected = call(good.copy())
    for kind in types:
        dtype = np.dtype(kind)
        for shape in (good.shape, good.shape[:1], (), (0, *good.shape[1:]), (*good.shape, 2)):
            array = np.zeros(shape, dtype)
            if shape == good.shape and dtype.kind in "iuf":
                array = good.astype(dtype)
            try:
                found = call(array)
            except (warpath.InputError, warpath.UsageError) as error:
                assert "\n" not in str(error)
                continue
            if shape == good.shape and dtype.kind in "iu" and name in integer_kinds:
                np.testing.assert_array_equal(found, expected, err_msg=str(dtype))
            is_flag = name in ("active", "stopped", "mask")
            assert dtype.kind in "iufOU" or is_flag or not array.size, (name, dtype, shape)


@pytest.mark.parametrize("name", entries)
@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]", "V8", "S3", "?", "F", "e", "g"])
def test_other_types_are_refused_by_name(name: str, kind: str) -> None:
    if name in ("active", "stopped", "mask") and kind == "?":
        return
    call, good = entries[name]
    bad = np.zeros(good.shape, kind)
    if kind in "eg" and good.dtype.kind == "f" and not name.endswith("out"):
        return  # arrays of rewards and graphs are converted
    with pytest.raises(warpath.InputError) as caught:
        call(bad)
    if name in ("queries", "references", "task_success", "stored references", "goals"):
        assert str(bad.dtype) in str(caught.value)
        assert caught.value.where[0] in (name, "references")
    assert "has points" not in str(caught.value)


def layouts(array: Any, folder: pathlib.Path) -> Iterator[tuple[str, Any]]:
    """Returns the same elements, laid out otherwise."""
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    yield "strided", wide[..., 0]
    yield "Fortran", np.asfortranarray(array)
    yield "reversed", array[::-1].copy()[::-1]
    yield "reversed rows", array[..., ::-1].copy()[..., ::-1]
    yield "swapped bytes", array.astype(array.dtype.newbyteorder("S"))
    fixed = array.copy()
    fixed.flags.writeable = False
    yield "read-only", fixed
    mapped = np.memmap(folder / "array", array.dtype, "w+", shape=array.shape)
    mapped[...] = array
    yield "memmap", mapped
    yield "subclass", array.view(type("Mine", (np.ndarray,), {}))
    yield "unmasked", np.ma.MaskedArray(array)
    yield "unmasked with a mask", np.ma.MaskedArray(array, np.zeros(array.shape, bool))
    raw = np.zeros(array.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
    yield "unaligned", np.frombuffer(raw, array.dtype, offset=1).reshape(array.shape)
    record = np.zeros(array.shape, [("byte", "u1"), ("x", array.dtype)])
    record["x"] = array
    yield "packed field", record["x"]
    yield "a memoryview", memoryview(np.ascontiguousarray(array))


@pytest.mark.parametrize("name", entries)
def test_every_layout_has_the_same_scores(name: str, tmp_path: pathlib.Path) -> None:
    call, good = entries[name]
    expected = call(good.copy())
    for layout, array in layouts(good, tmp_path):
        try:
            found = call(array)
        except (warpath.InputError, warpath.UsageError):
            assert name.endswith("out") or layout in ("unaligned", "swapped bytes", "packed field"), (
                layout
            )
            continue
        np.testing.assert_array_equal(found, expected, err_msg=layout)


@pytest.mark.parametrize("name", entries)
def test_masked_elements_are_refused(name: str) -> None:
    call, good = entries[name]
    masked = np.ma.MaskedArray(good, np.zeros(good.shape, bool))
    masked[(0,) * good.ndim] = np.ma.masked
    with pytest.raises(warpath.InputError):
        call(masked)
    if name in ("reference", "rewards.queries", "nodes", "weights", "positions"):
        with pytest.raises(warpath.InputError, match="masked"):
            call(list(masked))


@pytest.mark.parametrize(
    "path",
    [
        [np.datetime64(0, "s")],
        [np.timedelta64(1, "s")],
        [np.True_],
        [np.void(b"12345678")],
        [np.bytes_(b"a")],
        [np.float64(1)],
        [np.complex64(1)],
        [np.ma.masked],
        [datetime.date(2020, 1, 1)],
        b"\\0\\1",
        bytearray(b"\\0\\1"),
        np.zeros(2, "M8[s]"),
        np.zeros(2, bool),
        np.ma.MaskedArray([0, 1], [0, 1]),
    ],
)
def test_elements_of_lists_are_looked_at(path: Any) -> None:
    for paths in ([path, path], [[0], path], (path, path)):
        for call in (
            lambda x=paths: scorer.score(rows, x, "s"),
            lambda x=paths: scorer.statistics(x, rows, "s"),
            lambda x=paths: warpath.Rewards({"s": graph}, x, "s"),
            lambda x=paths: warpath.Rewards({"s": graph}, rows, "s", goals=x),
            lambda x=paths: scorer.score(points, x),
        ):
            with pytest.raises(warpath.InputError):
                call()


def test_gaps_of_other_libraries_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.Series([0, None], dtype="Int64")
    arrays = [frame, frame.array]
    try:
        import pyarrow

        arrays.append(pyarrow.array([0, None]))
    except ImportError:
        pass
    for gaps in arrays:
        for call in (
            lambda: scorer.score(rows, [gaps, [0]], "s"),
            lambda: rewards.compute(rows, reference=gaps),
            lambda: rewards.compute(rows, gaps),
            lambda: tracker().step(gaps),
            lambda: tracker().reset(gaps),
        ):
            with pytest.raises(warpath.InputError):
                call()
    whole = pandas.Series([0, 1], index=[7, 8])
    assert rewards.compute(rows, reference=whole).reward.shape == (2, 3)
    paths = pandas.Series([[0, 1, 2], [1, 2, 2]], index=["x", "y"])
    scores = scorer.score(rows, paths, "s")
    np.testing.assert_array_equal(scores["nDTW"], scorer.score(rows, rows, "s")["nDTW"])


def test_memory_that_is_shared_is_refused() -> None:
    memory = np.zeros(6)
    with pytest.raises(warpath.InputError, match="out: .*shares memory with another column"):
        scorer.score(rows, rows, "s", out={"NE": memory[:2], "nDTW": memory[1:3]})
    with pytest.raises(warpath.InputError, match="given twice"):
        scorer.score(rows, rows, "s", out={"NE": memory[:2], "ne": memory[2:4]})
    same = np.lib.stride_tricks.as_strided(memory, (3, 2), (0, 8))
    with pytest.raises(warpath.InputError, match="shares memory"):
        scorer.score(rows, rows, "s", out=same)
    with pytest.raises(warpath.InputError, match="shares memory with what is scored"):
        scorer.score(points, points, out={"NE": points[0, 0, :2]})
    single = np.zeros((2, 3), np.float32)
    for arguments in ({"distance_to_goal": single}, {"queries": single.view(np.int32)}):
        with pytest.raises(warpath.InputError, match="out: shares memory with"):
            rewards.compute(**{"queries": rows, **arguments}, out=single)
    step = np.zeros(2, np.float32)
    with pytest.raises(warpath.InputError, match="out: shares memory with distance_to_goal"):
        tracker().step(two + 1, distance_to_goal=step, out=step)
    out = np.zeros((3, 2))
    scorer.score(rows, rows, "s", out=out)
    np.testing.assert_array_equal(out[0], scorer.score(rows, rows, "s")["NE"])


def test_rows_without_numbers_of_references_are_as_many_as_references() -> None:
    single = warpath.Rewards({"s": graph}, [[0, 1, 2]] * 4, "s")
    for some in (rows[:1], rows[:2], np.concatenate([rows, rows, rows])):
        message = f"reference: is not given for {len(some)} rows of 4 references"
        with pytest.raises(warpath.InputError, match=message):
            single.compute(some)
        single.compute(some, reference=np.zeros(len(some), int))
    single.compute(np.concatenate([rows, rows]))
    assert single.compute(np.zeros((0, 3), int)).reward.shape == (0, 3)

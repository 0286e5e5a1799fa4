"""Whatever the arrays and objects are, a call scores them or raises an error of Python."""

from __future__ import annotations

import os
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
import warpath
from hypothesis import given, settings
from hypothesis import strategies as st

edges = [[k, k + 1] for k in range(7)] + [[0, 4], [2, 6]]
graph = warpath.Graph([f"v{k}" for k in range(9)], edges, weights=np.arange(1.0, 10.0))
scorer = warpath.Scorer({"s": graph, "t": warpath.Graph(["a"], [])}, backend="cpu")
rewards = warpath.Rewards({"s": graph}, [[0, 1, 2], [5, 4]], "s")
errors = (ValueError, TypeError, IndexError, KeyError, OverflowError, MemoryError)

# Fewer where each of them takes long (scripts/python-memcheck), and by day (scripts/run-tests).
by_default = "8" if os.environ.get("WARPATH_BY_DAY") else "1"
fewer = int(os.environ.get("WARPATH_FEWER_EXAMPLES", by_default))


def examples(count: int) -> settings:
    return settings(max_examples=count // fewer, deadline=None)


integer_types = arrays.integer_dtypes() | arrays.unsigned_integer_dtypes()
any_types = (
    integer_types | arrays.floating_dtypes() | arrays.boolean_dtypes() | st.just(np.dtype("U3"))
)
shapes = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
any_arrays = arrays.arrays(any_types, shapes)
small = arrays.arrays(integer_types, shapes, elements=st.integers(0, 9), fill=st.just(0))
numbers = st.none() | st.booleans() | st.integers() | st.floats()
words = st.text(max_size=3) | st.binary(max_size=3) | st.sampled_from([f"v{k}" for k in range(9)])


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    mappings = st.dictionaries(st.text(max_size=2), inner, max_size=2)
    return st.lists(inner, max_size=4) | st.tuples(inner, inner) | mappings


objects = st.recursive(numbers | words, containers, max_leaves=12)
plain = any_arrays | small | objects
paths = (
    plain | st.builds(warpath.CsrPaths, plain, plain) | st.builds(warpath.PaddedPaths, plain, plain)
)
scans = plain | st.just("s") | st.lists(st.sampled_from(["s", "t", "u"]), max_size=4)


@given(paths, paths, scans, st.none() | any_arrays)
@examples(600)
def test_scorer_takes_or_refuses_anything(
    references: Any, queries: Any, scan: Any, task_success: Any
) -> None:
    try:
        scores = scorer.score(references, queries, scan, task_success=task_success)
    except errors:
        return
    assert all(len(column) == scores.pairs for column in scores.values())


@given(paths, plain)
@examples(200)
def test_out_takes_or_refuses_anything(queries: Any, out: Any) -> None:
    try:
        scorer.score(queries, queries, "s", out=out)
    except (*errors, AttributeError):
        return


@given(plain, plain, plain, plain, plain)
@examples(300)
def test_rewards_take_or_refuse_anything(
    queries: Any, lengths: Any, reference: Any, active: Any, stopped: Any
) -> None:
    try:
        values = rewards.compute(
            queries, lengths, reference=reference, active=active, stopped=stopped
        )
    except errors:
        return
    assert values.reward.shape == np.shape(queries)


@given(plain, plain, plain, plain)
@examples(300)
def test_trackers_take_or_refuse_anything(
    references: Any, starts: Any, nodes: Any, active: Any
) -> None:
    tracker = warpath.RewardTracker(rewards, 2)
    for call in (
        lambda: tracker.reset(references, starts),
        lambda: tracker.reset([0, 1]),
        lambda: tracker.reset(references, episodes=starts),
        lambda: tracker.step(nodes, active),
        lambda: tracker.finish(active, starts),
        lambda: tracker.score_extensions(nodes, starts),
        lambda: tracker.fork(starts, nodes),
    ):
        try:
            call()
        except errors:
            pass


@given(plain, plain, plain, plain)
@examples(300)
def test_graphs_take_or_refuse_anything(
    viewpoints: Any, of_edges: Any, positions: Any, distances: Any
) -> None:
    try:
        made = warpath.Graph(viewpoints, of_edges, positions, distances=distances)
        warpath.Graphs({"s": made}).distances("s")
    except errors:
        pass
    try:
        warpath.Graphs({"s": viewpoints})
    except errors:
        pass


@given(objects, objects)
@examples(200)
def test_evaluate_takes_or_refuses_anything(predictions: Any, dataset: Any) -> None:
    try:
        warpath.evaluate(predictions, dataset, {"s": graph})
    except errors:
        pass


walks = st.lists(st.integers(0, 7), min_size=1, max_size=9)


@given(st.lists(st.tuples(walks, walks), min_size=1, max_size=20))
@examples(200)
def test_forms_agree(pairs: list[tuple[list[int], list[int]]]) -> None:
    references, queries = ([pair[k] for pair in pairs] for k in (0, 1))
    as_lists = scorer.score(references, queries, "s")
    as_ids = scorer.score(
        *([[f"v{n}" for n in p] for p in side] for side in (references, queries)), "s"
    )
    offsets = np.cumsum([0, *map(len, queries)])
    as_csr = scorer.score(references, warpath.CsrPaths(np.concatenate(queries), offsets), "s")
    for metric in as_lists:
        np.testing.assert_array_equal(as_lists[metric], as_ids[metric])
        np.testing.assert_array_equal(as_lists[metric], as_csr[metric])
    assert ((as_lists["nDTW"] >= 0) & (as_lists["nDTW"] <= 1)).all()


def test_an_object_that_changes_while_it_is_read_is_refused() -> None:
    class Trap:
        def __init__(self, path: list[Any]) -> None:
            self.path = path

        def __index__(self) -> int:
            self.path.clear()
            self.path.extend(["v0"] * 100_000)
            self.path.clear()
            return 0

    path: list[Any] = []
    path += [Trap(path), "v1", "v2"]
    scores = scorer.score([["v0"]], [path], "s")
    assert scores.pairs == 1

    outer: list[Any] = []

    class Grow:
        def __index__(self) -> int:
            outer.append([0])
            return 0

    outer += [[Grow()], [0]]
    with pytest.raises(warpath.InputError, match="grew|changed"):
        scorer.score([[0], [0]], outer, "s")

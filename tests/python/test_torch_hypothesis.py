"""Whatever the tensors are, a call of warpath.torch works or raises an error of Python."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import warpath
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs PyTorch")
import warpath.torch as wt  # noqa: E402

edges = [[k, k + 1] for k in range(7)] + [[0, 4], [2, 6]]
graph = warpath.Graph([f"v{k}" for k in range(9)], edges, weights=np.arange(1.0, 10.0))
rewards = wt.Rewards({"s": graph}, [[0, 1, 2], [5, 4]], "s")
scorer = wt.Scorer({"s": graph}, [[0, 1, 2], [5, 4]], "s", metrics="SR,nDTW,CLS,SDTW")
point_rewards, point_scorer = wt.Rewards(), wt.Scorer(metrics="nDTW,NE")
errors = (ValueError, TypeError, RuntimeError, IndexError, OverflowError, MemoryError)

types = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.complex64,
]  # fmt: skip
types += [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)]


def strided(tensor: Any, draw: Any) -> Any:
    """Returns another view of a tensor: turned, with gaps, broadcast, from an offset."""
    how = draw(st.sampled_from(["turn", "gap", "broadcast", "offset", "none"]))
    if tensor.dim() == 0 or how == "none":
        return tensor
    if how == "turn":
        return tensor.transpose(0, -1)
    if how == "gap":
        return tensor[..., ::2]
    if how == "broadcast":
        return tensor[:1].expand(tensor.shape) if tensor.shape[0] else tensor
    return tensor[1:]


def odd(tensor: Any, draw: Any) -> Any:
    """Returns a tensor with something that kernels cannot read."""
    kinds = ["sparse", "meta", "grad", "negated", "conj", "nested", "csr", "zero"]
    how = draw(st.sampled_from(kinds))
    if how == "sparse":
        return tensor.to_sparse()
    if how == "csr":
        return tensor.to_sparse_csr()
    if how == "meta":
        return tensor.to("meta")
    if how == "grad":
        return tensor.requires_grad_()
    if how == "negated":
        return tensor._neg_view()
    if how == "conj":
        return tensor.conj()
    if how == "zero":
        return torch._efficientzerotensor(tensor.shape, dtype=tensor.dtype)
    return torch.nested_tensor([tensor, tensor])


@st.composite
def tensors(draw: Any, *shapes: tuple[int, ...]) -> Any:
    if draw(st.integers(0, 9)) == 0:
        return draw(st.none() | st.integers() | st.text(max_size=2) | st.just([[0, 1]]))
    if shapes and draw(st.integers(0, 3)):
        shape = draw(st.sampled_from(shapes))
    else:
        shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    dtype = draw(st.sampled_from(types))
    size = int(np.prod(shape)) if shape else 1
    elements = draw(
        st.lists(st.integers(-3, 12) | st.just(2**31) | st.just(-(2**62)), min_size=size)
    )
    tensor = torch.tensor(elements[:size], dtype=torch.float64).to(dtype).reshape(shape)
    try:
        if draw(st.integers(0, 4)) == 0:
            tensor = strided(tensor, draw)
        if draw(st.integers(0, 7)) == 0:
            tensor = odd(tensor, draw)
    except (RuntimeError, AttributeError, IndexError, TypeError):
        pass
    return tensor


rows = tensors((2, 3), (2, 1), (1, 4), (0, 3), (2, 0))
per_row = tensors((2,), (1,), (0,))
point_rows = tensors((2, 3, 3), (1, 2, 3), (2, 0, 3))
by_day = bool(os.environ.get("WARPATH_BY_DAY"))  # scripts/run-tests
many = settings(
    max_examples=50 if by_day else 200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def attempt(call: Any) -> Any:
    try:
        return call()
    except errors:
        return None


@given(rows, per_row, per_row, per_row, per_row, rows, rows)
@many
def test_rewards(
    queries: Any, lengths: Any, reference: Any, active: Any, stopped: Any, distances: Any, out: Any
) -> None:
    options = {"reference": reference, "active": active, "stopped": stopped}
    made = attempt(
        lambda: rewards.compute(
            queries, lengths, **options, distance_to_goal=distances, values=["ndtw"], out=out
        )
    )
    if made is not None:
        assert made.reward.shape == queries.shape == made.ndtw.shape
    made = attempt(lambda: rewards.compute(queries, lengths, reference=reference))
    assert made is None or made.reward.shape == queries.shape
    attempt(lambda: wt.add_up(out, lengths, value=queries, bootstrap=active, active=stopped))
    attempt(lambda: wt.group_advantages(lengths, groups=reference, active=active))
    attempt(lambda: wt.sum_by_decision(out, queries, 2))
    attempt(lambda: wt.spread_to_tokens(out, queries))


@given(rows, per_row, per_row, per_row, per_row, tensors((4, 2), (4, 1)))
@many
def test_scorer(
    queries: Any, lengths: Any, reference: Any, active: Any, success: Any, out: Any
) -> None:
    for options in ({}, {"active": active, "task_success": success}, {"out": out}):
        made = attempt(lambda: scorer.score(queries, lengths, reference=reference, **options))
        assert made is None or len(made["SR"]) == len(queries)


@given(point_rows, point_rows, per_row, per_row, per_row)
@many
def test_points(
    queries: Any, references: Any, lengths: Any, reference_lengths: Any, reference: Any
) -> None:
    for call in (point_rewards.compute_points, point_scorer.score_points):
        attempt(lambda: call(queries, references))
        attempt(lambda: call(queries, references, lengths, reference_lengths, reference=reference))


@given(per_row, per_row, per_row, tensors((2, 1, 3), (2, 2, 2)), tensors((2, 1), (2, 2)))
@many
def test_trackers(first: Any, second: Any, third: Any, paths: Any, lengths: Any) -> None:
    tracker = wt.RewardTracker(rewards, 2)
    for call in (
        lambda: tracker.reset(first, second),
        lambda: tracker.reset(torch.tensor([0, 1])),
        lambda: tracker.reset(first, episodes=second, distance_to_goal=third),
        lambda: tracker.step(first, second, distance_to_goal=third),
        lambda: tracker.finish(first, second, out=third),
        lambda: tracker.score_extensions(paths, lengths, values=["ndtw"]),
        lambda: tracker.fork(first, second),
        lambda: tracker.restore(first),
    ):
        attempt(call)

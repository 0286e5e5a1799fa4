"""Advantages within groups against the equations and the goldens, group_size in place of reference,
sums by decision. Arrays and tensors have the same bits."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

kinds: dict[str, dict[str, Any]] = {
    "dr-grpo": {"scale": "none"},
    "etp-r1": {"ddof": 0, "epsilon": 1e-8},
    "verl": {},
    "trl": {"epsilon": 1e-4},
    "trl-batch": {"scale": "batch", "epsilon": 1e-4},
    "rloo": {"baseline": "others", "scale": "none"},
    "others over std": {"baseline": "others", "ddof": 0, "epsilon": 0},
}


def plain(
    reward: np.ndarray,
    group: np.ndarray,
    active: np.ndarray,
    baseline: str = "mean",
    scale: str = "std",
    ddof: int = 1,
    epsilon: float = 1e-6,
) -> np.ndarray:
    """The equations, in double precision."""
    x = reward.astype(np.float64)
    advantage = np.zeros(len(x))
    whole = x[active].std(ddof=ddof)
    for g in np.unique(group):
        mine = active & (group == g)
        r = x[mine]
        if len(r) < 2 or r.max() == r.min():
            continue
        y = r - (r.mean() if baseline == "mean" else (r.sum() - r) / (len(r) - 1))
        scales = {"std": r.std(ddof=ddof) + epsilon, "batch": whole + epsilon, "none": 1.0}
        advantage[mine] = y / scales[scale]
    return advantage


class Case:
    """Rollouts in groups of eight: one group without spread, one inactive, one with one active."""

    def __init__(self, seed: int = 3, groups: int = 16, size: int = 8) -> None:
        draw = np.random.default_rng(seed)
        self.size, count = size, groups * size
        self.group = np.arange(count) // size
        self.reward = draw.normal(3, 10, count).astype(np.float32)
        self.active = draw.random(count) < 0.8
        self.reward[:size] = np.float32(15.93)
        self.active[size : 3 * size] = False
        self.active[2 * size] = True
        self.order = draw.permutation(count)


@pytest.fixture(scope="module")
def case() -> Case:
    return Case()


@pytest.mark.parametrize("kind", kinds)
def test_advantages_follow_the_equations(case: Case, kind: str) -> None:
    given = {"group_size": case.size, "active": case.active, **kinds[kind]}
    made = warpath.group_advantages(case.reward, **given)
    want = plain(case.reward, case.group, case.active, **kinds[kind])
    np.testing.assert_allclose(made.advantage, want, rtol=2e-6, atol=1e-7)
    assert (made.advantage[: 3 * case.size] == 0).all()
    for g in range(16):
        r = case.reward[(case.group == g) & case.active].astype(np.float64)
        ddof = kinds[kind].get("ddof", 1)
        if not len(r):
            assert np.isnan(made.mean[g]) and np.isnan(made.std[g])
            continue
        assert made.mean[g] == pytest.approx(r.mean(), rel=1e-6)
        assert made.std[g] == pytest.approx(r.std(ddof=ddof) if len(r) > ddof else 0, rel=1e-6)
        assert made.spread[g] == (len(np.unique(r)) > 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_negative_groups_are_no_others(dtype: type) -> None:
    """256 rollouts: read without a sign, -1 of int8 would be a group that exists."""
    with pytest.raises(warpath.InputError, match="rollout 0: names group -1 of 256"):
        warpath.group_advantages(np.arange(256, dtype=np.float32), groups=np.full(256, -1, dtype))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("kind", ["verl", "trl", "rloo"])
def test_groups_in_any_order_have_the_bits_of_group_size(
    case: Case, kind: str, dtype: type
) -> None:
    want = warpath.group_advantages(
        case.reward, group_size=case.size, active=case.active, **kinds[kind]
    )
    # Members keep their order, and groups get other numbers.
    draw, mixed = np.random.default_rng(1), []
    rest = [list(np.flatnonzero(case.group == g)) for g in range(16)]
    while any(rest):
        mixed.append(draw.choice([g for g in range(16) if rest[g]]))
        mixed[-1] = rest[mixed[-1]].pop(0)
    number = draw.permutation(128)[:16]
    made = warpath.group_advantages(
        case.reward[mixed],
        groups=number[case.group[mixed]].astype(dtype),
        active=case.active[mixed],
        **kinds[kind],
    )
    np.testing.assert_array_equal(made.advantage, want.advantage[mixed])
    for got, expected in zip(made[1:], want[1:]):
        assert got.shape == (128,)
        np.testing.assert_array_equal(got[number], expected)
        others = np.delete(got, number)
        assert not others.any() if got.dtype == bool else np.isnan(others).all()


def test_equal_rewards_and_groups_of_one_have_exactly_nothing() -> None:
    # Their mean rounds in single precision: std is then 1e-6, and epsilon 1e-8 gives 1.
    made = warpath.group_advantages([15.93] * 12, group_size=12, epsilon=1e-8, ddof=0)
    assert not made.advantage.any() and not made.std.any() and not made.spread.any()
    assert not warpath.group_advantages([3.0, -1.0], group_size=1, scale="none").advantage.any()
    empty = warpath.group_advantages(np.zeros(0, np.float32), group_size=8)
    assert [array.shape for array in empty] == [(0,)] * 4


def test_a_reward_that_is_not_active_is_not_read() -> None:
    made = warpath.group_advantages(
        [np.nan, 1, 3, np.inf], groups=[0, 1, 1, -7], active=[False, True, True, False]
    )
    assert made.advantage.tolist()[::3] == [0, 0] and made.mean[1] == 2
    assert np.isnan(made.mean[[0, 2, 3]]).all()


@pytest.mark.parametrize("given, message", [
    ({"group_size": 3}, "group_size: is 3, which does not divide 4 rollouts; give whole groups"),
    ({"group_size": 0}, "group_size: is 0; give an integer from 1"),
    ({"group_size": 2.0}, "group_size: is of type float; give an integer"),
    ({}, "group_size: is 0, and groups are not given; give one of them"),
    ({"group_size": 2, "groups": [0] * 4}, "group_size: is 2, and groups are given; give one"),
    ({"groups": [0, 0, 4, 0]}, "rollout 2: names group 4 of 4; number groups from 0"),
    ({"groups": [0, -1, 1, 0]}, "rollout 1: names group -1 of 4"),
    ({"groups": [0, 0, 0]}, "groups: is an array int64[3]; give one of shape [4]"),
    ({"groups": [0.0] * 4}, "groups: is float64[4]; give integers"),
    ({"group_size": 2, "active": [0.5] * 4}, "active: is float64[4]; give bools"),
    ({"group_size": 2, "ddof": 2}, "ddof: is 2; give an integer from 0 to 1"),
    ({"group_size": 2, "epsilon": -1}, "epsilon: is -1; give a number from 0"),
    ({"group_size": 2, "epsilon": np.nan}, "epsilon: is nan; give a number from 0"),
    ({"group_size": 2, "reward": [0, np.nan, 1, 2]}, "rollout 1: has the reward nan; leave it out"),
    ({"group_size": 2, "reward": [[0, 1], [1, 2]]}, "reward: is an array"),
    ({"group_size": 2, "reward": None}, "reward: is None; give an array"),
])
def test_wrong_input_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(warpath.InputError, match=re.escape(message)):
        warpath.group_advantages(**{"reward": [0, 1, 2, 3], **given})


def test_wrong_names_are_named() -> None:
    with pytest.raises(warpath.UsageError, match="no baseline 'median'; .*there are mean, others"):
        warpath.group_advantages([0, 1], group_size=2, baseline="median")
    with pytest.raises(warpath.UsageError, match="no scale 'group'; .*there are std, batch, none"):
        warpath.group_advantages([0, 1], group_size=2, scale="group")


@pytest.mark.parametrize("file", ["viewpoints", "viewpoints_g5", "points"])
def test_goldens(data: pathlib.Path, file: str) -> None:
    path = data / f"tasks3/rewards/{file}.npz"
    if not path.exists():
        pytest.skip(f"no {path}")
    golden = np.load(path)
    size, active = int(golden["group_size"]), golden["active"] != 0
    compared = 0
    for reward in ("etp-r1-r2r", "etp-r1-rxr", "activevln", "budvln"):
        for kind, options in kinds.items():
            name = f"advantage/{reward}/{kind}"
            if name not in golden.files:
                continue
            total, want = golden[f"reward/{reward}"], golden[name]
            made = warpath.group_advantages(total, group_size=size, active=active, **options)
            scale = np.abs(want).max()
            np.testing.assert_allclose(made.advantage, want, rtol=1e-5, atol=1e-6 * scale)
            of_groups = f"group/{reward}"
            mean, std, spread = (golden[f"{of_groups}/{x}"] for x in ("mean", "std0", "spread"))
            np.testing.assert_allclose(made.mean, mean, rtol=1e-5, atol=1e-6)
            if options.get("ddof", 1) == 0:
                np.testing.assert_allclose(made.std, std, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(made.spread, spread != 0)
            compared += 1
    assert compared >= 12


# ---------------------------------------------------------------- group_size of compute


@pytest.fixture(scope="module")
def grouped() -> tuple[warpath.Rewards, np.ndarray, np.ndarray]:
    maze = Maze(seed=22, scans=2)
    references, _, scans = maze.pairs(10)
    rewards = warpath.Rewards(maze.graphs, references, scans, preset="hamt", tie="zero")
    reference = np.repeat(np.arange(10), 4)
    rows = padded([maze.walk(scans[r], int(maze.draw.integers(1, 9))) for r in reference])
    return rewards, rows, reference


def points_of(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.normal(size=(6, 7, 3)), draw.normal(size=(2, 5, 3))


def test_group_size_stands_for_reference(grouped: Any) -> None:
    rewards, rows, reference = grouped
    values = ["ndtw", "distance_to_goal"]
    want = rewards.compute(rows, reference=reference, values=values)
    got = rewards.compute(rows, group_size=4, values=values)
    for one, other in zip(got, want):
        np.testing.assert_array_equal(one, other)
    in_space = warpath.Rewards(preset="ndtw-gain")
    queries, references = points_of()
    np.testing.assert_array_equal(
        in_space.compute_points(queries, references, group_size=3).reward,
        in_space.compute_points(queries, references, reference=[0, 0, 0, 1, 1, 1]).reward,
    )


def test_group_size_of_compute_is_checked(grouped: Any) -> None:
    rewards, rows, reference = grouped
    for given, message in (
        ({"group_size": 3}, "group_size: is 3, which does not divide 40 rollouts"),
        ({"group_size": 8}, "group_size: is 8 for 40 rollouts of 10 references"),
        ({"group_size": 0}, "group_size: is 0; give an integer from 1"),
        ({"group_size": 4, "reference": reference}, "group_size: is given, and so is reference"),
    ):
        with pytest.raises(warpath.InputError, match=re.escape(message)):
            rewards.compute(rows, **given)
    queries, references = points_of()
    with pytest.raises(warpath.InputError, match="references: is an array"):
        warpath.Rewards().compute_points(queries, references, group_size=2)
    with pytest.raises(warpath.InputError, match="group_size: is 4, which does not divide 6"):
        warpath.Rewards().compute_points(queries, references[:1], group_size=4)


# ---------------------------------------------------------------- decisions


def test_sums_by_decision_go_to_tokens() -> None:
    reward = np.array([[1, 2, 3, 4, 0], [5, 6, 7, 0, 0]], np.float32)
    decision = np.array([[0, 0, 1, 1, -1], [0, 2, 2, -1, -1]])
    sums = warpath.sum_by_decision(reward, decision, 3)
    np.testing.assert_array_equal(sums, np.array([[3, 7, 0], [5, 0, 13]], np.float32))
    tokens = np.array([[-1, 0, 0, 1], [2, 2, 0, -3]], np.int16)
    spread = warpath.spread_to_tokens(sums, tokens)
    np.testing.assert_array_equal(spread, np.array([[0, 3, 3, 7], [13, 13, 5, 0]], np.float32))
    assert sums.dtype == spread.dtype == np.float32
    assert warpath.sum_by_decision(reward, np.full((2, 5), -1), 0).shape == (2, 0)
    assert not warpath.spread_to_tokens(np.zeros((2, 0)), np.full((2, 4), -1)).any()


def test_sums_by_decision_are_made_in_double() -> None:
    reward = np.full((1, 4096), 0.1, np.float32)
    made = warpath.sum_by_decision(reward, np.zeros((1, 4096), int), 1)
    assert made[0, 0] == np.float32(4096 * float(np.float32(0.1)))


@pytest.mark.parametrize("decision, message", [
    ([[0, 1], [0, 2]], "decision: rollout 1: names decision 2 of 2, in column 1; number"),
    ([[0, 1]], "decision: is an array int64[1, 2]; give one of shape [2, 2]"),
    ([0, 1], "decision: is an array int64[2]; give an array of two dimensions"),
    ([[0.0, 1], [0, 1]], "decision: is float64[2, 2]; give integers"),
    (None, "decision: is None"),
])
def test_wrong_decisions_are_named(decision: Any, message: str) -> None:
    for call in (
        lambda: warpath.sum_by_decision(np.ones((2, 2)), decision, 2),
        lambda: warpath.spread_to_tokens(np.ones((2, 2)), decision),
    ):
        with pytest.raises(warpath.InputError, match=re.escape(message)):
            call()


# ---------------------------------------------------------------- tensors

try:
    import torch
    import warpath.torch as wt
except ImportError:
    torch = None  # type: ignore[assignment]
needs_torch = pytest.mark.skipif(torch is None, reason="needs PyTorch")


def t(array: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(array))


@needs_torch
@pytest.mark.parametrize("kind", kinds)
def test_tensors_have_the_bits_of_arrays(case: Case, kind: str) -> None:
    reward, active = case.reward, case.active
    order = case.order
    for given in ({"group_size": case.size}, {"groups": case.group[order]}):
        by = order if "groups" in given else np.arange(len(order))
        want = warpath.group_advantages(reward[by], **given, active=active[by], **kinds[kind])
        there = {name: t(v) if isinstance(v, np.ndarray) else v for name, v in given.items()}
        got = wt.group_advantages(t(reward[by]), **there, active=t(active[by]), **kinds[kind])
        assert got.spread.dtype == torch.bool
        for tensor, array in zip(got, want):
            np.testing.assert_array_equal(tensor.numpy(), array)


@needs_torch
def test_tensors_are_checked() -> None:
    reward = torch.arange(4.0)
    for call, message in (
        (lambda: wt.group_advantages(reward.double(), group_size=2), "reward: is float64[4]"),
        (lambda: wt.group_advantages(reward, groups=reward), "groups: is float32[4]; give int"),
        (lambda: wt.group_advantages(reward[None], group_size=2), "reward: is float32[1, 4]"),
        (lambda: wt.group_advantages(reward, group_size=3), "group_size: is 3, which does not"),
        (
            lambda: wt.group_advantages(reward, group_size=2, groups=reward.int()),
            "group_size: is 2, and groups are given",
        ),
        (
            lambda: wt.group_advantages(reward, group_size=2, active=reward),
            "active: is float32[4]; give bools",
        ),
        (
            lambda: wt.group_advantages(reward.clone().requires_grad_(), group_size=2),
            "reward: requires grad",
        ),
    ):
        with pytest.raises(warpath.InputError, match=re.escape(message)):
            call()


@needs_torch
def test_tensors_of_groups_stand_for_reference(grouped: Any) -> None:
    rewards, rows, reference = grouped
    want = rewards.compute(rows, reference=reference).reward
    got = rewards.compute(t(rows), group_size=4).reward
    np.testing.assert_array_equal(got.numpy(), want)
    with pytest.raises(warpath.InputError, match="group_size: is 8 for 40 rollouts"):
        rewards.compute(t(rows), group_size=8)
    with pytest.raises(warpath.InputError, match="group_size: is given, and so is reference"):
        rewards.compute(t(rows), group_size=4, reference=t(reference))
    queries, references = (t(array.astype(np.float32)) for array in points_of())
    in_space = wt.Rewards()
    np.testing.assert_array_equal(
        in_space.compute_points(queries, references, group_size=3).reward,
        in_space.compute_points(queries, references, reference=t(np.arange(6) // 3)).reward,
    )
    with pytest.raises(warpath.InputError, match="has 2 paths for 6 queries in groups of 2"):
        in_space.compute_points(queries, references, group_size=2)


@needs_torch
def test_decisions_of_tensors() -> None:
    draw = np.random.default_rng(8)
    reward = draw.normal(size=(9, 12)).astype(np.float32)
    for dtype in (np.int8, np.int32, np.int64):
        decision = draw.integers(-2, 5, (9, 12)).astype(dtype)
        tokens = draw.integers(-2, 5, (9, 30)).astype(dtype)
        want = warpath.sum_by_decision(reward, decision, 5)
        got = wt.sum_by_decision(t(reward), t(decision), 5)
        np.testing.assert_array_equal(got.numpy(), want)
        spread = wt.spread_to_tokens(got, t(tokens))
        np.testing.assert_array_equal(spread.numpy(), warpath.spread_to_tokens(want, tokens))
    for call in (
        lambda: wt.sum_by_decision(t(reward), t(decision), 4),
        lambda: wt.spread_to_tokens(t(reward)[:, :4].contiguous(), t(tokens)),
    ):
        with pytest.raises(warpath.InputError, match="decision: rollout .* names decision 4 of 4"):
            call()
    with pytest.raises(warpath.InputError, match=r"decision: is int64\[9, 3\]"):
        wt.sum_by_decision(t(reward), torch.zeros(9, 3).long(), 4)
    assert wt.sum_by_decision(torch.zeros(0, 0), torch.zeros(0, 0).long(), 3).shape == (0, 3)
    assert wt.spread_to_tokens(torch.zeros(2, 0), torch.full((2, 4), -1)).tolist() == [[0] * 4] * 2

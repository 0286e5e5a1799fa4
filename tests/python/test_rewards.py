"""Rewards against the goldens of tests/rewards, and trackers against finished rollouts."""

from __future__ import annotations

import csv
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

goldens = pathlib.Path(__file__).parents[1] / "rewards/reward_goldens.csv"
edges = {"AB": 2.0, "BC": 1.5, "CD": 2.5, "BE": 4.0, "DF": 0.8, "FG": 1.0}
names = "ABCDEFG"


@pytest.fixture(scope="module")
def world() -> warpath.Graphs:
    """The world of tests/rewards/make_reward_goldens.py."""
    ends = [[names.index(a), names.index(b)] for a, b in edges]
    return warpath.Graphs({"w": warpath.Graph(list(names), ends, weights=list(edges.values()))})


def numbers(path: str) -> list[int]:
    return [names.index(name) for name in path]


def test_presets_have_the_rewards_of_the_goldens(world: warpath.Graphs) -> None:
    made: dict[tuple[str, str], warpath.Rewards] = {}
    with open(goldens) as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        key = row["preset"], row["goals"]
        if key not in made:
            made[key] = warpath.Rewards(
                world, [list("ABCD")], "w", goals=[list(row["goals"])], preset=row["preset"]
            )
        values = made[key].compute([numbers(row["query"])], stopped=[row["stopped"] == "1"])
        expected = [float(word) for word in row["rewards"].split()]
        np.testing.assert_allclose(values.reward[0], expected, atol=2e-6, err_msg=str(row))
    assert {preset for preset, _ in made} == set(warpath.reward_presets)


@pytest.fixture(scope="module")
def batch() -> tuple[warpath.Rewards, np.ndarray, np.ndarray, np.ndarray]:
    maze = Maze(seed=21, scans=2)
    references, _, scans = maze.pairs(10)
    rewards = warpath.Rewards(maze.graphs, references, scans, preset="ndtw-gain")
    reference = np.arange(40) % 10
    walks = [maze.walk(scans[r], int(maze.draw.integers(1, 9))) for r in reference]
    return rewards, padded(walks), np.array([len(walk) for walk in walks]), reference


def test_rows_end_at_negative_numbers_or_by_lengths(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    expected = rewards.compute(
        rows, reference=reference, values=["ndtw", "cls", "distance_to_goal"]
    )
    given = rewards.compute(
        np.abs(rows).astype(np.int16), lengths.astype(np.uint8), reference=reference
    )
    np.testing.assert_array_equal(given.reward, expected.reward)
    assert given.ndtw is None and expected.cls is not None
    is_behind = np.arange(rows.shape[1]) >= lengths[:, None]
    for values in expected:
        assert values is not None and (values[is_behind] == 0).all()
    out = np.full(rows.shape, 7, np.float32)
    assert rewards.compute(rows, reference=reference, out=out).reward is out
    np.testing.assert_array_equal(out, expected.reward)


def test_gains_add_up_to_the_last_ndtw(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    values = rewards.compute(rows, reference=reference, values=["ndtw"])
    assert values.ndtw is not None
    for k, n in enumerate(lengths):
        gains = values.reward[k, : n - 1].sum()
        assert gains == pytest.approx(values.ndtw[k, n - 1] - values.ndtw[k, 0], abs=1e-5)


def test_inactive_rollouts_have_no_rewards(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    active = np.arange(40) % 3 == 0
    some = rewards.compute(rows, reference=reference, active=active).reward
    every = rewards.compute(rows, reference=reference).reward
    np.testing.assert_array_equal(some, every * active[:, None])


def test_trackers_give_the_bits_of_finished_rollouts(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    expected = rewards.compute(rows, reference=reference).reward
    tracker = warpath.RewardTracker(rewards, 40)
    tracker.reset(reference, rows[:, 0])
    for t in range(1, rows.shape[1]):
        active = t < lengths
        reward = tracker.step(rows[:, t], active)
        np.testing.assert_array_equal(reward[active], expected[active, t - 1])
        assert (reward[~active] == 0).all()
        if t == 2:  # as if the process had ended here
            other = warpath.RewardTracker(rewards, 40)
            other.restore(tracker.state())
            tracker = other
    ends = tracker.finish()
    np.testing.assert_array_equal(ends, expected[np.arange(40), lengths - 1])
    np.testing.assert_array_equal(tracker.finish(mask=np.zeros(40, bool)), np.zeros(40))
    ndtw = rewards.compute(rows, reference=reference, values=["ndtw"]).ndtw
    np.testing.assert_array_equal(tracker.values("ndtw")["ndtw"], ndtw[np.arange(40), lengths - 1])


def test_extensions_are_what_steps_would_earn(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    tracker = warpath.RewardTracker(rewards, 40)
    tracker.reset(reference, rows[:, 0])
    candidates = np.stack([rows[:, 1:4], rows[:, 1:4]], axis=1)
    found = tracker.score_extensions(candidates, values=["ndtw"])
    whole = rewards.compute(rows, reference=reference, values=["ndtw"])
    for k in range(40):
        n = int((candidates[k, 0] >= 0).sum())
        total = whole.reward[k, :n].sum() if n < lengths[k] else np.nan
        assert found.reward[k, 0] == pytest.approx(total, abs=1e-5)
        assert whole.ndtw is not None and found.ndtw is not None
        assert found.ndtw[k, 1] == whole.ndtw[k, n]
    tracker.fork([0], [1])
    assert tracker.values("ndtw")["ndtw"][0] == tracker.values("ndtw")["ndtw"][1]
    tracker.reset([3], episodes=[5])
    tracker.reset([], episodes=[])


def test_points() -> None:
    draw = np.random.default_rng(4)
    references, queries = draw.normal(size=(6, 5, 3)), draw.normal(size=(6, 7, 3))
    queries[0, 4:] = np.nan
    rewards = warpath.Rewards(preset="ndtw-gain")
    values = rewards.compute_points(queries, references, values=["ndtw"])
    assert values.ndtw is not None and (values.reward[0, 4:] == 0).all()
    scores = warpath.Scorer(metrics="nDTW", backend="cpu").score(references, queries)
    np.testing.assert_allclose(values.ndtw[0, 3], scores["nDTW"][0], atol=1e-6)
    np.testing.assert_allclose(values.ndtw[1:, 6], scores["nDTW"][1:], atol=1e-6)
    tracker = warpath.RewardTracker(rewards, 6, max_reference_length=5)
    tracker.reset(references, queries[:, 0])
    for t in range(1, 4):
        np.testing.assert_array_equal(
            tracker.step(queries[:, t].astype(np.float32)), values.reward[:, t - 1]
        )


def test_returns_and_advantages_are_those_of_a_loop() -> None:
    draw = np.random.default_rng(6)
    reward, value = draw.normal(size=(2, 9, 6)).astype(np.float32)
    lengths, bootstrap = draw.integers(1, 7, 9), draw.normal(size=9).astype(np.float32)
    made = warpath.rewards.add_up(
        reward, lengths, discount=0.9, decay=0.8, value=value, bootstrap=bootstrap
    )
    for k, n in enumerate(lengths):
        following, next_value, advantage = float(bootstrap[k]), float(bootstrap[k]), 0.0
        for t in reversed(range(n)):
            following = float(reward[k, t]) + 0.9 * following
            error = float(reward[k, t]) + 0.9 * next_value - float(value[k, t])
            advantage = error + 0.9 * 0.8 * advantage
            next_value = float(value[k, t])
            assert made.returns[k, t] == pytest.approx(following, abs=1e-5)
            assert made.advantage[k, t] == pytest.approx(advantage, abs=1e-5)
        assert (made.returns[k, n:] == 0).all()


def test_rewards_can_be_pickled(batch: Any) -> None:
    rewards, rows, _, reference = batch
    other = pickle.loads(pickle.dumps(rewards))
    np.testing.assert_array_equal(
        other.compute(rows, reference=reference).reward,
        rewards.compute(rows, reference=reference).reward,
    )


def test_settings_and_conventions(world: warpath.Graphs) -> None:
    def first(**settings: Any) -> float:
        rewards = warpath.Rewards(world, [list("ABCD")], "w", **settings)
        return float(rewards.compute([numbers("ABC")]).reward[0, 0])

    assert first(ndtw_weight=2.0) == pytest.approx(2 * first())
    assert first(convention={"threshold": 1.0}) != first()
    assert first(convention="r2r") == first()
    with pytest.raises(warpath.UsageError, match="ndtw_weight"):
        first(ndtw_weigth=1)
    with pytest.raises(warpath.UsageError, match="hamt"):
        first(preset="hamd")
    with pytest.raises(warpath.UsageError, match="threshold"):
        first(convention={"treshold": 1})


def test_input_is_checked(batch: Any) -> None:
    rewards, rows, lengths, reference = batch
    for arguments, message in [
        ((rows, lengths[:1]), "lengths"),
        ((rows, lengths + 99), "rollout 0"),
        ((rows, lengths * 0), "rollout 0"),
        ((rows + 99, lengths), "rollout 0"),
        ((rows[0],), "queries"),
        ((rows.astype(float),), "queries"),
        ((rows.astype(str),), "queries"),
    ]:
        with pytest.raises(warpath.InputError, match=message):
            rewards.compute(*arguments, reference=reference)
    for options, message in [
        ({"reference": reference + 10}, "reference"),
        ({"reference": reference[:3]}, "reference"),
        ({"active": np.ones(3, bool)}, "active"),
        ({"stopped": np.ones(40)}, "stopped"),
        ({"distance_to_goal": np.zeros((40, 1))}, "distance_to_goal"),
        ({"out": np.zeros(rows.shape)}, "out"),
        ({"out": np.zeros((3, 3), np.float32)}, "out"),
        ({"values": ["nDTV"]}, "nDTV.*did you mean ndtw"),
    ]:
        with pytest.raises((warpath.InputError, warpath.UsageError), match=message):
            rewards.compute(rows, **{"reference": reference, **options})
    tracker = warpath.RewardTracker(rewards, 2)
    with pytest.raises(warpath.InputError, match="reset"):
        tracker.step([0, 0])
    with pytest.raises(warpath.InputError, match="episode 0: names reference -1 of"):
        tracker.reset([-1, 0])
    with pytest.raises(warpath.InputError, match="state"):
        tracker.restore(b"something else")
    with pytest.raises(warpath.InputError, match="has no CLS, which the tracker keeps"):
        warpath.RewardTracker(rewards, 2, metrics=["CLS"]).restore(tracker.state())
    with pytest.raises(warpath.InputError, match="references"):
        warpath.RewardTracker(warpath.Rewards(), 2)
    with pytest.raises(warpath.UsageError, match="graphs"):
        warpath.Rewards(None, [[0]])


def test_rows_without_elements_have_no_paths(batch: Any) -> None:
    rewards = batch[0]
    tracker = warpath.RewardTracker(rewards, 1)
    tracker.reset([0])
    for call in (
        lambda: rewards.compute(np.zeros((1, 0), int), [1]),
        lambda: tracker.score_extensions(np.zeros((1, 1, 0), int), [[1]]),
        lambda: warpath.rewards.add_up(np.zeros((1, 0), np.float32), [1]),
    ):
        with pytest.raises(warpath.InputError, match="lengths: are of rows without elements"):
            call()
    assert rewards.compute(np.zeros((0, 0), int), np.zeros(0, int)).reward.shape == (0, 0)

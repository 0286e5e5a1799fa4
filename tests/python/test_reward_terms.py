"""Rewards of groups of rollouts against numbers of the public trainers' formulas, and what leaves
first viewpoints out."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

# Presets, with changes, by the names of the goldens' rewards.
settings: dict[str, tuple[str, dict[str, Any]]] = {
    "etp-r1-r2r": ("etp-r1-r2r", {}),
    "etp-r1-rxr": ("etp-r1-rxr", {}),
    "activevln": ("activevln", {}),
    "activevln-ndtw": ("activevln", {"success_closeness": 10, "final_ndtw": 5}),
    "rlinf": ("rlinf", {}),
    "mix": (
        "rlinf",
        {
            "success": 10,
            "failure": 0,
            "success_stop": "required",
            "timeout": "as-stop",
            "final_ndtw": 5,
        },
    ),
    "budvln": ("budvln", {}),
    "budvln-as-run": ("budvln-as-run", {}),
}


def outcomes(golden: Any) -> dict[str, np.ndarray]:
    return {k.split("/")[1]: golden[k] for k in golden.files if k.startswith("outcome/")}


def spl_of(o: dict[str, np.ndarray], ideal: np.ndarray) -> np.ndarray:
    longer = np.maximum(ideal, o["length"])
    return np.where(longer > 0, ideal / np.where(longer > 0, longer, 1), 1)


def plain_ends(golden: Any) -> dict[str, np.ndarray]:
    """Returns the ends by their definition, in double precision."""
    o = outcomes(golden)
    given = np.maximum(golden["spl_length"][golden["reference_of"]], o["start"])
    near, at_goal = 1 - o["end"] / 6, o["success_1_5"]
    closeness = o["stop_success_3"] * (1 - o["end"] / 3)
    bud = o["stop_success_3_lt"]
    return {
        "etp-r1-r2r": at_goal * (1 + spl_of(o, o["start"])) + near,
        "etp-r1-rxr": o["ndtw"] + at_goal * (o["ndtw"] + spl_of(o, given)) + near,
        "activevln": 15 * closeness,
        "activevln-ndtw": 10 * closeness + 5 * o["ndtw_rest"] * o["stopped"],
        "rlinf": 5 * o["stopped"],
        "mix": 10 * o["stop_success_3"] + 5 * o["ndtw"],
        "budvln": bud * (2 + spl_of(o, given)) - o["end"] / 6,
        "budvln-as-run": 3 * bud - o["end"] / 6,
    }


def expect_goldens(golden: Any, name: str, reward: np.ndarray) -> None:
    ends = plain_ends(golden)[name]
    moves = np.zeros(len(ends))
    if name.startswith("budvln"):
        stopped, steps = golden["stopped"], golden[f"steps/{name}"]
        np.testing.assert_allclose(reward, steps, rtol=1e-6, atol=1e-6, err_msg=name)
        last = golden["query_length"] - np.where(stopped, 1, np.minimum(golden["query_length"], 2))
        moves = steps.sum(1) - steps[np.arange(len(ends)), np.maximum(last, 0)]
    np.testing.assert_allclose(ends + moves, golden[f"reward/{name}"], atol=1e-12, err_msg=name)
    expected = golden[f"reward/{name}"]
    np.testing.assert_allclose(reward.sum(1), expected, rtol=1e-6, atol=1e-6, err_msg=name)


def given_with(golden: Any, name: str) -> dict[str, np.ndarray]:
    """Returns what the reward of a name reads of references."""
    given = {}
    if name in ("etp-r1-rxr", "budvln"):
        given["spl_length"] = golden["spl_length"].astype(np.float32)
    if name == "activevln-ndtw":
        given["prefix"] = golden["prefix"]
    return given


@pytest.mark.parametrize("file", ["viewpoints.npz", "viewpoints_g5.npz"])
@pytest.mark.parametrize("name", settings)
def test_rollouts_of_viewpoints_have_the_goldens(data: pathlib.Path, file: str, name: str) -> None:
    golden = np.load(data / "tasks3/rewards" / file)
    ids = {}
    for scan in set(golden["scan"]):
        with gzip.open(data / "connectivity" / f"{scan}_connectivity.json.gz") as text:
            ids[scan] = [viewpoint["image_id"] for viewpoint in json.load(text)]
    scans = [str(scan) for scan in golden["scan"]]

    def named(rows: np.ndarray, lengths: np.ndarray, of: list[str]) -> list[list[str]]:
        return [[ids[s][i] for i in row[:n]] for row, n, s in zip(rows, lengths, of)]

    references = named(golden["reference"], golden["reference_length"], scans)
    graphs = warpath.Graphs(str(data / "connectivity"))
    preset, changes = settings[name]
    rewards = warpath.Rewards(graphs, references, scans, preset=preset, **changes)
    reference = golden["reference_of"]
    of = [scans[r] for r in reference]
    nodes, lengths = graphs.encode(named(golden["query"], golden["query_length"], of), of)
    made = rewards.compute(
        nodes,
        lengths,
        reference=reference,
        stopped=golden["stopped"].astype(bool),
        values=["distance_to_goal", "ndtw"],
        **given_with(golden, name),
    )
    width = golden["query"].shape[1]
    reward = np.zeros(golden["query"].shape, np.float32)
    reward[:, : nodes.shape[1]] = made.reward[:, :width]
    expect_goldens(golden, name, reward)
    last = np.arange(len(lengths)), golden["query_length"] - 1
    assert made.distance_to_goal is not None and made.ndtw is not None
    np.testing.assert_allclose(made.distance_to_goal[last], golden["outcome/end"], atol=2e-6)
    ndtw = golden["outcome/ndtw_rest" if name == "activevln-ndtw" else "outcome/ndtw"]
    np.testing.assert_allclose(made.ndtw[last], ndtw, atol=1e-6)


@pytest.mark.parametrize("name", settings)
def test_rollouts_of_points_have_the_goldens(data: pathlib.Path, name: str) -> None:
    golden = np.load(data / "tasks3/rewards/points.npz")
    preset, changes = settings[name]
    rewards = warpath.Rewards(preset=preset, **changes)
    reference, stopped = golden["reference_of"], golden["stopped"].astype(bool)
    given = given_with(golden, name)
    queries, references = golden["query"], golden["reference"]
    made = rewards.compute_points(
        queries, references, reference=reference, stopped=stopped, **given
    )
    expect_goldens(golden, name, made.reward)
    # The same rollouts as episodes.
    count, length = queries.shape[:2]
    tracker = warpath.RewardTracker(rewards, count, max_reference_length=references.shape[1])
    of_entries = {key: array[reference] for key, array in given.items()}
    tracker.reset(references[reference], queries[:, 0], **of_entries)
    got = np.zeros((count, length), np.float32)
    sizes = golden["query_length"]
    for t in range(length):
        ends = sizes == t + 1
        got[:, t] = tracker.finish(stopped, ends)
        if t + 1 < length:
            got[:, t] += tracker.step(np.nan_to_num(queries[:, t + 1]), sizes > t + 1)
    if "budvln" in name:  # the caller puts a time-out's end in place of the last move's
        timed = np.flatnonzero(~stopped & (sizes > 1))
        got[timed, sizes[timed] - 2] = got[timed, sizes[timed] - 1]
        got[timed, sizes[timed] - 1] = 0
    np.testing.assert_array_equal(got, made.reward)


@pytest.fixture(scope="module")
def maze() -> tuple[warpath.Rewards, np.ndarray, np.ndarray, np.ndarray]:
    made = Maze(seed=31, scans=2)
    references, _, scans = made.pairs(6)
    rewards = warpath.Rewards(
        made.graphs, references, scans, preset="activevln", final_ndtw=5, final_spl=1
    )
    reference = np.arange(24) % 6
    walks = [made.walk(scans[r], int(made.draw.integers(1, 9))) for r in reference]
    return rewards, padded(walks), reference, np.array([2, 0, 50, 1, 3, 1])


def test_tensors_have_the_bits_of_arrays(maze: Any) -> None:
    torch = pytest.importorskip("torch")
    rewards, rows, reference, prefix = maze
    lengths = np.linspace(0, 20, 6).astype(np.float32)
    want = rewards.compute(rows, reference=reference, prefix=prefix, spl_length=lengths)
    plain = rewards.compute(rows, reference=reference)
    assert (want.reward != plain.reward).any()
    for kind in (np.int8, np.uint8, np.int16, np.int64):
        narrow = rewards.compute(
            rows, reference=reference, prefix=prefix.astype(kind), spl_length=lengths
        )
        np.testing.assert_array_equal(narrow.reward, want.reward)
    tensors = torch.from_numpy(rows), torch.from_numpy(reference)
    got = rewards.compute(
        tensors[0],
        reference=tensors[1],
        prefix=torch.from_numpy(prefix),
        spl_length=torch.from_numpy(lengths),
    )
    np.testing.assert_array_equal(got.reward.numpy(), want.reward)
    trackers = [
        warpath.RewardTracker(rewards, 24),
        warpath.RewardTracker(rewards, 24, device="cpu"),
    ]
    begun = [reference, rows[:, 0], prefix[reference], lengths[reference]]
    trackers[0].reset(begun[0], begun[1], prefix=begun[2], spl_length=begun[3])
    begun = [torch.from_numpy(np.ascontiguousarray(array)) for array in begun]
    trackers[1].reset(begun[0], begun[1], prefix=begun[2], spl_length=begun[3])
    np.testing.assert_array_equal(trackers[0].finish(), trackers[1].finish().numpy())
    single = rewards.compute(rows[:, :1], reference=reference, prefix=prefix, spl_length=lengths)
    np.testing.assert_array_equal(trackers[0].finish(), single.reward[:, 0])


@pytest.mark.parametrize("preset", ["etp-r1-r2r", "budvln", "vlnce-waypoint"])
def test_lengths_alone_have_the_bits_of_a_sweep(preset: str) -> None:
    made = Maze(seed=32, scans=2)
    references, _, scans = made.pairs(5)
    rewards = warpath.Rewards(made.graphs, references, scans, preset=preset)
    reference = np.arange(40) % 5
    rows = padded([made.walk(scans[r], int(made.draw.integers(1, 30))) for r in reference])
    alone = rewards.compute(rows, reference=reference)
    for values in (["cls"], ["ndtw"], ["distance_to_goal"]):
        swept = rewards.compute(rows, reference=reference, values=values)
        np.testing.assert_array_equal(alone.reward, swept.reward)


def test_wrong_numbers_are_named(maze: Any) -> None:
    rewards, rows, reference, prefix = maze

    def error(**given: Any) -> str:
        with pytest.raises(warpath.InputError) as caught:
            rewards.compute(rows, reference=reference, **given)
        return str(caught.value)

    assert "prefix 1" in error(prefix=np.array([0, -1, 0, 0, 0, 0], np.int8))
    assert "prefix" in error(prefix=[0, 1]) and "prefix" in error(prefix=[0.5] * 6)
    assert "spl_length 2" in error(spl_length=[1, 1, np.nan, 1, 1, 1])
    assert "spl_length 5" in error(spl_length=[1, 1, 1, 1, 1, -2])
    assert "spl_length" in error(spl_length=[1, 1])
    gains = warpath.Rewards(preset="hamt")
    points = np.zeros((1, 2, 3), np.float32)
    with pytest.raises(warpath.InputError, match="set ndtw_weight, cls_weight and dtw_weight to 0"):
        gains.compute_points(points, points, prefix=[1])


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(warpath.UsageError, match="required"):
        warpath.Rewards(preset="budvln", success_stop="needed")
    with pytest.raises(warpath.UsageError, match="above 0"):
        warpath.Rewards(preset="budvln", distance_scale=0)
    with pytest.raises(warpath.UsageError, match="final_spl"):
        warpath.Rewards(preset="budvln", final_spll=1)

"""warpath.torch on GPUs: made-up ones, or those of this machine.

ctest runs this file as the test ``PythonOnFakeDevice`` over the extension module that
``tests/python/fake_device`` is part of. With another module it takes the machine's GPUs.
"""

from __future__ import annotations

import contextlib
import gc
import os
from typing import Any

import numpy as np
import pytest
import warpath

torch = pytest.importorskip("torch", reason="needs PyTorch")

import gpus  # noqa: E402
import warpath.torch as wt  # noqa: E402
from gpus import library  # noqa: E402
from test_torch import Scene, names, points, t  # noqa: E402
from warpath.torch import devices  # noqa: E402

if gpus.are_made_up:
    gpu: Any = gpus.MadeUpGpu()
elif gpus.are_real:
    gpu = gpus.RealGpu()
else:
    assert "WARPATH_FAKE_DEVICE" not in os.environ, "the extension module has no made-up GPUs"
    pytest.skip(
        "needs a GPU, or the extension module with made-up ones: ctest -R PythonOnFakeDevice",
        allow_module_level=True,
    )

made_up_only = pytest.mark.skipif(gpus.are_real, reason="needs GPUs that are made up")


@pytest.fixture(autouse=True)
def made_up_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    if gpus.are_made_up:
        gpu.take_the_place_of_torch(monkeypatch)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene()


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("preset", ["ndtw-gain", "hamt", "babywalk-mix"])
def test_rewards_are_those_of_the_cpu(scene: Scene, preset: str, check: bool) -> None:
    rewards = wt.Rewards(**scene.arguments(preset=preset), check=check)
    rewards.warm_up("cuda:0")
    for dtype in (np.int64, np.int32, np.int16, np.uint8):
        for lengths in (None, scene.lengths):
            if lengths is None and dtype is np.uint8:
                continue
            given: dict[str, Any] = {
                "queries": (scene.rows if lengths is None else np.abs(scene.rows)).astype(dtype),
                "lengths": lengths,
                "reference": scene.reference.astype(dtype),
                "active": scene.active,
                "stopped": scene.stopped,
            }
            given = {name: None if v is None else t(v) for name, v in given.items()}
            there = {name: None if v is None else gpu.put(v) for name, v in given.items()}
            want = rewards.compute(**given, values=names)
            with contextlib.nullcontext() if check else gpu.no_waiting():
                got = rewards.compute(**there, values=names)
            for name, tensor, array in zip(want._fields, got, want):
                np.testing.assert_array_equal(gpu.read(tensor), array.numpy(), err_msg=name)
    distances = t(scene.distances)
    given = {"queries": t(scene.rows), "distance_to_goal": distances}
    given["reference"] = t(scene.reference)
    there = {name: gpu.put(v) for name, v in given.items()}
    out = gpu.put(torch.full(scene.rows.shape, 7.0))
    assert rewards.compute(**there, out=out).reward is out
    np.testing.assert_array_equal(gpu.read(out), rewards.compute(**given).reward.numpy())


def test_scores_are_those_of_the_cpu(scene: Scene) -> None:
    scorer = wt.Scorer(**scene.arguments())
    scorer.warm_up("cuda:0", pairs=40, length=scene.rows.shape[1])
    success = np.linspace(0, 1, 40, dtype=np.float32)
    given = {
        "queries": t(scene.rows),
        "reference": t(scene.reference),
        "active": t(scene.active),
        "task_success": t(success),
    }
    there = {name: gpu.put(v) for name, v in given.items()}
    for lengths in (None, t(scene.lengths)):
        want = scorer.score(lengths=lengths, **given)
        ends = None if lengths is None else gpu.put(lengths)
        with gpu.no_waiting():
            got = scorer.score(lengths=ends, **there)
        for name, column in want.items():
            np.testing.assert_array_equal(gpu.read(got[name]), column.numpy(), err_msg=name)
    some = wt.Scorer(**scene.arguments(metrics="nDTW,SR"), check=True)
    made = some.score(there["queries"], reference=there["reference"])
    want = some.score(given["queries"], reference=given["reference"])
    for name, column in want.items():
        np.testing.assert_array_equal(gpu.read(made[name]), column.numpy(), err_msg=name)


def test_points(scene: Scene) -> None:
    queries, references = points()
    rewards, scorer = wt.Rewards(), wt.Scorer(metrics="nDTW,NE,CLS")
    scorer.warm_up("cuda:0", pairs=6, length=7, reference_length=5)
    rewards.warm_up("cuda:0")
    turn = np.arange(5, -1, -1)
    for reference in (None, turn):
        given = [t(queries), t(references)]
        option = {"reference": None if reference is None else t(reference)}
        there = {"reference": None if reference is None else gpu.put(reference)}
        want = rewards.compute_points(*given, **option, values=names)
        paths = [gpu.put(array) for array in given]
        with gpu.no_waiting():
            got = rewards.compute_points(*paths, **there, values=names)
            columns = scorer.score_points(*paths, **there)
        for tensor, array in zip(got, want):
            np.testing.assert_array_equal(gpu.read(tensor), array.numpy())
        for name, column in scorer.score_points(*given, **option).items():
            np.testing.assert_array_equal(gpu.read(columns[name]), column.numpy())
    trackers = [
        wt.RewardTracker(rewards, 6, max_reference_length=5, device=d) for d in ("cpu", "cuda:0")
    ]
    steps = []
    for tracker, put in zip(trackers, (t, gpu.put)):
        tracker.reset(put(references), put(queries[:, 0]))
        steps.append([tracker.step(put(queries[:, k])) for k in range(1, 4)])
        steps[-1].append(tracker.score_extensions(put(queries[:, None, 4:]), values=["cls"]).cls)
    for want_step, got_step in zip(*steps):
        np.testing.assert_array_equal(gpu.read(got_step), want_step.numpy())


@pytest.mark.parametrize("check", [False, True])
def test_trackers_are_those_of_the_cpu(scene: Scene, check: bool) -> None:
    rewards = wt.Rewards(**scene.arguments(preset="hamt"), check=check)
    results: list[list[Any]] = []
    for device, put in (("cpu", t), ("cuda:0", gpu.put)):
        tracker = wt.RewardTracker(rewards, 40, metrics=["nDTW", "CLS"], device=device)
        tracker.warm_up()
        made: list[Any] = []
        starts = put(scene.reference), put(scene.rows[:, 0])
        moves = [
            (put(np.maximum(scene.rows[:, k], 0)), put(k < scene.lengths)) for k in range(1, 5)
        ]
        ahead = put(np.stack([scene.rows[:, 5:7], scene.rows[:, 4:6]], 1))
        copies = put(np.array([0, 2])), put(np.array([1, 0]))
        anew, episodes = put(np.array([4, 5])), put(np.array([7, 9]))
        ends = put(scene.stopped), put(scene.active)
        with gpu.no_waiting() if device != "cpu" and not check else contextlib.nullcontext():
            tracker.reset(*starts)
            for move in moves:
                made.append(tracker.step(*move))
            made += [v for v in tracker.score_extensions(ahead, values=names)]
            made += tracker.values(*names).values()
            tracker.fork(*copies)
            tracker.reset(anew, episodes=episodes)
            made.append(tracker.finish(*ends))
        state = tracker.state()
        if device != "cpu":
            gpu.wait_for(tracker.device)
            state = tracker.state()
        again = wt.RewardTracker(rewards, 40, metrics=["nDTW", "CLS"], device=device)
        again.restore(state)
        made.append(again.finish())
        results.append(made)
    for number, (want, got) in enumerate(zip(*results)):
        np.testing.assert_array_equal(gpu.read(got), want.numpy(), err_msg=str(number))


def test_returns() -> None:
    draw = np.random.default_rng(6)
    reward, value = draw.normal(size=(2, 9, 6)).astype(np.float32)
    lengths, bootstrap = draw.integers(1, 7, 9), draw.normal(size=9).astype(np.float32)
    given = [reward, lengths, value, bootstrap]
    made = []
    for put in (t, gpu.put):
        tensors = [put(array) for array in given]
        made.append(
            wt.add_up(
                *tensors[:2], value=tensors[2], bootstrap=tensors[3], discount=0.9, decay=0.8
            )
        )
    for want, got in zip(*made):
        np.testing.assert_array_equal(gpu.read(got), want.numpy())


@pytest.mark.parametrize("scale", ["std", "batch", "none"])
def test_advantages_are_those_of_the_cpu(scale: str) -> None:
    draw = np.random.default_rng(6)
    reward, active = draw.normal(size=48).astype(np.float32), draw.random(48) < 0.7
    reward[:8] = 15.93
    for options in ({"group_size": 8}, {"groups": draw.permutation(np.arange(48) % 7)}):
        made = []
        for put in (t, gpu.put):
            given = {k: put(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
            given["active"] = put(active)
            made.append(wt.group_advantages(put(reward), **given, scale=scale))
        for want, got in zip(*made):
            np.testing.assert_array_equal(gpu.read(got), want.numpy())
    lost = gpu.put(np.arange(48) * 1000 - 7000)  # of no group, but for the eighth
    made = wt.group_advantages(gpu.put(reward), groups=lost, active=gpu.put(active))
    advantage = gpu.read(made.advantage)
    np.testing.assert_array_equal(np.isnan(advantage), active & (np.arange(48) != 7))


def test_a_gpu_takes_groups_in_place_of_numbers(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    rows, number = scene.rows[np.argsort(scene.reference, kind="stable")], np.repeat(range(10), 4)
    want = rewards.compute(t(rows), reference=t(number)).reward
    got = rewards.compute(gpu.put(rows), group_size=4).reward
    np.testing.assert_array_equal(gpu.read(got), want.numpy())
    with pytest.raises(warpath.InputError, match="group_size: is 8 for 40 rollouts"):
        rewards.compute(gpu.put(rows), group_size=8)
    with pytest.raises(warpath.InputError, match="lies on cuda:0"):
        wt.group_advantages(t(np.ones(4, np.float32)), groups=gpu.put(np.zeros(4, int)))


def test_decisions_that_do_not_exist_give_nan(scene: Scene) -> None:
    reward, decision = gpu.put(np.ones((3, 4), np.float32)), np.array([[0, 0, 1, -1]] * 3)
    decision[1, 2] = 2
    sums = wt.sum_by_decision(reward, gpu.put(decision), 2)
    want = np.array([[2, 1], [np.nan] * 2, [2, 1]])
    np.testing.assert_array_equal(gpu.read(sums), want)
    spread = wt.spread_to_tokens(gpu.put(np.ones((3, 2), np.float32)), gpu.put(decision))
    np.testing.assert_array_equal(np.isnan(gpu.read(spread)[:, 0]), [False, True, False])


def test_check_finds_what_kernels_would_read_outside_of_memory(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments(), check=True)
    rows, reference = gpu.put(scene.rows), gpu.put(scene.reference)
    wrong = gpu.put(np.where(np.arange(40)[:, None] == 7, 999, scene.rows))
    with pytest.raises(warpath.InputError, match="rollout 7"):
        rewards.compute(wrong, reference=reference)
    with pytest.raises(warpath.InputError, match="rollout 0"):
        rewards.compute(rows, reference=gpu.put(scene.reference + 50))
    with pytest.raises(warpath.InputError, match="pair 7"):
        wt.Scorer(**scene.arguments(), check=True).score(wrong, reference=reference)
    tracker = wt.RewardTracker(rewards, 40, device="cuda:0")
    with pytest.raises(warpath.InputError, match="reset"):
        tracker.step(gpu.put(scene.rows[:, 0]))
    with pytest.raises(warpath.InputError, match="episode"):
        tracker.reset(gpu.put(scene.reference + 50))


def test_devices_are_told_apart(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    rows, reference = t(scene.rows), t(scene.reference)
    want = rewards.compute(rows, reference=reference).reward.numpy()
    for index in (0, 1):
        there = gpu.put(rows, index), gpu.put(reference, index)
        got = rewards.compute(there[0], reference=there[1]).reward
        assert got.device == torch.device("cuda", index)
        np.testing.assert_array_equal(gpu.read(got), want)
    with pytest.raises(warpath.InputError, match=r"reference: lies on cuda:1.*to\('cuda:0'\)"):
        rewards.compute(gpu.put(rows), reference=gpu.put(reference, 1))
    with pytest.raises(warpath.InputError, match="reference: lies on cpu"):
        rewards.compute(gpu.put(rows), reference=reference)
    with pytest.raises(warpath.InputError, match="out: lies on cpu"):
        rewards.compute(gpu.put(rows), reference=gpu.put(reference), out=torch.zeros(rows.shape))
    tracker = wt.RewardTracker(rewards, 40, device="cuda:1")
    with pytest.raises(warpath.InputError, match="references: lies on cuda:0"):
        tracker.reset(gpu.put(reference))


@made_up_only
def test_the_current_stream_is_used(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    rows, reference = gpu.put(scene.rows), gpu.put(scene.reference)
    rewards.warm_up("cuda:0")
    gpu.current = 1
    want = rewards.compute(t(scene.rows), reference=t(scene.reference)).reward.numpy()
    for _ in range(20):  # the other stream works at any time
        got = rewards.compute(rows, reference=reference).reward
        library.fake_wait(0, gpu.streams[0][1])
        np.testing.assert_array_equal(got.as_subclass(torch.Tensor).numpy(), want)
    gpu.current = 0
    tracker = wt.RewardTracker(rewards, 40, device="cuda:0")
    tracker.reset(reference)
    assert gpu.other_streams == 0
    gpu.current = 1
    tracker.finish()
    assert gpu.other_streams == 1


@made_up_only
def test_captures_need_tables_that_are_there(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    rows, reference = gpu.put(scene.rows), gpu.put(scene.reference)
    gpu.is_capturing = True
    with pytest.raises(warpath.InputError, match=r"call warm_up\('cuda:0'\) before the capture"):
        rewards.compute(rows, reference=reference)
    gpu.is_capturing = False
    rewards.warm_up("cuda:0")
    gpu.is_capturing = True
    with gpu.no_waiting():
        rewards.compute(rows, reference=reference)
    held = rewards.devices.on(torch.device("cuda:0"))
    del rewards  # cannot wait now
    gc.collect()
    assert any(held in left.values() for left in devices._left)
    gpu.is_capturing = False
    del held
    wt.Rewards(**scene.arguments()).warm_up("cuda:0")
    assert not devices._left


@pytest.mark.parametrize("check", [False, True])
def test_new_references_reach_gpus(scene: Scene, check: bool) -> None:
    rewards = wt.Rewards(**scene.arguments(preset="hamt"), check=check)
    scorer = wt.Scorer(**scene.arguments(metrics=["nDTW", "CLS"]), check=check)
    tracker = wt.RewardTracker(rewards, 40, device="cuda:0")
    rows, reference = gpu.put(scene.rows), gpu.put(scene.reference)
    rewards.compute(rows, reference=reference)
    scorer.score(rows, reference=reference)
    tracker.reset(reference, gpu.put(scene.rows[:, 0]))
    longer = [[*path, *path[::-1]] for path in scene.references]
    rewards.set_references(longer, scene.scans)
    scorer.set_references(longer, scene.scans)
    anew = wt.Rewards(**{**scene.arguments(preset="hamt"), "references": longer})
    want = anew.compute(t(scene.rows), reference=t(scene.reference)).reward.numpy()
    got = rewards.compute(rows, reference=reference).reward
    np.testing.assert_array_equal(gpu.read(got), want)
    scores = wt.Scorer(**{**scene.arguments(metrics=["nDTW", "CLS"]), "references": longer})
    for name, column in scores.score(t(scene.rows), reference=t(scene.reference)).items():
        made = scorer.score(rows, reference=reference)[name]
        np.testing.assert_array_equal(gpu.read(made), column.numpy())
    for call in (
        lambda: tracker.step(gpu.put(scene.rows[:, 0])),
        lambda: tracker.finish(),
        lambda: tracker.state(),
        lambda: tracker.reset(gpu.put(np.array([1])), episodes=gpu.put(np.array([0]))),
    ):
        with pytest.raises(warpath.InputError, match="other references; reset all episodes"):
            call()
    on_cpu = wt.RewardTracker(anew, 40)
    on_cpu.reset(t(scene.reference), t(scene.rows[:, 0]))
    tracker.reset(reference, gpu.put(scene.rows[:, 0]))
    nodes = np.maximum(scene.rows[:, 1], 0)
    got = tracker.step(gpu.put(nodes))
    np.testing.assert_array_equal(gpu.read(got), on_cpu.step(t(nodes)).numpy())


@made_up_only
@pytest.mark.parametrize("kind", [wt.Rewards, wt.Scorer])
def test_a_captured_graph_keeps_its_references(scene: Scene, kind: Any) -> None:
    rewards = kind(**scene.arguments())
    rows, reference = gpu.put(scene.rows), gpu.put(scene.reference)
    call = rewards.compute if kind is wt.Rewards else rewards.score
    rewards.set_references(scene.references, scene.scans)
    warm_up = {} if kind is wt.Rewards else {"pairs": 40, "length": scene.rows.shape[1]}
    rewards.warm_up("cuda:0", **warm_up)
    gpu.is_capturing = True
    with gpu.no_waiting():
        call(rows, reference=reference)
    gpu.is_capturing = False
    with pytest.raises(warpath.UsageError, match="a CUDA graph was captured"):
        rewards.set_references(scene.references[:3], scene.scans[:3])
    assert rewards.references == 10


@made_up_only
def test_objects_wait_for_their_kernels_before_they_go(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    got = rewards.compute(gpu.put(scene.rows), reference=gpu.put(scene.reference)).reward
    want = rewards.compute(t(scene.rows), reference=t(scene.reference)).reward
    before = gpu.waits
    del rewards
    gc.collect()
    assert gpu.waits == before + 1
    np.testing.assert_array_equal(got.as_subclass(torch.Tensor).numpy(), want.numpy())


def test_empty_batches(scene: Scene) -> None:
    rewards, scorer = wt.Rewards(**scene.arguments()), wt.Scorer(**scene.arguments())
    for shape in ((0, 5), (0, 0), (3, 0)):
        rows = gpu.put(torch.zeros(shape, dtype=torch.int64))
        reference = gpu.put(torch.zeros(shape[:1], dtype=torch.int64))
        assert gpu.read(rewards.compute(rows, reference=reference).reward).shape == shape
        column = gpu.read(scorer.score(rows, reference=reference)["PL"])
        assert column.shape == shape[:1] and np.isnan(column).all()


def test_paths_without_elements_have_no_values(scene: Scene) -> None:
    rewards, scorer = wt.Rewards(**scene.arguments()), wt.Scorer(**scene.arguments())
    lengths = np.where(np.arange(40) == 3, 0, scene.lengths)
    given = gpu.put(np.abs(scene.rows)), gpu.put(lengths)
    made = rewards.compute(*given, reference=gpu.put(scene.reference), values=["ndtw"])
    assert (gpu.read(made.reward)[3] == 0).all()
    scores = scorer.score(*given, reference=gpu.put(scene.reference))
    for name, column in scores.items():
        assert np.isnan(gpu.read(column)[3]), name

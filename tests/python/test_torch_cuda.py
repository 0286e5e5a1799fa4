"""warpath.torch on this machine's GPU: what a made-up one cannot show."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

torch = pytest.importorskip("torch", reason="needs PyTorch")

import gpus  # noqa: E402
import warpath.torch as wt  # noqa: E402
from test_torch import Scene, names, points, t  # noqa: E402

if not gpus.are_real:
    pytest.skip("needs a GPU", allow_module_level=True)

presets = ["ndtw-gain", "hamt", "cls-gain", "babywalk-mix"]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene()


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


class Training(Scene):
    """The batch of a trainer: 4,096 rollouts of up to 40 moves."""

    def __init__(self, count: int = 4096, moves: int = 40) -> None:
        super().__init__()
        maze = Maze(seed=3, scans=5, size=150)
        self.references, _, self.scans = maze.pairs(300)
        self.graphs = maze.graphs
        self.reference = maze.draw.integers(300, size=count)
        scans = [self.scans[r] for r in self.reference]
        self.rows = padded([maze.walk(s, int(maze.draw.integers(moves + 1))) for s in scans])
        self.lengths = (self.rows >= 0).sum(1)
        self.active = maze.draw.random(count) < 0.9
        self.stopped = maze.draw.random(count) < 0.7


@pytest.fixture(scope="module")
def training() -> Training:
    return Training()


def cuda(array: Any) -> Any:
    return t(array).cuda()


def equal(got: Any, want: Any, what: str = "") -> None:
    assert got.is_cuda
    np.testing.assert_array_equal(got.cpu().numpy(), want.numpy(), err_msg=what)


def rollouts(scene: Scene, put: Callable[[Any], Any]) -> dict[str, Any]:
    return {
        "queries": put(scene.rows),
        "lengths": put(scene.lengths),
        "reference": put(scene.reference),
        "active": put(scene.active),
    }


@pytest.mark.parametrize("preset", presets)
def test_rewards_of_a_trainers_batch(training: Training, preset: str) -> None:
    rewards = wt.Rewards(**training.arguments(preset=preset))
    made = [
        rewards.compute(**rollouts(training, put), stopped=put(training.stopped), values=names)
        for put in (t, cuda)
    ]
    for name, want, got in zip(made[0]._fields, *made):
        equal(got, want, name)


@pytest.mark.parametrize("count", [4096, 40000])  # kernels with groups of threads, and with tiles
def test_scores_of_a_trainers_batch(count: int) -> None:
    training = Training(count, 20)
    scorer = wt.Scorer(**training.arguments())
    want, got = (scorer.score(**rollouts(training, put)) for put in (t, cuda))
    assert set(want) == set(got)
    for name, column in want.items():
        equal(got[name], column, name)


@pytest.mark.parametrize("preset", presets)
def test_trackers_of_a_trainers_batch(training: Training, preset: str) -> None:
    rewards = wt.Rewards(**training.arguments(preset=preset))
    made = []
    for put in (t, cuda):
        reference, rows, lengths = map(put, (training.reference, training.rows, training.lengths))
        tracker = wt.RewardTracker(
            rewards, len(reference), metrics=["nDTW", "CLS"], device=rows.device
        )
        tracker.reset(reference, rows[:, 0].contiguous())
        of_steps = [
            tracker.step(rows[:, k].contiguous(), k < lengths) for k in range(1, rows.shape[1])
        ]
        of_steps += [tracker.finish(put(training.stopped)), *tracker.values(*names).values()]
        made.append(of_steps)
    for number, (want, step) in enumerate(zip(*made)):
        equal(step, want, str(number))


def test_work_is_in_the_order_of_the_current_stream(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    scorer = wt.Scorer(**scene.arguments(metrics="nDTW"))
    want = rewards.compute(**rollouts(scene, t)).reward
    want_score = scorer.score(**rollouts(scene, t))["nDTW"]
    rows = cuda(scene.rows)
    there = rollouts(scene, cuda)
    rewards.warm_up()
    big = torch.randn(4096, 4096, device="cuda")
    torch.cuda.synchronize()
    for stream in (torch.cuda.Stream(), torch.cuda.current_stream()):
        there["queries"] = torch.zeros_like(rows)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            for _ in range(20):
                big @ big  # keeps the stream busy until the calls below are queued
            there["queries"].copy_(rows)
            made = rewards.compute(**there).reward.clone()
            score = scorer.score(**there)["nDTW"].clone()
        stream.synchronize()
        equal(made, want)
        equal(score, want_score)


def calls_to_capture(scene: Scene) -> dict[str, Callable[[dict[str, Any]], list[Any]]]:
    """Calls that a graph may hold, by name; each returns its tensors."""
    rewards = wt.Rewards(**scene.arguments(preset="hamt"))
    scorer = wt.Scorer(**scene.arguments())
    rewards.warm_up()
    scorer.warm_up(pairs=40, length=scene.rows.shape[1])
    trackers = {
        device: wt.RewardTracker(rewards, 40, device=device) for device in ("cpu", "cuda")
    }
    for tracker in trackers.values():
        tracker.warm_up()

    def episode(given: dict[str, Any]) -> list[Any]:
        rows, lengths = given["queries"], given["lengths"]
        tracker = trackers[rows.device.type]
        tracker.reset(given["reference"], rows[:, 0].contiguous())
        steps = [tracker.step(rows[:, k].contiguous(), k < lengths) for k in range(1, 4)]
        return [*steps, tracker.finish()]

    def returns(given: dict[str, Any]) -> list[Any]:
        made = rewards.compute(**given).reward
        return list(wt.add_up(made, given["lengths"], discount=0.9))

    def advantages(given: dict[str, Any]) -> list[Any]:
        total = rewards.compute(**given).reward[:, 0].contiguous()  # torch's sums round elsewhere
        return [v.float() for v in wt.group_advantages(total, group_size=8, ddof=0)]

    return {
        "Rewards": lambda given: [v for v in rewards.compute(**given, values=names)],
        "Scorer": lambda given: list(scorer.score(**given).values()),
        "RewardTracker": episode,
        "add_up": returns,
        "group_advantages": advantages,
    }


@pytest.mark.parametrize("name", ["Rewards", "Scorer", "RewardTracker", "add_up", "group_advantages"])
def test_a_captured_graph_scores_what_lies_there_at_its_launch(scene: Scene, name: str) -> None:
    call = calls_to_capture(scene)[name]
    there = rollouts(scene, cuda)
    call(there)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = call(there)
    turn = np.roll(np.arange(40), 7)
    for order in (np.arange(40), turn):
        given = rollouts(scene, lambda array: t(array[order]))
        for key, tensor in given.items():
            there[key].copy_(tensor)
        graph.replay()
        torch.cuda.synchronize()
        want = call(given)
        assert len(want) == len(made)
        for number, (got, expected) in enumerate(zip(made, want)):
            equal(got, expected, str(number))


def test_captures_need_tables_that_are_there(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    there = rollouts(scene, cuda)
    with pytest.raises(warpath.InputError, match=r"call warm_up\('cuda:0'\) before the capture"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            rewards.compute(**there)
    torch.cuda.synchronize()
    rewards.warm_up()
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        rewards.compute(**there)
    with pytest.raises(warpath.UsageError, match="a CUDA graph was captured"):
        rewards.set_references(scene.references[:3], scene.scans[:3])
    equal(rewards.compute(**there).reward, rewards.compute(**rollouts(scene, t)).reward)


def test_an_object_may_go_while_its_kernels_run(scene: Scene) -> None:
    there = rollouts(scene, cuda)
    want = wt.Rewards(**scene.arguments()).compute(**rollouts(scene, t)).reward
    for _ in range(20):
        equal(wt.Rewards(**scene.arguments()).compute(**there).reward, want)


def test_threads_with_streams_of_their_own(training: Training) -> None:
    rewards = wt.Rewards(**training.arguments())
    want = rewards.compute(**rollouts(training, t)).reward
    there = rollouts(training, cuda)
    torch.cuda.synchronize()
    wrong: list[int] = []

    def work() -> None:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(20):
                made = rewards.compute(**there).reward
                stream.synchronize()
                wrong.append(int((made.cpu() != want).sum()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 80 and not any(wrong)


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled_code(scene: Scene, mode: str) -> None:
    if not hasattr(torch.library, "custom_op"):
        pytest.skip("needs torch 2.4: no torch.library.custom_op")
    rewards = wt.Rewards(**scene.arguments())
    scorer = wt.Scorer(**scene.arguments(metrics="SR,nDTW"))

    def loss(rows: Any, lengths: Any, reference: Any) -> Any:
        made = rewards.compute(rows, lengths, reference=reference, values=["ndtw"])
        scores = scorer.score(rows, lengths, reference=reference)
        summed = wt.add_up(made.reward, lengths, discount=0.9)
        return made.reward * 2, made.ndtw, scores["nDTW"] + scores["SR"], summed.returns

    arrays = (scene.rows, scene.lengths, scene.reference)
    want = loss(*map(t, arrays))
    there = [cuda(array) for array in arrays]
    loss(*there)  # uploads tables
    run = torch.compile(loss, mode=mode, fullgraph=True)
    for _ in range(4):  # graphs are recorded in the second call
        for number, (got, expected) in enumerate(zip(run(*there), want)):
            equal(got, expected, str(number))


def test_points_on_a_gpu() -> None:
    queries, references = points()
    rewards, scorer = wt.Rewards(), wt.Scorer(metrics="nDTW,NE,CLS")
    for want, got in zip(
        rewards.compute_points(t(queries), t(references), values=names),
        rewards.compute_points(cuda(queries), cuda(references), values=names),
    ):
        equal(got, want)
    want = scorer.score_points(t(queries), t(references))
    for name, column in scorer.score_points(cuda(queries), cuda(references)).items():
        equal(column, want[name], name)


def test_arrays_of_other_libraries(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    want = rewards.compute(**rollouts(scene, t)).reward
    there = rollouts(scene, cuda)
    cupy = pytest.importorskip("cupy", reason="needs CuPy")
    given = {key: cupy.asarray(value) for key, value in there.items()}
    equal(rewards.compute(**given).reward, want)
    back = cupy.from_dlpack(rewards.compute(**given).reward)  # on the current streams of both
    np.testing.assert_array_equal(cupy.asnumpy(back), want.numpy())


def test_a_wrong_viewpoint_is_found_by_check(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments(), check=True)
    there = rollouts(scene, cuda)
    there["queries"][7, 0] = 999
    with pytest.raises(warpath.InputError, match="rollout 7"):
        rewards.compute(**{**there, "active": None})
    there["queries"][7, 0] = 0
    rewards.compute(**there)

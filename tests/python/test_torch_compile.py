"""warpath.torch under torch.compile: whole graphs, the values of direct calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warpath

torch = pytest.importorskip("torch", reason="needs PyTorch")
if not hasattr(torch.library, "custom_op"):
    pytest.skip("needs torch 2.4: no torch.library.custom_op", allow_module_level=True)

import warpath.torch as wt  # noqa: E402
from test_torch import Scene, names, points, t  # noqa: E402
from warpath.torch import operators  # noqa: E402


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene()


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


@pytest.fixture(scope="module", params=["eager", "aot_eager", "inductor"])
def backend(request: Any) -> str:
    name: str = request.param
    try:
        torch.compile(lambda x: x + 1, backend=name)(torch.zeros(2))
    except torch._dynamo.exc.BackendCompilerFailed as error:
        pytest.skip(f"no C++ compiler and headers for {name}: {str(error).splitlines()[0]}")
    return name


def compiled(function: Any, backend: str = "aot_eager") -> Any:
    return torch.compile(function, backend=backend, fullgraph=True)


def equal(got: Any, want: Any) -> None:
    np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_whole_graphs_have_the_values_of_calls(scene: Scene, backend: str) -> None:
    rewards = wt.Rewards(**scene.arguments())
    scorer = wt.Scorer(**scene.arguments(metrics="SR,nDTW"))

    def loss(rows: Any, lengths: Any, reference: Any, active: Any) -> Any:
        made = rewards.compute(rows, lengths, reference=reference, active=active, values=["ndtw"])
        scores = scorer.score(rows, lengths, reference=reference)
        summed = wt.add_up(made.reward, lengths, discount=0.9)
        first = summed.returns[:, 0].clone()  # inductor's own sums may round otherwise
        compared = wt.group_advantages(first, groups=reference, active=active)
        by_decision = wt.sum_by_decision(made.reward, rows % 3, 3)
        spread = wt.spread_to_tokens(by_decision, rows % 3)
        sums = summed.returns, *compared, by_decision, spread
        return made.reward * 2, made.ndtw, scores["nDTW"] + scores["SR"], *sums

    given = [t(a) for a in (scene.rows, scene.lengths, scene.reference, scene.active)]
    for got, want in zip(compiled(loss, backend)(*given), loss(*given)):
        equal(got, want)
    out = torch.zeros(scene.rows.shape)
    write = compiled(lambda rows, index: rewards.compute(rows, reference=index, out=out), backend)
    write(given[0], given[2])
    equal(out, rewards.compute(given[0], reference=given[2]).reward)


def test_points_in_whole_graphs() -> None:
    rewards, scorer = wt.Rewards(), wt.Scorer(metrics="nDTW")
    queries, references = map(t, points())

    def call(queries: Any, references: Any) -> Any:
        made = rewards.compute_points(queries, references, values=names)
        return made.reward, made.cls, scorer.score_points(queries, references)["nDTW"]

    for got, want in zip(compiled(call)(queries, references), call(queries, references)):
        equal(got, want)


def test_trackers_keep_the_order_of_their_calls(scene: Scene, backend: str) -> None:
    rewards = wt.Rewards(**scene.arguments())

    def episode(tracker: Any, references: Any, rows: Any, lengths: Any) -> Any:
        tracker.reset(references, rows[:, 0].contiguous())
        made = []
        for k in range(1, 4):
            made.append(tracker.step(rows[:, k].contiguous(), k < lengths))
            made.append(tracker.finish())
            made.append(tracker.values("ndtw")["ndtw"])
        ahead = tracker.score_extensions(rows[:, None, 4:6].contiguous(), values=["ndtw"])
        tracker.fork(references[:1], references[1:2])
        return [*made, ahead.reward, tracker.finish()]

    given = [t(a) for a in (scene.reference, scene.rows, scene.lengths)]
    want = episode(wt.RewardTracker(rewards, 40), *given)
    tracker = wt.RewardTracker(rewards, 40)
    run = compiled(lambda *tensors: episode(tracker, *tensors), backend)
    for _ in range(2):
        for got, expected in zip(run(*given), want):
            equal(got, expected)


def test_operators_are_right(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    scorer = wt.Scorer(**scene.arguments(metrics="SR,nDTW"))
    rows, reference = t(scene.rows), t(scene.reference)
    torch.library.opcheck(
        operators.rewards, (rewards._number, rows, None, reference, 0, *[None] * 5, "ndtw,cls")
    )
    torch.library.opcheck(operators.scores, (scorer._number, rows, None, reference, None, None))
    tracker = wt.RewardTracker(rewards, 40)
    tracker.reset(reference)
    torch.library.opcheck(operators.tracker_finish, (tracker._number, tracker.memory, None, None))


def test_errors_name_the_argument(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    run = compiled(lambda rows: rewards.compute(rows).reward)
    with pytest.raises(warpath.InputError, match="queries: is float32"):
        run(t(scene.rows).float())


def test_objects_that_are_gone_are_missed(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    number = rewards._number
    del rewards
    with pytest.raises(warpath.UsageError, match="gone"):
        operators.rewards(number, t(scene.rows), None, None, 0, *[None] * 5, "")

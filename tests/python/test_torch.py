"""warpath.torch over CPU tensors: the values of NumPy, checks of tensors, other libraries."""

from __future__ import annotations

import copy
import gc
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

torch = pytest.importorskip("torch", reason="needs PyTorch")
import warpath.torch as wt  # noqa: E402

names = ["distance_to_goal", "ndtw", "cls"]


class Scene:
    """Rollouts on two scans, as arrays and as tensors."""

    def __init__(self) -> None:
        maze = Maze(seed=21, scans=2)
        self.references, _, self.scans = maze.pairs(10)
        self.graphs = maze.graphs
        self.reference = np.arange(40) % 10
        draw = maze.draw
        self.walks = [maze.walk(self.scans[r], int(draw.integers(1, 9))) for r in self.reference]
        self.rows = padded(self.walks)
        self.lengths = np.array([len(walk) for walk in self.walks])
        self.active = np.arange(40) % 3 != 0
        self.stopped = np.arange(40) % 4 != 0
        self.distances = draw.uniform(0, 9, self.rows.shape).astype(np.float32)

    def arguments(self, **settings: Any) -> dict[str, Any]:
        return {
            "graphs": self.graphs,
            "references": self.references,
            "scans": self.scans,
            **settings,
        }


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene()


def t(array: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(array))


def points(seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    queries, references = draw.normal(size=(6, 7, 3)), draw.normal(size=(6, 5, 3))
    queries[0, 4:], references[2, 3:] = np.nan, np.nan
    return queries.astype(np.float32), references.astype(np.float32)


def same(tensor: Any, array: Any) -> None:
    assert isinstance(tensor, torch.Tensor)
    np.testing.assert_array_equal(tensor.numpy(), array)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("preset", ["ndtw-gain", "hamt", "cls-gain", "babywalk-mix"])
def test_rewards_are_those_of_arrays(scene: Scene, preset: str) -> None:
    on_arrays = warpath.Rewards(**scene.arguments(preset=preset))
    on_tensors = wt.Rewards(**scene.arguments(preset=preset))
    options = {"reference": scene.reference, "active": scene.active, "stopped": scene.stopped}
    for lengths in (None, scene.lengths.astype(np.int32), scene.lengths.astype(np.uint8)):
        for distances in (None, scene.distances):
            options["distance_to_goal"] = distances
            want = on_arrays.compute(scene.rows, lengths, values=names, **options)
            given = {name: None if v is None else t(v) for name, v in options.items()}
            rows = t(np.abs(scene.rows).astype(np.int16) if lengths is not None else scene.rows)
            got = on_tensors.compute(
                rows, None if lengths is None else t(lengths), values=names, **given
            )
            for name, tensor, array in zip(want._fields, got, want):
                assert tensor.dtype is torch.float32
                np.testing.assert_array_equal(tensor.numpy(), array, err_msg=name)
    out = torch.full(scene.rows.shape, 7.0)
    reference = t(scene.reference)
    made = on_tensors.compute(t(scene.rows), reference=reference, values=["cls"], out=out)
    assert made.reward is out and made.ndtw is None and made.cls is not None
    same(out, on_arrays.compute(scene.rows, reference=scene.reference).reward)


def test_scores_are_those_of_the_scorer(scene: Scene) -> None:
    metrics = "SR,SPL,nDTW,CLS,NE"
    on_lists = warpath.Scorer(scene.graphs, metrics=metrics, backend="cpu")
    chosen = [scene.references[r] for r in scene.reference]
    want = on_lists.score(chosen, scene.walks, [scene.scans[r] for r in scene.reference])
    on_tensors = wt.Scorer(**scene.arguments(metrics=metrics))
    reference, active = t(scene.reference), t(scene.active)
    for lengths in (None, t(scene.lengths)):
        got = on_tensors.score(t(scene.rows), lengths, reference=reference)
        assert list(got) == metrics.split(",")
        some = on_tensors.score(t(scene.rows), lengths, reference=reference, active=active)
        for name, column in got.items():
            same(column, want[name].astype(np.float32))
            same(some[name], np.where(scene.active, column.numpy(), np.nan).astype(np.float32))
    out = torch.zeros(5, 40)
    assert on_tensors.score(t(scene.rows), reference=reference, out=out)["SR"].data_ptr() == (
        out.data_ptr()
    )
    none = on_tensors.score(t(scene.rows), reference=reference, active=torch.zeros(40).bool())
    assert all(column.isnan().all() for column in none.values())
    success = np.linspace(0, 1, 40, dtype=np.float32)
    sdtw = wt.Scorer(**scene.arguments(metrics="SDTW"))
    weighed = sdtw.score(t(scene.rows), reference=reference, task_success=t(success))["SDTW"]
    np.testing.assert_allclose(weighed.numpy(), success * got["nDTW"].numpy(), atol=1e-6)
    assert "steps" not in wt.Scorer(**scene.arguments()).metrics


def test_points() -> None:
    queries, references = points()
    rewards, on_tensors = warpath.Rewards(), wt.Rewards()
    want = rewards.compute_points(queries, references, values=names)
    got = on_tensors.compute_points(t(queries), t(references), values=names)
    for tensor, array in zip(got, want):
        same(tensor, array)
    scores = warpath.Scorer(metrics="nDTW,NE", backend="cpu").score(references, queries)
    made = wt.Scorer(metrics="nDTW,NE").score_points(t(queries), t(references))
    for name in scores:
        same(made[name], scores[name].astype(np.float32))
    turned = wt.Scorer(metrics="NE").score_points(
        t(queries), t(references), reference=torch.arange(5, -1, -1)
    )
    assert not np.array_equal(turned["NE"].numpy(), made["NE"].numpy())
    tracker = wt.RewardTracker(on_tensors, 6, max_reference_length=5)
    tracker.reset(t(references), t(queries[:, 0]))
    for k in range(1, 4):
        same(tracker.step(t(queries[:, k])), want.reward[:, k - 1])
    paths = t(np.stack([queries[:, 4:6], queries[:, 4:6]], 1))
    found = tracker.score_extensions(paths, values=["ndtw"])
    assert found.ndtw is not None and want.ndtw is not None
    np.testing.assert_array_equal(found.ndtw[1:, 1].numpy(), want.ndtw[1:, 5])
    assert found.ndtw[0].isnan().all()


def test_trackers_give_the_bits_of_finished_rollouts(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    reference = t(scene.reference)
    want = rewards.compute(t(scene.rows), reference=reference, values=["ndtw"])
    tracker = wt.RewardTracker(rewards, 40)
    tracker.reset(reference, t(scene.rows[:, 0]))
    for k in range(1, scene.rows.shape[1]):
        active = t(k < scene.lengths)
        reward = tracker.step(t(scene.rows[:, k]), active)
        same(reward, np.where(active, want.reward[:, k - 1].numpy(), 0))
        if k == 2:
            state = tracker.state()
            tracker = wt.RewardTracker(rewards, 40)
            tracker.restore(state)
    last = (np.arange(40), scene.lengths - 1)
    out = torch.zeros(40)
    assert tracker.finish(out=out) is out
    same(out, want.reward.numpy()[last])
    assert want.ndtw is not None
    same(tracker.values("ndtw")["ndtw"], want.ndtw.numpy()[last])
    tracker.fork(torch.tensor([0]), torch.tensor([1]))
    assert tracker.values("ndtw")["ndtw"][0] == tracker.values("ndtw")["ndtw"][1]
    tracker.reset(torch.tensor([3]), episodes=torch.tensor([5]))
    same(tracker.finish(mask=torch.zeros(40).bool()), np.zeros(40))


def test_returns(scene: Scene) -> None:
    draw = np.random.default_rng(6)
    reward, value = draw.normal(size=(2, 9, 6)).astype(np.float32)
    lengths, bootstrap = draw.integers(1, 7, 9), draw.normal(size=9).astype(np.float32)
    options = {"discount": 0.9, "decay": 0.8}
    want = warpath.rewards.add_up(reward, lengths, value=value, bootstrap=bootstrap, **options)
    got = wt.add_up(t(reward), t(lengths), value=t(value), bootstrap=t(bootstrap), **options)
    for tensor, array in zip(got, want):
        same(tensor, array)


def test_objects_are_pickled_and_copied(scene: Scene) -> None:
    for make in (wt.Rewards, wt.Scorer):
        first = make(**scene.arguments())
        for again in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
            call = "compute" if make is wt.Rewards else "score"
            one, two = (
                getattr(thing, call)(t(scene.rows), reference=t(scene.reference))
                for thing in (first, again)
            )
            one, two = (one.reward, two.reward) if make is wt.Rewards else (one["PL"], two["PL"])
            same(one, two.numpy())
    with pytest.raises(warpath.UsageError, match="state"):
        pickle.dumps(wt.RewardTracker(wt.Rewards(**scene.arguments()), 2))


def test_nothing_is_kept_after_calls(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    rows, reference = t(scene.rows), t(scene.reference)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        rewards.compute(rows, reference=reference, values=names)
    gc.collect()
    assert len(gc.get_objects()) - before < 20


# ---------------------------------------------------------------- checks


def test_tensors_that_cannot_be_used_are_refused(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    good = {
        "queries": t(scene.rows),
        "lengths": t(scene.lengths),
        "reference": t(scene.reference),
        "active": t(scene.active),
        "stopped": t(scene.stopped),
        "distance_to_goal": t(scene.distances),
    }
    rewards.compute(**good)
    change: Callable[[Any], Any]
    for name, change, message in [
        ("queries", lambda x: x.float(), r"queries: is float32.*give integers: queries.long\(\)"),
        ("queries", lambda x: x[:, ::2], r"queries: has the strides.*queries.contiguous\(\)"),
        ("queries", lambda x: x.t(), r"strides.*contiguous|shape"),
        ("queries", lambda x: x[0], "queries: is int64.*2 dimensions"),
        ("queries", lambda x: x.to("meta"), r"queries: lies on meta; give queries.to\('cuda'\)"),
        ("queries", lambda x: x.to_sparse(), "queries: is a tensor of layout torch.sparse_coo"),
        ("queries", lambda x: x.tolist(), "queries: is a list; give a tensor"),
        ("lengths", lambda x: x[:3], r"lengths: is int64\[3\]; give a tensor of shape \[40\]"),
        ("lengths", lambda x: x.double(), "lengths: is float64.*lengths.long"),
        ("lengths", lambda x: x * 0, "rollout 1"),
        ("lengths", lambda x: x + 50, "rollout 1"),
        ("lengths", lambda x: x - 50, "rollout 1"),
        ("reference", lambda x: x.to("meta"), r"reference: lies on meta.*reference.to\('cpu'\)"),
        ("reference", lambda x: x + 50, "rollout 1"),
        ("active", lambda x: x.float(), r"active: is float32.*active.bool\(\)"),
        ("stopped", lambda x: x.long(), "stopped: is int64"),
        ("distance_to_goal", lambda x: x.double(), r"give float32: distance_to_goal.float\(\)"),
        ("distance_to_goal", lambda x: x.requires_grad_(), r"distance_to_goal.detach\(\)"),
        ("distance_to_goal", lambda x: x[:, :3], "distance_to_goal: is float32"),
        ("distance_to_goal", lambda x: torch.complex(x, x).conj().imag, "strides|resolve_neg"),
        ("out", lambda _: torch.zeros(scene.rows.shape, dtype=torch.float64), "out: is float64"),
        ("out", lambda _: torch.zeros(3, 3), r"out: is float32\[3, 3\]; give a tensor of shape"),
        ("out", lambda _: np.zeros(scene.rows.shape, np.float32), "out: is a ndarray"),
        ("out", lambda _: torch.zeros(scene.rows.shape).requires_grad_(), "out: requires grad"),
    ]:
        value = good[name].clone() if name in good else None
        with pytest.raises(warpath.InputError, match=message):
            rewards.compute(**{**good, name: change(value)})
    with pytest.raises(warpath.UsageError, match="nDTV"):
        rewards.compute(**good, values=["nDTV"])
    assert rewards.compute(**good, values=["nDTW"]).ndtw is not None
    with pytest.raises(warpath.InputError, match="resolve_neg"):
        wt.Scorer(**scene.arguments(metrics="SDTW")).score(
            good["queries"],
            reference=good["reference"],
            task_success=torch.zeros(40)._neg_view(),
        )


def test_trackers_refuse_too(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    tracker = wt.RewardTracker(rewards, 2)
    number = torch.tensor([0, 0])
    for call, message in [
        (lambda: tracker.step(number), "reset"),
        (lambda: tracker.step(number.float()), "nodes: is float32"),
        (lambda: tracker.step(number[:1]), "nodes"),
        (lambda: tracker.reset(number - 1), "names reference -1 of"),
        (lambda: tracker.reset(number + 99), "reference"),
        (lambda: tracker.restore(torch.zeros(3, dtype=torch.uint8)), "state"),
        (lambda: tracker.restore(torch.zeros(3)), "state: is float32"),
        (lambda: tracker.fork(number, number + 7), "episode"),
        (lambda: wt.RewardTracker(wt.Rewards(), 2), "references"),
        (lambda: wt.RewardTracker(rewards, 2, device="meta"), "device"),
    ]:
        with pytest.raises(warpath.InputError, match=message):
            call()


def test_scorers_refuse_what_tensors_cannot_have(scene: Scene) -> None:
    for settings, message in [
        ({"metrics": "SR,steps"}, "steps"),
        ({"repeats": "collapse"}, "repeats"),
        ({"references": None}, "references"),
    ]:
        with pytest.raises(warpath.UsageError, match=message):
            wt.Scorer(**scene.arguments(**settings))
    scorer = wt.Scorer(**scene.arguments())
    with pytest.raises(warpath.InputError, match="pair 3: names reference 10 of 10"):
        scorer.score(t(scene.rows), reference=t(np.where(np.arange(40) == 3, 10, 0)))
    with pytest.raises(warpath.InputError, match="reference"):
        scorer.score(t(scene.rows))  # 40 queries, 10 references
    with pytest.raises(warpath.InputError, match="pair 5"):
        scorer.score(t(np.where(np.arange(40)[:, None] == 5, 999, 0)), reference=t(scene.reference))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_machine_without_gpu_says_so(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    for device in ("cuda:0", "cuda"):
        with pytest.raises(warpath.InputError, match="device: is cuda:0, and torch finds no GPU"):
            rewards.warm_up(device)
        with pytest.raises(warpath.InputError, match="no GPU"):
            wt.RewardTracker(rewards, 2, device=device)


# ---------------------------------------------------------------- other libraries


def test_arrays_of_other_libraries(scene: Scene) -> None:
    rewards = wt.Rewards(**scene.arguments())
    want = rewards.compute(t(scene.rows), reference=t(scene.reference)).reward
    same(rewards.compute(scene.rows, reference=scene.reference).reward, want.numpy())
    fixed = scene.rows.copy()
    fixed.flags.writeable = False
    try:  # newer versions of torch take arrays that may not be written to
        same(rewards.compute(fixed, reference=scene.reference).reward, want.numpy())
    except warpath.InputError as error:
        assert re.search("queries: is a ndarray.*give a tensor, or a writ", str(error))
    jnp = pytest.importorskip("jax.numpy", reason="needs JAX")
    jax = pytest.importorskip("jax")
    cpu = jax.devices("cpu")[0]
    rows, reference = (jax.device_put(array, cpu) for array in (scene.rows, scene.reference))
    same(rewards.compute(rows, reference=reference).reward, want.numpy())
    active = jax.device_put(scene.active, cpu)
    flags = active.view(jnp.uint8)
    some = rewards.compute(rows, reference=reference, active=flags).reward
    same(some, want.numpy() * scene.active[:, None])
    np.testing.assert_array_equal(jnp.from_dlpack(want), want.numpy())
    # Without torch.
    on_arrays = warpath.Rewards(**scene.arguments())
    made = on_arrays.compute(rows, reference=reference, active=active).reward
    np.testing.assert_array_equal(made[scene.active], want.numpy()[scene.active])
    scorer = warpath.Scorer(scene.graphs, metrics="nDTW", backend="cpu")
    chosen = padded([scene.references[r] for r in scene.reference])
    scans = [scene.scans[r] for r in scene.reference]
    np.testing.assert_array_equal(
        scorer.score(jax.device_put(chosen, cpu), rows, scans)["nDTW"],
        scorer.score(chosen, scene.rows, scans)["nDTW"],
    )

"""Scores against references that stay: arrays, tensors, and what both share."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded

metrics = "SR,SPL,nDTW,CLS,NE"


class Scene:
    """Rollouts on two scans."""

    def __init__(self) -> None:
        maze = Maze(seed=31, scans=2)
        self.references, _, self.scans = maze.pairs(10)
        self.graphs = maze.graphs
        self.reference = np.arange(40) % 10
        of = [self.scans[r] for r in self.reference]
        self.walks = [maze.walk(scan, int(maze.draw.integers(1, 9))) for scan in of]
        self.rows = padded(self.walks)
        self.lengths = np.array([len(walk) for walk in self.walks])
        self.active = np.arange(40) % 3 != 0
        self.want = warpath.Scorer(self.graphs, metrics=metrics, backend="cpu").score(
            [self.references[r] for r in self.reference], self.walks, of
        )

    def scorer(self, **settings: Any) -> warpath.ReferenceScorer:
        given = {"metrics": metrics, **settings}
        return warpath.ReferenceScorer(self.graphs, self.references, self.scans, **given)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint16, np.int8])
def test_scores_are_those_of_the_scorer(scene: Scene, dtype: type) -> None:
    scorer = scene.scorer()
    assert scorer.metrics == metrics.split(",") and scorer.references == 10
    rows, lengths = np.abs(scene.rows).astype(dtype), scene.lengths.astype(dtype)
    made = scorer.score(rows, lengths, reference=scene.reference.astype(dtype))
    some = scorer.score(rows, lengths, reference=scene.reference, active=scene.active)
    for name, column in made.items():
        np.testing.assert_array_equal(column, scene.want[name].astype(np.float32))
        np.testing.assert_array_equal(some[name], np.where(scene.active, column, np.nan))
    ended = scorer.score(scene.rows, reference=scene.reference)  # rows end before the first -1
    np.testing.assert_array_equal(ended["nDTW"], made["nDTW"])
    out = np.zeros((5, 40), np.float32)
    assert scorer.score(scene.rows, reference=scene.reference, out=out)["SR"].base is out
    np.testing.assert_array_equal(out[2], made["nDTW"])


def test_task_success_replaces_sr(scene: Scene) -> None:
    success = np.linspace(0, 1, 40)
    scorer = scene.scorer(metrics="SDTW")
    made = scorer.score(scene.rows, reference=scene.reference, task_success=success)["SDTW"]
    want = success.astype(np.float32) * scene.want["nDTW"]
    np.testing.assert_allclose(made, want, rtol=1e-6, atol=1e-7)


def test_points() -> None:
    draw = np.random.default_rng(4)
    queries, references = draw.normal(size=(6, 7, 3)), draw.normal(size=(6, 5, 3))
    queries[0, 4:], references[2, 3:] = np.nan, np.nan
    queries, references = queries.astype(np.float32), references.astype(np.float32)
    scorer = warpath.ReferenceScorer(metrics="nDTW,NE")
    want = warpath.Scorer(metrics="nDTW,NE", backend="cpu").score(references, queries)
    for name, column in scorer.score_points(queries, references).items():
        np.testing.assert_array_equal(column, want[name].astype(np.float32))
    turn = np.arange(5, -1, -1)
    turned = scorer.score_points(queries, references[turn], reference=turn)
    np.testing.assert_array_equal(turned["NE"], want["NE"].astype(np.float32))


def test_tensors_and_arrays_take_turns(scene: Scene) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    scorer = scene.scorer()
    rewards = warpath.Rewards(scene.graphs, scene.references, scene.scans)
    rows, reference = torch.from_numpy(scene.rows), torch.from_numpy(scene.reference)
    for references in (scene.references, [path[::-1] for path in scene.references]):
        scorer.set_references(references, scene.scans)
        rewards.set_references(references, scene.scans)
        want = scorer.score(scene.rows, reference=scene.reference)
        made = scorer.score(rows, reference=reference)
        for name, column in made.items():
            assert isinstance(column, torch.Tensor)
            np.testing.assert_array_equal(column.numpy(), want[name])
        reward = rewards.compute(rows, reference=reference).reward
        assert isinstance(reward, torch.Tensor)
        expected = rewards.compute(scene.rows, reference=scene.reference).reward
        np.testing.assert_array_equal(reward.numpy(), expected)
        for device in (None, "cpu"):
            tracker = warpath.RewardTracker(rewards, 40, device=device)
            put = np.asarray if device is None else torch.from_numpy
            tracker.reset(put(scene.reference), put(scene.rows[:, 0].copy()))
            step = tracker.step(put(np.maximum(scene.rows[:, 1], 0)), put(scene.lengths > 1))
            np.testing.assert_array_equal(
                np.asarray(step), np.where(scene.lengths > 1, expected[:, 0], 0)
            )


def test_pickles_make_the_same_scorer(scene: Scene) -> None:
    scorer = pickle.loads(pickle.dumps(scene.scorer()))
    made = scorer.score(scene.rows, reference=scene.reference)
    np.testing.assert_array_equal(made["nDTW"], scene.want["nDTW"].astype(np.float32))


def test_what_cannot_be_scored_is_refused(scene: Scene) -> None:
    scorer = scene.scorer()
    rows, reference = scene.rows, scene.reference
    for arguments, message in [
        ({"queries": rows}, "reference: is not given for 40 rows of 10 references"),
        ({"queries": rows, "reference": reference + 1}, "pair 9: names reference 10 of 10"),
        ({"queries": rows, "reference": reference[:3]}, r"reference: is an array int64\[3\]"),
        ({"queries": np.where(rows == rows[5, 0], 999, rows)}, "reference: is not given"),
        ({"queries": rows.astype(float), "reference": reference}, "queries: is float64"),
        ({"queries": rows[:, :0], "reference": reference}, "rows without elements"),
        ({"queries": rows, "lengths": scene.lengths * 0}, "reference: is not given"),
        ({"queries": rows, "lengths": scene.lengths - 99, "reference": reference}, "pair 0: has a"),
        ({"queries": rows, "lengths": scene.lengths + 99, "reference": reference}, "pair 0: has a"),
        ({"queries": rows, "reference": reference, "out": np.zeros((5, 40))}, "out: is float64"),
        ({"queries": rows, "reference": reference, "task_success": [1.0]}, "task_success"),
    ]:
        with pytest.raises(warpath.InputError, match=message):
            scorer.score(**arguments)
    wrong = rows.copy()
    wrong[5, 0] = 999
    with pytest.raises(warpath.InputError, match="pair 5: names viewpoint 999 of 30, at position 0"):
        scorer.score(wrong, reference=reference)
    only_others = np.arange(40) != 5
    scorer.score(wrong, reference=reference, active=only_others)
    with pytest.raises(warpath.InputError, match="pair 0: has the coordinate inf"):
        warpath.ReferenceScorer(metrics="NE").score_points([[[0.0, 0, np.inf]]], [[[0.0, 0, 0]]])
    for settings, message in [({"metrics": "SR,steps"}, "steps"), ({"repeats": "collapse"}, "repe")]:
        with pytest.raises(warpath.UsageError, match=message):
            scene.scorer(**settings)
    with pytest.raises(warpath.UsageError, match="graphs need references"):
        warpath.ReferenceScorer(scene.graphs)

"""Rewards of continuous rollouts by distances over a navigation mesh."""

from __future__ import annotations

import json
import pathlib
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
import warpath
from warpath._core import run_program

Floats: TypeAlias = npt.NDArray[np.float32]

corpus = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "navmesh"
presets = ["goal", "ndtw-gain", "vlnce-waypoint", "dc-vln", "etp-r1-r2r", "budvln", "babywalk-mix"]
names = ["distance_to_goal", "ndtw", "cls"]
# Seen from above, a way leads around the corner at x = z = 4; beyond x = 20 lies an island.
references = np.array(
    [[[1, 0, 3], [4, 0, 4], [5, 0, 7]], [[5, 0, 1], [7, 0, 3], [7, 0, 7]]], np.float32
)


def measured(mesh: warpath.NavMesh, paths: Floats, goals: Floats) -> Floats:
    ends = goals.repeat(paths.shape[1], axis=0)
    return mesh.distance(paths.reshape(-1, 3), ends).reshape(paths.shape[:2])


@pytest.fixture(scope="module")
def rollouts(mesh: warpath.NavMesh) -> dict[str, Any]:
    """Four rollouts of each reference, from its start, with the distances to its end."""
    draw = np.random.default_rng(4)
    paths = draw.uniform([0, 0, 0], [8, 0.2, 8], (8, 6, 3)).astype(np.float32)
    paths[..., 2] -= np.where((paths[..., 0] < 4) & (paths[..., 2] > 4), 4, 0)  # onto the mesh
    paths[:, 0] = references[:, 0].repeat(4, axis=0)
    metres = measured(mesh, paths, references[:, -1].repeat(4, axis=0))
    assert np.isfinite(metres).all()
    straight = np.linalg.norm(paths - references[:, -1].repeat(4, axis=0)[:, None], axis=2)
    assert (metres > straight + 0.1).any()
    return {"paths": paths, "metres": metres, "stopped": np.arange(8) % 3 > 0}


@pytest.mark.parametrize("preset", presets)
def test_all_forms_have_the_same_bits(rollouts: dict[str, Any], preset: str) -> None:
    paths, metres, stopped = rollouts.values()
    rewards = warpath.Rewards(preset=preset)
    given: dict[str, Any] = {"stopped": stopped, "distance_to_goal": metres, "values": names}
    made = rewards.compute_points(paths, references, group_size=4, **given)
    assert made.distance_to_goal is not None
    assert np.array_equal(made.distance_to_goal, metres)
    if preset == "goal":
        np.testing.assert_allclose(
            made.reward[:, :-1].sum(1), metres[:, 0] - metres[:, -1], atol=1e-6
        )
        assert np.array_equal(made.reward[:, -1], np.where(metres[:, -1] <= 3, 1, -1))
    each = references.repeat(4, axis=0)
    for got, want in zip(rewards.compute_points(paths, each, **given), made):
        assert got is not None and want is not None and np.array_equal(got, want)
    if preset == "babywalk-mix":  # its end takes the last move's place
        return
    tracker = warpath.RewardTracker(rewards, 8, max_reference_length=3, metrics=["nDTW", "CLS"])
    tracker.reset(each, paths[:, 0], distance_to_goal=metres[:, 0])
    for t in range(1, 6):
        move = tracker.step(paths[:, t], distance_to_goal=metres[:, t])
        is_replaced = ~stopped & (t == 5) & (preset == "budvln")
        assert np.array_equal(move[~is_replaced], made.reward[~is_replaced, t - 1])
        assert np.array_equal(tracker.values("distance_to_goal")["distance_to_goal"], metres[:, t])
    end = tracker.finish(stopped)
    column = np.where(~stopped & (preset == "budvln"), made.reward[:, 4], made.reward[:, 5])
    assert np.array_equal(end, column)


def test_tensors_have_the_same_bits(rollouts: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    paths, metres, stopped = rollouts.values()
    given: dict[str, Any] = {"stopped": stopped, "distance_to_goal": metres}
    want = warpath.Rewards().compute_points(paths, references, group_size=4, **given)
    tensors = {name: torch.from_numpy(array) for name, array in given.items()}
    made = warpath.Rewards().compute_points(
        torch.from_numpy(paths), torch.from_numpy(references), group_size=4, **tensors
    )
    assert np.array_equal(np.asarray(made.reward), want.reward)


def test_files_have_the_same_bits(
    rollouts: dict[str, Any], mesh: warpath.NavMesh, tmp_path: pathlib.Path
) -> None:
    paths, metres, stopped = rollouts.values()
    episodes = [
        {
            "episode_id": str(k),
            "scene_id": "mp3d/s1/s1.glb",
            "start_position": path[0],
            "goals": [{"position": path[-1]}],
            "reference_path": path,
        }
        for k, path in enumerate(references.astype(float).tolist())
    ]
    entries = [
        {
            "episode_id": str(k // 4),
            "path": [{"position": p, "stop": False} for p in path[:-1]]
            + [{"position": path[-1], "stop": bool(stopped[k])}],
        }
        for k, path in enumerate(paths.astype(float).tolist())
    ]
    (tmp_path / "s1.navmesh").write_bytes((corpus / "version_2.navmesh").read_bytes())
    (tmp_path / "d.json").write_text(json.dumps({"episodes": episodes}))
    (tmp_path / "agent.json").write_text(json.dumps(entries))
    for preset in presets:
        out = tmp_path / f"{preset}.jsonl"
        files = [str(tmp_path / name) for name in ("d.json", "agent.json", "s1.navmesh")]
        words = ["--dataset", *files[:2], "--navmesh", files[2], "--jsonl", str(out), "--quiet"]
        code = run_program(
            ["warpath", "rewards", *words, "--reward", preset, "--duplicates", "each"]
        )
        assert code == 0
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        made = warpath.Rewards(preset=preset).compute_points(
            paths, references, group_size=4, stopped=stopped, distance_to_goal=metres, values=names
        )
        for key, want in (("reward", made.reward), ("ndtw", made.ndtw), ("cls", made.cls)):
            assert want is not None
            assert np.array_equal(np.array([line[key] for line in lines], np.float32), want)
        assert [line["stopped"] for line in lines] == stopped.tolist()


def test_an_infinite_distance_has_no_gain(mesh: warpath.NavMesh) -> None:
    path = np.array([[[1, 0, 3], [21, 0, 1], [4, 0, 4]]], np.float32)
    metres = measured(mesh, path, references[:1, -1])
    assert np.isinf(metres).tolist() == [[False, True, False]]
    made = warpath.Rewards(preset="goal").compute_points(
        path, references[:1], distance_to_goal=metres
    )
    assert np.isnan(made.reward[0, :2]).all() and made.reward[0, 2] == -1
    replaced = warpath.Rewards(preset="goal", without_goal=-1).compute_points(
        path, references[:1], distance_to_goal=metres
    )
    assert replaced.reward.tolist() == [[-1, -1, -1]]


@pytest.mark.parametrize(
    ("distances", "problem"),
    [
        (np.zeros((8, 5), np.float32), "distance_to_goal"),
        (np.zeros(8, np.float32), "distance_to_goal"),
        (np.zeros((8, 6), np.complex64), "distance_to_goal"),
        ("far", "distance_to_goal"),
    ],
)
def test_distances_of_another_form_are_refused(
    rollouts: dict[str, Any], distances: Any, problem: str
) -> None:
    with pytest.raises(warpath.InputError, match=problem):
        warpath.Rewards().compute_points(
            rollouts["paths"], references, group_size=4, distance_to_goal=distances
        )

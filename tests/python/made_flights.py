"""A made flight in the form of each drone benchmark, for tests and for docs/drones.md."""

from __future__ import annotations

import json
import pathlib
from typing import Any

# The reference flies 60 m, then climbs 20 m. The agent cuts the corner and ends 12 m short and
# 16.5 m low: 12 m away on the map, 20.4 m in space.
REFERENCE = [[0.0, 0.0, 10.0], [30.0, 0.0, 10.0], [60.0, 0.0, 10.0], [60.0, 0.0, 30.0]]
FLOWN = [[0.0, 0.0, 10.0], [24.0, 0.0, 10.0], [48.0, 0.0, 13.5]]


def write(path: pathlib.Path, value: Any) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def aerialvln(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    episode = {
        "episode_id": "f1",
        "trajectory_id": "t1",
        "scene_id": 24,
        "instruction": {"instruction_text": "Fly to the tower."},
        "start_position": REFERENCE[0],
        "start_rotation": [1.0, 0.0, 0.0, 0.0],
        "goals": [{"position": REFERENCE[-1]}],
        "reference_path": [[*point, 0.0, 0.0, 0.0] for point in REFERENCE],
    }
    info = {
        "trajectory": [[*point, 0.0, 0.0, 0.0, 1.0] for point in FLOWN],
        "done": True,
        "is_collisioned": False,
        "success": 1.0,
        "oracle_success": 1.0,
    }
    return (
        write(folder / "stats.json", {"f1": info}),
        write(folder / "val_seen.json", {"episodes": [episode]}),
    )


def citynav(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    item = {
        "area": "cambridge",
        "block": "3",
        "object_ids": [12],
        "ann_ids": [0],
        "descriptions": ["Fly to the tower."],
        "trajectory": [[*point, 0.0, 0.0] for point in REFERENCE],
        "target_positions": [REFERENCE[-1]],
        "dist_marker_to_target": 5.0,
    }
    logs = {
        "metrics": {},
        "trajectory_logs": {"('cambridge_block_3', 12, 0)": [[*point, 0.0] for point in FLOWN]},
    }
    return write(folder / "logs.json", logs), write(folder / "citynav_val_seen.json", [item])


def openfly(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    item = {
        "image_path": "env_airsim_16/made_0",
        "gpt_instruction": "Fly to the tower.",
        "action": [],
        "pos": REFERENCE,
        "yaw": [0.0] * len(REFERENCE),
    }
    flown = {"actions": [1, 1], "positions": [[*point, 0.0] for point in FLOWN]}
    return write(folder / "flown.json", {"0": flown}), write(folder / "eval_test.json", [item])


def openuav(folder: pathlib.Path, prefix: str = "success_") -> tuple[pathlib.Path, pathlib.Path]:
    detailed = [{"position": point, "orientation": [0, 0, 0, 1]} for point in REFERENCE]
    flight = folder / "data/Carla_Town01/seq1"
    write(flight / "merged_data.json", {"trajectory_raw_detailed": detailed})
    results = folder / "results"
    write(results / f"{prefix}seq1/ori_info.json", {"ori_traj_dir": "data/Carla_Town01/seq1"})
    for k, point in enumerate(FLOWN):
        log = {"sensors": {"state": {"position": point}}}
        write(results / f"{prefix}seq1/log/{k:06}.json", log)
    return results, folder / "data"


def indooruav(
    folder: pathlib.Path, ending: str = "no_more_instructions"
) -> tuple[pathlib.Path, pathlib.Path]:
    write(
        folder / "posture/gibson_1/made00/traj_-1/posture.json",
        [[*point, 90.0] for point in REFERENCE],
    )
    flown = {
        "episode_key": "/gibson_1/made00/traj_-1/instruction.json",
        "trajectory": [[*point, 1.5] for point in FLOWN],
        "termination_reason": ending,
    }
    write(folder / "flown/trajectories/_gibson_1_made00.json", flown)
    return folder / "flown", folder / "posture"

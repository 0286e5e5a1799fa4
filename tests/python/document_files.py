"""Makes every file that the commands of README.md and docs/ name: see document_commands.py.

It needs the standard library and NumPy only, so that scripts/test-wheel can use it, too.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import made_flights
import numpy as np
from made_scores import made_scores
from made_traces import MadeTrace

# Runs warpath with these arguments.
Warpath = Callable[..., object]
HERE = pathlib.Path(__file__).parent

# A way around the corner of the mesh of tests/fuzz/corpus/navmesh, and an agent that takes it.
AROUND = [[1.0, 0.0, 3.0], [4.0, 0.0, 4.0], [5.0, 0.0, 7.0]]
WALKED = [[1.0, 0.0, 3.0], [3.0, 0.0, 3.5], [4.0, 0.0, 4.0], [5.0, 0.0, 6.5]]
# Panoramas of one street, from its first to its last.
STREET = ["p1", "p2", "p3", "p4"]


def write(file: pathlib.Path, value: Any) -> None:
    """Writes text as it is, other values as JSON; packed where the name ends in .gz."""
    text = value if isinstance(value, str) else json.dumps(value)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def table(rows: list[dict[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def r2r(folder: pathlib.Path, *agents: str, split: str = "val_seen", path_id: int = 0) -> None:
    """The synthetic agents of `warpath demo` as R2R's files; the first item is of `path_id`."""
    demo = folder / "build/demo"
    shutil.copytree(demo / "graphs", folder / "connectivity", dirs_exist_ok=True)
    text = (demo / "dataset.json").read_text()
    entries = json.loads(text)
    first = str(entries[0]["path_id"])
    entries[0]["path_id"] = path_id
    write(folder / f"R2R_{split}.json", entries)
    for agent, name in zip(agents, ("noisy", "follower", "shortest")):
        predictions = json.loads((demo / f"{name}.json").read_text())
        for prediction in predictions:
            path, _, instruction = prediction["instr_id"].partition("_")
            if path == first:
                prediction["instr_id"] = f"{path_id}_{instruction}"
        write(folder / agent, predictions)


def demo_entries(folder: pathlib.Path, count: int) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / "build/demo/dataset.json").read_text())
    return entries[:count]


def episodes(folder: pathlib.Path, split: str, count: int = 2, first: int = 4) -> None:
    """VLN-CE's episodes in one house, whose mesh and grid are written beside."""
    made = [
        {
            "episode_id": k,
            "trajectory_id": k,
            "scene_id": "mp3d/house/house.glb",
            "start_position": AROUND[0],
            "start_rotation": [0, 0, 0, 1],
            "goals": [{"position": AROUND[-1], "radius": 3.0}],
            "info": {"geodesic_distance": 6.32},
            "reference_path": AROUND,
            "instruction": {"instruction_text": "Go around the corner."},
        }
        for k in range(first, first + count)
    ]
    write(folder / f"{split}.json.gz", {"episodes": made})
    mesh = folder / "data/scene_datasets/mp3d/house/house.navmesh"
    mesh.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE.parent / "fuzz/corpus/navmesh/version_2.navmesh", mesh)
    for scan, file in (("house", folder / "grids/house.json"), ("lab", folder / "lab.json")):
        free = {"scan": scan, "resolution": 0.5, "origin": [0, 0], "up": "y", "free": f"{scan}.npy"}
        write(file, free)
        np.save(file.with_suffix(".npy"), np.ones((16, 48), np.uint8))


def walked(count: int = 2, first: int = 4) -> dict[str, Any]:
    """An agent's positions on the episodes."""
    last = len(WALKED) - 1
    path = [{"position": p, "heading": 0.0, "stop": k == last} for k, p in enumerate(WALKED)]
    return {str(k): path for k in range(first, first + count)}


def given_distances(folder: pathlib.Path, warpath: Warpath, agent: str) -> None:
    meshes = "--navmesh", "data/scene_datasets/mp3d"
    warpath("distances", "--dataset", "val_unseen.json.gz", *meshes, agent, "--out", "d.json")


# ------------------------------------------------------------------ a function for each document


def nothing(folder: pathlib.Path, warpath: Warpath) -> None:
    """The files of `warpath demo` are enough."""


def evaluators(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder, "preds.json", split="val_unseen_enc")


def baselines(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder)
    r2r(folder, split="train")


def pictures(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder, "my_agent.json", path_id=4332)
    r2r(folder, "ours.json", "theirs.json", path_id=4332)
    r2r(folder, "hamt.json", "duet.json", split="val_unseen")
    files = "--graphs", "connectivity", "--dataset", "R2R_val_unseen.json", "--preset", "r2r"
    for agent in ("hamt", "duet"):
        warpath("eval", *files, f"{agent}.json", "--json", f"{agent}_results.json", "--items")


def rewards(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder, "agent.json", path_id=4259)


def rewards_of_episodes(folder: pathlib.Path, warpath: Warpath) -> None:
    episodes(folder, "val_unseen")
    write(folder / "agent.json", walked())
    given_distances(folder, warpath, "agent.json")


def aggregate(folder: pathlib.Path, warpath: Warpath) -> None:
    dumped = {"distance_to_goal": 0.5, "success": 1.0, "oracle_success": 1.0, "spl": 0.9}
    dumped |= {"path_length": 7.0, "ndtw": 0.8}
    for rank in range(4):
        infos = {str(k): dumped for k in range(rank, 12, 4)}
        write(folder / f"stats_ep_ckpt_0_val_unseen_r{rank}_w4.json", infos)
    result = {"success": 1.0, "spl": 0.9, "os": 1.0, "ne": 0.5, "steps": 30}
    of_episode = [{"scene_id": "house", "episode_id": k, **result} for k in range(1839)]
    write(folder / "result.json", lines(of_episode))
    for k in range(3):
        write(folder / f"log/stats_{k}.json", {"id": k, **dumped})


def aggregate_of_programs(folder: pathlib.Path, warpath: Warpath) -> None:
    measured = {"success": True, "spl": 0.9, "distance_to_goal": 0.5, "oracle_success": True}
    for k, run in ((1, 0), (1, 1), (2, 0), (2, 1)):
        run_of = {"id": str(k), **measured, "path_length": 7.0}
        write(folder / f"results/r2r/log/stats_{k}_{run}.json", run_of)
    info = {"success": 1.0, "spl": 0.9, "distance_to_goal": 0.5, "path_length": 7.0}
    infos = {str(k): {**info, "ndtw": 0.8, "collisions": {"count": k}} for k in (1, 2)}
    write(folder / "infos.json", infos)
    write(folder / "collision_num_val_unseen.json", {"1": 1, "2": 0})
    for k in (0, 1):
        following = {"following_rate": 0.5, "following_step": 5, "total_step": 10}
        write(
            folder / f"exp_results/results/s/{k}.json",
            {"success": 1.0, "collision": 0.0, "status": "Normal", "finish": True, **following},
        )
        write(folder / f"exp_results/track_episode_step/s/{k}.json", {"total_step": 12})
    short_flight(folder, "trajectories", "data")


def short_flight(folder: pathlib.Path, flown: str, data: str) -> None:
    """A short flight of IndoorUAV, which the agent cuts short."""
    flight = "gibson_1/made/traj_1"
    postures = [[float(k), 0.0, 1.0, 0.0] for k in range(4)]
    key = {"episode_key": f"/{flight}/vla_ins_1.json", "success": True}
    name = flight.replace("/", "_")
    write(folder / flown / f"_{name}.json", {**key, "trajectory": postures[:3]})
    instruction = {"instruction": "Fly on.", "source": [1, 4]}
    write(folder / data / "vla_ins" / flight / "vla_ins_1.json", instruction)
    write(folder / data / "without_screenshot" / flight / "posture.json", postures)


def aggregate_recomputed(folder: pathlib.Path, warpath: Warpath) -> None:
    episodes(folder, "val_unseen")
    measured = {"success": 1.0, "spl": 0.9, "distance_to_goal": 0.5}
    write(
        folder / "result.json",
        lines([{"episode_id": k, **measured, "path": WALKED} for k in (4, 5)]),
    )
    given_distances(folder, warpath, "result.json")


def submissions(folder: pathlib.Path, warpath: Warpath) -> None:
    soon(folder, "SOON_test.json", "soon_test.json")
    r2r(folder, "duet_test.json", split="test")
    episodes(folder, "test_challenge_guide", count=3)
    with gzip.open(folder / "test_challenge_guide.json.gz", "rt") as stream:
        guide = json.load(stream)
    for k, episode in enumerate(guide["episodes"]):
        episode["instruction"] |= {
            "instruction_id": 100 + k,
            "language": ("en-US", "hi-IN", "te-IN")[k],
        }
    write(folder / "test_challenge_guide.json.gz", guide)
    write(folder / "positions.json", walked(count=3))


def ndh(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder)
    made = [
        {
            "inst_idx": k,
            "scan": entry["scan"],
            "player_path": entry["path"],
            "planner_path": entry["path"],
            "end_panos": [entry["path"][-1]],
        }
        for k, entry in enumerate(demo_entries(folder, 3))
    ]
    write(folder / "NDH_val_seen.json", made)
    agent = [
        {"inst_idx": m["inst_idx"], "trajectory": [[v, 0, 0] for v in m["player_path"]]}
        for m in made
    ]
    write(folder / "agent.json", agent)


def rxr(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder)
    entries = demo_entries(folder, 3)
    languages = "en-US", "hi-IN", "te-IN"
    keys = [
        {
            "instruction_id": k,
            "path_id": k,
            "scan": e["scan"],
            "language": language,
            "path": e["path"],
        }
        for k, (e, language) in enumerate(zip(entries, languages))
    ]
    guide = [{**key, "instruction": "Follow the path."} for key in keys]
    write(folder / "rxr_val_seen_guide.jsonl.gz", lines(guide))
    write(folder / "rxr_val_seen_follower.jsonl.gz", lines(keys))
    (graph,) = (folder / "connectivity").glob("*_connectivity.json")
    viewpoints = json.loads(graph.read_text())
    rows = []
    for k, viewpoint in enumerate(viewpoints):
        x, y, z = (viewpoint["pose"][at] for at in (3, 7, 11))
        rows.append(f"P  {viewpoint['image_id']}  {k} 0  {x} {y} {z}  0 0 0 0 0\n")
    house = f"ASCII 1.1\nH  -  -  {len(rows)} 0\n" + "".join(rows)
    write(folder / f"scans/{graph.name.removesuffix('_connectivity.json')}.house", house)


def reverie(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder)
    made, agent = [], []
    for k, entry in enumerate(demo_entries(folder, 3)):
        place = f"{entry['scan']}_{entry['path'][-1]}"
        keys = {"path_id": k, "scan": entry["scan"], "path": entry["path"]}
        made.append({"id": f"{k}_7", "objId": 7, **keys, "instructions": ["Find the lamp."]})
        seen = {"7": {"name": "lamp", "visible_pos": [3], "bbox2d": [[1, 2, 3, 4]]}}
        write(folder / f"BBox/{place}.json", {place: seen})
        steps = [[viewpoint, 0, 0] for viewpoint in entry["path"]]
        agent.append({"instr_id": f"{k}_7_0", "trajectory": steps, "predObjId": 7})
    write(folder / "REVERIE_val_seen.json", made)
    write(folder / "my_agent.json", agent)


def soon(folder: pathlib.Path, dataset: str, agent: str) -> None:
    r2r(folder)
    made, predictions = [], []
    for k, entry in enumerate(demo_entries(folder, 3)):
        corners = {
            f"{side}_{end}": {"heading": 0.1 + 0.1 * across, "elevation": 0.1 * up}
            for side, up in (("top", 1), ("bottom", -1))
            for end, across in (("left", -1), ("right", 1))
        }
        target = {
            f"{end}_{side}": v for name, v in corners.items() for side, end in [name.split("_")]
        }
        box = {"image_id": entry["path"][-1], "heading": 0.1, "elevation": 0.0}
        box["target"] = {**target, "center": {"heading": 0.1, "elevation": 0.0}}
        keys = {"instr_id": k, "scan": entry["scan"], "path": [entry["path"]]}
        made.append({**keys, "bboxes": [box], "instructions": ["Find the lamp."]})
        found = {
            "path": [[v, 0, 0] for v in entry["path"]],
            "obj_heading": [0.016],
            "obj_elevation": [0.5],
        }
        predictions.append({"instr_id": k, "trajectory": [found]})
    write(folder / dataset, made)
    write(folder / agent, predictions)


def soon_val_seen(folder: pathlib.Path, warpath: Warpath) -> None:
    soon(folder, "SOON_val_seen.json", "my_agent.json")


def touchdown(folder: pathlib.Path, warpath: Warpath) -> None:
    nodes = [f"{pano},{90 * k},40.{75 + k},-73.99\n" for k, pano in enumerate(STREET)]
    links = [f"{a},0,{b}\n{b},180,{a}\n" for a, b in zip(STREET, STREET[1:])]
    write(folder / "graph/nodes.txt", "".join(nodes))
    write(folder / "graph/links.txt", "".join(links))
    route = {"route_id": 7, "route_panoids": STREET, "start_heading": 0, "navigation_text": "Go."}
    write(folder / "dev.json", lines([route]))
    walk = {"idx": "7", "gold_pano_path": STREET, "agent_pano_path": STREET[:3]}
    write(folder / "results.json", {"instances": {"7": walk}})


def tours(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder, "submit.json")
    made: dict[str, list[list[str]]] = {}
    for entry in demo_entries(folder, 900):
        if entry["path"][0] == entry["path"][-1]:  # its tour would have no t-SR
            continue
        ids = [f"{entry['path_id']}_{k}" for k in range(len(entry["instructions"]))]
        made.setdefault(entry["scan"], []).append(ids)
    write(folder / "tours_iVLN.json", {"val_seen": made})
    for name, points in (("gt_ndtw", AROUND), ("dtw_data_ckpt_0_val_unseen", WALKED)):
        tour = [
            {"position": point, "phase": "agent", "episode_id": episode}
            for episode in ("1", "2")
            for point in points
        ]
        records = {"0": tour}
        write(folder / f"{name}.json", {"val_unseen": records} if name == "gt_ndtw" else records)


def continuous(folder: pathlib.Path, warpath: Warpath) -> None:
    episodes(folder, "val_seen")
    episodes(folder, "val_unseen")
    dense = [[1.0, 0.0, 3.0], [2.5, 0.0, 3.5], [4.0, 0.0, 4.0], [4.5, 0.0, 5.5], [5.0, 0.0, 7.0]]
    truth = {str(k): {"locations": dense, "forward_steps": 20, "actions": []} for k in (4, 5)}
    write(folder / "val_seen_gt.json.gz", truth)
    write(folder / "agent.json", walked())
    pair = {"id": "k", "scan": "lab", "reference": AROUND, "prediction": WALKED}
    write(folder / "pairs.jsonl", lines([pair]))


def drones(folder: pathlib.Path, warpath: Warpath) -> None:
    stats, _ = made_flights.aerialvln(folder)
    stats.rename(folder / "stats_ckpt_0_val_seen.json")
    made_flights.citynav(folder)
    target = {"position": made_flights.REFERENCE[-1]}
    write(folder / "objects.json", {"cambridge_block_3": {"12": target}})
    made_flights.openfly(folder)
    results, data = made_flights.openuav(folder / "uav")
    results.rename(folder / "results_uav")
    (folder / "results").mkdir()
    (folder / "results_uav").rename(folder / "results/agent")
    data.rename(folder / "TravelUAV_data")
    made_flights.indooruav(folder)
    (folder / "posture").rename(folder / "without_screenshot")
    (folder / "flown/trajectories").rename(folder / "results/trajectories")
    short_flight(folder, "shared_folder/trajectories", "data")


def fill_in(folder: pathlib.Path) -> None:
    """Ranks the queries of a study as people do between `study make` and `study score`."""
    form = folder / "study/answers.csv"
    rows = list(csv.DictReader(io.StringIO(form.read_text())))
    for k, row in enumerate(rows):
        letters = np.random.default_rng(k).permutation(list("abcde"))
        row |= {str(rank): str(letter) for rank, letter in enumerate(letters, 1)}
    write(form, table(rows))


def correlate(folder: pathlib.Path, warpath: Warpath) -> None:
    for name, rows in zip(("attempts.csv", "scores.csv"), made_scores()):
        write(folder / name, table(rows))


def traces(folder: pathlib.Path, warpath: Warpath) -> None:
    r2r(folder)
    shutil.copy(folder / "R2R_val_seen.json", folder / "dataset.json")
    (graph,) = (folder / "connectivity").glob("*_connectivity.json")
    shutil.copy(graph, folder / "connectivity.json")
    (folder / "followers").mkdir()
    attempts = []
    for k, entry in enumerate(demo_entries(folder, 2)):
        made = MadeTrace([(v, 30.0 * n, 0.0) for n, v in enumerate(entry["path"])])
        made.npz(folder / f"followers/{k}.npz")
        keys = {"trace": f"{k}.npz", "instruction": f"{entry['path_id']}_0", "system": "people"}
        attempts.append({**keys, "split": "val_seen", "annotator": "1", "quality": 4, "words": 3})
    shutil.copy(folder / "followers/0.npz", folder / "000000_follower_pose_trace.npz")
    write(folder / "attempts.csv", table(attempts))
    write(folder / "attempts.jsonl", lines(attempts))


def compatibility(folder: pathlib.Path, warpath: Warpath) -> None:
    draw = np.random.default_rng(0)
    np.save(folder / "instructions.npy", draw.normal(size=(6, 8)))
    np.save(folder / "trajectories.npy", draw.normal(size=(3, 8)))
    np.save(folder / "match.npy", np.arange(6) % 3)
    np.save(folder / "good.npy", np.arange(6) % 2)
    write(folder / "ids.csv", table([{"instruction": k, "system": "s0"} for k in range(6)]))

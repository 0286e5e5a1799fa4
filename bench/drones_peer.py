#!/usr/bin/env python3
"""Times `warpath eval --preset aerialvln`, from files to a table of items, beside a Python loop of
the form of AerialVLN's evaluator (AirVLN src/vlnce_src/env.py), in one run, by
processor time.

  bench/drones_peer.py WARPATH [--flights N]     needs NumPy; fastdtw adds nDTW

Without fastdtw the loop leaves nDTW out, and warpath computes it all the same. Exit code 1 where a
value differs by more than 1e-9."""

import argparse
import csv
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

try:
    from fastdtw import fastdtw
except ImportError:
    fastdtw = None


def distance(a, b):
    return np.linalg.norm(np.array(b) - np.array(a), ord=2)


def make(folder, flights):
    """Writes flights of some 50 moves of 5 m, with noise, and returns the two files."""
    draw = np.random.default_rng(3)
    episodes, results = [], {}
    for k in range(flights):
        moves = draw.normal(size=(int(draw.integers(30, 70)), 3)) * [5, 5, 1]
        path = np.round(np.cumsum(moves, axis=0), 3)
        flown = np.round(path + draw.normal(size=path.shape) * 3, 3)
        flown[0] = path[0]
        episodes.append(
            {
                "episode_id": str(k),
                "trajectory_id": str(k),
                "scene_id": k % 17,
                "start_position": path[0].tolist(),
                "goals": [{"position": path[-1].tolist()}],
                "reference_path": np.hstack([path, np.zeros_like(path)]).tolist(),
            }
        )
        poses = np.hstack([flown, np.zeros((len(flown), 3)), np.ones((len(flown), 1))])
        results[str(k)] = {"trajectory": poses.tolist(), "done": True, "is_collisioned": False}
    files = folder / "val.json", folder / "results.json"
    for file, content in zip(files, ({"episodes": episodes}, results)):
        file.write_text(json.dumps(content))
    return files


def by_loop(dataset, results):
    """Returns NE, SR, PL and nDTW by item, as the evaluator's measures do step by step."""
    flown = json.loads(results.read_text())
    scores = {}
    for episode in json.loads(dataset.read_text())["episodes"]:
        poses = flown[episode["episode_id"]]["trajectory"]
        goal = episode["goals"][0]["position"]
        last, error, length, visited = None, 0.0, 0.0, []
        for pose in poses:
            position = pose[:3]
            if last is None or not np.allclose(last, position, atol=1):
                error, last = distance(position[:2], goal[:2]), position
            if visited:
                length += distance(visited[-1], position)
            visited.append(position)
        ndtw = None
        if fastdtw is not None:
            kept = [p for k, p in enumerate(visited) if k == 0 or p != visited[k - 1]]
            reference = [pose[:3] for pose in episode["reference_path"]]
            cost = fastdtw(kept, reference, dist=distance)[0]
            ndtw = np.exp(-cost / (len(reference) * 20))
        scores[episode["episode_id"]] = (error, float(error <= 20), length, ndtw)
    return scores


def timed(call):
    """Returns the processor time of a call and of the programs that it runs."""
    def now():
        return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])

    begin = now()
    found = call()
    return now() - begin, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("warpath")
    parser.add_argument("--flights", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dataset, results = make(folder, arguments.flights)
        table = folder / "items.csv"
        is_compiled = fastdtw is not None and fastdtw.__module__.endswith("_fastdtw")
        build = "fast-compiled:1" if is_compiled else "fast:1"
        command = [arguments.warpath, "eval", "--preset", "aerialvln", "--dtw", build]
        command += ["--dataset", dataset, results, "--csv", table]
        ours = min(
            timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))[0]
            for _ in range(3)
        )
        theirs, scores = timed(lambda: by_loop(dataset, results))
        wrong = 0
        lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
        for row in csv.DictReader(lines):
            for metric, value in zip(("NE", "SR", "PL", "nDTW"), scores[row["instr_id"]]):
                wrong += int(value is not None and abs(float(row[metric]) - value) > 1e-9)
    ratio = theirs / ours
    print(f"warpath {ours:.3f} s, loop {theirs:.2f} s, {ratio:.0f} x; {wrong} values differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times `warpath eval --preset aerialvln`, from files to a table of items, beside a Python loop of
what AerialVLN's evaluator computes (AirVLN src/vlnce_src/env.py, update_measurements), in one run.

  bench/drones_peer.py WARPATH [--flights N] [--timed N] [--stepped N]   needs NumPy and fastdtw

The loop reads the same files, goes over the poses and takes NE, ONE, SR, SPL, SoftSPL, OracleSPL,
PL, OSR and steps at each, as the evaluator does after each action. The evaluator calls fastdtw
after each action, too, of which the last one counts. So the loop is timed twice: with fastdtw once
a flight, on the first --timed flights, and at each pose, on the first --stepped flights; times are
scaled to all. The three SPLs are of distances in space, which warpath's are not, so they are
computed and not compared. Exit code 1 where another value differs by more than 1e-9."""

import argparse
import csv
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import typing

import numpy as np
from fastdtw import fastdtw


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


class Flight:
    """Holds the measures of a flight, which change from pose to pose."""

    def __init__(self, episode, each_step):
        self.goal = episode["goals"][0]["position"]
        self.reference = [pose[:3] for pose in episode["reference_path"]]
        self.each_step = each_step
        self.looked_up = self.previous = None
        self.visited = []
        self.length = self.osr = self.oracle_spl = 0.0
        self.oracle_error = float("inf")

    def add(self, position, has_ended, is_last):
        """Measures one pose."""
        position = np.array(position)
        if self.looked_up is None or not np.allclose(self.looked_up, position, atol=1):
            self.error = distance(position[0:2], np.array(self.goal)[0:2])
            self.error_3d = distance(position[0:3], np.array(self.goal)[0:3])
            self.looked_up = position
        self.oracle_error = min(self.oracle_error, self.error)
        self.success = float(has_ended and self.error <= 20)
        if self.previous is None:
            self.start, self.previous = self.error_3d, position
        self.length += distance(self.previous, position)
        longer = max(self.start, self.length)
        self.spl = self.success * self.start / longer if longer > 0 else 0.0
        closeness = max(0, 1 - self.error_3d / self.start) if self.start != 0 else 0
        self.soft_spl = closeness * self.start / longer if longer > 0 else 0.0
        self.oracle_spl = max(self.oracle_spl, self.spl)
        if not self.visited or position.tolist() != self.visited[-1].tolist():
            self.visited.append(position)
        if self.each_step or is_last:
            cost = fastdtw(self.visited, self.reference, dist=distance)[0]
            self.ndtw = np.exp(-cost / (len(self.reference) * 20))
            self.sdtw = self.success * self.ndtw
        self.osr = float(self.osr or self.error <= 20)
        self.previous = position

    def scores(self):
        """Returns what is compared, by its name in warpath's table."""
        return {
            "NE": self.error,
            "ONE": self.oracle_error,
            "SR": self.success,
            "OSR": self.osr,
            "PL": self.length,
            "nDTW": self.ndtw,
            "SDTW": self.sdtw,
        }


def read_all(dataset, results):
    return json.loads(dataset.read_text())["episodes"], json.loads(results.read_text())


def by_loop(inputs, count, each_step):
    """Returns the metrics of the first flights, by id."""
    episodes, results = inputs
    scores = {}
    for episode in episodes[:count]:
        result = results[episode["episode_id"]]
        flight = Flight(episode, each_step)
        last = len(result["trajectory"]) - 1
        for k, pose in enumerate(result["trajectory"]):
            flight.add(pose[:3], k == last and result["done"], k == last)
        scores[episode["episode_id"]] = flight.scores()
    for metric in next(iter(scores.values())):
        np.mean([of_flight[metric] for of_flight in scores.values()])
    return scores


def read(table):
    """Returns the rows of a table by id."""
    lines = [line for line in table.read_text().splitlines() if not line.startswith("#")]
    return {row["instr_id"]: row for row in csv.DictReader(lines)}


def count_wrong(rows, scores):
    return sum(
        not abs(float(rows[name][metric]) - value) <= 1e-9
        for name, of_flight in scores.items()
        for metric, value in of_flight.items()
    )


class Times(typing.NamedTuple):
    """Holds the seconds that a call took: of processors, with those of the programs that it ran,
    and on the clock. On a busy machine the first ones count."""

    processor: float
    clock: float

    def __add__(self, other):
        return Times(*(a + b for a, b in zip(self, other)))

    def scaled(self, factor):
        return Times(*(seconds * factor for seconds in self))

    def __str__(self):
        return f"{self.processor:.3f} s ({self.clock:.3f} s by the clock)"


def timed(call):
    """Returns the times of a call, and what it returned."""

    def now():
        programs = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        return time.process_time() + programs, time.perf_counter()

    begin = now()
    found = call()
    return Times(*(end - start for start, end in zip(begin, now()))), found


def least_times(command, rounds=5):
    """Returns the least times of some runs of a command."""

    def run():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    runs = [timed(run)[0] for _ in range(rounds)]
    return Times(*(min(seconds) for seconds in zip(*runs)))


def ratios(theirs, ours):
    return f"{theirs.processor / ours.processor:.0f} x ({theirs.clock / ours.clock:.0f} x)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("warpath")
    parser.add_argument("--flights", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=10_000)
    parser.add_argument("--stepped", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dataset, results = make(folder, arguments.flights)
        table = folder / "items.csv"
        is_compiled = fastdtw.__module__.endswith("_fastdtw")
        build = "fast-compiled:1" if is_compiled else "fast:1"
        command = [arguments.warpath, "eval", "--preset", "aerialvln", "--dtw", build]
        command += ["--dataset", dataset, results, "--csv", table]
        ours = least_times(command)
        rows = read(table)
        wrong = abs(len(rows) - arguments.flights)
        to_read, inputs = timed(lambda: read_all(dataset, results))
        print(f"warpath {ours}, fastdtw is {'compiled' if is_compiled else 'pure Python'}")
        for each_step, most in ((False, arguments.timed), (True, arguments.stepped)):
            count = min(most, arguments.flights)
            spent, scores = timed(lambda: by_loop(inputs, count, each_step))
            wrong += count_wrong(rows, scores)
            theirs = to_read + spent.scaled(arguments.flights / count)
            how = "at each pose" if each_step else "once a flight"
            print(f"loop with fastdtw {how}: {theirs}, {ratios(theirs, ours)}")
    print(f"{wrong} values differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times `warpath eval --preset ivln --tours`, from files to tables of items and tours, beside a plain
Python loop of the algorithm of IVLN's evaluator (eval_utils.py), in one run, by processor time.

  bench/tours_peer.py WARPATH [--tours N] [--timed N]     needs NumPy; dtw-python makes the loop faster

The evaluator aligns each tour as a whole by dtw-python, in C, in a window. Without that package the
loop goes over the cells itself. It reads all files, is timed on the first of the tours (--timed), and
the time of these is scaled to all. Exit code 1 where a value differs by more than 1e-9."""

import argparse
import csv
import heapq
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from drones_peer import timed

try:
    import dtw
except ImportError:
    dtw = None

SCANS, VIEWPOINTS = 20, 100


def neighbours(scan):
    near = {node["id"]: {} for node in scan["nodes"]}
    place = {node["id"]: node["position"] for node in scan["nodes"]}
    for a, b in scan["edges"]:
        near[a][b] = near[b][a] = math.dist(place[a], place[b])
    return near


def make(folder, tours):
    """Writes tours of 2 to 11 episodes of 5 to 7 viewpoints, and paths that leave the reference
    half of the time; returns the files."""
    draw = np.random.default_rng(5)
    graphs, walks = [], []
    for s in range(SCANS):
        places = np.round(draw.uniform(0, 20, (VIEWPOINTS, 3)) * [1, 1, 0.1], 3)
        ids = [f"{s:02}{k:030}" for k in range(VIEWPOINTS)]
        edges = {tuple(sorted((ids[k], ids[k - 1]))) for k in range(1, VIEWPOINTS)}
        for k, place in enumerate(places):
            for other in np.argsort(np.linalg.norm(places - place, axis=1))[1:4]:
                edges.add(tuple(sorted((ids[k], ids[other]))))
        nodes = [{"id": i, "position": p} for i, p in zip(ids, places.tolist())]
        graphs.append({"scan": f"scan{s}", "nodes": nodes, "edges": sorted(edges)})
        walks.append({a: list(b) for a, b in neighbours(graphs[-1]).items()})
    dataset, results, by_scan = [], [], {}
    for _ in range(tours):
        s = int(draw.integers(SCANS))
        tour = []
        for _ in range(int(draw.integers(2, 12))):
            path = [list(walks[s])[int(draw.integers(VIEWPOINTS))]]
            nodes = int(draw.integers(5, 8))
            while len(path) < nodes or path[-1] == path[0]:  # the evaluator divides by their distance
                path.append(walks[s][path[-1]][int(draw.integers(len(walks[s][path[-1]])))])
            walked = path[: int(draw.integers(3, len(path) + 1))]
            while draw.random() < 0.5:
                walked.append(walks[s][walked[-1]][int(draw.integers(len(walks[s][walked[-1]])))])
            name = f"{len(dataset)}_0"
            dataset.append({"scan": f"scan{s}", "path_id": len(dataset), "path": path,
                            "heading": 0.0, "instructions": ["Go on."]})  # fmt: skip
            results.append({"instr_id": name, "trajectory": [[v, 0.0, 0.0] for v in walked]})
            tour.append(name)
        by_scan.setdefault(f"scan{s}", []).append(tour)
    (folder / "graphs").mkdir()
    for graph in graphs:
        (folder / "graphs" / f"{graph['scan']}.json").write_text(json.dumps(graph))
    files = [folder / name for name in ("items.json", "agent.json", "tours.json")]
    for file, content in zip(files, (dataset, results, {"val": by_scan})):
        file.write_text(json.dumps(content))
    return folder / "graphs", *files


def distances_of(scan):
    """Returns the length of the shortest way between every two viewpoints, by Dijkstra."""
    near = neighbours(scan)
    lengths = {}
    for start in near:
        found, heap = {}, [(0.0, start)]
        while heap:
            length, at = heapq.heappop(heap)
            if at in found:
                continue
            found[at] = length
            for other, step in near[at].items():
                if other not in found:
                    heapq.heappush(heap, (length + step, other))
        lengths[start] = found
    return lengths


def window_of(paths, references):
    """Returns which cells of a tour's matrix an alignment may use: an episode's last viewpoint is met
    by its last entry alone, and the next one's first by its first entry alone."""
    window = np.ones((sum(map(len, paths)), sum(map(len, references))), bool)
    row = column = 0
    for path, reference in zip(paths[:-1], references[:-1]):
        row, column = row + len(path), column + len(reference)
        for at, kept in ((column - 1, row - 1), (column, row)):
            window[:, at] = False
            window[kept, at] = True
    return window


def cost_of(paths, references, lengths):
    query, reference = sum(paths, []), sum(references, [])
    cells = np.array([[lengths[p][r] for r in reference] for p in query])
    window = window_of(paths, references)
    if dtw is not None:
        options = {"step_pattern": dtw.symmetric1, "distance_only": True}
        found = dtw.dtw(cells, window_type=lambda i, j, **_: window[i, j], **options)
        return found.distance
    before = [0.0] + [math.inf] * len(reference)
    for row, allowed in zip(cells.tolist(), window.tolist()):
        now = [math.inf]
        for j, cell in enumerate(row):
            now.append(cell + min(before[j], before[j + 1], now[j]) if allowed[j] else math.inf)
        before = now
    return before[-1]


def warping_of(path, reference, lengths):
    """Returns nDTW of an item, in numpy's cells as the evaluator has them."""
    cells = np.full((len(path) + 1, len(reference) + 1), np.inf)
    cells[0, 0] = 0
    for i in range(1, len(path) + 1):
        for j in range(1, len(reference) + 1):
            before = min(cells[i - 1][j], cells[i][j - 1], cells[i - 1][j - 1])
            cells[i][j] = lengths[path[i - 1]][reference[j - 1]] + before
    return np.exp(-cells[-1][-1] / (3.0 * len(reference)))


def coverage_of(path, reference, walk, ideal, lengths):
    """Returns CLS of an item."""
    nearest = [np.min([lengths[u][v] for v in path]) for u in reference]
    coverage = np.mean([np.exp(-distance / 3.0) for distance in nearest])
    expected = coverage * ideal
    return coverage * expected / (expected + np.abs(expected - walk))


def read_all(files):
    """Returns the distances of each scan, items and paths by id, and the tours."""
    graphs = [json.loads(file.read_text()) for file in files[0].iterdir()]
    dataset, results, tours = (json.loads(file.read_text()) for file in files[1:])
    distances = {scan["scan"]: distances_of(scan) for scan in graphs}
    items = {f"{item['path_id']}_0": item for item in dataset}
    walked = {entry["instr_id"]: [v[0] for v in entry["trajectory"]] for entry in results}
    return distances, items, walked, tours


def by_loop(inputs, count):
    """Returns the tours' t-nDTW, t-SR and t-SPL, and the items' NE, SR, SPL, nDTW, SDTW and CLS, of
    the first tours."""
    distances, items, walked, tours = inputs
    scores, of_items = [], {}
    for scan, of_scan in tours["val"].items():
        lengths = distances[scan]

        def length(path):
            return sum(lengths[a][b] for a, b in zip(path[:-1], path[1:]))

        for tour in of_scan:
            if len(scores) == count:
                return scores, of_items
            paths, references = [walked[i] for i in tour], [items[i]["path"] for i in tour]
            weights, sr, spl = [], [], []
            for name, path, reference in zip(tour, paths, references):
                error = lengths[path[-1]][reference[-1]]
                success = float(error < 3.0)
                walk, ideal = length(path), length(reference)
                shortest = lengths[reference[0]][reference[-1]]
                weights.append(max(shortest, walk) / shortest)
                sr.append(success)
                spl.append(success * ideal / max(walk, ideal, 0.01))
                ndtw = warping_of(path, reference, lengths)
                cls = coverage_of(path, reference, walk, ideal, lengths)
                of_items[name] = error, success, spl[-1], ndtw, success * ndtw, cls
            ndtw = math.exp(-cost_of(paths, references, lengths) / (3 * sum(map(len, references))))
            scores.append((ndtw, np.average(sr, weights=weights), np.average(spl, weights=weights)))
    return scores, of_items


def read(file):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return csv.DictReader(lines)


def count_wrong(row, metrics, values):
    return sum(not abs(float(row[m]) - v) <= 1e-9 for m, v in zip(metrics, values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("warpath")
    parser.add_argument("--tours", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make(folder, arguments.tours)
        graphs, dataset, results, tours = files
        by_tour, by_item = folder / "tours.csv", folder / "items.csv"
        command = [arguments.warpath, "eval", "--preset", "ivln", "--graphs", graphs]
        command += ["--dataset", dataset, results, "--tours", tours, "--infeasible", "zero"]
        command += ["--csv", by_item, "--tour-csv", by_tour, "--quiet"]
        ours = min(timed(lambda: subprocess.run(command, check=True))[0] for _ in range(3))
        count = min(arguments.timed, arguments.tours)
        to_read, inputs = timed(lambda: read_all(files))
        spent, (scores, of_items) = timed(lambda: by_loop(inputs, count))
        rows = list(read(by_tour))
        wrong = abs(len(rows) - arguments.tours)
        for row, values in zip(rows, scores):
            wrong += count_wrong(row, ("t-nDTW", "t-SR", "t-SPL"), values)
        names = ("NE", "SR", "SPL", "nDTW", "SDTW", "CLS")
        for row in read(by_item):
            wrong += count_wrong(row, names, of_items.pop(row["instr_id"], ()))
        wrong += len(of_items)  # items without a row
    theirs = to_read + spent * arguments.tours / count
    print(f"warpath {ours:.3f} s, loop {theirs:.2f} s, {theirs / ours:.0f} x; {wrong} values differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times `warpath eval --preset ivln --tours`, from files to tables of items and tours, beside a
Python loop of what IVLN's evaluator computes (finetune_src/r2r: env.py, eval_utils.py, main.py), in
one run.

  bench/tours_peer.py WARPATH [--tours N] [--timed N]     needs NumPy and dtw-python 1.5

The loop reads the same files and does the evaluator's work by the calls that it makes:

- of an item NE, ONE, SR, OSR, steps, PL, SPL, DTW, nDTW, SDTW and CLS, from dicts of distances,
  with DTW in NumPy's cells, and the means of all of them;
- of a tour its weights, t-SR and t-SPL in NumPy, and t-nDTW by dtw-python, which calls a Python
  function for each cell of the tour's matrix and then its recurrence, in C, in a window.

It makes less than the evaluator's environment does: distances come from a plain Dijkstra (networkx
there), and no shortest paths are kept. Without dtw-python (--no-dtw-python) the loop goes over the
cells itself. --timed N runs the loop on the first N tours and scales its time to all. Exit code 1
where a value differs by more than 1e-9."""

import argparse
import csv
import heapq
import json
import math
import pathlib
import sys
import tempfile

import numpy as np
from drones_peer import least_times, ratios, timed

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
            while len(path) < nodes or path[-1] == path[0]:  # no division by 0
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


def held_cells(paths, references):
    """Returns the cells that boundaries of episodes hold: an episode's last viewpoint is met by its
    last entry alone, and the next one's first by its first entry alone."""
    cells = []
    row = column = 0
    for path, reference in zip(paths[:-1], references[:-1]):
        row, column = row + len(path), column + len(reference)
        cells += (row - 1, column - 1), (row, column)
    return cells


def window_of(_rows, _columns, query_size, reference_size, held):
    """Returns which cells of a tour's matrix an alignment may use."""
    window = np.ones((query_size, reference_size), bool)
    for row, column in held:
        window[:, column] = False
        window[row, column] = True
    return window


def cost_of(paths, references, scan):
    """Returns the cost of a tour's alignment."""
    query, reference = (sum(several, []) for several in (paths, references))
    held = held_cells(paths, references)
    if dtw is not None:
        numbers, between = scan["numbers"], scan["between"]
        found = dtw.dtw(
            [numbers[v] for v in query],
            [numbers[v] for v in reference],
            dist_method=lambda a, b: between[a[0] * 100_000 + b[0]],
            step_pattern="symmetric1",
            window_type=window_of,
            window_args={"held": held},
        )
        return found.distance
    lengths = scan["lengths"]
    window = window_of(None, None, len(query), len(reference), held).tolist()
    before = [0.0] + [math.inf] * len(reference)
    for p, allowed in zip(query, window):
        now = [math.inf]
        for j, r in enumerate(reference):
            cell = lengths[p][r]
            now.append(cell + min(before[j], before[j + 1], now[j]) if allowed[j] else math.inf)
        before = now
    return before[-1]


def length_of(path, lengths):
    return np.sum([lengths[a][b] for a, b in zip(path[:-1], path[1:])])


def warping_of(path, reference, lengths):
    """Returns DTW of an item, in numpy's cells as the evaluator has them."""
    cells = np.inf * np.ones((len(path) + 1, len(reference) + 1))
    cells[0][0] = 0
    for i in range(1, len(path) + 1):
        for j in range(1, len(reference) + 1):
            before = min(cells[i - 1][j], cells[i][j - 1], cells[i - 1][j - 1])
            cells[i][j] = lengths[path[i - 1]][reference[j - 1]] + before
    return cells[len(path)][len(reference)]


def coverage_of(path, reference, lengths):
    """Returns CLS of an item."""
    nearest = [np.min([lengths[u][v] for v in path]) for u in reference]
    coverage = np.mean([np.exp(-distance / 3.0) for distance in nearest])
    expected = coverage * length_of(reference, lengths)
    return coverage * expected / (expected + np.abs(expected - length_of(path, lengths)))


def score_item(path, reference, lengths):
    """Returns the metrics of an item by their names in warpath's table."""
    goal = reference[-1]
    error, nearest = lengths[path[-1]][goal], lengths[path[0]][goal]
    for viewpoint in path:
        nearest = min(nearest, lengths[viewpoint][goal])
    success = float(error < 3.0)
    walked, ideal = length_of(path, lengths), length_of(reference, lengths)
    cost = warping_of(path, reference, lengths)
    ndtw = np.exp(-cost / (3.0 * len(reference)))
    return {
        "NE": error,
        "ONE": nearest,
        "steps": len(path) - 1,
        "PL": walked,
        "SR": success,
        "SPL": success * ideal / max(walked, ideal, 0.01),
        "OSR": float(nearest < 3.0),
        "DTW": cost,
        "nDTW": ndtw,
        "SDTW": success * ndtw,
        "CLS": coverage_of(path, reference, lengths),
    }


def read_all(files):
    """Returns the scans with their distances, the items and paths by id, and the tours."""
    scans = {}
    for file in files[0].iterdir():
        graph = json.loads(file.read_text())
        lengths = distances_of(graph)
        numbers = {viewpoint: k for k, viewpoint in enumerate(lengths)}
        between = {
            numbers[a] * 100_000 + numbers[b]: length
            for a, row in lengths.items()
            for b, length in row.items()
        }
        scans[graph["scan"]] = {"lengths": lengths, "numbers": numbers, "between": between}
    dataset, results, tours = (json.loads(file.read_text()) for file in files[1:])
    items = {
        f"{item['path_id']}_{k}": item for item in dataset for k in range(len(item["instructions"]))
    }
    walked = {entry["instr_id"]: [v[0] for v in entry["trajectory"]] for entry in results}
    return scans, items, walked, tours


def by_loop(inputs, count):
    """Returns t-nDTW, t-SR and t-SPL of the first tours, and the metrics of their items, by id."""
    scans, items, walked, tours = inputs
    chosen = [(scan, tour) for scan, several in tours["val"].items() for tour in several][:count]
    of_items = {
        name: score_item(walked[name], items[name]["path"], scans[scan]["lengths"])
        for scan, tour in chosen
        for name in tour
    }
    for metric in next(iter(of_items.values())):
        np.mean([scores[metric] for scores in of_items.values()])
    of_tours = []
    for scan, tour in chosen:
        references = [items[name]["path"] for name in tour]
        shortest = [scans[scan]["lengths"][path[0]][path[-1]] for path in references]
        scores = [of_items[name] for name in tour]
        weights = [max(d, item["PL"]) / d for d, item in zip(shortest, scores)]
        weights = np.array(weights) / sum(weights)
        cost = cost_of([walked[name] for name in tour], references, scans[scan])
        of_tours.append(
            {
                "t-nDTW": np.exp(-cost / (3 * sum(map(len, references)))),
                "t-SR": (weights * np.array([item["SR"] for item in scores])).sum(),
                "t-SPL": (weights * np.array([item["SPL"] for item in scores])).sum(),
            }
        )
    return of_tours, of_items


def read(file):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return csv.DictReader(lines)


def count_wrong(row, scores):
    return sum(not abs(float(row[metric]) - value) <= 1e-9 for metric, value in scores.items())


def main():
    global dtw
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("warpath")
    parser.add_argument("--tours", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=10_000)
    parser.add_argument("--no-dtw-python", action="store_true")
    arguments = parser.parse_args()
    if arguments.no_dtw_python:
        dtw = None
    elif dtw is None:
        parser.error("dtw-python is not installed: install it, or say --no-dtw-python")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make(folder, arguments.tours)
        graphs, dataset, results, tours = files
        by_tour, by_item = folder / "tours.csv", folder / "items.csv"
        command = [arguments.warpath, "eval", "--preset", "ivln", "--graphs", graphs]
        command += ["--dataset", dataset, results, "--tours", tours, "--infeasible", "zero"]
        command += ["--csv", by_item, "--tour-csv", by_tour, "--quiet"]
        ours = least_times(command)
        count = min(arguments.timed, arguments.tours)
        to_read, inputs = timed(lambda: read_all(files))
        spent, (of_tours, of_items) = timed(lambda: by_loop(inputs, count))
        rows = list(read(by_tour))
        wrong = abs(len(rows) - arguments.tours)
        wrong += sum(count_wrong(*pair) for pair in zip(rows, of_tours))
        wrong += sum(count_wrong(row, of_items.pop(row["instr_id"], {})) for row in read(by_item))
        wrong += len(of_items)  # items without a row
    theirs = to_read + spent.scaled(arguments.tours / count)
    print(f"warpath {ours}, loop {theirs}, {ratios(theirs, ours)}; {wrong} values differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())

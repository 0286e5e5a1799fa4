#!/usr/bin/env python3
"""Times the Python package beside the plain form of the public Python evaluator, in one run.

  bench/python_peer.py [--items N] [--subset N] [--rounds N]     needs NumPy and networkx

The evaluator (plain_loops.py) loops over items, looks distances up in the dicts of networkx, and
has a loop over cells for DTW and over viewpoints for CLS. It runs over the first --subset items (or
a hundredth as many rollouts) and is scaled to all of them by their number; warpath runs over all.
The two take turns, and times are medians. Made before and not timed: the evaluator's dicts, the
Scorer with its tables, the paths in each form. The numbers of the subset are compared: exit code 1
where scores in single precision differ by more than 1e-5 of their size, those of files by more than
1e-12, cal_dtw in one bit. With $WARPATH_DATA the evaluator is compared with goldens of the
originals, too."""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import networkx as nx
import numpy as np
import plain_loops
import warpath
from warpath import compat

METRICS = ["PL", "NE", "ONE", "SR", "OSR", "SPL", "DTW", "nDTW", "SDTW", "CLS"]
GOLDEN_COLUMNS = {
    "PL": "pl", "NE": "ne", "ONE": "one", "SR": "sr", "OSR": "osr", "SPL": "spl_duet",
    "nDTW": "ndtw_duet", "SDTW": "sdtw_duet", "CLS": "cls_duet",
}  # fmt: skip
SCANS, SIZE, ITEMS_PER_PATH = 40, 150, 9
ROLLOUTS, LENGTH, REFERENCE_LENGTH = 4096, 40, 12
CALLS = 5  # of warpath in a row, for one of the evaluator


def make_scan(draw):
    """Makes a connected graph of viewpoints with ids of 32 characters, as Matterport3D's are."""
    positions = draw.uniform(0, 30, (SIZE, 3)) * [1, 1, 0.1]
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=-1)
    graph = nx.Graph()
    names = [draw.bytes(16).hex() for _ in range(SIZE)]
    for a in range(SIZE):
        # The nearest of the viewpoints before keep it connected.
        near = [int(np.argmin(distances[a, :a]))] if a else []
        for b in [*near, *np.argsort(distances[a])[1:4].tolist()]:
            graph.add_edge(names[a], names[b], weight=float(distances[a, b]))
    return graph


class Data:
    """Holds R4R-like items: a reference of 8 to 16 viewpoints (two shortest paths, joined) and a
    random walk of 8 to 20 from its begin for each instruction."""

    def __init__(self, items, draw):
        graphs = [make_scan(draw) for _ in range(min(SCANS, -(-items // ITEMS_PER_PATH)))]
        self.networkx = {f"scan{k}": graph for k, graph in enumerate(graphs)}
        self.ids = {scan: list(graph) for scan, graph in self.networkx.items()}
        self.distances = {
            scan: dict(nx.all_pairs_dijkstra_path_length(graph))
            for scan, graph in self.networkx.items()
        }
        self.graphs = warpath.Graphs(self.networkx)
        self.entries, self.references, self.queries, self.scans = [], [], [], []
        shortest = {s: dict(nx.all_pairs_dijkstra_path(g)) for s, g in self.networkx.items()}
        while len(self.references) < items:
            scan = f"scan{len(self.entries) % len(graphs)}"
            self.add_entry(scan, shortest[scan], draw)
        del self.references[items:], self.queries[items:], self.scans[items:]

    def add_entry(self, scan, shortest, draw):
        while True:
            a, b, c = (self.ids[scan][k] for k in draw.integers(SIZE, size=3))
            reference = shortest[a][b] + shortest[b][c][1:]
            if 8 <= len(reference) <= 16:
                break
        self.entries.append(
            {
                "path_id": len(self.entries),
                "scan": scan,
                "heading": 0.0,
                "distance": 0.0,
                "path": reference,
                "instructions": [""] * ITEMS_PER_PATH,
            }
        )
        for _ in range(ITEMS_PER_PATH):
            walk = [reference[0]]
            for _ in range(int(draw.integers(7, 20))):
                others = list(self.networkx[scan][walk[-1]])
                walk.append(others[int(draw.integers(len(others)))])
            self.references.append(reference)
            self.queries.append(walk)
            self.scans.append(scan)

    def numbers(self, paths):
        number = {s: {name: k for k, name in enumerate(ids)} for s, ids in self.ids.items()}
        return [[number[scan][name] for name in path] for path, scan in zip(paths, self.scans)]


def padded(paths):
    rows = np.full((len(paths), max(map(len, paths))), -1)
    for row, path in zip(rows, paths):
        row[: len(path)] = path
    return rows


def csr(paths):
    offsets = np.cumsum([0, *map(len, paths)])
    return warpath.CsrPaths(np.concatenate(paths).astype(np.int32), offsets)


def fresh(paths):
    """Returns copies as a parser of JSON makes them: no two ids are one object."""
    return json.loads(json.dumps(paths))


def seconds(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def time_both(ours, plain, rounds):
    """Returns the medians of both times, and both results. The two take turns, so that both meet
    the same state of the machine; in each turn ours is called CALLS times."""
    ours()  # warms up
    mine, theirs = [], []
    for _ in range(rounds):
        for _ in range(CALLS):
            time_taken, found = seconds(ours)
            mine.append(time_taken)
        time_taken, expected = seconds(plain)
        theirs.append(time_taken)
    return statistics.median(mine), statistics.median(theirs), found, expected


def check(name, difference, bound):
    if not difference <= bound:
        sys.exit(f"python_peer: {name}: numbers differ by {difference:.3g}, more than {bound:.3g}")


def difference(scores, plain):
    """Returns the greatest difference of scores, relative where they exceed 1."""
    greatest = 0.0
    for metric in METRICS:
        expected = np.array([item[metric] for item in plain])
        found = scores[metric][: len(plain)]
        greatest = max(greatest, float(np.max(np.abs(found - expected) / np.maximum(1, expected))))
    return greatest


def row(name, ours, plain):
    print(f"{name:46} {ours * 1e3:12.4f} {plain * 1e3:14.3f} {plain / ours:12,.0f}")


def bench_scorer(data, options):
    """Times a standing Scorer on arrays and on lists of ids."""
    convention = {"preset": "duet", "metrics": METRICS, "backend": "cpu"}
    scorer = warpath.Scorer(data.graphs, **convention)
    on_one_core = warpath.Scorer(data.graphs, threads=1, **convention)
    items = len(data.references)
    names = scorer.scans
    scans = np.array([names.index(scan) for scan in data.scans], np.int32)
    references, queries = data.numbers(data.references), data.numbers(data.queries)
    forms = {
        "padded int64 arrays": (scorer, padded(references), padded(queries), scans),
        "int32 arrays with offsets": (scorer, csr(references), csr(queries), scans),
        "the same on one core": (on_one_core, csr(references), csr(queries), scans),
        "lists of ids": (scorer, fresh(data.references), fresh(data.queries), data.scans),
    }

    def plain():
        return [
            plain_loops.item_scores(data.distances[scan], query, reference)
            for scan, query, reference in zip(
                data.scans[: options.subset], data.queries, data.references
            )
        ]

    for name, (standing, r, q, s) in forms.items():
        ours, theirs, scores, expected = time_both(
            lambda: standing.score(r, q, s), plain, options.rounds
        )
        check(name, difference(scores, expected), 1e-5)
        row(f"Scorer, {name}", ours, theirs * items / options.subset)


def bench_files(data, options):
    """Times an evaluation from files, the graphs read before, beside json.load and the loop."""
    with tempfile.TemporaryDirectory() as folder:
        dataset, predictions = pathlib.Path(folder, "R4R.json"), pathlib.Path(folder, "agent.json")
        dataset.write_text(json.dumps(data.entries))
        made = [
            {
                "instr_id": f"{k // ITEMS_PER_PATH}_{k % ITEMS_PER_PATH}",
                "trajectory": [[viewpoint, 0.0, 0.0] for viewpoint in query],
            }
            for k, query in enumerate(data.queries)
        ]
        predictions.write_text(json.dumps(made))
        load, found = seconds(
            lambda: (json.loads(dataset.read_text()), json.loads(predictions.read_text()))
        )
        entries, records = found

        def plain():
            scores = []
            for k in range(options.subset):
                entry = entries[int(records[k]["instr_id"].split("_")[0])]
                path = [step[0] for step in records[k]["trajectory"]]
                scores.append(
                    plain_loops.item_scores(data.distances[entry["scan"]], path, entry["path"])
                )
            return scores

        for name, given, loading in (
            ("two JSON files", (predictions, dataset), load),
            ("lists of dicts", (records, entries), 0.0),
            ("lists of dicts, the dataset a file", (records, dataset), 0.0),
        ):

            def ours(given=given):
                return warpath.evaluate(
                    *given, data.graphs, preset="duet", metrics=METRICS
                ).per_item

            ours_s, theirs, items, expected = time_both(ours, plain, options.rounds)
            check("evaluate", difference(items, expected), 1e-12)
            row(f"evaluate(), from {name}", ours_s, loading + theirs * len(made) / options.subset)


def bench_calls(data, options):
    """Times drop-in functions for each call, on the items and on paths of other lengths."""
    chosen = [
        (data.distances[data.scans[k]], data.queries[k], data.references[k])
        for k in range(options.subset)
    ]
    groups = {"items": chosen}
    draw, ids = np.random.default_rng(2), data.ids["scan0"]
    for n, m in ((7, 7), (12, 14), (30, 40)):
        groups[f"{n} x {m}"] = [
            (
                data.distances["scan0"],
                *([ids[k] for k in draw.integers(SIZE, size=size)] for size in (m, n)),
            )
            for _ in range(max(options.subset // 10, 10))
        ]
    for name, plain in (("cal_dtw", plain_loops.dtw_scores), ("cal_cls", plain_loops.cls)):
        function = getattr(compat, name)
        for group, calls in groups.items():
            mine, theirs, found, expected = time_both(
                lambda: [function(*call) for call in calls],
                lambda: [plain(*call) for call in calls],
                options.rounds,
            )
            if name == "cal_dtw":
                check(name, 0.0 if found == expected else 1.0, 0.0)
            else:
                check(name, float(np.max(np.abs(np.array(found) - expected))), 1e-12)
            row(f"{name}, {group}, a call", mine / len(calls), theirs / len(calls))


def bench_rewards(data, options):
    """Times rewards of finished rollouts on one core."""
    draw = np.random.default_rng(3)
    references, scans, rows = [], [], np.empty((ROLLOUTS, LENGTH), np.int64)
    for k in range(ROLLOUTS):
        scan = f"scan{k % len(data.networkx)}"
        path = draw.integers(SIZE, size=LENGTH)
        scans.append(scan)
        references.append(draw.integers(SIZE, size=REFERENCE_LENGTH).tolist())
        rows[k] = path
    rewards = warpath.Rewards(data.graphs, references, scans, preset="ndtw-gain", threads=1)
    lengths, out = np.full(ROLLOUTS, LENGTH), np.empty((ROLLOUTS, LENGTH), np.float32)
    matrices = {scan: data.graphs.distances(scan) for scan in set(scans)}
    chosen = range(max(options.subset // 100, 2))
    ours, theirs, values, expected = time_both(
        lambda: rewards.compute(rows, lengths, out=out),
        lambda: [
            plain_loops.rewards_of(matrices[scans[k]], rows[k], references[k], 3.0) for k in chosen
        ],
        options.rounds,
    )
    check("rewards", float(np.max(np.abs(values.reward[: len(chosen)] - np.array(expected)))), 1e-6)
    row(f"Rewards, {ROLLOUTS} x {LENGTH}, one core", ours, theirs * ROLLOUTS / len(chosen))


def check_goldens():
    """Compares the plain form with the originals' numbers, in $WARPATH_DATA."""
    folder = os.environ.get("WARPATH_DATA")
    if not folder:
        print("goldens: left out, WARPATH_DATA is not set")
        return
    graphs, tables = warpath.Graphs(pathlib.Path(folder, "connectivity")), {}
    golden = pathlib.Path(folder, "golden", "R4R_val_seen_walks")
    with gzip.open(f"{golden}.jsonl.gz", "rt") as file:
        pairs = [json.loads(line) for line in file]
    with gzip.open(f"{golden}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    for pair, expected in zip(pairs, rows):
        scan = pair["scan"]
        if scan not in tables:
            ids, matrix = graphs.viewpoints(scan), graphs.distances(scan).tolist()
            tables[scan] = {a: dict(zip(ids, line)) for a, line in zip(ids, matrix)}
        scores = plain_loops.item_scores(tables[scan], pair["prediction"], pair["reference"])
        for metric, column in GOLDEN_COLUMNS.items():
            original = float(expected[column])
            check("goldens", abs(scores[metric] - original) / max(1.0, original), 1e-12)
    print(f"goldens: the loop equals the originals to 1e-12 in {len(pairs)} pairs")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--items", type=int, default=45000)
    parser.add_argument("--subset", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    check_goldens()
    data = Data(options.items, np.random.default_rng(1))
    lengths = [np.mean([len(path) for path in paths]) for paths in (data.references, data.queries)]
    print(
        f"{options.items} items, on average {lengths[0]:.1f} x {lengths[1]:.1f} viewpoints, "
        f"{len(METRICS)} metrics, {os.cpu_count()} cores"
    )
    title = f"ms, medians of {options.rounds} rounds"
    print(f"{title:46} {'warpath':>12} {'plain Python':>14} {'ratio':>12}")
    for bench in (bench_scorer, bench_files, bench_calls, bench_rewards):
        bench(data, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())

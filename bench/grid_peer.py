#!/usr/bin/env python3
"""Times distances over grids beside SciPy's Dijkstra, in turns, by processor time of one thread:

  searches   a row of distances, `warpath.Graphs.distances` beside scipy.sparse.csgraph.dijkstra
  episodes   from files to a CSV: `warpath eval --grid` of episodes as VLN-CE has them, with dense
             references, beside NumPy and SciPy, which get as many of them as --peer says

  taskset -c 0 bench/grid_peer.py WARPATH [--episodes N] [--peer N]      needs NumPy and SciPy

Needs the Python package on PYTHONPATH for the searches. Exit code 1 where a value differs."""

import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

RESOLUTION = 0.1
SCANS = 11


def floor(draw, rows=90, columns=80):
    """Makes rooms of 2 m with a door of 0.8 m in each wall, and returns which cells are free."""
    free = np.ones((rows, columns), bool)
    for r in range(20, rows, 20):
        free[r : r + 2] = False
    for c in range(20, columns, 20):
        free[:, c : c + 2] = False
    for r in range(0, rows, 20):
        for c in range(0, columns, 20):
            down, right = draw.integers(4, 10, 2)
            free[r + 20 : r + 22, c + down : c + down + 8] = True
            free[r + right : r + right + 8, c + 20 : c + 22] = True
    return free


def graph_of(free):
    """Returns the graph of eight neighbours, where no corner is cut, and its cells."""
    number = np.full(free.shape, -1)
    cells = np.argwhere(free)
    number[tuple(cells.T)] = np.arange(len(cells))
    ends, lengths = [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        r, c = cells[(cells[:, 0] + down < free.shape[0])].T
        inside = (c + right < free.shape[1]) & (c + right >= 0)
        r, c = r[inside], c[inside]
        is_open = free[r + down, c + right] & free[r + down, c] & free[r, c + right]
        r, c = r[is_open], c[is_open]
        ends.append((number[r, c], number[r + down, c + right]))
        lengths.append(np.full(len(r), RESOLUTION * np.hypot(down, right)))
    one, other = (np.concatenate([end[k] for end in ends]) for k in (0, 1))
    size = len(cells)
    graph = csr_matrix((np.concatenate(lengths), (one, other)), shape=(size, size))
    return graph + graph.T, cells


def processor_seconds(call):
    before = time.process_time()
    result = call()
    return time.process_time() - before, result


def time_searches(graph, free, rounds=3, sources=200):
    """Prints what a row of distances costs, of both. Returns whether they are equal."""
    import warpath

    graphs = warpath.Graphs({"lab": warpath.Grid(free, resolution=RESOLUTION)})
    graphs.viewpoints("lab")
    indices = np.linspace(0, graph.shape[0] - 1, sources).astype(int)
    ours, peer = [], []
    for _ in range(rounds):
        seconds, found = processor_seconds(lambda: graphs.distances("lab"))
        ours.append(seconds / len(found))
        seconds, want = processor_seconds(lambda: dijkstra(graph, indices=indices))
        peer.append(seconds / sources)
    mine, theirs = np.median(ours), np.median(peer)
    print(
        f"searches: {graph.shape[0]} cells  warpath {1e3 * mine:.3f} ms  SciPy {1e3 * theirs:.3f} ms"
        f"  ratio {theirs / mine:.1f}"
    )
    return np.allclose(found[indices], want, rtol=1e-12)


def points_along(draw, way, step=0.25):
    """Returns points of a way of cells at steps of 0.25 m, beside the centres, as [x, y, z]."""
    places = (way[:: round(step / RESOLUTION)][:, ::-1] + 0.5) * RESOLUTION
    places = np.round(places + draw.uniform(-0.04, 0.04, places.shape), 4)
    return np.insert(places, 1, 0.0, axis=1).tolist()


def make(folder, floors, episodes, draw):
    """Writes grids, a dataset, dense references and an agent's positions; returns the last three."""
    (folder / "grids").mkdir()
    listed, dense, agent = [], {}, {}
    for s, (free, graph, cells) in enumerate(floors):
        np.save(folder / "grids" / f"s{s}.npy", free)
        about = {"scan": f"s{s}", "resolution": RESOLUTION, "origin": [0, 0], "up": "y"}
        (folder / "grids" / f"s{s}.json").write_text(json.dumps({**about, "free": f"s{s}.npy"}))
        starts = draw.integers(0, len(cells), 100)
        _, before = dijkstra(graph, indices=starts, return_predecessors=True)
        for k in range(s, episodes, len(floors)):
            start = draw.integers(len(starts))
            ways = []
            while len(ways) < 2:
                way = [int(draw.integers(len(cells)))]
                while way[-1] != starts[start]:
                    way.append(before[start, way[-1]])
                if 40 <= len(way) <= 140:
                    ways.append(cells[np.array(way[::-1])])
            reference, walked = (points_along(draw, way) for way in ways)
            dense[str(k)] = {"locations": reference}
            agent[str(k)] = walked
            listed.append(
                {
                    "episode_id": str(k),
                    "scene_id": f"mp3d/s{s}/s{s}.glb",
                    "start_position": reference[0],
                    "goals": [{"position": reference[-1]}],
                    "info": {"geodesic_distance": 1.0},
                    "reference_path": reference[::6] + reference[-1:],
                }
            )
    files = folder / "val.json", folder / "gt.json", folder / "agent.json"
    for file, content in zip(files, ({"episodes": listed}, dense, agent)):
        file.write_text(json.dumps(content))
    return files


def by_warpath(program, files, folder):
    """Returns the processor seconds of `warpath eval` and its rows."""
    out = folder / "out.csv"
    dataset, dense, agent = map(str, files)
    arguments = ["--dataset", dataset, "--ground-truth", dense, "--grid", str(folder / "grids")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [program, "eval", *arguments, agent, "--preset", "vlnce", "--csv", str(out)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with out.open(newline="") as text:
        return seconds, {row["instr_id"]: row for row in csv.DictReader(text)}


def without_repeats(cells):
    return cells[np.insert(np.diff(cells) != 0, 0, True)]


def by_scipy(files, floors, episodes):
    """Returns the scores of the first episodes, by a Dijkstra from each cell of both paths."""
    dataset, dense, agent = (json.loads(file.read_text()) for file in files)
    trees = [cKDTree((cells + 0.5) * RESOLUTION) for _, _, cells in floors]
    scores = {}
    for episode in dataset["episodes"][:: max(1, len(dataset["episodes"]) // episodes)][:episodes]:
        name = episode["episode_id"]
        s = int(pathlib.Path(episode["scene_id"]).stem[1:])
        paths = []
        for points in (dense[name]["locations"], agent[name]):
            _, cells = trees[s].query(np.array(points)[:, [2, 0]])
            paths.append(without_repeats(cells))
        reference, query = paths
        sources, where = np.unique(np.concatenate(paths), return_inverse=True)
        rows = dijkstra(floors[s][1], indices=sources)
        of_reference, of_query = where[: len(reference)], where[len(reference) :]
        between = rows[of_reference][:, query]
        cost = np.full((len(reference) + 1, len(query) + 1), np.inf)
        cost[0, 0] = 0.0
        for i in range(len(reference)):
            for j in range(len(query)):
                least = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
                cost[i + 1, j + 1] = between[i, j] + least
        length = rows[of_query[:-1], query[1:]].sum()
        to_goal = between[-1]
        shortest = rows[of_reference[-1], reference[0]]
        success = float(to_goal[-1] < 3.0)
        ndtw = np.exp(-cost[-1, -1] / (3.0 * len(reference)))
        scores[name] = {
            "PL": length,
            "NE": to_goal[-1],
            "ONE": to_goal.min(),
            "SR": success,
            "OSR": float(to_goal.min() < 3.0),
            "SPL": success * shortest / max(shortest, length),
            "nDTW": ndtw,
            "SDTW": success * ndtw,
        }
    return scores


def differing(rows, scores):
    """Returns names of episodes and metrics whose values differ."""
    return [
        f"{name} {metric}: {rows[name][metric]} {value}"
        for name, values in scores.items()
        for metric, value in values.items()
        if abs(float(rows[name][metric]) - value) > 1e-4 * max(1.0, value)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpath")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--peer", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    draw = np.random.default_rng(1)
    floors = []
    for _ in range(SCANS):
        free = floor(draw)
        floors.append((free, *graph_of(free)))
    are_equal = time_searches(floors[0][1], floors[0][0], given.rounds)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        files = make(folder, floors, given.episodes, draw)
        ours, peer = [], []
        for _ in range(given.rounds):
            seconds, rows = by_warpath(os.path.abspath(given.warpath), files, folder)
            ours.append(seconds / given.episodes)
            seconds, scores = processor_seconds(lambda: by_scipy(files, floors, given.peer))
            peer.append(seconds / len(scores))
    mine, theirs = np.median(ours), np.median(peer)
    print(
        f"episodes: {given.episodes} of {SCANS} grids  warpath {1e3 * mine:.3f} ms each  "
        f"NumPy and SciPy {1e3 * theirs:.1f} ms  ratio {theirs / mine:.0f}"
    )
    wrong = differing(rows, scores)
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return 0 if are_equal and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())

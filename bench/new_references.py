#!/usr/bin/env python3
"""Times rewards of batches that bring their own references, as they do in back-translation.

  bench/new_references.py [CONNECTIVITY] [--rounds N] [--threads N]

A batch is B rollouts, eight of each reference, in the scans of the folder CONNECTIVITY, or in 59
made-up ones. "fixed" rewards rollouts whose references stay; "set" gives the object the batch's
references first; "anew" makes an object of the same Graphs; "apart" makes one of other Graphs,
which have no tables yet: what each batch would cost if nothing were kept. Times are milliseconds,
wall clock and processor, the least of --rounds, which take turns. Exit code 1 where rewards
differ."""

import argparse
import pathlib
import sys
import time

import numpy as np
import warpath

GROUP, LENGTH = 8, 20
SUFFIX = "_connectivity.json"


def made_up(draw):
    """Makes scans of some 120 viewpoints, whose edges form a tree, and some more."""

    def graph(size):
        edges = {(k, int(draw.integers(k))) for k in range(1, size)}
        edges |= {(k, k - 2) for k in range(2, size, 3)}
        positions = draw.uniform(0, 30, (size, 3))
        return warpath.Graph([f"v{k}" for k in range(size)], sorted(edges), positions)

    return {f"scan{k}": graph(int(draw.integers(60, 180))) for k in range(59)}


def neighbours_in(graphs, scan):
    """Returns the neighbours of each viewpoint."""
    joined = [[] for _ in graphs.viewpoints(scan)]
    for a, b in graphs.edges(scan).tolist():
        joined[a].append(b)
        joined[b].append(a)
    return joined


def walk(draw, joined, length):
    """Returns viewpoints of a walk that begins where an edge leads from."""
    at = int(draw.choice([k for k, others in enumerate(joined) if others]))
    path = [at]
    while len(path) < length:
        path.append(int(draw.choice(joined[path[-1]])))
    return path


def make_batch(draw, graphs, joined, count):
    """Returns references by id, their scans, rollouts, and the reference of each."""
    names = list(joined)
    scans = [names[int(draw.integers(len(names)))] for _ in range(count // GROUP)]
    ids = {scan: graphs.viewpoints(scan) for scan in names}
    paths = [walk(draw, joined[scan], int(draw.integers(5, 8))) for scan in scans]
    references = [[ids[scan][v] for v in path] for scan, path in zip(scans, paths)]
    reference = np.repeat(np.arange(len(scans)), GROUP)
    walks = [walk(draw, joined[scans[r]], int(draw.integers(4, LENGTH))) for r in reference]
    nodes, _ = graphs.encode(walks, [scans[r] for r in reference])
    return references, scans, nodes, reference


def measure(source, graphs, batch, options):
    """Prints the row of a batch."""
    references, scans, nodes, reference = batch

    def rewards(of):
        return warpath.Rewards(of, references, scans, threads=options.threads)

    fixed, changing, empty = rewards(graphs), rewards(graphs), []

    def from_changed():
        changing.set_references(references, scans)
        return changing

    ways = {
        "fixed": lambda: fixed,
        "set": from_changed,
        "anew": lambda: rewards(graphs),
        "apart": lambda: rewards(empty.pop()),
    }
    least = {way: [float("inf")] * 2 for way in ways}
    want = fixed.compute(nodes, reference=reference).reward
    for _ in range(options.rounds):
        for way, made in ways.items():
            if way == "apart":
                empty.append(warpath.Graphs(source))
                for scan in scans:
                    empty[0].viewpoints(scan)  # its file is read
            begin = time.perf_counter(), time.process_time()
            got = made().compute(nodes, reference=reference).reward
            taken = time.perf_counter() - begin[0], time.process_time() - begin[1]
            least[way] = [min(pair) for pair in zip(least[way], taken)]
            if got.tobytes() != want.tobytes():
                sys.exit(f"new_references: {len(nodes)} rollouts: '{way}' has other rewards")
    cells = (f"{1e3 * wall:8.2f} {1e3 * cpu:8.2f}" for wall, cpu in least.values())
    print(f"{len(nodes):8} {len(references):10} {len(set(scans)):6}  " + "   ".join(cells))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("connectivity", nargs="?")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rollouts", type=int, nargs="+", default=[64, 4096])
    options = parser.parse_args()
    draw = np.random.default_rng(1)
    if options.connectivity is None:
        source = made_up(draw)
        scans = list(source)
    else:
        source = options.connectivity
        files = sorted(pathlib.Path(source).glob(f"*{SUFFIX}*"))
        scans = [file.name.split(SUFFIX)[0] for file in files][:59]
    graphs = warpath.Graphs(source)
    joined = {scan: neighbours_in(graphs, scan) for scan in scans}
    print("rollouts references  scans    fixed      CPU        set      CPU       anew      CPU"
          "      apart      CPU  ms")
    for count in options.rollouts:
        measure(source, graphs, make_batch(draw, graphs, joined, count), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())

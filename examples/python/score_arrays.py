#!/usr/bin/env python3
"""Scores paths in memory with one `Scorer`: ids, padded arrays, arrays with offsets, points."""

from __future__ import annotations

import numpy as np
import warpath


def make_street(size: int) -> warpath.Graph:
    """Makes viewpoints in a row, 2 m apart, each joined to the next."""
    numbers = np.arange(size)
    return warpath.Graph(
        viewpoints=[f"v{k}" for k in numbers],
        edges=np.stack([numbers[:-1], numbers[1:]], axis=1),
        positions=np.stack([2.0 * numbers, 0 * numbers, 0 * numbers], axis=1),
    )


def main() -> None:
    # A folder of connectivity files or a networkx graph would do, too.
    graphs = warpath.Graphs({"street": make_street(6)})
    scorer = warpath.Scorer(graphs, metrics=["SR", "SPL", "nDTW"])

    # Ids of viewpoints, as prediction files have them. Query k belongs to reference k.
    scores = scorer.score(
        references=[["v0", "v1", "v2"], ["v2", "v3", "v4", "v5"]],
        queries=[["v0", "v1", "v2", "v3"], ["v2", "v3"]],
        scans="street",
    )
    print("ids    ", scores["nDTW"])  # float64 [pairs]

    # Numbers of viewpoints in rows, -1 behind the end of a path.
    references = np.array([[0, 1, 2, -1], [2, 3, 4, 5]])
    queries = np.array([[0, 1, 2, 3], [2, 3, -1, -1]])
    print("padded ", scorer.score(references, queries, "street")["nDTW"])

    # The same one after the other: path p is elements[offsets[p]:offsets[p + 1]]. Elements of 32
    # bits and offsets of 64 are read where they are.
    packed = warpath.CsrPaths(np.array([0, 1, 2, 3, 2, 3], np.int32), np.array([0, 4, 6]))
    print("offsets", scorer.score(references, packed, "street")["nDTW"])

    # Columns of your own: a row for each metric, in the order of scorer.metrics.
    out = np.empty((len(scorer.metrics), 2), np.float32)
    scorer.score(references, queries, "street", out=out)
    print("out    ", out[scorer.metrics.index("nDTW")])

    # Statistics without scores: exact sums, so batches can be merged in any order.
    statistics = scorer.statistics(references, queries, "street")
    statistics.merge(scorer.statistics(references, references, "street"))
    spl = statistics.of("SPL")
    print("SPL    ", spl.mean, "over", spl.n, "pairs")

    # Points in metres instead of viewpoints: floats [pairs, length, 3], NaN behind the end.
    x = np.arange(5.0)
    path = np.stack([x, np.zeros(5), np.zeros(5)], axis=1)
    points = warpath.Scorer(metrics="nDTW").score(path[None], path[None] + [0, 0.5, 0])
    print("points ", points["nDTW"])


if __name__ == "__main__":
    main()

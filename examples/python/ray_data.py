"""Scores rollouts with Ray Data: each actor holds a scorer, and batches of rows go through it.

    python ray_data.py [GRAPHS ROLLOUTS]

GRAPHS is a folder of connectivity files. ROLLOUTS is a file of JSON Lines with ``scan``,
``reference`` and ``prediction`` (lists of viewpoints), the form of ``warpath eval --pairs``.
Without them the example makes a scan and rollouts. It needs ray[data].
"""

from __future__ import annotations

import logging
import os
import random
import sys
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before ray is imported

import numpy as np
import ray
import ray.data
import warpath

metrics = ["SR", "SPL", "nDTW"]


class ScoreRollouts:
    """Adds a column for each metric to batches of rollouts.

    Ray makes an object in each actor, and calls it with batches: the scorer and its tables of
    distances stay from one batch to the next. One thread for each actor, as Ray reserves one core.

    Args:
        graphs: a folder, or a graph of each scan. Graphs are made here, so that Ray can restart an
            actor from arguments that are small.
    """

    def __init__(self, graphs: str | dict[str, warpath.Graph]) -> None:
        self.scorer = warpath.Scorer(warpath.Graphs(graphs), preset="r2r", metrics=metrics, threads=1)

    def __call__(self, batch: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]:
        scores = self.scorer.score(
            batch["reference"].tolist(), batch["prediction"].tolist(), batch["scan"].tolist()
        )
        return {"scan": batch["scan"], **scores}


def make_rollouts(count: int) -> tuple[dict[str, warpath.Graph], list[dict[str, Any]]]:
    """Makes a scan, a grid of 6 x 6 viewpoints 2 m apart, and random walks on it."""
    draw = random.Random(1)
    cells = [(x, y) for x in range(6) for y in range(6)]
    edges = [
        (a, b)
        for a, (x, y) in enumerate(cells)
        for b, (u, v) in enumerate(cells)
        if a < b and abs(x - u) + abs(y - v) == 1
    ]
    near = {a: [b for edge in edges if a in edge for b in edge if b != a] for a in range(36)}
    graph = warpath.Graph(
        [f"cell{a}" for a in range(36)], edges, [(2.0 * x, 2.0 * y, 0.0) for x, y in cells]
    )

    def walk(steps: int) -> list[str]:
        path = [14]
        for _ in range(steps):
            path.append(draw.choice(near[path[-1]]))
        return [f"cell{a}" for a in path]

    rollouts = [
        {"scan": "grid", "reference": walk(5), "prediction": walk(draw.randrange(9))}
        for _ in range(count)
    ]
    return {"grid": graph}, rollouts


def main(arguments: list[str]) -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    graphs: str | dict[str, warpath.Graph]
    if arguments:
        graphs = arguments[0]
        rollouts = ray.data.read_json(arguments[1], lines=True)
    else:
        graphs, made = make_rollouts(1000)
        rollouts = ray.data.from_items(made)
    scored = rollouts.map_batches(
        ScoreRollouts,
        fn_constructor_args=(graphs,),
        batch_size=256,
        concurrency=1,  # actors; on a cluster as many as there are cores to spare
    ).materialize()

    # Exact sums: the means do not depend on how Ray divides the rows.
    sums = {metric: warpath.Statistics.of_unit("fraction") for metric in metrics}
    for batch in scored.iter_batches(batch_size=4096):
        for metric, statistics in sums.items():
            statistics.add(batch[metric])
    print(f"{scored.count()} rollouts")
    for metric, statistics in sums.items():
        print(f"{metric:5} {statistics.mean:.6f}")
    ray.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])

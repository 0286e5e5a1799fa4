"""Made-up agents on made-up paths, for tests of what compares and shows agents."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import warpath
from conftest import Maze


class World:
    """A dataset with several instructions a path, and agents that leave its paths at random."""

    def __init__(self, paths: int, seed: int = 3) -> None:
        self.maze = Maze(seed, scans=3, size=20)
        self.draw = np.random.default_rng(seed)
        self.dataset: list[dict[str, Any]] = []
        for k in range(paths):
            scan = str(self.draw.choice(self.maze.names))
            path = self.maze.walk(scan, int(self.draw.integers(2, 7)))
            self.dataset.append(
                {
                    "path_id": k,
                    "scan": scan,
                    "path": [f"{scan}_{node}" for node in path],
                    "instructions": [""] * int(self.draw.integers(1, 5)),
                }
            )

    def agent(self, wander: float) -> dict[str, Any]:
        """Returns predictions that follow the path, and then walk on."""
        out = {}
        for entry in self.dataset:
            for k in range(len(entry["instructions"])):
                steps = list(entry["path"][: 1 + int(self.draw.integers(len(entry["path"])))])
                while self.draw.random() < wander:
                    scan, node = steps[-1].rsplit("_", 1)
                    near = self.maze.neighbours[scan][int(node)]
                    steps.append(f"{scan}_{self.draw.choice(near)}")
                out[f"{entry['path_id']}_{k}"] = [[step] for step in steps]
        return out

    def evaluate(self, *agents: dict[str, Any], **options: Any) -> warpath.results.Evaluation:
        options.setdefault("names", [f"agent{k}" for k in range(len(agents))])
        # Lists of a dict with every prediction: one agent each.
        forms = [[{"instr_id": i, "trajectory": t} for i, t in a.items()] for a in agents]
        return warpath.evaluate(forms, self.dataset, self.maze.graphs, **options)


POSITIONS = [[0.0, 0, 0], [2, 0, 0], [4, 0, 0]]
ITEMS = [
    {"path_id": 0, "scan": "s", "path": ["a", "b", "c"], "instructions": [""]},
    {"path_id": 1, "scan": "s", "path": ["b", "c"], "instructions": [""]},
]


def graphs() -> warpath.Graphs:
    """The scan of these items: three viewpoints in a row."""
    graph = warpath.Graph(["a", "b", "c"], [(0, 1), (1, 2)], positions=POSITIONS)
    return warpath.Graphs({"s": graph})


def evaluate_ends(*ends: str, **options: Any) -> warpath.results.Evaluation:
    """Evaluates agents whose first path is right and whose second, from b, ends somewhere."""
    agents = [
        [
            {"instr_id": "0_0", "trajectory": [["a"], ["b"], ["c"]]},
            {"instr_id": "1_0", "trajectory": [["b"]] if end == "b" else [["b"], [end]]},
        ]
        for end in ends
    ]
    return warpath.evaluate(agents, ITEMS, graphs(), **options)


def saved(evaluation: warpath.results.Evaluation, file: pathlib.Path) -> pathlib.Path:
    evaluation.to_json(file, items=True)
    return file

"""Reads the pages that warpath.report writes, and makes agents to report on."""

from __future__ import annotations

import base64
import gzip
import json
import pathlib
import re
from typing import Any, NamedTuple

import numpy as np
import warpath
from conftest import Maze


class Page(NamedTuple):
    text: str
    meta: dict[str, Any]
    data: dict[str, Any]

    def item(self, name: str) -> int:
        found: int = self.data["ids"].index(name)
        return found

    def value(self, metric: str, agent: int, item: int) -> float | None:
        digits = next(m["digits"] for m in self.meta["metrics"] if m["name"] == metric)
        whole = self.data["values"][metric][agent][item]
        return None if whole is None else whole / 10**digits

    def path(self, which: str, agent: int, item: int) -> list[str]:
        """Returns the viewpoints of a path that the page draws."""
        drawings = self.data["drawings"]
        number = drawings[which][self.data["detailed"].index(item)][agent]
        if number < 0:
            return []
        names = drawings["scans"][self.data["scans"][self.data["scan"][item]]]["viewpoints"]
        return [names[node] for node in drawings["paths"][number]]

    def alignment(self, agent: int, item: int) -> Any:
        return self.data["drawings"]["alignment"][self.data["detailed"].index(item)][agent]


def read_page(path: pathlib.Path) -> Page:
    text = path.read_text(encoding="utf-8")
    meta = re.search(r'<script type="application/json" id="meta">(.*?)</script>', text, re.S)
    data = re.search(r'<script type="text/plain" id="data">(.*?)</script>', text, re.S)
    assert meta and data
    unpacked = gzip.decompress(base64.b64decode(data[1]))
    return Page(text, json.loads(meta[1]), json.loads(unpacked))


def warping(alignment: Any) -> list[tuple[int, int]]:
    """Returns the pairs of positions that an alignment joins, as the page's program finds them."""
    pairs = [(0, 0)]
    for move in alignment[0]:
        r, q = pairs[-1]
        pairs.append((r + (move != "q"), q + (move != "r")))
    return pairs


class Study(NamedTuple):
    """Holds a maze with a dataset and two agents."""

    graphs: warpath.Graphs
    dataset: list[dict[str, Any]]
    agents: dict[str, dict[str, list[str]]]

    def evaluate(self, **settings: Any) -> warpath.results.Evaluation:
        return warpath.evaluate(
            [[{"instr_id": k, "trajectory": [[v] for v in p]} for k, p in agent.items()]
             for agent in self.agents.values()],
            self.dataset,
            self.graphs,
            names=list(self.agents),
            **settings,
        )

    def write(self, folder: pathlib.Path) -> list[str]:
        """Writes the files that ``warpath eval`` takes, and returns its arguments."""
        graphs = {
            scan: {
                "viewpoints": self.graphs.viewpoints(scan),
                "positions": np.asarray(self.graphs.positions(scan)).tolist(),
                "edges": self.graphs.edges(scan).tolist(),
            }
            for scan in {entry["scan"] for entry in self.dataset}
        }
        (folder / "graphs").mkdir()
        for scan, graph in graphs.items():
            file = folder / "graphs" / f"{scan}_connectivity.json"
            file.write_text(json.dumps(matterport(graph)))
        (folder / "dataset.json").write_text(json.dumps(self.dataset))
        for name, agent in self.agents.items():
            entries = [
                {"instr_id": k, "trajectory": [[v, 0, 0] for v in path]} for k, path in agent.items()
            ]
            (folder / f"{name}.json").write_text(json.dumps(entries))
        files = [str(folder / f"{name}.json") for name in self.agents]
        inputs = ["--graphs", str(folder / "graphs"), "--dataset", str(folder / "dataset.json")]
        return inputs + files


def items_of(scan: str, path: list[str], path_id: Any = 0) -> list[dict[str, Any]]:
    """Returns a dataset of one path with two instructions."""
    return [
        {"path_id": path_id, "scan": scan, "path": path, "heading": 0, "instructions": ["", ""]}
    ]


def matterport(graph: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns a graph as connectivity files have it."""
    count = len(graph["viewpoints"])
    joined = np.zeros((count, count), bool)
    for a, b in graph["edges"]:
        joined[a, b] = joined[b, a] = True
    return [
        {
            "image_id": name,
            "pose": [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1],
            "included": True,
            "visible": row.tolist(),
            "unobstructed": row.tolist(),
            "height": 1.5,
        }
        for name, (x, y, z), row in zip(graph["viewpoints"], graph["positions"], joined)
    ]


def make_study(seed: int = 3, paths: int = 12) -> Study:
    maze = Maze(seed)
    references, _, scans = maze.pairs(paths)
    dataset = [
        {
            "path_id": k,
            "scan": scan,
            "heading": 0.0,
            "path": names,
            "instructions": ["", ""],
        }
        for k, (names, scan) in enumerate(zip(maze.ids(references, scans), scans))
    ]
    good, wild = {}, {}
    for entry, reference in zip(dataset, references):
        scan = str(entry["scan"])
        for k in range(2):
            name = f"{entry['path_id']}_{k}"
            good[name] = maze.ids([reference[: len(reference) - k] or reference], [scan])[0]
            steps = maze.walk(scan, 6)
            wild[name] = maze.ids([[reference[0], *steps]], [scan])[0]
    return Study(maze.graphs, dataset, {"good": good, "wild": wild})

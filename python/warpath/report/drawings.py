"""What a report draws of items: paths over the graph of their building, and their alignment.

Lengths are whole millimetres, viewpoints are numbers within their scan, and equal paths stand in
the file once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..graphs import Graphs
from ..results import Evaluation
from .runs import Items, Scored

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Drawings"]

_ids_per_call = 1000


class Drawings:
    """Collects what is drawn of some items.

    Args:
        graphs: the buildings; None draws nothing of them but the viewpoints that paths visit.
    """

    def __init__(
        self,
        sources: Sequence[Scored],
        items: Items,
        chosen: Sequence[int],
        graphs: Graphs | None,
    ) -> None:
        self._chosen = {items.keys[item]: place for place, item in enumerate(chosen)}
        self._scans = _Scans(graphs)
        self._paths: list[list[int]] = []
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        agents = len(items.rows)
        self._reference = [[-1] * agents for _ in chosen]
        self._query = [[-1] * agents for _ in chosen]
        self._goals: list[list[int]] = [[] for _ in chosen]
        self._alignment: list[list[Any]] = [[None] * agents for _ in chosen]
        first = 0
        self.is_continuous = False
        for source in sources:
            if source.evaluation is not None:
                self._read(source.evaluation, first)
            first += len(source.results.runs)

    def to_json(self) -> dict[str, Any]:
        return {
            "continuous": self.is_continuous,
            "scans": self._scans.to_json(),
            "paths": self._paths,
            "reference": self._reference,
            "query": self._query,
            "goals": self._goals,
            "alignment": self._alignment,
        }

    def _read(self, evaluation: Evaluation, first: int) -> None:
        known = set(evaluation.agents[0].per_item["instr_id"].tolist()).union(
            *(agent.per_item["instr_id"].tolist() for agent in evaluation.agents[1:])
        )
        ids = list(dict.fromkeys(name for name, _ in self._chosen if name in known))
        seen: dict[tuple[int, str], int] = {}
        for explained in _explained(evaluation, ids):
            row = (explained["run"], explained["instr_id"])
            occurrence = seen.get(row, 0)
            seen[row] = occurrence + 1
            place = self._chosen.get((explained["instr_id"], occurrence))
            if place is not None:
                self._add(place, first + explained["run"], explained)

    def _add(self, place: int, agent: int, explained: dict[str, Any]) -> None:
        if len(explained["query"]) == 0 and len(explained["query_positions"]) == 0:
            return
        self._reference[place][agent] = self._path(explained, "reference")
        self._query[place][agent] = self._path(explained, "query")
        scan = explained["scan"]
        self._goals[place] = [self._scans.node(scan, goal) for goal in explained["goals"]]
        self._alignment[place][agent] = _alignment(explained["distances"], explained["warping"])

    def _path(self, explained: dict[str, Any], which: str) -> int:
        """Returns the number of a path among those of the file."""
        names, positions = explained[which], explained[which + "_positions"]
        if names:
            scan = explained["scan"]
            path = self._scans.path(scan, names, positions)
        else:
            self.is_continuous = True
            if explained["is_z_up"]:  # a page's positions of episodes have y up
                positions = positions[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
            scan, path = "", _millimetres(positions)
        number = self._numbers.setdefault((scan, tuple(path)), len(self._paths))
        if number == len(self._paths):
            self._paths.append(path)
        return number


def _explained(evaluation: Evaluation, ids: list[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(ids), _ids_per_call):
        yield from evaluation._core.explain_items(ids[start : start + _ids_per_call])


class _Scans:
    """Holds the buildings that paths lie in."""

    def __init__(self, graphs: Graphs | None) -> None:
        self._graphs = graphs
        self._scans: dict[str, _Scan] = {}

    def node(self, scan: str, viewpoint: str) -> int:
        return self._get(scan).number(viewpoint)

    def path(self, scan: str, names: list[str], positions: npt.NDArray[np.float64]) -> list[int]:
        building = self._get(scan)
        nodes = [building.number(name) for name in names]
        for node, position in zip(nodes, positions.tolist()):
            building.positions[node] = position  # as scored, also where --coordinates moves it
        if self._graphs is None:
            building.edges.update((min(e), max(e)) for e in zip(nodes, nodes[1:]) if e[0] != e[1])
        return nodes

    def to_json(self) -> dict[str, Any]:
        return {name: scan.to_json() for name, scan in self._scans.items()}

    def _get(self, name: str) -> _Scan:
        if name not in self._scans:
            self._scans[name] = _Scan(name, self._graphs)
        return self._scans[name]


class _Scan:
    def __init__(self, name: str, graphs: Graphs | None) -> None:
        self.edges: set[tuple[int, int]] = set()
        self.positions: dict[int, list[float]] = {}
        names: list[str] = []
        if graphs is not None:
            names = graphs.viewpoints(name)
            self.edges.update((a, b) for a, b in graphs.edges(name).tolist())
            positions = graphs.positions(name)
            if positions is not None:
                self.positions.update(enumerate(positions.tolist()))
        self._number = {viewpoint: number for number, viewpoint in enumerate(names)}

    def number(self, viewpoint: str) -> int:
        return self._number.setdefault(viewpoint, len(self._number))

    def to_json(self) -> dict[str, Any]:
        names = list(self._number)
        has_positions = len(self.positions) == len(names)
        points = [self.positions[k] for k in range(len(names))] if has_positions else []
        return {
            "viewpoints": names,
            "positions": _millimetres(points) if has_positions else None,
            "edges": [end for edge in sorted(self.edges) for end in edge],
        }


def _millimetres(values: Any) -> list[int]:
    import numpy as np

    rounded: list[int] = np.rint(np.asarray(values, float).ravel() * 1000).astype(np.int64).tolist()
    return rounded


def _alignment(distances: npt.NDArray[np.float64], steps: list[tuple[int, int]]) -> Any:
    """Returns the moves of the warping, d(q, r) after each, and of every viewpoint the nearest one
    of the other path: [moves, distances, [q and d by r], [r and d by q]]; None for paths without
    finite distances."""
    import numpy as np

    if not steps or distances.size == 0 or not np.isfinite(distances).all():
        return None
    moves = "".join(
        "b" if (i > a and j > b) else "r" if i > a else "q"
        for (a, b), (i, j) in zip(steps, steps[1:])
    )
    near_q, near_r = distances.argmin(axis=1), distances.argmin(axis=0)
    return [
        moves,
        _millimetres([distances[i, j] for i, j in steps]),
        [*near_q.tolist(), *_millimetres(distances.min(axis=1))],
        [*near_r.tolist(), *_millimetres(distances.min(axis=0))],
    ]

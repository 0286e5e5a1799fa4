"""What a picture from above shows: paths as points with a place on the plan and a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..arguments import one_of
from ..errors import InputError, UsageError, Where
from ..evaluation import evaluate, evaluate_pairs
from ..graphs import Graphs, GraphsLike
from ..grids import Grid
from ..navmesh import NavMesh
from ..results import ExplainedItem

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["ItemLike", "QueriesLike", "Route", "Scene", "floor_levels", "make_scene"]

Points: TypeAlias = "npt.NDArray[np.float64]"
ItemLike: TypeAlias = "Mapping[str, Any] | ExplainedItem | Sequence[ExplainedItem]"
"""An entry of a dataset (a dict with ``scan`` and ``path``, or an episode of VLN-CE), or what
``result.explain_items(instr_id)`` returns, which has the queries with it."""
QueriesLike: TypeAlias = "Mapping[str, Sequence[Any]] | Sequence[Any] | None"
"""Paths by the names of their agents, or one path: ids of viewpoints, steps of a submission
(``[viewpoint, heading, elevation]``), positions in metres, or steps with a ``position``."""


@dataclass
class Route:
    """Holds a path: where its points lie, [points, 3] with z up, and what they are called.
    Unknown viewpoints have no position (NaN)."""

    name: str
    points: Points
    viewpoints: list[str] = field(default_factory=list)
    item: ExplainedItem | None = None
    """The scores of a query, with its warping."""
    scored: Points | None = None
    """The points that the warping names, where the convention leaves out repeats."""


@dataclass
class Scene:
    """Holds everything that a picture from above shows."""

    reference: Route
    queries: list[Route]
    threshold: float
    nodes: Points
    """Of the scan's viewpoints, z up."""
    edges: npt.NDArray[np.int64]
    levels: Points
    """The height of each floor, from the bottom."""
    outline: Points = field(default_factory=lambda: np.zeros((0, 2, 3)))
    """Of a navigation mesh: the ends of its border's edges, [edges, 2, 3], z up."""
    cells: Points = field(default_factory=lambda: np.zeros((0, 3)))
    """Of a grid: the centres of its free cells, [cells, 3], z up."""
    cell_size: float = 0.0
    """The side of a cell, metres."""

    @property
    def routes(self) -> list[Route]:
        """The reference, then the queries."""
        return [self.reference, *self.queries]

    def floors_of(self, points: Points) -> npt.NDArray[np.int64]:
        """Returns the number of the floor that each point is nearest to."""
        heights = np.nan_to_num(points[:, 2])
        floors: npt.NDArray[np.int64] = np.abs(heights[:, None] - self.levels[None, :]).argmin(1)
        return floors

    def visited(self) -> list[int]:
        """Returns the floors that the paths visit, from the bottom. Points between two floors, on
        stairs, do not count unless all are."""
        points = np.concatenate([route.points for route in self.routes])
        points = points[~np.isnan(points[:, 2])]
        if not len(points):
            return [0]
        floors = self.floors_of(points)
        near = np.abs(points[:, 2] - self.levels[floors]) <= 1.0
        return sorted(set(floors[near].tolist()) or set(floors.tolist()))


def floor_levels(heights: Sequence[float] | Points, storey: float = 2.0) -> Points:
    """Finds the heights of a building's floors: those with most viewpoints within 1 m, at least
    ``storey`` metres apart. Fewer than 2 % of the viewpoints are no floor but stairs.

    Returns:
        Heights in metres, from the bottom; at least one.
    """
    left = np.sort(np.asarray(heights, np.float64))
    left = left[~np.isnan(left)]
    total, levels = len(left), list[float]()
    while len(left):
        ends = np.searchsorted(left, left + 1.0, side="right")
        counts = ends - np.arange(len(left))
        first = int(counts.argmax())
        if counts[first] < 0.02 * total:
            break
        level = float(left[first : ends[first]].mean())
        if all(abs(level - other) >= storey for other in levels):
            levels.append(level)
        left = np.delete(left, np.arange(first, ends[first]))
    return np.array(sorted(levels) or [0.0])


def make_scene(
    graphs: GraphsLike | None,
    item: ItemLike,
    queries: QueriesLike,
    *,
    is_scored: bool,
    threshold: float | None,
    preset: str,
    settings: Mapping[str, Any],
    navmesh: NavMesh | None = None,
    grid: Grid | None = None,
) -> Scene:
    """Collects what a picture shows.

    Args:
        navmesh: on which positions lie, whose floors then count.
        grid: on whose cells they lie, whose floors then count.
        is_scored: whether queries need their warping, so that an entry's are scored.
        threshold: metres; None for the item's or the convention's.
    """
    store = None if graphs is None else Graphs(graphs)
    if not isinstance(item, Mapping):
        if queries is not None:
            raise UsageError("an explained item has its queries with it: give no others")
        items = [item] if isinstance(item, ExplainedItem) else list(item)
        scene = _of_items(store, items)
    else:
        scene = _of_entry(store, item, _named(queries))
        if is_scored and scene.queries:
            _score(scene, store, item, preset, settings)
    scored = [query.item.threshold for query in scene.queries if query.item is not None]
    if navmesh is not None:
        if scene.reference.viewpoints:
            raise UsageError("a mesh has positions on it, and the item's paths are of viewpoints")
        scene.outline = _upright(navmesh.outline).reshape(-1, 2, 3)
        scene.levels = floor_levels(scene.outline[:, :, 2].ravel())
    if grid is not None:
        if navmesh is not None or graphs is not None:
            raise UsageError("positions lie on a grid, a mesh or a graph: give one of them")
        one_of("grid", grid, Grid, "give a warpath.Grid")
        scene.cells = grid.centres if grid.up == "z" else _upright(grid.centres)
        scene.cell_size = grid.resolution
        scene.levels = floor_levels(scene.cells[:, 2])
    scene.threshold = threshold or float(settings.get("threshold", scored[0] if scored else 3.0))
    return scene


def _named(queries: QueriesLike) -> dict[str, Sequence[Any]]:
    if queries is None:
        return {}
    if isinstance(queries, Mapping):
        return {str(name): path for name, path in queries.items()}
    return {"query": queries}


def _upright(points: Any) -> Points:
    """Returns positions of VLN-CE, whose y is up and whose z points to the front, with z up."""
    values = np.asarray(points, np.float64).reshape(-1, 3)
    return np.stack([values[:, 0], -values[:, 2], values[:, 1]], 1)


def _of_items(store: Graphs | None, items: Sequence[ExplainedItem]) -> Scene:
    drawn = [item for item in items if len(item.reference_positions)]
    if not drawn:
        problem = f"has status {items[0].status}" if items else "is no item"
        if items and items[0].reference:
            problem = "lies on a graph without positions"
        raise InputError.at(
            Where("item", items[0].instr_id if items else ""),
            f"{problem}: there is nothing to draw",
            "give the dataset's entry and the queries instead, or graphs with positions",
        )
    is_z_up = drawn[0].is_z_up

    def place(points: Points) -> Points:
        return points if is_z_up else _upright(points)

    first = drawn[0]
    for other in drawn:
        if (other.instr_id, other.scan) != (first.instr_id, first.scan):
            raise UsageError("items of one picture are of one instr_id, one for each agent")
    reference = Route("reference", place(first.reference_positions), first.reference)
    queries = [Route(i.agent, place(i.query_positions), i.query, i) for i in drawn]
    for query in queries:
        query.scored = query.points
    return _with_graph(store, first.scan, reference, queries)


def _of_entry(
    store: Graphs | None, entry: Mapping[str, Any], queries: Mapping[str, Sequence[Any]]
) -> Scene:
    if "reference_path" in entry or "episode_id" in entry:
        if any(np.size(point) != 3 for point in entry["reference_path"]):
            raise InputError.at(
                Where("item", str(entry.get("episode_id", "")), "reference_path"),
                "has poses, not positions of three numbers",
                "draw a flight by what explain_items of its evaluation returns",
            )
        reference = Route("reference", _upright(entry["reference_path"]))
        routes = [Route(name, _upright(_positions(path))) for name, path in queries.items()]
        return _with_graph(None, "", reference, routes)
    if "scan" not in entry or "path" not in entry:
        raise InputError.at(
            Where("item"),
            f"has the keys {', '.join(map(str, entry))}",
            "give an entry of a dataset, with scan and path",
        )
    scan, graphs = str(entry["scan"]), _given(store)
    positions = graphs.positions(scan)
    if positions is None:
        raise InputError.at(
            Where("graphs", f"scan {scan}"), "has no positions", "give a graph with positions"
        )
    index = {name: k for k, name in enumerate(graphs.viewpoints(scan))}

    def route(name: str, path: Sequence[Any]) -> Route:
        names = [_viewpoint(step) for step in path]
        known = [positions[index[n]] if n in index else [np.nan] * 3 for n in names]
        return Route(name, np.array(known, np.float64).reshape(-1, 3), names)

    routes = [route(name, path) for name, path in queries.items()]
    return _with_graph(store, scan, route("reference", entry["path"]), routes)


def _viewpoint(step: Any) -> str:
    if isinstance(step, str):
        return step
    if isinstance(step, Mapping):
        return str(step.get("viewpoint") or step.get("viewpointId") or step.get("viewpoint_id"))
    return str(step[0]) if isinstance(step, (list, tuple)) else str(step)


def _positions(path: Sequence[Any]) -> list[Any]:
    return [step["position"] if isinstance(step, Mapping) else step for step in path]


def _with_graph(store: Graphs | None, scan: str, reference: Route, queries: list[Route]) -> Scene:
    nodes, edges = np.zeros((0, 3)), np.zeros((0, 2), np.int64)
    if store is not None and scan:
        found = store.positions(scan)
        if found is not None:
            nodes, edges = found, store.edges(scan)
    heights = nodes[:, 2]
    if not len(nodes):
        heights = np.concatenate([route.points[:, 2] for route in [reference, *queries]])
    return Scene(reference, queries, 3.0, nodes, edges, floor_levels(heights))


def _score(
    scene: Scene,
    store: Graphs | None,
    entry: Mapping[str, Any],
    preset: str,
    settings: Mapping[str, Any],
) -> None:
    """Scores the queries, each as an agent's only prediction, and keeps what explains them. One
    that cannot be scored keeps nothing."""
    settings = {"start": "note", "adjacency": "note", **settings, "invalid": "skip"}
    for query in scene.queries:
        if not len(query.points) or np.isnan(query.points).any():
            continue
        if query.viewpoints:
            # Another pair that has a score: an evaluation without any is refused, and so is one
            # whose references have one viewpoint each, as test splits have.
            other = [*scene.reference.viewpoints, scene.reference.viewpoints[0]]
            ends = [(scene.reference.viewpoints, query.viewpoints), (other, other)]
            pairs = [
                {"id": str(k), "scan": entry["scan"], "reference": r, "prediction": q}
                for k, (r, q) in enumerate(ends)
            ]
            item = "0"
            result = evaluate_pairs(pairs, _given(store), preset=preset, **settings)
        else:
            item = str(entry.get("episode_id", 0))
            front = np.stack([query.points[:, 0], query.points[:, 2], -query.points[:, 1]], 1)
            path = list(entry["reference_path"])
            usual = {"episode_id": 0, "scene_id": "scene", "start_position": path[0]}
            usual |= {"goals": [{"position": path[-1]}], "info": {"geodesic_distance": 0.0}}
            dataset = {"episodes": [{**usual, **entry}]}
            result = evaluate({item: front.tolist()}, dataset, store, preset=preset, **settings)
        found = result.explain_items(item)[0]
        query.scored = found.query_positions if found.query else _upright(found.query_positions)
        query.item = found


def _given(store: Graphs | None) -> Graphs:
    if store is None:
        raise UsageError("give graphs: the item's paths are of viewpoints")
    return store

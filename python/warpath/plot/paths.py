"""Pictures of paths from above."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ..arguments import Setting
from ..errors import UsageError
from ..graphs import GraphsLike
from ..grids import Grid
from ..navmesh import NavMesh
from .path_legend import add_legend, legend_rows
from .plan import FloorPlan, Limits, Options, draw, goal_of
from .scene import ItemLike, QueriesLike, Scene, make_scene
from .style import COLUMN_WIDTH, style

__all__ = ["FloorPlan", "floors", "path"]


def path(
    graphs: GraphsLike | None,
    item: ItemLike,
    queries: QueriesLike = None,
    *,
    alignment: bool = False,
    floor: int | None = None,
    floor_plan: FloorPlan | None = None,
    threshold: float | None = None,
    margin: float | None = 1.0,
    legend: bool = True,
    navmesh: NavMesh | None = None,
    grid: Grid | None = None,
    preset: str = "paper",
    ax: Axes | None = None,
    **settings: Setting,
) -> Axes:
    """Draws an item's reference and queries from above over the building's graph.

    Each step of a path is a line with arrows along it; steps along one edge lie side by side, and a
    step that is no edge of the graph is dotted. A ring is the start, a star the goal with a circle
    of the threshold around it, and a dot of the query's colour its end.

    Args:
        graphs: see ``warpath.Graphs``; None for positions.
        item: an entry of a dataset (a dict with ``scan`` and ``path``, or an episode of VLN-CE), or
            what ``result.explain_items(instr_id)`` returns.
        queries: a dict from the names of agents to paths, or one path: ids of viewpoints, steps of
            a submission, or positions. None for an explained item's own, or the reference alone.
        alignment: adds the warping that DTW is computed by, as dashed links (Ilharco et al. 2019,
            Figure 1). Those between one viewpoint and itself have no length.
        floor: number of the floor to draw, from the bottom, from 1. None for all that the paths
            visit: a panel for each on a new figure (see ``floors``), one over the other on ``ax``.
        floor_plan: drawn behind it.
        threshold: metres, None for the item's or the convention's.
        margin: metres to show around the paths; None for the whole floor.
        navmesh: of positions, the mesh that they lie on, whose outline is drawn behind them.
        grid: of positions, the grid whose cells they stand for. Where no cell is free is grey.
        preset, settings: the convention that queries of an entry are scored by for their warping.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Returns:
        The Axes, or those of the lowest floor; ``ax.figure.axes`` has all.

    Raises:
        InputError: the item has nothing to draw, or a path cannot be used.
        UsageError: there is no such floor, or arguments exclude each other.
    """
    scene = make_scene(
        graphs,
        item,
        queries,
        is_scored=alignment,
        threshold=threshold,
        preset=preset,
        settings=settings,
        navmesh=navmesh,
        grid=grid,
    )
    drawn = _floors_to_draw(scene, floor)
    options = Options(alignment, floor_plan, margin, legend)
    if ax is None:
        return _new_panels(scene, [[f] for f in drawn], options)[0]
    draw(ax, scene, drawn, options, _with_room_for_the_scale(_limits(scene, drawn, margin), 1))
    return ax


def floors(
    graphs: GraphsLike | None,
    item: ItemLike,
    queries: QueriesLike = None,
    *,
    alignment: bool = False,
    floor_plans: Sequence[FloorPlan | None] | None = None,
    threshold: float | None = None,
    margin: float | None = 1.0,
    legend: bool = True,
    navmesh: NavMesh | None = None,
    grid: Grid | None = None,
    preset: str = "paper",
    axes: Sequence[Axes] | None = None,
    **settings: Setting,
) -> list[Axes]:
    """Draws what ``path`` draws, in a panel for each floor that the paths visit, all of the same
    part of the building. A step between two floors is in the panels of both, a link of the warping
    in that of its reference's end.

    Args:
        floor_plans: one for each panel, from the bottom.
        axes: Axes to draw on, at least as many as there are floors; None for new ones.
        others: as in ``path``.

    Returns:
        The Axes of each floor, from the bottom.

    Raises:
        InputError, UsageError: as ``path``.
    """
    scene = make_scene(
        graphs,
        item,
        queries,
        is_scored=alignment,
        threshold=threshold,
        preset=preset,
        settings=settings,
        navmesh=navmesh,
        grid=grid,
    )
    visited = scene.visited()
    options = Options(alignment, None, margin, legend)
    plans = list(floor_plans or [])
    if axes is None:
        return _new_panels(scene, [[floor] for floor in visited], options, plans)
    if len(axes) < len(visited):
        raise UsageError(f"the paths visit {len(visited)} floors: give as many axes")
    limits = _with_room_for_the_scale(_limits(scene, visited, margin), 1)
    for k, (one, floor) in enumerate(zip(axes, visited)):
        draw(one, scene, [floor], options.of_panel(k, plans, k == len(visited) - 1), limits)
    return list(axes)[: len(visited)]


def _floors_to_draw(scene: Scene, floor: int | None) -> list[int]:
    if floor is None:
        return scene.visited()
    if not 1 <= floor <= len(scene.levels):
        raise UsageError(f"there is no floor {floor}; they are numbered 1 to {len(scene.levels)}")
    return [floor - 1]


def _new_panels(
    scene: Scene,
    panels: list[list[int]],
    options: Options,
    plans: Sequence[FloorPlan | None] = (),
) -> list[Axes]:
    shown = sorted({floor for panel in panels for floor in panel})
    limits = _limits(scene, shown, options.margin)
    count = len(panels)
    columns = min(count, _columns((limits[3] - limits[2]) / (limits[1] - limits[0]), count))
    limits = _with_room_for_the_scale(limits, columns)
    ratio = (limits[3] - limits[2]) / (limits[1] - limits[0])
    rows = -(-count // columns)
    height = min(COLUMN_WIDTH / columns * ratio, 4.0 if rows == 1 else 2.6)
    legend = 0.1 + 0.15 * legend_rows(scene, options.alignment) * options.legend
    titles = 0.18 * (len(scene.levels) > 1)
    size = (COLUMN_WIDTH, rows * (height + titles) + legend)
    with style():
        figure = plt.figure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        axes = list(grid.flat)
        for extra in axes[count:]:
            extra.remove()
        if count > 1 and options.legend:
            top = legend / size[1]
            figure.set_layout_engine(ConstrainedLayoutEngine(rect=(0, top, 1, 1 - top)))
            add_legend(figure, scene, options.alignment, top)
        figure.draw_without_rendering()
        for k, (ax, panel) in enumerate(zip(axes, panels)):
            draw(ax, scene, panel, options.of_panel(k, plans, count == 1), limits)
    return axes[:count]


def _columns(ratio: float, count: int) -> int:
    """Returns how many panels of that height by width stand side by side."""
    if ratio < 0.6:
        return 1
    return 3 if count > 2 and ratio > 0.8 else 2


def _with_room_for_the_scale(limits: Limits, columns: int) -> Limits:
    """Adds a strip at the lower edge, 13 points high where so many panels fill a column."""
    left, right, bottom, top = limits
    return left, right, bottom - 13 / (COLUMN_WIDTH * 72) * columns * (right - left), top


def _limits(scene: Scene, floors: Sequence[int], margin: float | None) -> Limits:
    """Returns the part of the plan to show."""
    shown = [r.points[np.isin(scene.floors_of(r.points), floors), :2] for r in scene.routes]
    goal = goal_of(scene, floors)
    if goal is not None:
        shown.append(goal[None, :2] + scene.threshold * np.array([[-1, -1], [1, 1]]))
    if margin is None:
        for nodes in (scene.nodes, scene.outline.reshape(-1, 3), scene.cells):
            shown.append(nodes[np.isin(scene.floors_of(nodes), floors), :2])
    points = np.concatenate(shown)
    points = points[~np.isnan(points).any(1)]
    if not len(points):
        points = np.zeros((1, 2))
    low, high = points.min(0), points.max(0)
    around = 0.5 if margin is None else margin
    # Nothing is shown narrower than half its length: a straight corridor would leave no room.
    least = max(4.0, 0.45 * float((high - low).max() + 2 * around))
    half = np.maximum((high - low) / 2 + around, least / 2)
    middle = (low + high) / 2
    left, bottom = middle - half
    right, top = middle + half
    return float(left), float(right), float(bottom), float(top)



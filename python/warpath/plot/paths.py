"""Pictures of paths from above."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from matplotlib.transforms import ScaledTranslation
from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

from ..arguments import Setting
from ..errors import UsageError
from ..graphs import GraphsLike
from .lanes import arrow_heads, lay_out, polyline
from .scene import ItemLike, QueriesLike, Route, Scene, make_scene
from .style import COLUMN_WIDTH, REFERENCE_COLOR, colors, markers, style

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["FloorPlan", "floors", "path"]

_GRAPH = "#c8c8c8"
_GOAL = "#F0E442"
_DASHES = (0, (2.5, 1.8))
_GOAL_FACE = "#ECF4F9"
_DARK = "#333333"


@dataclass(frozen=True)
class FloorPlan:
    """Holds the image of a floor plan, and where it lies.

    Attributes:
        image: a file, or an array [rows, columns] or [rows, columns, 3 or 4]; its first row is the
            upper one.
        scale: metres per pixel.
        origin: x and y of its lower left corner, metres, in the frame of the graph. For positions
            of VLN-CE, which have y up, that frame is x and -z.
    """

    image: str | os.PathLike[str] | npt.NDArray[Any]
    scale: float
    origin: tuple[float, float] = (0.0, 0.0)


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
            a submission, or positions. None for an explained item's own, or for the reference alone.
        alignment: adds the warping that DTW is computed by, as dashed links (Ilharco et al. 2019,
            Figure 1). Those between one viewpoint and itself have no length.
        floor: number of the floor to draw, from the bottom, from 1. None for all that the paths
            visit: a panel for each on a new figure (see ``floors``), one over the other on ``ax``.
        floor_plan: drawn behind it.
        threshold: metres, None for the item's or the convention's.
        margin: metres to show around the paths; None for the whole floor.
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
    )
    drawn = _floors_to_draw(scene, floor)
    options = _Options(alignment, floor_plan, margin, legend)
    if ax is None:
        return _new_panels(scene, [[f] for f in drawn], options)[0]
    _draw(ax, scene, drawn, options, _limits(scene, drawn, margin))
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
    )
    visited = scene.visited()
    options = _Options(alignment, None, margin, legend)
    plans = list(floor_plans or [])
    if axes is None:
        return _new_panels(scene, [[floor] for floor in visited], options, plans)
    if len(axes) < len(visited):
        raise UsageError(f"the paths visit {len(visited)} floors: give as many axes")
    limits = _limits(scene, visited, margin)
    for k, (one, floor) in enumerate(zip(axes, visited)):
        _draw(one, scene, [floor], options.of_panel(k, len(visited), plans), limits)
    return list(axes)[: len(visited)]


@dataclass(frozen=True)
class _Options:
    alignment: bool
    floor_plan: FloorPlan | None
    margin: float | None
    legend: bool

    def of_panel(self, k: int, count: int, plans: Sequence[FloorPlan | None]) -> _Options:
        plan = plans[k] if k < len(plans) else self.floor_plan
        return _Options(self.alignment, plan, self.margin, self.legend and k == count - 1)


def _floors_to_draw(scene: Scene, floor: int | None) -> list[int]:
    if floor is None:
        return scene.visited()
    if not 1 <= floor <= len(scene.levels):
        raise UsageError(f"there is no floor {floor}; they are numbered 1 to {len(scene.levels)}")
    return [floor - 1]


Limits = tuple[float, float, float, float]
"""x from and to, y from and to, metres."""


def _new_panels(
    scene: Scene,
    panels: list[list[int]],
    options: _Options,
    plans: Sequence[FloorPlan | None] = (),
) -> list[Axes]:
    shown = sorted({floor for panel in panels for floor in panel})
    limits = _limits(scene, shown, options.margin)
    ratio = (limits[3] - limits[2]) / (limits[1] - limits[0])
    count = len(panels)
    columns = count if count > 1 and ratio > 1.2 and count <= 3 else 1
    rows = -(-count // columns)
    height = min(COLUMN_WIDTH / columns * ratio, 4.0 if rows == 1 else 2.6)
    legend = 0.1 + 0.15 * _legend_rows(scene, options.alignment) * options.legend
    titles = 0.18 * (len(scene.levels) > 1)
    size = (COLUMN_WIDTH, rows * (height + titles) + legend)
    with style():
        figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        axes = list(grid.flat)
        for extra in axes[count:]:
            extra.set_axis_off()
        figure.draw_without_rendering()
        for k, (ax, panel) in enumerate(zip(axes, panels)):
            _draw(ax, scene, panel, options.of_panel(k, count, plans), limits)
    return axes[:count]


def _limits(scene: Scene, floors: Sequence[int], margin: float | None) -> Limits:
    """Returns the part of the plan to show."""
    shown = [r.points[np.isin(scene.floors_of(r.points), floors), :2] for r in _routes(scene)]
    goal = _goal(scene, floors)
    if goal is not None:
        shown.append(goal[None, :2] + scene.threshold * np.array([[-1, -1], [1, 1]]))
    if margin is None and len(scene.nodes):
        shown.append(scene.nodes[np.isin(scene.floors_of(scene.nodes), floors), :2])
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


def _routes(scene: Scene) -> list[Route]:
    return [scene.reference, *scene.queries]


def _goal(scene: Scene, floors: Sequence[int]) -> npt.NDArray[np.float64] | None:
    points = scene.reference.points
    if not len(points) or np.isnan(points[-1]).any():
        return None
    goal: npt.NDArray[np.float64] = points[-1]
    return goal if int(scene.floors_of(points[-1:])[0]) in floors else None


def _metres_per_point(ax: Axes, limits: Limits) -> float:
    """Returns how many metres a typographic point is, on Axes whose aspect is equal."""
    figure = ax.get_figure()
    assert figure is not None
    box = ax.get_position()
    width, height = figure.get_size_inches() * 72
    return float(
        max(
            (limits[1] - limits[0]) / (width * box.width),
            (limits[3] - limits[2]) / (height * box.height),
        )
    )


def _draw(
    ax: Axes, scene: Scene, floors: Sequence[int], options: _Options, limits: Limits
) -> None:
    metres = _metres_per_point(ax, limits)
    if options.floor_plan is not None:
        _draw_plan(ax, options.floor_plan)
    _draw_graph(ax, scene, floors)
    _draw_goal_circle(ax, scene, floors)
    routes = _routes(scene)
    shown = [_shown_steps(scene, route, floors) for route in routes]
    lanes = lay_out(routes, shown)
    for number in range(len(routes) - 1, -1, -1):
        _draw_route(ax, scene, number, shown[number], lanes, metres)
    if options.alignment:
        for number, query in enumerate(scene.queries):
            _draw_links(ax, scene, query, number, floors)
    _draw_ends(ax, scene, floors)
    _name_other_floors(ax, scene, shown, floors)
    _finish(ax, scene, floors, options, limits)


def _draw_plan(ax: Axes, plan: FloorPlan) -> None:
    image = plan.image if isinstance(plan.image, np.ndarray) else plt.imread(os.fspath(plan.image))
    x, y = plan.origin
    extent = (x, x + image.shape[1] * plan.scale, y, y + image.shape[0] * plan.scale)
    ax.imshow(image, extent=extent, origin="upper", cmap="gray", alpha=0.6, zorder=0)


def _draw_graph(ax: Axes, scene: Scene, floors: Sequence[int]) -> None:
    if not len(scene.nodes):
        return
    on_floor = np.isin(scene.floors_of(scene.nodes), floors)
    both = on_floor[scene.edges].all(1) if len(scene.edges) else np.zeros(0, bool)
    segments = scene.nodes[scene.edges[both]][:, :, :2]
    graph = LineCollection(list(segments), colors=_GRAPH, linewidths=0.5, zorder=1, gid="graph")
    ax.add_collection(graph, autolim=False)
    x, y = scene.nodes[on_floor, :2].T
    ax.scatter(x, y, s=3, color=_GRAPH, linewidths=0, zorder=1, gid="viewpoints")


def _draw_goal_circle(ax: Axes, scene: Scene, floors: Sequence[int]) -> None:
    goal = _goal(scene, floors)
    if goal is None:
        return
    label = f"within {scene.threshold:.3g} m"
    for face, edge, order in (("#0072B214", "none", 0.5), ("none", "#777777", 2)):
        circle = Circle(
            (goal[0], goal[1]),
            scene.threshold,
            facecolor=face,
            edgecolor=edge,
            linewidth=0.6,
            linestyle=":",
            zorder=order,
            label=label if face == "none" else "_circle",
            gid="threshold",
        )
        ax.add_patch(circle)


def _shown_steps(scene: Scene, route: Route, floors: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Returns which steps have an end on these floors, [points - 1]."""
    on = np.isin(scene.floors_of(route.points), floors)
    either: npt.NDArray[np.bool_] = on[:-1] | on[1:]
    return either


def _draw_route(
    ax: Axes,
    scene: Scene,
    number: int,
    shown: npt.NDArray[np.bool_],
    lanes: dict[tuple[int, int], float],
    metres: float,
) -> None:
    route = _routes(scene)[number]
    color = REFERENCE_COLOR if number == 0 else colors(number)[-1]
    width = 2.0 if number == 0 else 1.3
    edges = _is_edge(scene, route)
    jumps = shown & ~edges
    lane_width = 2.8 * metres
    line = polyline(route, number, shown & edges, lanes, lane_width)
    name = "reference" if number == 0 else f"query {route.name}"
    options: dict[str, Any] = {"color": color, "linewidth": width, "zorder": 4 - 0.1 * number}
    ax.plot(
        *line.T, label=_label(route), gid=name, solid_joinstyle="round", **options
    )
    if jumps.any():
        dotted = polyline(route, number, jumps, lanes, lane_width)
        ax.plot(*dotted.T, linestyle=":", gid=f"{name}: steps that are no edges", **options)
    heads = arrow_heads(line, 4.8 * metres, 22 * metres)
    arrows = PolyCollection(
        heads, facecolors=color, edgecolors="white", linewidths=0.3, zorder=5, gid=f"{name}: arrows"
    )
    ax.add_collection(arrows, autolim=False)
    if route.viewpoints:
        on = np.zeros(len(route.points), bool)
        on[:-1] |= shown
        on[1:] |= shown
        ax.plot(*route.points[on, :2].T, ".", color=_DARK, markersize=2.6, zorder=4.5)


def _label(route: Route) -> str:
    unknown = int(np.isnan(route.points).any(1).sum()) if len(route.points) else 0
    # A label that begins with an underscore would be left out of the legend.
    name = f" {route.name}" if route.name.startswith("_") else route.name
    if unknown:
        plural = "s" * (unknown > 1)
        return f"{name}, {unknown} unknown viewpoint{plural}"
    if not len(route.points):
        return f"{name}, no path"
    item = route.item
    if item is None or "nDTW" not in item.metrics:
        return name
    return f"{name}, nDTW {item.metrics['nDTW']:.2f}"


def _is_edge(scene: Scene, route: Route) -> npt.NDArray[np.bool_]:
    """Returns which steps follow an edge or stay, [points - 1]; all of a continuous path."""
    steps = max(len(route.points) - 1, 0)
    if not route.viewpoints or not len(scene.edges):
        return np.ones(steps, bool)
    places = {tuple(place): k for k, place in enumerate(scene.nodes.tolist())}
    numbers = [places.get(tuple(point), -1) for point in route.points.tolist()]
    edges = {(int(a), int(b)) for a, b in scene.edges} | {(int(b), int(a)) for a, b in scene.edges}
    pairs = zip(numbers[:-1], numbers[1:])
    return np.array([a == b or (a, b) in edges for a, b in pairs], bool).reshape(steps)


def _draw_links(
    ax: Axes, scene: Scene, query: Route, number: int, floors: Sequence[int]
) -> None:
    item = query.item
    if item is None or not len(item.warping) or query.scored is None:
        return
    reference = scene.reference.points
    i, j = item.warping.T
    here = np.isin(scene.floors_of(reference[i]), floors)
    segments = np.stack([reference[i[here], :2], query.scored[j[here], :2]], 1)
    color = _DARK if len(scene.queries) == 1 else colors(number + 1)[-1]
    links = LineCollection(
        list(segments),
        linestyles=[_DASHES],
        linewidths=0.8,
        zorder=4.7,
        label="warping" if number == 0 else f"_warping {number}",
        gid=f"warping {query.name}",
        colors=color,
    )
    links.distances = item.distances[i[here], j[here]]  # type: ignore[attr-defined]
    ax.add_collection(links, autolim=False)


def _draw_ends(ax: Axes, scene: Scene, floors: Sequence[int]) -> None:
    def known(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        points = points[~np.isnan(points).any(1)]
        return points[np.isin(scene.floors_of(points), floors), :2]

    for number, query in enumerate(scene.queries):
        ax.plot(
            *known(query.points[-1:]).T,
            markers(number + 1)[-1],
            color=colors(number + 1)[-1],
            markersize=3.6,
            markeredgecolor="white",
            markeredgewidth=0.6,
            zorder=9,
            gid=f"end {query.name}",
        )
    reference = scene.reference.points
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 1.1, "markersize": 8}
    ax.plot(*known(reference[:1]).T, "o", color="black", zorder=7, label="start", **ring)
    ax.plot(
        *known(reference[-1:]).T,
        "*",
        color=_GOAL,
        markersize=11,
        markeredgecolor="black",
        markeredgewidth=0.7,
        zorder=8,
        label="goal",
        gid="goal",
    )


def _name_other_floors(
    ax: Axes, scene: Scene, shown: Sequence[npt.NDArray[np.bool_]], floors: Sequence[int]
) -> None:
    """Says where paths lead to and come from, at the ends of steps that are on no floor shown."""
    places = dict[tuple[float, float], int]()
    for route, steps in zip(_routes(scene), shown):
        numbers = scene.floors_of(route.points)
        for k in np.flatnonzero(steps):
            for end in (k, k + 1):
                if numbers[end] not in floors:
                    x, y = route.points[end, :2].round(2).tolist()
                    places[x, y] = int(numbers[end])
    for (x, y), floor in places.items():
        if np.isnan(x):
            continue
        ax.annotate(
            f"floor {floor + 1}",
            (x, y),
            xytext=(4, -3),
            textcoords="offset points",
            va="top",
            size="x-small",
            color="#555555",
            zorder=9,
        )


def _finish(
    ax: Axes, scene: Scene, floors: Sequence[int], options: _Options, limits: Limits
) -> None:
    ax.set_xlim(limits[0], limits[1])
    ax.set_ylim(limits[2], limits[3])
    ax.set_aspect("equal", adjustable="box")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    if len(scene.levels) > 1:
        numbers = " and ".join(str(floor + 1) for floor in floors)
        ax.set_title(f"floor{'s' * (len(floors) > 1)} {numbers} of {len(scene.levels)}")
    length = _round_length((limits[1] - limits[0]) / 4)
    bar = AnchoredSizeBar(
        ax.transData,
        length,
        f"{length:g} m",
        "lower right",
        pad=0.1,
        sep=2,
        frameon=False,
        fontproperties=FontProperties(size="small"),
    )
    bar.set_zorder(9)
    ax.add_artist(bar)
    if options.legend:
        _add_legend(ax, scene, options.alignment)


def _round_length(metres: float) -> float:
    """Returns the largest of 1, 2 and 5 times a power of ten that is not larger."""
    power = 10.0 ** np.floor(np.log10(metres))
    return float(max(step * power for step in (1, 2, 5) if step * power <= metres))


def _legend_columns(labels: Sequence[str]) -> int:
    longest = max(map(len, labels))
    return 3 if longest <= 14 else 2 if longest <= 24 else 1


def _legend_rows(scene: Scene, alignment: bool) -> int:
    """Returns how many rows the legend has: paths and marks together where names are short."""
    labels = [_label(route) for route in _routes(scene)]
    columns, marks = _legend_columns(labels), 3 + alignment
    if columns == 3:
        return -(-(len(labels) + marks) // 3)
    return -(-len(labels) // columns) + 1


def _add_legend(ax: Axes, scene: Scene, alignment: bool) -> None:
    """Explains what is drawn: the paths in their order, and the marks."""
    paths, marks = dict[str, Line2D](), _marks(scene, alignment)
    for number, route in enumerate(_routes(scene)):
        color = REFERENCE_COLOR if number == 0 else colors(number)[-1]
        shape = {} if number == 0 else {"marker": markers(number)[-1], "markeredgecolor": "white"}
        width = 2.0 if number == 0 else 1.3
        paths[_label(route)] = Line2D([], [], color=color, linewidth=width, markersize=4, **shape)
    columns = _legend_columns(list(paths))
    if columns == 3:
        _put_legend(ax, {**paths, **marks}, 3, 0)
        return
    ax.add_artist(_put_legend(ax, paths, columns, 0))
    _put_legend(ax, marks, len(marks), -(-len(paths) // columns))


def _marks(scene: Scene, alignment: bool) -> dict[str, Line2D]:
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": "black"}
    star: dict[str, Any] = {"markerfacecolor": _GOAL, "markeredgecolor": "black"}
    disc: dict[str, Any] = {"markerfacecolor": _GOAL_FACE, "markeredgecolor": "#777777"}
    marks = {
        "start": Line2D([], [], linestyle="", marker="o", markersize=7, **ring),
        "goal": Line2D([], [], linestyle="", marker="*", markersize=9, **star),
        f"within {scene.threshold:.3g} m": Line2D([], [], ls="", marker="o", markersize=8, **disc),
    }
    if alignment and any(query.item is not None for query in scene.queries):
        marks["warping"] = Line2D([], [], color=_DARK, linewidth=0.8, linestyle=_DASHES)
    return marks


def _put_legend(ax: Axes, entries: dict[str, Line2D], columns: int, row: int) -> Legend:
    """Adds a legend below the Axes, under so many rows of another."""
    figure = ax.get_figure()
    assert figure is not None
    below = 2 + row * 1.5 * FontProperties(size=matplotlib.rcParams["legend.fontsize"]).get_size()
    return ax.legend(
        list(entries.values()),
        list(entries),
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -below / 72, figure.dpi_scale_trans),
        ncols=columns,
        frameon=False,
        handlelength=1.6,
        columnspacing=1.2,
        borderaxespad=0.0,
    )

"""What a picture from above consists of: graph, paths, links of the warping, marks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle
from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

from .lanes import arrow_heads, lay_out, polyline
from .path_legend import add_legend, label_of
from .scene import Route, Scene
from .style import DARK, DASHES, GOAL, REFERENCE_COLOR, colors, markers

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["FloorPlan", "Limits", "Options", "draw", "goal_of"]

_GRAPH = "#c8c8c8"
_BLOCKED = "#e6e6e6"

Limits = tuple[float, float, float, float]
"""x from and to, y from and to, metres."""


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


@dataclass(frozen=True)
class Options:
    alignment: bool
    floor_plan: FloorPlan | None
    margin: float | None
    legend: bool

    def of_panel(self, k: int, plans: Sequence[FloorPlan | None], has_legend: bool) -> Options:
        plan = plans[k] if k < len(plans) else self.floor_plan
        return Options(self.alignment, plan, self.margin, self.legend and has_legend)


def goal_of(scene: Scene, floors: Sequence[int]) -> npt.NDArray[np.float64] | None:
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


def draw(
    ax: Axes, scene: Scene, floors: Sequence[int], options: Options, limits: Limits
) -> None:
    metres = _metres_per_point(ax, limits)
    if options.floor_plan is not None:
        _draw_plan(ax, options.floor_plan)
    _draw_cells(ax, scene, floors)
    _draw_graph(ax, scene, floors, limits)
    _draw_goal_circle(ax, scene, floors)
    routes = scene.routes
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


def _draw_cells(ax: Axes, scene: Scene, floors: Sequence[int]) -> None:
    """Draws where no cell of a grid is free on these floors, with a border of one cell."""
    cells = scene.cells[np.isin(scene.floors_of(scene.cells), floors), :2]
    if not len(cells):
        return
    size = scene.cell_size
    low = cells.min(0) - 1.5 * size  # the outer corner of the border
    places = np.floor((cells - low) / size).astype(np.int64)
    columns, rows = places.max(0) + 2
    image = np.empty((rows, columns, 4), np.uint8)  # 4 bytes a cell
    image[:] = np.round(np.array(to_rgba(_BLOCKED)) * 255)
    image[places[:, 1], places[:, 0], 3] = 0
    extent = (low[0], low[0] + columns * size, low[1], low[1] + rows * size)
    drawn = ax.imshow(image, extent=extent, origin="lower", interpolation="nearest", zorder=0.2)
    drawn.set_gid("cells")


def _draw_graph(ax: Axes, scene: Scene, floors: Sequence[int], limits: Limits) -> None:
    """Draws the part of the graph, or of a mesh's outline, that is in sight: a file has no use for
    the rest."""
    _draw_edges(ax, scene, scene.outline, floors, limits, "outline")
    if not len(scene.nodes):
        return
    _draw_edges(ax, scene, scene.nodes[scene.edges], floors, limits, "graph")
    on_floor = np.isin(scene.floors_of(scene.nodes), floors)
    places = scene.nodes[:, :2]
    low, high = np.array([limits[::2], limits[1::2]])
    x, y = places[on_floor & (places >= low).all(1) & (places <= high).all(1)].T
    ax.scatter(x, y, s=3, color=_GRAPH, linewidths=0, zorder=1, gid="viewpoints")


def _draw_edges(
    ax: Axes,
    scene: Scene,
    edges: npt.NDArray[np.float64],
    floors: Sequence[int],
    limits: Limits,
    name: str,
) -> None:
    """Draws those of the edges [edges, 2, 3] that lie on these floors and in sight."""
    if not len(edges):
        return
    on_floor = np.isin(scene.floors_of(edges.reshape(-1, 3)), floors).reshape(-1, 2).all(1)
    ends = edges[:, :, :2]
    low, high = np.array([limits[::2], limits[1::2]])
    is_seen = (ends.max(1) >= low).all(1) & (ends.min(1) <= high).all(1)
    segments = ends[is_seen & on_floor]
    gaps = np.full((len(segments), 1, 2), np.nan)  # one line with gaps makes a small file
    line = np.concatenate([segments, gaps], 1).reshape(-1, 2)
    ax.plot(*line.T, color=_GRAPH, linewidth=0.5, zorder=1, gid=name)


def _draw_goal_circle(ax: Axes, scene: Scene, floors: Sequence[int]) -> None:
    goal = goal_of(scene, floors)
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
    route = scene.routes[number]
    color = REFERENCE_COLOR if number == 0 else colors(number)[-1]
    width = 2.0 if number == 0 else 1.3
    edges = _is_edge(scene, route)
    jumps = shown & ~edges
    lane_width = 2.8 * metres
    line = polyline(route, number, shown & edges, lanes, lane_width)
    name = "reference" if number == 0 else f"query {route.name}"
    options: dict[str, Any] = {"color": color, "linewidth": width, "zorder": 4 - 0.1 * number}
    ax.plot(
        *line.T, label=label_of(route), gid=name, solid_joinstyle="round", **options
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
        ax.plot(*route.points[on, :2].T, ".", color=DARK, markersize=2.6, zorder=4.5)


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
    color = DARK if len(scene.queries) == 1 else colors(number + 1)[-1]
    links = LineCollection(
        list(segments),
        linestyles=[DASHES],
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
        color=GOAL,
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
    for route, steps in zip(scene.routes, shown):
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
    ax: Axes, scene: Scene, floors: Sequence[int], options: Options, limits: Limits
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
        add_legend(ax, scene, options.alignment)


def _round_length(metres: float) -> float:
    """Returns the largest of 1, 2 and 5 times a power of ten that is not larger."""
    power = 10.0 ** np.floor(np.log10(metres))
    return float(max(step * power for step in (1, 2, 5) if step * power <= metres))



"""The legend below a picture from above: the paths in their order, and the marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from .scene import Route, Scene
from .style import DARK, DASHES, GOAL, GOAL_AREA, REFERENCE_COLOR, colors, markers, plain

__all__ = ["add_legend", "label_of", "legend_rows"]


def label_of(route: Route) -> str:
    unknown = int(np.isnan(route.points).any(1).sum()) if len(route.points) else 0
    name = plain(route.name)
    if unknown:
        plural = "s" * (unknown > 1)
        return f"{name}, {unknown} unknown viewpoint{plural}"
    if not len(route.points):
        return f"{name}, no path"
    item = route.item
    if item is None or "nDTW" not in item.metrics:
        return name
    return f"{name}, nDTW {item.metrics['nDTW']:.2f}"


def _legend_columns(labels: Sequence[str]) -> int:
    longest = max(map(len, labels))
    return 3 if longest <= 14 else 2 if longest <= 24 else 1


def legend_rows(scene: Scene, alignment: bool) -> int:
    """Returns how many rows the legend has: paths and marks together where names are short."""
    labels = [label_of(route) for route in scene.routes]
    columns, marks = _legend_columns(labels), 3 + alignment
    if columns == 3:
        return -(-(len(labels) + marks) // 3)
    return -(-len(labels) // columns) + 1


def add_legend(place: Axes | Figure, scene: Scene, alignment: bool, top: float = 0.0) -> None:
    """Explains what is drawn: the paths in their order, and the marks.

    Args:
        place: Axes, to have it below them, or a figure of several Axes.
        top: of the legend, as a fraction of the height of ``place``.
    """
    paths, marks = dict[str, Line2D](), _marks(scene, alignment)
    for number, route in enumerate(scene.routes):
        color = REFERENCE_COLOR if number == 0 else colors(number)[-1]
        shape: dict[str, Any] = {}
        if number:
            shape = {"marker": markers(number)[-1], "markeredgecolor": "white"}
        width = 2.0 if number == 0 else 1.3
        paths[label_of(route)] = Line2D([], [], color=color, linewidth=width, markersize=4, **shape)
    columns = _legend_columns(list(paths))
    if columns == 3:
        _put_legend(place, {**paths, **marks}, 3, 0, top)
        return
    first = _put_legend(place, paths, columns, 0, top)
    if isinstance(place, Axes):
        place.add_artist(first)  # which the next one would replace
    _put_legend(place, marks, len(marks), -(-len(paths) // columns), top)


def _marks(scene: Scene, alignment: bool) -> dict[str, Line2D]:
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": "black"}
    star: dict[str, Any] = {"markerfacecolor": GOAL, "markeredgecolor": "black"}
    disc: dict[str, Any] = {"markerfacecolor": GOAL_AREA, "markeredgecolor": "#777777"}
    marks = {
        "start": Line2D([], [], linestyle="", marker="o", markersize=7, **ring),
        "goal": Line2D([], [], linestyle="", marker="*", markersize=9, **star),
        f"within {scene.threshold:.3g} m": Line2D([], [], ls="", marker="o", markersize=8, **disc),
    }
    if alignment and any(query.item is not None for query in scene.queries):
        marks["warping"] = Line2D([], [], color=DARK, linewidth=0.8, linestyle=DASHES)
    return marks


def _put_legend(
    place: Axes | Figure, entries: dict[str, Line2D], columns: int, row: int, top: float
) -> Legend:
    """Adds a legend, under so many rows of another."""
    figure = place if isinstance(place, Figure) else place.get_figure()
    assert figure is not None
    whole = figure.transFigure if isinstance(place, Figure) else place.transAxes
    below = 2 + row * 1.5 * FontProperties(size=matplotlib.rcParams["legend.fontsize"]).get_size()
    return place.legend(
        list(entries.values()),
        list(entries),
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        bbox_transform=whole + ScaledTranslation(0, -below / 72, figure.dpi_scale_trans),
        ncols=columns,
        frameon=False,
        handlelength=1.6,
        columnspacing=1.2,
        borderaxespad=0.0,
    )

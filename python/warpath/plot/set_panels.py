"""A query over its reference, as raters see them: one panel of a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from .lanes import arrow_heads, lay_out, polyline
from .plan import Limits
from .scene import Route
from .style import REFERENCE_COLOR

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..study import Study

__all__ = ["QUERY_COLOR", "Panel", "add_mark", "limits_of"]

QUERY_COLOR = "#E69F00"
"""Orange, as the question names it; it and the reference's blue are of Okabe and Ito (2008)."""

_GRID = "#d4d4d4"
_least = 3.0
"""Metres: no picture shows less, however short its paths."""


def limits_of(study: Study, scan: str, paths: Sequence[Sequence[str]], aspect: float) -> Limits:
    """Returns the part of the plan that shows all paths and an edge around.

    Args:
        aspect: height by width of the panel.
    """
    points = np.concatenate([study.points(scan, path) for path in paths])[:, :2]
    steps = np.concatenate([np.diff(study.points(scan, p)[:, :2], axis=0) for p in paths])
    lengths = np.hypot(*steps.T)
    around = 0.75 * float(lengths.mean()) if len(lengths) and lengths.any() else 1.0
    low, high = points.min(0), points.max(0)
    width, height = np.maximum(high - low + 2 * around, _least)
    width, height = max(width, height / aspect), max(height, width * aspect)
    x, y = (low + high) / 2
    return float(x - width / 2), float(x + width / 2), float(y - height / 2), float(y + height / 2)


def add_mark(ax: Axes, kind: str, color: str, other: str = "", size: float = 8.0) -> Any:
    """Adds an empty mark of a start (a circle) or an end (a square), in one colour or two."""
    style: dict[str, Any] = {
        "markersize": size if kind == "start" else size + 1.5,
        "markeredgecolor": "black",
        "markeredgewidth": 0.1 * size,
        "markerfacecolor": color,
        "zorder": 8 if kind == "start" else 7,
    }
    if other:
        style |= {"fillstyle": "left", "markerfacecoloralt": other}
    return ax.plot([], [], "o" if kind == "start" else "s", linestyle="none", **style)[0]


class Panel:
    """Shows queries over their references on the same Axes, one after the other.

    Args:
        scale: of lines and marks; 1 suits a panel three inches wide.
    """

    def __init__(self, ax: Axes, scale: float = 1.0) -> None:
        self.ax = ax
        self._scale = scale
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_aspect("equal", adjustable="box")
        for spine in ax.spines.values():
            spine.set(visible=True, color="#b0b0b0", linewidth=0.6)
        (self._edges,) = ax.plot([], [], color=_GRID, linewidth=0.7 * scale, zorder=1)
        (self._nodes,) = ax.plot([], [], "o", color=_GRID, markersize=2.4 * scale, zorder=1)
        self._lines, self._heads = [], list[PolyCollection]()
        for number, color in enumerate((REFERENCE_COLOR, QUERY_COLOR)):
            options: dict[str, Any] = {"color": color, "linewidth": 2.2 * scale}
            options |= {"solid_joinstyle": "round", "solid_capstyle": "round"}
            self._lines += ax.plot([], [], zorder=3 + number, **options)
            heads = PolyCollection(
                [], facecolors=color, edgecolors="white", linewidths=0.3 * scale, zorder=5
            )
            ax.add_collection(heads, autolim=False)
            self._heads.append(heads)
        colors = ((REFERENCE_COLOR, ""), (QUERY_COLOR, ""), (REFERENCE_COLOR, QUERY_COLOR))
        self._marks = {
            kind: [add_mark(ax, kind, *pair, size=8 * scale) for pair in colors]
            for kind in ("start", "end")
        }

    def show(
        self,
        study: Study,
        scan: str,
        reference: Sequence[str],
        query: Sequence[str],
        limits: Limits,
    ) -> None:
        """Shows a query and its reference in place of what was shown.

        Raises:
            InputError: the scan has no positions, or lacks a viewpoint.
        """
        self.ax.set_xlim(*limits[:2])
        self.ax.set_ylim(*limits[2:])
        routes = [
            Route(name, study.points(scan, path), list(path))
            for name, path in (("reference", reference), ("query", query))
        ]
        self._show_graph(study, scan, np.concatenate([route.points for route in routes]), limits)
        self._show_lines(routes, limits)
        self._show_ends(routes)

    def _show_graph(
        self, study: Study, scan: str, points: npt.NDArray[np.float64], limits: Limits
    ) -> None:
        """Shows the part of the graph that is in sight, on the floors of the paths."""
        nodes = study.points(scan, study.graphs.viewpoints(scan))
        low, high = points[:, 2].min() - 1.0, points[:, 2].max() + 1.0
        is_shown = (nodes[:, 2] >= low) & (nodes[:, 2] <= high)
        edges = study.graphs.edges(scan)
        ends = nodes[edges][is_shown[edges].all(1)][:, :, :2]
        corner, other = np.array([limits[::2], limits[1::2]])
        ends = ends[(ends.max(1) >= corner).all(1) & (ends.min(1) <= other).all(1)]
        gaps = np.full((len(ends), 1, 2), np.nan)
        self._edges.set_data(*np.concatenate([ends, gaps], 1).reshape(-1, 2).T)
        is_shown &= (nodes[:, :2] >= corner).all(1) & (nodes[:, :2] <= other).all(1)
        self._nodes.set_data(*nodes[is_shown, :2].T)

    def _show_lines(self, routes: Sequence[Route], limits: Limits) -> None:
        figure = self.ax.get_figure()
        assert figure is not None
        width = figure.get_size_inches()[0] * self.ax.get_position().width * 72
        metres = (limits[1] - limits[0]) / width  # of a point
        shown = [np.ones(max(len(route.points) - 1, 0), bool) for route in routes]
        lanes = lay_out(routes, shown)
        for number, route in enumerate(routes):
            line = polyline(route, number, shown[number], lanes, 4.0 * self._scale * metres)
            self._lines[number].set_data(*line.T)
            size = 7.0 * self._scale * metres
            self._heads[number].set_verts(arrow_heads(line, size, 2.2 * size))

    def _show_ends(self, routes: Sequence[Route]) -> None:
        for kind, k in (("start", 0), ("end", -1)):
            places = [route.points[k, :2] for route in routes]
            is_one = bool(np.allclose(places[0], places[1]))
            shown = [[], [], places[:1]] if is_one else [places[:1], places[1:], []]
            for mark, at in zip(self._marks[kind], shown):
                mark.set_data(*(np.array(at).reshape(-1, 2).T))

"""Pictures of matrices: the distances of an item with its warping, correlations of metrics."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ..arguments import metric_names
from ..errors import InputError, UsageError, Where
from ..optional import require
from ..results import ExplainedItem
from .agents_of import ResultsLike, items_of, known_metrics
from .style import axes_or_new, legend_below, plain

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["alignment", "metric_matrix"]

_WARPING = "#D55E00"
_DARK = "#222222"
_SHOWN = ("DTW", "nDTW", "SDTW", "PC", "CLS")


def alignment(
    item: ExplainedItem,
    *,
    colorbar: bool = True,
    numbers: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the distances of an item's viewpoints, d(q_j, r_i), with the warping that DTW is the
    sum along. A bar | marks the reference's viewpoint that is nearest to each of the query
    (deviation, AD), a bar - the query's that is nearest to each of the reference (coverage, PC).

    Args:
        item: as ``result.explain_items(instr_id)[0]``.
        colorbar: whether it is drawn beside the Axes.
        numbers: whether cells have their distances in metres; None where they are large enough.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        InputError: the item has no pair of paths, or the matrix is too large.
    """
    if not item.distances.size:
        raise InputError.at(
            Where("item", item.instr_id),
            f"has no matrix of distances, status {item.status}",
            "choose an item with two paths",
        )
    rows, columns = item.distances.shape
    height = float(np.clip(2.75 * rows / columns, 1.1, 4.0)) + 0.75
    with axes_or_new(ax, height=height) as ax:
        finite = np.where(np.isfinite(item.distances), item.distances, np.nan)
        image = ax.imshow(finite, cmap="Blues", vmin=0, aspect="auto", interpolation="none")
        if numbers if numbers is not None else max(rows, columns) <= 9:
            _write_cells(ax, item.distances, float(np.nanmax(finite, initial=0.0)))
        _draw_warping(ax, item)
        ax.set_xlabel(f"query: {plain(item.agent)}" if item.agent else "query")
        ax.set_ylabel("reference")
        ax.set_title(_title(item), fontsize="small")
        for axis, names in ((ax.xaxis, item.query), (ax.yaxis, item.reference)):
            _label(axis, names, columns if axis is ax.xaxis else rows)
        ax.tick_params(length=2)
        if colorbar:
            figure = ax.get_figure()
            assert figure is not None
            bar = figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02)
            bar.set_label("d(q, r)")
            bar.outline.set_linewidth(0.5)  # type: ignore[operator]
    return ax


def _draw_warping(ax: Axes, item: ExplainedItem) -> None:
    rows, columns = item.distances.shape
    steps = item.warping
    size = float(np.clip(90 / max(rows, columns), 0.5, 5))
    style: dict[str, Any] = {"color": _DARK, "markeredgewidth": max(0.3, size / 5), "zorder": 3}
    style["markersize"] = 1.5 * size
    nearest = item.distances.argmin(1)
    ax.plot(nearest, np.arange(rows), "_", label="nearest q (PC)", **style)
    nearest = item.distances.argmin(0)
    ax.plot(np.arange(columns), nearest, "|", label="nearest r (AD)", **style)
    ax.plot(
        steps[:, 1],
        steps[:, 0],
        "o-",
        color=_WARPING,
        markersize=0.8 * size,
        linewidth=max(0.8, size / 4),
        zorder=2,
        label="warping",
        gid="warping",
    )
    legend_below(ax, ["warping", "nearest q (PC)", "nearest r (AD)"])


def _title(item: ExplainedItem) -> str:
    texts = [f"{name} {item.metrics[name]:.3g}" for name in _SHOWN if name in item.metrics]
    return "  ".join(texts)


def _label(axis: Any, names: list[str], count: int) -> None:
    """Writes numbers from 1, as ``explain`` does, with steps so that at most ten are written."""
    step = max(1, -(-count // 10))
    axis.set_ticks(np.arange(0, count, step), [str(k + 1) for k in range(0, count, step)])


def _write_cells(ax: Axes, values: npt.NDArray[np.float64], darkest: float) -> None:
    size = float(np.clip(46 / max(values.shape), 4.5, 7))
    for (row, column), value in np.ndenumerate(values):
        color = "white" if value > 0.6 * darkest else _DARK
        text = f"{value:.1f}" if np.isfinite(value) else "∞"
        ax.text(
            column + 0.46, row - 0.42, text, size=size, color=color, ha="right", va="top", zorder=4
        )


def metric_matrix(
    results: ResultsLike,
    metrics: str | Iterable[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draws how metrics order an agent's items: Spearman's rank correlation of each two, over the
    items for which both have a value. It needs SciPy.

    Args:
        results: one agent's, with items; of several agents the items of all are taken together.
        metrics: names; None for nine usual ones.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        InputError: a result file has no items.
        UsageError: there is no such metric, or SciPy is missing.
    """
    stats = require("scipy.stats", "plot")
    agents = items_of(results)
    usual = [name for name in _USUAL if name in agents[0].values]
    names = usual if metrics is None else known_metrics(metric_names(metrics))
    for agent in agents:
        for name in names:
            if name not in agent.values:
                raise UsageError(f"{agent.name} has no {name}; it has {', '.join(agent.values)}")
    columns = [np.concatenate([agent.values[name] for agent in agents]) for name in names]
    count = len(names)
    found = np.full((count, count), np.nan)
    for i in range(count):
        for j in range(count):
            found[i, j] = _correlation(stats, columns[i], columns[j])
    size = 0.6 + 0.34 * count
    with axes_or_new(ax, width=min(3.3, size + 0.6), height=min(3.1, size + 0.3)) as ax:
        image = ax.imshow(found, cmap="PuOr", vmin=-1, vmax=1)
        font = float(np.clip(62 / count, 4.5, 7))
        for (row, column), value in np.ndenumerate(found):
            text = "–" if np.isnan(value) else f"{round(float(value), 2) + 0.0:.2f}"
            text = text.replace("0.", ".").replace("-", "−").replace("1.00", "1")
            color = "white" if abs(value) > 0.7 else _DARK
            ax.text(column, row, text, ha="center", va="center", size=font, color=color)
        ax.set_xticks(range(count), names, rotation=90)
        ax.set_yticks(range(count), names)
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        figure = ax.get_figure()
        assert figure is not None
        bar = figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03)
        bar.set_label("rank correlation")
        bar.outline.set_linewidth(0.5)  # type: ignore[operator]
    return ax


_USUAL = ("PL", "NE", "SR", "OSR", "SPL", "SED", "CLS", "nDTW", "SDTW")


def _correlation(
    stats: Any, first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]
) -> float:
    both = ~np.isnan(first) & ~np.isnan(second)
    if both.sum() < 2:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column has no correlation: NaN says so
        return float(stats.spearmanr(first[both], second[both]).statistic)

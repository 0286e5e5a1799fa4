"""Pictures of scores: agents side by side, by length, and how values are distributed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..arguments import metric_names
from ..errors import UsageError
from ..tables import metrics as metric_table
from .agents_of import (
    AgentItems,
    AgentMeans,
    ResultsLike,
    items_of,
    known_metrics,
    means_of,
    unit_of,
)
from .style import axes_or_new, colors, legend_below, markers, plain

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["agents", "by_length", "distribution"]


def agents(
    results: ResultsLike,
    metrics: str | Iterable[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draws the mean of each agent as a dot with its 95 % interval, a row for each metric. Of one
    metric there is a row for each agent.

    Args:
        results: what ``warpath.evaluate`` returns, one of its agents, a result file, or several of
            these.
        metrics: names, of one unit; None for the fractions that tables show.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        UsageError: there is no such metric, or they have several units.
        InputError: a file is no result file.
    """
    found = means_of(results)
    names = _means_to_draw(found, metrics)
    count = len(found)
    rows = count if len(names) == 1 else len(names)
    per_row = 0.17 if len(names) == 1 else max(0.22, 0.07 * count + 0.1)
    legend = 0.0 if len(names) == 1 else 0.16 * -(-count // 3)
    with axes_or_new(ax, height=0.5 + per_row * rows + legend) as ax:
        for k, agent in enumerate(found):
            for row, name in enumerate(names):
                shift = 0.0 if len(names) == 1 else (k - (count - 1) / 2) * min(0.22, 0.75 / count)
                place = k if len(names) == 1 else row + shift
                _draw_mean(ax, agent, name, place, k, count, row == 0)
        labels = [plain(agent.name) for agent in found] if len(names) == 1 else names
        for row in range(1, rows, 2) if len(names) > 1 else ():
            ax.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
        ax.set_yticks(range(rows), labels)
        ax.set_ylim(rows - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", color="#e4e4e4", linewidth=0.5)
        ax.set_axisbelow(True)
        label = f"{names[0]}{unit_of(names[0])}" if len(names) == 1 else _unit_label(names[0])
        ax.set_xlabel(f"{label}, mean with 95 % interval" if label else "mean with 95 % interval")
        if len(names) > 1:
            legend_below(ax, [agent.name for agent in found])
    return ax


def _means_to_draw(found: Sequence[AgentMeans], metrics: str | Iterable[str] | None) -> list[str]:
    if metrics is None:
        names = [
            name
            for name, estimate in found[0].summary.items()
            if name in metric_table  # own metrics are in no picture
            and metric_table[name].headline
            and metric_table[name].unit == "fraction"
            and estimate.of > 0
        ]
    else:
        names = known_metrics(metric_names(metrics))
    if len({metric_table[name].unit for name in names}) > 1:
        raise UsageError(f"{', '.join(names)} have several units: draw each unit on its own")
    for agent in found:
        missing = [name for name in names if name not in agent.summary]
        if missing:
            raise UsageError(
                f"{agent.name} has no {', '.join(missing)}; it has {', '.join(agent.summary)}"
            )
    if not names:
        raise UsageError("there are no metrics to draw: name them")
    return names


def _draw_mean(
    ax: Axes, agent: AgentMeans, name: str, place: float, k: int, count: int, labelled: bool
) -> None:
    estimate = agent.summary[name]
    color, marker = colors(count)[k], markers(count)[k]
    label = plain(agent.name) if labelled else "_"
    style: dict[str, Any] = {"color": color, "marker": marker, "markersize": 3.6, "label": label}
    if estimate.mean is None:
        ax.plot([], [], linestyle="", **style)
        ax.annotate(
            "no value",
            (0, place),
            xycoords=ax.get_yaxis_transform(),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            size="x-small",
            color=color,
        )
        return
    if estimate.ci95 is None:
        ax.plot([estimate.mean], [place], linestyle="", gid=f"{agent.name} {name}", **style)
        return
    low, high = estimate.ci95
    ax.plot([low, high], [place, place], color=color, linewidth=1.1, label="_interval")
    ax.plot([estimate.mean], [place], linestyle="", gid=f"{agent.name} {name}", **style)


def _unit_label(metric: str) -> str:
    return {"length": "metres", "angle": "turns", "count": "count"}.get(
        metric_table[metric].unit, ""
    )


def by_length(
    results: ResultsLike,
    metric: str = "nDTW",
    *,
    width: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draws the mean of a metric by the length of the reference, with 95 % intervals that cluster
    items by reference path, or by tour where there are tours.

    Args:
        results: as in ``agents``, with items.
        metric: its name.
        width: how many lengths are taken together, viewpoints.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        UsageError: there is no such metric. InputError: a result file has no items.
    """
    found = items_of(results)
    name = _metric_of(found, metric)
    if width < 1:
        raise UsageError(f"width is {width}; give at least one viewpoint")
    with axes_or_new(ax, height=2.2 + 0.15 * (len(found) > 4)) as ax:
        for k, agent in enumerate(found):
            groups = _groups(agent, name, width)
            shift = (k - (len(found) - 1) / 2) * min(0.16, 0.6 / len(found)) * width
            places = np.array([group.middle for group in groups]) + shift
            means = np.array([group.mean for group in groups])
            bounds = np.array([[g.mean - g.low, g.high - g.mean] for g in groups]).reshape(-1, 2)
            ax.errorbar(
                places,
                means,
                yerr=np.maximum(bounds.T, 0),
                color=colors(len(found))[k],
                marker=markers(len(found))[k],
                markersize=3,
                linewidth=0.9,
                elinewidth=0.8,
                label=plain(agent.name),
            )
        ax.set_xlabel("length of the reference (viewpoints)")
        ax.set_ylabel(f"{name}{unit_of(name)}")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        _mark_empty(ax, [agent.values[name] for agent in found])
        if len(found) > 1:
            legend_below(ax, [agent.name for agent in found])
    return ax


class _Group:
    """Holds the mean over items whose references have similar lengths."""

    def __init__(
        self,
        middle: float,
        values: npt.NDArray[np.float64],
        paths: npt.NDArray[np.int64],
        is_rate: bool,
    ) -> None:
        self.middle = middle
        self.mean = float(values.mean())
        self.low, self.high = _interval(values, paths, is_rate)


def _groups(agent: AgentItems, metric: str, width: int) -> list[_Group]:
    values = agent.values[metric]
    present = ~np.isnan(values) & (agent.length > 0)
    lengths, values, paths = agent.length[present], values[present], agent.path[present]
    numbers = (lengths - 1) // width  # lengths begin at one viewpoint
    groups = []
    for number in np.unique(numbers):
        chosen = numbers == number
        middle = number * width + 1 + (width - 1) / 2
        groups.append(_Group(float(middle), values[chosen], paths[chosen], metric in _RATES))
    return groups


# As in the program. t-SR is 0 or 1 in every tour where that holds for SR of every episode; the bound
# for a rate of so many tours then holds for any values from 0 to 1.
_RATES = ("SR", "OSR", "RGS", "OPSR", "t-SR")


def _interval(
    values: npt.NDArray[np.float64], clusters: npt.NDArray[np.int64], is_rate: bool
) -> tuple[float, float]:
    """Returns the 95 % interval of a mean as ``warpath eval`` computes it: sums of deviations by
    cluster; for rates Wilson's bound where every value is 0 or every value is 1."""
    mean = float(values.mean())
    _, cluster = np.unique(clusters, return_inverse=True)
    count = int(cluster.max()) + 1
    if count < 2:
        return mean, mean
    if is_rate and (values == values[0]).all() and values[0] in (0.0, 1.0):
        bound = 1.96**2 / (count + 1.96**2)
        return (mean - bound, mean) if mean else (mean, mean + bound)
    sums = np.bincount(cluster, values - mean)
    half = 1.96 * float(np.sqrt(count / (count - 1) * (sums**2).sum())) / len(values)
    return mean - half, mean + half


_LINES: Any = ("-", (0, (4, 1.2)), (0, (1, 1)), "-.", (0, (6, 1, 1, 1, 1, 1)))


def distribution(
    results: ResultsLike,
    metric: str = "nDTW",
    *,
    kind: str = "histogram",
    bins: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Draws how the values of a metric are distributed over the items of each agent.

    Args:
        results: as in ``agents``, with items.
        metric: its name.
        kind: ``histogram``, or ``ecdf`` for the share of items with at most a value.
        bins: how many a histogram has.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        UsageError: there is no such metric or kind. InputError: a result file has no items.
    """
    found = items_of(results)
    name = _metric_of(found, metric)
    if kind not in ("histogram", "ecdf"):
        raise UsageError(f"there is no kind {kind!r}; there are histogram, ecdf")
    columns = [agent.values[name][np.isfinite(agent.values[name])] for agent in found]
    with axes_or_new(ax, height=2.2 + 0.15 * (len(found) > 4)) as ax:
        every = np.concatenate(columns)
        is_fraction = metric_table[name].unit == "fraction"
        top = 1.0 if is_fraction or not len(every) else float(every.max())
        edges = np.linspace(min(0.0, float(every.min(initial=0))), top or 1.0, bins + 1)
        for k, (agent, values) in enumerate(zip(found, columns)):
            style: dict[str, Any] = {
                "color": colors(len(found))[k],
                "linewidth": 1.2,
                "linestyle": _LINES[k % len(_LINES)],
                "label": plain(agent.name),
            }
            if not len(values):
                ax.plot([], [], **style)
            elif kind == "ecdf":
                ordered = np.sort(values)
                shares = np.arange(1, len(ordered) + 1) / len(ordered)
                ax.step([edges[0], *ordered, edges[-1]], [0, *shares, 1], where="post", **style)
            else:
                counts = np.histogram(values, edges)[0] / len(values)
                ax.stairs(counts, edges, **style)
        room = 0.015 * float(edges[-1] - edges[0])
        ax.set_xlim(edges[0] - room * (edges[0] < 0), edges[-1] + room)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(f"{name}{unit_of(name)}")
        ax.set_ylabel("share of items" if kind == "histogram" else "share of items up to it")
        _mark_empty(ax, columns)
        if len(found) > 1:
            legend_below(ax, [agent.name for agent in found])
    return ax


def _metric_of(found: Sequence[AgentItems], metric: str) -> str:
    name = known_metrics([metric])[0]
    for agent in found:
        if name not in agent.values:
            raise UsageError(f"{agent.name} has no {name}; it has {', '.join(agent.values)}")
    return name


def _mark_empty(ax: Axes, columns: Sequence[npt.NDArray[np.float64]]) -> None:
    if any(np.isfinite(column).any() for column in columns):
        return
    middle: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(0.5, 0.5, "no values", color="#666666", **middle)

"""Pictures of made agents and data: random walks, the references of datasets."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
from matplotlib.axes import Axes

from ..errors import InputError, UsageError, Where
from ..generators import RandomBaseline
from ..graphs import Graphs, GraphsLike
from ..inputs import is_path
from ..scorer import Scorer
from ..tables import metrics as metric_table
from .agents_of import ResultsLike, means_of, unit_of
from .style import axes_or_new, colors, legend_below, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["baseline", "lengths"]

BaselineLike: TypeAlias = "RandomBaseline | str | os.PathLike[str]"
"""What ``warpath.random_baseline`` returns, or a file of ``warpath random --json``."""


class _Histogram(NamedTuple):
    underflow: int
    counts: list[int]
    overflow: int
    width: float
    mean: float | None


def baseline(
    report: BaselineLike,
    metric: str = "nDTW",
    *,
    results: ResultsLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the histogram of a metric over random walks, which ``warpath random`` counts, with its
    mean.

    Args:
        report: what ``warpath.random_baseline`` returns, or a file of ``warpath random --json``.
        metric: its name.
        results: agents whose means are drawn beside, as in ``agents``.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        UsageError: there is no such metric. InputError: a file is none of random walks.
    """
    found = _histogram_of(report, metric)
    total = found.underflow + sum(found.counts) + found.overflow
    others = [] if results is None else means_of(results)
    with axes_or_new(ax, height=2.2 + 0.14 * (len(others) // 2)) as ax:
        last = max((k for k, n in enumerate(found.counts) if n), default=0) + 1
        counts = np.array(found.counts[:last], float) / max(total, 1)
        edges = np.arange(last + 1) * found.width
        ax.stairs(counts, edges, fill=True, color="#b8b8b8", label="random walks", gid="walks")
        ends = ((-found.width, found.underflow), (last * found.width, found.overflow))
        for left, count in ends:
            if count:
                ax.bar(left, count / total, found.width, align="edge", color="none", hatch="////")
        if found.mean is not None:
            ax.axvline(found.mean, color="black", linewidth=1, label="mean of the walks")
        for k, agent in enumerate(others):
            if metric not in agent.summary:
                raise UsageError(f"{agent.name} has no {metric}")
            mean = agent.summary[metric].mean
            if mean is not None:
                dashes = (0, (3 + k, 1))
                color = colors(len(others))[k]
                ax.axvline(mean, color=color, linestyle=dashes, linewidth=1.2, label=plain(agent.name))
        if metric_table[metric].unit == "fraction":
            ax.set_xlim(0, 1.015)
        elif not found.underflow:
            ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(f"{metric_table[metric].name}{unit_of(metric)}")
        ax.set_ylabel("share of walks")
        if others:
            legend_below(ax, ["mean of the walks", *(agent.name for agent in others)])
        else:
            ax.legend(frameon=False, handlelength=1.4)
    return ax


def _histogram_of(report: BaselineLike, metric: str) -> _Histogram:
    if metric.lower() not in {name.lower() for name in metric_table}:
        raise UsageError(f"there is no metric {metric}; there are {', '.join(metric_table)}")
    name = metric_table[metric].name
    if isinstance(report, RandomBaseline):
        if name not in report.summary:
            raise UsageError(f"the walks have no {name}; they have {', '.join(report.summary)}")
        return _Histogram(*report.statistics.histogram(name), report.summary[name].mean)
    file = os.fspath(report)
    try:
        found = _read_json(file)["runs"][0]["metrics"]
        if name not in found:
            raise UsageError(f"{file} has no {name}; it has {', '.join(found)}")
        bins = found[name]["histogram"]
        underflow, counts, overflow = bins["underflow"], bins["counts"], bins["overflow"]
        return _Histogram(underflow, counts, overflow, bins["width"], found[name]["mean"])
    except (KeyError, IndexError, TypeError) as error:
        raise InputError.at(
            Where(file), "holds no histograms of walks", "write it with: warpath random … --json"
        ) from error


def _read_json(file: str) -> Any:
    try:
        with open(file, "rb") as raw:
            data = raw.read()
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, ValueError) as error:
        raise InputError.at(
            Where(file), f"cannot be read ({error})", "check its name and content"
        ) from error


_QUANTITIES = {
    "PLR": ("PL(R), length of the reference (m)", 2.0),
    "SP": ("d(r₁, goal), start to goal (m)", 2.0),
    "n_ref": ("|R|, viewpoints of the reference", 1.0),
}

ReferencesLike: TypeAlias = "str | os.PathLike[str] | Sequence[Mapping[str, Any]]"
"""Annotations of R2R's form: a file, or the list in it."""


def lengths(
    datasets: Mapping[str, ReferencesLike],
    graphs: GraphsLike,
    of: str = "PLR",
    *,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws how long the references of datasets are, as a share of their paths: R2R beside R4R, as
    in Jain et al. 2019, Figure 3.

    Args:
        datasets: names and annotations in R2R's form: files, or lists of dicts with ``scan`` and
            ``path``. Equal references of a scan count once, as in ``warpath dataset``.
        graphs: see ``warpath.Graphs``.
        of: ``PLR`` for the reference's length, ``SP`` for the distance from its start to its goal,
            ``n_ref`` for its viewpoints.
        width: of a bin; None for 2 m, or one viewpoint.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        InputError: a file, scan or viewpoint cannot be used.
        UsageError: there is no such quantity.
    """
    if of not in _QUANTITIES:
        raise UsageError(f"there is no quantity {of!r}; there are {', '.join(_QUANTITIES)}")
    label, usual = _QUANTITIES[of]
    step = usual if width is None else width
    store = Graphs(graphs)
    columns = {str(name): _measure(entries, store, of) for name, entries in datasets.items()}
    with axes_or_new(ax) as ax:
        for k, (name, values) in enumerate(columns.items()):
            first = -0.5 if of == "n_ref" else 0.0
            bins = max(1, int((values.max(initial=0) - first) // step) + 1)
            edges = first + step * np.arange(bins + 1)
            counts = np.histogram(values, edges)[0] / max(len(values), 1)
            color = colors(len(columns))[k]
            shown = f"{plain(name)}, {len(values):,} paths"
            ax.stairs(counts, edges, fill=True, color=color, alpha=0.25)
            line = ("-", (0, (4, 1.2)), (0, (1, 1)))[k % 3]
            ax.stairs(counts, edges, color=color, linewidth=1.2, linestyle=line, label=shown)
        ax.set_ylim(bottom=0)
        ax.set_xlim(left=0)
        ax.set_xlabel(label)
        ax.set_ylabel("share of paths")
        ax.legend(frameon=False, handlelength=1.6)
    return ax


def _measure(entries: ReferencesLike, graphs: Graphs, of: str) -> npt.NDArray[np.float64]:
    """Returns a quantity of each reference, computed as scores of the reference against itself."""
    read: Any = entries
    if is_path(entries):
        read = _read_json(os.fspath(cast("str | os.PathLike[str]", entries)))
    try:
        paths = {(str(entry["scan"]), tuple(entry["path"])) for entry in read}
    except (KeyError, TypeError) as error:
        raise InputError.at(
            Where(str(entries) if is_path(entries) else "datasets"),
            f"has an entry without scan and path ({error})",
            "give annotations of R2R's form",
        ) from error
    ordered = sorted(path for path in paths if path[1])
    if not ordered:
        return np.zeros(0)
    references = [list(path) for _, path in ordered]
    scores = Scorer(graphs, metrics=[of]).score(references, references, [s for s, _ in ordered])
    values: npt.NDArray[np.float64] = np.asarray(scores[of], np.float64)
    finite: npt.NDArray[np.float64] = values[np.isfinite(values)]
    return finite

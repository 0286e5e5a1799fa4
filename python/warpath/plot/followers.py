"""Pictures of followers: what one of them saw, and how people change over their attempts."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from ..arguments import number, one_of
from ..errors import InputError, UsageError, Where
from ..traces import Trace, Wayfinding
from .style import REFERENCE_COLOR, axes_or_new, colors, plain

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["raters", "seen"]

_UNSEEN = "#eeeeee"


def seen(trace: Trace, visit: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draws which pixels of a panorama a follower saw, as an equirectangular picture whose middle is
    heading 0. Headings of Matterport3D and of Three.js are the same.

    Args:
        trace: what ``warpath.traces.read`` returns.
        visit: the number of the visit, from 0; negative ones count from the last.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        UsageError: there is no such visit.
    """
    one_of("trace", trace, Trace, "give what warpath.traces.read returns")
    count = len(trace.visits)
    place = number("visit", visit, -count, 2**31)
    if place >= count:
        raise UsageError(f"the trace has no visit {visit}; its {count} are numbered from 0")
    found = trace.visits[place]
    with axes_or_new(ax, height=1.9) as ax:
        ax.imshow(
            found.seen,
            cmap=ListedColormap([_UNSEEN, REFERENCE_COLOR]),
            vmin=0,
            vmax=1,
            extent=(-180, 180, -90, 90),
            interpolation="nearest",
        )
        ax.set_xticks(range(-180, 181, 90), [f"{degrees}°" for degrees in range(-180, 181, 90)])
        ax.set_yticks(range(-90, 91, 45), [f"{degrees}°" for degrees in range(-90, 91, 45)])
        ax.set_xlabel("heading")
        ax.set_ylabel("elevation")
        shares = f"{100 * found.search():.1f} % of pixels, {100 * found.search('solid-angle'):.1f} %"
        ax.set_title(f"{plain(found.viewpoint[:32])}\n{shares} of the sphere seen")
    return ax


def raters(
    table: Wayfinding, metric: str = "SDTW", *, width: int = 50, ax: Axes | None = None
) -> Axes:
    """Draws how people change over their attempts: each annotator's values in the order of the
    table, divided by that annotator's mean, in bins of ``width`` attempts; the mean of a bin with
    its standard error (Zhao et al. 2021, Figure 5).

    Args:
        table: what ``warpath.traces.wayfinding`` returns, of attempts with an ``annotator``.
        metric: ``NE``, ``SR``, ``SPL``, ``SDTW``, ``quality``, ``start``, ``other`` or ``time``.
        width: attempts of an annotator that are taken together.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        InputError: the attempts have no annotator, or nobody has a mean above 0.
        UsageError: there is no such metric.
    """
    one_of("table", table, Wayfinding, "give what warpath.traces.wayfinding returns")
    step = number("width", width, 1)
    values = _relative(table, metric)
    if not values:
        raise InputError.at(
            Where("table", field=metric), "has no annotator with a mean above 0", "draw another one"
        )
    bins: dict[int, list[float]] = defaultdict(list)
    for of_annotator in values.values():
        for place, value in enumerate(of_annotator):
            if not math.isnan(value):
                bins[place // step].append(value)
    places = sorted(bins)
    means = [float(np.mean(bins[b])) for b in places]
    errors = [_standard_error(bins[b]) for b in places]
    with axes_or_new(ax) as ax:
        ax.axhline(1.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        middles = [step * b + (step + 1) / 2 for b in places]
        ax.errorbar(
            middles, means, errors, marker="o", markersize=3.6, capsize=2, color=colors(1)[0]
        )
        ax.set_xlabel(f"attempt of an annotator, in bins of {step}")
        ax.set_ylabel(f"{metric} / annotator's mean")
        ax.set_title(f"{len(values)} annotators, mean ± standard error")
    return ax


def _relative(table: Wayfinding, metric: str) -> dict[str, npt.NDArray[np.float64]]:
    """Returns each annotator's values in order, divided by their mean; without one of 0."""
    row = table.attempts[0]
    column = next((c for c in ("annotator", "annotator_id") if c in row), None)
    if column is None:
        raise InputError.at(
            Where("table", field="annotator"), "is missing", "add it to the attempts"
        )
    known = ("NE", "SR", "SPL", "SDTW", "quality", "start", "other", "time")
    if metric not in known:
        raise UsageError(f"there is no metric '{metric}'; there are {', '.join(known)}")
    found: dict[str, list[float]] = defaultdict(list)
    for attempt in table.attempts:
        value = attempt[metric]
        found[str(attempt[column])].append(math.nan if value is None else value)
    out = {}
    for name, values in found.items():
        array = np.array(values)
        present = array[~np.isnan(array)]
        if len(present) and present.mean() > 0:
            out[name] = array / present.mean()
    return out


def _standard_error(values: list[float]) -> float:
    """Returns the standard error of a mean; of one value there is none."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan

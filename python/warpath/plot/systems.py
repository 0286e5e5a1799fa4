"""Pictures of systems: a score of their instructions against what people did with them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from ..arguments import find_name, one_of
from ..correlation.found import Correlations
from ..errors import InputError, UsageError, Where
from .style import axes_or_new, colors, plain

__all__ = ["systems"]

_line = 6.5
"""Points between names."""


def systems(found: Correlations, score: str, outcome: str, *, ax: Axes | None = None) -> Axes:
    """Draws a dot for each system at the means of a score and of an outcome over its instructions,
    with its name beside it, as Figure 3 of Zhao et al. 2021. The title has τ over the systems.

    Args:
        found: what ``warpath.correlate`` returns.
        score, outcome: columns of it.
        ax: Axes to draw on; None for new ones, as wide as a column of a paper.

    Raises:
        InputError: no system has both.
        UsageError: there is no such column.
    """
    one_of("found", found, Correlations, "give what warpath.correlate returns")
    x, y = (_column(found, kind, name) for kind, name in (("score", score), ("outcome", outcome)))
    named = [(name, means[x], means[y]) for name, means in found.means.items()]
    dots = [(name, a, b) for name, a, b in named if a is not None and b is not None]
    if not dots:
        raise InputError.at(Where("found", field=x), f"has no system with {y}, too", "draw another")
    with axes_or_new(ax, height=2.4) as ax:
        ax.scatter([a for _, a, _ in dots], [b for _, _, b in dots], s=14, color=colors(1)[0])
        ax.margins(0.12)
        _write_names(ax, dots)
        ax.set_xlabel(plain(x))
        ax.set_ylabel(plain(y))
        tau = found.system[x][y].tau if len(found.system) else None
        if tau is not None:
            ax.set_title(f"{len(dots)} systems, τ = {tau:.2f}".replace("-", "−"))
    return ax


def _write_names(ax: Axes, dots: Sequence[tuple[str, float, float]]) -> None:
    """Writes the name of each dot beside it, towards the middle, and above those that it would lie
    on."""
    middle = sum(ax.get_xlim()) / 2
    figure = ax.get_figure()
    assert figure is not None
    per_point = figure.dpi / 72
    highest = {"left": -math.inf, "right": -math.inf}
    for name, a, b in sorted(dots, key=lambda dot: dot[2]):
        side = "right" if a > middle else "left"
        height = float(ax.transData.transform((a, b))[1]) / per_point
        up = max(0.0, highest[side] + _line - height)
        highest[side] = height + up
        ax.annotate(
            plain(name),
            (a, b),
            xytext=(-4 if side == "right" else 4, up),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=6,
        )


def _column(found: Correlations, kind: str, wanted: str) -> str:
    try:
        return find_name(found.settings[kind], wanted, kind)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None

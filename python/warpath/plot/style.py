"""Colours, sizes and files: what all pictures share. No setting of matplotlib changes globally."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from ..files import write_whole
from ..errors import UsageError

__all__ = [
    "COLUMN_WIDTH",
    "DARK",
    "DASHES",
    "GOAL",
    "GOAL_AREA",
    "REFERENCE_COLOR",
    "axes_or_new",
    "colors",
    "legend_below",
    "markers",
    "plain",
    "save",
    "style",
]

COLUMN_WIDTH = 3.3
"""Inches: a column of a paper in two columns."""

REFERENCE_COLOR = "#0072B2"
DARK = "#333333"
GOAL = "#F0E442"
GOAL_AREA = "#ECF4F9"
DASHES = (0, (2.5, 1.8))
"""Of links."""
_COLORS = ("#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P")

_SETTINGS: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "warpath",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
}


def style() -> AbstractContextManager[None]:
    """Returns a context with the settings that fit a column of a paper: 8 points of type, text kept
    as text in SVG and PDF. Pictures on new Axes are drawn and saved with them; use it around Axes
    of your own: ``with warpath.plot.style(): figure, ax = plt.subplots()``."""
    # The first call of this kind loads the backend, which in a notebook sets that figures are shown;
    # within the context its end would undo that.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call, unused-ignore]
    return matplotlib.rc_context(_SETTINGS)


def colors(count: int) -> list[str]:
    """Returns that many colours of Okabe and Ito (2008), which the colour-blind tell apart. The
    reference's is not among them; beyond six they begin again."""
    return [_COLORS[k % len(_COLORS)] for k in range(count)]


def markers(count: int) -> list[str]:
    """Returns that many shapes of dots, so that colour is not the only difference."""
    return [_MARKERS[(k + k // len(_COLORS)) % len(_MARKERS)] for k in range(count)]


@contextmanager
def axes_or_new(
    ax: Axes | None, width: float = COLUMN_WIDTH, height: float = 2.2
) -> Iterator[Axes]:
    """Gives the Axes, or new ones of a figure of that size in inches, in the style of a paper."""
    if ax is not None:
        yield ax
        return
    with style():
        _, new = plt.subplots(figsize=(width, height), layout="constrained")
        yield new


def legend_below(ax: Axes, names: Sequence[str], distance: float = 27) -> None:
    """Adds a legend below Axes, in as many columns as names of that length leave room for.

    Args:
        distance: from the Axes, points: room for the ticks and the label of the axis.
    """
    figure = ax.get_figure()
    assert figure is not None
    longest = max(map(len, names), default=0)
    columns = 4 if longest <= 9 else 3 if longest <= 14 else 2 if longest <= 28 else 1
    below = ScaledTranslation(0, -distance / 72, figure.dpi_scale_trans)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + below,
        ncols=min(columns, max(len(names), 1)),
        frameon=False,
        handlelength=1.4,
        columnspacing=1.2,
        borderaxespad=0.0,
    )


def plain(name: str) -> str:
    """Returns a name as a text of matplotlib that shows it as it is: dollars would begin formulas,
    and a legend leaves out what begins with an underscore."""
    return (" " * name.startswith("_") + name).replace("$", r"\$")


def save(
    figure: Figure | Axes,
    file: str | os.PathLike[str],
    *,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Writes a figure: vectors with text as text for ``.svg`` and ``.pdf``, and equal bytes for
    equal pictures.

    Args:
        figure: a figure, or Axes of it.
        file: the ending says the format.
        metadata: as ``Figure.savefig`` takes it.

    Raises:
        UsageError: there is no such format. InputError: the file cannot be written.
    """
    found = figure if isinstance(figure, Figure) else figure.get_figure()
    assert found is not None
    name = os.fspath(file)
    ending = os.path.splitext(name)[1].lower().lstrip(".")
    known = found.canvas.get_supported_filetypes()
    if ending not in known:
        raise UsageError(f"{name}: no picture ends in .{ending}; there are {', '.join(known)}")
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    stream = io.BytesIO()
    with style():
        found.savefig(
            stream,
            format=ending,
            metadata={**dates, **(metadata or {})},
            bbox_inches="tight",
            pad_inches=0.02,
        )
    write_whole(name, stream.getvalue())

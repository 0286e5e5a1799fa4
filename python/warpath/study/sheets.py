"""Sheets for raters: a page of A4 for each set, with the paper's question and places for ranks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..optional import require
from ..progress import Progress, reporting
from .sets import RatingSet, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["render"]

_question = (
    "“If I instructed a robot to take the blue path, which of these orange paths\n"
    "would I prefer it to take?”"
)
"""Of Ilharco et al. 2019, 4.1, word by word."""

_width, _height = 11.69, 8.27
"""Inches: A4, on its side."""


def render(study: Study, form: str, progress: Progress = False) -> dict[str, bytes]:
    """Draws the sheets of a study.

    Args:
        form: ``pdf`` for one file, ``svg`` or ``png`` for a file for each sheet.
        progress: True for a bar, or a function of the number of sheets that are drawn.

    Returns:
        File -> content. Neither has a set's name, a scenario or a metric.

    Raises:
        InputError: a graph has no positions. UsageError: matplotlib is missing.
    """
    require("matplotlib", "study")
    from ..plot.style import style

    pages, files = _Pages(study), dict[str, bytes]()
    width = max(3, len(str(len(study.sheets))))
    with style(), reporting(progress, len(study.sheets), " sheets") as report:
        if form == "pdf":
            return {"sheets.pdf": _pdf(_each(pages, report))}
        for number, page in _each(pages, report):
            stream = io.BytesIO()
            metadata = {"Date": None} if form == "svg" else {}
            page.savefig(stream, format=form, dpi=110, metadata=metadata)
            files[f"sheets/sheet_{number:0{width}}.{form}"] = stream.getvalue()
    return files


def _pdf(pages: Iterator[tuple[int, Figure]]) -> bytes:
    backend: Any = require("matplotlib.backends.backend_pdf", "study")
    stream = io.BytesIO()
    with backend.PdfPages(stream, metadata={"CreationDate": None}) as pdf:
        for _, page in pages:
            pdf.savefig(page)
    return stream.getvalue()


def _each(
    pages: _Pages, report: Callable[[int], object] | None
) -> Iterator[tuple[int, Figure]]:
    for k in range(len(pages.study.sheets)):
        yield k + 1, pages.page(k)
        if report is not None:
            report(k + 1)


class _Pages:
    """Draws pages, on one figure for all sets of a size."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._sheets = dict[int, _Sheet]()

    def page(self, k: int) -> Figure:
        one = self.study.sets[self.study.sheets[k]]
        size = len(one.queries)
        if size not in self._sheets:
            self._sheets[size] = _Sheet(list(one.queries))
        return self._sheets[size].show(self.study, one, k + 1)


class _Sheet:
    """A page with a panel for each query, and a cell for the answer behind them."""

    def __init__(self, letters: list[str]) -> None:
        from matplotlib.figure import Figure

        from ..plot.set_panels import Panel

        self.figure = Figure(figsize=(_width, _height))
        count = len(letters)
        columns = next(c for c in range(3, 7) if c * (c - 1) > count or c == 6)
        rows = -(-(count + 1) // columns)
        bottom = 0.035 if rows > 1 else 0.4
        grid = self.figure.add_gridspec(
            rows, columns, left=0.04, right=0.96, top=0.845, bottom=bottom, wspace=0.07,
            hspace=0.06 * rows,
        )  # fmt: skip
        cells = [self.figure.add_subplot(grid[k // columns, k % columns]) for k in range(count)]
        box = cells[0].get_position()
        self._aspect = box.height * _height / (box.width * _width)
        scale = min(1.0, box.width * _width / 3.4 + 0.05)
        self._panels = [Panel(ax, scale) for ax in cells]
        for panel, letter in zip(self._panels, letters):
            panel.ax.set_title(letter, fontsize=14 * scale, fontweight="bold", pad=4)
        self._question = self.figure.text(0.04, 0.95, _question, fontsize=13, va="top")
        self._number = self.figure.text(0.96, 0.95, "", fontsize=15, va="top", ha="right")
        self.figure.text(0.96, 0.905, "rater ________", fontsize=11, va="top", ha="right")
        answer = self.figure.add_subplot(grid[count // columns, count % columns :])
        _add_answer(answer, count, box.width * _width, scale)

    def show(self, study: Study, one: RatingSet, number: int) -> Figure:
        from ..plot.set_panels import limits_of

        paths = [one.reference, *one.queries.values()]
        limits = limits_of(study, one.scan, paths, self._aspect)
        self._number.set_text(f"Sheet {number}")
        for panel, (letter, query) in zip(self._panels, one.queries.items()):
            panel.ax.title.set_text(letter)
            panel.show(study, one.scan, one.reference, query, limits)
        return self.figure


def _add_answer(ax: Any, count: int, width: float, scale: float) -> None:
    """Adds what the marks mean, and a place for each rank.

    Args:
        width: of a panel, inches.
    """
    from ..plot.set_panels import QUERY_COLOR, add_mark
    from ..plot.style import REFERENCE_COLOR

    ax.set_axis_off()
    ax.set_xlim(0, ax.get_position().width * _width / width)
    ax.set_ylim(0, 1)
    size = 10.5 * max(scale, 0.7)
    for y, color, name in ((0.97, REFERENCE_COLOR, "blue"), (0.87, QUERY_COLOR, "orange")):
        ax.plot([0.06, 0.17], [y, y], color=color, linewidth=2.4 * scale)
        ax.text(0.21, y, f"{name} path", va="center", fontsize=size)
    for y, kind in ((0.97, "start"), (0.87, "end")):
        add_mark(ax, kind, "white", size=8 * scale).set_data([0.66], [y])
        ax.text(0.71, y, kind, va="center", fontsize=size)
    ax.text(0.06, 0.74, "Write the letter of a path for each rank:", va="center", fontsize=size)
    columns = -(-count // 6)
    rows = -(-count // columns)
    for k in range(count):
        x = 0.06 + 0.5 * (k // rows)
        y = 0.62 - 0.58 / max(rows - 1, 4) * (k % rows)
        word = " (most preferred)" if k == 0 else " (least preferred)" if k == count - 1 else ""
        shown = word if columns == 1 else ""
        ax.text(x, y, f"{k + 1}  ______{shown}", va="center", fontsize=size)

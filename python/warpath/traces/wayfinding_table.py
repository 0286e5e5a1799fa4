"""The table of wayfinding, as Zhao et al. 2021 print it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..output_tables import PrintedTable, TableStyle, number_text
from ..results import Estimate

__all__ = ["COLUMNS", "METRICS", "printed_table"]

METRICS = ("NE", "SR", "SPL", "SDTW")
COLUMNS = {
    "words": "Wordcount",
    "NE": "NE (m) ↓",
    "SR": "SR ↑",
    "SPL": "SPL ↑",
    "SDTW": "SDTW ↑",
    "quality": "Quality ↑",
    "start": "Search start (%)",
    "other": "Search other (%)",
    "time": "Time (s) ↓",
}
"""Columns with their heads, in the paper's order."""

_fewer_decimals = {"NE": 1, "quality": 2, "start": 2, "other": 2, "time": 3, "words": 3}
_shares = ("start", "other")
_usual_digits = 4

Line = tuple[Mapping[str, str], str, Mapping[str, Estimate]]
"""Values of the columns that rows are told by, Num. Evals, means."""


def printed_table(rows: Sequence[Line], style: TableStyle, weight: str) -> PrintedTable:
    """Lays the table out.

    Args:
        weight: of a pixel in the visual search.
    """
    groups = list(rows[0][0])
    lines = [
        [*values.values(), evals, *(_cell(name, estimates[name], style) for name in COLUMNS)]
        for values, evals, estimates in rows
    ]
    title = "Wayfinding" if weight == "pixels" else "Wayfinding, visual search by solid angle"
    head = [*groups, "Num. Evals", *COLUMNS.values()]
    return PrintedTable(title, head, lines, "l" * max(1, len(groups)))


def _cell(column: str, estimate: Estimate, style: TableStyle) -> str:
    if estimate.mean is None:
        return "n/a"
    factor = 100 if column in _shares else 1
    digits = _usual_digits if style.digits is None else style.digits
    decimals = max(0, digits - _fewer_decimals.get(column, 0))

    def shown(value: float) -> str:
        return number_text(factor * value, decimals)

    text = shown(estimate.mean)
    if style.intervals and estimate.ci95 is None:
        text += " ± n/a"
    elif style.intervals and estimate.ci95 is not None:
        bounds = [shown(abs(bound - estimate.mean)) for bound in estimate.ci95]
        text += f" ± {bounds[0]}" if bounds[0] == bounds[1] else f" −{bounds[0]} +{bounds[1]}"
    return text if estimate.n == estimate.of else f"{text} (n {estimate.n})"

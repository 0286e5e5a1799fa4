"""Tables of comparisons: text, Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from .. import _core
from .pairs import Difference, Options, Pair

__all__ = ["Layout", "Style"]

_arrows = {"higher": " ↑", "lower": " ↓", "neither": ""}
_level = 0.05


class Style(NamedTuple):
    """Says how tables look; see ``Report.to_latex``."""

    markup: str = "text"
    """``text``, ``markdown`` or ``latex``."""
    width: int = 80
    """Columns after which a text table is folded; 0: never."""
    colour: bool = False
    percent: bool = False
    digits: int = 4
    intervals: bool = True
    items: bool = True
    """Whether the items that differ most are shown."""


class Layout:
    """Lays pairs out, each in a table of its metrics, of its groups, and of its items."""

    def __init__(self, pairs: Sequence[Pair], options: Options, style: Style) -> None:
        self._pairs = pairs
        self._options = options
        self._style = style

    def tables(self) -> str:
        parts = []
        for pair in self._pairs:
            parts.append(self._title(_title(pair)) + self._metrics(pair))
            if pair.groups:
                title = f"{_title(pair)}, by {self._options.by}"
                parts.append(self._title(title) + self._groups(pair))
            if pair.items and self._style.items:
                rank = self._options.rank
                title = f"{_title(pair)}, the items that differ most in {rank}"
                parts.append(self._title(title) + self._items(pair))
        return "\n".join(parts)

    def html(self) -> str:
        """Returns the tables of metrics."""
        out = []
        for pair in self._pairs:
            head, rows, bold = self._metric_rows(pair)
            lines = [_html_row(head, "th", ())]
            for r, row in enumerate(rows):
                lines.append(_html_row(row, "td", [c for b, c in bold if b == r]))
            caption = f"<caption>{html.escape(_title(pair))}</caption>"
            out.append(f"<table>{caption}{''.join(lines)}</table>")
        return "".join(out)

    def _title(self, text: str) -> str:
        if self._style.markup == "latex":
            return f"% {_core.clean_text(text)}\n"
        return f"{_core.clean_text(text)}\n\n"

    def _render(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        align: str,
        bold: Sequence[tuple[int, int]] = (),
    ) -> str:
        style = self._style
        return _core.render_table(
            list(head), [list(row) for row in rows], align, list(bold), style.markup, style.width,
            style.colour,
        )  # fmt: skip

    def _metrics(self, pair: Pair) -> str:
        head, rows, bold = self._metric_rows(pair)
        return self._render(head, rows, "l", bold)

    def _metric_rows(self, pair: Pair) -> tuple[list[str], list[list[str]], list[tuple[int, int]]]:
        """Returns header, rows and the bold cells: what Holm's correction leaves significant."""
        head = ["metric", pair.first, pair.second, "difference", "p", "p (Holm)", "won/tied/lost"]
        has_counts = any(found.n != pair.compared for found in pair.metrics.values())
        rows, bold = [], []
        for r, found in enumerate(pair.metrics.values()):
            star = " *" if found.p_holm is not None and found.p_holm < _level else ""
            row = [
                f"{found.metric}{self._unit(found.unit)}{_arrows[found.better]}",
                self._number(found.mean_first, found.unit),
                self._number(found.mean_second, found.unit),
                self._difference(found),
                _p(found.p),
                _p(found.p_holm) + star,
                _counts(found),
            ]
            rows.append(row + ([f"{found.n} of {found.of}"] if has_counts else []))
            if star:
                bold.append((r, 3))
        return head + (["n"] if has_counts else []), rows, bold

    def _groups(self, pair: Pair) -> str:
        head = [self._options.by, *pair.metrics, "items"]
        rows = [
            [group.name, *map(self._difference, group.metrics.values()), str(group.items)]
            for group in pair.groups
        ]
        return self._render(head, rows, "l")

    def _items(self, pair: Pair) -> str:
        unit = pair.metrics[self._options.rank].unit
        rows = [
            [
                item.instr_id,
                item.scan,
                self._number(item.value_first, unit),
                self._number(item.value_second, unit),
                self._number(item.difference, unit, signed=True),
            ]
            for item in pair.items
        ]
        return self._render(["item", "scan", pair.first, pair.second, "difference"], rows, "ll")

    def _difference(self, found: Difference) -> str:
        if found.difference is None:
            return "–"
        unit = found.unit
        text = self._number(found.difference, unit, signed=True)
        if not self._style.intervals:
            return text
        if found.ci95 is None:
            return f"{text} ± –"
        below, above = found.difference - found.ci95[0], found.ci95[1] - found.difference
        bounds = self._number(below, unit), self._number(above, unit)
        return f"{text} ± {bounds[0]}" if bounds[0] == bounds[1] else (
            f"{text} −{bounds[0]} +{bounds[1]}"
        )

    def _unit(self, unit: str) -> str:
        if unit == "fraction":
            return " (%)" if self._style.percent else ""
        return f" ({unit})" if unit in ("m", "edges", "turns") else ""

    def _number(self, value: float | None, unit: str, signed: bool = False) -> str:
        """Returns a number with the decimals that reports of evaluations give it."""
        if value is None:
            return "–"
        is_percent = unit == "fraction" and self._style.percent
        fewer = 2 if is_percent else 0 if unit == "fraction" else 1
        decimals = max(0, self._style.digits - fewer)
        text = f"{abs(100 * value if is_percent else value):.{decimals}f}"
        if float(text) == 0:
            return text
        return ("−" if value < 0 else "+" if signed else "") + text


def _title(pair: Pair) -> str:
    count = f"{pair.compared} of {pair.common}" if pair.compared < pair.common else pair.common
    noun = "item" if pair.common == 1 else "items"
    return f"{pair.second} − {pair.first}, {count} {noun}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _counts(found: Difference) -> str:
    if found.n == 0:
        return "–"
    if found.wins is None:
        return f"({found.larger}/{found.equal}/{found.smaller})"
    return f"{found.wins}/{found.equal}/{found.losses}"


def _html_row(cells: Sequence[str], tag: str, bold: Sequence[int]) -> str:
    texts = [html.escape(cell) for cell in cells]
    for c in bold:
        texts[c] = f"<b>{texts[c]}</b>"
    return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

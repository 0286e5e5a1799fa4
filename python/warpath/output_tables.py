"""Results that are tables: as text, Markdown, LaTeX, HTML and JSON, with the files behind them."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from . import _core
from .files import written
from .input_tables import InputTable

__all__ = [
    "PrintedTable",
    "Source",
    "TableStyle",
    "TabledResult",
    "csv_of",
    "number_text",
    "source_of",
    "unique_names",
]


class TableStyle(NamedTuple):
    """Says how tables look."""

    markup: str = "text"
    """``text``, ``markdown`` or ``latex``."""
    width: int = 80
    """Columns of characters after which a text table is folded; 0: never."""
    colour: bool = False
    digits: int | None = None
    """Decimals; None for what is usual in the table."""
    intervals: bool = True


class PrintedTable(NamedTuple):
    """Holds a table whose cells are texts."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = "l"
    """``l`` or ``r`` by column; further columns are flush right."""
    caveat: str = ""
    """What nobody must miss who reads the table; printed with it in every form."""


class Source(NamedTuple):
    """Names a file behind a result."""

    role: str
    """What the file is of the result, such as ``ratings``."""
    file: str
    hash: str
    """As ``warpath eval --json`` has it; empty for what was in memory."""


def source_of(role: str, table: InputTable) -> Source:
    """Returns the source that an input table is."""
    return Source(role, table.name, table.hash)


def unique_names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Returns a name for each key: its parts with commas, ``all`` for none. Keys whose names would be
    equal have their parts in quotes."""
    names = [", ".join(key) or "all" for key in keys]
    twice = {name for name, count in Counter(names).items() if count > 1}
    return [
        ", ".join(map(repr, key)) if name in twice else name for name, key in zip(names, keys)
    ]


def number_text(value: float | None, digits: int, signed: bool = False) -> str:
    """Returns a number with so many decimals; ``n/a`` where there is none, never 0."""
    if value is None or math.isnan(value):
        return "n/a"
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")


class TabledResult(ABC):
    """Writes a result in every form. A result says what its tables, values and notes are."""

    kind: str
    """First key of the JSON, whose value is the version: ``study``."""
    sources: Sequence[Source]

    @abstractmethod
    def printed(self, style: TableStyle) -> list[PrintedTable]:
        """Returns the tables; every cell of a mean has its n in the table or its title."""

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Returns settings, seed and values as JSON has them; None for a value that is not."""

    def remarks(self) -> list[str]:
        """Returns lines that say what the numbers mean, and what is left out."""
        return []

    def to_json(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns everything as JSON, and writes it to a file if one is named. Equal inputs and
        seeds give equal bytes."""
        files = [
            {"role": source.role, "file": source.file, "hash": source.hash}
            for source in self.sources
        ]
        whole = {self.kind: _core.version, "files": files, **self.described()}
        whole["notes"] = self.remarks()
        text = json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        return written(_in_utf8(text), file)

    def to_markdown(self, file: str | os.PathLike[str] | None = None, **style: Any) -> str:
        """Returns the tables in Markdown, and writes them to a file if one is named.

        Args:
            **style: ``digits`` and ``intervals`` of ``TableStyle``.
        """
        return written(self.tables(TableStyle("markdown", 0, **style)), file)

    def to_latex(self, file: str | os.PathLike[str] | None = None, **style: Any) -> str:
        """Returns the tables in LaTeX, with booktabs' rules; arguments as in ``to_markdown``."""
        return written(self.tables(TableStyle("latex", 0, **style)), file)

    def tables(self, style: TableStyle) -> str:
        """Returns all tables, laid out."""
        return "\n".join(_laid_out(table, style) for table in self.printed(style))

    def inputs(self) -> str:
        """Returns lines that name the files behind the tables."""
        lines = [f"{source.role}: {source.file}" for source in self.sources if source.file]
        return "".join(_core.clean_text(_in_utf8(line)) + "\n" for line in lines)

    def notes(self) -> str:
        """Returns ``remarks`` as lines that can be printed."""
        return "".join(_core.clean_text(line) + "\n" for line in self.remarks())

    def __str__(self) -> str:
        return f"{self.inputs()}\n{self.tables(TableStyle())}\n{self.notes()}".rstrip("\n")

    def _repr_html_(self) -> str:
        return "".join(_html(table) for table in self.printed(TableStyle()))


def _laid_out(table: PrintedTable, style: TableStyle) -> str:
    title, caveat = _core.clean_text(table.title), _core.clean_text(table.caveat)
    is_latex = style.markup == "latex"
    lines = [line for line in (title, "" if is_latex else caveat) if line]
    head = "".join(f"% {line}\n" if is_latex else f"{line}\n\n" for line in lines)
    foot = f"\\par {{\\footnotesize {caveat}}}\n" if is_latex and caveat else ""
    rows = [list(row) for row in table.rows]
    body = _core.render_table(
        list(table.head), rows, table.align, [], style.markup, style.width, style.colour
    )
    return head + body + foot


def _html(table: PrintedTable) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)

    rows = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in table.rows)
    lines = [html.escape(line) for line in (table.title, table.caveat) if line]
    caption = f"<caption>{'<br>'.join(lines)}</caption>" if lines else ""
    return f"<table>{caption}<tr>{row(table.head, 'th')}</tr>{rows}</table>"


def _in_utf8(text: str) -> str:
    """Returns a text that UTF-8 can hold: names of files may be any bytes."""
    return text.encode(errors="backslashreplace").decode()


def csv_of(rows: Sequence[Mapping[str, Any]], file: str | os.PathLike[str] | None) -> str:
    """Returns one or more rows with equal keys as CSV, and writes it to a file if one is named."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written(stream.getvalue(), file)

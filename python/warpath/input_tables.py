"""Tables that users bring: CSV with a header, JSON Lines, DataFrames, lists of dicts."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from . import _core
from .errors import InputError, Where
from .files import read_all
from .inputs import is_path

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas

__all__ = ["InputTable", "TableLike", "read_table"]

TableLike: TypeAlias = (
    "str | os.PathLike[str] | Sequence[Mapping[str, Any]] | pandas.DataFrame | InputTable"
)
"""A file of CSV with a header or of JSON Lines (either may be packed by gzip), a list of dicts, a
DataFrame of pandas, or an Arrow table."""

_longest_cell = 1 << 24
"""Characters: as long as a trajectory gets, and far below what fills memory."""


class InputTable:
    """Holds the columns of a table, with what messages need: its name and the place of each row.

    Attributes:
        name: the file, or what the table is called in messages.
        hash: of the file's bytes, as ``warpath eval --json`` has it; of rows in memory empty.
        columns: names, in the order of the file.
    """

    def __init__(
        self, name: str, columns: Mapping[str, list[Any]], places: Sequence[str], content: str = ""
    ) -> None:
        self.name = name
        self.hash = content
        self.columns = list(columns)
        self._columns = columns
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, column: str) -> bool:
        return column in self._columns

    def require(self, *columns: str, remedy: str = "") -> None:
        """Refuses a table without these columns.

        Raises:
            InputError: names the first that is missing, and those that there are.
        """
        for column in columns:
            if column not in self._columns:
                meant = _core.did_you_mean(column, self.columns)
                there = f"the columns are {', '.join(self.columns) or 'none'}"
                raise InputError.at(
                    Where(self.name, field=f"column {column}"),
                    f"is missing; {there}" + (f"; {meant}" if meant else ""),
                    remedy or f"add a column '{column}', or name another one",
                )

    def values(self, column: str) -> list[Any]:
        """Returns the cells of a column as they are: of CSV texts, of JSON Lines any value; None
        where there is none.

        Raises:
            InputError: there is no such column.
        """
        self.require(column)
        return self._columns[column]

    def texts(self, column: str, *, gaps: bool = False) -> list[str]:
        """Returns the cells of a column as texts without spaces around; numbers are written as
        their shortest text, so that ids may be numbers in one file and texts in another.

        Args:
            gaps: whether a cell may be empty; it is "" then.

        Raises:
            InputError: there is no such column, or a cell is empty or neither text nor number.
        """
        return [self._text(row, column, cell, gaps) for row, cell in enumerate(self.values(column))]

    def numbers(self, column: str, *, gaps: bool = False) -> npt.NDArray[np.float64]:
        """Returns the cells of a column as numbers.

        Args:
            gaps: whether a cell may be empty; it is NaN then.

        Raises:
            InputError: there is no such column, or a cell is empty or no finite number.
        """
        import numpy as np

        cells = self.values(column)
        return np.array(
            [self.number(row, column, cell, gaps) for row, cell in enumerate(cells)], np.float64
        )

    def number(self, row: int, column: str, cell: Any, gaps: bool = False) -> float:
        """Returns a cell as a number; errors as ``numbers``."""
        if _is_gap(cell):
            if gaps:
                return math.nan
            self.fail(row, column, "is empty", "give a number, or leave the row out")
        try:
            if isinstance(cell, (bool, Mapping, list, tuple)):
                raise TypeError
            if isinstance(cell, str) and "_" in cell:  # Python reads 1_0 as ten
                raise ValueError
            value = float(cell)
        except (TypeError, ValueError, OverflowError):
            self.fail(row, column, f"is {_shown(cell)}, which is no number", "give a number")
        if not math.isfinite(value):
            self.fail(row, column, f"is {_shown(cell)}", "give a finite number")
        return value

    def place(self, row: int) -> str:
        """Returns where a row is, for messages: ``line 3`` of a file, ``row 2`` of a list."""
        return self._places[row]

    def fail(self, row: int, column: str, problem: str, remedy: str) -> NoReturn:
        """Raises the error of a cell; an empty column is for that of a whole row."""
        field = f"column {column}" if column else ""
        raise InputError.at(Where(self.name, self._places[row], field), problem, remedy)

    def _text(self, row: int, column: str, cell: Any, gaps: bool) -> str:
        if _is_gap(cell):
            if gaps:
                return ""
            self.fail(row, column, "is empty", "give a text, or leave the row out")
        if isinstance(cell, str):
            if not _is_utf8(cell):
                self.fail(row, column, f"is {ascii(cell)[:60]}", "give text that UTF-8 can hold")
            return cell.strip()
        is_huge = isinstance(cell, int) and cell.bit_length() > 128
        if is_huge or isinstance(cell, (bool, Mapping, list, tuple)):
            self.fail(row, column, f"is {_shown(cell)}", "give a text or a number")
        if isinstance(cell, float) and cell.is_integer():  # pandas: integers beside gaps
            return str(int(cell))
        return str(cell)


def read_table(source: TableLike, name: str = "table") -> InputTable:
    """Reads a table. The content tells JSON Lines from CSV; the separator of CSV is a comma.

    Args:
        source: a file ("-" is standard input), or rows in memory; see ``TableLike``.
        name: what messages call rows in memory.

    Raises:
        InputError: the file cannot be read, is no such table, has no rows, has a column twice, or
            a row has more or fewer cells than the header.
    """
    if isinstance(source, InputTable):
        return source
    if not is_path(source):
        return _of_rows(source, name)
    file = os.fspath(cast("str | os.PathLike[str]", source))
    content = read_all(file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError.at(
            Where(file, f"line {line}"), "is no UTF-8", "write the file as UTF-8"
        ) from None
    shown = "standard input" if file == "-" else file
    first = text.lstrip()[:1]
    if first == "[":
        raise InputError.at(Where(shown), "is a list of JSON", "write its objects as JSON Lines")
    read = _json_lines if first == "{" else _csv
    columns, places = read(text, shown)
    if not places:
        raise InputError.at(Where(shown), "has no rows", "give a file with at least one")
    return InputTable(shown, columns, places, _core.content_hash(content))


def _csv(text: str, file: str) -> tuple[dict[str, list[Any]], list[str]]:
    before = csv.field_size_limit(_longest_cell)
    try:
        return _csv_columns(text, file)
    finally:
        csv.field_size_limit(before)


def _csv_columns(text: str, file: str) -> tuple[dict[str, list[Any]], list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    rows, places = list[list[str]](), list[str]()
    try:
        for cells in reader:
            if not cells:
                continue
            if not header:
                header = _header(cells, file)
                continue
            if len(cells) != len(header):
                raise InputError.at(
                    Where(file, f"line {reader.line_num}"),
                    f"has {len(cells)} cells, the header {len(header)}",
                    "give every row a cell for each column, in quotes where it has a comma",
                )
            rows.append(cells)
            places.append(f"line {reader.line_num}")
    except csv.Error as error:
        raise InputError.at(
            Where(file, f"line {reader.line_num}"), f"is no CSV ({error})", "mend the line"
        ) from None
    if not header:
        raise InputError.at(Where(file), "is empty", "give CSV with a header, or JSON Lines")
    by_column: Iterable[tuple[str, ...]] = zip(*rows) if rows else ([()] * len(header))
    return {name: list(cells) for name, cells in zip(header, by_column)}, places


def _header(cells: Sequence[str], file: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    for k, name in enumerate(header):
        if not name:
            problem = f"column {k + 1} of the header has no name"
            raise InputError.at(Where(file), problem, "give CSV with a header")
        if name in header[:k]:
            raise InputError.at(
                Where(file, field=f"column {name}"), "is there twice", "leave one out"
            )
    return header


def _json_lines(text: str, file: str) -> tuple[dict[str, list[Any]], list[str]]:
    rows, places = list[Mapping[str, Any]](), list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            found = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise InputError.at(
                Where(file, place), f"is no JSON ({error})", "give JSON Lines, an object in each"
            ) from None
        if not isinstance(found, dict):
            raise InputError.at(Where(file, place), "is no object", "give an object in each line")
        rows.append(found)
        places.append(place)
    return _by_column(rows, file), places


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _of_rows(source: Any, name: str) -> InputTable:
    if hasattr(source, "column_names") and hasattr(source, "to_pylist"):  # Arrow
        source = source.to_pylist()
    elif hasattr(source, "columns") and hasattr(source, "to_dict"):
        twice = [column for column in source.columns if list(source.columns).count(column) > 1]
        if twice:
            where = Where(name, field=f"column {twice[0]}")
            raise InputError.at(where, "is there twice", "leave one out")
        source = source.to_dict("records")
    if isinstance(source, (bytes, Mapping)) or not isinstance(source, Sequence):
        raise InputError.at(
            Where(name),
            f"is of type {type(source).__name__}",
            "give a file, a list of dicts or a DataFrame",
        )
    for k, row in enumerate(source):
        if not isinstance(row, Mapping):
            problem = f"is of type {type(row).__name__}"
            raise InputError.at(Where(name, f"row {k}"), problem, "give a dict for each row")
    if not source:
        raise InputError.at(Where(name), "has no rows", "give at least one")
    return InputTable(name, _by_column(source, name), [f"row {k}" for k in range(len(source))])


def _by_column(rows: Sequence[Mapping[str, Any]], table: str) -> dict[str, list[Any]]:
    names = dict.fromkeys(str(name) for row in rows for name in row)
    for name in names:
        if not _is_utf8(name):
            raise InputError.at(
                Where(table, field=f"column {ascii(name)[:60]}"),
                "has a name that UTF-8 cannot hold",
                "give it another one",
            )
    return {name: [row.get(name) for row in rows] for name in names}


def _is_gap(cell: Any) -> bool:
    """Tells what stands for no value: an empty cell, null, and NaN and NA of pandas."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    is_nan = isinstance(cell, float) and math.isnan(cell)
    return is_nan or type(cell).__name__ in ("NAType", "NaTType")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(cell: Any) -> str:
    if isinstance(cell, int) and cell.bit_length() > 10_000:  # Python writes no longer ones
        return "a number of thousands of digits"
    text = repr(cell)
    return text if len(text) <= 60 else f"{text[:57]}..."

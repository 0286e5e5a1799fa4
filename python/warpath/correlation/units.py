"""What is correlated: for each instruction of each system its scores and the means of outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..errors import InputError, UsageError, Where
from ..input_tables import InputTable, TableLike, read_table
from ..output_tables import Source, source_of, unique_names

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.float64]
    ValueOf = Callable[[InputTable, str, Sequence[int], Sequence[object], bool], float]

__all__ = ["Units", "read_units"]

_instruction_columns = ("instruction", "instr_id")
_skip = "or leave such instructions out by missing=skip (--missing skip)"

Key = tuple[str, ...]


class Units(NamedTuple):
    """Holds a value of each column for each instruction, in the order of their first attempt."""

    system_of: npt.NDArray[np.int64]
    """[N], numbers of systems."""
    systems: list[str]
    """Names, in order of first appearance."""
    scores: dict[str, Column]
    """[N] by name, NaN for none."""
    outcomes: dict[str, Column]
    attempts: int
    unscored: int
    """Instructions that are in no row of the scores."""
    unattempted: int
    """Rows of scores without an attempt."""
    system_columns: list[str]
    only: dict[str, list[str]]
    instruction_column: str
    sources: list[Source]

    def require_enough(self, has_systems: bool) -> None:
        """Refuses fewer than two instructions, and fewer than two systems at the system level."""
        name = self.sources[0].file
        if len(self.system_of) < 2:
            raise InputError.at(
                Where(name), "has one instruction", "give two or more: τ compares pairs of them"
            )
        if has_systems and len(self.systems) < 2:
            told = f"by {', '.join(self.system_columns)}" if self.system_columns else "for all rows"
            raise InputError.at(
                Where(name),
                f"has one system {told}",
                "name the columns that tell systems apart (--system), or ask for instructions "
                "alone (--level instance)",
            )

    def counts(self) -> list[int]:
        """Returns how many instructions each system has."""
        import numpy as np

        counted = np.bincount(self.system_of, minlength=len(self.systems))
        return [int(count) for count in counted]


def read_units(
    attempts: TableLike,
    scores: TableLike | None,
    score: Sequence[str],
    outcome: Sequence[str],
    system: Sequence[str] | None,
    only: Mapping[str, Sequence[str]],
    instruction: str | None,
    *,
    is_skipping: bool,
) -> Units:
    """Reads and joins the tables; arguments as of ``warpath.correlate``.

    Raises:
        InputError: names the table, the row, the column and the remedy.
    """
    import numpy as np

    table = read_table(attempts, "attempts")
    scored = None if scores is None else read_table(scores, "scores")
    column = _instruction_column(table, instruction)
    systems = _system_columns(table, system)
    kept = _kept_rows(table, only)
    keys = _keys(table, [*systems, column])
    rows_of = dict[Key, list[int]]()
    for row in kept:
        rows_of.setdefault(keys[row], []).append(row)
    join = None if scored is None else _Join(scored, systems, column, is_skipping)
    if join is not None:
        join.match(table, keys, rows_of)
    numbers = dict[Key, int]()
    system_of = [numbers.setdefault(key[:-1], len(numbers)) for key in rows_of]
    return Units(
        np.array(system_of, np.int64),
        unique_names(list(numbers)),
        {
            name: _of_attempts(table, name, rows_of, _one_value, is_skipping)
            if join is None or (name in table and name not in join.table)
            else join.column(name)
            for name in score
        },
        {name: _of_attempts(table, name, rows_of, _mean, is_skipping) for name in outcome},
        len(kept),
        0 if join is None else join.unscored,
        0 if join is None else len(join.unattempted),
        systems,
        {name: list(values) for name, values in only.items()},
        column,
        [source_of("attempts", table)] + ([] if scored is None else [source_of("scores", scored)]),
    )  # fmt: skip


def _instruction_column(table: InputTable, wanted: str | None) -> str:
    names = _instruction_columns if wanted is None else (wanted,)
    found = next((name for name in names if name in table), None)
    if found is None:
        table.require(names[0], remedy="name the column of instructions (--instruction)")
    return found or ""


def _system_columns(table: InputTable, wanted: Sequence[str] | None) -> list[str]:
    if wanted is None:
        return [name for name in ("system", "split") if name in table]
    table.require(*wanted)
    return list(wanted)


def _kept_rows(table: InputTable, only: Mapping[str, Sequence[str]]) -> list[int]:
    """Returns the rows whose cells are among the values that are asked for."""
    kept = list(range(len(table)))
    for column, values in only.items():
        cells = table.texts(column)
        for value in values:
            if value not in cells:
                meant = _core.did_you_mean(value, sorted(set(cells)))
                problem = f"{table.name}: column {column} has no '{value}'"
                raise UsageError(problem + (f"; {meant}" if meant else ""))
        kept = [row for row in kept if cells[row] in values]
    if not kept:
        raise UsageError(f"{table.name} has no row with all that only (--only) asks for")
    return kept


def _keys(table: InputTable, columns: Sequence[str]) -> list[Key]:
    return list(zip(*(table.texts(column) for column in columns)))


class _Join:
    """Finds the row of scores that belongs to each instruction."""

    def __init__(
        self, table: InputTable, systems: Sequence[str], column: str, is_skipping: bool
    ) -> None:
        is_known = column not in table and column in _instruction_columns
        own = _instruction_column(table, None if is_known else column)
        self.table = table
        self._places = [k for k, name in enumerate(systems) if name in table]
        self._is_skipping = is_skipping
        self._rows = dict[Key, list[int]]()
        for row, key in enumerate(_keys(table, [*(systems[k] for k in self._places), own])):
            self._rows.setdefault(key, []).append(row)
        self._found = list[list[int]]()
        self.unscored = 0
        self.unattempted = set[Key]()

    def match(
        self, attempts: InputTable, keys: Sequence[Key], rows_of: Mapping[Key, Sequence[int]]
    ) -> None:
        """Takes the instructions that are kept, and all that the attempts have."""
        self._found = [self._rows.get(self._part(key), []) for key in rows_of]
        self.unscored = sum(not rows for rows in self._found)
        self.unattempted = set(self._rows) - {self._part(key) for key in keys}
        if self._is_skipping:
            return
        for (key, rows), found in zip(rows_of.items(), self._found):
            if not found:
                problem = f"{_shown(key)} has no score in {self.table.name}"
                attempts.fail(rows[0], "", problem, f"add it, {_skip}")
        if self.unattempted:
            row = min(self._rows[key][0] for key in self.unattempted)
            key = next(k for k, rows in self._rows.items() if rows[0] == row)
            problem = f"{_shown(key)} has no attempt in {attempts.name}"
            self.table.fail(row, "", problem, f"leave it out, {_skip}")

    def column(self, name: str) -> Column:
        """Returns a score of each instruction; NaN for none."""
        import numpy as np

        cells = self.table.values(name)
        return np.array(
            [_one_value(self.table, name, rows, cells, self._is_skipping) for rows in self._found],
            np.float64,
        )

    def _part(self, key: Key) -> Key:
        return (*(key[k] for k in self._places), key[-1])


def _shown(key: Key) -> str:
    return f"instruction {key[-1]}" + (f" of {', '.join(key[:-1])}" if key[:-1] else "")


def _of_attempts(
    table: InputTable,
    name: str,
    rows_of: Mapping[Key, Sequence[int]],
    value_of: ValueOf,
    is_skipping: bool,
) -> Column:
    import numpy as np

    cells = table.values(name)
    with np.errstate(over="ignore"):
        values = (value_of(table, name, rows, cells, is_skipping) for rows in rows_of.values())
        return np.fromiter(values, np.float64, len(rows_of))


def _one_value(
    table: InputTable, name: str, rows: Sequence[int], cells: Sequence[object], is_skipping: bool
) -> float:
    """Returns the value that all rows of an instruction have."""
    found = [_number(table, row, name, cells, is_skipping) for row in rows]
    if not found or any(map(math.isnan, found)):
        return math.nan
    for row, value in zip(rows, found):
        if value != found[0]:
            table.fail(
                row,
                name,
                f"is {value!r}, and {found[0]!r} in {table.place(rows[0])}, of one instruction",
                "give an instruction one score, or name the columns that tell systems apart "
                "(--system)",
            )
    return found[0]


def _mean(
    table: InputTable, name: str, rows: Sequence[int], cells: Sequence[object], is_skipping: bool
) -> float:
    """Returns the mean over the attempts at an instruction, as ``numpy.mean`` has it."""
    import numpy as np

    found = [_number(table, row, name, cells, is_skipping) for row in rows]
    value = float(np.mean(found))
    if math.isinf(value):
        table.fail(rows[0], name, "has a mean that is too large", "give smaller numbers")
    return value


def _number(
    table: InputTable, row: int, name: str, cells: Sequence[object], is_skipping: bool
) -> float:
    cell = cells[row]
    if isinstance(cell, str) and cell.strip().lower() == "nan":
        cell = None
    value = table.number(row, name, cell, gaps=True)
    if math.isnan(value) and not is_skipping:
        table.fail(row, name, "is empty or NaN", f"give a number, {_skip}")
    return value

"""Rankings by people, in both forms that files have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from ..errors import InputError, UsageError, Where
from ..input_tables import InputTable, TableLike, read_table
from .sets import scenario_of

__all__ = ["Questionnaire", "Ratings", "SIMULATED", "read_ratings"]

SIMULATED = "simulated-"
"""Begins the names of raters that ``simulate`` makes up."""

_incomplete = ("error", "skip")


@dataclass(frozen=True)
class Questionnaire:
    """Holds what one rater says of one set: letter -> rank, a smaller number for a preferred one;
    equal numbers are ties."""

    rater: str
    set: str
    ranks: Mapping[str, float]


@dataclass(frozen=True)
class Ratings:
    """Holds the questionnaires of a file, in order, and how many were left out as incomplete."""

    questionnaires: Sequence[Questionnaire]
    skipped: int
    table: InputTable

    @property
    def is_simulated(self) -> bool:
        return any(one.rater.startswith(SIMULATED) for one in self.questionnaires)


def read_ratings(
    ratings: TableLike,
    letters: Mapping[str, Sequence[str]],
    sheets: Sequence[str] = (),
    incomplete: str = "error",
) -> Ratings:
    """Reads rankings: ``rater,set,query,rank`` (or ``score``, higher is better), a row for each
    query; or ``rater,sheet,1,2,…`` (or ``set``), a row for each questionnaire with a letter for
    each rank.

    Args:
        letters: of the queries of each set.
        sheets: the set on each sheet, from sheet 1.
        incomplete: ``error``, or ``skip`` to leave out questionnaires that lack a query.

    Raises:
        InputError: names the line of an unknown set, sheet or letter, of a letter that is ranked
            twice, of a rank that is no number, of a questionnaire that lacks a query; there is no
            rating at all.
        UsageError: there is no such word for ``incomplete``.
    """
    if incomplete not in _incomplete:
        raise UsageError(f"incomplete is '{incomplete}'; choose {' or '.join(_incomplete)}")
    table = read_table(ratings, "ratings")
    reader = _Reader(table, letters, sheets)
    if "query" in table:
        reader.read_long()
    elif "1" in table:
        reader.read_sheets()
    else:
        raise InputError.at(
            Where(table.name),
            f"has the columns {', '.join(table.columns)}",
            "give rater,set,query,rank, or rater,sheet,1,2,3 with a letter for each rank",
        )
    return reader.finish(incomplete == "skip")


class _Reader:
    def __init__(
        self, table: InputTable, letters: Mapping[str, Sequence[str]], sheets: Sequence[str]
    ) -> None:
        self._table = table
        self._letters = letters
        self._sheets = sheets
        self._ranks = dict[tuple[str, str], dict[str, float]]()
        self._rows = dict[tuple[str, str], int]()

    def read_long(self) -> None:
        table = self._table
        if ("rank" in table) == ("score" in table):
            problem = "has both rank and score" if "rank" in table else "has neither rank nor score"
            raise InputError.at(Where(table.name), problem, "give one of the two columns")
        column, sign = ("rank", 1.0) if "rank" in table else ("score", -1.0)
        raters, queries = table.texts("rater"), table.texts("query")
        sets, values = self._sets(), table.numbers(column)
        for row, (rater, name, query) in enumerate(zip(raters, sets, queries)):
            if name is None:
                table.fail(row, "set", "is empty", "name the set")
            self._add(row, rater, name, query, sign * float(values[row]), "query")

    def read_sheets(self) -> None:
        table = self._table
        columns = [name for name in table.columns if name.isdecimal() and len(name) < 4]
        expected = [str(k + 1) for k in range(len(columns))]
        if sorted(columns, key=int) != expected:
            raise InputError.at(
                Where(table.name), f"has the ranks {', '.join(columns)}", "give 1, 2, 3, … in turn"
            )
        sets, raters = self._sets(), table.texts("rater", gaps=True)
        cells = [table.texts(column, gaps=True) for column in expected]
        for row, (rater, name) in enumerate(zip(raters, sets)):
            given = [(rank, column[row]) for rank, column in enumerate(cells, 1) if column[row]]
            if not given:
                continue  # not rated yet
            if not rater:
                table.fail(row, "rater", "is empty", "name the rater")
            if name is None:
                table.fail(row, "", "names no set", "give the set or the number of the sheet")
            if (rater, name) in self._rows:
                self._refuse_again(row, rater, name, "")
            for rank, letter in given:
                self._add(row, rater, name, letter, float(rank), str(rank))

    def finish(self, skips: bool) -> Ratings:
        found, skipped = list[Questionnaire](), 0
        for (rater, name), ranks in self._ranks.items():
            missing = [letter for letter in self._letters[name] if letter not in ranks]
            if missing and not skips:
                self._table.fail(
                    self._rows[rater, name],
                    "",
                    f"{rater} ranks only {len(ranks)} of the {len(self._letters[name])} queries of "
                    f"{name}: {', '.join(missing)} missing",
                    "rank all of them, or leave such questionnaires out: --incomplete skip",
                )
            if missing:
                skipped += 1
            else:
                found.append(Questionnaire(rater, name, ranks))
        if not found:
            problem = f"has no rating ({skipped} incomplete)" if skipped else "has no rating"
            raise InputError.at(Where(self._table.name), problem, "fill it in")
        return Ratings(found, skipped, self._table)

    def _sets(self) -> list[str | None]:
        """Returns the set of each row; None where the row names none."""
        table = self._table
        if "set" in table and ("sheet" not in table or not self._sheets):
            return [name or None for name in table.texts("set", gaps=True)]
        table.require("sheet", remedy="add a column 'set' or 'sheet'")
        cells = table.texts("sheet", gaps=True)
        found = [self._set_on(row, cell) for row, cell in enumerate(cells)]
        if "set" not in table:
            return found
        named = table.texts("set", gaps=True)
        for row, (name, shown) in enumerate(zip(named, found)):
            if name and shown and name != shown:
                problem = f"is '{name:.60}', but sheet {cells[row]} is of {shown}"
                table.fail(row, "set", problem, "mend one of them, or leave one out")
        return [name or shown for name, shown in zip(named, found)]

    def _set_on(self, row: int, cell: str) -> str | None:
        if not cell:
            return None
        if not self._sheets:
            self._table.fail(
                row, "sheet", f"is {cell:.60}, and no study.json says which set that is",
                "name the folder of the study, or give a column 'set'",
            )  # fmt: skip
        if not cell.isdecimal() or len(cell) > 9 or not 1 <= int(cell) <= len(self._sheets):
            self._table.fail(
                row, "sheet", f"is '{cell:.60}'", f"give a number from 1 to {len(self._sheets)}"
            )
        return self._sheets[int(cell) - 1]

    def _add(
        self, row: int, rater: str, name: str, query: str, value: float, column: str
    ) -> None:
        if name not in self._letters:
            self._refuse_set(row, name)
        letter = query.lower()
        if letter not in self._letters[name]:
            there = ", ".join(self._letters[name])
            self._table.fail(row, column, f"is '{query:.60}'", f"the queries of {name} are {there}")
        ranks = self._ranks.setdefault((rater, name), {})
        if letter in ranks:
            self._refuse_again(row, rater, name, letter)
        ranks[letter] = value
        self._rows.setdefault((rater, name), row)

    def _refuse_set(self, row: int, name: str) -> NoReturn:
        column = "set" if "set" in self._table else "sheet"
        some = ", ".join(list(self._letters)[:3])
        scenario = scenario_of(name)
        is_known = scenario in map(scenario_of, self._letters)
        lack = "which is no set of the study"
        if not is_known:
            lack = f"and no set is of scenario {scenario:.60}"
        self._table.fail(
            row, column, f"is '{name:.60}', {lack}",
            f"give ratings of its sets: {some}{', …' if len(self._letters) > 3 else ''}",
        )  # fmt: skip

    def _refuse_again(self, row: int, rater: str, name: str, letter: str) -> NoReturn:
        first = self._table.place(self._rows[rater, name])
        what = f"query {letter} of {name}" if letter else f"the set {name}"
        self._table.fail(
            row, "", f"{rater} ranks {what} twice, first in {first}", "leave one of them out"
        )

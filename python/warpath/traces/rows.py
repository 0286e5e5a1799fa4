"""Means of attempts: a row of the wayfinding table for each system."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .. import _core
from ..input_tables import InputTable
from ..results import Estimate
from .attempts import Attempt
from .wayfinding_table import COLUMNS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Row", "rows_of"]


@dataclasses.dataclass(frozen=True, eq=False)
class Row(Mapping[str, Estimate]):
    """Holds the means of one system: maps ``NE``, ``SR``, ``SPL``, ``SDTW`` (metres and fractions),
    ``quality``, ``start`` and ``other`` (visual search, fractions), ``time`` (seconds) and ``words``
    to estimates over attempts, of words over instructions."""

    name: str
    groups: dict[str, str]
    """The values of the columns that rows are told by."""
    attempts: int
    instructions: int
    evals: str
    """Instructions × attempts of each; the sum where these differ in number."""
    estimates: dict[str, Estimate]

    def __getitem__(self, column: str) -> Estimate:
        return self.estimates[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        means = (f"{c} {e.mean:.4g}" for c, e in self.items() if e.mean is not None)
        return f"<Row {self.name}, {self.evals}: {', '.join(means)}>"


def rows_of(
    table: InputTable,
    attempts: Sequence[Attempt],
    groups: Mapping[str, list[str]],
    columns: Mapping[str, npt.NDArray[np.float64]],
) -> list[Row]:
    """Returns the rows in the order of their first attempts.

    Args:
        groups: columns that tell rows apart, with their cells.
        columns: a value for each attempt, NaN for none.

    Raises:
        InputError: an instruction has two numbers of words.
    """
    numbers: dict[tuple[str, ...], list[int]] = {}
    for k, attempt in enumerate(attempts):
        key = tuple(cells[attempt.row] for cells in groups.values())
        numbers.setdefault(key, []).append(k)
    return [
        _row(table, dict(zip(groups, key)), [attempts[k] for k in chosen],
             {name: column[chosen] for name, column in columns.items()})
        for key, chosen in numbers.items()
    ]  # fmt: skip


def _row(
    table: InputTable,
    groups: dict[str, str],
    attempts: Sequence[Attempt],
    columns: Mapping[str, npt.NDArray[np.float64]],
) -> Row:
    import numpy as np

    of_instruction: dict[str, list[int]] = {}
    for k, attempt in enumerate(attempts):
        of_instruction.setdefault(attempt.instruction, []).append(k)
    firsts = [chosen[0] for chosen in of_instruction.values()]
    each = {len(chosen) for chosen in of_instruction.values()}
    _require_one_count(table, attempts, of_instruction, columns["words"])
    numbers: dict[tuple[str, ...], int] = {}
    clusters = np.array(
        [numbers.setdefault((a.scan, *a.reference), len(numbers)) for a in attempts], np.uint32
    )
    estimates = {
        name: _estimate(columns[name], clusters, name)
        for name in (*COLUMNS, "start_solid_angle", "other_solid_angle")
        if name != "words"
    }
    words = columns["words"][firsts]
    return Row(
        ", ".join(groups.values()) or "all",
        groups,
        len(attempts),
        len(firsts),
        f"{len(firsts)}×{each.pop()}" if len(each) == 1 else str(len(attempts)),
        {**estimates, "words": _estimate(words, clusters[firsts], "words")},
    )


def _require_one_count(
    table: InputTable,
    attempts: Sequence[Attempt],
    of_instruction: Mapping[str, list[int]],
    words: npt.NDArray[np.float64],
) -> None:
    """Refuses two numbers of words for one instruction."""
    for chosen in of_instruction.values():
        first = words[chosen[0]]
        for k in chosen:
            if words[k] != first and not (math.isnan(words[k]) and math.isnan(first)):
                other = table.place(attempts[chosen[0]].row)
                problem = f"is {words[k]:g}, but {other} has {first:g} for the same instruction"
                table.fail(attempts[k].row, "words", problem, "give an instruction one number")


def _estimate(
    values: npt.NDArray[np.float64], clusters: npt.NDArray[np.uint32], name: str
) -> Estimate:
    import numpy as np

    # Clusters are numbered from 0, also of a part of the attempts.
    _, dense = np.unique(clusters, return_inverse=True)
    mean, interval, n, size = _core.cluster_mean(values, dense.astype(np.uint32), name == "SR")
    return Estimate(mean, interval, n, len(values), size)

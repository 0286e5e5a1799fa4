"""Whether scores tell good instructions from bad ones, and which are good."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..arguments import real, text, texts
from ..errors import InputError, UsageError, Where
from ..input_tables import TableLike, read_table
from ..optional import require
from .embeddings import ArrayLike, array_of, name_of, read_array
from .losses import truth_values

__all__ = ["auc", "labels_from"]


def auc(scores: ArrayLike, labels: ArrayLike) -> float:
    """Returns the area under the ROC curve: P(score of a positive > score of a negative) +
    ½ P(equal), U / (n₁ n₂) of ``scipy.stats.mannwhitneyu`` (Zhao et al. 2021, Table 2). It needs
    SciPy.

    Args:
        scores: finite numbers, [N].
        labels: 1 for a positive, 0 for a negative, [N].

    Raises:
        InputError: lengths differ, a score is not finite, or labels are not 0 and 1, or all alike.
    """
    import numpy as np

    scores, labels = read_array(scores), read_array(labels)
    values = array_of(scores, "scores", 1).astype(np.float64)
    name = name_of(labels, "labels")
    is_positive = truth_values(labels, "labels", len(values))
    are_wrong = ~np.isfinite(values)
    if are_wrong.any():
        row = int(are_wrong.argmax())
        where = Where(name_of(scores, "scores"), f"row {row}")
        raise InputError.at(where, f"is {values[row]}", "give finite numbers")
    positive, negative = values[is_positive], values[~is_positive]
    if not len(positive) or not len(negative):
        raise InputError.at(
            Where(name), f"are all {int(is_positive[0])}", "give positives (1) and negatives (0)"
        )
    stats: Any = require("scipy.stats", "study")
    with np.errstate(all="ignore"):  # of the p-value, where all scores are equal
        u = stats.mannwhitneyu(positive, negative, method="asymptotic").statistic
    return float(u) / (len(positive) * len(negative))


def labels_from(
    attempts: TableLike,
    share: float = 2 / 3,
    *,
    success: str = "SR",
    people: str | Iterable[str] = (),
) -> dict[str, int]:
    """Says which instructions are good: a generated one that enough of its followers could follow
    (Zhao et al. 2021, section 5.1: 2 of 3), and every one that people wrote.

    Args:
        attempts: a table with a row for each attempt: ``instruction`` (or ``instr_id``), the column
            ``success`` of 0 and 1, and ``system`` if ``people`` names some.
        share: of an instruction's attempts that must succeed, above 0 and up to 1.
        success: the column of successes.
        people: systems whose instructions are positive whatever their followers did.

    Returns:
        Instruction -> 1 or 0, in the order of first rows.

    Raises:
        InputError: names the row and the column.

    Example:
        >>> labels = warpath.compatibility.labels_from("attempts.csv", people=["human"])
        >>> warpath.compatibility.auc(scores, list(labels.values()))
    """
    least = real("share", share)
    if not 0 < least <= 1:
        raise UsageError(f"share is {least:g}; give a number above 0 and up to 1")
    table = read_table(attempts, "attempts")
    has_ids = "instruction" not in table and "instr_id" in table  # as warpath eval --csv
    instructions = table.texts("instr_id" if has_ids else "instruction")
    reached = table.numbers(text("success", success))
    of_people = texts("people", people)
    systems = table.texts("system") if "system" in table else []
    if of_people:
        table.require("system")
    unknown = [name for name in of_people if name not in systems]
    if unknown:
        raise UsageError(f"{table.name}: column system has no '{unknown[0]}'")
    rows_of: dict[str, list[int]] = {}
    for row, instruction in enumerate(instructions):
        rows = rows_of.setdefault(instruction, [])
        if reached[row] not in (0.0, 1.0):
            table.fail(row, success, f"is {reached[row]:g}", "give 1 for a success, else 0")
        if rows and systems and systems[row] != systems[rows[0]]:
            table.fail(
                row,
                "system",
                f"is {systems[row]}, and {systems[rows[0]]} in {table.place(rows[0])}, of one "
                "instruction",
                "give the instructions of each system ids of their own",
            )
        rows.append(row)
    rounding = 1e-9  # 2 of 3 are two thirds
    return {
        instruction: int(
            (bool(systems) and systems[rows[0]] in of_people)
            or sum(reached[row] for row in rows) >= least * len(rows) - rounding
        )
        for instruction, rows in rows_of.items()
    }

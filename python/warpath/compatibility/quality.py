"""Whether scores tell good instructions from others."""

from __future__ import annotations

from typing import Any

from ..errors import InputError, Where
from ..input_tables import TableLike, read_table
from ..optional import require
from .embeddings import Named, is_tensor, read_array

__all__ = ["auc", "labels_from"]


def auc(scores: Any, labels: Any) -> float:
    """Returns the area under the curve: P(score of a positive > score of a negative) + ½ P(equal).

    Args:
        scores: ``[N]``, finite.
        labels: ``[N]``, 1 or true of the positive ones, 0 or false of the negative ones.

    Raises:
        InputError: the arrays do not fit, or the labels are not 0 and 1 or all alike.

    Source: Zhao et al. 2021, §5.1; SciPy's ``mannwhitneyu``.
    """
    values, flags = _flat(read_array(scores, "scores")), _flat(read_array(labels, "labels"))
    if len(values.value) != len(flags.value):
        raise InputError.at(
            Where(flags.name),
            f"has {len(flags.value)} elements for {len(values.value)} scores",
            "give a label for each score",
        )
    is_positive = flags.value == 1
    wrong = (~is_positive & (flags.value != 0)).nonzero()[0]
    if len(wrong):
        found = flags.value[wrong[0]]
        raise InputError.at(Where(flags.name, f"element {wrong[0]}"), f"is {found}", "give 0 or 1")
    count = int(is_positive.sum())
    if count in (0, len(is_positive)):
        raise InputError.at(
            Where(flags.name),
            f"are all {count and 1}",
            "give labels of which some are 1 and some 0",
        )
    stats: Any = require("scipy.stats", "study")
    positive, negative = values.value[is_positive], values.value[~is_positive]
    found = stats.mannwhitneyu(positive, negative, method="asymptotic")
    return float(found.statistic) / (len(positive) * len(negative))


def _flat(given: Named) -> Named:
    import numpy as np

    value = given.value.detach().cpu().numpy() if is_tensor(given.value) else given.value
    try:
        flat = np.asarray(value)
    except ValueError:
        flat = np.asarray(None)
    if flat.dtype.kind not in "biuf" or flat.ndim != 1 or len(flat) == 0:
        raise InputError.at(
            Where(given.name),
            f"is of the type {flat.dtype} and the shape {flat.shape}",
            "give a list of numbers",
        )
    flat = flat.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(flat))
    if len(wrong):
        raise InputError.at(
            Where(given.name, f"element {wrong[0]}"), f"is {flat[wrong[0]]}", "give a finite number"
        )
    return given._replace(value=flat)


def labels_from(
    attempts: TableLike, share: float = 2 / 3, outcome: str = "SR"
) -> dict[str, int]:
    """Returns which instructions are good: those that enough of their followers could follow.

    Args:
        attempts: a row for each attempt, with the columns ``instruction`` and `outcome`.
        share: of an instruction's attempts that must have reached the goal.
        outcome: a column of 1 (reached the goal) and 0.

    Returns:
        Instruction -> 1 or 0, in the order of first rows.

    Raises:
        InputError: a column is missing, or an outcome is neither 0 nor 1.

    Source: Zhao et al. 2021, §5.1: a generated instruction is positive where 2 of its 3 followers
    reached the goal.
    """
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
        raise InputError.at(Where(field="share"), f"is {share!r}", "give a share above 0, up to 1")
    table = read_table(attempts, "attempts")
    reached: dict[str, list[float]] = {}
    found = table.numbers(outcome)
    for row, instruction in enumerate(table.texts("instruction")):
        if found[row] not in (0.0, 1.0):
            table.fail(row, outcome, f"is {found[row]:g}", "give 1 for a success, 0 otherwise")
        reached.setdefault(instruction, []).append(found[row])
    # As whole numbers of attempts, lest 2 of 3 be below the share 2/3 by rounding.
    return {
        name: int(sum(ones) + 1e-9 >= share * len(ones)) for name, ones in reached.items()
    }

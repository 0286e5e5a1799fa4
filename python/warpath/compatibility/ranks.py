"""Retrieval: at which rank the right trajectory of an instruction is, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..arguments import number
from ..errors import InputError, UsageError, Where
from .embeddings import ArrayLike, are_tensors, matches
from .similarity import own_scores, unit_rows

if TYPE_CHECKING:
    from .embeddings import Integers
    from .similarity import Rows

__all__ = ["Ranks", "Retrieval", "ranks_of", "retrieval"]

_tie = 1e-12
"""Scores that differ less are equal: products of equal rows may differ in their last bits."""
_max_cells = 1 << 22  # of scores that are kept at a time
_max_rows = 255  # of a block, whose counts fit into a byte: NumPy adds bytes fastest


class Ranks(NamedTuple):
    """Holds the ranks of the right ones in one direction."""

    ranks: Integers
    """[n], from 1: one more than the wrong ones that score at least as high as the best right
    one."""
    recall: dict[int, float]
    """k -> the share of ranks up to k."""
    mrr: float
    """Mean of 1 / rank."""
    mean_rank: float
    median_rank: float

    @property
    def n(self) -> int:
        return len(self.ranks)


class Retrieval(NamedTuple):
    """Holds both directions of retrieval."""

    trajectories: Ranks
    """Trajectories are ranked, for each instruction."""
    instructions: Ranks
    """Instructions are ranked, for each trajectory that has one."""


def retrieval(
    instructions: ArrayLike,
    trajectories: ArrayLike,
    match: ArrayLike | None = None,
    k: Iterable[int] = (1, 5, 10),
) -> Retrieval:
    """Ranks all trajectories for each instruction, and all instructions for each trajectory. It is
    not in the paper; it is the usual measure of dual encoders.

    A rank is 1 + the number of wrong ones that score at least as high as the best right one: ties
    count against the encoder, so a constant one does not look good. Scores that differ by less than
    1e-12 (tensors in single precision: 1e-6) are ties. Scores are computed in blocks, so the memory
    does not grow with N · T.

    Args:
        instructions, trajectories, match: as in ``scores``; several instructions may belong to one
            trajectory.
        k: of recall@k.

    Raises:
        InputError: as in ``scores``, or a k is below 1.

    Example:
        >>> found = warpath.compatibility.retrieval(w, v, match)
        >>> found.trajectories.recall[5], found.instructions.mrr
    """
    wanted = _wanted(k)
    if are_tensors(instructions, trajectories):
        from ..torch import compatibility

        return _retrieval(*compatibility.ranks(instructions, trajectories, match), wanted)
    w, v = unit_rows(instructions, trajectories)
    return _retrieval(*ranks_of(w, v, matches(match, len(w), len(v)), _tie), wanted)


def _wanted(k: Iterable[int]) -> list[int]:
    try:
        listed = [] if isinstance(k, (str, bytes)) else list(k)
    except TypeError:  # as of an array without dimensions
        raise InputError.at(Where("k"), f"is of type {type(k).__name__}", "give integers") from None
    found = sorted({number("k", one, 1) for one in listed})
    if not found:
        raise UsageError("k has no numbers: give those of recall@k, such as 1, 5 and 10")
    return found


def ranks_of(w: Rows, v: Rows, match: Integers, tie: float) -> tuple[Integers, Integers]:
    """Returns the ranks of each instruction's trajectory, and of each trajectory's best
    instruction; trajectories without one are left out.

    Args:
        w, v: rows of length 1, in double or single precision.
        tie: scores that differ less are equal.
    """
    import numpy as np

    own = own_scores(w, v, match)
    best = np.full(len(v), -np.inf, w.dtype)
    np.maximum.at(best, match, own)
    of_instruction = np.ones(len(w), np.int64)
    of_trajectory = np.ones(len(v), np.int64)
    step = min(max(1, _max_cells // len(v)), _max_rows)
    for first in range(0, len(w), step):
        rows = slice(first, first + step)
        found = w[rows] @ v.T
        found[np.arange(len(found)), match[rows]] = -np.inf  # right ones, in both directions
        above = found >= own[rows, None] - tie
        of_instruction[rows] += [np.count_nonzero(row) for row in above]
        above = found >= best - tie
        of_trajectory += above.view(np.uint8).sum(0, dtype=np.uint8)
    return of_instruction, of_trajectory[np.isfinite(best)]


def _retrieval(trajectories: Integers, instructions: Integers, k: list[int]) -> Retrieval:
    return Retrieval(_measured(trajectories, k), _measured(instructions, k))


def _measured(ranks: Integers, k: list[int]) -> Ranks:
    import numpy as np

    return Ranks(
        ranks,
        {one: float(np.mean(ranks <= one)) for one in k},
        float(np.mean(1 / ranks)),
        float(np.mean(ranks)),
        float(np.median(ranks)),
    )

"""How well instructions find their trajectories, and trajectories their instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError, Where
from .embeddings import is_tensor, matches_of, pair_of, plainly

__all__ = ["Ranks", "Retrieval", "retrieval"]

_max_cells = 1 << 24
"""Of the similarity that is in memory at a time."""


class Ranks(NamedTuple):
    """Says how well one side is found from the other."""

    n: int
    """Queries: those that have something to find."""
    mean_rank: float
    median_rank: float
    mrr: float
    """Mean of 1 / rank."""
    recall: Mapping[int, float]
    """k -> share of the queries whose rank is at most k."""


class Retrieval(NamedTuple):
    """Holds both directions of a retrieval."""

    trajectories: Ranks
    """Each instruction looks for its trajectory."""
    instructions: Ranks
    """Each trajectory that has instructions looks for one of them."""


def retrieval(
    instructions: Any, trajectories: Any, match: Any = None, k: Sequence[int] = (1, 5, 10)
) -> Retrieval:
    """Ranks trajectories for instructions and instructions for trajectories by their cosine.

    A rank is 1 + the number of wrong ones that score at least as high as the best right one: ties
    count against the encoder, and scores that differ by rounding alone are ties. The similarity is
    computed in blocks of rows, never as a whole.

    Args:
        instructions: ``[N, d]``; trajectories: ``[T, d]``; match: ``[N]``; see ``scores``.
        k: of recall@k, each from 1 on.

    Raises:
        InputError: as ``scores``, or a `k` that cannot be.
    """
    for number in k:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError.at(Where(field="k"), f"has {number!r}", "give integers from 1 on")
    w, v = pair_of(instructions, trajectories)
    if is_tensor(w):
        w, v = w.detach(), v.detach()
    own = matches_of(match, w, v)
    right = (w * v[own]).sum(1)
    of_instruction, of_trajectory, has_any = _count(w, v, own, right)
    return Retrieval(_ranks(of_instruction, k), _ranks(of_trajectory[has_any], k))


def _count(w: Any, v: Any, own: Any, right: Any) -> tuple[Any, Any, Any]:
    """Returns the rank of each instruction's trajectory, that of each trajectory's best
    instruction, and which trajectories have one."""
    import numpy as np

    best = np.full(len(v), -2.0)
    np.maximum.at(best, _as_array(own), _as_array(right))
    has_any = best > -2.0
    forward, backward = np.ones(len(w), np.int64), np.ones(len(v), np.int64)
    rows = np.arange(len(w))
    tie = 4 * np.finfo(_as_array(right).dtype).eps
    if is_tensor(w):
        import torch

        best, forward, backward, rows = (
            torch.from_numpy(array).to(w.device) for array in (best, forward, backward, rows)
        )
        best = best.to(w.dtype)
    step = max(1, _max_cells // len(v))
    with plainly(w):
        for begin in range(0, len(w), step):
            part = slice(begin, begin + step)
            cosine = w[part] @ v.T
            cosine[rows[: len(cosine)], own[part]] = -3.0  # right ones are not counted
            forward[part] += (cosine >= right[part][:, None] - tie).sum(1)
            backward += (cosine >= best - tie).sum(0)
    return _as_array(forward), _as_array(backward), has_any


def _as_array(value: Any) -> Any:
    return value.cpu().numpy() if is_tensor(value) else value


def _ranks(rank: Any, k: Sequence[int]) -> Ranks:
    import numpy as np

    return Ranks(
        len(rank),
        float(rank.mean()),
        float(np.median(rank)),
        float((1.0 / rank).mean()),
        {number: float((rank <= number).mean()) for number in k},
    )

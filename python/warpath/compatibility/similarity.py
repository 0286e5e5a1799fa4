"""The score of an instruction and a trajectory: the cosine of their embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .embeddings import (
    ArrayLike,
    are_tensors,
    directions,
    matches,
    name_of,
    read_array,
    require_widths,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from .embeddings import Doubles, Integers

    Rows = npt.NDArray[Any]  # of double or single precision

__all__ = ["own_scores", "scores", "similarity", "unit_rows"]

_max_block = 1 << 22  # numbers of a block of rows


def similarity(instructions: ArrayLike, trajectories: ArrayLike) -> Any:
    """Returns the score of every instruction with every trajectory, [N, T]:
    S_ij = h^w_i · h^v_j / (‖h^w_i‖ ‖h^v_j‖) (Zhao et al. 2021, section 4.1).

    Args:
        instructions: h^w, [N, d]: an array or a tensor, or a file ``.npy``.
        trajectories: h^v, [T, d], likewise.

    Returns:
        float64, or a tensor on the device and in the precision of the instructions (half becomes
        single), through which gradients flow. Products of CUDA tensors do not use TF32.

    Raises:
        InputError: widths differ, or a row is zero or not finite; it names the row.
    """
    if are_tensors(instructions, trajectories):
        from ..torch import compatibility

        return compatibility.similarity(instructions, trajectories)
    w, v = unit_rows(instructions, trajectories)
    return w @ v.T


def scores(
    instructions: ArrayLike, trajectories: ArrayLike, match: ArrayLike | None = None
) -> Any:
    """Returns the score of each instruction with its own trajectory, [N]: a column for
    ``warpath.correlate``.

    Args:
        instructions, trajectories: as in ``similarity``.
        match: integers [N], the number of each instruction's trajectory; None: instruction i
            belongs to trajectory i.

    Raises:
        InputError: as in ``similarity``, or ``match`` has not N numbers from 0 to T - 1.
    """
    if are_tensors(instructions, trajectories):
        from ..torch import compatibility

        return compatibility.scores(instructions, trajectories, match)
    w, v = unit_rows(instructions, trajectories)
    return own_scores(w, v, matches(match, len(w), len(v)))


def unit_rows(instructions: ArrayLike, trajectories: ArrayLike) -> tuple[Doubles, Doubles]:
    """Returns both with rows of length 1."""
    trajectories = read_array(trajectories)
    w, v = directions(instructions, "instructions"), directions(trajectories, "trajectories")
    require_widths(w.shape[1], v.shape[1], name_of(trajectories, "trajectories"))
    return w, v


def own_scores(w: Rows, v: Rows, match: Integers) -> Rows:
    """Returns the score of each row of w with its row of v."""
    import numpy as np

    out = np.empty(len(w), w.dtype)
    step = max(1, _max_block // w.shape[1])
    for first in range(0, len(w), step):
        rows = slice(first, first + step)
        out[rows] = np.einsum("nd,nd->n", w[rows], v[match[rows]])
    return out

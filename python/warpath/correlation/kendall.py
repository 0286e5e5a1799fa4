"""Kendall's τ from numbers of pairs, as ``scipy.stats.kendalltau`` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["taus"]


def taus(counts: npt.NDArray[np.int64], kind: str) -> npt.NDArray[np.float64]:
    """Returns τ, NaN where all x or all y are equal.

    Args:
        counts: [..., 6]: concordant minus discordant pairs, pairs with one x, pairs with one y; how
            many items there are, and how many different x and y.
        kind: ``b`` or ``c``.
    """
    import numpy as np

    net, same_x, same_y, n, different_x, different_y = np.moveaxis(counts, -1, 0)
    pairs = n * (n - 1) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "b":
            tau = net / np.sqrt(pairs - same_x) / np.sqrt(pairs - same_y)
        else:
            fewer = np.minimum(different_x, different_y)
            tau = 2 * net / (n**2 * (fewer - 1) / fewer)
    is_undefined = (same_x >= pairs) | (same_y >= pairs)
    return np.where(is_undefined, np.nan, np.clip(tau, -1.0, 1.0))

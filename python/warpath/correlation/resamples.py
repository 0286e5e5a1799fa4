"""Resamples of the instructions of each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places = npt.NDArray[np.uint32]

__all__ = ["SystemResamples"]


_step = 64
"""Draws that are taken again where NumPy takes a word again, as it does once in some 20 million."""


class SystemResamples:
    """Draws, system by system, ``rng.integers(0, n_s, n_s)`` of ``default_rng([seed, 0])``.

    One call for each system and draw takes NumPy most of the time. So its words are taken many at a
    time and bounded here, as long as that gives what the calls give.

    Args:
        sizes: how many instructions each system has.
    """

    def __init__(self, seed: int, sizes: Sequence[int]) -> None:
        import numpy as np

        self._sizes = np.array(sizes, np.uint32)
        one, other = (np.random.default_rng([seed, 0]) for _ in range(2))
        first = _quickly(one, self._sizes, 1)
        expected = _plainly(other, self._sizes, 1)
        self._is_quick = first is not None and np.array_equal(first, expected)
        self._rng = np.random.default_rng([seed, 0])

    def take(self, draws: int) -> Places:
        """Returns the places in their systems that each draw takes [draws, N], system by system."""
        import numpy as np

        steps = [min(_step, draws - first) for first in range(0, draws, _step)]
        return np.concatenate([self._take(count) for count in steps])

    def _take(self, draws: int) -> Places:
        if self._is_quick:
            before = self._rng.bit_generator.state
            found = _quickly(self._rng, self._sizes, draws)
            if found is not None:
                return found
            self._rng.bit_generator.state = before
        return _plainly(self._rng, self._sizes, draws)


def _quickly(rng: np.random.Generator, sizes: Places, draws: int) -> Places | None:
    import numpy as np

    words = rng.integers(0, 2**32, (draws, int(sizes.sum())), np.uint32)
    return _core.bounded_words(words, sizes)


def _plainly(rng: np.random.Generator, sizes: Places, draws: int) -> Places:
    import numpy as np

    each = [int(size) for size in sizes]
    taken = [np.concatenate([rng.integers(0, n, n) for n in each]) for _ in range(draws)]
    return np.array(taken, np.uint32)

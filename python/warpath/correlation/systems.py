"""Systems' means of scores and outcomes over resampled instructions, and τ between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import _core
from .kendall import taus
from .units import Units

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.float64]
    Places = npt.NDArray[np.uint32]

__all__ = ["SystemColumns"]

_rounding = 2.0**-52
_max_cells = 1 << 22
"""Of what is kept for the draws of a block."""


class SystemColumns:
    """Holds scores and outcomes whose pairs all lack the same instructions.

    Args:
        is_there: [N], which instructions have a value.
        pairs: places of a score and of an outcome; others have no meaning here.
    """

    def __init__(
        self, units: Units, is_there: npt.NDArray[np.bool_], pairs: list[tuple[int, int]]
    ) -> None:
        import numpy as np

        self.scores, self.outcomes = list(units.scores), list(units.outcomes)
        self.pairs = pairs
        values = [*units.scores.values(), *units.outcomes.values()]
        self._order = np.argsort(units.system_of, kind="stable")
        self._sizes = np.array(units.counts(), np.uint32)
        scaled = [_scaled(np.where(is_there, np.nan_to_num(column), 0.0)) for column in values]
        # With a column that counts the values that a mean is over.
        columns = np.stack([*scaled, is_there.astype(np.float64)], 1)[self._order]
        self._values = columns
        self._blocks = _in_blocks(columns)
        self._has_gaps = not is_there.all()
        has_any = np.zeros(len(self._sizes), bool)
        has_any[units.system_of[is_there]] = True
        self._kept = np.flatnonzero(has_any)
        self.system_count = len(self._kept)
        self.instruction_count = int(is_there.sum())

    @staticmethod
    def of(units: Units) -> list[SystemColumns]:
        """Returns all pairs of columns, by what instructions they lack."""
        import numpy as np

        by_gaps: dict[bytes, tuple[npt.NDArray[np.bool_], list[tuple[int, int]]]] = {}
        for s, score in enumerate(units.scores.values()):
            for o, outcome in enumerate(units.outcomes.values()):
                is_there = ~(np.isnan(score) | np.isnan(outcome))
                by_gaps.setdefault(is_there.tobytes(), (is_there, []))[1].append((s, o))
        return [SystemColumns(units, is_there, pairs) for is_there, pairs in by_gaps.values()]

    def blocks(self, draws: int) -> Iterator[int]:
        """Gives how many draws to take at a time."""
        pairs = len(self._sizes) * (len(self._sizes) - 1) // 2
        columns = len(self.scores) + len(self.outcomes)
        block = max(1, _max_cells // max(len(self._order), pairs * columns))
        for first in range(0, draws, block):
            yield min(block, draws - first)

    def all_rows(self) -> Places:
        """Returns the draw that takes every instruction once, as ``SystemResamples.take``."""
        import numpy as np

        return np.concatenate([np.arange(size, dtype=np.uint32) for size in self._sizes])[None]

    def taus(self, places: Places, kind: str) -> npt.NDArray[np.float64]:
        """Returns τ [draws, scores, outcomes]; NaN where it is undefined, also since a draw takes
        no instruction of a system that has a value.

        Args:
            places: what ``SystemResamples.take`` returns.
        """
        import numpy as np

        means = self._means(places)
        is_gap = np.isnan(means).any((1, 2))
        means[is_gap] = 0.0
        signs = _signs(means)
        x, y = signs[:, : len(self.scores)], signs[:, len(self.scores) :]
        pairs = signs.shape[2]
        counts = np.empty((len(means), len(self.scores), len(self.outcomes), 6), np.int64)
        counts[..., 0] = x @ y.swapaxes(1, 2)
        counts[..., 1] = (pairs - np.abs(x).sum(2))[:, :, None]
        counts[..., 2] = (pairs - np.abs(y).sum(2))[:, None, :]
        counts[..., 3] = self.system_count
        if kind == "c":
            different = (np.diff(np.sort(means, 2), axis=2) > 0).sum(2) + 1
            counts[..., 4] = different[:, : len(self.scores), None]
            counts[..., 5] = different[:, None, len(self.scores) :]
        return taus(counts, kind)

    def _means(self, places: Places) -> npt.NDArray[np.float64]:
        """Returns means [draws, columns, systems], as ``numpy.mean`` of the values in the order of
        the draw has them wherever the order of two systems hangs on it: else sums of columns side
        by side, which differ in their last bits and take a tenth of the time."""
        import numpy as np

        sums = _core.resampled_sums(places, self._blocks, self._sizes)[:, self._kept]
        columns = len(self.scores) + len(self.outcomes)
        with np.errstate(invalid="ignore"):
            means = sums[:, :, :columns] / sums[:, :, columns, None]
        means = np.ascontiguousarray(means.swapaxes(1, 2))
        rounding = 4 * int(self._sizes.max()) * _rounding
        is_close = np.diff(np.sort(means, 2), axis=2) < rounding
        for column, draws in enumerate(is_close.any(2).T):
            taken = np.flatnonzero(draws)
            for k, system in enumerate(self._kept if len(taken) else []):
                means[taken, column, k] = self._exactly(system, column, places[taken])
        return means

    def _exactly(self, system: int, column: int, places: Places) -> Column:
        """Returns the mean of each draw as NumPy has it."""
        import numpy as np

        first = int(self._sizes[:system].sum())
        rows = slice(first, first + int(self._sizes[system]))
        values = np.ascontiguousarray(self._values[rows, column])
        taken = places[:, rows]
        if not self._has_gaps:
            return np.asarray(values[taken].mean(1))
        is_there = self._values[rows, -1] > 0
        kept = (values[draw[is_there[draw]]] for draw in taken)
        return np.array([found.mean() if len(found) else np.nan for found in kept])


def _in_blocks(columns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns columns eight side by side [blocks, N, 8], the last ones filled up with 0."""
    import numpy as np

    n, count = columns.shape
    blocks = -(-count // 8)
    filled = np.zeros((n, blocks * 8))
    filled[:, :count] = columns
    return np.ascontiguousarray(filled.reshape(n, blocks, 8).swapaxes(0, 1))


def _scaled(values: Column) -> Column:
    """Returns values times a power of two, so that the largest is between a half and 1."""
    import numpy as np

    _, exponent = np.frexp(np.abs(values).max(initial=0.0))
    return np.ldexp(np.ldexp(values, -(exponent // 2)), -(exponent - exponent // 2))


def _signs(means: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Returns the sign of the difference of each two systems [draws, columns, pairs]."""
    import numpy as np

    first, second = np.triu_indices(means.shape[2], 1)
    return np.sign(means[:, :, first] - means[:, :, second]).astype(np.float32)

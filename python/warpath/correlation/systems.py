"""Systems' means of scores and outcomes over resampled instructions, and τ between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .kendall import taus
from .units import Units

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

__all__ = ["SystemColumns"]

_rounding = 2.0**-52
_max_cells = 1 << 22
"""Of what is kept for the draws of a block."""


class SystemColumns:
    """Holds scores and outcomes whose pairs all lack the same instructions.

    Args:
        is_there: [N], which instructions have a value.
        pairs: places of a score and of an outcome.
    """

    def __init__(
        self, units: Units, is_there: npt.NDArray[np.bool_], pairs: list[tuple[int, int]]
    ) -> None:
        import numpy as np

        self.scores, self.outcomes = list(units.scores), list(units.outcomes)
        self.pairs = pairs
        values = [*units.scores.values(), *units.outcomes.values()]
        self._rows = [np.flatnonzero(units.system_of == s) for s in range(len(units.systems))]
        scaled = [_scaled(np.where(is_there, column, 0.0)) for column in values]
        # With a column that counts the values that a mean is over.
        columns = np.stack([*scaled, is_there.astype(np.float64)], 1)
        self._values = [columns[rows] for rows in self._rows]
        self._has_gaps = not is_there.all()
        self._kept = [s for s, rows in enumerate(self._rows) if is_there[rows].any()]
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
        n = sum(map(len, self._rows))
        pairs = len(self._rows) * (len(self._rows) - 1) // 2
        columns = len(self.scores) + len(self.outcomes)
        block = max(1, _max_cells // max(n, pairs * columns))
        for first in range(0, draws, block):
            yield min(block, draws - first)

    def all_rows(self) -> list[Integers]:
        """Returns the draw that takes every instruction once, as ``resampled``."""
        import numpy as np

        return [np.arange(len(rows))[None] for rows in self._rows]

    def resampled(self, rng: np.random.Generator, draws: int) -> list[Integers]:
        """Returns for each system which of its instructions each draw takes [draws, n]."""
        import numpy as np

        sizes = [len(rows) for rows in self._rows]
        places = [[rng.integers(0, n, n) for n in sizes] for _ in range(draws)]
        return [np.stack([draw[s] for draw in places]) for s in range(len(sizes))]

    def taus(self, places: list[Integers], kind: str) -> npt.NDArray[np.float64]:
        """Returns τ [draws, scores, outcomes]; NaN where it is undefined, also since a draw takes no
        instruction of a system that has a value.

        Args:
            places: what ``resampled`` returns.
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

    def _means(self, places: list[Integers]) -> npt.NDArray[np.float64]:
        """Returns means [draws, columns, systems], as ``numpy.mean`` of the values in the order of
        the draw has them wherever the order of two systems hangs on it: else by products, which
        differ in their last bits and take a tenth of the time."""
        import numpy as np

        draws, columns = len(places[0]), len(self.scores) + len(self.outcomes)
        means = np.empty((draws, columns, self.system_count))
        for k, s in enumerate(self._kept):
            sums = _times_taken(places[s]) @ self._values[s]
            with np.errstate(invalid="ignore"):
                means[:, :, k] = sums[:, :-1] / sums[:, -1:]
        most = max(map(len, self._rows))
        is_close = np.diff(np.sort(means, 2), axis=2) < 4 * most * _rounding
        for column, rows in enumerate(is_close.any(2).T):
            drawn = np.flatnonzero(rows)
            for k, s in enumerate(self._kept if len(drawn) else []):
                means[drawn, column, k] = self._exactly(s, column, places[s][drawn])
        return means

    def _exactly(self, system: int, column: int, places: Integers) -> Column:
        import numpy as np

        values = np.ascontiguousarray(self._values[system][:, column])
        if not self._has_gaps:
            return np.asarray(values[places].mean(1))
        is_there = self._values[system][:, -1] > 0
        return np.array([values[draw[is_there[draw]]].mean() for draw in places])


def _times_taken(places: Integers) -> Column:
    """Returns how often each draw takes each of n instructions; [draws, n], as ``places``."""
    import numpy as np

    draws, n = places.shape
    counted = np.bincount((places + n * np.arange(draws)[:, None]).reshape(-1), minlength=draws * n)
    return counted.reshape(draws, n).astype(np.float64)


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

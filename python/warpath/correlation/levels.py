"""τ with its interval at both levels: over systems, and over instructions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .. import _core
from ..progress import Progress, reporting
from .found import Tau, Taus
from .kendall import taus
from .resamples import SystemResamples
from .systems import SystemColumns
from .units import Units

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Options", "instance_level", "system_level"]

_lanes = 16
_max_cells = 1 << 22
"""Of what is kept for the draws of a block."""


class Options(NamedTuple):
    tau: str
    draws: int
    confidence: float
    seed: int
    progress: Progress


def instance_level(units: Units, options: Options) -> Taus:
    """Returns τ over all instructions of all systems together."""
    import numpy as np

    n = len(units.system_of)
    rng = np.random.default_rng([options.seed, 1])
    pairs = {
        (score, outcome): _Pair(x, y)
        for score, x in units.scores.items()
        for outcome, y in units.outcomes.items()
    }
    found: dict[tuple[str, str], list[npt.NDArray[np.float64]]] = {names: [] for names in pairs}
    for taken, count in _blocks(options, n, lambda block: _times_taken(rng, n, block)):
        for names, pair in pairs.items():
            found[names].append(pair.taus(taken, options.tau)[:count])
    once = np.zeros((1, n, _lanes), np.uint32)
    once[..., 0] = 1
    out: Taus = {score: {} for score in units.scores}
    for (score, outcome), pair in pairs.items():
        value = float(pair.taus(once, options.tau)[0])
        draws = np.concatenate(found[score, outcome])
        size = len(pair.x)
        out[score][outcome] = _with_interval(value, draws, options.confidence, size, size)
    return out


class _Pair:
    """Holds a score and an outcome of the instructions that have both."""

    def __init__(self, score: npt.NDArray[np.float64], outcome: npt.NDArray[np.float64]) -> None:
        import numpy as np

        has_both = ~(np.isnan(score) | np.isnan(outcome))
        self._rows = None if has_both.all() else np.flatnonzero(has_both)
        self.x = _ranks(score[has_both])
        self.y = _ranks(outcome[has_both])

    def taus(self, taken: npt.NDArray[np.uint32], kind: str) -> npt.NDArray[np.float64]:
        """Returns τ of each draw.

        Args:
            taken: [groups, N, 16], how often a draw took each instruction.
        """
        import numpy as np

        if not len(self.x):
            return np.full(taken.shape[0] * _lanes, np.nan)
        if self._rows is not None:
            taken = np.ascontiguousarray(taken[:, self._rows])
        return taus(_core.kendall_draws(self.x, self.y, taken), kind)


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    import numpy as np

    _, ranks = np.unique(values, return_inverse=True)
    return np.ascontiguousarray(ranks.reshape(-1), np.uint32)


def _times_taken(rng: np.random.Generator, n: int, draws: int) -> npt.NDArray[np.uint32]:
    """Draws, and returns how often each draw takes each instruction: [groups, n, 16]."""
    import numpy as np

    groups = -(-draws // _lanes)
    taken = np.zeros((groups, n, _lanes), np.uint32)
    lanes = np.arange(_lanes)[:, None]
    for group in range(groups):
        count = min(_lanes, draws - group * _lanes)
        places = rng.integers(0, n, (count, n)) * _lanes + lanes[:count]
        counted = np.bincount(places.reshape(-1), minlength=n * _lanes)
        taken[group] = counted.reshape(n, _lanes)
    return taken


def _blocks(
    options: Options, cells: int, draw: Callable[[int], npt.NDArray[np.uint32]]
) -> Iterator[tuple[npt.NDArray[np.uint32], int]]:
    """Gives the draws in blocks of whole groups, with how many draws a block has.

    Args:
        cells: of a draw.
    """
    block = max(1, _max_cells // (cells * _lanes)) * _lanes
    with reporting(options.progress, options.draws, " draws") as report:
        for first in range(0, options.draws, block):
            count = min(block, options.draws - first)
            yield draw(count), count
            if report is not None:
                report(first + count)


def system_level(units: Units, options: Options) -> Taus:
    """Returns τ over the systems' means of scores and outcomes."""
    import numpy as np

    out: Taus = {score: {} for score in units.scores}
    for columns in SystemColumns.of(units):
        value = columns.taus(columns.all_rows(), options.tau)
        resamples = SystemResamples(options.seed, units.counts())
        draws = np.concatenate(
            [
                columns.taus(resamples.take(count), options.tau)
                for count in columns.blocks(options.draws)
            ]
        )
        for s, o in columns.pairs:
            out[columns.scores[s]][columns.outcomes[o]] = _with_interval(
                float(value[0, s, o]),
                draws[:, s, o],
                options.confidence,
                columns.system_count,
                columns.instruction_count,
            )
    return out


def _with_interval(
    value: float, draws: npt.NDArray[np.float64], confidence: float, n: int, instructions: int
) -> Tau:
    import numpy as np

    defined = draws[~np.isnan(draws)]
    undefined = len(draws) - len(defined)
    if math.isnan(value):
        return Tau(None, None, None, n, instructions, undefined)
    if not len(defined):
        return Tau(value, None, None, n, instructions, undefined)
    share = round((1 - confidence) / 2, 15)
    low, high = np.quantile(defined, [share, 1 - share], method="inverted_cdf")
    return Tau(value, float(low), float(high), n, instructions, undefined)

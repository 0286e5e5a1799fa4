"""Which items a report shows first, and which it has paths of where not all of them fit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UsageError
from ..tables import Metric

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Chosen", "choose", "rank_metric"]

_PREFERRED = ("nDTW", "SPL", "SR", "DTW", "NE", "GP")


class Chosen(NamedTuple):
    """Holds the items whose paths are in a report."""

    items: list[int]
    """Positions, ascending."""
    rule: str
    """How they were chosen, in a sentence."""


def rank_metric(wanted: str, among: Mapping[str, Metric]) -> str:
    """Returns the metric by which items are ranked.

    Raises:
        UsageError: there is no such metric, or it says neither what is better nor what is worse.
    """
    ranked = [name for name, row in among.items() if row.better != "neither"]
    if not wanted:
        return next((m for m in (*_PREFERRED, *ranked) if m in among), next(iter(among)))
    for name in ranked:
        if name.lower() == wanted.lower():
            return name
    raise UsageError(f"items cannot be ranked by {wanted!r}; name one of {', '.join(ranked)}")


def choose(values: npt.NDArray[np.float64], metric: Metric, limit: int) -> Chosen:
    """Chooses the items whose paths are shown: all, or the worst and the most disputed ones.

    Args:
        values: of the metric that ranks, [agents, items], NaN where there is none.
        limit: most items; 0 for all.
    """
    import numpy as np

    agents, count = values.shape
    if limit == 0 or count <= limit:
        return Chosen(list(range(count)), "")
    with warnings.catch_warnings():  # of items where no agent has a value
        warnings.simplefilter("ignore", RuntimeWarning)
        mean = np.nanmean(values, axis=0)
        spread = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    badness = mean if metric.better == "lower" else -mean
    worst = _largest(badness)
    of = "mean " + metric.name if agents > 1 else metric.name
    if agents == 1:
        picked = worst[:limit]
        which = f"the {len(picked):,} items with the worst {of}"
    else:
        picked = worst[: limit - limit // 2]
        taken = set(picked)
        disputed = [item for item in _largest(spread) if item not in taken][: limit // 2]
        which = (
            f"the {len(picked):,} items with the worst {of} and the {len(disputed):,} further ones "
            f"with the largest difference of {metric.name} between agents"
        )
        picked = picked + disputed
    return Chosen(sorted(picked), which)


def _largest(values: npt.NDArray[np.float64]) -> list[int]:
    """Returns the positions of all values but NaN, the largest first, equal ones in order."""
    import numpy as np

    order = np.argsort(-values, kind="stable")
    return [int(k) for k in order if not np.isnan(values[k])]

"""Differences of two agents' means: intervals and p-values over clusters of items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..optional import require

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["BOOTSTRAP_DRAWS", "Clusters", "Sums", "holm", "intervals", "joined", "p_values"]

BOOTSTRAP_DRAWS = 10_000
"""As many as ``warpath eval --ci bootstrap`` takes."""
_z = 1.96
_batch_bytes = 1 << 27


@dataclasses.dataclass(frozen=True, eq=False)
class Clusters:
    """Numbers the cluster of each item: items of one cluster depend on each other."""

    of_item: npt.NDArray[np.intp]
    count: int

    @classmethod
    def of(cls, labels: Sequence[object] | npt.NDArray[np.generic]) -> Clusters:
        """Makes a cluster of the items of each label."""
        import numpy as np

        _, numbers = np.unique(np.asarray(labels), return_inverse=True)
        numbers = numbers.reshape(-1)
        return cls(numbers, int(numbers.max()) + 1 if len(numbers) else 0)


def joined(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Clusters:
    """Makes clusters of items that share a label in either of two labellings, directly or through
    other items: two files may number paths differently."""
    import numpy as np

    a, b = Clusters.of(first), Clusters.of(second)
    sparse = require("scipy.sparse", "compare")
    csgraph = require("scipy.sparse.csgraph", "compare")
    ones = np.ones(len(a.of_item), np.int8)
    size = a.count + b.count
    graph = sparse.coo_matrix((ones, (a.of_item, a.count + b.of_item)), shape=(size, size))
    count, labels = csgraph.connected_components(graph, directed=False)
    return Clusters(labels[a.of_item].astype(np.intp), int(count))


@dataclasses.dataclass(frozen=True, eq=False)
class Sums:
    """Holds what intervals and p-values need of differences: sums and counts by cluster, float64
    [metrics, clusters]. A cluster in which a metric has no value counts 0 items."""

    total: npt.NDArray[np.float64]
    count: npt.NDArray[np.float64]

    @classmethod
    def of(cls, differences: npt.NDArray[np.float64], clusters: Clusters) -> Sums:
        """Adds differences up.

        Args:
            differences: float64 [metrics, items]; NaN is "no value".
        """
        import numpy as np

        present = ~np.isnan(differences)
        filled = np.where(present, differences, 0.0)
        size = max(clusters.count, 1)
        by_cluster = [np.bincount(clusters.of_item, row, size) for row in filled]
        counts = [np.bincount(clusters.of_item, row, size) for row in present.astype(float)]
        shape = (len(differences), size)
        return cls(np.reshape(by_cluster, shape), np.reshape(counts, shape))

    @property
    def clusters(self) -> npt.NDArray[np.intp]:
        """The number of clusters in which a metric has values."""
        import numpy as np

        counts: npt.NDArray[np.intp] = np.count_nonzero(self.count, axis=1)
        return counts

    def means(self) -> npt.NDArray[np.float64]:
        """Returns the mean difference of each metric, NaN without values."""
        import numpy as np

        n = self.count.sum(axis=1)
        total = self.total.sum(axis=1)
        return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)


def intervals(sums: Sums, bootstrap: bool, seed: int) -> list[tuple[float, float] | None]:
    """Returns the 95 % interval of each mean difference, as reports of evaluations define it:
    mean ± 1.96·√(G/(G−1)·Σ_g(Σ_{i∈g}(d_i − mean))²)/n over G clusters. None for fewer than two.

    Args:
        bootstrap: percentiles of the means of resampled clusters instead.
    """
    out: list[tuple[float, float] | None] = []
    for total, count, mean in zip(sums.total, sums.count, sums.means()):
        used = count > 0
        size = int(used.sum())
        if size < 2:
            out.append(None)
        elif bootstrap:
            out.append(_bootstrap(total[used], count[used], seed))
        else:
            squares = float(((total - count * mean)[used] ** 2).sum())
            half = _z * math.sqrt(size / (size - 1) * squares) / float(count.sum())
            out.append((float(mean - half), float(mean + half)))
    return out


def _bootstrap(
    total: npt.NDArray[np.float64], count: npt.NDArray[np.float64], seed: int
) -> tuple[float, float]:
    stats = require("scipy.stats", "compare")
    found = stats.bootstrap(
        (total, count),
        lambda t, n, axis: t.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=BOOTSTRAP_DRAWS,
        batch=max(1, _batch_bytes // (32 * len(total))),
        method="percentile",
        random_state=seed,
    ).confidence_interval
    return float(found.low), float(found.high)


def p_values(sums: Sums, permutations: int, seed: int) -> list[float]:
    """Returns the two-sided p-value of each metric: if the agents are equal, the signs of a
    cluster's differences may as well be the other way round, all at once. Signs are flipped in
    all ways where these are no more than ``permutations``, else in that many ways drawn at random.
    """
    import numpy as np

    out = [1.0] * len(sums.total)
    joint = []
    for metric, total in enumerate(sums.total):
        flipped = np.flatnonzero(total)  # the sign of 0 does not matter
        if len(flipped) > math.log2(permutations):
            joint.append(metric)
        elif len(flipped) > 1:  # one cluster says nothing: its sign may as well be the other one
            out[metric] = _sign_flips(total[None, flipped], permutations, seed)[0]
    if joint:
        total = sums.total[joint]
        total = total[:, (total != 0).any(axis=0)]
        for metric, p in zip(joint, _sign_flips(total, permutations, seed)):
            out[metric] = p
    return out


def _sign_flips(total: npt.NDArray[np.float64], permutations: int, seed: int) -> list[float]:
    stats = require("scipy.stats", "compare")
    found = stats.permutation_test(
        (total,),
        lambda flipped, axis: abs(flipped.sum(axis=axis)),
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        batch=max(1, _batch_bytes // (32 * total.size)),
        alternative="greater",  # of the absolute sum: two-sided
        axis=-1,
        random_state=seed,
    )
    return [float(p) for p in found.pvalue]


def holm(p: Sequence[float]) -> list[float]:
    """Returns p-values corrected by Holm's method, in the same order: the k-th smallest of m is
    multiplied by m - k + 1, and none is below a smaller one's."""
    order = sorted(range(len(p)), key=lambda k: p[k])
    out = [1.0] * len(p)
    highest = 0.0
    for rank, k in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - rank) * p[k]))
        out[k] = highest
    return out

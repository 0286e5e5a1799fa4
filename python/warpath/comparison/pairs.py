"""The results of a comparison, and the functions that compute them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import InputError, UsageError
from .inputs import Agent
from .paired import Clusters, Sums, holm, intervals, joined, p_values

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Difference", "Group", "ItemDifference", "Options", "Pair", "compare_pair", "correct"]

_tolerance = {"double": 1e-9, "single": 1e-5}
"""Relative differences up to which two values are equal: the order of additions may differ."""


_few_clusters = 20
"""Below, an interval of 1.96 standard errors misses in more than 7 % of comparisons."""


@dataclasses.dataclass(frozen=True)
class Options:
    """Holds how agents are compared."""

    metrics: tuple[str, ...]
    interval: str
    by: str
    rank: str
    items: int
    permutations: int
    seed: int


@dataclasses.dataclass(frozen=True)
class Difference:
    """Holds the difference of two agents' means of one metric: second minus first, over the items
    for which both have a value."""

    metric: str
    unit: str
    """As in ``Run.units``."""
    mean_first: float | None
    """None if no item has a value for both."""
    mean_second: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    """Lower and upper bound of the 95 % interval; None for fewer than two clusters."""
    p: float | None
    """Two-sided p-value; None without items, and in groups."""
    p_holm: float | None
    """The same, corrected for all metrics and pairs of the comparison."""
    larger: int
    """Items whose value is larger for the second agent."""
    equal: int
    smaller: int
    n: int
    """Items that the difference is over."""
    of: int
    """Items that both agents have, with values or without."""
    clusters: int
    better: str
    """``higher``, ``lower`` or ``neither``, as in ``warpath.metrics``."""

    @property
    def wins(self) -> int | None:
        """Items on which the second agent is better; None if the metric says not what is."""
        return {"higher": self.larger, "lower": self.smaller}.get(self.better)

    @property
    def losses(self) -> int | None:
        """Items on which the second agent is worse."""
        return {"higher": self.smaller, "lower": self.larger}.get(self.better)


@dataclasses.dataclass(frozen=True)
class Group:
    """Holds the differences over one group of items, without p-values."""

    name: str
    items: int
    metrics: Mapping[str, Difference]


@dataclasses.dataclass(frozen=True)
class ItemDifference:
    """Holds one item on which two agents differ."""

    instr_id: str
    scan: str
    value_first: float
    value_second: float

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.value_second - self.value_first


@dataclasses.dataclass(frozen=True)
class Pair:
    """Holds the comparison of two agents.

    Attributes:
        first, second: the agents' names; differences are second minus first.
        common: items that both agents have.
        compared: items of these for which both agents have a value of some metric.
        only_first, only_second: items that one agent has a value for and the other has not, left
            out of every difference.
        without_value: items that both have, for which neither has a value.
        metrics: metric -> difference.
        groups: by ``Options.by``, empty for "none".
        items: the items that differ most in ``Options.rank``, the largest difference first.
        notes: what a reader must know, in sentences.
    """

    first: str
    second: str
    common: int
    compared: int
    only_first: int
    only_second: int
    without_value: int
    metrics: Mapping[str, Difference]
    groups: Sequence[Group]
    items: Sequence[ItemDifference]
    notes: Sequence[str]


class _Common:
    """Holds the items that two agents have, in the first one's order, as arrays."""

    def __init__(self, first: Agent, second: Agent, options: Options) -> None:
        import numpy as np

        self.ids = [item for item in first.row if item in second.row]
        self.rows = first.rows(self.ids), second.rows(self.ids)
        self.agents = first, second
        values = [
            [agent.items.values[metric][rows] for metric in options.metrics]
            for agent, rows in zip(self.agents, self.rows)
        ]
        shape = (len(options.metrics), len(self.ids))
        self.first, self.second = (np.reshape(v, shape) for v in values)
        self.differences = _without_rounding(self.first, self.second, self.agents)
        self.clusters = self._clusters(options.interval)

    def _clusters(self, interval: str) -> Clusters:
        import numpy as np

        if interval == "none":
            return Clusters(np.arange(len(self.ids)), len(self.ids))
        if interval == "scan":
            return Clusters.of(self.texts("scan"))
        paths = [agent.items.path[rows] for agent, rows in zip(self.agents, self.rows)]
        return joined(paths[0], paths[1])

    def texts(self, column: str) -> list[str]:
        """Returns a column of the first agent's items; lengths as texts."""
        cells = getattr(self.agents[0].items, column)
        return [str(cells[row]) for row in self.rows[0].tolist()]


def _without_rounding(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], agents: tuple[Agent, Agent]
) -> npt.NDArray[np.float64]:
    """Returns second - first, 0 where they are equal but for rounding, NaN where one is."""
    import numpy as np

    tolerance = max(_tolerance[agent.results.precision] for agent in agents)
    differences = second - first
    size = np.maximum(1.0, np.maximum(np.abs(first), np.abs(second)))
    return np.where(np.abs(differences) <= tolerance * size, 0.0, differences)


def compare_pair(first: Agent, second: Agent, options: Options) -> Pair:
    """Compares two agents; ``p_holm`` is still None.

    Raises:
        InputError: the agents have no item in common.
    """
    import numpy as np

    common = _Common(first, second, options)
    if not common.ids:
        raise InputError.at(
            second.where,
            f"no item in common with {first.name}",
            "compare agents that were scored on the same items",
        )
    has_first = first.has_value(options.metrics)[common.rows[0]]
    has_second = second.has_value(options.metrics)[common.rows[1]]
    compared = int(np.count_nonzero(has_first & has_second))
    metrics = _differences(common, slice(None), options, has_p=True)
    return Pair(
        first=first.name,
        second=second.name,
        common=len(common.ids),
        compared=compared,
        only_first=_lacking(first, second, options) + int((has_first & ~has_second).sum()),
        only_second=_lacking(second, first, options) + int((has_second & ~has_first).sum()),
        without_value=int(np.count_nonzero(~has_first & ~has_second)),
        metrics=metrics,
        groups=_groups(common, options),
        items=_most_different(common, options),
        notes=_notes(common, compared, metrics, options),
    )


def _lacking(has: Agent, lacks: Agent, options: Options) -> int:
    """Counts items that one agent has a value for, and the other has not at all."""
    has_value = has.has_value(options.metrics)
    return sum(bool(has_value[row]) for item, row in has.row.items() if item not in lacks.row)


def _differences(
    common: _Common, chosen: slice | npt.NDArray[np.bool_], options: Options, has_p: bool
) -> dict[str, Difference]:
    import numpy as np

    differences = common.differences[:, chosen]
    clusters = Clusters(common.clusters.of_item[chosen], common.clusters.count)
    sums = Sums.of(differences, clusters)
    bounds = intervals(sums, options.interval == "bootstrap", options.seed)
    p = p_values(sums, options.permutations, options.seed) if has_p else []
    out = {}
    for k, metric in enumerate(options.metrics):
        row = differences[k]
        present = ~np.isnan(row)
        n = int(present.sum())
        means = [
            float(values[k, chosen][present].mean()) if n else None
            for values in (common.first, common.second)
        ]
        out[metric] = Difference(
            metric=metric,
            unit=common.agents[0].run.units[metric],
            mean_first=means[0],
            mean_second=means[1],
            difference=float(row[present].mean()) if n else None,
            ci95=bounds[k],
            p=p[k] if has_p and n else None,
            p_holm=None,
            larger=int((row > 0).sum()),
            equal=int((row == 0).sum()),
            smaller=int((row < 0).sum()),
            n=n,
            of=len(row),
            clusters=int(sums.clusters[k]),
            better=common.agents[0].run.metric(metric).better,
        )
    return out


def _groups(common: _Common, options: Options) -> list[Group]:
    import numpy as np

    if options.by == "none":
        return []
    labels = common.texts(options.by)
    if not any(labels):
        raise UsageError(f"by={options.by}: no item has a {options.by}")
    of_item = np.array(labels)
    names = sorted(set(labels), key=int if options.by == "length" else None)
    return [
        Group(
            name,
            int((of_item == name).sum()),
            _differences(common, of_item == name, options, has_p=False),
        )
        for name in names
    ]


def _most_different(common: _Common, options: Options) -> list[ItemDifference]:
    """Returns the items whose values of one metric differ most; of equal ones the first in the
    dataset."""
    import numpy as np

    k = options.metrics.index(options.rank)
    size = np.nan_to_num(np.abs(common.differences[k]), nan=0.0)
    order = np.argsort(-size, kind="stable")[: options.items]
    scans = common.texts("scan")
    return [
        ItemDifference(
            common.ids[i], scans[i], float(common.first[k, i]), float(common.second[k, i])
        )
        for i in order.tolist()
        if size[i] > 0
    ]


def _notes(
    common: _Common, compared: int, metrics: Mapping[str, Difference], options: Options
) -> list[str]:
    notes = []
    first, second = common.agents
    for what in ("version", "precision"):
        mine, theirs = (getattr(agent.results, what) for agent in common.agents)
        if mine != theirs:
            notes.append(f"{what} of {first.name} {mine}, of {second.name} {theirs}")
    lengths = [agent.items.length[rows] for agent, rows in zip(common.agents, common.rows)]
    other_paths = int((lengths[0] != lengths[1]).sum())
    if other_paths:
        notes.append(f"{_counted(other_paths, 'item')} with references of other lengths")
    for metric in options.metrics:
        found = metrics[metric]
        if found.n < compared:
            gaps = _counted(compared - found.n, "item")
            notes.append(f"{metric}: {gaps} more left out, without a value for both")
        if found.n and found.clusters < _few_clusters:
            noun = {"scan": "scan", "none": "item"}.get(options.interval, "path")
            least = 2.0 ** (1 - found.clusters)
            count = _counted(found.clusters, noun)
            notes.append(
                f"{metric}: {count} make the interval too narrow, go by p; it is never below "
                f"{least:.2g}"
            )
        if found.ci95 and found.ci95[0] == found.ci95[1] and found.difference:
            notes.append(f"{metric}: all clusters differ equally, so the interval has no width")
    return notes


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def correct(pairs: Sequence[Pair]) -> tuple[list[Pair], int]:
    """Returns the pairs with p-values corrected for all of them, and how many p-values these are.
    """
    tests = [
        (k, metric)
        for k, pair in enumerate(pairs)
        for metric, found in pair.metrics.items()
        if found.p is not None
    ]
    corrected = holm([pairs[k].metrics[metric].p or 0.0 for k, metric in tests])
    metrics: list[dict[str, Difference]] = [dict(pair.metrics) for pair in pairs]
    for (k, metric), p in zip(tests, corrected):
        metrics[k][metric] = dataclasses.replace(metrics[k][metric], p_holm=p)
    return [
        dataclasses.replace(pair, metrics=found) for pair, found in zip(pairs, metrics)
    ], len(tests)

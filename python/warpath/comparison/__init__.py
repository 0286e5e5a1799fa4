"""Agents side by side: differences of their means with intervals and p-values by clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from .comparison import Comparison
    from .inputs import Agent, ComparedLike

__all__ = ["compare"]

_intervals = ("path", "scan", "none", "bootstrap")
_groupings = ("none", "scan", "length", "language")
_ranks = ("nDTW", "SPL", "SR", "DTW", "NE")


def compare(
    results: ComparedLike | Sequence[ComparedLike],
    *,
    names: Sequence[str] = (),
    metrics: str | Iterable[str] | None = None,
    interval: str = "path",
    by: str = "none",
    all_pairs: bool = False,
    allow: str | Iterable[str] = (),
    rank: str | None = None,
    items: int = 5,
    permutations: int = 9999,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Compares agents item by item, as the command ``warpath compare`` does. It needs SciPy.

    Each metric's difference of means, second agent minus first, has a 95 % interval and a two-sided
    p-value. Both take items that share a reference path, or a tour, for one cluster. The interval
    is that of ``evaluate``, of differences: mean ± 1.96·√(G/(G−1)·Σ_g(Σ_{i∈g}(d_i − mean))²)/n over
    G clusters.
    The p-value flips the signs of whole clusters (``scipy.stats.permutation_test``).

    Args:
        results: result files (``warpath eval … --json FILE --items``), what ``evaluate`` returned,
            or files of predictions, which are scored with ``options``. A file of several agents
            gives all of them.
        names: a name for each of the results, empty to keep its own.
        metrics: names in ``warpath.metrics`` or of own metrics, or one text with commas. None for the
            headline ones and all own ones.
        interval: what intervals and p-values cluster: ``path``, ``scan``, ``none``, or
            ``bootstrap``: intervals that resample paths (``scipy.stats.bootstrap``).
        by: adds differences by ``scan``, ``length`` or ``language``.
        all_pairs: compares every two agents; otherwise each with the first one.
        allow: what is refused otherwise: ``other-data`` (other datasets, graphs or boxes),
            ``other-convention``, ``missing-items`` (agents without a value for some items).
        rank: the metric of the items that differ most.
        items: how many of these there are.
        permutations: how often signs are flipped at random. Where all ways are no more, p-values
            are exact.
        seed: what signs and resamples are drawn from; equal seeds give equal results.
        **options: ``dataset``, ``graphs``, ``preset`` and all else that ``evaluate`` takes, for
            predictions.

    Raises:
        InputError: a file cannot be used, or agents cannot be compared.
        UsageError: a name does not exist, arguments exclude each other, or SciPy is missing.

    Example:
        >>> result = warpath.compare(["hamt.json", "duet.json"])
        >>> result.pairs[0].metrics["SPL"].p_holm
        >>> print(result)
    """
    from ..arguments import require_word
    from ..inputs import is_path
    from ..result_files import Results
    from ..results import Evaluation
    from .comparison import Comparison
    from .inputs import allowances, load, require_comparable
    from .pairs import Options, compare_pair, correct

    is_one = is_path(results) or isinstance(results, (Evaluation, Results))
    listed: list[Any] = [results] if is_one else list(results)  # type: ignore[arg-type]
    require_word("interval", interval, _intervals)
    require_word("by", by, _groupings)
    if items < 0 or permutations < 1:
        raise UsageError("items is at least 0, permutations at least 1")
    allowed = allowances(allow)
    agents = load(listed, names, options)
    chosen = _metrics(agents, metrics)
    settings = Options(
        metrics=tuple(chosen),
        interval=interval,
        by=by,
        rank=_rank(rank, chosen),
        items=items,
        permutations=permutations,
        seed=seed,
    )
    pairs = _pairs(agents, all_pairs)
    for first, second in pairs:
        require_comparable(first, second, chosen, allowed)
    found, tests = correct([compare_pair(a, b, settings) for a, b in pairs])
    return Comparison(agents, found, tests, settings, allowed)


def _pairs(agents: Sequence[Agent], all_pairs: bool) -> list[tuple[Agent, Agent]]:
    """Returns the agents to compare: of NDH's references, those of the same one."""
    by_reference: dict[str, list[Agent]] = {}
    for agent in agents:
        by_reference.setdefault(agent.run.reference, []).append(agent)
    pairs = []
    for group in by_reference.values():
        for k, first in enumerate(group):
            if k == 0 or all_pairs:
                pairs += [(first, second) for second in group[k + 1 :]]
    if not pairs:
        raise UsageError("a comparison takes two agents: give two result files, or one with two")
    return pairs


def _metrics(agents: Sequence[Agent], wanted: str | Iterable[str] | None) -> list[str]:
    """Returns the metrics to compare, in the order of reports: those that all agents have."""
    from ..tables import metrics as table

    own = [m for m in agents[0].run.own if all(m in a.run.own for a in agents)]
    common = [m for m in agents[0].items.values if all(m in a.items.values for a in agents)]
    unknown = [metric for metric in common if metric not in (*table, *own)]
    common = [metric for metric in common if metric not in unknown]
    if wanted is None:
        with_values = [m for m in common if any(a.run.summary[m].n for a in agents)]
        headline = [m for m in with_values if agents[0].run.metric(m).headline]
        found = headline or with_values
    else:
        names = wanted.split(",") if isinstance(wanted, str) else list(wanted)
        found = common if [n.lower() for n in names] == ["all"] else _found(names, common)
    if not found:
        raise UsageError("the results have no metric in common with values: score them again")
    return found


def _found(names: Iterable[str], among: Sequence[str]) -> list[str]:
    by_name = {metric.lower(): metric for metric in among}
    out = []
    for name in names:
        if name.lower() not in by_name:
            raise UsageError(
                f"not all results have a metric '{name}'; there are {', '.join(among)}"
            )
        if by_name[name.lower()] not in out:
            out.append(by_name[name.lower()])
    return out


def _rank(wanted: str | None, metrics: Sequence[str]) -> str:
    if wanted is not None:
        return _found([wanted], metrics)[0]
    return next((metric for metric in _ranks if metric in metrics), metrics[0])

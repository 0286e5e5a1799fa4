"""Results in every form that pictures take, as agents with means or with items."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import InputError, UsageError, Where
from ..result_files import ItemTable, Results, Run, read_results, results_of
from ..results import AgentResult, Estimate, Evaluation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["AgentItems", "AgentMeans", "ResultsLike", "items_of", "known_metrics", "means_of",
           "unit_of"]  # fmt: skip

OneResult: TypeAlias = "Evaluation | AgentResult | Results | Run | str | os.PathLike[str]"
ResultsLike: TypeAlias = "OneResult | Sequence[OneResult]"
"""What ``warpath.evaluate`` returns, one of its agents, a file of ``warpath eval --json``, or
several of these."""


class AgentMeans(NamedTuple):
    """Holds the means of one agent."""

    name: str
    summary: Mapping[str, Estimate]


class AgentItems(NamedTuple):
    """Holds the items of one agent that its means are over."""

    name: str
    values: dict[str, npt.NDArray[np.float64]]
    """Metric -> a value for each item, NaN for none."""
    path: npt.NDArray[np.int64]
    """Number of the reference path, or of the tour; episodes of one have one number."""
    length: npt.NDArray[np.int64]
    """Viewpoints of the reference."""


def means_of(results: ResultsLike) -> list[AgentMeans]:
    """Returns all agents of results, at least one.

    Raises:
        InputError: a file is no result file. UsageError: there are no results.
    """
    found = list[AgentMeans]()
    for one in _listed(results):
        if isinstance(one, (AgentResult, Run)):
            found.append(AgentMeans(one.name, one.summary))
        elif isinstance(one, Evaluation):
            found += [AgentMeans(agent.name, agent.summary) for agent in one]
        else:
            read = one if isinstance(one, Results) else read_results(one)
            found += [AgentMeans(run.name, run.summary) for run in read.runs]
    return found


def items_of(results: ResultsLike) -> list[AgentItems]:
    """Returns the items of all agents.

    Raises:
        InputError: a file is no result file, or has no items. UsageError: there are no results.
    """
    found = list[AgentItems]()
    for one in _listed(results):
        if isinstance(one, Run):
            found.append(_of_table(one.name, one.require_items(one.file)))
        elif isinstance(one, AgentResult):
            whole = results_of(Evaluation(one._core))
            found.append(_of_run(whole.runs[one._number], ""))
        elif isinstance(one, Evaluation):
            found += [_of_run(run, "") for run in results_of(one).runs]
        else:
            read = one if isinstance(one, Results) else read_results(one)
            found += [_of_run(run, read.file) for run in read.runs]
    return found


def _listed(results: ResultsLike) -> list[OneResult]:
    kinds = (Evaluation, AgentResult, Results, Run, str, os.PathLike)
    listed = [results] if isinstance(results, kinds) else list(results)
    if not listed:
        raise UsageError("there are no results to draw: give at least one")
    for one in listed:
        if not isinstance(one, kinds):
            raise InputError.at(
                Where("results"),
                f"is of type {type(one).__name__}",
                "give what warpath.evaluate returns, or a file of warpath eval --json",
            )
    return listed


def _of_run(run: Run, file: str) -> AgentItems:
    return _of_table(run.name, run.require_items(file))


def _of_table(name: str, items: ItemTable) -> AgentItems:
    scored = items.scored
    values = {metric: column[scored] for metric, column in items.values.items()}
    return AgentItems(name, values, items.path[scored], items.length[scored])


def known_metrics(names: Iterable[str]) -> list[str]:
    """Returns names as tables spell them.

    Raises:
        UsageError: there is no such metric.
    """
    from ..tables import metrics

    found = []
    for name in names:
        if name.upper() == "TL":  # another name of the same metric
            name = "PL"
        if name.lower() not in {known.lower() for known in metrics}:
            raise UsageError(f"there is no metric {name}; there are {', '.join(metrics)}")
        found.append(metrics[name].name)
    return found


def unit_of(metric: str) -> str:
    """Returns what follows a metric's name on an axis: its unit, if it has one."""
    from ..tables import metrics

    unit = metrics[metric].unit
    return {"length": " (m)", "angle": " (turns)"}.get(unit, "")

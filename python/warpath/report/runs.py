"""The agents of a report: those of one or several evaluations of the same items, side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, Where
from ..results import AgentResult, Evaluation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Items", "Run", "Runs"]


class Run(NamedTuple):
    """Holds one agent."""

    name: str
    """Unlike that of any other agent."""
    result: AgentResult
    evaluation: Evaluation
    number: int
    """Of the agent within its evaluation."""
    described: dict[str, Any]
    """What the JSON of the evaluation says of it: ``file``, ``hash``, ``metrics``, …"""


class Runs:
    """Holds the agents of evaluations.

    Args:
        evaluations: of the same dataset and graphs under the same convention.
        names: what to call each evaluation where agents have the same name.

    Raises:
        InputError: the evaluations differ in what makes their numbers comparable.
    """

    def __init__(self, evaluations: Sequence[Evaluation], names: Sequence[str]) -> None:
        self.evaluations = list(evaluations)
        self.described = [json.loads(evaluation.to_json()) for evaluation in evaluations]
        for name, other in zip(names[1:], self.described[1:]):
            _require_equal(names[0], self.described[0], name, other)
        taken: set[str] = set()
        self.agents: list[Run] = []
        for evaluation, described, source in zip(evaluations, self.described, names):
            for number, result in enumerate(evaluation.agents):
                name = _free_name(result.name, source, taken)
                taken.add(name)
                row = described["runs"][number]
                self.agents.append(Run(name, result, evaluation, number, row))

    @property
    def first(self) -> dict[str, Any]:
        """What the JSON of the first evaluation says; inputs and convention are those of all."""
        return self.described[0]

    @property
    def metrics(self) -> list[str]:
        """The metrics of all agents, in the order of reports."""
        common = set.intersection(*(set(run.result.summary) for run in self.agents))
        return [metric for metric in self.agents[0].result.summary if metric in common]


def _free_name(name: str, source: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        candidate = f"{name} ({source})" if number == 1 else f"{name} ({source} {number})"
        number += 1
    return candidate


def _require_equal(name: str, first: dict[str, Any], other_name: str, other: dict[str, Any]) -> None:
    def fail(problem: str, remedy: str) -> InputError:
        return InputError.at(Where(other_name), f"{problem} than {name}", remedy)

    if first["dataset"]["hash"] != other["dataset"]["hash"]:
        raise fail("is of another dataset", "make a report of each")
    if first["graphs"]["hash"] != other["graphs"]["hash"]:
        raise fail("is of other graphs", "make a report of each")
    mine, theirs = first["convention"], other["convention"]
    differing = [f"{key}={theirs[key]}, not {mine[key]}" for key in mine if mine[key] != theirs[key]]
    if differing:
        text = "; ".join(differing)
        raise fail(f"has another convention ({text})", "score both under the same convention")


class Items:
    """Holds the items of all agents, each once, in the order of the first agent's.

    Attributes:
        keys: of each item its id and how many rows before it have the same id.
        rows: of each agent the row of each item, -1 where it has none. int [agents, items]
    """

    def __init__(self, runs: Runs) -> None:
        import numpy as np

        self._runs = runs
        place: dict[tuple[str, int], int] = {}
        keys_of = [_keys(run.result.per_item["instr_id"].tolist()) for run in runs.agents]
        for keys in keys_of:
            for key in keys:
                place.setdefault(key, len(place))
        self.keys = list(place)
        self.place = place
        self.rows = np.full((len(keys_of), len(place)), -1)
        for agent, keys in enumerate(keys_of):
            self.rows[agent, [place[key] for key in keys]] = range(len(keys))

    def __len__(self) -> int:
        return len(self.keys)

    def values(self, metric: str) -> npt.NDArray[np.float64]:
        """Returns a metric's values, [agents, items], NaN where there is none."""
        import numpy as np

        out = np.full(self.rows.shape, np.nan)
        for agent, (run, rows) in enumerate(zip(self._runs.agents, self.rows)):
            known = rows >= 0
            out[agent, known] = np.asarray(run.result.per_item[metric], float)[rows[known]]
        out[~np.isfinite(out)] = np.nan
        return out

    def texts(self, column: str) -> list[list[str]]:
        """Returns a column of texts for each agent, empty where it has no such item."""
        return [
            [cells[row] if row >= 0 else "" for row in rows.tolist()]
            for cells, rows in zip(
                (run.result.per_item[column].tolist() for run in self._runs.agents), self.rows
            )
        ]

    def common_texts(self, column: str) -> list[str]:
        """Returns a column that agents agree on: the first text that is not empty."""
        return [next(filter(None, cells), "") for cells in zip(*self.texts(column))]


def _keys(ids: Sequence[str]) -> list[tuple[str, int]]:
    """Tells the rows of one id apart: predictions for one item may be several."""
    seen: dict[str, int] = {}
    keys = []
    for name in ids:
        keys.append((name, seen.get(name, 0)))
        seen[name] = keys[-1][1] + 1
    return keys

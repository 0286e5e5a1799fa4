"""The agents of a report: those of one or several results of the same items, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError, Where
from ..result_files import ItemTable, Results, Run
from ..results import Evaluation
from ..tables import Metric

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Agent", "Agents", "Items", "Scored"]


class Scored(NamedTuple):
    """Holds results with items, and what explains them."""

    results: Results
    evaluation: Evaluation | None
    """The same results with their inputs, whose runs are in the same order; None: there is nothing
    to draw."""
    lack: str = ""
    """Why there is no evaluation."""


class Agent(NamedTuple):
    """Holds one agent."""

    name: str
    """Unlike that of any other agent."""
    run: Run
    items: ItemTable


class Agents(list[Agent]):
    """Lists the agents of several results.

    Raises:
        InputError: the results differ in what makes their numbers comparable, or have no items.
    """

    def __init__(self, sources: Sequence[Scored]) -> None:
        super().__init__()
        first = sources[0].results
        taken: set[str] = set()
        for results in (source.results for source in sources):
            _require_equal(first, results)
            for run in results.runs:
                name = _free_name(run.name, results.file, taken)
                taken.add(name)
                self.append(Agent(name, run, run.require_items(results.file)))

    @property
    def metrics(self) -> list[str]:
        """The metrics that all agents have, in the order of reports."""
        common = set.intersection(*(set(agent.run.summary) for agent in self))
        return [metric for metric in self[0].run.summary if metric in common]

    @property
    def rows(self) -> dict[str, Metric]:
        """What describes these metrics.

        Raises:
            InputError: agents declare an own metric differently.
        """
        rows = {metric: self[0].run.metric(metric) for metric in self.metrics}
        for agent in self:
            for name, row in rows.items():
                if agent.run.metric(name) != row:
                    raise InputError.at(
                        Where(agent.run.file, agent.name, name),
                        f"is declared otherwise than of {self[0].name}",
                        "declare the own metric alike, or make a report of each",
                    )
        return rows


def _free_name(name: str, file: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name} ({file})" if file and number == 2 else f"{name} ({number})"
    return candidate


def _require_equal(first: Results, other: Results) -> None:
    def fail(problem: str, remedy: str) -> InputError:
        return InputError.at(Where(other.file), f"{problem} than {first.file}", remedy)

    if first.dataset.hash != other.dataset.hash:
        raise fail("is of another dataset", "make a report of each")
    if first.graphs.hash != other.graphs.hash:
        raise fail("is of other graphs", "make a report of each")
    mine, theirs = first.convention, other.convention
    differing = [
        f"{key}={theirs.get(key)}, not {value}"
        for key, value in mine.items()
        if theirs.get(key) != value
    ]
    if differing:
        settings = "; ".join(differing)
        raise fail(f"has another convention ({settings})", "score both under the same convention")


class Items:
    """Holds the items of all agents, each once, in the order of the first agent's.

    Attributes:
        keys: of each item its id, and how many rows before it have the same id.
        rows: of each agent the row of each item, -1 where it has none; int [agents, items].
    """

    def __init__(self, agents: Agents) -> None:
        import numpy as np

        self._tables = [agent.items for agent in agents]
        place: dict[tuple[str, int], int] = {}
        keys_of = [_keys(table.instr_id) for table in self._tables]
        for keys in keys_of:
            for key in keys:
                place.setdefault(key, len(place))
        self.keys = list(place)
        self.rows = np.full((len(keys_of), len(place)), -1)
        for agent, keys in enumerate(keys_of):
            self.rows[agent, [place[key] for key in keys]] = range(len(keys))

    def __len__(self) -> int:
        return len(self.keys)

    def values(self, metric: str) -> npt.NDArray[np.float64]:
        """Returns a metric's values, [agents, items], NaN where there is none."""
        import numpy as np

        out = np.full(self.rows.shape, np.nan)
        for agent, (table, rows) in enumerate(zip(self._tables, self.rows)):
            out[agent, rows >= 0] = table.values[metric][rows[rows >= 0]]
        out[~np.isfinite(out)] = np.nan
        return out

    def statuses(self) -> list[list[str]]:
        """Returns each agent's statuses, empty where it has no such item."""
        return [self._texts(table.status, rows) for table, rows in zip(self._tables, self.rows)]

    def scans(self) -> list[str]:
        return self._agreed([table.scan for table in self._tables])

    def languages(self) -> list[str]:
        return self._agreed([table.language for table in self._tables])

    def lengths(self) -> list[int]:
        """Returns the viewpoints of each item's reference, 0 where nobody knows."""
        import numpy as np

        lengths = np.zeros(self.rows.shape, int)
        for agent, (table, rows) in enumerate(zip(self._tables, self.rows)):
            lengths[agent, rows >= 0] = table.length[rows[rows >= 0]]
        longest: list[int] = lengths.max(axis=0).tolist()
        return longest

    def _agreed(self, columns: list[Sequence[str]]) -> list[str]:
        """Returns the first text of each item that is not empty."""
        texts = [self._texts(column, rows) for column, rows in zip(columns, self.rows)]
        return [next(filter(None, cells), "") for cells in zip(*texts)]

    def _texts(self, column: Sequence[str], rows: npt.NDArray[np.int64]) -> list[str]:
        return [column[row] if row >= 0 else "" for row in rows.tolist()]


def _keys(ids: Sequence[str]) -> list[tuple[str, int]]:
    """Tells the rows of one id apart: predictions for one item may be several."""
    seen: dict[str, int] = {}
    keys = []
    for name in ids:
        keys.append((name, seen.get(name, 0)))
        seen[name] = keys[-1][1] + 1
    return keys

"""Results of evaluations: means with their intervals, values by item, and reports."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar

from . import _core
from .arguments import find_name, flag, number, text, texts
from .errors import UsageError
from .files import written

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas

__all__ = [
    "AgentResult",
    "Estimate",
    "Evaluation",
    "ExplainedItem",
    "Items",
    "Report",
    "RunGroup",
    "Summary",
]

_Estimate: TypeAlias = "tuple[float | None, tuple[float, float] | None, int, int, int]"
_V = TypeVar("_V")
_Summary: TypeAlias = "tuple[int, dict[str, _Estimate], dict[str, int]]"


class Estimate(NamedTuple):
    """Holds the mean of one metric over items."""

    mean: float | None
    """None if no item has a value."""
    ci95: tuple[float, float] | None
    """Lower and upper bound of the 95 % confidence interval; None for fewer than two clusters."""
    n: int
    """Items that the mean is over."""
    of: int
    """Items that the convention scores."""
    clusters: int
    """Clusters that the n items lie in."""


class _Named(Mapping[str, _V]):
    """Maps names, letter case aside, to values; where one is missing it says which there are."""

    _kind: ClassVar[str]

    def __init__(self, values: dict[str, _V]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> _V:
        return self._values[find_name(self._values, name, self._kind)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Summary(_Named[Estimate]):
    """Maps metrics to estimates, over all items or a group of them.

    Attributes:
        count: how many items there are.
        statuses: how many of them have each status.
    """

    _kind = "metric"

    def __init__(self, summary: _Summary) -> None:
        self.count, estimates, self.statuses = summary
        super().__init__({metric: Estimate(*estimate) for metric, estimate in estimates.items()})

    def __repr__(self) -> str:
        means = (f"{m} {e.mean:.4g}" for m, e in self.items() if e.mean is not None)
        return f"<Summary of {self.count} items: {', '.join(means)}>"


class Items(_Named["npt.NDArray[Any]"]):
    """Maps ``instr_id``, ``scan``, ``language``, ``status`` and metrics to columns: arrays with a
    value for each item, in the dataset's order; behind them are predictions that no item asks for.
    NaN is "no value"."""

    _kind = "column"

    def __init__(self, columns: dict[str, Any]) -> None:
        import numpy as np

        super().__init__({name: np.asarray(column) for name, column in columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row for each item. It needs pandas."""
        import pandas

        return pandas.DataFrame(self._values)

    def __repr__(self) -> str:
        return f"<Items: {len(self['instr_id'])} rows, columns {', '.join(self)}>"


class ExplainedItem(NamedTuple):
    """Holds what ``explain`` tells of one item and one agent, as data. Arrays of an item without a
    pair of paths are empty."""

    agent: str
    instr_id: str
    scan: str
    instruction: str
    """Its text: of NDH the dialogue, a line for each message; empty if the dataset has none."""
    language: str
    """Of the instruction, e.g. ``en-US``; empty if the dataset names none."""
    status: str
    """A name in ``warpath.statuses``."""
    reference: list[str]
    """Viewpoints; empty for an episode, whose paths are positions."""
    query: list[str]
    """Viewpoints, as they were scored: a convention may collapse repeats."""
    reference_positions: npt.NDArray[np.float64]
    """[viewpoints, 3], metres; empty if the graph has no positions. z is up, of episodes y, but of
    flights z: see ``is_z_up``."""
    query_positions: npt.NDArray[np.float64]
    is_z_up: bool
    """The third coordinate of positions is the height; False: the second."""
    distances: npt.NDArray[np.float64]
    """d(q_j, r_i), [viewpoints of the reference, of the query]; empty beyond 25 million."""
    warping: npt.NDArray[np.int64]
    """The optimal warping: (i, j) from 0, [steps, 2]. The distances at its steps add up to DTW,
    unless the convention asks for another (``dtw_norm``, ``dtw``)."""
    goals: list[str]
    """Viewpoints that the task asks for, where it has a set of them."""
    metrics: dict[str, float]
    """The values of the metrics that were asked for; those without a value are absent."""
    threshold: float
    """d_th, metres (edges under hops)."""

    def _repr_html_(self) -> str:
        language = f" <small>({html.escape(self.language)})</small>" if self.language else ""
        title = html.escape(f"{self.agent}: {self.instr_id}, {self.status}")
        text = html.escape(self.instruction).replace("\n", "<br>")
        heads = "".join(f"<th>{html.escape(metric)}</th>" for metric in self.metrics)
        cells = "".join(f"<td>{value:.4f}</td>" for value in self.metrics.values())
        return (
            f"<p><b>{title}</b></p><blockquote>{text}{language}</blockquote>"
            f"<table><tr>{heads}</tr><tr>{cells}</tr></table>"
        )


class AgentResult:
    """Holds the results of one agent.

    Attributes:
        name: of the agent.
        summary: metric -> ``Estimate`` over all items that the convention scores.
    """

    def __init__(self, evaluation: _core.Evaluation, number: int) -> None:
        self._core = evaluation
        self._number = number
        self._items: Items | None = None
        self.name = evaluation.names()[number]
        self.summary = Summary(evaluation.summary(number))

    @property
    def per_item(self) -> Items:
        """The values of each item, as NumPy columns."""
        if self._items is None:
            self._items = Items(self._core.per_item(self._number))
        return self._items

    @property
    def signature(self) -> str:
        """Where the numbers come from, in one line: preset, settings that differ from it, data and
        graphs (the first digits of their hashes), items, and version. ``warpath check`` says
        whether files give it."""
        return self._core.signature(self._number, False)

    @property
    def short_signature(self) -> str:
        """The same with names of one letter, as it stands below a table."""
        return self._core.signature(self._number, True)

    def by(self, what: str) -> dict[str, Summary]:
        """Returns a summary for each group of items.

        Args:
            what: ``scan``, ``length`` (viewpoints of the reference) or ``language``.

        Raises:
            UsageError: there is no such group.
        """
        return {name: Summary(group) for name, group in self._core.groups(self._number, text("what", what))}

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Returns the means by the names that loggers use (``sr``, ``nav_error``), fractions times
        100, as the command's ``--flat-names`` writes them: for wandb and TensorBoard."""
        prefix = text("prefix", prefix)
        run = json.loads(self._core.json(False, True))["runs"][self._number]
        return {
            prefix + name: float(value)
            for name, value in run.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }

    def __repr__(self) -> str:
        return f"<AgentResult {self.name}: {self.summary!r}>"


class _Texts(Protocol):
    def json(self, run_info: bool, flat_names: bool) -> str: ...
    def csv(self) -> str: ...
    def text(
        self, style: str, width: int, percent: bool, digits: int, intervals: bool
    ) -> tuple[str, str, str]: ...


class Report:
    """Writes results in every form that the command has. ``str`` is what it prints."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def to_json(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        run_info: bool = True,
        flat_names: bool = False,
    ) -> str:
        """Returns the JSON that the command writes, and writes it to a file if one is named.

        Args:
            run_info: whether command line, date, threads and back end are in it. Without them,
                equal inputs give equal bytes.
            flat_names: one flat object per agent, as ``flat``.
        """
        made = self._texts.json(flag("run_info", run_info), flag("flat_names", flat_names))
        return written(made, file)

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the CSV that the command writes.

        Args:
            file: is written, too, whole or not at all; packed if its name ends with ".gz".

        Raises:
            InputError: the file cannot be written.
        """
        return written(self._texts.csv(), file)

    def to_latex(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        percent: bool = False,
        digits: int = 4,
        intervals: bool = True,
    ) -> str:
        """Returns the table for a paper, with booktabs' rules.

        Args:
            percent: fractions times 100.
            digits: decimals of fractions; lengths have one fewer, percentages two.
            intervals: whether each mean has its interval.
        """
        return written(self._table("latex", percent, digits, intervals), file)

    def to_markdown(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        percent: bool = False,
        digits: int = 4,
        intervals: bool = True,
    ) -> str:
        """Returns the table in Markdown; arguments as in ``to_latex``."""
        return written(self._table("markdown", percent, digits, intervals), file)

    def _table(self, style: str, percent: bool, digits: int, intervals: bool) -> str:
        decimals = number("digits", digits, 0, 15)
        options = flag("percent", percent), decimals, flag("intervals", intervals)
        return self._texts.text(style, 0, *options)[1]

    def __str__(self) -> str:
        inputs, tables, notes = self._texts.text("text", 80, False, 4, True)
        return f"{inputs}\n{tables}\n{notes}".rstrip("\n")


class RunGroup(NamedTuple):
    """Holds the results of several runs of one agent."""

    agent: str
    runs: list[AgentResult]
    summary: Summary
    """Over the items of all runs: an item counts once in each. Intervals are over items."""
    deviations: dict[str, float | None]
    """Metric -> standard deviation of the runs' means, by n - 1; None where a run has no mean."""


class Evaluation(Report):
    """Holds the results of all agents. ``str`` is what the command prints.

    Attributes:
        agents: the results of each agent, in the order of the predictions.

    Where there is one agent, its ``summary``, ``per_item``, ``signature``, ``by`` and ``flat`` are
    here, too.
    """

    def __init__(self, evaluation: _core.Evaluation) -> None:
        super().__init__(evaluation)
        self._core = evaluation
        self.agents = [AgentResult(evaluation, k) for k in range(len(evaluation.names()))]

    def to_json(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        run_info: bool = True,
        flat_names: bool = False,
        items: bool = False,
    ) -> str:
        """Returns the JSON that the command writes, and writes it to a file if one is named.

        Args:
            run_info: as in ``Report.to_json``.
            flat_names: as in ``Report.to_json``.
            items: whether the values of all items are in it, as ``warpath compare`` needs them.
        """
        return written(self._core.json(
            flag("run_info", run_info), flag("flat_names", flat_names), flag("items", items)
        ), file)

    def __getitem__(self, name: str) -> AgentResult:
        meant = find_name([agent.name for agent in self.agents], name, "agent")
        return next(agent for agent in self.agents if agent.name == meant)

    def __iter__(self) -> Iterator[AgentResult]:
        return iter(self.agents)

    def __len__(self) -> int:
        return len(self.agents)

    @property
    def run_groups(self) -> list[RunGroup]:
        """The agents that have several runs (``evaluate(runs=True)``)."""
        return [
            RunGroup(agent, [self.agents[r] for r in runs], Summary(summary), deviations)
            for agent, runs, summary, deviations in self._core.run_groups()
        ]

    @property
    def _only(self) -> AgentResult:
        if len(self.agents) == 1:
            return self.agents[0]
        raise UsageError(f"there are {len(self.agents)} agents: say result.agents[0], or [NAME]")

    @property
    def summary(self) -> Summary:
        """Metric -> ``Estimate`` of the only agent."""
        return self._only.summary

    @property
    def per_item(self) -> Items:
        """The values of each item of the only agent, as NumPy columns."""
        return self._only.per_item

    @property
    def signature(self) -> str:
        """The signature of the only agent; see ``AgentResult.signature``."""
        return self._only.signature

    @property
    def short_signature(self) -> str:
        """The short signature of the only agent."""
        return self._only.short_signature

    def by(self, what: str) -> dict[str, Summary]:
        """Returns a summary for each group of the only agent's items; see ``AgentResult.by``."""
        return self._only.by(what)

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Returns all means by the names that loggers use; of several agents after their names."""
        if len(self.agents) == 1:
            return self.agents[0].flat(prefix)
        return {
            name: value
            for agent in self.agents
            for name, value in agent.flat(f"{prefix}{agent.name}/").items()
        }

    def explain(self, instr_id: str, width: int = 80) -> str:
        """Explains the scores of one item for each agent: alignment and every term.

        Raises:
            InputError: no agent has such an item, or a file is no longer there.
        """
        return self._core.explain(text("instr_id", instr_id), number("width", width, 0, 10**6))

    def explain_items(self, instr_ids: str | Iterable[str]) -> list[ExplainedItem]:
        """Returns what ``explain`` tells, as data: for each agent, in order, its items of these
        ids. One call for many ids is much faster than a call for each.

        Raises:
            InputError: no agent has one of these items, or a file is no longer there.
        """
        import numpy as np

        ids = texts("instr_ids", instr_ids)
        threshold = json.loads(self._core.json(False, False))["convention"]["threshold"]
        items = []
        for fields in self._core.explain_items(ids):
            fields["agent"] = self.agents[fields.pop("run")].name
            fields["warping"] = np.array(fields["warping"], np.int64).reshape(-1, 2)
            items.append(ExplainedItem(**fields, threshold=float(threshold)))
        return items

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the values of all agents' items, with a column ``run``. It needs pandas."""
        import pandas

        frames = [agent.per_item.to_pandas() for agent in self.agents]
        for frame, agent in zip(frames, self.agents):
            frame.insert(0, "run", agent.name)
        return pandas.concat(frames, ignore_index=True)

    def to_parquet(self, file: str | os.PathLike[str]) -> None:
        """Writes the values of all agents' items. It needs pandas and pyarrow (or fastparquet)."""
        self.to_pandas().to_parquet(file, index=False)

    def __repr__(self) -> str:
        return f"<Evaluation of {', '.join(agent.name for agent in self.agents)}>"

    def _repr_html_(self) -> str:
        metrics = list(self.agents[0].summary)
        head = "".join(f"<th>{html.escape(text)}</th>" for text in ["", *metrics])
        rows = "".join(f"<tr>{_cells(agent, metrics)}</tr>" for agent in self.agents)
        return f"<table><tr>{head}</tr>{rows}</table>"


def _cells(agent: AgentResult, metrics: list[str]) -> str:
    cells = [f"<th>{html.escape(agent.name)}</th>"]
    for metric in metrics:
        estimate = agent.summary[metric]
        text = "" if estimate.mean is None else f"{estimate.mean:.4f}"
        if estimate.ci95:
            text += "<br><small>{:.4f} … {:.4f}</small>".format(*estimate.ci95)
        cells.append(f"<td>{text}</td>")
    return "".join(cells)

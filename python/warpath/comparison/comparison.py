"""A comparison of agents, in every form that it can be written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from ..files import written
from .inputs import Agent
from .layout import Layout, Style
from .paired import BOOTSTRAP_DRAWS
from .pairs import Difference, Options, Pair

if TYPE_CHECKING:
    import pandas

__all__ = ["Comparison"]


class Comparison:
    """Holds the differences of agents. ``str`` is what the command prints.

    Attributes:
        pairs: the agents that were compared, two by two.
        tests: number of p-values that Holm's method corrects.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        pairs: Sequence[Pair],
        tests: int,
        options: Options,
        allowed: frozenset[str],
    ) -> None:
        self._agents = list(agents)
        self._options = options
        self._allowed = sorted(allowed)
        self.pairs = list(pairs)
        self.tests = tests

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def to_json(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns everything as JSON, and writes it to a file if one is named. Equal inputs give
        equal bytes."""
        text = json.dumps(self._described(), ensure_ascii=False, indent=2, allow_nan=False)
        return written(text + "\n", file)

    def to_markdown(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        percent: bool = False,
        digits: int = 4,
        intervals: bool = True,
    ) -> str:
        """Returns the tables of metrics and groups in Markdown; arguments as in ``to_latex``."""
        style = Style("markdown", 0, False, percent, digits, intervals, items=False)
        return written(self.tables(style), file)

    def to_latex(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        percent: bool = False,
        digits: int = 4,
        intervals: bool = True,
    ) -> str:
        """Returns the tables of metrics and groups in LaTeX, with booktabs' rules.

        Args:
            percent, digits, intervals: as in ``Report.to_latex``.
        """
        style = Style("latex", 0, False, percent, digits, intervals, items=False)
        return written(self.tables(style), file)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row for each pair and metric. It needs pandas."""
        import pandas

        rows = [
            {"first": pair.first, "second": pair.second, **_flat(found)}
            for pair in self.pairs
            for found in pair.metrics.values()
        ]
        return pandas.DataFrame(rows)

    def tables(self, style: Style) -> str:
        """Returns all tables, laid out."""
        return Layout(self.pairs, self._options, style).tables()

    def inputs(self) -> str:
        """Returns lines that name the agents and what they were scored on."""
        first = self._agents[0].results
        lines = [
            f"{source.path}: {source.description}"
            for source in (first.graphs, first.dataset, first.objects)
            if source and source.path
        ]
        for agent in self._agents:
            files = [f for f in (agent.results.file, agent.run.file) if f]
            lines.append(f"{agent.name}: {', '.join(dict.fromkeys(files)) or 'in memory'}")
        return "".join(_core.clean_text(line) + "\n" for line in lines)

    def notes(self) -> str:
        """Returns lines that say what numbers mean, and what is left out."""
        lines = [self._convention(), *self._method()]
        lines += [f"allowed: {name}" for name in self._allowed]
        for pair in self.pairs:
            where = f"{pair.second} − {pair.first}: " if len(self.pairs) > 1 else ""
            lines += [where + note for note in (*_counts(pair), *pair.notes)]
        return "".join(_core.clean_text(line) + "\n" for line in lines)

    def _convention(self) -> str:
        first = self._agents[0].results
        others = [a for a in self._agents if a.results.convention != first.convention]
        if others:
            presets = ", ".join(f"{a.name} {a.results.preset}" for a in self._agents)
            return f"conventions differ; presets: {presets}"
        return f"preset {first.preset}{_settings(first.preset, first.convention)}"

    def _method(self) -> list[str]:
        interval = self._options.interval
        items = self._agents[0].run.items
        has_tours = items is not None and items.has_tours
        shared = "of one tour" if has_tours else "that share a reference path"
        resampled = "tours" if has_tours else "reference paths"
        clusters = {
            "path": f"by clusters of items {shared}",
            "scan": "by clusters of items of one scan",
            "none": "every item taken for independent",
            "bootstrap": f"by bootstrap of {resampled} ({BOOTSTRAP_DRAWS:,} draws)",
        }[interval]
        unit = {"scan": "scans", "none": "items"}.get(interval, "tours" if has_tours else "paths")
        ways = f"{self._options.permutations:,}"
        return [
            f"± 95 % interval of the difference, {clusters}",
            f"p: two-sided, signs of the differences of whole {unit} flipped in {ways} random "
            "ways, or all ways where these are fewer",
            f"p (Holm): corrected for all {self.tests} p-values; * below 0.05",
            "won/tied/lost: items on which the second agent is better, equal, worse; of a metric "
            "without a direction larger, equal, smaller, in parentheses",
        ]

    def __str__(self) -> str:
        return f"{self.inputs()}\n{self.tables(Style())}\n{self.notes()}".rstrip("\n")

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(agent.name for agent in self._agents)}>"

    def _repr_html_(self) -> str:
        return Layout(self.pairs, self._options, Style()).html()

    def _described(self) -> dict[str, Any]:
        options = self._options
        first = self._agents[0].results
        return {
            "comparison": _core.version,
            "agents": [_agent(agent) for agent in self._agents],
            "preset": first.preset,
            "convention": dict(first.convention),
            "interval": {"level": 0.95, "ci": options.interval},
            "test": {
                "method": "sign flips of clusters",
                "alternative": "two-sided",
                "permutations": options.permutations,
                "seed": options.seed,
            },
            "correction": {"method": "Holm", "tests": self.tests},
            "allowed": self._allowed,
            "pairs": [_pair(pair, options) for pair in self.pairs],
        }


def _settings(preset: str, convention: Any) -> str:
    from ..tables import presets

    if preset not in presets:
        return ""
    usual = presets[preset].settings
    return "".join(
        f" with {key}={value}"
        for key, value in convention.items()
        if key in usual and not _is_same(usual[key], value)
    )


def _is_same(text: str, value: str | float) -> bool:
    return text == value if isinstance(value, str) else float(text) == value


def _counts(pair: Pair) -> list[str]:
    counts = [
        (pair.only_first, f"only {pair.first} has a value for"),
        (pair.only_second, f"only {pair.second} has a value for"),
        (pair.without_value, "neither has a value for"),
    ]
    return [
        f"{count} {'item' if count == 1 else 'items'} that {what}: left out"
        for count, what in counts
        if count
    ]


def _agent(agent: Agent) -> dict[str, Any]:
    results = agent.results
    return {
        "name": agent.name,
        "results": results.file,
        "file": agent.run.file,
        "hash": agent.run.hash,
        **({"reference": agent.run.reference} if agent.run.reference else {}),
        "dataset": {"file": results.dataset.path, "hash": results.dataset.hash},
        "graphs": {"path": results.graphs.path, "hash": results.graphs.hash},
        "warpath": results.version,
        "precision": results.precision,
        "items": agent.run.count,
        "status": dict(agent.run.statuses),
    }


def _pair(pair: Pair, options: Options) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "items": pair.common,
        "compared": pair.compared,
        "only_first": pair.only_first,
        "only_second": pair.only_second,
        "without_value": pair.without_value,
        "metrics": {metric: _flat(found) for metric, found in pair.metrics.items()},
        "groups": [
            {
                options.by: group.name,
                "items": group.items,
                "metrics": {metric: _flat(found) for metric, found in group.metrics.items()},
            }
            for group in pair.groups
        ],
        "items_that_differ_most": [
            {
                "instr_id": item.instr_id,
                "scan": item.scan,
                "metric": options.rank,
                "first": item.value_first,
                "second": item.value_second,
                "difference": item.difference,
            }
            for item in pair.items
        ],
        "notes": list(pair.notes),
    }


def _flat(found: Difference) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "mean_first": found.mean_first,
        "mean_second": found.mean_second,
        "difference": found.difference,
        "ci95": list(found.ci95) if found.ci95 else None,
        "p": found.p,
        "p_holm": found.p_holm,
        "wins": found.wins,
        "losses": found.losses,
        "larger": found.larger,
        "equal": found.equal,
        "smaller": found.smaller,
        "n": found.n,
        "of": found.of,
        "clusters": found.clusters,
        "unit": found.unit,
    }

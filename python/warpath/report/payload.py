"""The data of a report as JSON: what the page shows at once, and what it unpacks then."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from ..arguments import setting_texts
from ..graphs import Graphs
from ..result_files import Results
from ..tables import Metric
from ..tables import metrics as metric_table
from ..tables import statuses as status_table
from .drawings import Drawings
from .ranking import Chosen, choose, rank_metric
from .runs import Agent, Agents, Items, Scored

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["build"]

_values_of_all_items = 3_000_000
"""Above this many numbers the table of items has the headline metrics alone."""
_characters_of_all_items = 20_000_000
"""Above this many characters only items with paths have their instructions."""
_digits = {"fraction": 4, "length": 3, "angle": 4, "count": 0}


def build(
    sources: Sequence[Scored],
    graphs: Graphs | None,
    *,
    title: str = "",
    rank: str = "",
    details: int = 3000,
    run_info: bool = True,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what the page shows at once, and the items.

    Args:
        sources: results of the same items.
        graphs: buildings to draw; None draws nothing of them but the viewpoints that paths visit.
        title: of the page; empty for the dataset's name.
        rank: metric that says which items are worst and most disputed; empty for a default.
        details: most items with paths; 0 for all.
        run_info: whether command lines are in it.
    """
    agents = Agents(sources)
    items = Items(agents)
    rows = agents.rows
    metrics = list(rows)
    rank = rank_metric(rank, rows)
    chosen = Chosen([], "")
    if any(source.evaluation for source in sources):
        chosen = choose(items.values(rank), rows[rank], details)
    in_table = _table_metrics(rows, rank, len(agents) * len(items))
    data = _item_data(items, [rows[metric] for metric in in_table])
    data["detailed"] = chosen.items
    data["terms"] = {
        metric: [_whole(row[chosen.items], rows[metric]) for row in items.values(metric)]
        for metric in metrics
        if metric not in in_table
    }
    texts = _instructions(sources, items)
    has_all_texts = sum(map(len, texts)) <= _characters_of_all_items
    if not has_all_texts:
        kept = set(chosen.items)
        texts = [text if item in kept else "" for item, text in enumerate(texts)]
    data["instructions"], data["instruction"] = _numbered(texts)
    data["drawings"] = Drawings(sources, items, chosen.items, graphs).to_json()
    meta = _meta(sources, agents, rows)
    meta["title"] = title or re.split(r"[/\\]", sources[0].results.dataset.path)[-1]
    meta["rank"] = rank
    meta["items"] = len(items)
    meta["command_lines"] = [s.results.command_line for s in sources] if run_info else []
    meta["limits"] = [
        *(f"Paths and alignment are not in this file: {s.lack}" for s in sources if s.lack),
        *_limits(len(items), chosen, [m for m in metrics if m not in in_table], has_all_texts),
    ]
    return meta, data


def _table_metrics(rows: Mapping[str, Metric], rank: str, cells: int) -> list[str]:
    if cells * len(rows) <= _values_of_all_items:
        return list(rows)
    return [m for m, row in rows.items() if m == rank or row.headline]


def _instructions(sources: Sequence[Scored], items: Items) -> list[str]:
    """Returns the instruction of each item, empty where nothing that was read has it."""
    texts: dict[str, str] = {}
    for source in sources:
        if source.evaluation is not None and not texts:
            texts = source.evaluation._core.instructions()
    return [texts.get(name, "") for name, _ in items.keys]


def _limits(
    items: int, chosen: Chosen, left_out: list[str], has_all_texts: bool
) -> list[str]:
    """Says in sentences what was left out."""
    lines = []
    if chosen.rule:
        lines.append(
            f"Paths, terms and alignment are in this file for {len(chosen.items):,} of {items:,} "
            f"items: {chosen.rule}. “warpath report --details 0” takes all of them."
        )
    if left_out:
        names = ", ".join(left_out)
        lines.append(f"The table of items is without {names}, to keep the file small.")
    if not has_all_texts:
        lines.append("Only items with paths have their instructions, to keep the file small.")
    return lines


def _item_data(items: Items, metrics: Sequence[Metric]) -> dict[str, Any]:
    statuses = list(status_table)
    number = {name: k for k, name in enumerate(statuses)} | {"": -1}
    occurrences = [k for _, k in items.keys]
    data: dict[str, Any] = {
        "ids": [name for name, _ in items.keys],
        "occurrence": occurrences if any(occurrences) else None,
        "statuses": statuses,
        "status": [[number[status] for status in column] for column in items.statuses()],
        "length": items.lengths(),
        "values": {m.name: [_whole(row, m) for row in items.values(m.name)] for m in metrics},
    }
    data["scans"], data["scan"] = _numbered(items.scans())
    data["languages"], data["language"] = _numbered(items.languages())
    return data


def _numbered(texts: list[str]) -> tuple[list[str], list[int]]:
    names = sorted(set(texts))
    number = {name: k for k, name in enumerate(names)}
    return names, [number[text] for text in texts]


def _whole(values: npt.NDArray[np.float64], metric: Metric) -> list[int | None]:
    """Returns values times a power of ten as integers, None for NaN and what is too large."""
    import numpy as np

    with np.errstate(over="ignore"):
        scaled = np.rint(values * 10 ** _digits_of(metric))
    return [int(value) if math.isfinite(value) else None for value in scaled.tolist()]


def _digits_of(metric: Metric) -> int:
    """Returns the decimals of a metric's values. An own one without a unit may be any number."""
    return 4 if metric.unit == "count" and metric.name not in metric_table else _digits[metric.unit]


def _meta(
    sources: Sequence[Scored], agents: Agents, rows: Mapping[str, Metric]
) -> dict[str, Any]:
    first = sources[0].results
    return {
        "warpath": first.version,
        "agents": [_agent(agent, list(rows)) for agent in agents],
        "metrics": [_metric(row, row.name in agents[0].run.own, first) for row in rows.values()],
        "preset": first.preset,
        "convention": first.convention,
        "precision": first.precision,
        "inputs": _inputs(first),
        "notes": _notes(sources),
        "remedies": {name: [row.problem, row.remedy] for name, row in status_table.items()},
    }


def _metric(row: Metric, is_own: bool, results: Results) -> dict[str, Any]:
    settings = {key.replace("-", "_"): value for key, value in results.convention.items()}
    formula = ""
    if not is_own:
        formula = _core.formula(row.name, results.preset, setting_texts(settings))
    is_hops = results.convention.get("distance") == "hops"
    units = {"length": "edges" if is_hops else "m", "angle": "turns"}
    return {
        "name": row.name,
        "title": row.title,
        "unit": units.get(row.unit, ""),
        "digits": _digits_of(row),
        "is_fraction": row.unit == "fraction",
        "better": row.better,
        "formula": formula,
        "source": row.source,
        "headline": row.headline,
    }


def _agent(agent: Agent, metrics: list[str]) -> dict[str, Any]:
    def estimate(metric: str) -> list[Any]:
        e = agent.run.summary[metric]
        return [e.mean, *(e.ci95 or (None, None)), e.n, e.of, e.clusters]

    return {
        "name": agent.name,
        "file": agent.run.file,
        "hash": agent.run.hash,
        "statuses": dict(agent.run.statuses),
        "summary": [estimate(metric) for metric in metrics],
    }


def _inputs(results: Results) -> list[list[str]]:
    """Returns what it is, path, description and hash of each input but the predictions."""
    rows = [("Dataset", results.dataset), ("Graphs", results.graphs), ("Objects", results.objects)]
    return [
        [what, source.path, source.description, source.hash] for what, source in rows if source
    ]


def _notes(sources: Sequence[Scored]) -> list[str]:
    """Returns the notes below the command's table, each once: convention, intervals, problems with
    their remedies."""
    lines: dict[str, None] = {}
    for results, evaluation, _ in sources:
        if evaluation is None:
            intervals = f"95 % intervals clustered by {results.interval}"
            notes = [f"preset {results.preset}", intervals, f"{results.precision} precision"]
        else:
            notes = evaluation._core.text("text", 10_000, False, 4, True)[2].splitlines()
        lines.update(dict.fromkeys(line for line in notes if line.strip()))
    return [line.replace("+ or − alone:", "An interval that ends at its mean:") for line in lines]

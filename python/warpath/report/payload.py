"""The data of a report as JSON: what the page shows at once, and what it unpacks then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..graphs import Graphs
from ..tables import metrics as metric_table
from ..tables import statuses as status_table
from .drawings import Drawings
from .ranking import choose, rank_metric
from .runs import Items, Runs

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["build"]

_values_of_all_items = 3_000_000
"""Above this many numbers the table of items has the headline metrics alone."""
_digits = {"fraction": 4, "length": 3, "angle": 4, "count": 0}


def build(
    runs: Runs, graphs: Graphs | None, *, title: str, rank: str, details: int, run_info: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what the page shows at once, and the items.

    Args:
        graphs: buildings to draw.
        title: of the page; empty for the dataset's name.
        rank: metric that says which items are worst and most disputed; empty for a default.
        details: most items with paths; 0 for all.
        run_info: whether dates and command lines are in it.
    """
    items = Items(runs)
    metrics = runs.metrics
    rank = rank_metric(rank, metrics)
    chosen = choose(items.values(rank), rank, details)
    in_table = _table_metrics(metrics, rank, len(runs.agents) * len(items))
    drawings = Drawings(runs, items, chosen.items, graphs)
    data = _item_data(runs, items, in_table)
    data["detailed"] = chosen.items
    data["terms"] = {
        metric: [_whole(row[chosen.items], metric) for row in items.values(metric)]
        for metric in metrics
        if metric not in in_table
    }
    data["drawings"] = drawings.to_json()
    meta = _meta(runs, metrics, title, run_info)
    meta["rank"] = rank
    meta["table_metrics"] = in_table
    meta["items"] = len(items)
    meta["limits"] = _limits(len(items), len(chosen.items), chosen.rule, metrics, in_table)
    return meta, data


def _table_metrics(metrics: list[str], rank: str, cells: int) -> list[str]:
    if cells * len(metrics) <= _values_of_all_items:
        return metrics
    return [m for m in metrics if m == rank or metric_table[m].headline]


def _limits(
    items: int, detailed: int, rule: str, metrics: list[str], in_table: list[str]
) -> list[str]:
    """Says in sentences what was left out."""
    lines = []
    if rule:
        lines.append(
            f"Paths, terms and alignment are in this file for {detailed:,} of {items:,} items: "
            f"{rule}. “warpath report --details 0” takes all of them."
        )
    if len(in_table) < len(metrics):
        left_out = ", ".join(m for m in metrics if m not in in_table)
        lines.append(f"The table of items is without {left_out}, to keep the file small.")
    return lines


def _item_data(runs: Runs, items: Items, metrics: Sequence[str]) -> dict[str, Any]:
    scans, languages = items.common_texts("scan"), items.common_texts("language")
    statuses = list(status_table)
    number = {name: k for k, name in enumerate(statuses)} | {"": -1}
    data: dict[str, Any] = {
        "ids": [name for name, _ in items.keys],
        "occurrence": [k for _, k in items.keys] if any(k for _, k in items.keys) else None,
        "statuses": statuses,
        "status": [[number[s] for s in column] for column in items.texts("status")],
        "length": _lengths(items, runs.metrics),
        "values": {m: [_whole(row, m) for row in items.values(m)] for m in metrics},
    }
    data["scans"], data["scan"] = _numbered(scans)
    data["languages"], data["language"] = _numbered(languages)
    return data


def _lengths(items: Items, metrics: Sequence[str]) -> list[int]:
    """Returns the viewpoints of each item's reference, 0 where no agent has a value."""
    import numpy as np

    if "n_ref" not in metrics:
        return [0] * len(items)
    counts = np.nan_to_num(items.values("n_ref")).max(axis=0)
    return [int(count) for count in counts]


def _numbered(texts: list[str]) -> tuple[list[str], list[int]]:
    names = sorted(set(texts))
    number = {name: k for k, name in enumerate(names)}
    return names, [number[text] for text in texts]


def _whole(values: npt.NDArray[np.float64], metric: str) -> list[int | None]:
    """Returns values times a power of ten as integers, None for NaN."""
    import numpy as np

    scaled = np.rint(values * 10 ** _digits[metric_table[metric].unit])
    return [None if value != value else int(value) for value in scaled.tolist()]


def _meta(runs: Runs, metrics: list[str], title: str, run_info: bool) -> dict[str, Any]:
    first = runs.first
    dataset = first["dataset"]
    hops = first["convention"]["distance"] == "hops"
    return {
        "title": title or str(dataset["file"]).replace("\\", "/").rsplit("/", 1)[-1],
        "warpath": first["warpath"],
        "agents": [_agent(run, metrics) for run in runs.agents],
        "metrics": [_metric(name, run_unit(name, hops)) for name in metrics],
        "preset": first["preset"],
        "convention": first["convention"],
        "interval": [described["interval"] for described in runs.described][0],
        "precision": first["precision"],
        "inputs": _inputs(first),
        "notes": _notes(runs),
        "remedies": {name: [row.problem, row.remedy] for name, row in status_table.items()},
        "run_info": [d.get("run_info") for d in runs.described] if run_info else [],
    }


def run_unit(metric: str, hops: bool) -> str:
    unit = metric_table[metric].unit
    if unit == "length":
        return "edges" if hops else "m"
    return "turns" if unit == "angle" else ""


def _metric(name: str, unit: str) -> dict[str, Any]:
    row = metric_table[name]
    return {
        "name": name,
        "title": row.title,
        "unit": unit,
        "digits": _digits[row.unit],
        "is_fraction": row.unit == "fraction",
        "better": row.better,
        "formula": row.formula,
        "source": row.source,
        "headline": row.headline,
    }


def _agent(run: Any, metrics: list[str]) -> dict[str, Any]:
    def estimate(metric: str) -> list[Any]:
        e = run.result.summary[metric]
        return [e.mean, *(e.ci95 or (None, None)), e.n, e.of, e.clusters]

    described = run.described
    return {
        "name": run.name,
        "file": described["file"],
        "hash": described["hash"],
        "format": described["format_description"],
        "statuses": {k: v for k, v in run.result.summary.statuses.items() if v},
        "summary": [estimate(metric) for metric in metrics],
    }


def _inputs(first: dict[str, Any]) -> list[list[str]]:
    """Returns what, file, description and hash of each input but the predictions."""
    rows = [["Dataset", first["dataset"], "file"], ["Graphs", first["graphs"], "path"]]
    if "objects" in first:
        rows.append(["Objects", first["objects"], "path"])
    return [
        [what, part[key], part.get("format_description", ""), part["hash"]]
        for what, part, key in rows
    ]


def _notes(runs: Runs) -> list[str]:
    """Returns the notes below the command's table, each once: convention, intervals, problems with
    their remedies."""
    lines: dict[str, None] = {}
    for evaluation in runs.evaluations:
        notes = evaluation._core.text("text", 10_000, False, 4, True)[2]
        lines.update(dict.fromkeys(line for line in notes.splitlines() if line.strip()))
    return [line.replace("+ or − alone:", "An interval that ends at its mean:") for line in lines]

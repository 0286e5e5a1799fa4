"""Result files: the JSON that ``warpath eval --json FILE --items`` writes, as typed objects."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _core
from .arguments import setting_texts
from .errors import InputError, UsageError, Where
from .files import read_bytes
from .results import Estimate, Evaluation
from .tables import Metric
from .tables import metrics as metric_table
from .tables import statuses as status_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ItemTable",
    "Results",
    "Run",
    "Source",
    "is_result_file",
    "read_results",
    "results_of",
]

_T = TypeVar("_T")
_remedy = "write it with: warpath eval … --json FILE --items"
_kinds = {
    **{"fraction": "fraction", "count": "count"},
    **{"m": "length", "edges": "length", "turns": "angle"},
}


@dataclasses.dataclass(frozen=True)
class Source:
    """Describes a file or folder that scores depend on."""

    path: str
    hash: str
    description: str


@dataclasses.dataclass(frozen=True, eq=False)
class ItemTable:
    """Holds the values of one agent's items: columns of equal length, in the dataset's order;
    behind them are predictions that no item asks for."""

    instr_id: Sequence[str]
    scan: Sequence[str]
    language: Sequence[str]
    """Empty texts if the dataset has no languages."""
    path: npt.NDArray[np.int64]
    """Number of the reference path, equal for items that share one; -1 outside the dataset. Where
    there are tours, episodes of one have one number."""
    length: npt.NDArray[np.int64]
    """Viewpoints of the reference; 0 outside the dataset."""
    status: Sequence[str]
    scored: npt.NDArray[np.bool_]
    """Whether the convention scores the item."""
    values: Mapping[str, npt.NDArray[np.float64]]
    """Metric -> what each item counts in the mean. NaN is "no value": the item is left out. A
    failure that counts 0 is 0 here; its status says so."""
    has_tours: bool = False
    """Whether items are episodes of tours."""

    def __len__(self) -> int:
        return len(self.instr_id)


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """Holds the results of one agent."""

    name: str
    file: str
    """The file of predictions."""
    hash: str
    reference: str
    """Of NDH with all references: ``player``, ``planner`` or ``trusted``; else empty."""
    count: int
    """Items that the convention scores."""
    statuses: Mapping[str, int]
    summary: Mapping[str, Estimate]
    units: Mapping[str, str]
    """Metric -> ``fraction``, ``m``, ``edges``, ``count``, ``turns`` or ``ratio``."""
    items: ItemTable | None
    """None if the file was written without ``--items``."""
    own: Mapping[str, Metric] = dataclasses.field(default_factory=dict)
    """What describes the metrics that are the caller's own (``evaluate(own_metrics=…)``)."""

    def metric(self, name: str) -> Metric:
        """Returns what describes a metric of the summary."""
        return self.own[name] if name in self.own else metric_table[name]

    def require_items(self, file: str) -> ItemTable:
        """Returns the items.

        Raises:
            InputError: the file has none.
        """
        if self.items is None:
            raise InputError.at(Where(file, self.name), "has no values of items", _remedy)
        return self.items


@dataclasses.dataclass(frozen=True, eq=False)
class Results:
    """Holds what a result file has."""

    file: str
    version: str
    dataset: Source
    graphs: Source
    objects: Source | None
    preset: str
    convention: Mapping[str, str | float]
    """Setting -> value, spelled as the command does: ``spl-length``."""
    precision: str
    """``double`` or ``single``."""
    interval: str
    """What the intervals cluster: ``path``, ``scan``, ``none`` or ``bootstrap``."""
    runs: Sequence[Run]
    metrics: Sequence[str]
    """In the order of reports."""
    command_line: Sequence[str]
    """Of the run that wrote the file; empty under ``--no-run-info``."""


def is_result_file(file: str | os.PathLike[str]) -> bool:
    """Tells from its beginning whether a file is what ``--json`` writes; no other file is.

    Raises:
        InputError: the file cannot be read.
    """
    return re.match(rb'\s*\{\s*"warpath"\s*:', read_bytes(file, 200)) is not None


def read_results(file: str | os.PathLike[str]) -> Results:
    """Reads what ``warpath eval --json FILE --items`` wrote; ``.gz`` is fine, "-" is stdin.

    Raises:
        InputError: the file cannot be read, is no such file, or its columns do not fit.
    """
    name = os.fspath(file)
    text = read_bytes(file)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = f"is no JSON of results ({error})"
        raise InputError.at(Where(name), problem, _remedy) from None
    return _results(found, name)


def results_of(evaluation: Evaluation, name: str = "") -> Results:
    """Returns the results of ``warpath.evaluate`` in the form that files have.

    Args:
        name: what messages call them in place of a file.
    """
    return _results(json.loads(evaluation.to_json(items=True)), name)


class _Object:
    """Takes values of expected types out of a JSON object; others are an ``InputError``."""

    def __init__(self, found: Any, where: Where) -> None:
        if not isinstance(found, dict):
            raise InputError.at(where, "is no object", _remedy)
        self._found = found
        self.where = where

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def get(self, key: str, kind: type[_T] | tuple[type[_T], ...], default: _T | None = None) -> _T:
        value = self._found.get(key, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            problem = "is missing" if value is None else f"is {_kind(value)}"
            raise InputError.at(self.where._replace(field=key), problem, _remedy)
        return value

    def has_value(self, key: str) -> bool:
        return self._found.get(key) is not None

    def fault(self, key: str, problem: str) -> InputError:
        where = self.where
        place = f"{where.field}: {key}" if where.field else key
        return InputError.at(where._replace(field=place), problem, _remedy)

    def count(self, key: str) -> int:
        value = self.get(key, int)
        if value < 0:
            raise self.fault(key, "is negative")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        return self.get(key, str, default)

    def object(self, key: str) -> _Object:
        return _Object(self.get(key, dict), self.where._replace(field=key))

    def array(self, key: str) -> list[Any]:
        found: list[Any] = self.get(key, list)
        return found

    def objects(self, key: str) -> list[_Object]:
        return [_Object(found, self.where._replace(field=key)) for found in self.array(key)]

    def items(self) -> list[tuple[str, Any]]:
        return list(self._found.items())


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "a text", bool: "true or false"}.get(
        type(value), "a number"
    )


def _is_number(value: object, kind: type[int] | tuple[type[int], type[float]]) -> bool:
    """Tells whether a value is a number of a kind that float64 holds; Python's JSON reads NaN and
    integers of any length."""
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _results(found: Any, file: str) -> Results:
    whole = _Object(found, Where(file))
    if "runs" not in whole or "convention" not in whole:
        raise InputError.at(Where(file), "holds no results of eval", _remedy)
    precision = whole.text("precision")
    runs = [_run(run, file, precision) for run in whole.objects("runs")]
    if not runs:
        raise InputError.at(Where(file, field="runs"), "is empty", _remedy)
    interval = whole.object("interval")
    info = whole.object("run_info") if "run_info" in whole else None
    return Results(
        file=file,
        version=whole.text("warpath"),
        dataset=_source(whole.object("dataset"), "file"),
        graphs=_source(whole.object("graphs"), "path"),
        objects=_source(whole.object("objects"), "path") if "objects" in whole else None,
        preset=whole.text("preset"),
        convention=_convention(whole.object("convention"), whole.text("preset")),
        precision=precision,
        interval=interval.text("ci"),
        runs=runs,
        metrics=list(runs[0].summary),
        command_line=[str(word) for word in info.array("command_line")] if info else [],
    )


def _convention(found: _Object, preset: str) -> dict[str, str | float]:
    for setting, value in found.items():
        if not isinstance(value, str) and not _is_number(value, (int, float)):
            raise found.fault(setting, "is neither a text nor a number")
    settings = {name.replace("-", "_"): value for name, value in found.items()}
    try:
        _core.formula("SR", preset, setting_texts(settings))
    except UsageError as error:
        raise InputError.at(found.where, f"is no convention ({error})", _remedy) from None
    return dict(found.items())


def _source(found: _Object, path_key: str) -> Source:
    return Source(
        found.text(path_key, ""), found.text("hash", ""), found.text("format_description", "")
    )


def _run(found: _Object, file: str, precision: str) -> Run:
    name = found.text("name")
    found.where = Where(file, name)
    if "metrics" not in found:
        raise InputError.at(found.where, "has no metrics", "write it without --flat-names")
    metrics = found.object("metrics")
    for metric, _ in metrics.items():
        if metric not in set(metric_table):
            raise metrics.fault(metric, "is no metric")
    if not metrics.items():
        raise found.fault("metrics", "is empty")
    found_of = {metric: _Object(e, metrics.where) for metric, e in metrics.items()}
    summary = {metric: _estimate(estimate, metric) for metric, estimate in found_of.items()}
    own = _own(found.object("own_metrics")) if "own_metrics" in found else {}
    for metric, (_, estimate) in own.items():
        found_of[metric] = estimate
        summary[metric] = _estimate(estimate, metric)
    items = _items(found.object("per_item"), list(summary), own) if "per_item" in found else None
    run = Run(
        name=name,
        file=found.text("file", ""),
        hash=found.text("hash", ""),
        reference=found.text("reference", ""),
        count=found.count("items"),
        statuses=_statuses(found.object("status")),
        summary=summary,
        units={metric: estimate.text("unit") for metric, estimate in found_of.items()},
        items=items,
        own={metric: row for metric, (row, _) in own.items()},
    )
    if items is not None:
        _require_means(run, items, file, 1e-9 if precision == "double" else 1e-5)
    return run


def _own(found: _Object) -> dict[str, tuple[Metric, _Object]]:
    """Returns the metrics that are the caller's own, each with its estimate."""
    known = {name.lower() for name in metric_table}
    own = {}
    for name, estimate in found.items():
        if name.lower() in known:
            raise found.fault(name, "is no name of an own metric, but of another")
        fields = _Object(estimate, found.where._replace(field=f"own_metrics: {name}"))
        unit, better = fields.text("unit"), fields.text("better")
        if unit not in _kinds:
            raise fields.fault("unit", f"is '{unit[:40]}', which is no unit")
        if better not in ("higher", "lower", "neither"):
            raise fields.fault("better", "is neither higher, lower nor neither")
        row = Metric(
            name, "metric of the caller", _kinds[unit], better, "a function", True, "", False
        )
        own[name] = row, fields
    return own


def _statuses(found: _Object) -> dict[str, int]:
    for status, _ in found.items():
        if status not in set(status_table):
            raise found.fault(status, "is no status")
    return {status: found.count(status) for status, _ in found.items()}


def _estimate(found: _Object, metric: str) -> Estimate:
    found.where = found.where._replace(field=metric)
    return Estimate(
        _mean(found),
        _interval(found),
        found.count("n"),
        found.count("of"),
        found.count("clusters"),
    )


def _mean(found: _Object) -> float | None:
    mean = found.get("mean", object) if found.has_value("mean") else None
    if mean is not None and not _is_number(mean, (int, float)):
        raise found.fault("mean", "is no finite number")
    return None if mean is None else float(cast("float", mean))


def _interval(found: _Object) -> tuple[float, float] | None:
    if not found.has_value("ci95"):
        return None
    bounds = found.array("ci95")
    if len(bounds) != 2 or not all(_is_number(bound, (int, float)) for bound in bounds):
        raise found.fault("ci95", "is not two finite numbers")
    return float(bounds[0]), float(bounds[1])


def _items(found: _Object, metrics: list[str], own: Collection[str]) -> ItemTable:
    import numpy as np

    ids = found.array("instr_id")

    def column(source: _Object, key: str) -> list[Any]:
        cells = source.array(key)
        if len(cells) != len(ids):
            raise source.fault(key, f"has {len(cells)} values for {len(ids)} items")
        return cells

    def numbers(source: _Object, key: str, gap: float) -> npt.NDArray[np.float64]:
        cells = [gap if cell is None else cell for cell in column(source, key)]
        if not all(cell is gap or _is_number(cell, (int, float)) for cell in cells):
            raise source.fault(key, "is not a column of numbers")
        return np.array(cells, np.float64)

    def integers(key: str, gap: int) -> npt.NDArray[np.int64]:
        cells = [gap if cell is None else cell for cell in column(found, key)]
        if not all(_is_number(cell, int) and -1 <= cell < 2**53 for cell in cells):
            raise found.fault(key, "is not a column of whole numbers")
        return np.array(cells, np.int64)

    def flags(key: str) -> npt.NDArray[np.bool_]:
        cells = column(found, key)
        if not all(isinstance(cell, bool) for cell in cells):
            raise found.fault(key, "is not a column of true and false")
        return np.array(cells, bool)

    def texts(key: str) -> list[str]:
        cells = column(found, key)
        if not all(isinstance(cell, str) for cell in cells):
            raise found.fault(key, "is not a column of texts")
        return cells

    statuses = texts("status")
    for status in sorted(set(statuses) - set(status_table)):
        raise found.fault("status", f"has '{status[:40]}', which is no status")
    values = found.object("values")
    own_values = found.object("own_values") if own else values
    path = integers("path", -1)
    has_tours = "tour" in found
    if has_tours and len(path):
        tour = integers("tour", -1)
        path = np.where(tour >= 0, tour, np.where(path >= 0, path + tour.max() + 1, path))
    return ItemTable(
        instr_id=texts("instr_id"),
        scan=texts("scan"),
        language=texts("language"),
        path=path,
        length=integers("length", 0),
        status=statuses,
        scored=flags("scored"),
        values={
            metric: numbers(own_values if metric in own else values, metric, math.nan)
            for metric in metrics
        },
        has_tours=has_tours,
    )


def _require_means(run: Run, items: ItemTable, file: str, tolerance: float) -> None:
    """Refuses items that are not those that the means are of."""
    import numpy as np

    for metric, estimate in run.summary.items():
        values = items.values[metric]
        present = values[~np.isnan(values)]
        with np.errstate(over="ignore"):
            mean = float(present.mean()) if len(present) else None
        if estimate.n == len(present) and (
            mean is None
            or estimate.mean is not None
            and abs(mean - estimate.mean) <= tolerance * max(1.0, float(np.abs(present).max()))
        ):
            continue
        raise InputError.at(
            Where(file, run.name, metric),
            f"its items have the mean {mean} over {len(present)}, but the file says "
            f"{estimate.mean} over {estimate.n}",
            _remedy,
        )

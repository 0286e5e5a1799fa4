"""Result files: the JSON that ``warpath eval --json FILE --items`` writes, as typed objects."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .errors import InputError, Where
from .results import Estimate, Evaluation

if TYPE_CHECKING:
    import io

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
    """Number of the reference path, equal for items that share one; -1 outside the dataset."""
    length: npt.NDArray[np.int64]
    """Viewpoints of the reference; 0 outside the dataset."""
    status: Sequence[str]
    scored: npt.NDArray[np.bool_]
    """Whether the convention scores the item."""
    values: Mapping[str, npt.NDArray[np.float64]]
    """Metric -> what each item counts in the mean. NaN is "no value": the item is left out. A
    failure that counts 0 is 0 here; its status says so."""

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
    return re.match(rb'\s*\{\s*"warpath"\s*:', _bytes(file, 200)) is not None


def read_results(file: str | os.PathLike[str]) -> Results:
    """Reads what ``warpath eval --json FILE --items`` wrote; ``.gz`` is fine, "-" is stdin.

    Raises:
        InputError: the file cannot be read, is no such file, or its columns do not fit.
    """
    name = os.fspath(file)
    text = _bytes(file)
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


def _bytes(file: str | os.PathLike[str], limit: int = -1) -> bytes:
    name = os.fspath(file)
    if name == "-":
        stream = cast("io.BufferedReader", sys.stdin.buffer)
        return stream.peek(limit) if limit > 0 else stream.read()
    try:
        with open(name, "rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            return gzip.GzipFile(fileobj=stream).read(limit) if packed else stream.read(limit)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.at(
            Where(name), f"cannot be read ({reason})", "check its name and permissions"
        ) from error


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
        convention=whole.get("convention", dict),
        precision=precision,
        interval=interval.text("ci"),
        runs=runs,
        metrics=list(runs[0].summary),
        command_line=[str(word) for word in info.array("command_line")] if info else [],
    )


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
    found_of = {metric: _Object(e, metrics.where) for metric, e in metrics.items()}
    summary = {metric: _estimate(estimate, metric) for metric, estimate in found_of.items()}
    items = _items(found.object("per_item"), list(summary)) if "per_item" in found else None
    run = Run(
        name=name,
        file=found.text("file", ""),
        hash=found.text("hash", ""),
        reference=found.text("reference", ""),
        count=found.get("items", int),
        statuses=found.get("status", dict),
        summary=summary,
        units={metric: estimate.text("unit") for metric, estimate in found_of.items()},
        items=items,
    )
    if items is not None:
        _require_means(run, items, file, 1e-9 if precision == "double" else 1e-5)
    return run


def _estimate(found: _Object, metric: str) -> Estimate:
    found.where = found.where._replace(field=metric)
    mean: float | None = found._found.get("mean")
    ci95: list[float] | None = found._found.get("ci95")
    return Estimate(
        None if mean is None else float(found.get("mean", (int, float))),
        None if ci95 is None else (float(ci95[0]), float(ci95[1])),
        found.get("n", int),
        found.get("of", int),
        found.get("clusters", int),
    )


def _items(found: _Object, metrics: list[str]) -> ItemTable:
    import numpy as np

    ids = found.array("instr_id")

    def column(source: _Object, key: str) -> list[Any]:
        cells = source.array(key)
        if len(cells) != len(ids):
            problem = f"has {len(cells)} values for {len(ids)} items"
            raise InputError.at(source.where._replace(field=key), problem, _remedy)
        return cells

    def numbers(source: _Object, key: str, dtype: type[Any], gap: float) -> npt.NDArray[Any]:
        cells = [gap if cell is None else cell for cell in column(source, key)]
        try:
            return np.array(cells, dtype)
        except (TypeError, ValueError, OverflowError) as error:
            problem = f"is not a column of numbers ({error})"
            raise InputError.at(source.where._replace(field=key), problem, _remedy) from None

    def texts(key: str) -> list[str]:
        cells = column(found, key)
        if not all(isinstance(cell, str) for cell in cells):
            raise InputError.at(
                found.where._replace(field=key), "is not a column of texts", _remedy
            )
        return cells

    values = found.object("values")
    return ItemTable(
        instr_id=texts("instr_id"),
        scan=texts("scan"),
        language=texts("language"),
        path=numbers(found, "path", np.int64, -1),
        length=numbers(found, "length", np.int64, 0),
        status=texts("status"),
        scored=np.array(column(found, "scored"), bool),
        values={metric: numbers(values, metric, np.float64, np.nan) for metric in metrics},
    )


def _require_means(run: Run, items: ItemTable, file: str, tolerance: float) -> None:
    """Refuses items that are not those that the means are of."""
    import numpy as np

    for metric, estimate in run.summary.items():
        values = items.values[metric]
        present = values[~np.isnan(values)]
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

"""How well followers did: the table of Zhao et al. 2021."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from ..arguments import number, text, texts
from ..errors import InputError, Where
from ..evaluation import evaluate_pairs
from ..graphs import Graphs, GraphsLike
from ..input_tables import InputTable, TableLike, read_table
from ..inputs import DatasetLike, Texts
from ..output_tables import (
    PrintedTable,
    Source,
    TabledResult,
    TableStyle,
    csv_of,
    source_of,
    unique_names,
)
from ..results import Estimate
from .attempts import Attempt, Attempts, Item, TracesLike, read_attempts
from .reading import MASKS, TIME_UNITS, VISITS, choice, read
from .rows import Row, rows_of
from .trace import weight_of
from .wayfinding_table import METRICS, printed_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas

__all__ = ["Wayfinding", "wayfinding"]

_PATHS = ("agree", "file", "trace")
_MISSING = ("refuse", "skip")


class Wayfinding(TabledResult, Mapping[str, Row]):
    """Maps the name of a row, such as "envdrop, val_seen", to its means.

    Attributes:
        attempts: a dict for each attempt that is scored: the cells of its row, its ``path``, and
            the values behind the means. ``None`` is no value.
    """

    kind = "traces"

    def __init__(
        self,
        sources: Sequence[Source],
        settings: Mapping[str, Any],
        rows: Sequence[Row],
        attempts: list[dict[str, Any]],
        left_out: Mapping[str, int],
        remarks: Sequence[str],
    ) -> None:
        self.sources = sources
        self.settings = settings
        self.left_out = left_out
        self.attempts = attempts
        names = unique_names([tuple(row.groups.values()) for row in rows])
        self._rows = {
            name: dataclasses.replace(row, name=name) for name, row in zip(names, rows)
        }
        self._remarks = remarks

    def __getitem__(self, name: str) -> Row:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        rows = [(row.groups, row.evals, row.estimates) for row in self.values()]
        return [printed_table(rows, style, str(self.settings["weight"]))]

    def described(self) -> dict[str, Any]:
        return {
            "settings": dict(self.settings),
            "left_out": dict(self.left_out),
            "rows": [
                {
                    **({"by": row.groups} if row.groups else {}),
                    "attempts": row.attempts,
                    "instructions": row.instructions,
                    "columns": {c: _described(e) for c, e in row.items()},
                }
                for row in self.values()
            ],
        }

    def remarks(self) -> list[str]:
        out = [f"left out: {n} {why}" for why, n in self.left_out.items()]
        return [*self._remarks, *out]

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns ``attempts`` as CSV, which ``warpath.correlate`` reads, and writes it to a file if
        one is named."""
        return csv_of(self.attempts, file)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns ``attempts`` as a DataFrame. It needs pandas."""
        import pandas

        return pandas.DataFrame(self.attempts)


def _described(estimate: Estimate) -> dict[str, Any]:
    found = estimate._asdict()
    return {**found, "ci95": list(estimate.ci95) if estimate.ci95 else None}


def wayfinding(
    attempts: TableLike,
    traces: TracesLike | None = None,
    dataset: DatasetLike | None = None,
    graphs: GraphsLike | None = None,
    *,
    by: str | Iterable[str] | None = None,
    preset: str = "paper",
    weight: str = "pixels",
    masks: str = "computed",
    visits: str = "each",
    paths: str = "agree",
    missing: str = "refuse",
    time_unit: str | None = None,
    max_input: int = 0,
    **settings: str | int | float,
) -> Wayfinding:
    """Says how well people followed instructions: the table of Zhao et al. 2021, section 5.2.

    Args:
        attempts: a table with ``trace`` (its name in the folder) or ``path`` (viewpoints with
            spaces between, or lists), ``instruction``, or ``scan`` and ``reference``; and freely
            ``system``, ``split``, ``annotator``, ``quality`` (1 to 5), ``words`` and ``time``
            (seconds). RxR's follower file is one, too: ``demonstration_id`` names the trace.
        traces: their folder, or a dict by name; None: the attempts have paths.
        dataset: see ``warpath.evaluate``; None: the attempts have references.
        graphs: see ``Graphs``.
        by: columns whose values tell rows apart, names or one text with commas; None: ``system``
            and ``split`` where the table has them.
        preset: the convention of NE, SR, SPL and SDTW, a name in ``warpath.presets``.
        weight: of a pixel in the visual search, ``pixels`` or ``solid-angle``.
        masks: see ``warpath.traces.read``, as for ``visits``, ``time_unit`` and ``max_input``.
        paths: where an attempt has a path beside its trace, they must ``agree``, or that of the
            ``file`` or of the ``trace`` is scored.
        missing: attempts without a trace or path, traces that no attempt names, and those that
            several name: ``refuse``, or ``skip`` and count them.
        **settings: changes of the preset, see ``warpath.settings``: ``threshold=3``.

    Raises:
        InputError: names the file, the row, the column and the remedy.
        UsageError: an argument has no such value.

    Example:
        >>> table = warpath.traces.wayfinding(
        ...     "attempts.csv", "followers/", "dataset.json", "connectivity/", by="system"
        ... )
        >>> table["envdrop"]["SR"].mean
    """
    for name, value, known in (
        ("paths", paths, _PATHS),
        ("missing", missing, _MISSING),
        ("masks", masks, MASKS),
        ("visits", visits, VISITS),
        ("time_unit", "s" if time_unit is None else time_unit, TIME_UNITS),
    ):
        choice(name, value, known)
    weight = weight_of(weight)
    table = read_table(attempts, "attempts")
    groups = _groups(table, by)
    quality = _quality(table)
    limit = number("max_input", max_input)
    read_trace = functools.partial(
        read, masks=masks, visits=visits, time_unit=time_unit, max_input=limit
    )
    items, source = _items(dataset, limit)
    found = read_attempts(
        table, traces, items, read_trace, paths=paths, is_skipping=missing == "skip"
    )
    if not found.attempts:
        raise InputError.at(Where(table.name), "has no attempt that can be scored", "add one")
    scores, convention, graph_source = _scored(found, graphs, preset, settings)
    columns = {**scores, **_columns(found, quality, weight, groups)}
    rows = rows_of(table, found.attempts, groups, columns)
    folder = os.fspath(traces) if isinstance(traces, (str, os.PathLike)) else ""
    sources = [source_of("attempts", table), *source, graph_source]
    return Wayfinding(
        [s for s in (*sources, Source("traces", folder, found.hash)) if s.file],
        {
            "by": list(groups),
            "weight": weight,
            "masks": masks,
            "visits": visits,
            "paths": paths,
            "missing": missing,
            "time_unit": time_unit,
            "interval": "path",
            **convention,
        },
        rows,
        _csv_rows(table, found.attempts, columns),
        found.left_out,
        _remarks(weight, masks, visits),
    )


def _remarks(weight: str, masks: str, visits: str) -> list[str]:
    unit = "pixels" if weight == "pixels" else "the solid angle"
    return [
        f"visual search: share of {unit} of the panorama, in the first visit and in later ones "
        f"(masks {masks}, visits {visits})",
        "± 95 % intervals by clusters of attempts with one reference path",
        "means are over all evaluations, words over instructions, unless a cell has an n",
    ]


def _groups(table: InputTable, by: str | Iterable[str] | None) -> dict[str, list[str]]:
    """Returns the columns that tell rows apart, with their cells."""
    if by is None:
        names = [name for name in ("system", "split") if name in table]
    else:
        names = texts("by", by.split(",") if isinstance(by, str) else by)
    names = [name.strip() for name in names if name.strip()]
    table.require(*names)
    return {name: table.texts(name) for name in names}


def _quality(table: InputTable) -> npt.NDArray[np.float64] | None:
    if "quality" not in table:
        return None
    values = table.numbers("quality", gaps=True)
    for row, value in enumerate(values):
        if value < 1 or value > 5:
            table.fail(row, "quality", f"is {value:g}", "give a number from 1 to 5, or nothing")
    return values


def _not_negative(table: InputTable, name: str) -> npt.NDArray[np.float64]:
    values = table.numbers(name, gaps=True)
    for row, value in enumerate(values):
        if value < 0:
            table.fail(row, name, f"is {value:g}", "give a number from 0 on, or nothing")
    return values


def _items(
    dataset: DatasetLike | None, limit: int
) -> tuple[dict[str, Item] | None, list[Source]]:
    if dataset is None:
        return None, []
    held = Texts()
    name = held.add(dataset, "dataset")
    items, content = _core.dataset_items(name, held.by_name, limit)
    found = {item: Item(scan, reference, words) for item, scan, reference, words in items}
    return found, [Source("dataset", "" if name in held.by_name else name, content)]


def _scored(
    found: Attempts, graphs: GraphsLike | None, preset: str, settings: Mapping[str, Any]
) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, Any], Source]:
    """Returns metric -> value of each attempt, the convention, and the graphs."""
    place = found.table.place
    pairs = [
        {"id": place(a.row), "scan": a.scan, "reference": a.reference, "prediction": a.path}
        for a in found.attempts
    ]
    try:
        evaluation = evaluate_pairs(
            pairs,
            None if graphs is None else Graphs(graphs),
            preset=text("preset", preset),
            metrics=METRICS,
            **settings,
        )
    except InputError as error:
        if not error.where.file.startswith("pairs"):
            raise
        where = error.where._replace(file=found.table.name)
        raise InputError.at(where, error.problem, error.remedy) from None
    report = json.loads(evaluation.to_json(run_info=False))
    convention = {"preset": report["preset"], "convention": report["convention"]}
    source = Source("graphs", report["graphs"].get("path", ""), report["graphs"].get("hash", ""))
    items = evaluation.agents[0].per_item
    return {metric: items[metric] for metric in METRICS}, convention, source


def _columns(
    found: Attempts,
    quality: npt.NDArray[np.float64] | None,
    weight: str,
    groups: Mapping[str, list[str]],
) -> dict[str, npt.NDArray[np.float64]]:
    """Returns what is not a metric: a value for each attempt, NaN for none."""
    import numpy as np

    table = found.table
    given = {
        name: _not_negative(table, name) if name in table else None for name in ("time", "words")
    }

    def cell(column: npt.NDArray[np.float64] | None, attempt: Attempt) -> float:
        return math.nan if column is None else float(column[attempt.row])

    rows = [
        {
            "quality": cell(quality, a),
            **_search(a, weight),
            "time": cell(given["time"], a) if a.watched is None else a.watched.time,
        }
        for a in found.attempts
    ]
    out = {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}
    return {**out, "words": _words(found, given["words"], groups)}


def _words(
    found: Attempts, given: npt.NDArray[np.float64] | None, groups: Mapping[str, list[str]]
) -> npt.NDArray[np.float64]:
    """Returns the length of each attempt's instruction: of the table, where a row of the instruction
    has it, else of its text; NaN if neither is there."""
    import numpy as np

    def key(a: Attempt) -> tuple[str, ...]:
        return (*(cells[a.row] for cells in groups.values()), a.instruction)

    own = [math.nan if given is None else float(given[a.row]) for a in found.attempts]
    known = {key(a): words for a, words in zip(found.attempts, own) if not math.isnan(words)}
    out = []
    for a, words in zip(found.attempts, own):
        of_text = len(a.text.split()) if a.text else math.nan
        out.append(known.get(key(a), of_text) if math.isnan(words) else words)
    return np.array(out, np.float64)


def _search(attempt: Attempt, weight: str) -> dict[str, float]:
    """Returns the visual search by the weight that was asked for, and by solid angle."""
    seen = attempt.watched
    return {
        "start": math.nan if seen is None else seen.start[weight],
        "other": math.nan if seen is None else seen.other[weight],
        "start_solid_angle": math.nan if seen is None else seen.start["solid-angle"],
        "other_solid_angle": math.nan if seen is None else seen.other["solid-angle"],
    }


def _csv_rows(
    table: InputTable,
    attempts: Sequence[Attempt],
    columns: Mapping[str, npt.NDArray[np.float64]],
) -> list[dict[str, Any]]:
    """Returns the cells of the table that are no lists and no dicts, and what was computed; with
    ids of instructions as ``warpath.correlate`` looks for them."""
    kept = {
        name: table.values(name)
        for name in table.columns
        if name not in columns and name != "path"
        and not any(isinstance(cell, (list, dict)) for cell in table.values(name))
    }  # fmt: skip
    has_ids = "instruction" in kept or "instr_id" in kept
    out = []
    for k, attempt in enumerate(attempts):
        row = {name: cells[attempt.row] for name, cells in kept.items()}
        if not has_ids:
            row["instruction"] = attempt.instruction
        row["path"] = " ".join(attempt.path)
        for name, column in columns.items():
            row[name] = _plain(float(column[k]), is_count=name in ("quality", "words"))
        out.append(row)
    return out


def _plain(value: float, is_count: bool) -> float | None:
    """Returns a value as files have it: NaN is none, and what people count is an integer."""
    if math.isnan(value):
        return None
    return int(value) if is_count and value.is_integer() else value

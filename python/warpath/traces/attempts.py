"""Attempts of followers: rows of a table with the traces, paths and references that they name."""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias, cast

from .. import _core
from ..arguments import wrong
from ..errors import InputError, Where
from ..input_tables import InputTable
from ..inputs import is_path
from .trace import WEIGHTS, Trace

__all__ = ["Attempt", "Attempts", "Item", "TracesLike", "read_attempts"]

TracesLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Trace | str | os.PathLike[str]]"
"""A folder of traces, or a dict from a trace's name to the trace or its file."""

_ENDINGS = (".npz", ".jsonl", ".npz.gz", ".jsonl.gz")
_RXR = "_follower_pose_trace"
_SKIP = "or leave them out and count them: --missing skip"


class Item(NamedTuple):
    """Holds what a dataset says of an instruction."""

    scan: str
    reference: list[str]
    text: str


class Watched(NamedTuple):
    """Holds what a table needs of a trace, which is then forgotten."""

    path: list[str]
    time: float
    hash: str
    start: dict[str, float]
    """By weight."""
    other: dict[str, float]
    """By weight; NaN if the follower never moved."""


@dataclasses.dataclass(frozen=True, eq=False)
class Attempt:
    """Holds an attempt to follow an instruction."""

    row: int
    """Of the table."""
    instruction: str
    """Its id; of a table without ids one for each reference."""
    scan: str
    reference: list[str]
    path: list[str]
    text: str
    """The instruction; empty if it is not known."""
    watched: Watched | None


@dataclasses.dataclass(frozen=True, eq=False)
class Attempts:
    """Holds the attempts that are scored, and how many were left out and why."""

    table: InputTable
    attempts: list[Attempt]
    left_out: dict[str, int]
    hash: str
    """Of all traces; empty if there are none."""


def read_attempts(
    table: InputTable,
    traces: TracesLike | None,
    items: Mapping[str, Item] | None,
    read: Callable[[Any], Trace],
    *,
    paths: str,
    is_skipping: bool,
) -> Attempts:
    """Joins attempts with their traces and references.

    Args:
        items: of the dataset; None: the table has references and scans.
        read: reads a trace, given its file.
        paths: where the file has a path beside the trace, ``agree``, or which of them is scored,
            that of the ``file`` or of the ``trace``.
        is_skipping: attempts and traces without each other are left out and counted.

    Raises:
        InputError: names row, column and remedy.
    """
    found = _Names(table, traces)
    left_out: Counter[str] = Counter()
    twice = found.twice()
    if twice and not is_skipping:
        row = found.rows[twice[0]][1]
        first = table.place(found.rows[twice[0]][0])
        table.fail(row, found.column, f"names the trace of {first} again", f"name it once, {_SKIP}")
    never = found.never()
    if never and not is_skipping:
        others = f", and so are {len(never) - 1} others" if len(never) > 1 else ""
        raise InputError.at(
            Where(found.folder, never[0]),
            f"is named by no attempt{others}",
            f"name it in a column 'trace' of {table.name}, {_SKIP}",
        )
    left_out["traces that no attempt names"] += len(never)
    watched = _watch(found, read, set(twice))
    given = _paths_in(table, "path") if "path" in table else [[]] * len(table)
    references = _References(table, items)
    attempts = []
    for row in range(len(table)):
        name = found.names[row]
        if name in twice:
            left_out["attempts whose trace others name, too"] += 1
            continue
        seen = watched.get(name)
        if name and seen is None and not is_skipping:
            found.fail_missing(row)
        path = _path_of(table, row, given[row], seen, paths)
        if not path:
            if not is_skipping:
                table.fail(row, "", "has neither a trace nor a path", f"name one, {_SKIP}")
            left_out["attempts without a trace or a path"] += 1
            continue
        attempts.append(references.attempt(row, path, seen))
    hashes = "".join(f"{name} {watched[name].hash}\n" for name in sorted(watched))
    whole = _core.content_hash(hashes.encode()) if hashes else ""
    return Attempts(table, attempts, {why: n for why, n in left_out.items() if n}, whole)


def _path_of(
    table: InputTable, row: int, given: list[str], seen: Watched | None, paths: str
) -> list[str]:
    """Returns the path that is scored, empty if there is none."""
    if seen is None:
        return given
    if not given or paths == "trace":
        return seen.path
    if paths == "agree" and given != seen.path:
        step = next(
            (k for k, (a, b) in enumerate(zip(given, seen.path)) if a != b),
            min(len(given), len(seen.path)),
        )
        table.fail(
            row,
            "path",
            f"has {len(given)} viewpoints, the trace {len(seen.path)}; they differ from viewpoint "
            f"{step + 1} on",
            "mend one of them, or choose: --paths file or --paths trace",
        )
    return given


class _Names:
    """Says which trace each row names, and where it is."""

    def __init__(self, table: InputTable, traces: TracesLike | None) -> None:
        if traces is not None and not is_path(traces) and not isinstance(traces, Mapping):
            raise wrong("traces", traces, "give a folder, or a dict from a name to a trace")
        self._table = table
        self._traces = traces
        self.folder = os.fspath(cast("str", traces)) if is_path(traces) else "traces"
        self.column = "trace" if "trace" in table else "demonstration_id"
        texts = table.texts(self.column, gaps=True) if self.column in table else [""] * len(table)
        if traces is None:
            texts = [""] * len(table)
        self._there = dict(self._listed())
        self.names = [self._name(text) for text in texts]
        self.rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.names):
            if name:
                self.rows.setdefault(name, []).append(row)

    def _listed(self) -> Iterator[tuple[str, Any]]:
        """Gives the traces that there are, by name."""
        if self._traces is None:
            return
        if isinstance(self._traces, Mapping):
            yield from ((str(name), trace) for name, trace in self._traces.items())
            return
        try:
            names = sorted(os.listdir(self.folder))
        except OSError as error:
            raise InputError.at(
                Where(self.folder), f"cannot be read ({error.strerror})", "name a folder of traces"
            ) from None
        for name in names:
            file = os.path.join(self.folder, name)
            is_rxr = self.column == "trace" or _RXR in name  # guides' traces lie beside them
            is_table = os.path.realpath(file) == os.path.realpath(self._table.name)
            if name.endswith(_ENDINGS) and is_rxr and not is_table:
                yield name, file

    def _name(self, text: str) -> str:
        """Returns the name of the trace that a cell names."""
        if self.column == "trace" or not text:
            return text
        stem = f"{int(text):06d}{_RXR}" if text.isdecimal() and len(text) < 19 else text
        return next((stem + end for end in _ENDINGS if stem + end in self._there), stem + ".npz")

    def twice(self) -> list[str]:
        """Returns the traces that several rows name."""
        return [name for name, rows in self.rows.items() if len(rows) > 1]

    def never(self) -> list[str]:
        """Returns the traces that no row names."""
        return [name for name in self._there if name not in self.rows]

    def there(self) -> Iterator[tuple[str, Any]]:
        """Gives the traces that rows name and that are there."""
        return ((name, self._there[name]) for name in self.rows if name in self._there)

    def fail_missing(self, row: int) -> None:
        """Refuses a row whose trace is not there."""
        problem = f"is '{self.names[row]}', which {self.folder} does not have"
        self._table.fail(row, self.column, problem, f"add the trace, {_SKIP}")


def _watch(
    names: _Names, read: Callable[[Any], Trace], without: set[str]
) -> dict[str, Watched]:
    """Reads the traces, several at a time: unpacking and counting need no lock of Python's."""
    wanted = [(name, trace) for name, trace in names.there() if name not in without]

    def watch(trace: Any) -> Watched:
        found = trace if isinstance(trace, Trace) else read(trace)
        start = {weight: found.start(weight) for weight in WEIGHTS}
        other = {weight: found.other(weight) for weight in WEIGHTS}
        later = {weight: math.nan if share is None else share for weight, share in other.items()}
        return Watched(found.path, found.time, found.hash, start, later)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return dict(zip((name for name, _ in wanted), threads.map(watch, (t for _, t in wanted))))


class _References:
    """Says what each row was to follow."""

    def __init__(self, table: InputTable, items: Mapping[str, Item] | None) -> None:
        self._table = table
        self._items = items
        known = [c for c in ("instruction", "instr_id", "instruction_id") if c in table]
        self.column = known[0] if known else "instruction"
        if items is None:
            table.require("reference", "scan", remedy="add it, or give a dataset")
            self._scans = table.texts("scan")
            self._references = _paths_in(table, "reference")
        else:
            table.require(self.column)
        self._ids = table.texts(self.column) if known else None

    def attempt(self, row: int, path: list[str], watched: Watched | None) -> Attempt:
        """Returns the attempt of a row."""
        if self._items is None:
            scan, reference, text = self._scans[row], self._references[row], ""
            if not reference:
                self._table.fail(row, "reference", "is empty", "give viewpoints, spaces between")
            name = self._ids[row] if self._ids else f"{scan} {' '.join(reference)}"
        else:
            assert self._ids is not None
            name = self._ids[row]
            if name not in self._items:
                problem = f"is '{name}', which the dataset does not have"
                self._table.fail(row, self.column, problem, "name an instr_id of the dataset")
            scan, reference, text = self._items[name]
        return Attempt(row, name, scan, reference, path, text, watched)


def _paths_in(table: InputTable, column: str) -> list[list[str]]:
    """Returns the paths in a column: texts of viewpoints with spaces between, or lists of them. An
    empty cell is an empty path."""
    return [_path_in(table, row, column, cell) for row, cell in enumerate(table.values(column))]


def _path_in(table: InputTable, row: int, column: str, cell: Any) -> list[str]:
    if cell is None or isinstance(cell, str) or (isinstance(cell, float) and math.isnan(cell)):
        return cell.split() if isinstance(cell, str) else []
    steps = cell.tolist() if hasattr(cell, "tolist") else cell
    if isinstance(steps, Sequence) and all(isinstance(step, str) and step for step in steps):
        return list(steps)
    table.fail(
        row, column, "is no path", "give viewpoints with spaces between, or a list in JSON Lines"
    )

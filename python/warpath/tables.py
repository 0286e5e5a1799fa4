"""The tables of everything that has a name: metrics, presets, settings, statuses.

Each table is a mapping from names to rows. Letter case does not matter when a row is looked up.

    >>> warpath.metrics["nDTW"].title
    >>> warpath.presets["r2r"].settings["success"]
    >>> warpath.metrics.to_pandas()
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from . import _core
from .arguments import find_name

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Metric",
    "Preset",
    "SettingInfo",
    "StatusInfo",
    "Table",
    "metrics",
    "presets",
    "reward_presets",
    "reward_settings",
    "settings",
    "statuses",
]


class _Row(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def _fields(self) -> tuple[str, ...]: ...


RowT = TypeVar("RowT", bound=_Row)


class Table(Mapping[str, RowT]):
    """Holds rows by name, in the order of all reports."""

    def __init__(self, kind: str, rows: Iterable[RowT]) -> None:
        self._kind = kind
        self._rows = {row.name: row for row in rows}
        self._names = {
            name: row.name
            for row in self._rows.values()
            for name in (row.name, *getattr(row, "aliases", ()))
        }

    def __getitem__(self, name: str) -> RowT:
        return self._rows[self._names[find_name(self._names, name, self._kind)]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} rows: {', '.join(self)}>"

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in cells)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = ([html.escape(cell) for cell in row] for row in self._cells())
        body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
        return f"<table><tr><th>{'</th><th>'.join(head)}</th></tr>{body}</table>"

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table as a DataFrame, its index the names. It needs pandas."""
        import pandas

        rows = [dict(zip(row._fields, row)) for row in self.values()]  # type: ignore[call-overload]
        return pandas.DataFrame(rows).set_index("name")

    def _cells(self) -> list[list[str]]:
        rows = list(self.values())
        shown = [
            field
            for field in rows[0]._fields
            if field != "settings" and any(getattr(row, field) != () for row in rows)
        ]
        return [shown, *([_cell(getattr(row, field)) for field in shown] for row in rows)]


def _cell(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


class Metric(NamedTuple):
    """Describes a metric."""

    name: str
    title: str
    unit: str
    """``fraction``, ``length`` (metres, or edges under hops), ``count`` or ``angle`` (turns)."""
    better: str
    """``higher``, ``lower`` or ``neither``."""
    source: str
    """Paper and equation, or the evaluator whose number it equals."""
    headline: bool
    """Whether reports show it where no metrics are named."""
    formula: str
    """The formula under the preset ``paper``; empty if the title says everything."""
    is_of_paths: bool
    """Whether two paths have it. A ``Scorer`` computes these metrics alone; ``evaluate`` also those of
    a dataset's task."""


class Preset(NamedTuple):
    """Describes a convention, or rewards, that reproduce a public code base."""

    name: str
    source: str
    note: str
    settings: Mapping[str, str]
    """The values of all settings."""
    tasks: tuple[str, ...] = ()
    """The tasks that its code base evaluates, ``R2R`` or ``NDH``. Empty: any, or not stated."""
    aliases: tuple[str, ...] = ()
    """Its further names, which find it as well."""


class SettingInfo(NamedTuple):
    """Describes a setting of a convention or of rewards."""

    name: str
    values: str
    """The accepted words separated by ``|``, or NUMBER."""
    help: str


class StatusInfo(NamedTuple):
    """Describes the outcome of a pair; its position in the table is its number in arrays."""

    name: str
    problem: str
    remedy: str


_PresetRow = tuple[str, str, str, dict[str, str], list[str], list[str]]


def _preset(row: _PresetRow) -> Preset:
    name, source, note, values, tasks, aliases = row
    return Preset(name, source, note, MappingProxyType(values), tuple(tasks), tuple(aliases))


metrics: Table[Metric] = Table("metric", (Metric(*row) for row in _core.metric_rows()))
"""All metrics, in the order of reports, each with its formula, unit and source paper."""

presets: Table[Preset] = Table("preset", map(_preset, _core.preset_rows()))
"""All conventions that have a name, ``paper`` first."""

settings: Table[SettingInfo] = Table("setting", (SettingInfo(*r) for r in _core.setting_rows()))
"""All settings of a convention; each is a keyword argument of what scores."""

reward_presets: Table[Preset] = Table("reward preset", map(_preset, _core.reward_preset_rows()))
"""All rewards that have a name."""

reward_settings: Table[SettingInfo] = Table(
    "reward setting", (SettingInfo(*r) for r in _core.reward_setting_rows())
)
"""All settings of rewards but those of their convention."""

statuses: Table[StatusInfo] = Table("status", (StatusInfo(*r) for r in _core.status_rows()))
"""All outcomes of a pair; ``Scores.status`` holds positions in this table."""

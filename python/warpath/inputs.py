"""Predictions and datasets as texts: what programs hold, in the forms that files have."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from . import _core
from .arguments import text
from .errors import InputError, Where

if TYPE_CHECKING:
    import pandas

__all__ = ["DatasetLike", "PredictionsLike", "Texts", "is_path"]

OneAgent: TypeAlias = (
    "str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]] | pandas.DataFrame"
)
PredictionsLike: TypeAlias = "OneAgent | Sequence[OneAgent]"
"""Predictions of one agent: a file, what a file's JSON holds (a list of dicts, or a dict from
``instr_id`` to trajectory), or a DataFrame with the columns ``instr_id`` and ``trajectory`` (or
``path``; or ``viewpoint``, a row for each), or such an Arrow table; or a list of these, one for each
agent."""

DatasetLike: TypeAlias = (
    "str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]] | pandas.DataFrame"
)
"""A dataset: a file, the list or dict that its JSON holds, or a DataFrame of these records."""


def is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


class Texts:
    """Collects texts that stand in for files, under names that no file has."""

    def __init__(self) -> None:
        self.by_name: dict[str, str] = {}
        self.predictions: dict[str, _core.HeldPredictions] = {}  # which need no text

    def agents(self, predictions: PredictionsLike) -> list[str]:
        """Returns a file's name for each agent."""
        if _is_several(predictions):
            return [self._agent(agent) for agent in cast("Sequence[OneAgent]", predictions)]
        return [self._agent(cast("OneAgent", predictions))]

    def _agent(self, predictions: OneAgent) -> str:
        if is_path(predictions):
            return self.add(predictions, "predictions")
        entries = _records(predictions) if _is_frame(predictions) else predictions
        name = self._new_name("predictions")
        held = _core.hold_predictions(name, entries)
        if held is None:
            return self.add(entries, "predictions")
        self.predictions[name] = held
        return name

    def add(self, value: object, argument: str) -> str:
        """Returns the name of a file, or one by which the text of a value can be found."""
        if is_path(value):
            return text(argument, os.fspath(cast("str | os.PathLike[str]", value)))
        name = self._new_name(argument)
        self.by_name[name] = _text(value, argument)
        return name

    def _new_name(self, argument: str) -> str:
        name, number = argument, 1
        while name in self.by_name or name in self.predictions or os.path.exists(name):
            number += 1
            name = f"{argument} {number}"
        return name


def _is_several(predictions: Any) -> bool:
    """Tells agents from the items of one: a list of nothing but dicts is what a file holds."""
    if not isinstance(predictions, (list, tuple)) or set(map(type, predictions)) <= {dict}:
        return False
    return any(is_path(p) or isinstance(p, list) or _is_frame(p) for p in predictions)


def _is_arrow(value: object) -> bool:
    return hasattr(value, "column_names") and hasattr(value, "to_pylist")


def _is_frame(value: object) -> bool:
    return _is_arrow(value) or (hasattr(value, "columns") and hasattr(value, "to_dict"))


def _text(value: Any, argument: str) -> str:
    if _is_frame(value):
        value = value.to_pylist() if _is_arrow(value) else value.to_dict("records")
    if not isinstance(value, (Mapping, Sequence)) or isinstance(value, bytes):
        raise InputError.at(
            Where(argument),
            f"is of type {type(value).__name__}",
            "give a file, what a file's JSON holds, or a DataFrame",
        )
    try:
        if argument == "pairs":  # JSON Lines
            return "".join(_json(pair) + "\n" for pair in value)
        return _json(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError.at(
            Where(argument), f"cannot be written as JSON ({error})", "give lists, dicts and texts"
        ) from error


def _json(value: Any) -> str:
    plain = _core.json_text(value)
    return json.dumps(value, default=_plain) if plain is None else plain


def _plain(value: Any) -> Any:
    """Returns NumPy's arrays and numbers, and other mappings and sequences, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (Sequence, set, frozenset)):
        return list(value)
    raise TypeError(f"a {type(value).__name__} is no JSON")


def _object_id(found: Any) -> Any:
    """Returns the id of an object as files have it; pandas writes integers beside gaps as floats,
    and gaps as NaN or NA."""
    if found is None or type(found).__name__ == "NAType" or found != found:
        return None
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _records(frame: Any) -> list[dict[str, Any]]:
    """Returns the predictions in a DataFrame of pandas, or in an Arrow table."""
    names = list(frame.column_names if _is_arrow(frame) else frame.columns)

    def column(name: str) -> list[Any]:
        values = frame.column(name).to_pylist() if _is_arrow(frame) else frame[name].tolist()
        return cast("list[Any]", values)

    for path in ("trajectory", "path"):
        if "instr_id" in names and path in names:
            records: list[dict[str, Any]] = [
                {"instr_id": str(item), "trajectory": moves}
                for item, moves in zip(column("instr_id"), column(path))
            ]
            for key in ("predObjId", "pred_objid"):
                if key in names:
                    for record, found in zip(records, column(key)):
                        record[key] = _object_id(found)
            return records
    if "instr_id" in names and "viewpoint" in names:
        paths: dict[str, list[Any]] = {}
        for item, viewpoint in zip(column("instr_id"), column("viewpoint")):
            paths.setdefault(str(item), []).append([viewpoint])
        return [{"instr_id": item, "trajectory": path} for item, path in paths.items()]
    raise InputError.at(
        Where("predictions"),
        f"is a DataFrame with the columns {', '.join(map(str, names))}",
        "give instr_id and trajectory, or instr_id and viewpoint",
    )

"""Checks of arguments that are no arrays, and names as callers write them.

The extension module refuses arguments of a wrong type in words about its own functions, so what
callers pass is looked at here: each check names the argument, what was given and what is wanted.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

from . import _core
from .errors import InputError, UsageError, Where

__all__ = [
    "Setting",
    "command_line",
    "count_of",
    "find_name",
    "flag",
    "metric_names",
    "number",
    "one_of",
    "real",
    "setting_texts",
    "text",
    "texts",
    "wrong",
]

Setting: TypeAlias = "str | int | float"
"""A setting's value: one of its words, or a number."""


def wrong(name: str, value: object, remedy: str) -> InputError:
    """Returns the error for an argument of a wrong type."""
    return InputError.at(Where(name), f"is of type {type(value).__name__}", remedy)


def text(name: str, value: object) -> str:
    """Returns a text. Raises InputError if it is none, or none that UTF-8 can hold."""
    if not isinstance(value, str):
        raise wrong(name, value, "give text")
    try:
        value.encode()
    except UnicodeEncodeError:
        shown = ascii(value[:80])
        raise InputError.at(
            Where(name),
            f"is {shown}, which has a lone surrogate",
            "give text that UTF-8 can hold",
        ) from None
    return str(value)


def texts(name: str, values: object) -> list[str]:
    """Returns a list of texts; one text is a list of it. Raises InputError as ``text``."""
    if isinstance(values, str):
        return [text(name, values)]
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise wrong(name, values, "give text, or a list of texts")
    try:
        listed = list(values)
    except (TypeError, NotImplementedError):  # as of an array without dimensions
        raise wrong(name, values, "give text, or a list of texts") from None
    return [text(name, value) for value in listed]


def number(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """Returns an integer. Raises InputError if it is none, or out of range."""
    try:
        found = operator.index(value)
    except TypeError:
        raise wrong(name, value, "give an integer") from None
    if isinstance(value, bool):
        raise wrong(name, value, "give an integer")
    if not least <= found <= most:
        shown = str(found) if abs(found) < 2**80 else "too large"
        raise InputError.at(Where(name), f"is {shown}", f"give an integer from {least} to {most}")
    return found


def real(name: str, value: Any) -> float:
    """Returns a number. Raises InputError if it is none."""
    if isinstance(value, (str, bytes, bytearray)):
        raise wrong(name, value, "give a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong(name, value, "give a number") from None


def flag(name: str, value: object) -> bool:
    """Returns True or False. Raises InputError if it is neither."""
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool_", "bool") and hasattr(value, "dtype"):
        return bool(value)
    raise wrong(name, value, "give True or False")


def command_line() -> list[str]:
    """Returns what the process was started with, for reports, as text that UTF-8 can hold."""
    return [str(word).encode(errors="backslashreplace").decode() for word in sys.argv]


def one_of(name: str, value: Any, kind: type, remedy: str) -> None:
    """Raises InputError unless a value is of a class."""
    if not isinstance(value, kind):
        raise wrong(name, value, remedy)


def require_word(argument: str, word: object, among: Iterable[str]) -> None:
    """Raises UsageError unless a text is one of some words."""
    if text(argument, word) not in among:
        raise UsageError(f"no {argument} '{word}'; there are {', '.join(among)}")


def find_name(names: Iterable[str], wanted: object, kind: str) -> str:
    """Returns the name that is meant, letter case aside.

    Raises:
        KeyError: there is none; it says what may be meant, and which there are.
    """
    known = list(names)
    question = ""
    if isinstance(wanted, str):
        if wanted in known:
            return wanted
        letters = "pl" if wanted.lower() == "tl" else wanted.lower()  # of the same metric
        for name in known:
            if name.lower() == letters:
                return name
        question = _suggestion(wanted, known)
    raise KeyError(f"no {kind} {_shown(wanted)}; {question}there are {', '.join(known)}") from None


def _suggestion(wanted: str, known: list[str]) -> str:
    meant = _core.did_you_mean(wanted.encode(errors="replace").decode(), known)
    return f"{meant} " if meant else ""


def setting_texts(
    settings: Mapping[str, Setting],
    taken_by: Callable[..., object] | None = None,
    table: str = "settings",
) -> dict[str, str]:
    """Returns settings with their values as the library reads them.

    Args:
        taken_by: the function that was called, whose other arguments may be meant.
        table: which table of ``warpath`` has the settings.

    Raises:
        UsageError: there is no such setting, or a value is neither text nor a number.
    """
    from . import tables

    known = list(getattr(tables, table))
    found = {}
    for name, value in settings.items():
        if str(name).replace("-", "_") not in known:
            others = list(getattr(taken_by, "__kwdefaults__", None) or ())
            question = _suggestion(str(name), [*known, *others])
            kind = "setting" if table == "settings" else "setting of rewards"
            raise UsageError(f"no {kind} {name!r}; {question}there are {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise UsageError(f"the setting {name} is {_shown(value)}; give text or a number")
        found[name] = text(name, value) if isinstance(value, str) else repr(_float(name, value))
    return found


def _float(name: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"the setting {name} is too large; give a smaller number") from None


def _shown(value: object) -> str:
    try:
        return repr(value)[:80]
    except Exception:
        return f"of type {type(value).__name__}"


def count_of(value: int | float) -> int:
    """Returns a count that may be a whole float, such as ``1e9``. What is no count at all is left as
    it is, for the library to refuse."""
    return int(value) if isinstance(value, float) and value.is_integer() else cast("int", value)


def metric_names(metrics: str | Iterable[str] | None) -> list[str]:
    """Returns a list of names: ``"SR,SPL"`` and ``["SR", "SPL"]`` are the same. None is all metrics
    that two paths have."""
    from .tables import metrics as table

    if metrics is None:
        return [name for name, metric in table.items() if metric.is_of_paths]
    names = texts("metrics", metrics)
    return [name.strip() for name in names[0].split(",")] if isinstance(metrics, str) else names

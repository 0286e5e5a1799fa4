"""How the settings of a convention are written as keyword arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from .errors import UsageError

Setting: TypeAlias = "str | int | float"
"""A setting's value: one of its words, or a number."""


def setting_texts(settings: Mapping[str, Setting]) -> dict[str, str]:
    """Returns settings with their values as the library reads them.

    Raises:
        UsageError: a value is neither text nor a number.
    """
    texts = {}
    for name, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise UsageError(f"the setting {name} is {value!r}; give text or a number")
        texts[name] = value if isinstance(value, str) else repr(float(value))
    return texts


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
    return (
        [name.strip() for name in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    )

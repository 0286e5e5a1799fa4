"""Metrics of the caller: functions whose columns join the tables, intervals and comparisons."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from .arguments import find_name, text, texts, wrong
from .errors import InputError, UsageError, Where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    ItemPath: TypeAlias = "Sequence[str] | npt.NDArray[np.float64]"
    """Viewpoint ids; or, of episodes, positions in metres, float64 [positions, 3]."""

__all__ = ["Distances", "OwnMetric", "OwnMetrics"]

_UNITS = ("fraction", "length", "count", "angle")  # in the order of the library
_BETTER = ("higher", "lower", "neither")


class Distances:
    """Measures distances for the item that is being scored, as the convention does: in metres, or
    in edges under hops; infinite where there is no way."""

    def __init__(self, paths: _core.ItemPaths) -> None:
        self._paths = paths
        self._numbers: dict[bytes, int] = {}

    def __call__(self, sources: ItemPath, targets: ItemPath) -> npt.NDArray[np.float64]:
        """Returns d(source, target) of every two, [sources, targets].

        Args:
            sources: viewpoints of the item's scan, such as the query, or a part of it; of episodes
                positions of the item's two paths.
            targets: the same.

        Raises:
            InputError: the scan has no such viewpoint, or neither path such a position.
            UsageError: the call that it was made for has ended.
        """
        if self._paths.has_positions:
            found = self._paths.between_positions(
                self._find("sources", sources), self._find("targets", targets)
            )
        else:
            found = self._paths.between_viewpoints(
                texts("sources", sources), texts("targets", targets)
            )
        made: npt.NDArray[np.float64] = found
        return made

    def _find(self, argument: str, positions: Any) -> list[int]:
        """Returns the numbers of positions: those of the reference, then those of the query."""
        import numpy as np

        if not self._numbers:
            paths = [self._paths.positions(True), self._paths.positions(False)]
            for number, row in enumerate(np.concatenate(paths) + 0.0):  # -0 is 0
                self._numbers.setdefault(row.tobytes(), number)
        rows = np.asarray(positions, np.float64)
        if rows.shape == (0,):  # of an empty list
            return []
        if rows.ndim != 2 or rows.shape[1] != 3:
            problem = f"is an array {list(rows.shape)}"
            raise InputError.at(Where(argument), problem, "give positions, [positions, 3]")
        found = [self._numbers.get(row.tobytes()) for row in rows + 0.0]
        if None in found:
            raise InputError.at(
                Where(argument, str(found.index(None))),
                "is no position of the item's paths",
                "give the reference, the query, or parts of them",
            )
        return [number for number in found if number is not None]


@dataclasses.dataclass(frozen=True)
class OwnMetric:
    """Declares a metric that is a function, for ``evaluate(own_metrics=…)``.

    A function alone stands for ``OwnMetric(function)``.
    """

    function: Callable[[Any, Any, Distances], Any]
    """Takes reference, query and distances of an item: two lists of viewpoint ids, of episodes two
    arrays of positions, as the convention scores them, and a ``Distances``. Returns a float, a
    bool, or, where the metric is not defined, None or NaN."""
    unit: str = "fraction"
    """As ``warpath.metrics`` has it: ``fraction``, which lies in [0, 1], ``length``, ``count``
    (also of a number without a unit) or ``angle`` (turns). Reports multiply fractions alone by 100,
    and a failed item counts 0 in a fraction, where ``missing`` and ``invalid`` say so."""
    better: str = "neither"
    """``higher``, ``lower`` or ``neither``: which arrow a table shows, and who wins an item."""


class OwnMetrics:
    """Calls the functions of metrics, and checks what they return.

    Raises:
        InputError: an argument is no metric.
        UsageError: a name, unit or direction cannot be one.
    """

    def __init__(self, own_metrics: Mapping[str, OwnMetric | Callable[..., Any]] | None) -> None:
        if own_metrics is not None and not isinstance(own_metrics, Mapping):
            raise wrong("own_metrics", own_metrics, "give a dict from names to functions")
        given = dict(own_metrics or {})
        for name in given:
            text("own_metrics", name)
        self._metrics = {name: _declared(name, given[name]) for name in given}
        self.rows = [
            (
                name,
                _place(name, "unit", own.unit, _UNITS),
                _place(name, "better", own.better, _BETTER),
            )
            for name, own in self._metrics.items()
        ]
        _core.check_own_metrics(self.rows)

    def compute(self, paths: _core.ItemPaths) -> list[float]:
        """Returns the value of each metric for an item: a bool, a float, or NaN.

        Raises:
            InputError: a function raised an exception, or returned what is no value.
        """
        distances = Distances(paths)
        return [
            self._value(own.function, Where(paths.file, paths.instr_id, name), paths, distances)
            for name, own in self._metrics.items()
        ]

    def _value(
        self,
        function: Callable[..., Any],
        where: Where,
        paths: _core.ItemPaths,
        distances: Distances,
    ) -> float:
        take = paths.positions if paths.has_positions else paths.viewpoints
        try:
            found = function(take(True), take(False), distances)
            value = _number(found)
        except Exception as error:
            problem = f"its function raised {_in_one_line(error)}"
            remedy = "repair it, or return None where there is no value"
            raise InputError.at(where, problem, remedy) from error
        if value is None:
            problem = f"its function returned a {type(found).__name__}"
            raise InputError.at(where, problem, "return a float, a bool, or None for no value")
        return value


def _declared(name: str, metric: Any) -> OwnMetric:
    own = metric if isinstance(metric, OwnMetric) else OwnMetric(metric)
    if not callable(own.function):
        remedy = "give a function of reference, query and distances, or an OwnMetric"
        raise wrong(f"own_metrics: {name}", own.function, remedy)
    return own


def _place(name: str, kind: str, word: Any, words: Sequence[str]) -> int:
    try:
        return words.index(find_name(words, word, kind))
    except KeyError as error:
        raise UsageError(f"own_metrics: {name}: {error.args[0]}") from None


def _number(value: Any) -> float | None:
    """Returns a value as a bool or a float, NaN for None; None for what is no value."""
    import numpy as np

    if value is None:
        return math.nan
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return float(value) if isinstance(value, numbers.Real) else None


def _in_one_line(error: Exception) -> str:
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""
    kind = type(error).__name__
    return f"{kind}: {said[:200]}" if said else kind

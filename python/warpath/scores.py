"""Scores of a batch: one column per metric, one row per pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .arguments import find_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas

__all__ = ["Scores"]


class Scores(Mapping[str, "npt.NDArray[np.float64]"]):
    """Maps metrics to columns: arrays [pairs], where NaN is "no value". Letter case does not matter.

    The columns are the memory that the library wrote, not copies of it.

    Attributes:
        status: uint8 [pairs], positions in the table ``warpath.statuses``; 0 is ``ok``.
        zero_rules: uint8 [pairs], where a rule of the convention decided a 0/0: 1 in SPL, 2 in LS,
            4 in SED, and their sums.
    """

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self._columns = dict(columns)
        self.status: npt.NDArray[np.uint8] = self._columns.pop("status")
        self.zero_rules: npt.NDArray[np.uint8] = self._columns.pop("zero_rules")

    def __getitem__(self, metric: str) -> npt.NDArray[np.float64]:
        return self._columns[find_name(self._columns, metric, "column")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.status)

    def means(self) -> dict[str, float]:
        """Returns the mean of each column over the pairs that have a value, NaN for none."""
        import numpy as np

        means = {}
        for metric, column in self.items():
            values = column[~np.isnan(column)]
            means[metric] = float(values.mean()) if len(values) else float("nan")
        return means

    def status_names(self) -> list[str]:
        """Returns the status of each pair by its name."""
        from .tables import statuses

        names = list(statuses)
        return [names[number] for number in self.status.tolist()]

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row per pair. It needs pandas."""
        import pandas

        return pandas.DataFrame({**self._columns, "status": self.status_names()})

    def __repr__(self) -> str:
        means = ", ".join(f"{metric} {mean:.4g}" for metric, mean in self.means().items())
        return f"<Scores of {self.pairs} pairs, means: {means}>"

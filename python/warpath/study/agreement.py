"""The agreement of metrics with people: correlations, their means, and the table of them."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import find_name
from ..files import written
from ..output_tables import PrintedTable, Source, TabledResult, TableStyle, number_text
from .ratings import Ratings
from .sets import scenario_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Agreement", "Rho", "StudyScores", "summarise"]

_caveat = "simulated raters: a check of the procedure, no evidence"


class Agreement(NamedTuple):
    """Holds Spearman's ρ of a metric, over the questionnaires (or sets) of a scenario."""

    mean: float | None
    """None if no questionnaire has a value."""
    sd: float | None
    """Of those with a value, with n − 1 in the denominator; None for fewer than two."""
    n: int
    """Questionnaires that the mean is over; under ``undefined="zero"`` all of them."""
    undefined: int
    """Those where metric or rater give all queries one rank."""


class Rho(NamedTuple):
    """Holds what one questionnaire, or one set, gives."""

    raters: tuple[str, ...]
    set: str
    rho: dict[str, float | None]
    """Metric -> Spearman's ρ; None where it is undefined."""

    @property
    def scenario(self) -> str:
        return scenario_of(self.set)


def summarise(
    rhos: Sequence[Rho], metrics: Sequence[str], counts_zero: bool
) -> dict[str, dict[str, Agreement]]:
    """Returns the agreement by scenario, in the order of the ratings, and metric.

    Args:
        counts_zero: whether an undefined ρ counts as 0.
    """
    by_scenario = dict[str, list[Rho]]()
    for one in rhos:
        by_scenario.setdefault(one.scenario, []).append(one)
    return {
        scenario: {
            metric: _agreement([one.rho[metric] for one in found], counts_zero)
            for metric in metrics
        }
        for scenario, found in by_scenario.items()
    }


def _agreement(rhos: Sequence[float | None], counts_zero: bool) -> Agreement:
    defined = [rho for rho in rhos if rho is not None]
    undefined = len(rhos) - len(defined)
    values = defined + [0.0] * undefined if counts_zero else defined
    n = len(values)
    if not defined:
        return Agreement(None, None, n, undefined)
    mean = math.fsum(values) / n
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Agreement(mean, math.sqrt(squares / (n - 1)) if n > 1 else None, n, undefined)


class StudyScores(TabledResult, Mapping[str, Mapping[str, Agreement]]):
    """Maps scenarios, then metrics, to their agreement with people.

    Attributes:
        questionnaires: the correlations behind the means, in the order of the ratings.
    """

    kind = "study_scores"

    def __init__(
        self,
        questionnaires: Sequence[Rho],
        scenarios: Mapping[str, Mapping[str, Agreement]],
        settings: Mapping[str, Any],
        ratings: Ratings,
        sources: Sequence[Source],
    ) -> None:
        self.questionnaires = list(questionnaires)
        self.sources = list(sources)
        self._scenarios = scenarios
        self._settings = settings
        self._skipped = ratings.skipped
        self._raters = len({one.rater for one in ratings.questionnaires})
        self._is_simulated = ratings.is_simulated

    def __getitem__(self, scenario: str) -> Mapping[str, Agreement]:
        return self._scenarios[find_name(self._scenarios, scenario, "scenario")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scenarios)

    def __len__(self) -> int:
        return len(self._scenarios)

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        """Returns Table 2: a row for each metric, ρ ± sd with its n by scenario."""
        digits = 2 if style.digits is None else style.digits
        head = ["metric"]
        for scenario in self:
            head += [f"{scenario} ρ ± sd" if style.intervals else f"{scenario} ρ", "n", "undefined"]
        rows = []
        for metric, better in self._settings["metrics"].items():
            row = [f"{metric} {'↓' if better == 'lower' else '↑'}"]
            for scenario in self:
                found = self[scenario][metric]
                row += [_cell(found, digits, style.intervals), str(found.n), str(found.undefined)]
            rows.append(row)
        title = "Spearman's ρ between metrics and people"
        return [PrintedTable(title, head, rows, caveat=_caveat if self._is_simulated else "")]

    def remarks(self) -> list[str]:
        unit = self._settings["unit"]
        each = "questionnaire (one rater, one set)" if unit == "questionnaire" else "set"
        lines = [_caveat] if self._is_simulated else []
        lines += [
            f"ρ: of each {each}, Pearson's correlation of average ranks; mean ± standard deviation "
            f"over {len(self.questionnaires)} {unit}s of {self._raters} raters",
            "↑ ↓: whether higher or lower values are better; ρ > 0 is agreement with people",
        ]
        if any(found.undefined for one in self.values() for found in one.values()):
            rule = "counted as 0" if self._settings["undefined"] == "zero" else "left out"
            lines.append(f"undefined: all queries have one rank by metric or rater; {rule}")
        if self._skipped:
            lines.append(f"{self._skipped} incomplete questionnaires: left out")
        if self._settings["threshold"] is not None:
            lines.append(f"d_th is {self._settings['threshold']:.6g} m; preset paper")
        return lines

    def described(self) -> dict[str, Any]:
        return {
            "settings": dict(self._settings),
            "raters": self._raters,
            "simulated": self._is_simulated,
            "questionnaires": len(self.questionnaires),
            "incomplete": self._skipped,
            "scenarios": {
                scenario: {metric: found._asdict() for metric, found in self[scenario].items()}
                for scenario in self
            },
        }

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the correlations of each questionnaire or set as CSV, and writes them to a file
        if one is named; a cell without a value is empty."""
        metrics = list(self._settings["metrics"])
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        is_set = self._settings["unit"] == "set"
        writer.writerow(["set", "raters", *metrics] if is_set else ["rater", "set", *metrics])
        for one in self.questionnaires:
            cells = ["" if rho is None else repr(rho) for rho in (one.rho[m] for m in metrics)]
            keys = [one.set, len(one.raters)] if is_set else [one.raters[0], one.set]
            writer.writerow([*keys, *cells])
        return written(stream.getvalue(), file)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row for each scenario and metric. It needs pandas."""
        import pandas

        rows = [
            {"scenario": scenario, "metric": metric, **found._asdict()}
            for scenario in self
            for metric, found in self[scenario].items()
        ]
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        return f"<StudyScores of {len(self.questionnaires)} questionnaires>"


def _cell(found: Agreement, digits: int, has_sd: bool) -> str:
    mean = number_text(found.mean, digits)
    if not has_sd or found.mean is None:
        return mean
    return f"{mean} ± {number_text(found.sd, digits)}"

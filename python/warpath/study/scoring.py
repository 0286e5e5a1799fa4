"""Spearman's rank correlation between metrics and people, set by set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import InputError, UsageError, Where
from ..input_tables import InputTable, TableLike, read_table
from ..output_tables import source_of
from ..tables import metrics as metric_table
from .agreement import Rho, StudyScores, summarise
from .ratings import Ratings, read_ratings
from .sets import METRICS, Study, StudyLike, id_parts, metrics_of, study_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["score"]

_units = ("questionnaire", "set")
_undefined = ("skip", "zero")
_digits = 9
"""Significant digits of values, so that sums that differ in their last bits tie."""


def score(
    study: StudyLike | None,
    ratings: TableLike,
    *,
    scores: TableLike | None = None,
    metrics: str | Iterable[str] | None = None,
    lower: str | Iterable[str] = (),
    unit: str = "questionnaire",
    undefined: str = "skip",
    incomplete: str = "error",
) -> StudyScores:
    """Compares rankings by metrics with rankings by people, as Table 2 of Ilharco et al. 2019.

    Each questionnaire (one rater, one set) gives each metric Spearman's ρ between both rankings:
    Pearson's correlation of average ranks. Values are first rounded to 9 significant digits. Of a
    metric where lower is better the sign is turned, so that ρ > 0 is agreement; PL counts as such.

    Args:
        study: a study or its folder; None where ``scores`` has everything.
        ratings: see ``read_ratings``: ``rater,set,query,rank``, or ``rater,sheet,1,2,…``.
        scores: columns of other programs in place of metrics that are computed, by ``id``
            (``<set>_<letter>``) or ``instr_id``.
        metrics: names in ``warpath.metrics``, or columns of ``scores``; None for those of the
            paper, or all columns of numbers.
        lower: those where lower is better, besides what ``warpath.metrics`` says.
        unit: ``questionnaire``, or ``set``, which first averages the ranks of a set's raters.
        undefined: what is done where a metric or rater gives all queries one rank: ``skip`` leaves
            the questionnaire out of the mean, ``zero`` counts ρ = 0.
        incomplete: ``error``, or ``skip`` to leave out questionnaires that lack a query.

    Raises:
        InputError: a file cannot be used, or a metric has no value for a rated query.
        UsageError: a name or word does not exist, or SciPy is missing.

    Example:
        >>> found = warpath.study.score("study", "ratings.csv")
        >>> found["SC"]["nDTW"].mean, found["SC"]["nDTW"].n
    """
    if unit not in _units or undefined not in _undefined:
        raise UsageError(
            f"unit is one of {', '.join(_units)}, undefined one of {', '.join(_undefined)}"
        )
    if study is None and scores is None:
        raise UsageError("name the study's folder, or give scores")
    found = None if study is None else study_of(study)
    table = None if scores is None else read_table(scores, "scores")
    columns = _Columns(found, table)
    read = read_ratings(ratings, columns.letters, found.sheets if found else (), incomplete)
    names = columns.names(metrics)
    signs = _signs(names, _names(lower), is_computed=table is None)
    values = columns.values(names, _rated(read))
    rhos = _correlate(read, columns, values, signs, unit)
    sources = [source_of("ratings", read.table)]
    sources += [] if table is None else [source_of("scores", table)]
    sources += [] if found is None else found.sources
    settings = {
        "metrics": {name: "lower" if signs[name] < 0 else "higher" for name in names},
        "unit": unit,
        "undefined": undefined,
        "incomplete": incomplete,
        "threshold": found.threshold if found is not None and table is None else None,
    }
    return StudyScores(rhos, summarise(rhos, names, undefined == "zero"), settings, read, sources)


def _names(given: str | Iterable[str]) -> list[str]:
    listed = given.split(",") if isinstance(given, str) else list(given)
    return [name.strip() for name in listed if name.strip()]


def _rated(ratings: Ratings) -> set[str]:
    return {f"{one.set}_{letter}" for one in ratings.questionnaires for letter in one.ranks}


class _Columns:
    """Gives the values of queries: computed, or of a file."""

    def __init__(self, study: Study | None, table: InputTable | None) -> None:
        self._study = study
        self._table = table
        self._id = ""
        if table is not None:
            self._id = "id" if "id" in table else "instr_id"
            table.require(self._id, remedy="give a column 'id' with <set>_<letter>")
        self.ids = study.ids if table is None and study else self._ids_of(table)
        self.row = {identifier: k for k, identifier in enumerate(self.ids)}
        self.letters: Mapping[str, Sequence[str]]
        if study is not None:
            self.letters = {name: list(one.queries) for name, one in study.sets.items()}
        else:
            self.letters = self._letters()

    def _ids_of(self, table: InputTable | None) -> list[str]:
        assert table is not None
        ids = table.texts(self._id)
        seen = dict[str, int]()
        for row, identifier in enumerate(ids):
            if identifier in seen:
                first = table.place(seen[identifier])
                problem = f"'{identifier:.60}' is there twice, first in {first}"
                table.fail(row, self._id, problem, "give each query one row")
            seen[identifier] = row
        return ids

    def _letters(self) -> dict[str, list[str]]:
        assert self._table is not None
        letters = dict[str, list[str]]()
        for identifier in self.ids:
            parts = id_parts(identifier)
            if parts is not None:
                letters.setdefault(parts[0], []).append(parts[1])
        for name, found in letters.items():
            if len(found) < 2:
                row = self.row[f"{name}_{found[0]}"]
                problem = f"the set {name} has one query"
                self._table.fail(row, self._id, problem, "give a set at least two")
        if not letters:
            raise InputError.at(
                Where(self._table.name, field=f"column {self._id}"),
                f"has no id of a query, its first is '{self.ids[0]:.60}'",
                "write ids as <set>_<letter>, such as uc000_a",
            )
        return {name: sorted(found) for name, found in letters.items()}

    def names(self, wanted: str | Iterable[str] | None) -> list[str]:
        if self._table is None:
            return metrics_of(METRICS if wanted is None else wanted)
        if wanted is not None:
            names = _names(wanted)
            self._table.require(*names)
            return list(dict.fromkeys(names))
        others = [name for name in self._table.columns if name != self._id]
        names = [name for name in others if self._has_numbers(name)]
        for name in names:  # no metric leaves the table for one bad cell
            try:
                self._table.numbers(name, gaps=True)
            except InputError as error:
                remedy = f"{error.remedy}, or name the metrics: --metrics"
                raise InputError.at(error.where, error.problem, remedy) from None
        if not names:
            raise InputError.at(
                Where(self._table.name), "has no column of numbers", "name columns: --metrics"
            )
        return names

    def _has_numbers(self, column: str) -> bool:
        """Tells a metric: some cell is a number."""
        assert self._table is not None
        for row, cell in enumerate(self._table.values(column)):
            try:
                if not math.isnan(self._table.number(row, column, cell, gaps=True)):
                    return True
            except InputError:
                continue
        return False

    def values(
        self, names: Sequence[str], rated: set[str]
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Returns columns by metric; every rated query has a value."""
        import numpy as np

        if self._table is None:
            assert self._study is not None
            found = self._study.values(names)
        else:
            missing = sorted(rated - self.row.keys())
            if missing:
                problem = f"has no {missing[0]}, which is rated"
                raise InputError.at(Where(self._table.name), problem, "add its scores")
            found = {name: self._table.numbers(name, gaps=True) for name in names}
        for name, column in found.items():
            gaps = np.flatnonzero(np.isnan(column))
            gap = next((k for k in gaps.tolist() if self.ids[k] in rated), None)
            if gap is not None:
                file = self._table.name if self._table else "pairs"
                raise InputError.at(
                    Where(file, self.ids[gap], f"column {name}"),
                    "has no value, and is rated",
                    "give one, or leave the metric out: --metrics",
                )
        return {name: _rounded(column) for name, column in found.items()}


def _rounded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    return np.array([float(f"{value:.{_digits}g}") for value in values.tolist()])


def _signs(names: Sequence[str], lower: Sequence[str], is_computed: bool) -> dict[str, float]:
    """Returns -1 for metrics where lower is better, else 1. PL has no arrow in Table 1; it counts
    as lower-is-better, the sign that is positive in Table 2."""
    unknown = [name for name in lower if name.lower() not in {known.lower() for known in names}]
    if unknown:
        raise UsageError(f"no column '{unknown[0]}' is scored; there are {', '.join(names)}")
    is_lower = {name.lower() for name in lower}
    signs = {}
    for name in names:
        better = metric_table[name].better if name in metric_table else "higher"
        if name.lower() in is_lower or name.upper() == "PL":
            better = "lower"
        if better == "neither" and is_computed:
            raise UsageError(f"{name} has no better and worse: leave it out, or name it in lower")
        signs[name] = -1.0 if better == "lower" else 1.0
    return signs


def _correlate(
    ratings: Ratings,
    columns: _Columns,
    values: Mapping[str, npt.NDArray[np.float64]],
    signs: Mapping[str, float],
    unit: str,
) -> list[Rho]:
    """Returns the correlations of each questionnaire or set, in the order of the ratings."""
    import numpy as np

    from ..optional import require

    rankdata = require("scipy.stats", "study").rankdata
    asked = list[tuple[tuple[str, ...], str]]()
    ranks = list["npt.NDArray[np.float64]"]()
    for one in ratings.questionnaires:
        asked.append(((one.rater,), one.set))
        ranks.append(rankdata([one.ranks[letter] for letter in columns.letters[one.set]]))
    if unit == "set":
        asked, ranks = _by_set(asked, ranks)
    found = [Rho(raters, name, {}) for raters, name in asked]
    for size in sorted({len(one) for one in ranks}):
        rows = [k for k, one in enumerate(ranks) if len(one) == size]
        of_raters = rankdata(np.array([ranks[k] for k in rows]), axis=1)
        places = [
            [columns.row[f"{asked[k][1]}_{letter}"] for letter in columns.letters[asked[k][1]]]
            for k in rows
        ]
        for name, column in values.items():
            of_metric = rankdata(-signs[name] * column[np.array(places)], axis=1)
            for k, rho in zip(rows, _pearson(of_metric, of_raters).tolist()):
                found[k].rho[name] = None if np.isnan(rho) else rho
    return found


def _by_set(
    asked: Sequence[tuple[tuple[str, ...], str]], ranks: Sequence[npt.NDArray[np.float64]]
) -> tuple[list[tuple[tuple[str, ...], str]], list[npt.NDArray[np.float64]]]:
    """Averages the ranks that the raters of a set give."""
    raters = dict[str, list[str]]()
    sums = dict[str, "npt.NDArray[np.float64]"]()
    for ((rater,), name), one in zip(asked, ranks):
        sums[name] = sums[name] + one if name in sums else one
        raters.setdefault(name, []).append(rater)
    means = [total / len(raters[name]) for name, total in sums.items()]
    return [(tuple(who), name) for name, who in raters.items()], means


def _pearson(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Returns the correlation of each row, [rows]; NaN where a row is constant."""
    import numpy as np

    first = first - first.mean(1, keepdims=True)
    second = second - second.mean(1, keepdims=True)
    products = (first * first).sum(1) * (second * second).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: npt.NDArray[np.float64] = (first * second).sum(1) / np.sqrt(products)
    return np.clip(found, -1.0, 1.0)

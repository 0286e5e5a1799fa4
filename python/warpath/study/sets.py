"""Sets of paths that people rank, and the folder that holds them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ..arguments import find_name, real
from ..errors import InputError, UsageError, Where
from ..evaluation import evaluate_pairs
from ..files import read_bytes
from ..graphs import Graphs, GraphsLike
from ..input_tables import InputTable, TableLike, read_table
from ..inputs import is_path
from ..output_tables import Source
from ..result_files import results_of
from ..tables import metrics as metric_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "METRICS",
    "RatingSet",
    "Study",
    "StudyLike",
    "id_parts",
    "metrics_of",
    "read",
    "read_sets",
    "scenario_of",
    "study_of",
]

METRICS = (
    "PL", "NE", "ONE", "SR", "OSR", "AD", "MD", "SPL", "SED", "CLS", "nDTW", "SDTW",
)  # fmt: skip
"""Of Table 1 of Ilharco et al. 2019."""

_threshold_per_edge = 1.33
_usual_threshold = 3.0
_remedy = "make the folder again with: warpath study make"


@dataclass(frozen=True)
class RatingSet:
    """Holds a reference and the queries that people rank beside each other.

    Attributes:
        name: the part of the ids that the queries share: ``uc000``.
        scan: of all paths.
        reference: viewpoints.
        queries: letter -> viewpoints; the id of a query is ``<name>_<letter>``.
    """

    name: str
    scan: str
    reference: tuple[str, ...]
    queries: Mapping[str, tuple[str, ...]]

    @property
    def scenario(self) -> str:
        """The beginning of the name up to its digits, in capitals: ``UC``."""
        return scenario_of(self.name)


@dataclass
class Study:
    """Holds the sets of a study with their graphs.

    Attributes:
        sets: name -> set.
        graphs: of all scans.
        threshold: d_th of metrics, metres.
        sheets: the set on each sheet; sheet 1 is the first.
        raters: of each sheet, those who are to rank it.
        folder: where it lies; empty for sets in memory.
        settings: what it was made with.
        sources: the files that it was read from.
    """

    sets: dict[str, RatingSet]
    graphs: Graphs
    threshold: float
    sheets: list[str] = field(default_factory=list)
    raters: list[list[str]] = field(default_factory=list)
    folder: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._values = dict[str, "npt.NDArray[np.float64]"]()
        self._places = dict[str, tuple[dict[str, int], "npt.NDArray[np.float64]"]]()

    @property
    def ids(self) -> list[str]:
        """Ids of all queries, set by set."""
        return [f"{name}_{letter}" for name, one in self.sets.items() for letter in one.queries]

    def pairs(self) -> list[dict[str, Any]]:
        """Returns what ``warpath eval --pairs`` reads: a dict for each query, in the order of
        ``ids``."""
        return [
            {
                "id": f"{name}_{letter}",
                "scan": one.scan,
                "reference": list(one.reference),
                "prediction": list(query),
            }
            for name, one in self.sets.items()
            for letter, query in one.queries.items()
        ]

    def values(self, metrics: str | Iterable[str] = METRICS) -> dict[str, npt.NDArray[np.float64]]:
        """Returns metrics of all queries, in the order of ``ids``, as ``warpath eval --pairs``
        gives them under the preset ``paper`` with this threshold.

        Raises:
            InputError: a path cannot be scored. UsageError: there is no such metric.
        """
        names = metrics_of(metrics)
        missing = [name for name in names if name not in self._values]
        if missing:
            settings: dict[str, Any] = {"threshold": self.threshold, "start": "note"}
            found = evaluate_pairs(self.pairs(), self.graphs, metrics=missing, **settings)
            self._values.update({name: found.per_item[name] for name in missing})
            self._name_graphs(results_of(found).graphs.hash)
        return {name: self._values[name] for name in names}

    def points(self, scan: str, path: Sequence[str]) -> npt.NDArray[np.float64]:
        """Returns the positions of a path's viewpoints, metres, [viewpoints, 3].

        Raises:
            InputError: the scan has no positions, or no such viewpoint.
        """
        if scan not in self._places:
            positions = self.graphs.positions(scan)
            if positions is None:
                where = Where("graphs", f"scan {scan}")
                raise InputError.at(where, "has no positions", "give graphs with positions")
            self._places[scan] = (
                {name: k for k, name in enumerate(self.graphs.viewpoints(scan))},
                positions,
            )
        index, positions = self._places[scan]
        unknown = [step for step in path if step not in index]
        if unknown:
            where = Where("graphs", f"scan {scan}")
            raise InputError.at(
                where, f"has no viewpoint '{unknown[0]:.60}'", "give the graphs of the paths"
            )
        return positions[[index[step] for step in path]]

    def _name_graphs(self, content: str) -> None:
        if not any(source.role == "graphs" for source in self.sources):
            self.sources.append(Source("graphs", self.graphs.path or "", content))

    def __repr__(self) -> str:
        return f"<Study of {len(self.sets)} sets, {len(self.ids)} queries>"


StudyLike: TypeAlias = "Study | str | os.PathLike[str]"
"""A study, or its folder."""


def metrics_of(names: str | Iterable[str]) -> list[str]:
    """Returns the names of metrics as the table has them.

    Raises:
        UsageError: there is no such metric.
    """
    wanted = names.split(",") if isinstance(names, str) else list(names)
    try:
        found = [find_name(metric_table, str(name).strip(), "metric") for name in wanted]
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None
    return list(dict.fromkeys(found))


def scenario_of(name: str) -> str:
    """Returns the beginning of a set's name up to its digits, in capitals; ``ALL`` if it begins
    with a digit."""
    return re.split(r"[-_ ]?\d", name, maxsplit=1)[0].upper() or "ALL"


def id_parts(identifier: str) -> tuple[str, str] | None:
    """Returns a query's set and letter; None if the id is not ``<set>_<letter>``."""
    found = re.fullmatch(r"(.+)_([a-z])", identifier)
    return (found[1], found[2]) if found else None


def study_of(study: StudyLike) -> Study:
    """Returns a study, which is read if it is a folder.

    Raises:
        InputError: as ``read``.
    """
    return study if isinstance(study, Study) else read(study)


def read(
    folder: str | os.PathLike[str],
    *,
    graphs: GraphsLike | None = None,
    threshold: float | None = None,
) -> Study:
    """Reads the folder of a study: ``pairs.jsonl`` (or ``pairs.jsonl.gz``), its graphs, and
    ``study.json`` if there is one.

    Args:
        graphs: in place of those of the folder.
        threshold: d_th in metres; None for that of ``study.json``, without which it is 1.33 times
            the mean length of an edge (Ilharco et al. 2019, 4.1).

    Raises:
        InputError: the folder is none of a study, or a file of it cannot be used.
    """
    place = os.fspath(folder)
    if not os.path.isdir(place):
        raise InputError.at(
            Where(place), "is no folder", "name the folder that warpath study make wrote"
        )
    sets, source = read_sets(_existing(place, ("pairs.jsonl", "pairs.jsonl.gz")))
    described = _described(place)
    where = _graphs_in(place, described) if graphs is None else graphs
    study = Study(sets, Graphs(where), 1.0, folder=place, sources=[source])
    study.threshold = _threshold(study, described, threshold)
    study.sheets, study.raters = _sheets(place, described, sets)
    study.settings = described.get("settings", {})
    return study


def _existing(folder: str, names: Sequence[str]) -> str:
    for name in names:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise InputError.at(Where(folder), f"has no {names[0]}", _remedy)


def _described(folder: str) -> dict[str, Any]:
    """Returns what ``study.json`` says; nothing if there is none."""
    file = os.path.join(folder, "study.json")
    if not os.path.exists(file):
        return {}
    try:
        found = json.loads(read_bytes(file))
    except (ValueError, RecursionError) as error:
        raise InputError.at(Where(file), f"is no JSON ({error})", _remedy) from None
    if not isinstance(found, dict) or "study" not in found:
        raise InputError.at(Where(file), "describes no study", _remedy)
    if not isinstance(found.get("settings", {}), dict):
        _fail(folder, "settings", "is no object")
    return found


def _fail(folder: str, key: str, problem: str) -> NoReturn:
    raise InputError.at(Where(os.path.join(folder, "study.json"), field=key), problem, _remedy)


def _graphs_in(folder: str, described: Mapping[str, Any]) -> str:
    name = described.get("graphs")
    if name is None:
        return _existing(folder, ("graph.json", "graph.json.gz"))
    if not isinstance(name, str):
        _fail(folder, "graphs", "is no text")
    return os.path.normpath(os.path.join(folder, name))


def _threshold(study: Study, described: Mapping[str, Any], given: float | None) -> float:
    value = given if given is not None else described.get("threshold")
    if value is None:
        return mean_edge(study) * _threshold_per_edge
    if given is None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        _fail(study.folder, "threshold", "is no number")
    found = real("threshold", value)
    if not 0 < found < float("inf"):
        problem = f"is {found:g}"
        raise InputError.at(Where("threshold"), problem, "give a number of metres above 0")
    return found


def mean_edge(study: Study) -> float:
    """Returns the mean length of the edges of a study's scans, metres."""
    import numpy as np

    lengths = []
    for scan in dict.fromkeys(one.scan for one in study.sets.values()):
        edges = study.graphs.edges(scan)
        if len(edges):
            lengths.append(study.graphs.distances(scan)[edges[:, 0], edges[:, 1]])
    if not lengths:
        raise InputError.at(Where("graphs"), "have no edges", "give a threshold in metres")
    return float(np.concatenate(lengths).mean())


def _sheets(
    folder: str, described: Mapping[str, Any], sets: Mapping[str, RatingSet]
) -> tuple[list[str], list[list[str]]]:
    found = described.get("sheets", [])
    if not isinstance(found, list):
        _fail(folder, "sheets", "is no list")
    names, raters = list[str](), list[list[str]]()
    for number, sheet in enumerate(found, start=1):
        key = f"sheets: {number}"
        if not isinstance(sheet, dict) or not isinstance(sheet.get("raters"), list):
            _fail(folder, key, "is no object with set and raters")
        if not isinstance(sheet.get("set"), str) or sheet["set"] not in sets:
            _fail(folder, key, f"has the set {sheet.get('set')!r:.60}, which the pairs lack")
        names.append(sheet["set"])
        raters.append([str(rater) for rater in sheet["raters"]])
    return names, raters


def read_sets(pairs: TableLike) -> tuple[dict[str, RatingSet], Source]:
    """Reads sets from pairs: ``id`` (``<set>_<letter>``), ``scan``, ``reference``, ``prediction``.

    Raises:
        InputError: names the line of an id of another form or given twice, of a path that is none,
            of a set with two references or scans, and a set of fewer than two queries.
    """
    table = read_table(pairs, "pairs")
    table.require("id", "scan", "reference", "prediction", remedy="give JSON Lines of pairs")
    ids, scans = table.texts("id"), table.texts("scan")
    references, predictions = table.values("reference"), table.values("prediction")
    queries = dict[str, dict[str, tuple[str, ...]]]()
    first = dict[str, int]()
    for row, identifier in enumerate(ids):
        parts = id_parts(identifier)
        if parts is None:
            table.fail(
                row, "id", f"is '{identifier:.60}'", "write it as <set>_<letter>, such as uc000_a"
            )
        name, letter = parts
        if letter in queries.setdefault(name, {}):
            table.fail(row, "id", f"'{identifier}' is there twice", "give each query its own")
        queries[name][letter] = _path(table, row, "prediction", predictions[row])
        if name in first:
            _require_same(table, row, first[name], scans, references)
        first.setdefault(name, row)
    sets = {}
    for name, row in first.items():
        if len(queries[name]) < 2:
            problem = f"the set {name} has one query"
            table.fail(row, "id", problem, "give a set at least two, which share its name")
        reference = _path(table, row, "reference", references[row])
        letters = dict(sorted(queries[name].items()))
        sets[name] = RatingSet(name, scans[row], reference, letters)
    return sets, Source("pairs", table.name if is_path(pairs) else "", table.hash)


def _path(table: InputTable, row: int, column: str, cell: Any) -> tuple[str, ...]:
    if not isinstance(cell, (list, tuple)) or not cell:
        table.fail(row, column, "is no path", "give a list of viewpoints")
    for step in cell:
        if not isinstance(step, str):
            table.fail(row, column, f"has {step!r:.60}", "give the ids of viewpoints, as texts")
    return tuple(cell)


def _require_same(
    table: InputTable, row: int, first: int, scans: list[str], references: list[Any]
) -> None:
    for column, values in (("scan", scans), ("reference", references)):
        if values[row] != values[first]:
            problem = f"is another than that of the set's first query ({table.place(first)})"
            table.fail(row, column, problem, "give all queries of a set the same")

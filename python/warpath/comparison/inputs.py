"""What is compared: the runs of result files, of evaluations, or of predictions that are scored."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import InputError, UsageError, Where
from ..inputs import is_path
from ..result_files import ItemTable, Results, Run, is_result_file, read_results, results_of
from ..results import Evaluation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["ALLOWANCES", "Agent", "ComparedLike", "allowances", "load", "require_comparable"]

ComparedLike: TypeAlias = "str | os.PathLike[str] | Evaluation | Results"
"""A result file, a file of predictions, or results in memory."""

ALLOWANCES = {
    "other-data": "results of other datasets, graphs or boxes",
    "other-convention": "results of another convention",
    "missing-items": "items that some agents lack: the comparison is over those that both have",
}


@dataclasses.dataclass(frozen=True, eq=False)
class Agent:
    """Holds one agent of a comparison."""

    name: str
    """Unlike that of any other agent."""
    results: Results
    run: Run
    items: ItemTable
    row: Mapping[str, int]
    """``instr_id`` -> row of an item that the convention scores."""

    @property
    def where(self) -> Where:
        """The place of the agent in messages."""
        return Where(self.results.file or self.run.file, self.name)

    def rows(self, ids: Sequence[str]) -> npt.NDArray[np.intp]:
        """Returns the rows of items."""
        import numpy as np

        return np.array([self.row[item] for item in ids], np.intp)

    def has_value(self, metrics: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Tells of each row whether it has a value of any of the metrics."""
        import numpy as np

        out = np.zeros(len(self.items), bool)
        for metric in metrics:
            out |= ~np.isnan(self.items.values[metric])
        return out


def allowances(allow: str | Iterable[str]) -> frozenset[str]:
    """Returns what is allowed, from names or one text with commas.

    Raises:
        UsageError: a name is none of ``ALLOWANCES``.
    """
    names = [name for name in (allow.split(",") if isinstance(allow, str) else allow) if name]
    for name in names:
        if name not in ALLOWANCES:
            raise UsageError(f"nothing to allow is called '{name}'; there are {_list(ALLOWANCES)}")
    return frozenset(names)


def load(
    results: Sequence[ComparedLike], names: Sequence[str], options: Mapping[str, Any]
) -> list[Agent]:
    """Reads result files, and scores files of predictions together.

    Args:
        results: at least one.
        names: of the agents of each, empty where it has names of its own; or none at all.
        options: arguments of ``warpath.evaluate`` for predictions.

    Raises:
        InputError: a file cannot be used.
        UsageError: predictions lack a dataset, or options have nothing to score.
    """
    if names and len(names) != len(results):
        raise UsageError(f"{len(names)} names for {len(results)} results: name all or none")
    predictions = [r for r in results if is_path(r) and not is_result_file(cast("str", r))]
    wanted_of = dict(zip(map(str, results), names)) if names else {}
    files = [os.fspath(cast("str", p)) for p in predictions]
    scored = iter(_score(files, [wanted_of.get(file, "") for file in files], options))
    agents: list[Agent] = []
    for k, result in enumerate(results):
        read = _read(result, k) if result not in predictions else next(scored)
        runs = [(read, run) for run in read.runs] if isinstance(read, Results) else [read]
        wanted = names[k] if names else ""
        if wanted and len(runs) > 1:
            place = runs[0][0].file
            raise UsageError(f"{place} has {len(runs)} agents, which one name cannot be of")
        for source, run in runs:
            agents.append(_agent(wanted or run.name, source, run, [a.name for a in agents]))
    return agents


def _score(
    files: Sequence[str], names: Sequence[str], options: Mapping[str, Any]
) -> list[tuple[Results, Run]]:
    if not files:
        given = [name for name, value in options.items() if value not in (None, ())]
        if given:
            option = given[0].replace("_", "-")
            raise UsageError(f"'{option}' is for predictions, but all files are results already")
        return []
    if options.get("dataset") is None:
        raise UsageError(
            f"{files[0]} is no result file, so it is taken for predictions, which need a dataset "
            "and graphs (--dataset, --graphs); or write results with: warpath eval … --json FILE "
            "--items"
        )
    from ..evaluation import evaluate

    if any(names):
        stems = [os.path.basename(file).partition(".")[0] for file in files]
        options = {**options, "names": [name or stem for name, stem in zip(names, stems)]}
    found = results_of(evaluate(list(files), **options))
    if len(found.runs) != len(files):
        raise UsageError(
            "with ndh_reference='all' each file has several results: write them with warpath eval "
            "… --json FILE --items and compare these"
        )
    return [(found, run) for run in found.runs]


def _read(result: ComparedLike, position: int) -> Results:
    if isinstance(result, Results):
        return result
    if isinstance(result, Evaluation):
        return results_of(result, f"results {position + 1}")
    if is_path(result):
        return read_results(result)
    raise UsageError(
        f"results {position + 1} are of type {type(result).__name__}: give a file, or what "
        "warpath.evaluate returns"
    )


def _agent(name: str, source: Results, run: Run, taken: Sequence[str]) -> Agent:
    items = run.require_items(source.file)
    row: dict[str, int] = {}
    for k, (item, scored) in enumerate(zip(items.instr_id, items.scored.tolist())):
        if not scored:
            continue
        if item in row:
            raise InputError.at(
                Where(source.file or run.file, item),
                f"is scored more than once for {run.name}",
                "score with --duplicates first or last: items are compared by their id",
            )
        row[item] = k
    return Agent(_free_name(name, source, taken), source, run, items, row)


def _free_name(name: str, source: Results, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    file = os.path.basename(source.file)
    candidates = [f"{name} ({file})"] if file else []
    candidates += [f"{name} ({k})" for k in range(2, len(taken) + 3)]
    return next(candidate for candidate in candidates if candidate not in taken)


def require_comparable(
    first: Agent, other: Agent, metrics: Sequence[str], allowed: frozenset[str]
) -> None:
    """Refuses two agents whose difference would not be one of the agents alone.

    Raises:
        InputError: data, conventions or items differ, and this is not allowed.
    """
    for metric in metrics:
        mine, theirs = first.run.metric(metric), other.run.metric(metric)
        if mine != theirs:
            raise InputError.at(
                other.where._replace(field=metric),
                f"is {theirs.unit}, better {theirs.better}; of {first.name} it is {mine.unit}, "
                f"better {mine.better}",
                "declare the own metric alike, or leave it out (metrics)",
            )
    if "other-data" not in allowed:
        _require_equal_data(first, other)
    if "other-convention" not in allowed:
        _require_equal_convention(first, other)
    if "missing-items" not in allowed:
        _require_equal_items(first, other, metrics)


def _require_equal_data(first: Agent, other: Agent) -> None:
    for what in ("dataset", "graphs", "objects"):
        mine, theirs = getattr(first.results, what), getattr(other.results, what)
        if (mine and mine.hash) == (theirs and theirs.hash):
            continue
        paths = [source.path if source else "none" for source in (theirs, mine)]
        hashes = [source.hash[:8] if source else "–" for source in (theirs, mine)]
        noun = {"objects": "boxes"}.get(what, what)
        raise InputError.at(
            other.where._replace(field=what),
            f"other {noun} than of {first.name}: {paths[0]} ({hashes[0]}), not {paths[1]} "
            f"({hashes[1]})",
            f"score both with the same {noun}, or allow it: --allow other-data",
        )


def _require_equal_convention(first: Agent, other: Agent) -> None:
    mine = dict(first.results.convention)
    theirs = dict(other.results.convention)
    keys = [*mine, *(key for key in theirs if key not in mine)]
    differing = [
        f"{key}={theirs.get(key, 'none')}, not {mine.get(key, 'none')}"
        for key in keys
        if mine.get(key) != theirs.get(key)
    ]
    if differing:
        raise InputError.at(
            other.where,
            f"another convention than of {first.name}: {'; '.join(differing)}",
            "score both under the same convention, or allow it: --allow other-convention",
        )


def _require_equal_items(first: Agent, other: Agent, metrics: Sequence[str]) -> None:
    for has, lacks in ((first, other), (other, first)):
        has_value, lacks_value = has.has_value(metrics), lacks.has_value(metrics)
        gaps = [
            item
            for item, row in has.row.items()
            if has_value[row] and not (item in lacks.row and lacks_value[lacks.row[item]])
        ]
        if not gaps:
            continue
        statuses = {lacks.items.status[lacks.row[i]] if i in lacks.row else "absent" for i in gaps}
        count, verb = ("1 item", "has") if len(gaps) == 1 else (f"{len(gaps)} items", "have")
        raise InputError.at(
            lacks.where._replace(field=gaps[0]),
            f"{count} that {has.name} has a value for, this first, {verb} none "
            f"({', '.join(sorted(statuses))})",
            "predict them, or count them as failures (score with --missing zero --invalid zero), "
            "or compare what both have: --allow missing-items",
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)

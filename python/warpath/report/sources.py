"""Where the results of a report come from: result files, whose inputs are read again for what the
files do not hold, the paths."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .. import evaluation as evaluation_module
from ..errors import InputError, UsageError, Where
from ..graphs import Graphs, GraphsLike
from ..result_files import Results, Run, read_results, results_of
from ..results import Evaluation
from ..tables import settings as setting_table
from .runs import Scored

__all__ = ["Inputs", "ResultLike", "graphs_of", "load"]

ResultLike: TypeAlias = "str | os.PathLike[str] | Results | Evaluation"
"""A result file, what it holds, or what ``warpath.evaluate`` returns."""


_others_with_values = (
    *("graphs", "dataset", "format", "name", "max-input", "preset", "metrics", "also", "backend"),
    *("by", "ci", "digits", "json", "csv", "tour-csv"),
)
"""Options of ``warpath eval`` that a result file says itself, or that do not matter here."""


@dataclasses.dataclass
class Inputs:
    """Names inputs in place of those that result files name.

    Attributes:
        predictions: a file for each agent, in their order; none to take those of the result files.
        paths: whether inputs are read at all.
    """

    graphs: GraphsLike | None = None
    dataset: str = ""
    predictions: Sequence[str] = ()
    paths: bool = True

    def are_given(self) -> bool:
        return bool(self.graphs is not None or self.dataset or self.predictions)


def load(sources: Sequence[ResultLike], inputs: Inputs) -> list[Scored]:
    """Returns results with items, and what explains them.

    Raises:
        InputError: a file is no result file, or has no items and its inputs cannot be read; or
            inputs that were named cannot be read, or give other numbers.
    """
    read = [_read(source) for source in sources]
    agents = sum(len(results.runs) for results, _ in read)
    if inputs.predictions and len(inputs.predictions) != agents:
        raise UsageError(
            f"there are {agents} agents and {len(inputs.predictions)} files of predictions; "
            "name a file for each agent"
        )
    scored, first = [], 0
    for results, evaluation in read:
        own = dataclasses.replace(
            inputs, predictions=inputs.predictions[first : first + len(results.runs)]
        )
        first += len(results.runs)
        scored.append(_with_items(results, evaluation, own))
    return scored


def graphs_of(results: Results, inputs: Inputs) -> Graphs | None:
    """Returns the graphs to draw; None if they are nowhere, and of grids."""
    if inputs.graphs is not None:
        return Graphs(inputs.graphs)
    if _options(results.command_line).grid:
        return None
    path = _found(results.graphs.path, results.file)
    return Graphs(path) if path and os.path.exists(path) else None


def _read(source: ResultLike) -> tuple[Results, Evaluation | None]:
    if isinstance(source, Evaluation):
        return results_of(source, "results in memory"), source
    return (source if isinstance(source, Results) else read_results(source)), None


def _with_items(results: Results, evaluation: Evaluation | None, inputs: Inputs) -> Scored:
    if evaluation is not None:
        return Scored(results, evaluation)
    has_items = all(run.items is not None for run in results.runs)
    for run in results.runs if not has_items else ():
        if run.own:
            raise InputError.at(
                Where(results.file, run.name, next(iter(run.own))),
                "is an own metric, whose function is no longer there, without values of items",
                "write the file again, by to_json(items=True)",
            )
    if not inputs.paths and has_items:
        return Scored(results, None)
    try:
        evaluation = _score_again(results, inputs)
        again = results_of(evaluation, results.file)
        _require_same(results, again)
    except (InputError, UsageError) as error:
        if inputs.are_given() or not has_items:
            raise
        return Scored(results, None, str(error))
    if not has_items:
        results = dataclasses.replace(again, command_line=results.command_line)
    return Scored(results, evaluation)


def _score_again(results: Results, inputs: Inputs) -> Evaluation:
    """Evaluates the files that results name, as they were evaluated."""
    options = _options(results.command_line)

    def place(path: str, what: str) -> str:
        found = _found(path, results.file)
        if found and os.path.exists(found):
            return found
        problem = f"names {path} as its {what}, which is not there" if path else f"names no {what}"
        raise InputError.at(Where(results.file), problem, f"name it with --{what}")

    graphs: GraphsLike | None = inputs.graphs
    over_grid = _over_grid(options, place)
    if graphs is None and results.graphs.path and not over_grid:
        graphs = place(results.graphs.path, "graphs")
    common: dict[str, Any] = {
        "preset": results.preset,
        "metrics": [metric for metric in results.metrics if metric not in results.runs[0].own],
        "backend": "reference" if results.precision == "double" else "cpu",
        "interval": results.interval,
        **{name.replace("-", "_"): value for name, value in results.convention.items()},
    }
    dataset = inputs.dataset or place(results.dataset.path, "dataset")
    if options.pairs or results.runs[0].hash == results.dataset.hash:
        if graphs is None and not over_grid:
            raise InputError.at(Where(results.file), "names no graphs", "name them with --graphs")
        return evaluation_module.evaluate_pairs(dataset, graphs, **over_grid, **common)
    files, names = _agents(results.runs)
    if options.merge:
        files = options.predictions
    files = list(inputs.predictions) or [place(file, "predictions") for file in files]
    others: dict[str, Any] = {
        name: place(path, name.replace("_", "-"))
        for name in ("objects", "coordinates", "ground_truth", "navmesh", "tours")
        if (path := getattr(options, name)) and path != results.dataset.path
    }
    for name in ("habitat", "geodesic", "split"):
        if word := getattr(options, name):
            others[name] = word
    for name in ("task_success", "distances"):
        if paths := getattr(options, name):
            others[name] = [place(path, name.replace("_", "-")) for path in paths]
    return evaluation_module.evaluate(
        files,
        dataset,
        graphs,
        names=names,
        merge=options.merge,
        ndh_reference="all" if results.runs[0].reference else options.reference,
        sub_instructions=options.sub_instructions,
        **others,
        **over_grid,
        **common,
    )


def _over_grid(options: argparse.Namespace, place: Callable[[str, str], str]) -> dict[str, Any]:
    """Returns the arguments of ``evaluate`` about a grid."""
    if not options.grid:
        return {}
    found: dict[str, Any] = {"grid": place(options.grid, "grid")}
    if options.connect:
        found["connect"] = options.connect
    if options.snap:
        found["snap"] = float(options.snap)
    return found


def _agents(runs: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Returns the file and the name of each agent: with all of NDH's references it has three
    runs, named ``agent [planner]``."""
    if not runs[0].reference:
        return [run.file for run in runs], [run.name for run in runs]
    own = [run for run in runs if run.reference == runs[0].reference]
    return [run.file for run in own], [run.name.rpartition(" [")[0] for run in own]


def _options(command_line: Sequence[str]) -> argparse.Namespace:
    """Returns what the command line of ``warpath eval`` says about inputs."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("predictions", nargs="*")
    for name in (
        *("pairs", "objects", "coordinates", "ground-truth", "navmesh", "habitat"),
        *("geodesic", "grid", "connect", "snap", "tours", "split"),
    ):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--reference", default="path")
    for name in ("task-success", "distances"):
        parser.add_argument(f"--{name}", action="append", default=[])
    for name in ("merge", "sub-instructions"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in (*_others_with_values, *(name.replace("_", "-") for name in setting_table)):
        parser.add_argument(f"--{name}")  # so that its value is not taken for predictions
    words = list(command_line)
    # Of a program that calls the package only its own words are known.
    words = words[words.index("eval") + 1 :] if "eval" in words[:2] else []
    try:
        options, _ = parser.parse_known_intermixed_args(words)
    except argparse.ArgumentError:
        options, _ = parser.parse_known_args([])
    return options


def _found(path: str, result_file: str) -> str:
    """Returns where a file is: at its path, or else relative to the result file."""
    beside = os.path.join(os.path.dirname(result_file), path)
    return beside if not os.path.exists(path) and os.path.exists(beside) else path


def _require_same(results: Results, again: Results) -> None:
    """Refuses inputs that are not those of the results."""
    for what, old, new in (
        ("dataset", results.dataset.hash, again.dataset.hash),
        ("graphs", results.graphs.hash, again.graphs.hash),
        *(("predictions", a.hash, b.hash) for a, b in zip(results.runs, again.runs)),
    ):
        if old != new:
            raise InputError.at(
                Where(results.file),
                f"was made from other {what} than there are now (hash {old}, now {new})",
                f"name the {what} with --{what}, or score again",
            )
    if [run.name for run in results.runs] != [run.name for run in again.runs]:
        raise InputError.at(Where(results.file), "names other agents", "score again")
    tolerance = 1e-9 if results.precision == "double" else 1e-5
    for old_run, new_run in zip(results.runs, again.runs):
        for metric, old_mean in old_run.summary.items():
            if metric in old_run.own:  # its function is no longer there
                continue
            new_mean = new_run.summary[metric]
            a, b = old_mean.mean or 0.0, new_mean.mean or 0.0
            if old_mean.n != new_mean.n or abs(a - b) > tolerance * max(1.0, abs(a)):
                raise InputError.at(
                    Where(results.file, old_run.name, metric),
                    f"has the mean {a} over {old_mean.n}, and its inputs give {b} over "
                    f"{new_mean.n}",
                    "score again with this version, and without --no-run-info",
                )

"""``warpath plot``: pictures of paths and scores, as papers have them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import InputError, UsageError
from ..files import require_new
from .scoring import add_options, options_in, split_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..results import Evaluation

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath plot``."""
    parser = subparsers.add_parser(
        "plot",
        allow_abbrev=False,
        description="Draw paths and scores: SVG and PDF have text as text, and fit a column of a "
        "paper.",
    )
    kinds = parser.add_subparsers(metavar="KIND", required=True, parser_class=type(parser))
    _add_item_kinds(kinds)
    _add_score_kinds(kinds)
    _add_made_kinds(kinds)


def _add(
    kinds: argparse._SubParsersAction[Any],
    name: str,
    draw: Callable[[argparse.Namespace], Axes],
    text: str,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        name, allow_abbrev=False, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument(
        "-o", "--out", required=True, metavar="FILE", help="picture to write: .pdf, .svg, .png"
    )
    parser.set_defaults(run=run, draw=draw)
    return parser


def _add_item_kinds(kinds: argparse._SubParsersAction[Any]) -> None:
    path = _add(kinds, "path", _path, "an item's paths from above, floor by floor")
    _add_item(path)
    path.add_argument("--alignment", action="store_true", help="the warping, as dashed links")
    path.add_argument("--floor", type=int, metavar="NUMBER", help="one floor, from the bottom: 1")
    path.add_argument(
        "--floor-plan",
        nargs=4,
        metavar=("IMAGE", "SCALE", "X", "Y"),
        help="image behind it: metres per pixel, and where its lower left corner lies",
    )
    path.add_argument(
        "--margin", type=float, default=1.0, metavar="METRES", help="around the paths (default 1)"
    )
    path.add_argument("--whole-floor", action="store_true", help="show all of the floor")
    alignment = _add(kinds, "alignment", _alignment, "an item's distances, and its warping")
    _add_item(alignment)


def _add_item(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="PREDICTIONS", help="NAME=FILE names the agent")
    parser.add_argument("--item", required=True, metavar="ID", help="the instr_id to draw")
    _add_scoring(parser, is_required=True)


def _add_scoring(parser: argparse.ArgumentParser, is_required: bool) -> None:
    group = parser.add_argument_group(
        "Scoring of predictions, as in warpath eval, with the options of its convention"
    )
    add_options(group, is_required)


def _add_score_kinds(kinds: argparse._SubParsersAction[Any]) -> None:
    agents = _add(kinds, "agents", _agents, "the means of agents, with intervals")
    by_length = _add(kinds, "by-length", _by_length, "means by the length of the reference")
    spread = _add(kinds, "distribution", _distribution, "how values are distributed over items")
    matrix = _add(kinds, "metric-matrix", _metric_matrix, "rank correlations of metrics over items")
    for parser in (agents, by_length, spread, matrix):
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help="result files (warpath eval … --json FILE --items), or predictions, which are "
            "scored with the options below; NAME=FILE names the agent",
        )
        _add_scoring(parser, is_required=False)
    for parser in (agents, matrix):
        parser.add_argument("--metrics", metavar="METRIC,...", help="names (default: usual ones)")
    for parser in (by_length, spread):
        _add_metric(parser)
    by_length.add_argument(
        "--width", type=int, default=1, metavar="NUMBER", help="lengths that are taken together"
    )
    spread.add_argument("--kind", choices=("histogram", "ecdf"), default="histogram")
    spread.add_argument("--bins", type=int, default=20, metavar="NUMBER")


def _add_metric(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--metric", default="nDTW", help="its name (default nDTW)")


def _add_made_kinds(kinds: argparse._SubParsersAction[Any]) -> None:
    baseline = _add(kinds, "baseline", _baseline, "the histogram of a metric over random walks")
    baseline.add_argument("file", metavar="FILE", help="of warpath random … --json")
    baseline.add_argument("--results", nargs="+", metavar="FILE", help="result files of agents")
    _add_metric(baseline)
    lengths = _add(kinds, "lengths", _lengths, "how long the references of datasets are")
    lengths.add_argument("files", nargs="+", metavar="NAME=FILE", help="datasets in R2R's form")
    lengths.add_argument("--graphs", required=True, metavar="FOLDER")
    lengths.add_argument(
        "--of",
        choices=("PLR", "SP", "n_ref"),
        default="PLR",
        help="length in metres, distance from start to goal, or viewpoints (default PLR)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    files = getattr(arguments, "files", None) or [arguments.file]
    options = ("dataset", "graphs", "navmesh", "grid", "results")
    others = [getattr(arguments, option, None) or [] for option in options]
    named = [[other] if isinstance(other, str) else list(other) for other in others]
    image = getattr(arguments, "floor_plan", None) or []
    inputs = [*_named(files)[0], *(file for one in named for file in one), *image[:1]]
    inputs += [os.path.dirname(file) or "." for file in named[3] if os.path.isfile(file)]
    require_new({"--out": arguments.out}, inputs)
    from .. import plot  # names the extra where matplotlib is missing

    import matplotlib

    matplotlib.use("agg")  # a window is neither needed nor always there
    plot.save(arguments.draw(arguments), arguments.out)
    return 0


def _named(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns files and names of agents, the file's where none is given."""
    files, given = split_names(words)
    names = [name or os.path.basename(file).split(".")[0] for file, name in zip(files, given)]
    if len(set(names)) < len(names):
        raise UsageError("two agents have the same name: write NAME=FILE")
    return files, names


def _evaluate(arguments: argparse.Namespace) -> Evaluation:
    from ..evaluation import evaluate

    files, names = _named(arguments.files)
    return evaluate(files, names=names, **options_in(arguments))


def _results(arguments: argparse.Namespace) -> Any:
    """Returns what scores are drawn of: predictions scored, or result files."""
    from ..result_files import is_result_file

    files, _ = _named(arguments.files)
    if arguments.dataset is not None:
        return _evaluate(arguments)
    for file in files:
        if not is_result_file(file):
            raise InputError(f"{file}: is no result file; give --dataset and --graphs to score it")
    return files


def _path(arguments: argparse.Namespace) -> Axes:
    from .. import plot
    from ..grids import Grid
    from ..navmesh import NavMesh

    result = _evaluate(arguments)
    plan = arguments.floor_plan
    try:
        floor_plan = plan and plot.FloorPlan(
            plan[0], float(plan[1]), (float(plan[2]), float(plan[3]))
        )
    except ValueError as error:
        raise UsageError(f"--floor-plan: {error}; give IMAGE and three numbers") from error
    items = result.explain_items(arguments.item)
    mesh = None
    if arguments.navmesh:
        is_file = os.path.isfile(arguments.navmesh)
        mesh = NavMesh(arguments.navmesh, scan="" if is_file else items[0].scan)
    grid = Grid.read(arguments.grid, items[0].scan) if arguments.grid else None
    return plot.path(
        arguments.graphs,
        items,
        navmesh=mesh,
        grid=grid,
        alignment=arguments.alignment,
        floor=arguments.floor,
        floor_plan=floor_plan,
        margin=None if arguments.whole_floor else arguments.margin,
    )


def _alignment(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    items = _evaluate(arguments).explain_items(arguments.item)
    if len(items) > 1:
        raise UsageError("there are several agents: give the predictions of one")
    return plot.alignment(items[0])


def _agents(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    return plot.agents(_results(arguments), arguments.metrics)


def _by_length(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    return plot.by_length(_results(arguments), arguments.metric, width=arguments.width)


def _distribution(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    return plot.distribution(
        _results(arguments), arguments.metric, kind=arguments.kind, bins=arguments.bins
    )


def _metric_matrix(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    return plot.metric_matrix(_results(arguments), arguments.metrics)


def _baseline(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    return plot.baseline(arguments.file, arguments.metric, results=arguments.results)


def _lengths(arguments: argparse.Namespace) -> Axes:
    from .. import plot

    files, names = _named(arguments.files)
    return plot.lengths(dict(zip(names, files)), arguments.graphs, arguments.of)

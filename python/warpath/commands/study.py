"""``warpath study``: rankings of paths by metrics beside rankings by people."""

from __future__ import annotations

import argparse
import os
from typing import Any

from .. import _core
from ..errors import UsageError
from ..files import require_new
from .printing import (
    add_digits,
    add_file_options,
    add_markup_options,
    print_tabled,
    progress_line,
    require_outputs,
)

__all__ = ["add_command", "run_make", "run_score", "run_simulate"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath study``."""
    parser = subparsers.add_parser(
        "study",
        allow_abbrev=False,
        description="Do rankings of paths by a metric agree with rankings by people? The study of "
        "Ilharco et al. 2019 (section 4.1), or one with paths of your own.",
    )
    steps = parser.add_subparsers(metavar="STEP", required=True, parser_class=type(parser))
    _add_make(steps)
    _add_simulate(steps)
    _add_score(steps)


def _add_make(steps: argparse._SubParsersAction[Any]) -> None:
    parser = steps.add_parser(
        "make",
        allow_abbrev=False,
        help="write sets of paths, sheets to hand out, and a form for the answers",
        description="Write a folder: pairs.jsonl (what warpath eval --pairs reads), graph.json, "
        "sheets.pdf with a page for each set, answers.csv to fill in, study.json.",
    )
    parser.set_defaults(run=run_make)
    sets = parser.add_argument_group("Sets")
    add = sets.add_argument
    add("--seed", type=int, default=1, metavar="NUMBER", help="of sets and sheets (default 1)")
    add(
        "--sets",
        default="UC=265,SC=240",
        metavar="NAME=COUNT,...",
        help="UC: any queries; SC: those that succeed (default UC=265,SC=240)",
    )
    add("--queries", type=int, default=5, metavar="NUMBER", help="of a set, 2 to 26 (default 5)")
    add(
        "--start",
        default="reference",
        choices=("reference", "free"),
        help="queries start where the reference does, or anywhere (default reference)",
    )
    add("--pairs", metavar="FILE", help="sets of your own: JSON Lines, ids <set>_<letter>")
    add("--graphs", metavar="PATH", help="graphs of these pairs")
    add(
        "--threshold",
        type=float,
        metavar="METRES",
        help="d_th (default: 1.33 x the mean edge, of your own pairs 3)",
    )
    sheets = parser.add_argument_group("Sheets")
    add = sheets.add_argument
    add(
        "--sheets",
        default="pdf",
        choices=("pdf", "svg", "png", "none"),
        help="one PDF, or a folder of pages (default pdf)",
    )
    add("--raters", type=int, default=9, metavar="NUMBER", help="people (default 9)")
    add(
        "--per-set",
        type=int,
        default=1,
        metavar="NUMBER",
        help="how many of them rank a set; sets are dealt out in turn (default 1)",
    )
    output = parser.add_argument_group("Output files")
    output.add_argument("-o", "--out", required=True, metavar="FOLDER", help="where the files go")
    output.add_argument(
        "--force", action="store_true", help="replace files that were changed or are of others"
    )


def _add_simulate(steps: argparse._SubParsersAction[Any]) -> None:
    parser = steps.add_parser(
        "simulate",
        allow_abbrev=False,
        help="make up raters, to check the procedure",
        description="Make up rankings of all sets. A rater's cost of a query is the mean distance "
        "of both curves, plus a taste for the end, plus noise; no metric is used. Tables made of "
        "them say so.",
    )
    parser.set_defaults(run=run_simulate)
    add = parser.add_argument
    add("study", metavar="FOLDER", help="of warpath study make")
    add("--raters", type=int, default=9, metavar="NUMBER", help="how many (default 9)")
    add(
        "--per-set",
        type=int,
        default=1,
        metavar="NUMBER",
        help="how many of them rank a set (default 1)",
    )
    add(
        "--noise",
        type=float,
        default=0.35,
        metavar="METRES",
        help="scale of the Gumbel noise (default 0.35)",
    )
    add("--seed", type=int, default=1, metavar="NUMBER", help="of tastes and noise (default 1)")
    add("-o", "--out", required=True, metavar="FILE", help="rater,set,query,rank; .gz is packed")


def _add_score(steps: argparse._SubParsersAction[Any]) -> None:
    parser = steps.add_parser(
        "score",
        allow_abbrev=False,
        help="correlate rankings by metrics with rankings by people",
        description="Print Spearman's rank correlation of each metric with people, by scenario: "
        "mean, standard deviation, n (Ilharco et al. 2019, Table 2).",
    )
    parser.set_defaults(run=run_score)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="the study's folder, then the ratings: rater,set,query,rank (or score, higher is "
        "better), or rater,sheet,1,2,… with a letter for each rank; with --scores the folder may "
        "be left out",
    )
    of = parser.add_argument_group("Metrics")
    add = of.add_argument
    add("--metrics", metavar="METRIC,...", help="names (default: those of the paper)")
    add("--scores", metavar="FILE", help="columns of other programs, by id")
    add(
        "--lower",
        default="",
        metavar="METRIC,...",
        help="those where lower is better, besides what warpath metrics says",
    )
    add("--graphs", metavar="PATH", help="graphs, in place of those of the folder")
    add("--threshold", type=float, metavar="METRES", help="d_th, in place of that of study.json")
    how = parser.add_argument_group("Correlation")
    add = how.add_argument
    add(
        "--unit",
        default="questionnaire",
        choices=("questionnaire", "set"),
        help="what a correlation is of; set: the ranks of its raters are averaged first",
    )
    add(
        "--undefined",
        default="skip",
        choices=("skip", "zero"),
        help="where a metric or rater gives all queries one rank: leave out, or count 0",
    )
    add(
        "--incomplete",
        default="error",
        choices=("error", "skip"),
        help="questionnaires that lack a query: refuse the file, or leave them out",
    )
    table = parser.add_argument_group("Table")
    add_markup_options(table)
    add_digits(table, 2)
    output = parser.add_argument_group("Output files")
    add_file_options(output)
    output.add_argument("--csv", metavar="FILE", help="write each questionnaire's correlations")


def run_make(arguments: argparse.Namespace) -> int:
    """Runs ``warpath study make`` and returns its exit code."""
    from ..study import make

    found = make(
        arguments.out,
        seed=arguments.seed,
        sets=arguments.sets,
        queries=arguments.queries,
        start=arguments.start,
        pairs=arguments.pairs,
        graphs=arguments.graphs,
        threshold=arguments.threshold,
        sheets=arguments.sheets,
        raters=arguments.raters,
        per_set=arguments.per_set,
        force=arguments.force,
        progress=progress_line("sheet"),
    )
    counts = dict[str, int]()
    for one in found.sets.values():
        counts[one.scenario] = counts.get(one.scenario, 0) + 1
    listed = ", ".join(f"{count} {scenario}" for scenario, count in counts.items())
    folder = _core.clean_text(arguments.out)
    print(
        f"{len(found.sets)} sets ({listed}), {len(found.ids)} queries; success within "
        f"{found.threshold:.6g} m\nFiles in {folder}: fill in answers.csv, then: warpath study "
        f"score {folder} {folder.rstrip('/')}/answers.csv"
    )
    return 0



def run_simulate(arguments: argparse.Namespace) -> int:
    """Runs ``warpath study simulate`` and returns its exit code."""
    from ..study import read, simulate

    study = read(arguments.study)
    graphs = [study.graphs.path] if study.graphs.path else []
    require_new({"--out": arguments.out}, [*_files_in(arguments.study), *graphs])
    simulate(
        study,
        raters=arguments.raters,
        per_set=arguments.per_set,
        noise=arguments.noise,
        seed=arguments.seed,
        out=arguments.out,
    )
    return 0


def _files_in(folder: str) -> list[str]:
    """Returns what a study consists of: files that no output replaces."""
    names = ("pairs.jsonl", "graph.json", "answers.csv", "sheets.pdf")
    packed = [f"{name}.gz" for name in names]
    return [os.path.join(folder, name) for name in (*names, *packed, "study.json")]


def run_score(arguments: argparse.Namespace) -> int:
    """Runs ``warpath study score`` and returns its exit code."""
    from ..study import read, score

    *folders, ratings = arguments.files
    if len(folders) > 1:
        raise UsageError("give the study's folder and the ratings, no further file")
    if not folders and not arguments.scores:
        raise UsageError("give the study's folder and the ratings, or --scores and the ratings")
    study = None
    if folders:
        study = read(folders[0], graphs=arguments.graphs, threshold=arguments.threshold)
    inputs = [ratings, *([arguments.scores] if arguments.scores else [])]
    inputs += _files_in(folders[0]) if folders else []
    inputs += [study.graphs.path] if study and study.graphs.path else []
    require_outputs(arguments, inputs, csv=arguments.csv)
    found = score(
        study,
        ratings,
        scores=arguments.scores,
        metrics=arguments.metrics,
        lower=arguments.lower,
        unit=arguments.unit,
        undefined=arguments.undefined,
        incomplete=arguments.incomplete,
    )
    print_tabled(found, arguments, digits=arguments.digits)
    return 0

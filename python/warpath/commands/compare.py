"""``warpath compare``: agents side by side, with intervals and p-values."""

from __future__ import annotations

import argparse
from typing import Any

from .. import comparison
from ..comparison.inputs import ALLOWANCES
from ..comparison.layout import Style
from .printing import (
    add_file_options,
    add_fraction_digits,
    add_markup_options,
    print_result,
    require_outputs,
)
from .scoring import add_options, options_in, split_names

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath compare``."""
    parser = subparsers.add_parser(
        "compare",
        allow_abbrev=False,
        description="Test whether agents differ: per metric the difference of means with its 95 % "
        "interval and a p-value, both by clusters of paths.",
        epilog="For predictions there is an option for every setting, too (--threshold 2): see "
        "warpath help eval.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="result files (warpath eval … --json FILE --items), or predictions, which are scored "
        "with the options below; NAME=FILE names the agent; each is compared with the first",
    )
    _add_comparison(parser.add_argument_group("Comparison"))
    _add_table(parser.add_argument_group("Table"))
    add_file_options(parser.add_argument_group("Output files"))
    add_options(parser.add_argument_group("Scoring of predictions, as in warpath eval"))
    parser.set_defaults(run=run)


def _add_comparison(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--metrics", metavar="METRIC,...", help="names, or all (default: headline)")
    group.add_argument(
        "--ci",
        dest="interval",
        default="path",
        choices=("path", "scan", "none", "bootstrap"),
        help="clusters of intervals and p-values (default path); bootstrap: intervals that "
        "resample paths",
    )
    group.add_argument(
        "--by",
        default="none",
        choices=("none", "scan", "length", "language"),
        help="differences by scan, length (viewpoints of the reference) or language, too",
    )
    group.add_argument("--all-pairs", action="store_true", help="compare every two agents")
    group.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="WHAT,...",
        help="compare what is refused otherwise: "
        + "; ".join(f"{name} ({meaning})" for name, meaning in ALLOWANCES.items()),
    )
    group.add_argument(
        "--rank", metavar="METRIC", help="metric of the items that differ most (default nDTW)"
    )
    group.add_argument(
        "--items",
        type=int,
        metavar="NUMBER",
        help="how many of them (default 5; none under --markdown and --latex)",
    )
    group.add_argument(
        "--permutations",
        type=int,
        default=9999,
        metavar="NUMBER",
        help="random flips of signs behind a p-value (default 9999)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="NUMBER", help="of flips and resamples (default 0)"
    )


def _add_table(group: argparse._ArgumentGroup) -> None:
    add_markup_options(group)
    group.add_argument("--percent", action="store_true", help="fractions x 100")
    add_fraction_digits(group)
    group.add_argument("--no-intervals", action="store_true", help="differences alone")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    files, names = split_names(arguments.files)
    require_outputs(arguments, files)
    found = comparison.compare(
        files,
        names=names if any(names) else [],
        metrics=arguments.metrics,
        interval=arguments.interval,
        by=arguments.by,
        all_pairs=arguments.all_pairs,
        allow=",".join(arguments.allow),
        rank=arguments.rank,
        items=5 if arguments.items is None else arguments.items,
        permutations=arguments.permutations,
        seed=arguments.seed,
        **options_in(arguments),
    )

    def tables(markup: str, width: int, colour: bool) -> str:
        items = markup == "text" or arguments.items is not None
        intervals = not arguments.no_intervals
        return found.tables(
            Style(markup, width, colour, arguments.percent, arguments.digits, intervals, items)
        )

    print_result(found, arguments, tables)
    return 0

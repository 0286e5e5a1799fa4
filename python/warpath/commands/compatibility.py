"""``warpath compatibility``: whether instructions and trajectories belong together."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import UsageError
from .printing import add_file_options, add_markup_options, print_tabled, require_outputs

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath compatibility``."""
    parser = subparsers.add_parser(
        "compatibility",
        allow_abbrev=False,
        description="Say how well embeddings of instructions and trajectories find each other, and "
        "how well their cosine tells good instructions from others (Zhao et al. 2021). Files are "
        "those of numpy.save, a row of numbers for each.",
    )
    add = parser.add_argument
    add("instructions", metavar="INSTRUCTIONS", help="embeddings [N, d], .npy")
    add("trajectories", metavar="TRAJECTORIES", help="embeddings [T, d], .npy")
    add(
        "--match",
        metavar="FILE",
        help="integers [N], .npy: the row of each instruction's trajectory; may be left out where "
        "N is T",
    )
    add("--labels", metavar="FILE", help="0 or 1 [N], .npy: which instructions are good; gives AUC")
    add("--k", metavar="K,...", default="1,5,10", help="of recall@k (default 1,5,10)")
    table = parser.add_argument_group("Table")
    add_markup_options(table)
    table.add_argument(
        "--digits", type=int, default=4, choices=range(16), metavar="NUMBER", help="decimals (default 4)"
    )
    files = parser.add_argument_group("Output files")
    add_file_options(files)
    files.add_argument(
        "--csv",
        metavar="FILE",
        help="write a row for each instruction: its number, its trajectory's, and their cosine "
        "(compatibility), as warpath correlate reads scores",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    from ..compatibility import report

    numbers = arguments.k.split(",")
    if not all(number.isdecimal() and 0 < int(number) < 10**9 for number in numbers):
        raise UsageError(f"--k {arguments.k}: give integers from 1 on, with commas between them")
    inputs = [arguments.instructions, arguments.trajectories, arguments.match, arguments.labels]
    require_outputs(arguments, [file for file in inputs if file], csv=arguments.csv)
    found = report(
        arguments.instructions,
        arguments.trajectories,
        arguments.match,
        arguments.labels,
        list(dict.fromkeys(map(int, numbers))),
    )
    if arguments.csv:
        found.to_csv(arguments.csv)
    print_tabled(found, arguments, digits=arguments.digits)
    return 0

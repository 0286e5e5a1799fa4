"""``warpath compatibility``: whether instructions and trajectories belong together."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import UsageError
from .printing import (
    add_digits,
    add_file_options,
    add_markup_options,
    print_tabled,
    require_outputs,
)

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath compatibility``."""
    parser = subparsers.add_parser(
        "compatibility",
        allow_abbrev=False,
        description="Say whether instructions and trajectories belong together, by the cosines of "
        "embeddings that an encoder of yours made: retrieval in both directions, and how well the "
        "scores of pairs tell good instructions from bad ones (Zhao et al. 2021, section 4).",
        epilog="Files are arrays that numpy.save wrote, packed by gzip or not.",
    )
    add = parser.add_argument
    add("instructions", metavar="INSTRUCTIONS", help="numbers [N, d]: a row for each instruction")
    add("trajectories", metavar="TRAJECTORIES", help="numbers [T, d]: a row for each trajectory")
    add(
        "--match",
        metavar="FILE",
        help="integers [N]: the row of each instruction's trajectory, from 0 (default: row i of "
        "both belong together)",
    )
    add("--labels", metavar="FILE", help="0 or 1 [N]: whether an instruction is good, for the AUC")
    add("--k", default="1,5,10", metavar="K,...", help="of recall@k (default 1,5,10)")
    table = parser.add_argument_group("Table")
    add_markup_options(table)
    add_digits(table, 4)
    files = parser.add_argument_group("Output files")
    add_file_options(files)
    files.add_argument(
        "--csv",
        metavar="FILE",
        help="write a row for each instruction, with its score as compatibility: a file of scores "
        "for warpath correlate",
    )
    files.add_argument(
        "--ids",
        metavar="FILE",
        help="CSV or JSON Lines, a row for each instruction: its cells (instruction, system, ...) "
        "stand in its row of --csv (default: instruction is the number of its row)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    from .. import compatibility

    if arguments.ids and not arguments.csv:
        raise UsageError("--ids names the rows of --csv FILE: give both")
    given = (arguments.instructions, arguments.trajectories, arguments.match, arguments.labels)
    inputs = [file for file in (*given, arguments.ids) if file]
    require_outputs(arguments, inputs, csv=arguments.csv)
    found = compatibility.measure(*given, k=_numbers(arguments.k), ids=arguments.ids)
    print_tabled(found, arguments, digits=arguments.digits)
    return 0


def _numbers(text: str) -> list[int]:
    numbers = [one.strip() for one in text.split(",")]
    for one in numbers:
        if not (one.isascii() and one.isdigit() and 0 < len(one) < 10 and int(one)):
            raise UsageError(f"--k {text}: give integers from 1 on, such as 1,5,10")
    return [int(one) for one in numbers]

"""``warpath correlate``: scores of instructions against what people did with them."""

from __future__ import annotations

import argparse
from typing import Any

from .. import correlation
from ..errors import UsageError
from .printing import (
    add_digits,
    add_file_options,
    add_markup_options,
    print_tabled,
    progress_line,
    require_outputs,
)

__all__ = ["add_command", "run"]

_defaults = ("system", "instruction", "level", "tau", "draws", "confidence", "seed", "missing")


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath correlate``."""
    parser = subparsers.add_parser(
        "correlate",
        allow_abbrev=False,
        description="Say how well scores of instructions predict how people follow them: Kendall's "
        "tau with bootstrap intervals over systems and over instructions, Table 3 of Zhao et al. "
        "2021. Scores are numbers of yours: BLEU, SPICE, warpath compatibility.",
    )
    parser.add_argument(
        "attempts",
        metavar="ATTEMPTS",
        help="CSV or JSON Lines, a row for each attempt: instruction (or instr_id), the columns of "
        "systems, outcomes; such as warpath traces --csv writes",
    )
    _add_columns(parser.add_argument_group("Columns"))
    _add_intervals(parser.add_argument_group("Correlation"))
    table = parser.add_argument_group("Table")
    add_markup_options(table)
    add_digits(table, 2)
    table.add_argument("--no-intervals", action="store_true", help="tau alone")
    add_file_options(parser.add_argument_group("Output files"))
    parser.set_defaults(run=run)


def _add_columns(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--scores",
        metavar="FILE",
        help="CSV or JSON Lines, a row for each instruction (default: scores are in ATTEMPTS)",
    )
    add("--score", required=True, metavar="COLUMN,...", help="columns that score instructions")
    add("--outcome", required=True, metavar="COLUMN,...", help="columns of what people did")
    add(
        "--system",
        metavar="COLUMN,...",
        help="columns that tell systems apart (default system and split, where they are there)",
    )
    add(
        "--only",
        action="append",
        default=[],
        metavar="COLUMN=VALUE,...",
        help="keep only rows with one of the values; once for each column",
    )
    add("--instruction", metavar="COLUMN", help="column of instructions (default instruction)")
    add(
        "--missing",
        choices=("refuse", "skip"),
        help="instructions without a score, scores without an attempt, empty cells (default "
        "refuse); skip leaves the instruction out of the pairs of columns that lack it",
    )


def _add_intervals(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--level",
        metavar="LEVEL,...",
        help="system (means of systems), instance (instructions) or both (default both)",
    )
    add("--tau", choices=("b", "c"), help="Kendall's tau-b or tau-c (default b)")
    add("--draws", type=int, metavar="NUMBER", help="resamples of instructions (default 10000)")
    add("--confidence", type=float, metavar="SHARE", help="of intervals (default 0.9)")
    add("--seed", type=int, metavar="NUMBER", help="of resamples (default 0)")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    require_outputs(arguments, [f for f in (arguments.attempts, arguments.scores) if f])
    given = {name: getattr(arguments, name) for name in _defaults}
    found = correlation.correlate(
        arguments.attempts,
        arguments.scores,
        score=arguments.score,
        outcome=arguments.outcome,
        only=_only(arguments.only),
        progress=progress_line("draw"),
        **{name: value for name, value in given.items() if value is not None},
    )
    print_tabled(
        found, arguments, digits=arguments.digits, intervals=not arguments.no_intervals
    )
    return 0


def _only(texts: list[str]) -> dict[str, list[str]]:
    found = {}
    for text in texts:
        column, equals, values = text.partition("=")
        if not equals or not column.strip() or not values.strip():
            raise UsageError(f"--only {text}: give COLUMN=VALUE, such as system=envdrop")
        if column.strip() in found:
            raise UsageError(f"--only names {column.strip()} twice: give its values with commas")
        found[column.strip()] = [value.strip() for value in values.split(",")]
    return found

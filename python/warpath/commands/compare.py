"""``warpath compare``: agents side by side, with intervals and p-values."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import Any

from .. import _core, comparison
from ..comparison.inputs import ALLOWANCES
from ..comparison.layout import Style
from .output import require_new, write_whole
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
    _add_files(parser.add_argument_group("Output files"))
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
    style = group.add_mutually_exclusive_group()
    style.add_argument(
        "--markdown", action="store_true", help="nothing but Markdown tables on standard output"
    )
    style.add_argument(
        "--latex",
        action="store_true",
        help="nothing but LaTeX tables on standard output, with booktabs' rules",
    )
    group.add_argument("--percent", action="store_true", help="fractions x 100")
    group.add_argument(
        "--digits",
        type=int,
        default=4,
        choices=range(16),
        metavar="NUMBER",
        help="decimals of fractions; lengths have one fewer, percent two fewer (default 4)",
    )
    group.add_argument("--no-intervals", action="store_true", help="differences alone")
    group.add_argument("--quiet", action="store_true", help="no table")


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--out", metavar="FILE", help="write the table to a file instead")
    group.add_argument(
        "--json", metavar="FILE", help="write everything as JSON; - is standard output"
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    files, names = split_names(arguments.files)
    require_new({"--out": arguments.out, "--json": arguments.json}, files)
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
    if arguments.json and arguments.json != "-":
        write_whole(arguments.json, found.to_json())
    if not arguments.quiet:
        _print(found, arguments)
    if arguments.json == "-":
        sys.stdout.write(found.to_json())
    return 0


def _print(found: Any, arguments: argparse.Namespace) -> None:
    """Prints what people read: tables to standard output or a file; under --markdown and --latex
    the rest goes to standard error, and so does all of it if the JSON takes standard output."""
    markup = "markdown" if arguments.markdown else "latex" if arguments.latex else "text"
    is_stdout_taken = arguments.json == "-"
    is_terminal, colour, width = _core.terminal(1)
    has_colour = colour and not is_stdout_taken and not arguments.out
    style = Style(
        markup, width if markup == "text" else 0, has_colour, arguments.percent, arguments.digits,
        not arguments.no_intervals, markup == "text" or arguments.items is not None,
    )  # fmt: skip
    tables = found.tables(style)
    if arguments.out and arguments.out != "-":
        whole = tables if markup != "text" else f"{found.inputs()}\n{tables}\n{found.notes()}"
        write_whole(arguments.out, whole)
        return
    out = sys.stderr if is_stdout_taken else sys.stdout
    rest = out if markup == "text" else sys.stderr
    rest.write(f"{found.inputs()}\n")
    rest.flush()
    out.write(tables)
    out.flush()
    rest.write("\n" + _folded(found.notes(), width if is_terminal else 0))


def _folded(text: str, width: int) -> str:
    """Folds lines for a terminal; width 0 leaves them."""
    if width < 20:
        return text
    lines = (textwrap.fill(line, width, subsequent_indent="  ") for line in text.splitlines())
    return "\n".join(lines) + "\n"

"""``warpath traces``: what followers saw, and how well they did."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

from ..errors import UsageError
from ..tables import settings as setting_table
from .printing import (
    add_file_options,
    add_fraction_digits,
    add_markup_options,
    print_tabled,
    require_outputs,
)

__all__ = ["add_command", "run"]

_of_reading = ("masks", "visits", "time_unit", "max_input")
_of_table = ("dataset", "graphs", "by", "preset", "paths", "missing", "weight")


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath traces``."""
    parser = subparsers.add_parser(
        "traces",
        allow_abbrev=False,
        description="Say what followers saw and how well they did, from the pose traces that RxR "
        "(.npz) and PanGEA (JSON Lines) record: the wayfinding table of Zhao et al. 2021.",
        epilog="There is an option for every setting of the convention, too (--threshold 2): see "
        "warpath help eval. Of them --missing is not there: it is about traces here.",
    )
    parser.add_argument(
        "traces", metavar="TRACES", help="the folder of traces; with --search a trace"
    )
    parser.add_argument(
        "--search", action="store_true", help="the visual search of one trace, visit by visit"
    )
    _add_attempts(parser.add_argument_group("Attempts"))
    _add_reading(parser.add_argument_group("Traces"))
    table = parser.add_argument_group("Table")
    add_markup_options(table)
    add_fraction_digits(table)
    table.add_argument("--no-intervals", action="store_true", help="means alone")
    files = parser.add_argument_group("Output files")
    add_file_options(files)
    files.add_argument(
        "--csv",
        metavar="FILE",
        help="write a row for each attempt, as warpath correlate reads it; with --search for each "
        "visit",
    )
    parser.set_defaults(run=run)


def _add_attempts(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--attempts",
        metavar="FILE",
        help="CSV or JSON Lines: trace or path, instruction (or scan and reference), and freely "
        "system, split, annotator, quality (1-5), words, time; or RxR's follower file",
    )
    add("--dataset", metavar="FILE", help="of the instructions; without it attempts have references")
    add("--graphs", metavar="FOLDER", help="as in warpath eval")
    add("--preset", metavar="PRESET", help="the convention of NE, SR, SPL and SDTW (default paper)")
    add(
        "--by",
        metavar="COLUMN,...",
        help="columns that tell rows apart (default system and split, where they are there)",
    )
    add(
        "--paths",
        choices=("agree", "file", "trace"),
        help="of an attempt with a path and a trace: both must agree (default), or that of the file "
        "or of the trace is scored",
    )
    add(
        "--missing",
        choices=("refuse", "skip"),
        help="attempts without a trace or path, traces named twice or never (default refuse); skip "
        "counts them",
    )
    for setting in setting_table.values():
        if setting.name != "missing":
            option = f"--{setting.name.replace('_', '-')}"
            add(option, dest=f"setting {setting.name}", help=argparse.SUPPRESS)


def _add_reading(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--weight",
        choices=("pixels", "solid-angle"),
        help="of a pixel in the visual search (default pixels: each alike)",
    )
    add(
        "--masks",
        choices=("computed", "published"),
        help="what was seen: computed from the poses (default), or RxR's image_mask",
    )
    add(
        "--visits",
        choices=("each", "joined"),
        help="a viewpoint visited again: each visit (default), or all of them joined",
    )
    add(
        "--time-unit",
        choices=("s", "ms"),
        help="of the traces (default: a median step of 1 or more is milliseconds)",
    )
    add(
        "--max-input",
        type=_bytes,
        metavar="SIZE",
        help="most bytes of a trace or dataset, also once unpacked, e.g. 8G (default: a quarter of "
        "the memory)",
    )


def _bytes(text: str) -> int:
    found = re.fullmatch(r"([1-9]\d{0,17})\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no size above 0, such as 8G")
    return int(found[1]) << 10 * " kmgt".index(found[2] or " ")


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    found = _search(arguments) if arguments.search else _wayfinding(arguments)
    print_tabled(
        found, arguments, digits=arguments.digits, intervals=not arguments.no_intervals
    )
    return 0


def _given(arguments: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    return {n: getattr(arguments, n) for n in names if getattr(arguments, n) is not None}


def _search(arguments: argparse.Namespace) -> Any:
    from .. import traces

    settings = _settings(arguments)
    others = [*_given(arguments, ("attempts", *_of_table)), *settings]
    if others:
        option = others[0].replace("_", "-")
        raise UsageError(f"--search is of one trace and takes no --{option}")
    require_outputs(arguments, [arguments.traces], csv=arguments.csv)
    return traces.search(arguments.traces, **_given(arguments, _of_reading))


def _wayfinding(arguments: argparse.Namespace) -> Any:
    from .. import traces

    if arguments.attempts is None:
        raise UsageError("give --attempts FILE, or --search for one trace")
    folder = arguments.traces
    inside = [os.path.join(folder, name) for name in _names_in(folder)]
    inputs = [arguments.attempts, *(f for f in (arguments.dataset, arguments.graphs) if f)]
    require_outputs(arguments, [*inputs, *inside], csv=arguments.csv)
    options = _given(arguments, (*_of_reading, *_of_table))
    dataset, graphs = options.pop("dataset", None), options.pop("graphs", None)
    settings = _settings(arguments)
    return traces.wayfinding(arguments.attempts, folder, dataset, graphs, **options, **settings)


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # reading it says why


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    named = {s.name: getattr(arguments, f"setting {s.name}", None) for s in setting_table.values()}
    return {name: value for name, value in named.items() if value is not None}

"""``warpath report``: results as an HTML file that one can open."""

from __future__ import annotations

import argparse
import sys
from typing import Any

__all__ = ["add_command", "run"]

_description = """Write a report of agents over the same items: one HTML file with the scores, all
items in a table, and the paths of each over its building in 3-D. The file needs no network.

A result file is what "warpath eval --json FILE" writes. The paths come from the dataset, graphs and
predictions that it names; where these were moved, --dataset, --graphs and --predictions say where
they are. Without them, a file of "--json FILE --items" gives a report without paths."""


def add_command(subparsers: Any) -> None:
    """Adds the command's parser."""
    parser = subparsers.add_parser(
        "report",
        description=_description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="Write a page that shows agents and items in a browser",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULT", help="file of warpath eval --json")
    add("-o", "--output", required=True, metavar="FILE", help="the HTML file")
    add("--graphs", metavar="PATH", help="graphs, in place of those that the results name")
    add("--dataset", default="", metavar="FILE", help="dataset, likewise")
    add(
        "--predictions",
        action="append",
        default=[],
        metavar="FILE",
        help="predictions, likewise: once for each agent, in their order",
    )
    add("--title", default="", metavar="TEXT", help="title (default: the dataset's name)")
    add(
        "--metric",
        default="",
        metavar="METRIC",
        help="metric that says which items are the worst and the most disputed (default: nDTW)",
    )
    add(
        "--details",
        type=int,
        default=3000,
        metavar="NUMBER",
        help="most items with paths, the worst and the most disputed; 0 for all (default: 3000)",
    )
    add("--no-paths", action="store_true", help="scores alone; no inputs are read")
    add("--no-run-info", action="store_true", help="leave the command lines out")
    add("--force", action="store_true", help="replace a file that is no report")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes the report and returns the exit code."""
    from .. import report

    notes = report.write(
        arguments.results,
        arguments.output,
        graphs=arguments.graphs,
        dataset=arguments.dataset,
        predictions=arguments.predictions,
        title=arguments.title,
        metric=arguments.metric,
        details=arguments.details,
        paths=not arguments.no_paths,
        run_info=not arguments.no_run_info,
        force=arguments.force,
    )
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return 0

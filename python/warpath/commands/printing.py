"""What the commands share that print tables: their options, and where the parts of a result go."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .. import _core
from ..files import require_new, write_whole
from ..output_tables import TableStyle

__all__ = [
    "add_digits",
    "add_file_options",
    "add_fraction_digits",
    "add_markup_options",
    "print_result",
    "print_tabled",
    "progress_line",
    "require_outputs",
]


class Printable(Protocol):
    """A result with lines on its inputs, tables and notes."""

    def inputs(self) -> str: ...
    def notes(self) -> str: ...
    def to_json(self) -> str: ...


def add_markup_options(group: argparse._ArgumentGroup) -> None:
    """Adds ``--markdown``, ``--latex`` and ``--quiet``."""
    style = group.add_mutually_exclusive_group()
    style.add_argument(
        "--markdown", action="store_true", help="nothing but Markdown tables on standard output"
    )
    style.add_argument(
        "--latex",
        action="store_true",
        help="nothing but LaTeX tables on standard output, with booktabs' rules",
    )
    group.add_argument("--quiet", action="store_true", help="no table")


def add_digits(group: argparse._ArgumentGroup, usual: int, what: str = "decimals") -> None:
    """Adds ``--digits``, whose help is `what` and the usual number."""
    group.add_argument(
        "--digits",
        type=int,
        default=usual,
        choices=range(16),
        metavar="NUMBER",
        help=f"{what} (default {usual})",
    )


def add_fraction_digits(group: argparse._ArgumentGroup) -> None:
    """Adds ``--digits`` of a table of metrics."""
    add_digits(group, 4, "decimals of fractions; lengths have one fewer, percent two fewer")


def add_file_options(group: argparse._ArgumentGroup) -> None:
    """Adds ``--out`` and ``--json``."""
    group.add_argument("-o", "--out", metavar="FILE", help="write the table to a file instead")
    group.add_argument(
        "--json", metavar="FILE", help="write everything as JSON; - is standard output"
    )


def require_outputs(
    arguments: argparse.Namespace, inputs: Iterable[str], **others: str | None
) -> None:
    """Refuses outputs that would replace an input or each other.

    Args:
        others: further outputs, by the names of their options without dashes.

    Raises:
        UsageError: names the option and the file.
    """
    given = {f"--{name.replace('_', '-')}": file for name, file in others.items()}
    require_new({"--out": arguments.out, "--json": arguments.json, **given}, inputs)


def progress_line(unit: str) -> Callable[[int], None] | bool:
    """Returns what shows the number of units done, if standard error is a terminal."""

    def show(done: int) -> None:
        sys.stderr.write(f"\r{unit} {done}\x1b[K")
        sys.stderr.flush()

    return show if _core.terminal(2)[0] else False


def print_tabled(found: Any, arguments: argparse.Namespace, **style: Any) -> None:
    """Writes and prints a ``TabledResult`` as the options of this module say.

    Args:
        **style: ``digits`` and ``intervals`` of ``TableStyle``.
    """
    if getattr(arguments, "csv", None):
        found.to_csv(arguments.csv)

    def tables(markup: str, width: int, colour: bool) -> str:
        text: str = found.tables(TableStyle(markup, width, colour, **style))
        return text

    print_result(found, arguments, tables)


def print_result(
    found: Printable, arguments: argparse.Namespace, tables: Callable[[str, int, bool], str]
) -> None:
    """Writes the JSON, and prints what people read: tables to standard output or a file; under
    ``--markdown`` and ``--latex`` the rest goes to standard error, and so does all of it if the
    JSON takes standard output.

    Args:
        tables: takes markup, width and whether there are colours, and returns all tables.
    """
    if arguments.json and arguments.json != "-":
        write_whole(arguments.json, found.to_json())
    if not arguments.quiet:
        _print(found, arguments, tables)
    if arguments.json == "-":
        sys.stdout.write(found.to_json())


def _print(
    found: Printable, arguments: argparse.Namespace, tables: Callable[[str, int, bool], str]
) -> None:
    markup = "markdown" if arguments.markdown else "latex" if arguments.latex else "text"
    is_stdout_taken = arguments.json == "-"
    is_terminal, colour, width = _core.terminal(1)
    has_colour = colour and not is_stdout_taken and not arguments.out
    text = tables(markup, width if markup == "text" else 0, has_colour)
    if arguments.out and arguments.out != "-":
        whole = text if markup != "text" else f"{found.inputs()}\n{text}\n{found.notes()}"
        write_whole(arguments.out, whole)
        return
    out = sys.stderr if is_stdout_taken else sys.stdout
    rest = out if markup == "text" else sys.stderr
    rest.write(f"{found.inputs()}\n")
    rest.flush()
    out.write(text)
    out.flush()
    rest.write("\n" + _folded(found.notes(), width if is_terminal else 0))


def _folded(text: str, width: int) -> str:
    """Folds lines for a terminal; width 0 leaves them."""
    if width < 20:
        return text
    lines = (textwrap.fill(line, width, subsequent_indent="  ") for line in text.splitlines())
    return "\n".join(lines) + "\n"

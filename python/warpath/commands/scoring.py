"""What the commands share that score predictions as ``warpath eval`` does."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ..errors import UsageError
from ..tables import settings as setting_table

__all__ = ["add_options", "options_in", "split_names"]

_options = ("dataset", "graphs", "preset", "backend", "ndh_reference", "objects", "coordinates",
            "ground_truth", "task_success", "distances", "navmesh", "habitat", "geodesic",
            "grid", "connect", "snap", "tours", "split", "sub_instructions")  # fmt: skip


def add_options(group: argparse._ArgumentGroup, is_required: bool = False) -> None:
    """Adds the options of a scoring, and one for every setting.

    Args:
        is_required: whether a dataset must be named.
    """
    group.add_argument("--dataset", required=is_required, metavar="FILE")
    group.add_argument("--graphs", metavar="FOLDER")
    group.add_argument("--preset", metavar="PRESET")
    group.add_argument("--backend", metavar="auto|reference|cpu|cuda")
    group.add_argument("--reference", dest="ndh_reference", metavar="path|planner|trusted")
    group.add_argument("--objects", metavar="PATH")
    group.add_argument("--coordinates", metavar="FILE")
    group.add_argument("--ground-truth", metavar="FILE")
    group.add_argument("--task-success", action="append", metavar="FILE")
    group.add_argument("--distances", action="append", metavar="FILE")
    group.add_argument("--navmesh", metavar="PATH")
    group.add_argument("--habitat", metavar="0.1.7|0.3.4")
    group.add_argument("--geodesic", metavar="goal|all")
    group.add_argument("--grid", metavar="PATH")
    group.add_argument("--connect", metavar="4|8|fmm")
    group.add_argument("--snap", type=float, metavar="METRES")
    group.add_argument("--tours", metavar="FILE")
    group.add_argument("--split", metavar="NAME")
    group.add_argument("--sub-instructions", action="store_true", default=None)
    for setting in setting_table.values():
        option = f"--{setting.name.replace('_', '-')}"
        group.add_argument(option, dest=f"setting {setting.name}", help=argparse.SUPPRESS)


def options_in(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns what was given of them, by the names of ``warpath.evaluate``."""
    given = {name: getattr(arguments, name) for name in _options}
    for setting in setting_table.values():
        given[setting.name] = getattr(arguments, f"setting {setting.name}")
    return {name: value for name, value in given.items() if value is not None}


def split_names(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Splits NAME=FILE into files and names, "" where there is none. A file whose own name has an
    equals sign is one.

    Raises:
        UsageError: a name or a file is missing, or two agents have one name.
    """
    files, names = [], []
    for word in words:
        name, equals, file = word.partition("=")
        if not equals or os.path.exists(word):
            name, file = "", word
        elif not name or not file:
            raise UsageError(f"'{word}': write NAME=FILE")
        files.append(file)
        names.append(name)
    given = [name for name in names if name]
    if len(set(given)) < len(given):
        raise UsageError("two agents have the same name")
    return files, names

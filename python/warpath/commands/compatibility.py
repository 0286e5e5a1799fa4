"""``warpath compatibility``: whether instructions and trajectories belong together."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import UsageError

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath compatibility``."""
    parser = subparsers.add_parser("compatibility", allow_abbrev=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    raise UsageError("compatibility is not there yet")

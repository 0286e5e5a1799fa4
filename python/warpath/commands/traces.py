"""``warpath traces``: what followers saw, and how well they did."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import UsageError

__all__ = ["add_command", "run"]


def add_command(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds the parser of ``warpath traces``."""
    parser = subparsers.add_parser("traces", allow_abbrev=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns its exit code."""
    raise UsageError("traces is not there yet")

"""The command: ``python -m warpath`` and the console script ``warpath``."""

from __future__ import annotations

import sys

from ._core import run_program
from .commands import command_of, run_command


def main() -> int:
    """Runs the program with the arguments of this process and returns its exit code."""
    command = command_of(sys.argv[1:])
    if command is not None:
        return run_command(command)
    return run_program(["warpath", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

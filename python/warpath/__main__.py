"""The command: ``python -m warpath`` and the console script ``warpath``."""

from __future__ import annotations

import sys

from ._core import run_program


def main() -> int:
    """Runs the program with the arguments of this process and returns its exit code."""
    return run_program(["warpath", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

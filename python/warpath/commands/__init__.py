"""The commands that are written in Python: each is a module of this package, imported on use.

Such a module has ``add_command(subparsers)``, which adds its parser and sets the default ``run``: a
function that takes the parsed arguments and returns the exit code.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from .. import _core
from ..errors import CudaError, InputError, UsageError

__all__ = ["COMMANDS", "command_of", "run_command"]

COMMANDS = ("plot", "report", "compare", "study", "correlate", "traces", "compatibility")


class Parser(argparse.ArgumentParser):
    """Reports a bad command line as the compiled commands do."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def command_of(arguments: Sequence[str]) -> list[str] | None:
    """Returns the arguments if they are for one of these commands, else None: the compiled program
    has the others. ``help plot`` becomes ``plot --help``."""
    match list(arguments):
        case [name, *_] if name in COMMANDS:
            return list(arguments)
        case ["help", name] if name in COMMANDS:
            return [name, "--help"]
    return None


def run_command(arguments: Sequence[str]) -> int:
    """Runs one of ``COMMANDS`` and returns the exit code of the process.

    Args:
        arguments: the command's name and its arguments.
    """
    _core.name_options(True)
    try:
        return _parse_and_run(arguments)
    except UsageError as error:
        return _failure(str(error), 1 if _is_missing_library(error) else 2)
    except (InputError, CudaError, MemoryError) as error:
        return _failure(str(error) or "out of memory", 1)
    except BrokenPipeError:
        # What is left in the buffer would raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failure(f"{place}{error.strerror or error}", 1)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 128 + signal.SIGINT
    finally:
        _core.name_options(False)


def _parse_and_run(arguments: Sequence[str]) -> int:
    parser = Parser(prog="warpath", allow_abbrev=False)
    subparsers = parser.add_subparsers(parser_class=Parser)
    importlib.import_module(f".{arguments[0]}", __name__).add_command(subparsers)
    parsed = parser.parse_args(list(arguments))
    code: int = parsed.run(parsed)
    sys.stdout.flush()
    return code


def _is_missing_library(error: UsageError) -> bool:
    return isinstance(error.__cause__, ModuleNotFoundError)


def _failure(text: str, code: int) -> int:
    line = "".join(c if c.isprintable() else " " for c in text)
    with contextlib.suppress(OSError):
        print(f"warpath: {line}", file=sys.stderr)
    return code

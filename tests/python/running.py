"""The command, run by tests in a process of its own or in theirs."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap
from collections.abc import Sequence

import pytest
import warpath
from warpath.commands import run_command


def command(
    *arguments: str,
    folder: pathlib.Path | None = None,
    before: str = "",
    check: bool = False,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, after some Python if it is given."""
    package = str(pathlib.Path(warpath.__file__).parents[1])
    start: Sequence[str] = ["-m", "warpath"]
    if before:
        code = f"{before}\nimport sys\nfrom warpath.__main__ import main\nsys.exit(main())"
        start = ["-c", textwrap.dedent(code)]
    return subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": package, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=check,
    )


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Runs a command that fails and returns its exit code and the one line that it prints."""
    code = run_command(list(arguments))
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "Traceback" not in error, error
    return code, error

"""Runs bench/python_peer.py on few items: its own checks must pass, and every row must be there."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest
import warpath

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "python_peer.py"


def run(script: str) -> subprocess.CompletedProcess[str]:
    package = str(pathlib.Path(warpath.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", script, "--items", "300", "--subset", "20", "--rounds", "1"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([package, str(SCRIPT.parent)])},
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_python_peer() -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    done = run("import python_peer; python_peer.main()")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\S.*?)  +[\d.]+ +[\d.]+ +[\d,]+$", done.stdout, re.M)
    for name in ("padded", "offsets", "of ids", "evaluate()", "cal_dtw", "cal_cls", "Rewards"):
        assert any(name in row for row in rows), name


@pytest.mark.parametrize(
    "wrong",
    [
        "dtw = plain_loops.dtw_cost; plain_loops.dtw_cost = lambda *a: dtw(*a) * (1 + 1e-15)",
        "cls = plain_loops.cls; plain_loops.cls = lambda *a: cls(*a) + 1e-4",
        "ndtw = plain_loops.ndtw; plain_loops.ndtw = lambda *a: ndtw(*a) + len(a[1]) * 1e-4",
    ],
)
def test_python_peer_fails_where_numbers_differ(wrong: str) -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    done = run(f"import plain_loops, python_peer; {wrong}; python_peer.main()")
    assert done.returncode == 1 and "numbers differ" in done.stderr

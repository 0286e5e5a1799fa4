"""Runs the benchmarks of the package on little: their own checks must pass, every row be there."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest
import warpath

BENCH = pathlib.Path(__file__).parents[2] / "bench"
FEW_ITEMS = ("--items", "45", "--subset", "20", "--rounds", "1")
FEW_CALLS = ("--calls", "2", "--rounds", "1", "--backend", "eager")


def run(script: str, options: Sequence[str] = FEW_ITEMS) -> subprocess.CompletedProcess[str]:
    package = str(pathlib.Path(warpath.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", script, *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([package, str(BENCH)])},
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


def test_new_references() -> None:
    few = ("--rounds", "1", "--rollouts", "16")
    done = run("import new_references; new_references.main()", few)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ +16 +2 +[12] ( +[\d.]+){8}$", done.stdout, re.M), done.stdout
    wrong = "kept = warpath.Rewards.set_references; warpath.Rewards.set_references = "
    wrong += "lambda self, paths, scans: kept(self, [path[:1] for path in paths], scans)"
    done = run(f"import warpath, new_references; {wrong}; new_references.main()", few)
    assert done.returncode == 1 and "'set' has other rewards" in done.stderr


def test_correlate_peer() -> None:
    pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    few = ("--instructions", "90", "--draws", "40", "--peer-draws", "10")
    done = run("import correlate_peer; correlate_peer.main()", few)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(system|instance) +[\d.]+ s +\d+ s +\d+$", done.stdout, re.M)
    assert rows == ["system", "instance"], done.stdout
    wrong = "tau = correlate_peer.kendalltau; "
    wrong += "correlate_peer.kendalltau = lambda *a: [tau(*a)[0] + 1e-11]"
    done = run(f"import correlate_peer; {wrong}; correlate_peer.main()", few)
    assert done.returncode == 1 and "at the system level the intervals differ" in done.stderr


def test_torch_calls() -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    done = run("import torch_calls; torch_calls.main()", FEW_CALLS)
    assert done.returncode == 0, done.stderr
    has_operators = hasattr(torch.library, "custom_op")
    times = r"( +[\d.]+)" * (3 if has_operators else 1)
    rows = [match[1] for match in re.finditer(rf"^(\w\S*.*?) {times}$", done.stdout, re.M)]
    calls = ("Rewards.compute", "Scorer.score", "RewardTracker.step", "add_up")
    assert all(any(row.startswith(call) for row in rows) for call in calls), done.stdout
    assert ("operator, compiled: left out" in done.stdout) == (not has_operators)


@pytest.mark.parametrize("form", ["operator", "compiled"])
def test_torch_calls_fails_where_numbers_differ(form: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not hasattr(torch.library, "custom_op"):
        pytest.skip("needs torch 2.4: no torch.library.custom_op")
    wrong = f"""
import torch_calls
forms_of = torch_calls.forms_of
def wrong_forms(*arguments):
    forms = forms_of(*arguments)
    call, context = forms[{form!r}]
    double = lambda *tensors: call(*tensors).reward * 2
    return {{**forms, {form!r}: (double, context)}}
torch_calls.forms_of = wrong_forms
torch_calls.main()
"""
    done = run(wrong, FEW_CALLS)
    assert done.returncode == 1 and f"differ between direct and {form}" in done.stderr

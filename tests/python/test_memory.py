"""What is kept in memory, and that nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# Uses one object of each class, and prints nothing.
uses_everything = """
import pickle
import numpy as np
import warpath
from warpath import _core
_core.set_leak_warnings(True)
graph = warpath.Graph(list("abcde"), [[0, 1], [1, 2], [2, 3], [2, 4]], weights=[2, 2, 1, 2])
graphs = warpath.Graphs({"street": graph})

def use():
    scorer = pickle.loads(pickle.dumps(warpath.Scorer(graphs)))
    paths = np.array([[0, 1, 2, 3], [0, 1, 2, -1]])
    scorer.score(paths, paths, "street")["nDTW"].sum()
    scorer.score([list("abcd")], [list("abce")], "street")
    scorer.score(warpath.CsrPaths(np.array([0, 1]), np.array([0, 2])), [[0, 1]], "street")
    total = scorer.statistics(paths, warpath.PaddedPaths(paths, np.array([4, 3])), "street")
    pickle.loads(pickle.dumps(total)).histogram("nDTW")
    rewards = warpath.Rewards(graphs, paths.tolist()[:1], "street")
    rewards.compute(paths[:1])
    tracker = warpath.RewardTracker(rewards, 1)
    tracker.reset([0])
    tracker.step([1])
    pair = {"id": "p", "scan": "street", "reference": list("abcd"), "prediction": list("abce")}
    result = warpath.evaluate_pairs([pair], graphs, progress=lambda done: None)
    result.per_item["nDTW"].sum()
    result.explain("p")
    for wrong in (lambda: scorer.score(paths + 9, paths, "street"),
                  lambda: scorer.score(paths, paths, "street", out=np.zeros(3)),
                  lambda: rewards.compute(paths + 9),
                  lambda: warpath.evaluate_pairs([{"id": "q"}], graphs),
                  lambda: warpath.Scorer(graphs, preset="none")):
        try:
            wrong()
        except (warpath.InputError, warpath.UsageError):
            continue
        raise AssertionError("not refused")

use()
del graphs, graph
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )


def test_nothing_is_left_at_the_end() -> None:
    assert run(uses_everything).stderr == ""


@pytest.mark.parametrize("what", ["warpath.Graphs({}).core", "warpath.CsrPaths([0], [0, 1])"])
def test_what_is_left_would_be_told(what: str) -> None:
    """The check above sees an object that somebody still refers to."""
    leak = f"import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object({what}))"
    assert "leaked 1 instances" in run(uses_everything + leak).stderr


def test_texts_are_not_kept() -> None:
    """What stands in for a file is dropped once it is read; an explanation still finds the item."""
    program = """
    import ctypes, os
    import warpath
    graph = warpath.Graph(list("abcde"), [[0, 1], [1, 2], [2, 3], [2, 4]], weights=[2, 2, 1, 2])
    dataset = [{"path_id": 1, "scan": "street", "path": list("abcd"), "heading": 0,
                "instructions": ["walk " * 16_000_000]}]  # 80 MB

    def resident():
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    predictions = {"1_0": [[v] for v in "abce"]}
    result = warpath.evaluate(predictions, dataset, {"street": graph})
    print(resident() - before)
    assert "abce"[-1] in result.explain("1_0")
    print(result.summary["nDTW"].n)
    """
    kept, items = run(program).stdout.split()
    assert int(kept) < 40_000_000
    assert items == "1"

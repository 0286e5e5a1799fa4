"""Signatures, and agents that have several runs."""

from __future__ import annotations

import json
import statistics
from typing import Any

import pytest
import warpath
from made_agents import evaluate_ends


def evaluate(*ends: str, **options: Any) -> warpath.results.Evaluation:
    return evaluate_ends(*ends, threshold=1, **options)


def test_signature() -> None:
    result = evaluate("c")
    parts = dict(part.split(":") for part in result.signature.split("|"))
    assert list(parts) == ["preset", "threshold", "dataset", "graphs", "items", "warpath"]
    assert (parts["preset"], parts["threshold"], parts["items"]) == ("paper", "1", "2")
    assert parts["warpath"] == warpath.__version__
    report = json.loads(result.to_json())
    assert report["runs"][0]["signature"] == result.signature == result.agents[0].signature
    assert report["dataset"]["hash"].startswith(parts["dataset"])
    assert str(result).endswith(f"\nsignature: {result.short_signature}")
    assert result.to_latex().rstrip().endswith("% warpath signature: " + result.signature)
    with pytest.raises(warpath.UsageError, match="there are 2 agents"):
        evaluate("c", "b").signature  # noqa: B018


def test_runs() -> None:
    result = evaluate("c", "b", "c", names=["ours", "ours", "other"], runs=True)
    [ours] = result.run_groups
    assert (ours.agent, [run.name for run in ours.runs]) == ("ours", ["ours [1]", "ours [2]"])
    assert ours.summary["SR"].mean == 0.75
    assert ours.summary["SR"].clusters == 2
    means = [run.summary["SR"].mean or 0.0 for run in ours.runs]
    assert ours.deviations["SR"] == pytest.approx(statistics.stdev(means))
    assert evaluate("c", "b").run_groups == []


def test_runs_that_are_none() -> None:
    with pytest.raises(warpath.UsageError, match="no agent has several files"):
        evaluate("c", "b", names=["ours", "other"], runs=True)
    with pytest.raises(warpath.UsageError, match="every item by itself"):
        evaluate("c", "b", names=["ours", "ours"], runs=True, interval="none")

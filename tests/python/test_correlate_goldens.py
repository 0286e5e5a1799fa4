"""correlate on real and made-up data: its numbers are those of SciPy by others' programs."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath

pytest.importorskip("scipy.stats", reason="SciPy is not installed")


@pytest.fixture
def folder(data: pathlib.Path) -> pathlib.Path:
    found = data / "studies"
    if not found.is_dir():
        pytest.skip("WARPATH_DATA has no studies")
    return found


def lines(file: pathlib.Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt") as stream:
        return [json.loads(line) for line in stream]


@pytest.mark.parametrize("systems", ["all", "models"])
def test_table_3(folder: pathlib.Path, systems: str) -> None:
    expected = json.loads((folder / "correlate" / "kendall.json").read_text())[systems]
    found = warpath.correlate(
        folder / "correlate" / "attempts.csv.gz",
        folder / "correlate" / "scores.csv.gz",
        score=list(expected["system"]),
        outcome=list(expected["system"]["noise"]),
        only=None if systems == "all" else {"system": ["speaker-follower", "envdrop"]},
        draws=expected["draws"],
        seed=expected["seed"],
    )
    assert sum(found.instructions.values()) == expected["instructions"]
    for level in ("system", "instance"):
        for score, outcomes in expected[level].items():
            for outcome, wanted in outcomes.items():
                one = getattr(found, level)[score][outcome]
                got = (one.tau, one.low, one.high)
                assert got == pytest.approx((wanted["tau"], *wanted["ci90"]), abs=1e-12)


def test_people_who_were_guided(folder: pathlib.Path) -> None:
    """Published scores against two answers, both as means of instructions (Zhao et al. 2024)."""
    rows = lines(folder / "hear" / "attempts.jsonl.gz")
    expected = json.loads((folder / "hear" / "expected.json").read_text())
    metrics = list(expected["instance_tau_b"])
    by_key: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault((row["system"], row["instruction"]), []).append(row["published"])
    scores = [
        {"system": system, "instruction": instruction,
         **{name: np.mean([one[name] for one in published]) for name in metrics}}
        for (system, instruction), published in by_key.items()
    ]  # fmt: skip
    attempts = [{**row, "mental": row["mental_score"]} for row in rows]
    found = warpath.correlate(
        attempts, scores, score=metrics, outcome=["quality", "mental"], draws=20
    )
    for metric, answers in expected["instance_tau_b"].items():
        for answer, tau in answers.items():
            assert found.instance[metric][answer].tau == pytest.approx(tau, abs=1e-12)
    for system, means in expected["means"].items():
        assert found.means[system]["quality"] is not None
        of_rows = [row["quality"] for row in rows if row["system"] == system]
        assert np.mean(of_rows) == pytest.approx(means["quality"], abs=1e-12)


def test_players_of_dialogues(folder: pathlib.Path) -> None:
    """Scores of a game's items against the ratings that its two players gave each other (CVDN)."""
    rows = lines(folder / "ndh" / "attempts.jsonl.gz")
    expected = json.loads((folder / "ndh" / "expected.json").read_text())
    found = warpath.correlate(
        [{**row, **row["scores"]} for row in rows],
        score=["navigator_quality", "oracle_quality"],
        outcome=list(expected["means"]),
        instruction="game",
        level="instance",
        draws=20,
    )
    assert list(found.instructions.values()) == [expected["games"]]
    for metric, ratings in expected["tau_b_over_games"].items():
        for rating, tau in ratings.items():
            assert found.instance[rating][metric].tau == pytest.approx(tau, abs=1e-12)

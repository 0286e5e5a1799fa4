"""evaluate on NDH's three references, RxR's follower files and other coordinates."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

import pytest
import warpath

golden = pathlib.Path(__file__).parents[1] / "golden"
graphs_folder = str(golden / "connectivity")
targets = golden / "targets"


def rows(name: str, **cells: str) -> list[dict[str, str]]:
    with open(targets / name, encoding="utf-8") as file:
        return [r for r in csv.DictReader(file) if all(r[k] == v for k, v in cells.items())]


def ndh(**settings: Any) -> warpath.results.Evaluation:
    return warpath.evaluate(
        targets / "ndh_agent.json",
        targets / "ndh.json",
        graphs_folder,
        preset="ndh",
        invalid="skip",
        backend="reference",
        **settings,
    )


def rxr(**settings: Any) -> warpath.results.Evaluation:
    return warpath.evaluate(
        targets / "rxr_follower.jsonl",
        targets / "rxr_guide.jsonl",
        graphs_folder,
        backend="reference",
        **settings,
    )


def test_three_references_are_three_results() -> None:
    result = ndh(ndh_reference="all", names="mine")
    assert [agent.name for agent in result.agents] == [
        "mine [player]",
        "mine [planner]",
        "mine [trusted]",
    ]
    for agent, reference in zip(result.agents, ("player", "planner", "trusted")):
        expected = [r for r in rows("ndh_scores.csv", preset="ndh", reference=reference) if r["SR"]]
        mean = sum(float(r["SPL"]) for r in expected) / len(expected)
        assert agent.summary["SPL"].mean == pytest.approx(mean, abs=1e-12)
        assert agent.summary["OGP"].n == len(expected)


def coordinates_in_memory() -> dict[str, dict[str, list[float]]]:
    scans: dict[str, dict[str, list[float]]] = {}
    for row in rows("rxr_coordinates.csv"):
        position = [float(row[axis]) for axis in "xyz"]
        scans.setdefault(row["scan"], {})[row["viewpoint"]] = position
    return scans


@pytest.mark.parametrize("is_file", [True, False])
def test_coordinates(is_file: bool) -> None:
    coordinates = targets / "rxr_coordinates.csv" if is_file else coordinates_in_memory()
    result = rxr(preset="rxr-published", coordinates=coordinates)
    expected = [float(r["DTW"]) for r in rows("rxr_scores.csv", preset="rxr-published")]
    assert result.per_item["DTW"].tolist() == pytest.approx(expected, rel=1e-12)
    assert "the metrics in the file equal these (22 predictions)" in str(result)
    assert "71" in result.explain("71")
    with pytest.raises(warpath.UsageError, match="name them by coordinates"):
        rxr(preset="rxr-published")


def test_languages() -> None:
    groups = rxr(preset="rxr").by("language")
    expected = json.loads((targets / "rxr_ndtw_by_language.json").read_text(encoding="utf-8"))
    assert {name: s["nDTW"].mean for name, s in groups.items()} == pytest.approx(expected)


def test_sub_instructions(street: warpath.Graphs) -> None:
    dataset = [
        {
            "scan": "street",
            "path_id": 7,
            "path": ["a", "b", "c", "d"],
            "instructions": ["x"],
            "chunk_view": [[[1, 3], [3, 4]]],
        }
    ]
    result = warpath.evaluate(
        {"7_0_0": [["a"], ["b"], ["c"]], "7_0_1": [["c"]]}, dataset, street, sub_instructions=True
    )
    assert result.per_item["NE"].tolist() == [0.0, 1.0]

"""evaluate with SOON's annotations: the scores of the transcription, and who lacks what."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath

golden = pathlib.Path(__file__).parents[1] / "golden"
folder = golden / "targets" / "soon"
graphs = str(golden / "connectivity")


def content(name: str) -> Any:
    return json.loads((folder / name).read_text())


def evaluate(submission: Any, **options: Any) -> warpath.results.Evaluation:
    settings = {"preset": "soon", "invalid": "skip", **options}
    return warpath.evaluate(submission, folder / "dataset.json", graphs, **settings)


@pytest.mark.parametrize(
    ("file", "options"),
    [("soon", {}), ("duet-soon", {"preset": "duet-soon"}), ("soon_wrap", {"angles": "wrap"})],
)
def test_items_are_those_of_the_transcription(file: str, options: dict[str, str]) -> None:
    with open(folder / f"{file}.csv", newline="") as scores:
        rows = list(csv.DictReader(scores))
    for submission in (folder / "submission.json", content("submission.json")):
        items = evaluate(submission, backend="reference", **options).per_item
        assert list(items["instr_id"]) == [row["instr_id"] for row in rows]
        for metric in ("SR", "OSR", "SPL", "GP", "RGS", "SFPL", "HE", "EE", "PE"):
            wanted = [float(row[metric] or "nan") for row in rows]
            np.testing.assert_allclose(items[metric], wanted, atol=1e-12)


def test_a_path_without_a_trajectory_is_left_out_or_counted() -> None:
    one = [entry for entry in content("submission.json") if entry["instr_id"] == 0]
    paths = len(content("dataset.json")[0]["path"])
    left_out = evaluate(one).summary["RGS"]
    assert left_out.n == paths
    counted = evaluate(one, missing="zero").summary["RGS"]
    assert counted.n == counted.of > paths
    assert counted.mean == pytest.approx(left_out.mean * paths / counted.n)
    with pytest.raises(warpath.InputError, match="lack a prediction"):
        evaluate(one, missing="error")


def test_an_agent_without_directions_has_no_rgs() -> None:
    submission = content("submission.json")
    for entry in submission:
        for trajectory in entry["trajectory"]:
            trajectory.pop("obj_heading", None)
            trajectory.pop("obj_elevation", None)
    summary = evaluate(submission).summary
    assert summary["RGS"].n == 0
    assert summary["SPL"].n > 0

"""evaluate: continuous episodes as files and as dicts, without graphs."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

import pytest
import warpath
from conftest import needing_meshes

made = pathlib.Path(__file__).parents[1] / "golden" / "targets" / "vlnce"


def loaded(name: str) -> Any:
    return json.loads((made / f"{name}.json").read_text())


@pytest.mark.parametrize("preset", ["vlnce", "dcvln"])
def test_dicts_score_as_files_and_as_the_transcription(preset: str) -> None:
    of_files = warpath.evaluate(
        made / "predictions.json",
        made / "episodes.json",
        ground_truth=made / "truth.json",
        distances=made / "distances.json",
        preset=preset,
    )
    of_dicts = warpath.evaluate(
        loaded("predictions"),
        loaded("episodes"),
        ground_truth=loaded("truth"),
        distances=loaded("distances"),
        preset=preset,
    )
    assert of_files.to_csv() == of_dicts.to_csv()
    rows = {row["instr_id"]: row for row in csv.DictReader(of_files.to_csv().splitlines())}
    with open(made / f"{preset}_given.csv") as file:
        golden = list(csv.DictReader(file))
    assert len(golden) == len(rows) == 35
    for row in golden:
        for metric in ("NE", "SR", "SPL", "SoftSPL", "nDTW", "steps"):
            ours = rows[row["instr_id"]][metric]
            assert (ours == "") == (row[metric] == "")
            if ours:
                assert float(ours) == pytest.approx(float(row[metric]), abs=1e-12)


def test_episodes_are_grouped_and_explained() -> None:
    result = warpath.evaluate(
        loaded("predictions"), loaded("episodes"), preset="vlnce-fastdtw", by="language"
    )
    assert "reference_path, sparse" in str(result) and "Euclidean" in str(result)
    assert [name for name, _ in result.by("language").items()] == ["en-US", "hi-IN"]
    assert "to the goal" in result.explain("5")


def test_episodes_refuse_what_they_lack() -> None:
    with pytest.raises(warpath.InputError, match="no ground truth"):
        warpath.evaluate(
            loaded("predictions"), loaded("episodes"), ground_truth={"1": [[0, 0, 0]]}
        )
    with pytest.raises(warpath.UsageError, match="graphs is required"):
        golden = made.parents[1]
        warpath.evaluate(golden / "predictions.json", golden / "dataset.json")


def test_distances_go_over_navigation_meshes() -> None:
    meshes = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "navmesh"
    episode = {
        "episode_id": "1",
        "scene_id": "mp3d/s1/s1.glb",
        "start_position": [1, 0, 3],
        "goals": [{"position": [5, 0, 7]}],
        "reference_path": [[1, 0, 3], [4, 0, 4], [5, 0, 7]],
    }
    dataset = {"episodes": [episode]}
    paths = {"1": [[1, 0, 3], [4, 0, 4]]}

    def evaluate(navmesh: Any, **more: Any) -> warpath.Evaluation:
        return warpath.evaluate(paths, dataset, navmesh=navmesh, preset="vlnce", **more)

    with needing_meshes():
        result = evaluate(meshes / "version_1.navmesh")
    assert result.summary["SP"].mean == pytest.approx(2 * 10**0.5, rel=1e-6)
    assert "geodesic, habitat-sim 0.1.7's, 1 mesh" in str(result)
    newer = evaluate(str(meshes / "version_2.navmesh"), habitat="0.3.4")
    assert newer.summary["NE"].mean == pytest.approx(10**0.5, rel=1e-6)
    with pytest.raises(warpath.InputError, match=r"no s1\.navmesh"):
        evaluate(meshes)
    with pytest.raises(warpath.InputError, match="navmesh: is of type dict"):
        evaluate({"s1": b""})

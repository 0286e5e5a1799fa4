"""Drone benchmarks: their files, their settings and what is refused, on a made flight."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import pathlib
import re
from typing import Any

import made_flights as made
import pytest
import warpath

FORMS: dict[str, Any] = {
    "aerialvln": made.aerialvln,
    "openuav": made.openuav,
    "citynav": made.citynav,
    "citynav-vlnce": made.citynav,
    "openfly": made.openfly,
    "indooruav": made.indooruav,
}
AWAY = math.hypot(12.0, 16.5)  # in space; 12 m on the map
WALKED = 24.0 + math.hypot(24.0, 3.5)


def scores(files: Any, preset: str, **settings: Any) -> dict[str, str]:
    predictions, dataset = files
    result = warpath.evaluate(
        predictions, dataset, preset=preset, interval="none", backend="reference", **settings
    )
    (row,) = csv.DictReader(io.StringIO(result.to_csv()))
    return row


def values(row: dict[str, str], *metrics: str) -> list[float]:
    return [float(row[metric]) for metric in metrics]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        # NE on the map, PL in space
        ("aerialvln", {"NE": 12, "SR": 1, "OSR": 1, "PL": WALKED}),
        # success by name; SPL of (80 - 20) / max(60, PL)
        ("openuav", {"NE": AWAY, "SR": 1, "OSR": 1, "SPL": 1, "PLR": 80}),
        ("citynav", {"NE": 12, "SR": 1, "ONE": 12, "OSR": 1, "PL": 48}),
        ("citynav-vlnce", {"NE": AWAY, "SR": 0, "ONE": 12, "OSR": 1}),
        ("openfly", {"NE": AWAY, "SR": 0, "OSR": 0, "SPL": 0}),
        ("indooruav", {"NE": AWAY, "SR": 0, "OSR": 0, "PLR": 80}),
    ],
)
def test_one_flight_by_each_evaluator(
    preset: str, expected: dict[str, float], tmp_path: pathlib.Path
) -> None:
    row = scores(FORMS[preset](tmp_path), preset)
    for metric, value in expected.items():
        assert float(row[metric]) == pytest.approx(value, abs=1e-12), metric


def test_the_table_of_one_flight(tmp_path: pathlib.Path) -> None:
    text = (pathlib.Path(__file__).parents[2] / "docs/drones.md").read_text()
    part = re.search(r"<!-- numbers of one flight.*?<!-- end -->", text, re.S)
    assert part is not None
    compared = 0
    for preset, *cells in re.findall(r"^\| `(.*?)` " + r"\|(.*?)" * 5 + r"\|", part[0], re.M):
        row = scores(FORMS[preset](tmp_path / preset), preset)
        for metric, cell in zip(("NE", "SR", "OSR", "SPL", "nDTW"), cells, strict=True):
            if cell.strip():
                digits = len(cell.strip().partition(".")[2])
                assert cell.strip() == f"{float(row[metric]):.{digits}f}", (preset, metric)
                compared += 1
    assert compared == 22


def test_settings_of_spl(tmp_path: pathlib.Path) -> None:
    files = made.openfly(tmp_path)

    def spl(**settings: Any) -> float:
        settings = {"threshold": 25, "stop": "ignored", "preset": "vlnce", **settings}
        preset = settings.pop("preset")
        return float(scores(files, preset, **settings)["SPL"])

    straight = math.hypot(60, 20)
    assert spl() == pytest.approx(1)  # SP is longer than PL
    assert spl(spl_ratio="plain") == pytest.approx(straight / WALKED)
    assert spl(spl_ratio="plain", spl_walked_offset=10) == pytest.approx(straight / (WALKED + 10))
    assert spl(spl_length="reference", spl_offset=50) == pytest.approx(30 / WALKED)
    assert spl(spl_length="reference", spl_offset=90, spl_zero="zero") == 0
    assert spl(spl_length="straight", spl_offset=40, oracle_stop="best") == pytest.approx(
        (straight - 40) / WALKED
    )


def test_no_other_note_hides_an_spl_above_one(tmp_path: pathlib.Path) -> None:
    files = made.openfly(tmp_path)
    flown = {"actions": [1], "positions": [[55.0, 0.0, 30.0, 0.0], [60.0, 0.0, 30.0, 0.0]]}
    files[0].write_text(json.dumps({"0": flown}))
    row = scores(files, "openfly", start="note")  # it begins elsewhere, too
    assert row["status"] == "spl_above_one"
    assert float(row["SPL"]) == pytest.approx(math.hypot(60, 20) / 5.001)
    assert scores(files, "openfly", start="note", spl_ratio="capped")["status"] == "wrong_start"


def test_thresholds_of_the_oracle_and_of_ndtw(tmp_path: pathlib.Path) -> None:
    files = made.openfly(tmp_path)
    assert values(scores(files, "openfly", oracle_threshold=21), "SR", "OSR") == [0, 1]
    usual = scores(files, "openfly")
    (cost,) = values(usual, "DTW")
    for more in ({}, {"dtw": "fast:1"}, {"dtw_norm": "reference-length"}):
        row = scores(files, "openfly", ndtw_threshold=7, **more)
        assert float(row["nDTW"]) == pytest.approx(math.exp(-cost / (7 * 4)), abs=1e-12)
        assert values(row, "SR", "PC") == values(usual, "SR", "PC")


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_planes_of_the_distance_to_the_goal(tmp_path: pathlib.Path, backend: str) -> None:
    predictions, dataset = made.citynav(tmp_path)
    for plane, expected in {
        "same": (12, 12),
        "2d": (12, 12),
        "3d": (AWAY, AWAY),
        "3d-oracle-2d": (AWAY, 12),
    }.items():
        result = warpath.evaluate(
            predictions, dataset, preset="citynav", goal_distance=plane, backend=backend
        )
        assert result.summary["NE"].mean == pytest.approx(expected[0])
        assert result.summary["ONE"].mean == pytest.approx(expected[1])
        assert result.summary["PL"].mean == pytest.approx(48)


def test_given_distances_have_no_other_plane(tmp_path: pathlib.Path) -> None:
    predictions, dataset = made.aerialvln(tmp_path)
    flights = json.loads(predictions.read_text())
    given = made.write(tmp_path / "distances.json", {"f1": [60, 40, 9]})
    with pytest.raises(warpath.UsageError, match=r"goal_distance.*distances.*same"):
        scores((predictions, dataset), "aerialvln", distances=given)
    row = scores((predictions, dataset), "aerialvln", distances=given, goal_distance="same")
    assert values(row, "NE") == [9]
    flights["f1"]["distances"] = [60, 40, 9]
    entries = made.write(tmp_path / "entries.json", flights)
    with pytest.raises(warpath.UsageError, match=r"goal_distance.*entries\.json.*same"):
        scores((entries, dataset), "aerialvln")


def test_lookups_keep_the_distance_where_the_agent_moved_little(tmp_path: pathlib.Path) -> None:
    predictions, dataset = made.aerialvln(tmp_path)
    flights = json.loads(predictions.read_text())
    flights["f1"]["trajectory"] += [[48.9, 0.0, 13.5, 0, 0, 0, 1], [49.8, 0.0, 13.5, 0, 0, 0, 1]]
    predictions.write_text(json.dumps(flights))
    files = predictions, dataset
    # 48.9 is within 1 m of 48, where it looked last; 49.8 is not.
    assert values(scores(files, "aerialvln"), "NE") == pytest.approx([10.2])
    flights["f1"]["trajectory"].pop()
    predictions.write_text(json.dumps(flights))
    assert values(scores(files, "aerialvln"), "NE") == pytest.approx([12])
    assert values(scores(files, "aerialvln", lookup="moved"), "NE") == pytest.approx([11.1])
    assert values(scores(files, "aerialvln", lookup="moved:0.5"), "NE") == pytest.approx([11.1])


def test_outcomes_are_computed_or_recorded(tmp_path: pathlib.Path) -> None:
    predictions, dataset = made.aerialvln(tmp_path)
    flights = json.loads(predictions.read_text())
    flights["f1"] |= {"success": 0.0, "is_collisioned": True}
    predictions.write_text(json.dumps(flights))
    files = predictions, dataset
    assert values(scores(files, "aerialvln"), "SR", "SDTW", "collisions")[0] == 1
    row = scores(files, "aerialvln", outcome="recorded")
    assert values(row, "SR", "OSR", "SDTW", "SPL", "collisions") == [0, 1, 0, 0, 1]
    del flights["f1"]["oracle_success"]
    predictions.write_text(json.dumps(flights))
    text = refusal(files, "aerialvln", outcome="recorded")
    assert "f1: oracle_success: is not recorded; record it, or say " in text and "computed" in text
    alone = warpath.evaluate(
        predictions, dataset, preset="aerialvln", outcome="recorded", metrics=["SR"]
    )
    assert alone.summary["SR"].mean == 0
    del flights["f1"]["success"]
    predictions.write_text(json.dumps(flights))
    assert "f1: success: is not recorded" in refusal(files, "aerialvln", outcome="recorded")
    flights["f1"]["done"] = False
    predictions.write_text(json.dumps(flights))
    assert values(scores(files, "aerialvln"), "SR", "OSR") == [0, 1]
    for prefix, expected in {"success_": [1, 1], "oracle_": [0, 1], "": [0, 0]}.items():
        files = made.openuav(tmp_path / f"uav{prefix}", prefix)
        assert values(scores(files, "openuav"), "SR", "OSR") == expected


def test_openuav_counts_every_folder(tmp_path: pathlib.Path) -> None:
    for prefix in ("success_", "oracle_", ""):
        files = made.openuav(tmp_path, prefix)
    (files[0] / "notes").mkdir()  # no flight, for it has no log
    summary = warpath.evaluate(*files, preset="openuav").summary
    assert (summary["SR"].mean, summary["SR"].n) == (pytest.approx(1 / 3), 3)
    assert summary["OSR"].mean == pytest.approx(2 / 3)
    # A flight that lost its description is not passed over.
    (files[0] / "oracle_seq1/ori_info.json").unlink()
    assert "oracle_seq1: has a log" in refusal(files, "openuav")


def test_endings_choose_what_is_scored(tmp_path: pathlib.Path) -> None:
    predictions, dataset = made.indooruav(tmp_path)
    for name, ending in [("b", "success"), ("c", "no_more_instructions")]:
        posture = dataset / f"gibson_1/made0{name}/traj_-1/posture.json"
        made.write(posture, [[0, 0, 0, 0], [1, 0, 0, 0]])
        flown = {
            "episode_key": f"/gibson_1/made0{name}/traj_-1/instruction.json",
            "trajectory": [[0, 0, 0, 0], [1, 0, 0, 0]],
            "termination_reason": ending,
        }
        made.write(predictions / f"trajectories/{name}.json", flown)

    def mean(metric: str, **settings: Any) -> tuple[Any, int, int]:
        result = warpath.evaluate(predictions, dataset, preset="indooruav", **settings)
        estimate = result.summary[metric]
        return estimate.mean, estimate.n, estimate.of

    assert mean("SR") == (0.5, 2, 2)
    assert mean("SR", ended="any") == (pytest.approx(2 / 3), 3, 3)
    assert mean("SR", ended="success:zero") == (pytest.approx(1 / 3), 3, 3)
    assert mean("NE", ended="success:zero") == (0.0, 1, 3)
    assert mean("SR", ended="success,no_more_instructions") == (pytest.approx(2 / 3), 3, 3)
    with pytest.raises(warpath.InputError, match=r"termination_reason: is success; no_more_instr"):
        mean("SR", ended="no_more_instructions:error")
    with pytest.raises(warpath.InputError, match=r"max_steps.*ended.*any"):
        mean("SR", ended="max_steps")


@pytest.mark.parametrize("preset", FORMS)
def test_folders_and_packed_files(preset: str, tmp_path: pathlib.Path) -> None:
    predictions, dataset = FORMS[preset](tmp_path)
    plain = scores((predictions, dataset), preset)
    if dataset.is_file():
        for file in (predictions, dataset):
            file.with_suffix(".json.gz").write_bytes(gzip.compress(file.read_bytes()))
        packed = predictions.with_suffix(".json.gz"), dataset.with_suffix(".json.gz")
        assert scores(packed, preset) == plain
    result = warpath.evaluate(predictions, dataset, preset=preset)
    assert "to the goal" in result.explain(plain["instr_id"])


def test_citynav_targets_come_from_the_objects(tmp_path: pathlib.Path) -> None:
    files = made.citynav(tmp_path)
    objects = {"cambridge_block_3": {"12": {"position": [48.0, 5.0, 13.5]}}}
    path = made.write(tmp_path / "objects.json", objects)
    assert values(scores(files, "citynav", objects=path), "NE") == [5]
    item = json.loads(files[1].read_text())[0]
    far = item | {"object_ids": [13], "dist_marker_to_target": 30.5}
    files[1].write_text(json.dumps([item, far]))
    row = warpath.evaluate(*files, preset="citynav")
    assert row.summary["NE"].of == 1
    assert any("over 30 m" in note for note in str(row).splitlines())


def refusal(files: Any, preset: str, **settings: Any) -> str:
    with pytest.raises(warpath.InputError) as caught:
        scores(files, preset, **settings)
    text = str(caught.value)
    assert "\n" not in text and "; " in text  # one line, with a remedy
    return text


def changed(path: pathlib.Path, pattern: str, to: str) -> None:
    text, count = re.subn(pattern, lambda _: to, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)


@pytest.mark.parametrize(
    ("preset", "which", "pattern", "to", "message"),
    [
        ("aerialvln", 1, r'"goals": \[.*?\}\]', '"goals": []', "f1: goals: is empty"),
        ("aerialvln", 1, r'"goals": \[.*?\}\], ', "", "f1: no key 'goals'"),
        ("aerialvln", 1, r'"scene_id": 24, ', "", "scene_id"),
        ("aerialvln", 1, r"\[30.0, 0.0,", '[30.0, "x",', r"reference_path\[1\]"),
        ("aerialvln", 0, r"\[24.0, 0.0,", "[24.0, null,", r"f1: \[1\]"),
        ("aerialvln", 0, r'"done": true', '"done": 1', "f1: done: is a number"),
        ("aerialvln", 0, r'"success": 1.0', '"success": 2', "f1: success: is neither 0 nor 1"),
        ("aerialvln", 0, r'"f1"', '"f2"', "no id of its"),
        ("citynav", 1, r'"block": "3", ', "", "block"),
        ("citynav", 1, r'"area": "cambridge"', '"area": "king\'s"', "area: is king's, with a quot"),
        ("citynav", 1, r'"block": "3"', '"block": "3, 4"', "block: is 3, 4, with a quote or a com"),
        ("citynav", 1, r'"object_ids": \[12\]', '"object_ids": ["1,2"]', "object_ids: is 1,2, w"),
        ("citynav", 1, r'"object_ids": \[12\]', '"object_ids": []', "object_ids: is empty"),
        ("citynav", 1, r'"target_positions": \[\[60.0', '"target_positions": [[null', "target_pos"),
        ("citynav", 0, r'"trajectory_logs": \{.*\}', '"trajectory_logs": []}', "trajectory_logs"),
        ("openfly", 1, r'"pos": \[\[0.0, 0.0, 10.0\]', '"pos": [[0.0, 0.0]', r"0: pos\[0\]"),
        ("openfly", 0, r'"positions": \[\[0.0', '"positions": [["0"', r"0: \[0\]"),
    ],
)
def test_bad_files_are_named(
    preset: str, which: int, pattern: str, to: str, message: str, tmp_path: pathlib.Path
) -> None:
    files = FORMS[preset](tmp_path)
    changed(files[which], pattern, to)
    text = refusal(files, preset)
    assert re.search(message, text), text
    assert files[which].name in text


def test_bad_folders_are_named(tmp_path: pathlib.Path) -> None:
    results, data = made.openuav(tmp_path)
    log = results / "success_seq1/log/000001.json"
    content = log.read_text()
    log.write_text('{"sensors": {"state": {}}}')
    text = refusal((results, data), "openuav")
    assert re.search(r"000001.json: Carla_Town01/seq1: .*position", text)
    log.write_text("{")
    assert "000001.json" in refusal((results, data), "openuav")
    log.write_text(content)
    assert "ori_info.json" in refusal((data, data), "openuav")
    (tmp_path / "empty").mkdir()
    assert "merged_data.json (OpenUAV flights)" in refusal((results, tmp_path / "empty"), "openuav")
    for file in (results / "success_seq1/log").iterdir():
        file.unlink()
    assert "has no log" in refusal((results, data), "openuav")
    (results / "success_seq1/ori_info.json").unlink()
    text = refusal((results, data), "openuav")
    assert re.search(r"success_seq1: has a log, but no ori_info.json", text), text
    merged = data / "Carla_Town01/seq1/merged_data.json"
    merged.write_text("{}")
    assert "trajectory_raw_detailed" in refusal((results, data), "openuav")

    flown, posture = made.indooruav(tmp_path / "indoor")
    flight = flown / "trajectories/_gibson_1_made00.json"
    changed(flight, '"termination_reason": "no_more_instructions"', '"x": 0')
    assert "termination_reason: is missing" in refusal((flown, posture), "indooruav")
    changed(flight, "episode_key", "key")
    assert "episode_key" in refusal((flown, posture), "indooruav")
    flight.unlink()
    assert "has no flight" in refusal((flown, posture), "indooruav")


def test_settings_of_flights_are_refused_elsewhere() -> None:
    golden = pathlib.Path(__file__).parents[1] / "golden"
    settings: dict[str, Any] = {
        "goal_distance": "2d",
        "spl_offset": 1,
        "spl_walked_offset": 1,
        "spl_ratio": "plain",
        "spl_length": "straight",
        "oracle_threshold": 1,
        "outcome": "recorded",
        "ended": "success",
    }
    for name, value in settings.items():
        one: dict[str, Any] = {name: value}
        with pytest.raises(warpath.UsageError, match=f"{name} is for paths"):
            warpath.evaluate(
                golden / "predictions.json",
                golden / "dataset.json",
                graphs=golden / "connectivity",
                missing="skip",
                **one,
            )


ENDINGS = ["", ",", "a,", "a,,b", ":zero", "a:none", " a", "a ", "a, b", "a\tb", "a|b", "a:b:zero"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("ended", value) for value in [*ENDINGS, "any:zero", "any,a", "a,ANY"]]
    + [("lookup", value) for value in ["", "moved:", "moved:0", "moved:-1", "moved:x", "each:1"]],
)
def test_words_of_settings_are_checked(name: str, value: str, tmp_path: pathlib.Path) -> None:
    settings: dict[str, Any] = {name: value}
    words = {"ended": r"none of any\|NAMES", "lookup": r"none of each\|changed\|moved"}
    with pytest.raises(warpath.UsageError, match=words[name]):
        scores(made.indooruav(tmp_path), "indooruav", **settings)


def test_endings_may_have_blanks_within(tmp_path: pathlib.Path) -> None:
    files = made.indooruav(tmp_path, "out of steps")
    assert values(scores(files, "indooruav", ended="out of steps:error"), "SR") == [0]

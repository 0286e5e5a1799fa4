"""The numbers of every preset are those of preset_numbers.csv, and the changelog knows them.

Golden tests ask whether numbers are right. This one asks that nobody changes them silently. The
table has what each preset gives for the made-up inputs of tests/golden and tests/rewards. The
changelog names each preset with six digits that stand for its rows of the table. After a change
that is meant, WARPATH_WRITE_NUMBERS=1 writes the table, and the second test says the digits."""

from __future__ import annotations

import csv
import functools
import hashlib
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import made_flights
import pytest
import warpath

ROOT = pathlib.Path(__file__).parents[2]
TABLE = pathlib.Path(__file__).with_name("preset_numbers.csv")
GOLDEN = ROOT / "tests/golden"
TARGETS = GOLDEN / "targets"
# Counts, and lengths of the reference: other metrics are made of these.
LEFT_OUT = ("steps", "n_query", "n_query_raw", "n_ref", "PLR", "EPL")

# The arguments of `evaluate` by the task of a preset; none: the task of the paper's preset.
INPUTS: dict[str, dict[str, Any]] = {
    "R2R": {
        "predictions": GOLDEN / "predictions.json",
        "dataset": GOLDEN / "dataset.json",
        "missing": "skip",
    },
    "NDH": {"predictions": TARGETS / "ndh_agent.json", "dataset": TARGETS / "ndh.json"},
    "RxR": {
        "predictions": TARGETS / "rxr_follower.jsonl",
        "dataset": TARGETS / "rxr_guide.jsonl",
        "coordinates": TARGETS / "rxr_coordinates.csv",
    },
    "REVERIE": {
        "predictions": TARGETS / "reverie/predictions.json",
        "dataset": TARGETS / "reverie/dataset.json",
        "objects": TARGETS / "reverie/boxes.json",
    },
    "SOON": {
        "predictions": TARGETS / "soon/submission.json",
        "dataset": TARGETS / "soon/dataset.json",
    },
    "Touchdown": {
        "predictions": TARGETS / "street/results.json",
        "dataset": TARGETS / "street/routes.jsonl",
        "graphs": TARGETS / "street",
    },
    "VLN-CE": {
        "predictions": TARGETS / "vlnce/predictions.json",
        "dataset": TARGETS / "vlnce/episodes.json",
        "ground_truth": TARGETS / "vlnce/truth.json",
    },
}
FLIGHTS: dict[str, Any] = {
    "AerialVLN": made_flights.aerialvln,
    "OpenUAV": made_flights.openuav,
    "CityNav": made_flights.citynav,
    "OpenFly": made_flights.openfly,
    "IndoorUAV": made_flights.indooruav,
}

OF_TOURS = ("ivln", "over-nav", "ivlnce")


class Row(NamedTuple):
    preset: str
    inputs: str
    metric: str
    value: str
    n: str


def inputs_of_fast_dtw() -> dict[str, Any]:
    """Returns episodes for which FastDTW misses the best warping, as it does not for the others."""
    pairs = [json.loads(line) for line in (TARGETS / "fast_dtw.jsonl").read_text().splitlines()]
    episodes = [
        {
            "episode_id": k,
            "scene_id": "mp3d/made/made.glb",
            "start_position": pair["x"][0],
            "goals": [{"position": pair["y"][-1]}],
            "reference_path": pair["y"],
        }
        for k, pair in enumerate(pairs)
    ]
    predictions = {str(k): [{"position": p} for p in pair["x"]] for k, pair in enumerate(pairs)}
    truth = {str(k): {"locations": pair["y"]} for k, pair in enumerate(pairs)}
    return {"predictions": predictions, "dataset": episodes, "ground_truth": truth}


def tours_of(dataset: pathlib.Path | list[dict[str, Any]]) -> dict[str, Any]:
    """Returns tours of three items of a scan each, the last ones of fewer."""
    entries = json.loads(dataset.read_text()) if isinstance(dataset, pathlib.Path) else dataset
    if isinstance(entries, dict):
        entries = entries["episodes"]
    by_scan: dict[str, list[str]] = {}
    for entry in entries:
        if "episode_id" in entry:
            scan = pathlib.PurePath(entry["scene_id"]).stem
            ids = [str(entry["episode_id"])]
        else:
            scan = entry["scan"]
            ids = [f"{entry['path_id']}_{k}" for k in range(len(entry["instructions"]))]
        by_scan.setdefault(scan, []).extend(ids)
    return {
        "made": {
            scan: [ids[first : first + 3] for first in range(0, len(ids), 3)]
            for scan, ids in by_scan.items()
        }
    }


def rows_of_preset(preset: warpath.tables.Preset) -> Iterator[Row]:
    task = preset.tasks[0] if preset.tasks else "R2R"
    if task in FLIGHTS:
        with tempfile.TemporaryDirectory() as folder:
            predictions, dataset = FLIGHTS[task](pathlib.Path(folder))
            result = warpath.evaluate(
                predictions, dataset, preset=preset.name, backend="reference", invalid="skip"
            )
        yield from rows_of_result(preset.name, task, result)
        return
    inputs = {task: INPUTS[task]}
    options: dict[str, Any] = {"preset": preset.name, "backend": "reference", "invalid": "skip"}
    if task == "VLN-CE":
        inputs["FastDTW"] = {"metrics": "DTW,nDTW", **inputs_of_fast_dtw()}
    elif "graphs" not in INPUTS[task]:
        options["graphs"] = GOLDEN / "connectivity"
    if preset.name in OF_TOURS:
        options["infeasible"] = "zero"
    for name, arguments in inputs.items():
        tours = {"tours": tours_of(arguments["dataset"])} if preset.name in OF_TOURS else {}
        yield from rows_of_result(preset.name, name, warpath.evaluate(**arguments, **tours, **options))


def rows_of_result(preset: str, inputs: str, result: warpath.Evaluation) -> Iterator[Row]:
    for metric, mean in result.summary.items():
        if metric not in LEFT_OUT and mean.mean is not None:
            yield Row(preset, inputs, metric, f"{mean.mean:.12g}", str(mean.n))


def rows_of_reward(preset: str) -> Iterator[Row]:
    """Adds up the rewards of all rollouts of the goldens."""
    names = "ABCDEFG"
    edges = {"AB": 2.0, "BC": 1.5, "CD": 2.5, "BE": 4.0, "DF": 0.8, "FG": 1.0}
    ends = [[names.index(a), names.index(b)] for a, b in edges]
    graphs = warpath.Graphs({"w": warpath.Graph(list(names), ends, weights=list(edges.values()))})
    total, count = 0.0, 0
    with open(ROOT / "tests/rewards/reward_goldens.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["preset"] == preset:
                goals = [list(row["goals"])]
                rewards = warpath.Rewards(graphs, [list("ABCD")], "w", goals=goals, preset=preset)
                query = [[names.index(viewpoint) for viewpoint in row["query"]]]
                values = rewards.compute(query, stopped=[row["stopped"] == "1"]).reward[0].tolist()
                total += sum(value for value in values if value == value)
                count += sum(value == value for value in values)
    yield Row(f"reward {preset}", "rollouts", "sum", f"{total:.7g}", str(count))


@functools.cache
def rows_now() -> list[Row]:
    rows = [row for preset in warpath.presets.values() for row in rows_of_preset(preset)]
    return rows + [row for name in warpath.reward_presets for row in rows_of_reward(name)]


def rows_of_table() -> list[Row]:
    with open(TABLE, newline="") as file:
        return [Row(*line) for line in csv.reader(file)][1:]


def write_table(rows: list[Row]) -> None:
    TABLE.write_text("".join(",".join(row) + "\n" for row in [Row._fields, *rows]))


def same(a: Row, b: Row) -> bool:
    """Compares to a unit of the last digit that is stored."""
    tolerance = 1e-6 if a.preset.startswith("reward ") else 2e-11  # rewards have single precision
    return a.n == b.n and float(a.value) == pytest.approx(float(b.value), tolerance, tolerance)


def differences(now: list[Row], before: list[Row]) -> list[str]:
    known = {row[:3]: row for row in before}
    rows = {row[:3]: row for row in now}
    lost = [f"gone: {known[key]}" for key in known.keys() - rows.keys()]
    return lost + [
        f"{row}, before {known.get(key)}"
        for key, row in rows.items()
        if key not in known or not same(row, known[key])
    ]


def digits_of(rows: list[Row]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for row in rows:
        texts[row.preset] = texts.get(row.preset, "") + ",".join(row) + "\n"
    return {name: hashlib.sha256(text.encode()).hexdigest()[:6] for name, text in texts.items()}


def digits_in(changelog: str) -> dict[str, str]:
    """Returns the digits of each preset where the newest line on it says them."""
    known: dict[str, str] = {}
    for section in re.findall(r"^### Numbers of presets\n(.*?)(?=^##|\Z)", changelog, re.M | re.S):
        for name, digits in re.findall(r"`([^`]+)` ([0-9a-f]{6})\b", section):
            known.setdefault(name, digits)
    return known


def test_numbers_are_those_of_the_table() -> None:
    if os.environ.get("WARPATH_WRITE_NUMBERS"):
        write_table(rows_now())
    found = differences(rows_now(), rows_of_table())
    if found:
        pytest.fail("if it is meant, set WARPATH_WRITE_NUMBERS=1 once:\n" + "\n".join(found))


def test_the_changelog_has_the_digits_of_the_table() -> None:
    known = digits_in((ROOT / "CHANGELOG.md").read_text())
    digits = digits_of(rows_of_table())
    missing = [f"`{name}` {six}" for name, six in digits.items() if known.get(name) != six]
    if missing:
        where = 'under "Numbers of presets" in CHANGELOG.md, newest first'
        pytest.fail(f"say what changed and why {where}: {', '.join(missing)}")


def test_a_changed_number_is_noticed() -> None:
    rows = [Row("a", "R2R", "SR", "0.5", "10"), Row("b", "R2R", "NE", "2.25", "10")]
    assert differences(rows, rows) == []
    for changed in ({"value": "0.500000001"}, {"n": "9"}, {"metric": "OSR"}):
        other = [rows[0]._replace(**changed), rows[1]]
        assert differences(other, rows) != []
        before, after = digits_of(rows), digits_of(other)
        assert before["a"] != after["a"] and before["b"] == after["b"]
    text = "## 2\n### Numbers of presets\n- `a` 123abc\n### Other\n- `b` 000000\n"
    assert digits_in(text) == {"a": "123abc"}
    older = "## 1\n### Numbers of presets\n- `a` 456def, `b` 789abc\n"
    assert digits_in(text + older) == {"a": "123abc", "b": "789abc"}

"""Drone benchmarks: what their evaluators give for made-up flights, to 1e-12 by `reference`.

Columns that are left out: CityNav's predicted goals and progress, which are the model's estimates
and no paths; object_distance (OpenUAV), n_actions, pass_len and straight (OpenFly), final_dist and
final_angle_diff (IndoorUAV), which no mean has. tests/aggregate/short_flights_test.cpp has VLA's."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import pathlib
import tarfile
from typing import Any

import pytest
import warpath

DATA = pathlib.Path(os.environ.get("WARPATH_DATA", "/nowhere")) / "tasks2"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="WARPATH_DATA has no tasks2")

Rows = dict[str, list[dict[str, str]]]


def golden(name: str, task: str = "") -> Rows:
    """The rows of a golden table, by agent."""
    agents: Rows = {}
    with gzip.open(DATA / f"golden/{name}_val_seen.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row.get("task", task) == task:
                agents.setdefault(row["agent"], []).append(row)
    return agents


def evaluated(predictions: Any, dataset: Any, **settings: Any) -> dict[str, dict[str, str]]:
    """The rows of an agent by item, as text: "" is no value."""
    result = warpath.evaluate(predictions, dataset, interval="none", **settings)
    rows = csv.DictReader(io.StringIO(result.to_csv()))
    return {row["instr_id"]: row for row in rows}


def check(
    rows: list[dict[str, str]],
    found: dict[str, dict[str, str]],
    columns: dict[str, str],
    backend: str,
    key: Any,
    exact: float = 1e-12,
) -> None:
    """Compares columns of a golden table with the metrics that they name."""
    tolerance = exact if backend == "reference" else 2e-5
    assert rows
    for row in rows:
        mine = found[key(row)]
        for column, metric in columns.items():
            wanted, value = float(row[column]), float(mine[metric])
            assert math.isclose(value, wanted, rel_tol=tolerance, abs_tol=tolerance), (
                f"{row['agent']} {key(row)} {metric}: {value}, not {wanted}"
            )


def mean(found: dict[str, dict[str, str]], metric: str, ids: Any = None) -> float:
    values = [float(row[metric]) for name, row in found.items() if ids is None or ids(name)]
    return math.fsum(values) / len(values)


@pytest.fixture(scope="session", params=["reference", "cpu"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def unpack(name: str, folder: pathlib.Path) -> pathlib.Path:
    with tarfile.open(DATA / name) as archive:
        archive.extractall(folder)
    return folder


def means(name: str) -> Any:
    return json.load(gzip.open(DATA / "golden/drones_val_seen.json.gz"))[name]


@needs_data
def test_aerialvln(backend: str) -> None:
    columns = {
        "distance_to_goal": "NE",
        "success": "SR",
        "oracle_success": "OSR",
        "path_length": "PL",
        "ndtw": "nDTW",
        "sdtw": "SDTW",
        "n_pred": "n_query_raw",
        "n_ref": "n_ref",
        "is_collisioned": "collisions",
    }
    for agent, rows in golden("AerialVLN").items():
        # A collision's success depends on the batch, which the file does not say.
        outcome = "recorded" if agent.startswith("crash") else "computed"
        found = evaluated(
            DATA / f"agents/AerialVLN_val_seen_{agent}.json.gz",
            DATA / "AerialVLN_made_val_seen.json.gz",
            preset="aerialvln",
            outcome=outcome,
            backend=backend,
        )
        check(rows, found, columns, backend, lambda row: row["episode_id"])
        wanted = means("AerialVLN")[agent]
        for name, metric in [("distance_to_goal", "NE"), ("success", "SR"), ("ndtw", "nDTW")]:
            assert mean(found, metric, {r["episode_id"] for r in rows}.__contains__) == (
                pytest.approx(wanted[name], abs=1e-9)
            )


@needs_data
def test_aerialvln_by_other_settings() -> None:
    """The pure build, exact DTW, and distances of each entry."""
    for agent, rows in golden("AerialVLN").items():
        settings: list[dict[str, str]] = [
            {"dtw": "fast:1"},
            {"dtw": "exact"},
            {"lookup": "each"},
            {"lookup": "each", "goal_distance": "3d"},
        ]
        columns = [
            {"ndtw_pure": "nDTW"},
            {"ndtw_exact": "nDTW"},
            {"own_last_2d": "NE"},
            {"own_last_3d": "NE"},
        ]
        for changed, compared in zip(settings, columns, strict=True):
            found = evaluated(
                DATA / f"agents/AerialVLN_val_seen_{agent}.json.gz",
                DATA / "AerialVLN_made_val_seen.json.gz",
                preset="aerialvln",
                backend="reference",
                **changed,
            )
            check(rows, found, compared, "reference", lambda row: row["episode_id"])


@needs_data
def test_openuav(backend: str, tmp_path: pathlib.Path) -> None:
    unpack("OpenUAV_made_val_seen.tar.gz", tmp_path)
    unpack("agents/OpenUAV_val_seen.tar.gz", tmp_path)
    columns = {
        "success": "SR",
        "oracle": "OSR",
        "ne": "NE",
        "spl": "SPL",
        "path_length": "PL",
        "reference_length": "PLR",
        "n_pred": "n_query_raw",
        "n_ref": "n_ref",
    }
    for agent, rows in golden("OpenUAV").items():
        found = evaluated(
            tmp_path / "results" / agent, tmp_path / "data", preset="openuav", backend=backend
        )
        check(rows, found, columns, backend, lambda row: row["ori_traj_dir"][len("data/") :])
        splits = means("OpenUAV")[agent]
        # PL(R) up to 250 m is easy; these maps are unseen scenes.
        lengths = {name: float(row["PLR"]) for name, row in found.items()}
        chosen: dict[str, Any] = {
            "full": None,
            "easy": lambda name, of=lengths: of[name] <= 250,
            "hard": lambda name, of=lengths: of[name] > 250,
            "unseen scene": lambda name: "Carla_Town03" in name or "ModularPark" in name,
        }
        for split, ids in chosen.items():
            assert mean(found, "NE", ids) == pytest.approx(splits[split]["NE"], rel=1e-5)
            assert mean(found, "SPL", ids) * 100 == pytest.approx(
                splits[split]["SPL"] * (1 if splits[split]["SPL"] > 1 else 100), abs=1e-3
            )


@needs_data
def test_citynav(backend: str) -> None:
    first = {
        "mean_final_pos_to_goal_dist": "NE",
        "success_rate_final_pos_to_goal": "SR",
        "mean_oracle_pos_to_goal_dist": "ONE",
        "success_rate_oracle_pos_to_goal": "OSR",
        "n_pred": "n_query_raw",
    }
    second = {
        "vlnce_navigation_error": "NE",
        "vlnce_success_rate": "SR",
        "vlnce_oracle_success_rate": "OSR",
    }
    for agent, rows in golden("CityNav").items():
        for preset, columns in [("citynav", first), ("citynav-vlnce", second)]:
            found = evaluated(
                DATA / f"agents/CityNav_val_seen_{agent}.json.gz",
                DATA / "CityNav_made_val_seen.json.gz",
                objects=DATA / "CityNav_made_objects_val_seen.json.gz",
                preset=preset,
                backend=backend,
            )
            assert len(found) == 36  # of 48: markers of the others are over 30 m off
            check(rows, found, columns, backend, lambda row: row["episode"])


@needs_data
def test_openfly(backend: str) -> None:
    columns = {
        "distance_to_goal": "NE",
        "success": "SR",
        "oracle_success": "OSR",
        "spl": "SPL",
    }
    for agent, rows in golden("OpenFly").items():
        found = evaluated(
            DATA / f"agents/OpenFly_val_seen_{agent}.json.gz",
            DATA / "OpenFly_made_val_seen.json.gz",
            preset="openfly",
            backend=backend,
        )
        # The agents' positions are rounded to 1e-9 in their files.
        check(rows, found, columns, backend, lambda row: row["index"], 1e-8)
        above = sum(float(row["SPL"]) > 1 for row in found.values())
        assert above == means("OpenFly")[agent]["spl_above_1"]
        assert above == sum("spl_above_one" in row["status"] for row in found.values())


@needs_data
def test_log_of_steps_of_openfly(backend: str) -> None:
    for agent in ("perfect", "never", "overshoot"):
        file = DATA / f"agents/OpenFly_gtav_val_seen_{agent}.jsonl.gz"
        with gzip.open(file, "rt") as lines:
            steps = [json.loads(line) for line in lines]
        last = {step["sample_idx"]: step for step in steps if "sample_idx" in step}
        rows = [{key: str(value) for key, value in step.items()} for step in last.values()]
        found = evaluated(
            file,
            DATA / "OpenFly_made_val_seen.json.gz",
            preset="openfly",
            oracle_threshold=40,
            missing="skip",
            backend=backend,
        )
        columns = {"distance_to_goal": "NE", "success": "SR", "osr": "OSR", "spl": "SPL"}
        for row in rows:
            row["agent"] = agent
        check(rows, found, columns, backend, lambda row: row["sample_idx"])


@needs_data
def test_indooruav(backend: str, tmp_path: pathlib.Path) -> None:
    unpack("IndoorUAV_made_val_seen.tar.gz", tmp_path)
    unpack("agents/IndoorUAV_val_seen.tar.gz", tmp_path)
    columns = {"NE": "NE", "success": "SR", "OSR": "OSR"}
    for agent, rows in golden("IndoorUAV", "vln").items():
        arguments: dict[str, Any] = {
            "predictions": tmp_path / "vln" / agent / "trajectories",
            "dataset": tmp_path / "without_screenshot",
            "preset": "indooruav",
            "backend": backend,
        }
        counted = [row for row in rows if row["counted"] == "1"]
        if not counted:
            with pytest.raises(warpath.InputError, match="of no prediction is one that is scored"):
                evaluated(**arguments)
            continue
        for build, dtw in [("compiled", "fast-compiled:1"), ("pure", "fast:1")]:
            found = evaluated(**arguments, dtw=dtw)
            names = columns | {f"ndtw_{build}": "nDTW"}
            check(counted, found, names, backend, lambda row: row["episode"].rsplit("/", 1)[0])
            scored = [row for row in found.values() if row["status"] != "not_scored"]
            wanted = means("IndoorUAV")[f"vln_{agent}"][build]
            assert len(scored) == wanted["total_episodes"] == len(counted)
            for name, metric in [("average_NE", "NE"), ("average_nDTW", "nDTW")]:
                average = math.fsum(float(row[metric]) for row in scored) / len(scored)
                assert average == pytest.approx(wanted[name], rel=1e-6, abs=1e-12)

"""The measures for habitat against a plain transcription of VLN-CE's, without habitat."""

from __future__ import annotations

import csv
import gzip
import importlib
import json
import pathlib
import sys
import types
from typing import Any

import numpy as np
import pytest
from conftest import plain_dtw
from warpath import compat
from warpath.compat import habitat


class Sim:
    """Stands at one position."""

    def __init__(self) -> None:
        self.position = np.zeros(3)

    def get_agent_state(self) -> Sim:
        return self


def config_of(folder: pathlib.Path, references: dict[str, Any], **changes: Any) -> Any:
    with gzip.open(folder / "val_gt.json.gz", "wt") as file:
        json.dump({name: {"locations": points} for name, points in references.items()}, file)
    values = {
        "FDTW": False,
        "GT_PATH": str(folder / "{split}_gt.json.gz"),
        "SPLIT": "val",
        "SUCCESS_DISTANCE": 3.0,
    }
    return types.SimpleNamespace(**{**values, **changes})


def episode(name: str) -> Any:
    return types.SimpleNamespace(episode_id=name)


@pytest.mark.parametrize("is_fast", [False, True])
def test_each_step_has_the_ndtw_of_its_prefix(tmp_path: pathlib.Path, is_fast: bool) -> None:
    draw = np.random.default_rng(3)
    reference = np.cumsum(draw.normal(size=(12, 3)), axis=0)
    sim = Sim()
    config = config_of(tmp_path, {"7": reference.tolist()}, FDTW=is_fast, SUCCESS_DISTANCE=2.0)
    measure = habitat.NDTW(sim=sim, config=config)
    assert measure.uuid == "ndtw"
    for _ in range(2):  # an episode leaves nothing to the next
        points = np.cumsum(draw.normal(size=(15, 3)), axis=0)
        points[5] = points[4]  # a turn
        walked: list[np.ndarray] = []
        for k, point in enumerate(points):
            sim.position = point
            if k:
                measure.update_metric(action={}, task=None)
            else:
                measure.reset_metric(episode=episode("7"), task=None)
            if k != 5:
                walked.append(point)
            if is_fast:
                cost = compat.fastdtw(np.array(walked), reference, dist=habitat.euclidean_distance)[0]
            else:
                costs = np.linalg.norm(np.array(walked)[:, None] - reference, axis=2)
                cost = plain_dtw(costs)
            expected = np.exp(-cost / (len(reference) * 2.0))
            assert measure.get_metric() == pytest.approx(expected, abs=1e-12)
            assert len(measure.locations) == len(walked)


def test_rxr_has_a_file_for_each_role(tmp_path: pathlib.Path) -> None:
    for role, name in (("guide", "1"), ("follower", "2")):
        with gzip.open(tmp_path / f"val_{role}_gt.json.gz", "wt") as file:
            json.dump({name: {"locations": [[0.0, 0.0, 0.0]]}}, file)
    config = config_of(tmp_path, {}, GT_PATH=str(tmp_path / "{split}_{role}_gt.json.gz"))
    measure = habitat.NDTW(sim=Sim(), config=config)
    for name in ("1", "2"):
        measure.reset_metric(episode=episode(name))
        assert measure.get_metric() == 1
    with pytest.raises(KeyError):
        measure.reset_metric(episode=episode("3"))


class Measurements:
    def __init__(self, **values: float) -> None:
        self.measures = {
            name: types.SimpleNamespace(get_metric=lambda value=value: value)
            for name, value in values.items()
        }
        self.asked: list[Any] = []

    def check_measure_dependencies(self, *asked: Any) -> None:
        self.asked.append(asked)


def test_sdtw_is_the_product() -> None:
    measure = habitat.SDTW()
    task = types.SimpleNamespace(measurements=Measurements(ndtw=0.5, success=1.0))
    measure.reset_metric(task=task)
    assert task.measurements.asked == [("sdtw", ["ndtw", "success"])]
    assert (measure.uuid, measure.get_metric()) == ("sdtw", 0.5)
    task.measurements = Measurements(ndtw=0.75, success=0.0)
    measure.update_metric(task=task)
    assert measure.get_metric() == 0


def test_habitat_knows_the_measures_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[str, type] = {}

    class Measure:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.uuid = self._get_uuid(*args, **kwargs)  # type: ignore[attr-defined]

    def register_measure(measure: type) -> type:
        registered[measure.__name__] = measure
        return measure

    modules = {
        "habitat": {},
        "habitat.core": {},
        "habitat.core.embodied_task": {"Measure": Measure},
        "habitat.core.registry": {
            "registry": types.SimpleNamespace(register_measure=register_measure)
        },
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    try:
        importlib.reload(habitat)
        assert registered == {"NDTW": habitat.NDTW, "SDTW": habitat.SDTW}
        assert issubclass(habitat.NDTW, Measure) and habitat.SDTW().uuid == "sdtw"
    finally:
        monkeypatch.undo()
        importlib.reload(habitat)


def test_goldens_of_vlnce(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The exact nDTW that VLN-CE's class gave at the end of each episode."""
    with gzip.open(data / "VLNCE_R2R_val_seen.json.gz", "rt") as file:
        references = {
            str(entry["episode_id"]): entry["gt_locations_v1_2"] for entry in json.load(file)
        }
    with gzip.open(data / "targets/golden/VLNCE_targets_val_seen.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["agent"] in ("noisy", "spin")][::7]
    agents = {}
    for agent in ("noisy", "spin"):
        with gzip.open(data / f"targets/agents/VLNCE_val_seen_{agent}.json.gz", "rt") as file:
            agents[agent] = json.load(file)
    sim = Sim()
    measure = habitat.NDTW(sim=sim, config=config_of(tmp_path, references))
    for row in rows:
        for k, entry in enumerate(agents[row["agent"]][row["episode_id"]]):
            sim.position = np.array(entry["position"])
            if k:
                measure.update_metric()
            else:
                measure.reset_metric(episode=episode(row["episode_id"]))
        assert measure.get_metric() == pytest.approx(float(row["ndtw_exact_v12"]), abs=1e-12)

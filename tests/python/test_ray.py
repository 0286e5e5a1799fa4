"""The example of Ray Data: the means of one scorer."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
import types
from typing import Any

import pytest
import warpath

example = pathlib.Path(__file__).parents[2] / "examples" / "python" / "ray_data.py"


def without_ray(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports the example without the seconds that Ray takes."""
    for name in ("ray", "ray.data"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    specification = importlib.util.spec_from_file_location("ray_data", example)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="there is no ray")
def test_actors_score_as_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, timeout=180
    )
    assert run.returncode == 0, run.stderr
    module = without_ray(monkeypatch)
    graphs, rollouts = module.make_rollouts(1000)
    statistics = warpath.Scorer(graphs, preset="r2r", metrics=module.metrics).statistics(
        [row["reference"] for row in rollouts], [row["prediction"] for row in rollouts], "grid"
    )
    expected = ["1000 rollouts"]
    expected += [f"{m:5} {statistics.of(m).mean:.6f}" for m in module.metrics]
    assert run.stdout.splitlines() == expected

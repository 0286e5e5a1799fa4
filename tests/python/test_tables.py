"""Tables of names, and the command."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
import warpath
from running import command
from warpath import _core


def test_metrics() -> None:
    metric = warpath.metrics["ndtw"]
    assert (metric.name, metric.unit, metric.better, metric.headline) == (
        "nDTW", "fraction", "higher", True,
    )  # fmt: skip
    assert "exp" in metric.formula and "Ilharco" in metric.source
    assert list(warpath.metrics)[:3] == ["PL", "NE", "ONE"]
    with pytest.raises(KeyError, match="no metric 'nDTV'"):
        warpath.metrics["nDTV"]
    with pytest.raises(KeyError):
        warpath.metrics[3]  # type: ignore[index]


def test_presets_have_all_settings() -> None:
    assert list(warpath.presets)[0] == "paper" and len(warpath.presets) > 5
    for preset in warpath.presets.values():
        assert list(preset.settings) == list(warpath.settings)
        for_scorers = {"goal": "end", "dtw": "exact", "ndtw": "dtw", "edit": "levenshtein"}
        is_of_files = any(preset.settings[name] != value for name, value in for_scorers.items())
        flights = {"goal_distance": "same", "outcome": "computed", "spl_ratio": "capped"}
        is_of_flights = any(preset.settings[name] != value for name, value in flights.items())
        if is_of_files or is_of_flights:
            with pytest.raises(warpath.InputError, match="evaluations of|goal sets"):
                warpath.Scorer(preset="paper", metrics="SR", **preset.settings)
            continue
        same = warpath.Scorer(preset="paper", metrics="SR", **preset.settings)
        assert same.preset == "paper"
    assert warpath.presets["r2r"].settings["success"] == "lt"
    assert list(warpath.reward_presets["hamt"].settings) == list(warpath.reward_settings)


def test_presets_know_their_tasks_and_further_names() -> None:
    duet = warpath.presets["HAMT"]
    assert duet.name == "duet" and duet.aliases == ("hamt",)
    assert duet.tasks == ("R2R", "R4R", "RxR")
    assert warpath.presets["paper"].tasks == () and "hamt" not in list(warpath.presets)
    of_a_task = [preset for preset in warpath.presets.values() if preset.name != "paper"]
    assert all(preset.tasks for preset in of_a_task)
    assert "R2R, R4R, RxR" in str(warpath.presets)
    assert "tasks" not in str(warpath.reward_presets).splitlines()[0]


def test_tables_are_shown() -> None:
    for table in (
        warpath.metrics, warpath.presets, warpath.settings, warpath.reward_presets,
        warpath.reward_settings, warpath.statuses,
    ):  # fmt: skip
        lines = str(table).splitlines()
        assert len(lines) == len(table) + 1 and lines[0].startswith("name")
        assert table._repr_html_().count("<tr>") == len(table) + 1
        assert str(len(table)) in repr(table)


def test_tables_become_frames() -> None:
    pytest.importorskip("pandas")
    frame = warpath.metrics.to_pandas()
    assert frame.loc["SPL", "better"] == "higher" and len(frame) == len(warpath.metrics)


def test_formulas_depend_on_the_convention() -> None:
    assert _core.formula("nDTW", "paper", {}) != _core.formula(
        "nDTW", "paper", {"ndtw_norm": "sqrt-nodes"}
    )


def test_the_version_is_that_of_the_library() -> None:
    header = pathlib.Path(__file__).parents[2] / "include/warpath/version.hpp"
    if not header.exists():
        pytest.skip("the tests lie outside of a checkout")
    numbers = [
        line.split()[-1] for line in header.read_text().splitlines()
        if line.startswith("#define WARPATH_VERSION_M") or "VERSION_PATCH " in line
    ]  # fmt: skip
    assert warpath.__version__ == ".".join(numbers)


def test_the_command_has_the_exit_codes_of_the_program() -> None:
    assert command("--version").stdout == f"warpath {warpath.__version__}\n"
    assert command("metrics").returncode == 0
    assert command("eval", "--graphs", "nowhere", "--dataset", "n.json", "p.json").returncode == 1
    wrong = command("metrix")
    assert wrong.returncode == 2 and "metrics" in wrong.stderr


def test_a_closed_pipe_ends_the_command_silently() -> None:
    shell = f"{sys.executable} -m warpath metrics | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.count("\n") == 1

"""Result files: what they hold is what was scored; damaged files are refused."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath
from made_agents import World, saved
from warpath.result_files import is_result_file, read_results


@pytest.fixture(scope="module")
def small() -> World:
    return World(paths=11)


def test_result_files_are_what_was_scored(small: World, tmp_path: pathlib.Path) -> None:
    evaluation = small.evaluate(small.agent(0.3), small.agent(0.6))
    results = read_results(saved(evaluation, tmp_path / "results.json"))
    assert [run.name for run in results.runs] == ["agent0", "agent1"]
    assert results.convention["threshold"] == 3 and results.preset == "paper"
    assert results.runs[0].units["PL"] == "m"
    for agent, run in zip(evaluation, results.runs):
        items = run.require_items("")
        assert list(items.instr_id) == agent.per_item["instr_id"].tolist()
        assert list(items.status) == agent.per_item["status"].tolist()
        for metric, estimate in agent.summary.items():
            np.testing.assert_array_equal(items.values[metric], agent.per_item[metric])
            assert run.summary[metric] == estimate
        lengths = [len(entry["path"]) for entry in small.dataset for _ in entry["instructions"]]
        assert items.length.tolist() == lengths


def damage(content: Any, how: str) -> Any:
    run = content["runs"][0]
    items = run["per_item"]
    if how == "short":
        items["scan"].pop()
    elif how == "text":
        items["values"]["SR"][0] = "one"
    elif how == "changed":
        items["values"]["SPL"][0] += 0.5
    elif how == "no items":
        del run["per_item"]
    elif how == "no runs":
        content["runs"] = []
    elif how == "other":
        del content["runs"]
    elif how == "list":
        return [content]
    elif how == "ids":
        items["instr_id"][0] = 7
    return content


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("short", "scan: has .* values for"),
        ("text", "SR: is not a column of numbers"),
        ("changed", "SPL: its items have the mean"),
        ("no items", "has no values of items"),
        ("no runs", "runs: is empty"),
        ("other", "holds no results of eval"),
        ("list", "is no object"),
        ("ids", "instr_id: is not a column of texts"),
    ],
)
def test_damaged_result_files_are_refused(
    small: World, tmp_path: pathlib.Path, how: str, says: str
) -> None:
    content = json.loads(small.evaluate(small.agent(0.3), small.agent(0.3)).to_json(items=True))
    file = tmp_path / "results.json"
    file.write_text(json.dumps(damage(content, how)))
    with pytest.raises(warpath.InputError, match=says) as refused:
        results = read_results(file)
        results.runs[0].require_items(results.file)
    assert str(file) in str(refused.value) and "--items" in refused.value.remedy


def test_files_that_are_no_results(small: World, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "results.json"
    file.write_text("{")
    for name, says in ((file, "is no JSON of results"), (tmp_path / "none.json", "cannot be read")):
        with pytest.raises(warpath.InputError, match=says):
            read_results(name)
    flat = small.evaluate(small.agent(0.3)).to_json(flat_names=True)
    file.write_text(flat)
    with pytest.raises(warpath.InputError, match="without --flat-names"):
        read_results(file)


def test_packed_files_are_read(small: World, tmp_path: pathlib.Path) -> None:
    file = saved(small.evaluate(small.agent(0.3)), tmp_path / "results.json")
    packed = tmp_path / "results.json.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert is_result_file(packed) and is_result_file(file)
    with pytest.raises(warpath.InputError, match=r"none\.json: cannot be read"):
        is_result_file(tmp_path / "none.json")
    assert read_results(packed).runs[0].summary == read_results(file).runs[0].summary

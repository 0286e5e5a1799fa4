"""Runs the code of docs/python.md and of the README's section on Python, as it stands there.

A comment `# -> text` behind an expression says what str() of its value is."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
import warpath

ROOT = pathlib.Path(__file__).parents[2]


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)


def run(code: str, names: dict[str, Any]) -> int:
    """Runs a block, compares the values that it states, and returns how many there were."""
    stated = 0
    for line in code.splitlines():
        if match := re.fullmatch(r"(\S.*?) +# -> (.*)", line):
            stated += 1
            before = code[: code.index(line)]
            run_once(before, names)
            code = code[len(before) + len(line) :]
            assert str(eval(match[1], names)) == match[2], match[1]
    run_once(code, names)
    return stated


def run_once(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "the documentation", "exec"), names)


@pytest.fixture
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Makes the files that the documentation names, and returns the dataset."""
    package = str(pathlib.Path(warpath.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-m", "warpath", "demo", "--out", "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": package},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    demo = tmp_path / "demo"
    (demo / "graphs").rename(tmp_path / "connectivity")
    (demo / "dataset.json").rename(tmp_path / "R2R_val_seen.json")
    (demo / "noisy.json").rename(tmp_path / "agent.json")
    monkeypatch.chdir(tmp_path)
    entries: list[dict[str, Any]] = json.loads((tmp_path / "R2R_val_seen.json").read_text())
    return entries


def needs(*modules: str) -> None:
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed")


def test_code_of_the_guide(files: list[dict[str, Any]]) -> None:
    needs("networkx", "pandas")
    code = blocks((ROOT / "docs/python.md").read_text())
    names: dict[str, Any] = {}
    stated = [run(block, names) for block in code]
    assert len(code) >= 10 and sum(stated) >= 15
    assert names["frame"].shape[0] == 900 and names["copy"].scans == ["study"]


def test_code_of_the_readme(files: list[dict[str, Any]]) -> None:
    section = re.search(r"^## Python\n(.*?)^## ", (ROOT / "README.md").read_text(), re.M | re.S)
    assert section is not None
    code = blocks(section[1])
    names: dict[str, Any] = {
        "references": [entry["path"] for entry in files],
        "queries": [entry["path"][:-1] for entry in files],
        "scans": [entry["scan"] for entry in files],
    }
    stated = [run(block, names) for block in code]
    assert len(code) >= 1 and sum(stated) >= 1


def test_code_of_pictures(files: list[dict[str, Any]]) -> None:
    needs("matplotlib")
    text = (ROOT / "docs/pictures.md").read_text()
    section = re.search(r"^## Pictures\n(.*?)^## ", text, re.M | re.S)
    assert section is not None
    names: dict[str, Any] = {}
    assert sum(run(block, names) for block in blocks(section[1])) >= 1
    assert "</svg>" in pathlib.Path("path.svg").read_text()
    for picture in re.findall(r"\]\((pictures/[^)]+)\)", section[1]):
        assert (ROOT / "docs" / picture).exists(), picture


@pytest.mark.parametrize(
    ("guide", "heading"),
    [("rewards.md", "References of each batch"), ("tensors.md", "New references")],
)
def test_code_of_new_references(files: list[dict[str, Any]], guide: str, heading: str) -> None:
    names: dict[str, Any] = {
        "warpath": warpath,
        "graphs": warpath.Graphs("connectivity"),
        "references": [entry["path"] for entry in files],
        "queries": [entry["path"][:-1] for entry in files],
        "scans": [entry["scan"] for entry in files],
    }
    if guide == "tensors.md":
        names["torch"] = pytest.importorskip("torch", reason="needs PyTorch")
        importlib.import_module("warpath.torch")
    section = re.search(
        rf"^## {heading}\n(.*?)^## ", (ROOT / "docs" / guide).read_text(), re.M | re.S
    )
    assert section is not None
    assert sum(run(block, names) for block in blocks(section[1])) == 1


def test_a_wrong_value_is_noticed() -> None:
    assert run("x = 1\nx + 1  # -> 2\n", {}) == 1
    with pytest.raises(AssertionError):
        run("x = 1\nx + 1  # -> 3\n", {})


def test_links_of_the_guide_lead_somewhere() -> None:
    text = (ROOT / "docs/python.md").read_text()
    for link in set(re.findall(r"\]\(([^)#]+)", text)):
        assert (ROOT / "docs" / link).exists(), link

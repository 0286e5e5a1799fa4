"""Runs the Python code of the README and of docs/, and follows the links of all documents.

A comment `# -> text` behind an expression says what str() of its value is."""

from __future__ import annotations

import csv
import gzip
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import needing_meshes
from made_scores import made_scores
from warpath.commands import run_command

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
    (tmp_path / "build").mkdir()
    subprocess.run(
        [sys.executable, "-m", "warpath", "demo", "--out", "build/demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": package},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    demo = tmp_path / "build/demo"
    shutil.copytree(demo / "graphs", tmp_path / "connectivity")
    shutil.copy(demo / "dataset.json", tmp_path / "R2R_val_seen.json")
    shutil.copy(demo / "noisy.json", tmp_path / "agent.json")
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


def test_code_of_the_guide_on_real_data(
    data: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the files that the guide names: R2R's, and a trained agent's predictions."""
    needs("networkx", "pandas")
    (tmp_path / "connectivity").symlink_to(data / "connectivity")
    (tmp_path / "R2R_val_seen.json").symlink_to(data / "R2R_val_seen.json")
    packed = data / "agents/R2R_val_seen_prevalent_seq2seq.json.gz"
    (tmp_path / "agent.json").write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks((ROOT / "docs/python.md").read_text()):
        run(block, names)
    assert names["frame"].shape[0] == 1021 and len(names["copy"].scans) == 56


def test_code_of_the_readme(files: list[dict[str, Any]]) -> None:
    code = blocks((ROOT / "README.md").read_text())
    names: dict[str, Any] = {}
    stated = [run(block, names) for block in code]
    assert len(code) >= 1 and sum(stated) >= 1
    items = sum(len(entry["instructions"]) for entry in files)
    assert names["result"].per_item["nDTW"].shape == (items,)


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


def test_code_of_studies(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("matplotlib", "scipy")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/studies.md").read_text()
    section = re.search(r"^## A study with people\n(.*?)^## ", text, re.M | re.S)
    assert section is not None
    assert [run(block, {}) for block in blocks(section[1])] == [2]


def test_table_of_studies(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of simulated raters in docs/studies.md is what its commands print."""
    needs("scipy")
    monkeypatch.chdir(tmp_path)
    warpath.study.make("study", seed=1, sheets="none")
    text = (ROOT / "docs/studies.md").read_text()
    section = re.search(r"^### Rehearse it\n(.*?)^### ", text, re.M | re.S)
    assert section is not None
    commands, table = re.findall(r"^```\n(.*?)^```$", section[1], re.M | re.S)
    for command in commands.splitlines():
        assert run_command(command.split()[1:]) == 0
    assert table in capsys.readouterr().out


def test_correlations_of_studies(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of made-up scores in docs/studies.md is what its command prints."""
    needs("matplotlib", "scipy", "pandas")
    monkeypatch.chdir(tmp_path)
    for name, rows in zip(("attempts.csv", "scores.csv"), made_scores()):
        with open(name, "w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    text = (ROOT / "docs/studies.md").read_text()
    section = re.search(
        r"^## Scores of instructions and what people did\n(.*?)^## ", text, re.M | re.S
    )
    assert section is not None
    command, table = re.findall(r"^```\n(.*?)^```$", section[1], re.M | re.S)
    assert run_command(command.split()[1:]) == 0
    assert table in capsys.readouterr().out
    assert [run(block, {}) for block in blocks(section[1])] == [1]


def test_code_of_compatibility() -> None:
    needs("scipy")
    text = (ROOT / "docs/studies.md").read_text()
    section = re.search(r"^## Instructions and trajectories\n(.*)", text, re.M | re.S)
    assert section is not None
    assert [run(block, {}) for block in blocks(section[1])] == [1]


@pytest.mark.parametrize(
    ("guide", "heading"),
    [
        ("rewards.md", "Rewards of ends"),
        ("rewards.md", "References of each batch"),
        ("tensors.md", "New references"),
    ],
)
def test_code_of_rewards(files: list[dict[str, Any]], guide: str, heading: str) -> None:
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


def test_code_for_trainers(files: list[dict[str, Any]]) -> None:
    """Each function gives the rewards, called as its trainer calls it."""
    names: dict[str, Any] = {
        "warpath": warpath,
        "graphs": warpath.Graphs("connectivity"),
        "references": [entry["path"] for entry in files],
        "scans": [entry["scan"] for entry in files],
    }
    guide = (ROOT / "docs/rewards.md").read_text()
    section = re.search(r"^## From your trainer\n(.*?)^## ", guide, re.M | re.S)
    assert section is not None
    assert sum(run(block, names) for block in blocks(section[1])) == 0
    items = [0, 2, 1, 0]
    answers = [" ".join(names["references"][k][: 2 + k % 2]) for k in items]
    wanted = names["reward_of"](answers, items)
    assert len(set(wanted)) > 1 and all(isinstance(one, float) for one in wanted)
    extra = [{"item": k} for k in items]
    of_swift, of_rlinf = names["PathReward"](), names["RuleReward"]({})
    calls = [
        names["ndtw_reward"](
            prompts=answers, completions=answers, completion_ids=[[1]] * 4, item=items, trainer_state=0
        ),
        names["compute_score"](
            data_sources=["r2r"] * 4,
            solution_strs=answers,
            ground_truths=answers,
            extra_infos=extra,
        ),
        of_swift(answers, item=items, trainer_state=0),
        of_rlinf.get_reward(answers, [[str(k)] for k in items]),
    ]
    assert calls == [wanted] * 4


def test_code_of_navigation_meshes(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "tests/fuzz/corpus/navmesh/version_1.navmesh", tmp_path / "home.navmesh")
    monkeypatch.chdir(tmp_path)
    names = {"warpath": warpath, "np": np}
    with needing_meshes():
        for guide, heading, stated in (
            ("tasks.md", r"#### In Python\n(.*?)^### ", 1),
            ("rewards.md", r"## Over navigation meshes\n(.*?)^## ", 2),
        ):
            section = re.search("^" + heading, (ROOT / "docs" / guide).read_text(), re.M | re.S)
            assert section is not None
            assert [run(block, dict(names)) for block in blocks(section[1])] == [stated]


def test_a_wrong_value_is_noticed() -> None:
    assert run("x = 1\nx + 1  # -> 2\n", {}) == 1
    with pytest.raises(AssertionError):
        run("x = 1\nx + 1  # -> 3\n", {})


DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted(ROOT.glob("*/README.md")),
    *sorted(ROOT.glob("tests/*/README.md")),
]


def anchors(text: str) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a document."""
    outside_of_code = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", outside_of_code, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: pathlib.Path) -> list[str]:
    text = document.read_text()
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            broken.append(link)
    return broken


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_documents_lead_somewhere(document: pathlib.Path) -> None:
    assert broken_links(document) == []


def test_a_broken_link_is_noticed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "there.md").write_text("# A heading: `code`\n")
    document = tmp_path / "here.md"
    document.write_text("[a](there.md#a-heading-code) [b](there.md#no) [c](nowhere.md) [d](#no)")
    assert broken_links(document) == ["there.md#no", "nowhere.md", "#no"]


def test_citations_name_the_version() -> None:
    for name, line in (("CITATION.cff", "\nversion: {}\n"), ("README.md", "version = {{{}}},\n")):
        assert line.format(warpath.__version__) in (ROOT / name).read_text(), name


def test_a_broken_link_of_the_site_is_noticed(tmp_path: pathlib.Path) -> None:
    """With the check of scripts/docs, over pages as Sphinx and Doxygen write them."""
    (tmp_path / "a b.html").write_text('<h1 id="x">…</h1><a name="y"></a>')
    page = '<a href="a%20b.html#x"></a><a href="a%20b.html#y"></a><a href="//other.org/z"></a>'
    (tmp_path / "here.html").write_text(page + '<a href="#top"></a>')
    check = [sys.executable, str(ROOT / "docs/site/check_links.py"), str(tmp_path)]
    assert subprocess.run(check, capture_output=True).returncode == 0
    (tmp_path / "here.html").write_text(page + '<a href="a%20b.html#z"></a><img src="no.svg">')
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.findall(r"^here\.html: (\S+) leads nowhere$", done.stdout, re.M) == [
        "a%20b.html#z",
        "no.svg",
    ]


def missing_files(text: str) -> list[str]:
    """Returns the files that a map names in vain; a name alone is of the folder before it."""
    missing = []
    folder = ROOT
    for name in re.findall(r"`([.\w-]*(?:/[.\w/-]*|\.[ch]pp))`", text):
        path = ROOT / name if "/" in name else folder / name
        folder = path if name.endswith("/") else path.parent
        if not path.exists():
            missing.append(name)
    return missing


def test_files_of_the_map_exist() -> None:
    text = (ROOT / "docs/map.md").read_text()
    assert missing_files(text) == []
    broken = "`host/core/reference/` `measures.cpp` `none.cpp` `host/no` `.ci/run`"
    assert missing_files(broken) == ["none.cpp", "host/no"]
    assert len(text.split()) <= 700

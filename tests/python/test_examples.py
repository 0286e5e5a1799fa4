"""Runs the examples of examples/python as a user does, in a folder of their own."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
import warpath

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


def run(name: str, *arguments: str, folder: pathlib.Path) -> str:
    """Returns what an example prints."""
    package = str(pathlib.Path(warpath.__file__).parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run_here() -> None:
    folder = pathlib.Path(__file__).parent
    tests = "".join((folder / f"test_{name}.py").read_text() for name in ("examples", "ray"))
    names = [file.name for file in EXAMPLES.iterdir() if file.suffix in (".py", ".ipynb")]
    assert len(names) >= 5
    assert [name for name in names if f'"{name}"' not in tests] == []


def test_evaluate_submission(tmp_path: pathlib.Path) -> None:
    printed = run("evaluate_submission.py", folder=tmp_path)
    assert re.search(r"noisy +0\.488 ± 0\.065 +0\.8378 ± 0\.0240 ", printed)
    assert "SPL of noisy: mean 0.31833" in printed and "over 900 items" in printed
    groups = re.findall(r"^  \d+ +0\.\d{4} over (\d+) items$", printed, re.M)
    assert sum(map(int, groups)) == 900
    demo = tmp_path / "warpath-demo"
    assert "item 128_0 of scan study, preset r2r" in (demo / "explained.txt").read_text()
    assert len((demo / "items.csv").read_text().splitlines()) == 1 + 2 * 900
    assert r"\toprule" in (demo / "table.tex").read_text()

    # The same with files that a user names: the threshold is 3 m, and all come that near.
    files = [str(demo / name) for name in ("graphs", "dataset.json", "shortest.json")]
    printed = run("evaluate_submission.py", *files, folder=tmp_path)
    # 21 of the 900 items start at their goal: 0/0, which invalid="zero" counts as 0.
    assert "SPL of shortest: mean 0.97666" in printed and (tmp_path / "items.csv").exists()


def test_compare_conventions(tmp_path: pathlib.Path) -> None:
    printed = run("compare_conventions.py", folder=tmp_path)
    rows = dict(re.findall(r"^([a-z0-9-]+) +(\d\.\d{4}.*)$", printed, re.M))
    of_paths = [p for p in warpath.presets if p in rows]  # those of other tasks are left out
    assert list(rows) == of_paths and "ndh-hamt" not in rows and len(rows) >= 8
    means = {preset: [float(mean) for mean in row.split()] for preset, row in rows.items()}
    assert means["duet"][1] > 2 * means["r2r"][1]  # SPL takes the length of a reference, a detour
    assert means["valan"][2] > means["paper"][2]  # SED divides by the product of the lengths
    assert means["r4r-hops"][4] != means["r4r"][4] == means["paper"][4]
    assert re.search(r"^duet .*spl_length=reference", printed, re.M)
    assert re.search(r"^paper +none$", printed, re.M)


def test_score_arrays(tmp_path: pathlib.Path) -> None:
    printed = run("score_arrays.py", folder=tmp_path)
    # nDTW of the first: exp(-2 / (3 * 3)), the agent goes 2 m too far; of the second, which stops
    # two viewpoints early: exp(-(2 + 4) / (4 * 3)).
    same = re.findall(r"^(\w+) +\[0\.80073\d+ 0\.60653\d+\]$", printed, re.M)
    assert same == ["ids", "padded", "offsets", "out"]
    # SPL: of the first 2/3 in 4 m instead of 6, of the second 0; 1 twice.
    assert re.search(r"^SPL +0\.66666\d* over 4 pairs$", printed, re.M)
    assert re.search(r"^points +\[0\.84648\d+\]$", printed, re.M)  # exp(-5 * 0.5 / (5 * 3))


def test_gallery(tmp_path: pathlib.Path) -> None:
    for module in ("matplotlib", "scipy"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    printed = run("gallery.py", "pictures", folder=tmp_path).split()
    assert len(printed) > 15 and all("</svg>" in (tmp_path / f).read_text() for f in printed)
    assert "random, nDTW 0.03</text>" in (tmp_path / "pictures/paths.svg").read_text()


def test_reinforce(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    printed = run("reinforce.py", "100", folder=tmp_path)
    rows = re.findall(r"^(goal|ndtw-gain) +(\d\.\d+) +(\d\.\d+)$", printed, re.M)
    (goal, goal_sr, goal_ndtw), (gain, gain_sr, gain_ndtw) = rows
    assert (goal, gain) == ("goal", "ndtw-gain")
    assert float(goal_sr) > 0.9 and float(gain_sr) > 0.9
    assert float(gain_ndtw) > float(goal_ndtw) + 0.1
    assert "the agent trained on nDTW follows its references better" in printed


def test_grpo(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    printed = run("grpo.py", "60", folder=tmp_path)
    rows = re.findall(r"^(\w+) +(\d\.\d+) +(\d\.\d+)$", printed, re.M)
    assert [name for name, _, _ in rows] == ["untrained", "REINFORCE", "GRPO"]
    untrained, reinforce, grpo = (float(ndtw) for _, _, ndtw in rows)
    assert grpo > untrained + 0.2 and grpo > reinforce - 0.1


def test_dual_encoder(tmp_path: pathlib.Path) -> None:
    for module in ("torch", "scipy"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    printed = run("dual_encoder.py", "200", folder=tmp_path)
    before, after = map(float, re.findall(r"^AUC before training (\S+), after (\S+);", printed)[0])
    assert before < 0.6 and after > 0.8


def executed(
    name: str, needs: tuple[str, ...], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> list[Any]:
    """Runs a notebook in a folder and returns its cells of code."""
    for module in ("nbclient", "ipykernel", *needs):
        pytest.importorskip(module, reason=f"{module} is not installed")
    import nbclient
    import nbformat

    package = str(pathlib.Path(warpath.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", package, prepend=os.pathsep)
    monkeypatch.setenv("IPYTHONDIR", str(folder))
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs for cell in cells), "clear the outputs before you commit"
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    return cells


def test_notebook(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = executed("evaluate.ipynb", ("pandas",), tmp_path, monkeypatch)
    shown = "\n".join(_texts(cell) for cell in cells)
    assert "<table>" in shown and "noisy" in shown  # the result's own HTML
    assert "Estimate(mean=0.7813" in shown
    assert "128_0" in shown and "item 128_0 of scan study, preset paper" in shown
    assert r"\bottomrule" in shown


def test_notebook_of_comparisons(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = executed("compare.ipynb", ("matplotlib", "scipy"), tmp_path, monkeypatch)
    shown = "\n".join(_texts(cell) for cell in cells)
    assert "early − noisy, 900 items" in shown and r"\bottomrule" in shown
    # SR +0.0156 ± 0.0096: success rises on 14 items, which intervals of the agents do not show.
    assert re.search(r"SR ↑ +0\.8378 +0\.8533 +\+0\.0156 ± 0\.0096 .* 14/886/0", shown)
    assert "ItemDifference(instr_id='60_1'" in shown
    pictures = [o for cell in cells for o in cell.outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 2


def _texts(cell: Any) -> str:
    outputs = [output.get("text") or output.get("data", {}) for output in cell.outputs]
    texts = [text if isinstance(text, str) else "\n".join(text.values()) for text in outputs]
    return "\n".join(texts)

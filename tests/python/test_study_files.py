"""study: the command and its files, sheets, pictures."""

from __future__ import annotations

import csv
import gzip
import json
import pathlib
import re
from typing import Any

import pytest
import warpath
from made_study import own_study
from running import failure
from warpath.commands import run_command

pytest.importorskip("scipy.stats", reason="SciPy is not installed")
import warpath.study as study_of  # noqa: E402


def test_command(small_study: pathlib.Path, tmp_path: pathlib.Path, capsys: Any) -> None:
    ratings, table, rho = (str(tmp_path / name) for name in ("r.csv", "t.json", "rho.csv.gz"))
    assert run_command(["study", "simulate", str(small_study), "--out", ratings]) == 0
    arguments = ["study", "score", str(small_study), ratings, "--json", table, "--csv", rho]
    assert run_command(arguments) == 0
    out = capsys.readouterr().out
    assert "UC ρ ± sd" in out and "n/a" in out and "pairs.jsonl" in out
    found = json.loads(pathlib.Path(table).read_text())
    assert found["study_scores"] == warpath.__version__
    roles = {source["role"]: source for source in found["files"]}
    assert set(roles) == {"ratings", "pairs", "graphs"}
    assert all(re.fullmatch("[0-9a-f]{32}", source["hash"]) for source in roles.values())
    assert found["scenarios"]["SC"]["SR"] == {"mean": None, "sd": None, "n": 0, "undefined": 4}
    with gzip.open(rho, "rt") as stream:
        assert len(list(csv.DictReader(stream))) == 10
    first = pathlib.Path(table).read_bytes()
    assert run_command([*arguments[:-2], "--quiet"]) == 0
    assert pathlib.Path(table).read_bytes() == first and capsys.readouterr().out == ""
    ids = study_of.read(small_study).ids
    values = [f"{identifier},{len(identifier)},{k}" for k, identifier in enumerate(ids)]
    scores = tmp_path / "scores.csv"
    scores.write_text("\n".join(["id,size,number", *values]))
    others = ["--scores", str(scores), "--lower", "number"]
    assert run_command(["study", "score", *others, ratings]) == 0
    out = capsys.readouterr().out
    assert re.search(r"number ↓ +-?[−\d.]+ ± ", out) and re.search(r"size ↑ +n/a +0 +6", out)
    assert run_command([*arguments[:4], "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("Spearman's")


def test_commands_refuse(small_study: pathlib.Path, tmp_path: pathlib.Path, capsys: Any) -> None:
    ratings = tmp_path / "r.csv"
    study_of.simulate(small_study, out=ratings)
    before = ratings.read_bytes()
    score = ["study", "score", str(small_study), str(ratings)]
    pairs = str(small_study / "pairs.jsonl")
    simulate = ["study", "simulate", str(small_study), "--out"]
    for arguments, code, message in (
        ([*score, "--csv", str(ratings)], 2, "would replace"),
        ([*score, "--json", pairs], 2, "would replace"),
        ([*score, "--out", str(small_study / "graph.json")], 2, "would replace"),
        ([*score, "--json", "x", "--csv", "x"], 2, "would replace"),
        ([*simulate, pairs], 2, "would replace"),
        ([*simulate, str(small_study / "answers.csv")], 2, "would replace"),
        ([*score, "--json", str(small_study / "study.json")], 2, "would replace"),
        (["study", "score", str(ratings)], 2, "--scores"),
        ([*score, "more"], 2, "no further file"),
        (["study", "score", str(tmp_path), str(ratings)], 1, "has no pairs.jsonl"),
        (["study", "score", str(ratings), str(ratings)], 1, "is no folder"),
        ([*score, "--unit", "rater"], 2, "--unit"),
        ([*score, "--threshold", "-1"], 1, "threshold"),
        (["study"], 2, "STEP"),
    ):
        found = failure(capsys, *arguments)
        assert found[0] == code and message in found[1], arguments
    assert ratings.read_bytes() == before and len(study_of.read(small_study).sets) == 10


# ---------------------------------------------------------------- pictures


def test_graphs_elsewhere_are_not_replaced(tmp_path: pathlib.Path, capsys: Any) -> None:
    own_study(tmp_path)
    graph = tmp_path / "lab.json"
    before = graph.read_bytes()
    simulate = ["study", "simulate", str(tmp_path / "study"), "--out"]
    code, message = failure(capsys, *simulate, str(graph))
    assert code == 2 and "would replace" in message and graph.read_bytes() == before
    code, message = failure(capsys, *simulate, "x", "--noise", "1e308")
    assert code == 2 and "too large" in message
    assert run_command([*simulate, "-"]) == 0
    assert capsys.readouterr().out.startswith("rater,set,query,rank\n")


def test_sheets(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for form in ("pdf", "svg"):
        done = list[int]()
        for name in ("one", "two"):
            study_of.make(
                tmp_path / form / name, sets="UC=1,SC=1", sheets=form, progress=done.append
            )
        assert done == [1, 2, 1, 2]
        names = ["sheets.pdf"]
        if form == "svg":
            names = ["sheets/sheet_001.svg", "sheets/sheet_002.svg"]
        for name in names:
            content = (tmp_path / form / "one" / name).read_bytes()
            assert content == (tmp_path / form / "two" / name).read_bytes()
            texts = re.sub(rb"(?s)\bstream\r?\n.*?endstream", b"", content)  # those are packed
            assert not re.search(rb"(?i)uc00|sc00|ndtw|warpath|\bUC\b|\bSC\b", texts)
    page = (tmp_path / "svg" / "one" / "sheets" / "sheet_001.svg").read_text()
    assert "which of these orange paths" in page and "Sheet 1" in page
    assert [f">{letter}<" in page for letter in "abcdef"] == [True] * 5 + [False]


def test_pictures(small_study: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot
    from warpath.plot.set_panels import QUERY_COLOR
    from warpath.plot.style import REFERENCE_COLOR

    found = study_of.read(small_study)
    axes = warpath.plot.comparison_set(found, "sc001")
    assert [ax.get_title() for ax in axes] == list("abcde")
    assert len({(*ax.get_xlim(), *ax.get_ylim()) for ax in axes}) == 1
    colors = [line.get_color() for line in axes[0].lines]
    assert REFERENCE_COLOR in colors and QUERY_COLOR in colors
    left, right = axes[0].get_xlim()
    one = found.sets["sc001"]
    for path in (one.reference, *one.queries.values()):
        x = found.points(one.scan, path)[:, 0]
        assert left < x.min() and x.max() < right
    axes = warpath.plot.sorted_pairs(small_study, "NE", count=7)
    values = [float(ax.get_title()) for ax in axes]
    assert len(values) == 7 and values == sorted(values, reverse=True)
    ndtw = [float(ax.get_title()) for ax in warpath.plot.sorted_pairs(found, "nDTW")]
    assert len(ndtw) == 12 and ndtw == sorted(ndtw)
    warpath.plot.save(axes[0], tmp_path / "sorted.svg")
    with pytest.raises(warpath.InputError, match="is not in the study"):
        warpath.plot.comparison_set(found, "sc900")
    with pytest.raises(warpath.UsageError):
        warpath.plot.sorted_pairs(found, "nDTV")

"""study: sets, folders, correlations against scipy.stats.spearmanr and by hand, golden tables."""

from __future__ import annotations

import csv
import gzip
import json
import os
import pathlib
import re
from typing import Any

import numpy as np
import pytest
import warpath
from made_study import own_study, rankings, write_own
from warpath.input_tables import read_table

stats: Any = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
import warpath.study as study_of  # noqa: E402


@pytest.fixture
def own(tmp_path: pathlib.Path) -> Any:
    return own_study(tmp_path)


# ---------------------------------------------------------------- sets


def test_sets_are_those_of_the_paper(small_study: pathlib.Path) -> None:
    found = study_of.read(small_study)
    assert [one.scenario for one in found.sets.values()] == ["UC"] * 6 + ["SC"] * 4
    assert list(found.sets)[0] == "uc000" and len(found.ids) == 50
    values = found.values("SR,NE")
    is_sc = np.array([name.startswith("sc") for name in found.ids])
    assert (values["SR"][is_sc] == 1).all() and (values["NE"][is_sc] <= found.threshold).all()
    assert (values["SR"][~is_sc] == 0).any()
    for one in found.sets.values():
        assert len({*one.queries.values()}) == 5 == len(one.queries)
        assert all(query[0] == one.reference[0] for query in one.queries.values())


def test_paths_join_nodes_two_or_three_edges_apart(small_study: pathlib.Path) -> None:
    found = study_of.read(small_study)
    metres = found.graphs.distances("study")
    edges = found.graphs.edges("study")
    places = found.graphs.positions("study")
    assert places is not None
    lengths = np.linalg.norm(np.diff(places[edges], axis=1)[:, 0], axis=1)
    assert found.threshold == pytest.approx(1.33 * lengths.mean(), rel=1e-12)
    assert lengths.max() <= 1.4 and len(places) == 225
    index = {name: k for k, name in enumerate(found.graphs.viewpoints("study"))}
    adjacent = np.zeros(metres.shape, bool)
    adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = True
    two = adjacent @ adjacent
    three = two @ adjacent
    is_leg = (two | three) & ~adjacent & ~np.eye(len(metres), dtype=bool)
    for one in found.sets.values():
        for path in (one.reference, *one.queries.values()):
            nodes = [index[step] for step in path]
            assert adjacent[nodes[:-1], nodes[1:]].all()
            legs = [{0}] + [set[int]() for _ in nodes[1:]]
            for end in range(1, len(nodes)):
                for begin in range(end):
                    walked = sum(
                        metres[a, b] for a, b in zip(nodes[begin:end], nodes[begin + 1 : end + 1])
                    )
                    a, b = nodes[begin], nodes[end]
                    if is_leg[a, b] and walked == pytest.approx(metres[a, b]):
                        legs[end] |= {leg + 1 for leg in legs[begin]}
            assert legs[-1] & {2, 3, 4, 5}


def test_free_starts_differ(tmp_path: pathlib.Path) -> None:
    found = study_of.make(tmp_path / "s", sets={"UC": 3}, start="free", sheets="none", queries=3)
    one = found.sets["uc000"]
    assert list(one.queries) == ["a", "b", "c"]
    starts = {query[0] for each in found.sets.values() for query in each.queries.values()}
    assert len(starts) > 3
    assert np.isfinite(found.values()["nDTW"]).all()


def test_equal_seeds_give_equal_files(small_study: pathlib.Path, tmp_path: pathlib.Path) -> None:
    study_of.make(tmp_path / "again", sets="UC=6,SC=4", sheets="none", seed=3)
    study_of.make(tmp_path / "other", sets="UC=6,SC=4", sheets="none", seed=4)
    for name in ("pairs.jsonl", "graph.json", "study.json", "answers.csv"):
        content = (small_study / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == content
        assert ((tmp_path / "other" / name).read_bytes() == content) == (name == "answers.csv")


def test_the_evaluator_reads_the_pairs(small_study: pathlib.Path) -> None:
    found = study_of.read(small_study)
    files = small_study / "pairs.jsonl", small_study / "graph.json"
    whole = warpath.evaluate_pairs(*files, threshold=found.threshold, metrics="nDTW,SPL")
    assert list(whole.per_item["instr_id"]) == found.ids
    assert np.array_equal(whole.per_item["nDTW"], found.values("nDTW")["nDTW"])


def test_sheets_are_dealt_in_turn(tmp_path: pathlib.Path) -> None:
    found = study_of.make(
        tmp_path / "s", sets="UC=5,SC=2", raters=3, per_set=2, sheets="none", seed=9
    )
    assert sorted(found.sheets) == sorted(found.sets) and found.sheets != list(found.sets)
    assert found.raters[:3] == [["r1", "r2"], ["r3", "r1"], ["r2", "r3"]]
    with open(tmp_path / "s" / "answers.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 14 and list(rows[0]) == ["rater", "sheet", "1", "2", "3", "4", "5"]
    given = {(row["rater"], int(row["sheet"])) for row in rows}
    assert given == {(r, k) for k, raters in enumerate(found.raters, 1) for r in raters}


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"sets": "UC=x"}, "write UC=265,SC=240"),
        ({"sets": "XY=3"}, "no scenario 'XY'"),
        ({"sets": "UC=0"}, "at least one set"),
        ({"sets": "UC=" + "9" * 5000}, "write UC=265,SC=240"),
        ({"sets": "UC=1,uc=2"}, "once"),
        ({"queries": 1}, "2 to 26"),
        ({"queries": 27}, "2 to 26"),
        ({"start": "there"}, "no start"),
        ({"sheets": "doc"}, "no sheets"),
        ({"raters": 2, "per_set": 3}, "3 raters of a set"),
        ({"threshold": -1.0}, "above 0"),
        ({"threshold": float("nan")}, "above 0"),
        ({"graphs": "graphs"}, "give pairs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_make_refuses(changed: dict[str, Any], message: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises((warpath.UsageError, warpath.InputError), match=re.escape(message)):
        study_of.make(tmp_path / "s", **{"sets": "UC=1", "sheets": "none", **changed})
    assert not (tmp_path / "s").exists()


# ---------------------------------------------------------------- folders


def test_answers_are_not_replaced(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "s"
    study_of.make(folder, sets="UC=2", sheets="none")
    study_of.make(folder, sets="UC=3", sheets="none")  # as it was made: replaced
    answers = folder / "answers.csv"
    answers.write_text(answers.read_text().replace("r1,1,,,,,", "r1,1,a,b,c,d,e"))
    with pytest.raises(warpath.UsageError, match="answers.csv was changed since"):
        study_of.make(folder, sets="UC=2", sheets="none")
    assert "a,b,c,d,e" in answers.read_text() and len(study_of.read(folder).sets) == 3
    study_of.make(folder, sets="UC=2", sheets="none", force=True)
    assert len(study_of.read(folder).sets) == 2


def test_sheets_of_an_earlier_study_go(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    folder = tmp_path / "s"
    study_of.make(folder, sets="UC=2", queries=2, sheets="svg")
    study_of.make(folder, sets="UC=1", queries=2, sheets="svg", seed=2)
    assert os.listdir(folder / "sheets") == ["sheet_001.svg"]
    study_of.make(folder, sets="UC=1", queries=2, sheets="none")
    assert os.listdir(folder / "sheets") == []
    (folder / "sheets.pdf").write_bytes(b"of others")
    with pytest.raises(warpath.UsageError, match="sheets.pdf is no sheet of this study"):
        study_of.make(folder, sets="UC=1", queries=2, sheets="none")
    study_of.make(folder, sets="UC=1", queries=2, sheets="none", force=True)
    assert not (folder / "sheets.pdf").exists()


def test_other_folders_are_left_alone(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(warpath.UsageError, match="no study"):
        study_of.make(tmp_path, sets="UC=1", sheets="none")
    with pytest.raises(warpath.InputError, match="is no folder"):
        study_of.make(tmp_path / "notes.txt", sets="UC=1", sheets="none")
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_inputs_are_not_replaced(tmp_path: pathlib.Path) -> None:
    write_own(tmp_path)
    os.rename(tmp_path / "mine.jsonl", tmp_path / "pairs.jsonl")
    before = (tmp_path / "pairs.jsonl").read_bytes()
    with pytest.raises(warpath.UsageError, match="is an input"):
        study_of.make(
            tmp_path, pairs=tmp_path / "pairs.jsonl", graphs=tmp_path / "lab.json",
            sheets="none", force=True,
        )  # fmt: skip
    assert (tmp_path / "pairs.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "content, message",
    [
        ("{", "is no JSON"),
        ("[]", "describes no study"),
        ('{"study": "1", "threshold": "x"}', "threshold: is no number"),
        ('{"study": "1", "threshold": NaN}', "threshold"),
        ('{"study": "1", "graphs": 3}', "graphs: is no text"),
        ('{"study": "1", "graphs": "graph.json", "threshold": 1, "sheets": [3]}', "sheets: 1"),
        (
            '{"study": "1", "graphs": "graph.json", "threshold": 1, '
            '"sheets": [{"set": "zz", "raters": []}]}',
            "which the pairs lack",
        ),
    ],
)
def test_damaged_studies_are_refused(
    content: str, message: str, small_study: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for name in ("pairs.jsonl", "graph.json"):
        (tmp_path / name).write_bytes((small_study / name).read_bytes())
    assert len(study_of.read(tmp_path).sets) == 10  # without study.json
    (tmp_path / "study.json").write_text(content)
    with pytest.raises(warpath.InputError, match=message):
        study_of.read(tmp_path)


# ---------------------------------------------------------------- pairs of one's own


def test_own_pairs(own: Any, tmp_path: pathlib.Path) -> None:
    again = study_of.read(tmp_path / "study")
    assert again.ids == own.ids and again.threshold == 3.0
    assert [one.scenario for one in again.sets.values()] == ["KITCHEN", "KITCHEN"]
    assert again.values("NE")["NE"].tolist() == [0.0, 2.0, 4.0, 4.0, 4.0, 2.0]
    assert (tmp_path / "study" / "answers.csv").read_text().startswith("rater,sheet,1,2,3,4\n")


@pytest.mark.parametrize(
    "line, message",
    [
        ({"id": "kitchen1_a"}, "line 7: column id: 'kitchen1_a' is there twice"),
        ({"id": "kitchen1"}, "line 7: column id: is 'kitchen1'; write it as <set>_<letter>"),
        ({"id": "x1_a"}, "the set x1 has one query"),
        ({"id": "kitchen1_e", "reference": ["a"]}, "line 7: column reference: is another"),
        ({"id": "kitchen1_e", "scan": "hall"}, "line 7: column scan: is another"),
        ({"id": "kitchen1_e", "prediction": []}, "line 7: column prediction: is no path"),
        ({"id": "kitchen1_e", "prediction": [3]}, "line 7: column prediction: has 3"),
        ({"id": "kitchen1_e", "prediction": ["z"]}, "has no viewpoint 'z'"),
        ({"id": "kitchen1_e", "prediction": None}, "line 7: column prediction: is no path"),
        ({"id": None}, "line 7: column id: is empty"),
    ],
)
def test_own_pairs_are_refused(
    line: dict[str, Any], message: str, tmp_path: pathlib.Path
) -> None:
    write_own(tmp_path)
    usual = {"scan": "lab", "reference": list("abcd"), "prediction": list("ab")}
    with open(tmp_path / "mine.jsonl", "a") as stream:
        stream.write(json.dumps({**usual, **line}) + "\n")
    with pytest.raises(warpath.InputError, match=re.escape(message)):
        study_of.make(
            tmp_path / "study", pairs=tmp_path / "mine.jsonl", graphs=tmp_path / "lab.json",
            sheets="none",
        )  # fmt: skip
    assert not (tmp_path / "study").exists()


# ---------------------------------------------------------------- correlations


def test_a_set_ranked_by_hand(own: Any) -> None:
    """NE of a to d is 0, 2, 4, 4: ranks 1, 2, 3.5, 3.5. A rater who says b, a, c, d has the ranks
    2, 1, 3, 4: deviations (-1.5, -.5, 1, 1) and (-.5, -1.5, .5, 1.5), so ρ = 3.5 / √(4.5 · 5)."""
    found = study_of.score(own, rankings(("one", "kitchen1", "bacd")), metrics="NE,SR")
    assert found["kitchen"]["NE"].mean == pytest.approx(3.5 / np.sqrt(22.5), abs=1e-15)
    assert found["kitchen"]["NE"].sd is None and found["kitchen"]["NE"].n == 1
    # SR is 1, 1, 0, 0: ranks 1.5, 1.5, 3.5, 3.5; deviations (-1, -1, 1, 1).
    assert found["KITCHEN"]["SR"].mean == pytest.approx(4 / np.sqrt(4 * 5), abs=1e-15)


def test_against_spearmanr(small_study: pathlib.Path) -> None:
    found = study_of.read(small_study)
    draw = np.random.default_rng(5)
    rows = [
        {"rater": f"r{k}", "set": name, "query": letter, "rank": int(draw.integers(4))}
        for k in range(3)
        for name, one in found.sets.items()
        for letter in one.queries
    ]
    result = study_of.score(found, rows)
    values = found.values()
    row = {identifier: k for k, identifier in enumerate(found.ids)}
    lower = {"PL", "NE", "ONE", "AD", "MD"}
    given = {(r["rater"], r["set"], r["query"]): r["rank"] for r in rows}
    undefined = 0
    for one in result.questionnaires:
        letters = list(found.sets[one.set].queries)
        ranks = [-given[one.raters[0], one.set, letter] for letter in letters]
        for metric, rho in one.rho.items():
            column = [float(f"{values[metric][row[f'{one.set}_{q}']]:.9g}") for q in letters]
            if len(set(column)) == 1 or len(set(ranks)) == 1:
                assert rho is None
                undefined += 1
                continue
            expected = stats.spearmanr(column, ranks).statistic
            assert rho == pytest.approx(-expected if metric in lower else expected, abs=1e-12)
    assert undefined > 0
    for scenario in result:
        for metric, agreement in result[scenario].items():
            rhos = [q.rho[metric] for q in result.questionnaires if q.scenario == scenario]
            defined = [rho for rho in rhos if rho is not None]
            assert agreement.n == len(defined)
            assert agreement.undefined == len(rhos) - len(defined)
            if defined:
                assert agreement.mean == pytest.approx(np.mean(defined), abs=1e-12)
                assert agreement.sd == pytest.approx(np.std(defined, ddof=1), abs=1e-12)
            else:
                assert agreement.mean is None and agreement.sd is None


def test_undefined_and_units(own: Any) -> None:
    raters = rankings(("one", "kitchen1", "abcd"), ("two", "kitchen1", "bacd"))
    same = [{**row, "rater": "three", "rank": 1} for row in rankings(("", "kitchen1", "abcd"))]
    skip = study_of.score(own, raters + same, metrics="NE")["KITCHEN"]["NE"]
    zero = study_of.score(own, raters + same, metrics="NE", undefined="zero")["KITCHEN"]["NE"]
    assert (skip.n, skip.undefined, zero.n, zero.undefined) == (2, 1, 3, 1)
    assert skip.mean is not None and zero.mean == pytest.approx(skip.mean * 2 / 3)
    by_set = study_of.score(own, raters, metrics="NE", unit="set")
    # The ranks of both average to 1.5, 1.5, 3, 4.
    expected = stats.spearmanr([0, 2, 4, 4], [1.5, 1.5, 3, 4]).statistic
    assert by_set["KITCHEN"]["NE"].mean == pytest.approx(expected, abs=1e-15)
    assert by_set.questionnaires[0].raters == ("one", "two")
    constant = study_of.score(own, raters, metrics="ONE")["KITCHEN"]["ONE"]
    assert constant.n == 2


def test_values_that_differ_in_their_last_bits_tie(own: Any) -> None:
    values = [0.1 + 0.2, 0.3, 0.5, 0.7]
    scores = [{"id": f"kitchen1_{q}", "x": v} for q, v in zip("abcd", values)]
    found = study_of.score(None, rankings(("one", "kitchen1", "dcba")), scores=scores)
    assert found["KITCHEN"]["x"].mean == pytest.approx(
        stats.spearmanr([3, 3, 5, 7], [1, 2, 3, 4]).statistic, abs=1e-15
    )


# ---------------------------------------------------------------- simulated raters


def test_simulated_raters_say_so(small_study: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ratings.csv.gz"
    rows = study_of.simulate(small_study, raters=4, per_set=2, seed=2, out=file)
    assert rows == study_of.simulate(small_study, raters=4, per_set=2, seed=2)
    assert rows != study_of.simulate(small_study, raters=4, per_set=2, seed=3)
    read = read_table(file)
    assert read.columns == ["rater", "set", "query", "rank"] and len(read) == 100
    assert set(read.texts("rater")) == {f"simulated-{k}" for k in range(1, 5)}
    found = study_of.score(small_study, file)
    caveat = "simulated raters: a check of the procedure, no evidence"
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_json()):
        assert caveat in text
    assert f"footnotesize {caveat}" in found.to_latex()
    people = [{**row, "rater": "x" + row["rater"]} for row in rows]
    assert caveat not in str(study_of.score(small_study, people))
    exact = study_of.simulate(small_study, raters=1, noise=0.0)
    assert study_of.score(small_study, exact)["UC"]["nDTW"].mean > 0.5  # type: ignore[operator]
    for wrong in ({"raters": 0}, {"noise": -1.0}, {"noise": float("nan")}, {"per_set": 10}):
        with pytest.raises((warpath.InputError, warpath.UsageError)):
            study_of.simulate(small_study, **wrong)  # type: ignore[arg-type]


# ---------------------------------------------------------------- golden data


def test_golden_tables() -> None:
    data = os.environ.get("WARPATH_DATA", "")
    folder = pathlib.Path(data, "studies", "study")
    if not data or not folder.is_dir():
        pytest.skip("WARPATH_DATA names no folder with studies/study")
    expected = json.loads((folder / "table2.json").read_text())
    found = study_of.read(folder)
    assert found.threshold == pytest.approx(expected["threshold"], abs=1e-12)
    with gzip.open(folder / "scores.csv.gz", "rt") as stream:
        for k, row in enumerate(csv.DictReader(stream)):
            assert row["id"] == found.ids[k]
            for metric, column in found.values().items():
                assert column[k] == pytest.approx(float(row[metric]), abs=1e-12)
    kinds: dict[str, dict[str, Any]] = {
        "default": {}, "undefined_zero": {"undefined": "zero"}, "unit_set": {"unit": "set"},
    }  # fmt: skip
    for kind, options in kinds.items():
        result = study_of.score(found, folder / "ratings.csv.gz", **options)
        for scenario, metrics in expected["tables"][kind].items():
            for metric, cell in metrics.items():
                agreement = result[scenario][metric]._asdict()
                assert agreement == pytest.approx(cell, abs=1e-12), (kind, scenario, metric)
    result = study_of.score(
        None, folder / "ratings.csv.gz", scores=folder / "scores.csv.gz", lower="NE,PL"
    )
    with gzip.open(folder / "spearman.csv.gz", "rt") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(result.questionnaires)
    for row, one in zip(rows, result.questionnaires):
        assert (row["rater"], row["set"]) == (one.raters[0], one.set)
        for metric, rho in one.rho.items():
            assert rho == (pytest.approx(float(row[metric]), abs=1e-12) if row[metric] else None)

"""study: sets and sheets, both forms of ratings, correlations against scipy.stats.spearmanr."""

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
from warpath.commands import run_command
from warpath.input_tables import read_table

stats: Any = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
import warpath.study as study_of  # noqa: E402

_GRAPH = {
    "scan": "lab",
    "nodes": [
        {"id": name, "position": [x, y, 0]}
        for name, x, y in (("a", 0, 0), ("b", 2, 0), ("c", 4, 0), ("d", 6, 0), ("e", 4, 2))
    ],
    "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["c", "e"]],
}
_QUERIES = {"a": "abcd", "b": "abc", "c": "ab", "d": "abce"}


def write_own(folder: pathlib.Path) -> pathlib.Path:
    """Writes pairs of one's own, kitchen1 of four queries and kitchen2 of two, and their graph."""
    folder.mkdir(exist_ok=True)
    (folder / "lab.json").write_text(json.dumps(_GRAPH))
    rows = [("kitchen1", letter, query) for letter, query in _QUERIES.items()]
    rows += [("kitchen2", "a", "ab"), ("kitchen2", "b", "abc")]
    lines = [
        {"id": f"{name}_{letter}", "scan": "lab", "reference": list("abcd"), "prediction": list(q)}
        for name, letter, q in rows
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A study of six UC and four SC sets without sheets."""
    folder = tmp_path_factory.mktemp("study") / "small"
    study_of.make(folder, sets="UC=6,SC=4", sheets="none", seed=3)
    return folder


@pytest.fixture
def own(tmp_path: pathlib.Path) -> Any:
    write_own(tmp_path)
    return study_of.make(
        tmp_path / "study", pairs=tmp_path / "mine.jsonl", graphs=tmp_path / "lab.json",
        sheets="none",
    )  # fmt: skip


def rankings(*rows: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Returns rows of ratings from raters, sets and orders such as "bacd", the best first."""
    return [
        {"rater": rater, "set": name, "query": letter, "rank": k}
        for rater, name, order in rows
        for k, letter in enumerate(order)
    ]


def failure(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run_command(arguments)
    found = capsys.readouterr()
    assert found.err.count("\n") == 1 and "Traceback" not in found.err
    return code, found.err


# ---------------------------------------------------------------- sets


def test_sets_are_those_of_the_paper(small: pathlib.Path) -> None:
    found = study_of.read(small)
    assert [one.scenario for one in found.sets.values()] == ["UC"] * 6 + ["SC"] * 4
    assert list(found.sets)[0] == "uc000" and len(found.ids) == 50
    values = found.values("SR,NE")
    is_sc = np.array([name.startswith("sc") for name in found.ids])
    assert (values["SR"][is_sc] == 1).all() and (values["NE"][is_sc] <= found.threshold).all()
    assert (values["SR"][~is_sc] == 0).any()
    for one in found.sets.values():
        assert len({*one.queries.values()}) == 5 == len(one.queries)
        assert all(query[0] == one.reference[0] for query in one.queries.values())


def test_paths_join_nodes_two_or_three_edges_apart(small: pathlib.Path) -> None:
    found = study_of.read(small)
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


def test_equal_seeds_give_equal_files(small: pathlib.Path, tmp_path: pathlib.Path) -> None:
    study_of.make(tmp_path / "again", sets="UC=6,SC=4", sheets="none", seed=3)
    study_of.make(tmp_path / "other", sets="UC=6,SC=4", sheets="none", seed=4)
    for name in ("pairs.jsonl", "graph.json", "study.json", "answers.csv"):
        content = (small / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == content
        assert ((tmp_path / "other" / name).read_bytes() == content) == (name == "answers.csv")


def test_the_evaluator_reads_the_pairs(small: pathlib.Path) -> None:
    found = study_of.read(small)
    whole = warpath.evaluate_pairs(
        small / "pairs.jsonl", small / "graph.json", threshold=found.threshold, metrics="nDTW,SPL"
    )
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
    content: str, message: str, small: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for name in ("pairs.jsonl", "graph.json"):
        (tmp_path / name).write_bytes((small / name).read_bytes())
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


def test_against_spearmanr(small: pathlib.Path) -> None:
    found = study_of.read(small)
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


def test_forms_of_ratings_agree(own: Any, tmp_path: pathlib.Path) -> None:
    order = {"kitchen1": "cabd", "kitchen2": "ba"}
    long = rankings(*(("r1", name, letters) for name, letters in order.items()))
    expected = study_of.score(own, long).to_csv()
    scored = [{**row, "score": 3 - 2.5 * row["rank"]} for row in long]
    for row in scored:
        del row["rank"]
    assert study_of.score(own, scored).to_csv() == expected
    lines = ["rater,sheet,1,2,3,4"]
    for sheet, name in enumerate(own.sheets, start=1):
        letters = [*order[name].upper(), *[""] * (4 - len(order[name]))]
        lines.append(f"r1,{sheet},{','.join(letters)}")
    lines.append("r2,1,,,,")
    file = tmp_path / "answers.csv"
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert sorted(study_of.score(own, file).to_csv().split()) == sorted(expected.split())
    packed = tmp_path / "answers.csv.gz"
    packed.write_bytes(gzip.compress("\n".join(lines).replace("sheet", "set").encode()))
    with pytest.raises(warpath.InputError, match="line 2: column set: is '1', and no set is of"):
        study_of.score(own, packed)
    pandas = pytest.importorskip("pandas")
    assert study_of.score(own, pandas.DataFrame(long)).to_csv() == expected


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty"),
        ("rater,set,query,rank\n", "has no rows"),
        ("rater,set,query,rank\n\n\n", "has no rows"),
        ("rater,set,query\nr,kitchen2,a\n", "has neither rank nor score"),
        ("rater,set,query,rank,score\nr,kitchen2,a,1,2\n", "has both rank and score"),
        ("rater,set,query,rank\nr,kitchen2,a,1,5\n", "line 2: has 5 cells, the header 4"),
        ("rater,set,query,rank\nr,kitchen9,a,1\n", "line 2: column set: is 'kitchen9'"),
        ("rater,set,query,rank\nr,sc001,a,1\n", "and no set is of scenario SC"),
        ("rater,set,query,rank\nr,kitchen2,c,1\n", "line 2: column query: is 'c'"),
        ("rater,set,query,rank\nr,kitchen2,a,x\n", "line 2: column rank: is 'x'"),
        ("rater,set,query,rank\nr,kitchen2,a,nan\n", "line 2: column rank: is 'nan'"),
        ("rater,set,query,rank\nr,kitchen2,a,inf\n", "line 2: column rank: is 'inf'"),
        ("rater,set,query,rank\nr,kitchen2,a,\n", "line 2: column rank: is empty"),
        ("rater,set,query,rank\n,kitchen2,a,1\n", "line 2: column rater: is empty"),
        ("rater,set,query,rank\nr,,a,1\n", "line 2: column set: is empty"),
        (
            "rater,set,query,rank\nr,kitchen2,a,1\nr,kitchen2,a,2\n",
            "line 3: r ranks query a of kitchen2 twice, first in line 2",
        ),
        (
            "rater,set,query,rank\nr,kitchen2,b,1\n",
            "line 2: r ranks only 1 of the 2 queries of kitchen2: a missing",
        ),
        ("rater,rater,query,rank\nr,r,a,1\n", "column rater: is there twice"),
        ("rater,,query,rank\nr,r,a,1\n", "column 2 of the header has no name"),
        ("rater,set\nr,kitchen2\n", "has the columns rater, set"),
        ("rater,set,1,3\nr,kitchen2,a,b\n", "has the ranks 1, 3"),
        ("rater,set,1,2\nr,kitchen2,,\n", "has no rating"),
        ("rater,set,1,2\nr,kitchen2,a,a\n", "line 2: r ranks query a of kitchen2 twice"),
        ("rater,set,1,2\nr,kitchen2,a,z\n", "line 2: column 2: is 'z'"),
        ("rater,set,1,2\nr,kitchen2,a,\n", "ranks only 1 of the 2"),
        ("rater,set,1,2\nr,kitchen2,a,b\nr,kitchen2,b,a\n", "line 3: r ranks the set kitchen2 twice"),
        ("rater,set,1,2\n,kitchen2,a,b\n", "line 2: column rater: is empty"),
        ("rater,set,1,2\nr,,a,b\n", "line 2: names no set"),
        ("rater,sheet,1,2\nr,3,a,b\n", "line 2: column sheet: is '3'; give a number from 1 to 2"),
        ("rater,sheet,1,2\nr,0,a,b\n", "line 2: column sheet: is '0'"),
        ("rater,1,2\nr,a,b\n", "column sheet: is missing"),
        ('rater,set,query,rank\nr,"kitchen2,a,1\n', "is no CSV"),
        ('{"rater": "r", "set": "kitchen2", "query": "a", "rank": NaN}\n', "line 1: is no JSON"),
        ('{"rater": "r"}\n[]\n', "line 2: is no object"),
        ('{"rater": "r", "set": "kitchen2", "query": ["a"], "rank": 1}\n', "column query: is ['a']"),
        ('{"rater": "r", "set": "kitchen2", "query": "a", "rank": true}\n', "column rank: is True"),
    ],
)
def test_ratings_are_refused(text: str, message: str, own: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(text)
    with pytest.raises(warpath.InputError) as caught:
        study_of.score(own, file)
    assert message in str(caught.value) and str(file) in str(caught.value)
    assert caught.value.remedy


def test_bytes_that_are_no_table(own: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ratings.csv"
    whole = b"rater,set,query,rank\n" + b"r,kitchen2,a,1\nr,kitchen2,b,2\n" * 1
    for content, message in (
        (whole + b"caf\xe9,kitchen2,a,1\n", "line 4: is no UTF-8"),
        (gzip.compress(whole * 50)[:-20], "cannot be read"),
        (b"\x1f\x8b\x08" + b"\x00" * 7 + b"\xff" * 30, "cannot be read"),
        (b"\x00" * 40, "ratings.csv"),
    ):
        file.write_bytes(content)
        with pytest.raises(warpath.InputError, match=message):
            study_of.score(own, file)
    with pytest.raises(warpath.InputError, match="cannot be read"):
        study_of.score(own, tmp_path / "absent.csv")
    with pytest.raises(warpath.InputError, match="cannot be read"):
        study_of.score(own, tmp_path)
    for wrong in (3, b"x", {"a": 1}, [3], [], object(), None):
        with pytest.raises(warpath.InputError):
            study_of.score(own, wrong)  # type: ignore[arg-type]


def test_incomplete_questionnaires_are_counted(own: Any) -> None:
    rows = rankings(("one", "kitchen1", "abcd"), ("two", "kitchen1", "abc"))
    with pytest.raises(warpath.InputError, match="two ranks only 3 of the 4"):
        study_of.score(own, rows)
    found = study_of.score(own, rows, incomplete="skip")
    assert found["KITCHEN"]["NE"].n == 1
    assert "1 incomplete questionnaires: left out" in found.notes()
    with pytest.raises(warpath.InputError, match=r"has no rating \(1 incomplete\)"):
        study_of.score(own, rows[4:], incomplete="skip")


def test_scores_of_other_programs(own: Any, tmp_path: pathlib.Path) -> None:
    values = own.values()
    file = tmp_path / "scores.csv"
    with open(file, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "scan", "nDTW", "mine", "NE"])
        for k, identifier in enumerate(own.ids):
            cells = [values["nDTW"][k], values["AD"][k], values["NE"][k]]
            writer.writerow([identifier, "lab", *map(repr, map(float, cells))])
    rows = rankings(("one", "kitchen1", "bacd"))
    usual = study_of.score(own, rows, metrics="nDTW,AD,NE")["KITCHEN"]
    found = study_of.score(None, rows, scores=file, lower="mine")["KITCHEN"]
    assert list(found) == ["nDTW", "mine", "NE"]
    assert found["nDTW"] == usual["nDTW"] and found["mine"] == usual["AD"]
    assert found["NE"] == usual["NE"]  # its direction is that of warpath.metrics
    for changed, message in (
        ({"lower": "absent"}, "no column 'absent'"),
        ({"metrics": "absent"}, "column absent: is missing"),
        ({"metrics": "scan"}, "column scan: is 'lab', which is no number"),
    ):
        with pytest.raises((warpath.InputError, warpath.UsageError), match=message):
            study_of.score(None, rows, scores=file, **changed)
    gap = [{"id": f"kitchen1_{q}", "x": 1.0 if q != "c" else None} for q in "abcd"]
    with pytest.raises(warpath.InputError, match="kitchen1_c: column x: has no value"):
        study_of.score(None, rows, scores=gap)
    twice = [{"id": "kitchen1_a", "x": 1}, {"id": "kitchen1_a", "x": 2}]
    with pytest.raises(warpath.InputError, match="is there twice, first in row 0"):
        study_of.score(None, rows, scores=twice)
    one = [{"id": "kitchen1_a", "x": 1}]
    with pytest.raises(warpath.InputError, match="has one query"):
        study_of.score(None, rows, scores=one)
    with pytest.raises(warpath.InputError, match="has no id of a query"):
        study_of.score(None, rows, scores=[{"id": "kitchen1", "x": 1}])


@pytest.mark.parametrize(
    "changed",
    [
        {"unit": "rater"},
        {"undefined": "one"},
        {"incomplete": "zero"},
        {"metrics": "nDTV"},
        {"metrics": "n_ref"},
        {"lower": "SR,absent"},
    ],
)
def test_score_refuses_words(changed: dict[str, Any], own: Any) -> None:
    with pytest.raises(warpath.UsageError):
        study_of.score(own, rankings(("one", "kitchen1", "bacd")), **changed)


# ---------------------------------------------------------------- simulated raters


def test_simulated_raters_say_so(small: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ratings.csv.gz"
    rows = study_of.simulate(small, raters=4, per_set=2, seed=2, out=file)
    assert rows == study_of.simulate(small, raters=4, per_set=2, seed=2)
    assert rows != study_of.simulate(small, raters=4, per_set=2, seed=3)
    read = read_table(file)
    assert read.columns == ["rater", "set", "query", "rank"] and len(read) == 100
    assert set(read.texts("rater")) == {f"simulated-{k}" for k in range(1, 5)}
    found = study_of.score(small, file)
    caveat = "simulated raters: a check of the procedure, no evidence"
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_json()):
        assert caveat in text
    assert f"footnotesize {caveat}" in found.to_latex()
    assert caveat not in str(study_of.score(small, [{**r, "rater": "x" + r["rater"]} for r in rows]))
    exact = study_of.simulate(small, raters=1, noise=0.0)
    assert study_of.score(small, exact)["UC"]["nDTW"].mean > 0.5  # type: ignore[operator]
    for wrong in ({"raters": 0}, {"noise": -1.0}, {"noise": float("nan")}, {"per_set": 10}):
        with pytest.raises((warpath.InputError, warpath.UsageError)):
            study_of.simulate(small, **wrong)  # type: ignore[arg-type]


# ---------------------------------------------------------------- files and commands


def test_command(small: pathlib.Path, tmp_path: pathlib.Path, capsys: Any) -> None:
    ratings, table, rho = (str(tmp_path / name) for name in ("r.csv", "t.json", "rho.csv.gz"))
    assert run_command(["study", "simulate", str(small), "--out", ratings]) == 0
    arguments = ["study", "score", str(small), ratings, "--json", table, "--csv", rho]
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
    assert run_command([*arguments[:4], "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("Spearman's")


def test_commands_refuse(small: pathlib.Path, tmp_path: pathlib.Path, capsys: Any) -> None:
    ratings = tmp_path / "r.csv"
    study_of.simulate(small, out=ratings)
    before = ratings.read_bytes()
    score = ["study", "score", str(small), str(ratings)]
    pairs = str(small / "pairs.jsonl")
    for arguments, code, message in (
        ([*score, "--csv", str(ratings)], 2, "would replace"),
        ([*score, "--json", pairs], 2, "would replace"),
        ([*score, "--out", str(small / "graph.json")], 2, "would replace"),
        ([*score, "--json", "x", "--csv", "x"], 2, "would replace"),
        (["study", "simulate", str(small), "--out", pairs], 2, "would replace"),
        (["study", "score", str(ratings)], 2, "--scores"),
        ([*score, "more"], 2, "no further file"),
        (["study", "score", str(tmp_path), str(ratings)], 1, "has no pairs.jsonl"),
        (["study", "score", str(ratings), str(ratings)], 1, "is no folder"),
        ([*score, "--unit", "rater"], 2, "--unit"),
        ([*score, "--threshold", "-1"], 1, "threshold"),
        (["study"], 2, "STEP"),
    ):
        found = failure(arguments, capsys)
        assert found[0] == code and message in found[1], arguments
    assert ratings.read_bytes() == before and len(study_of.read(small).sets) == 10


# ---------------------------------------------------------------- pictures


def test_sheets(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for form in ("pdf", "svg"):
        done = list[int]()
        for name in ("one", "two"):
            study_of.make(
                tmp_path / form / name, sets="UC=1,SC=1", sheets=form, progress=done.append
            )
        assert done == [1, 2, 1, 2]
        names = ["sheets.pdf"] if form == "pdf" else ["sheets/sheet_001.svg", "sheets/sheet_002.svg"]
        for name in names:
            content = (tmp_path / form / "one" / name).read_bytes()
            assert content == (tmp_path / form / "two" / name).read_bytes()
            texts = re.sub(rb"(?s)\bstream\r?\n.*?endstream", b"", content)  # those are packed
            assert not re.search(rb"(?i)uc00|sc00|ndtw|warpath|\bUC\b|\bSC\b", texts)
    page = (tmp_path / "svg" / "one" / "sheets" / "sheet_001.svg").read_text()
    assert "which of these orange paths" in page and "Sheet 1" in page
    assert [f">{letter}<" in page for letter in "abcdef"] == [True] * 5 + [False]


def test_pictures(small: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot
    from warpath.plot.set_panels import QUERY_COLOR
    from warpath.plot.style import REFERENCE_COLOR

    found = study_of.read(small)
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
    axes = warpath.plot.sorted_pairs(small, "NE", count=7)
    values = [float(ax.get_title()) for ax in axes]
    assert len(values) == 7 and values == sorted(values, reverse=True)
    ndtw = [float(ax.get_title()) for ax in warpath.plot.sorted_pairs(found, "nDTW")]
    assert len(ndtw) == 12 and ndtw == sorted(ndtw)
    warpath.plot.save(axes[0], tmp_path / "sorted.svg")
    with pytest.raises(warpath.InputError, match="is not in the study"):
        warpath.plot.comparison_set(found, "sc900")
    with pytest.raises(warpath.UsageError):
        warpath.plot.sorted_pairs(found, "nDTV")


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

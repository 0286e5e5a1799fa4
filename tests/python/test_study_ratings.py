"""study score: both forms of ratings, columns of other programs, and every file that is refused."""

from __future__ import annotations

import csv
import gzip
import pathlib
from typing import Any

import pytest
import warpath
from made_study import own_study, rankings

pytest.importorskip("scipy.stats", reason="SciPy is not installed")
import warpath.study as study_of  # noqa: E402


@pytest.fixture
def own(tmp_path: pathlib.Path) -> study_of.Study:
    return own_study(tmp_path)


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
        ("rater,set,1,2\nr,kitchen2,a,b\nr,kitchen2,b,a\n", "line 3: r ranks the set"),
        ("rater,set,1,2\n,kitchen2,a,b\n", "line 2: column rater: is empty"),
        ("rater,set,1,2\nr,,a,b\n", "line 2: names no set"),
        ("rater,sheet,1,2\nr,3,a,b\n", "line 2: column sheet: is '3'; give a number from 1 to 2"),
        ("rater,sheet,1,2\nr,0,a,b\n", "line 2: column sheet: is '0'"),
        ("rater,1,2\nr,a,b\n", "column sheet: is missing"),
        ("rater,sheet,set,1,2\nr,1,kitchen3,a,b\n", "column set: is 'kitchen3', but sheet 1 is of"),
        ("rater,set,query,rank\nr,kitchen2,a,1_0\n", "column rank: is '1_0', which is no number"),
        ('rater,set,query,rank\nr,"kitchen2,a,1\n', "is no CSV"),
        ('{"rater": "r", "set": "kitchen2", "query": "a", "rank": NaN}\n', "line 1: is no JSON"),
        ('[{"rater": "r"}]\n', "is a list of JSON"),
        ('{"rater": "r"}\n[]\n', "line 2: is no object"),
        ('{"rater": "r", "set": "kitchen2", "query": ["a"], "rank": 1}\n', "column query: is ["),
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
    text = [{"id": f"kitchen1_{q}", "x": "1" if q != "c" else "n/a", "note": q} for q in "abcd"]
    with pytest.raises(warpath.InputError, match="row 2: column x: is 'n/a'.*--metrics"):
        study_of.score(None, rows, scores=text)  # no column leaves the table unseen
    lengths = [{"id": f"kitchen1_{q}", "pl": k} for k, q in enumerate("bacd")]
    assert study_of.score(None, rows, scores=lengths)["KITCHEN"]["pl"].mean == 1.0
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

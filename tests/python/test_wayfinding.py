"""The table of wayfinding: attempts, their traces and references, means with their n."""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warpath
from made_traces import MadeTrace
from warpath import traces
from warpath.commands import run_command

DATASET = [
    {"path_id": 1, "scan": "street", "path": ["a", "b", "c"],
     "instructions": ["Go straight on.", "Walk two houses down the street."]},
    {"path_id": 2, "scan": "street", "path": ["b", "c", "d"], "instructions": ["Walk to the end."]},
]  # fmt: skip
ATTEMPTS: list[dict[str, Any]] = [
    {"trace": "1.npz", "system": "x", "instruction": "1_0", "quality": 5, "annotator": "p"},
    {"trace": "2.npz", "system": "x", "instruction": "1_0", "quality": 4, "annotator": "q"},
    {"trace": "3.jsonl", "system": "x", "instruction": "2_0", "quality": 2, "annotator": "p"},
    {"trace": "4.npz", "system": "y", "instruction": "1_1", "quality": None, "annotator": "q"},
    {"trace": "5.npz", "system": "y", "instruction": "2_0", "quality": 1, "annotator": "p"},
]
NODES = [("a", 0, 0), ("b", 2, 0), ("c", 4, 0), ("d", 5, 0), ("e", 4, 2)]
GRAPH = {
    "scan": "street",
    "nodes": [{"id": name, "position": [x, y, 0]} for name, x, y in NODES],
    "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["c", "e"]],
}
PATHS = ["abc", "abce", "bcd", "a", "bc"]
"""By hand: the first and the third succeed; the second is 2 m off, the fourth 4 m, the last 1 m."""


def write_traces(folder: pathlib.Path) -> None:
    """Writes traces that look around at each viewpoint, 0.5 s a snapshot."""
    folder.mkdir()
    for number, (row, path) in enumerate(zip(ATTEMPTS, PATHS), start=1):
        turns = [20.0 * number] + [7.0 * number] * (len(path) - 1)
        looks = [(v, turn * k, -5.0 * k) for v, turn in zip(path, turns) for k in range(2)]
        file = folder / row["trace"]
        made = MadeTrace(looks, step=0.5)
        made.lines(file) if file.suffix == ".jsonl" else made.npz(file)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    write_traces(tmp_path / "t")
    return tmp_path / "t"


def table(
    folder: pathlib.Path | None, street: warpath.Graphs, attempts: Any = ATTEMPTS, **options: Any
) -> traces.Wayfinding:
    return traces.wayfinding(
        attempts, folder, options.pop("dataset", DATASET), street, threshold=1.5, **options
    )


def test_means_by_hand(folder: pathlib.Path, street: warpath.Graphs) -> None:
    found = table(folder, street)
    assert list(found) == ["x", "y"]
    x, y = found["x"], found["y"]
    assert (x.attempts, x.instructions, x.evals) == (3, 2, "3")
    assert (y.attempts, y.instructions, y.evals) == (2, 2, "2×1")
    assert x["NE"].mean == pytest.approx(2 / 3) and x["NE"].n == 3 and x["NE"].clusters == 2
    assert x["SR"].mean == pytest.approx(2 / 3)
    assert y["NE"].mean == pytest.approx(2.5) and y["SR"].mean == 0.5
    assert (x["quality"].mean, x["quality"].n) == (pytest.approx(11 / 3), 3)
    assert (y["quality"].mean, y["quality"].n, y["quality"].of) == (1.0, 1, 2)
    assert x["words"].mean == pytest.approx((3 + 4) / 2) and x["words"].n == 2
    assert y["words"].mean == pytest.approx((6 + 4) / 2)
    assert x["time"].mean == pytest.approx((2.5 + 3.5 + 2.5) / 3)
    assert (y["other"].n, y["start"].n) == (1, 2)


def test_search_is_that_of_the_traces(folder: pathlib.Path, street: warpath.Graphs) -> None:
    read = [traces.read(folder / row["trace"]) for row in ATTEMPTS[:3]]
    for weight in ("pixels", "solid-angle"):
        found = table(folder, street, weight=weight)["x"]
        assert found["start"].mean == pytest.approx(np.mean([t.start(weight) for t in read]))
        assert found["other"].mean == pytest.approx(np.mean([t.other(weight) for t in read]))
        solid = np.mean([t.start("solid-angle") for t in read])
        assert found["start_solid_angle"].mean == pytest.approx(solid)


def test_intervals_are_those_of_eval(folder: pathlib.Path, street: warpath.Graphs) -> None:
    found = table(folder, street)
    pairs = [
        {"id": path, "scan": "street", "reference": list(reference), "prediction": list(path)}
        for reference, path in zip(("abc", "abc", "bcd"), PATHS)
    ]
    expected = warpath.evaluate_pairs(
        pairs, street, threshold=1.5, metrics="NE,SR,SPL,SDTW"
    ).agents[0]
    for metric, estimate in expected.summary.items():
        assert found["x"][metric] == estimate, metric
    one = table(folder, street, ATTEMPTS[:2], missing="skip")["x"]
    assert one["NE"].ci95 is None and one["NE"].clusters == 1


def test_intervals_of_a_rate_of_one_have_a_width(street: warpath.Graphs) -> None:
    rows = [
        {"instruction": "1_0", "path": "a b c"},
        {"instruction": "2_0", "path": "b c d"},
    ]
    interval = table(None, street, rows)["all"]["SR"].ci95
    assert interval is not None and interval[0] < 0.9 and interval[1] == 1.0


def test_every_cell_has_its_n(folder: pathlib.Path, street: warpath.Graphs) -> None:
    found = table(folder, street)
    rows = [line.split("|") for line in found.to_markdown().splitlines() if line.startswith("| y")]
    (cells,) = ([cell.strip() for cell in row] for row in rows)
    assert cells[1:3] == ["y", "2×1"]
    assert cells[8] == "1.00 ± n/a (n 1)" and cells[10].endswith("(n 1)")
    plain = found.to_latex(intervals=False, digits=2)
    assert r"\toprule" in plain and "±" not in plain and r"2$\times$1" in plain
    lonely = table(None, street, [{"instruction": "1_0", "path": "a b"}])
    cells = [cell.strip() for cell in lonely.to_markdown().splitlines()[-1].split("|")]
    assert cells[7:11] == ["n/a", "n/a", "n/a", "n/a"]
    assert "0" not in cells[7:11]


def test_json_says_everything(folder: pathlib.Path, street: warpath.Graphs) -> None:
    found = table(folder, street)
    whole = json.loads(found.to_json())
    assert whole["settings"]["weight"] == "pixels" and whole["settings"]["by"] == ["system"]
    assert whole["settings"]["convention"]["threshold"] == 1.5
    assert whole["rows"][0]["by"] == {"system": "x"}
    assert whole["rows"][1]["columns"]["quality"]["n"] == 1
    assert whole["rows"][1]["columns"]["NE"]["clusters"] == 2
    (source,) = (s for s in whole["files"] if s["role"] == "traces")
    assert source["hash"] and source["file"] == str(folder)
    assert found.to_json() == table(folder, street).to_json()


def test_csv_is_a_table_of_attempts(
    folder: pathlib.Path, street: warpath.Graphs, tmp_path: pathlib.Path
) -> None:
    found = table(folder, street)
    rows = list(csv.DictReader(io.StringIO(found.to_csv(tmp_path / "a.csv"))))
    assert [row["path"] for row in rows] == [" ".join(path) for path in PATHS]
    assert rows[0]["NE"] == "0.0" and rows[0]["quality"] == "5" and rows[0]["words"] == "3"
    assert rows[3]["other"] == "" and rows[3]["quality"] == ""
    again = traces.wayfinding(tmp_path / "a.csv", folder, DATASET, street, threshold=1.5)
    assert again["x"]["SPL"] == found["x"]["SPL"]
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert frame["SR"].tolist() == [1, 0, 1, 0, 1]
    assert table(folder, street, pandas.DataFrame(ATTEMPTS))["y"]["NE"] == found["y"]["NE"]


# ---------------------------------------------------------------- paths, references, traces


def test_paths_may_stand_in_the_table(folder: pathlib.Path, street: warpath.Graphs) -> None:
    with_paths = [dict(row, path=" ".join(path)) for row, path in zip(ATTEMPTS, PATHS)]
    assert table(folder, street, with_paths)["x"]["NE"] == table(folder, street)["x"]["NE"]
    with_paths[1]["path"] = ["a", "b", "c", "d"]
    with pytest.raises(warpath.InputError, match=r"row 1: column path: has 4.*from viewpoint 4 on"):
        table(folder, street, with_paths)
    assert table(folder, street, with_paths, paths="file")["x"]["NE"].mean == pytest.approx(1 / 3)
    assert table(folder, street, with_paths, paths="trace")["x"]["NE"].mean == pytest.approx(2 / 3)
    alone = [{k: v for k, v in row.items() if k != "trace"} for row in with_paths]
    for row in alone:
        row["time"] = 2
    without = table(None, street, alone)["x"]
    assert without["start"].n == 0 and without["start"].mean is None
    assert without["time"].mean == 2.0


def test_references_may_stand_in_the_table(street: warpath.Graphs) -> None:
    rows = [
        {"scan": "street", "reference": "a b c", "path": ["a", "b"], "words": 3},
        {"scan": "street", "reference": ["a", "b", "c"], "path": "a b c", "words": 3},
    ]
    found = table(None, street, rows, dataset=None)["all"]
    assert found.evals == "1×2" and found["NE"].mean == 1.0 and found["NE"].clusters == 1
    assert (found["words"].mean, found["words"].n) == (3.0, 1)
    with pytest.raises(warpath.InputError, match="column scan: is missing"):
        table(None, street, [{"reference": "a b", "path": "a b"}], dataset=None)


def test_traces_in_memory(folder: pathlib.Path, street: warpath.Graphs) -> None:
    held: dict[str, Any] = {row["trace"]: folder / row["trace"] for row in ATTEMPTS}
    held["1.npz"] = traces.read(folder / "1.npz")
    found = traces.wayfinding(ATTEMPTS, held, DATASET, street, threshold=1.5)
    assert found["x"]["start"] == table(folder, street)["x"]["start"]


def test_followers_of_rxr(tmp_path: pathlib.Path, street: warpath.Graphs) -> None:
    guide = [{"path_id": 7, "instruction_id": 70, "scan": "street", "path": ["a", "b", "c"],
              "language": "en-US", "instruction": "two words"}]  # fmt: skip
    follower = [
        {"demonstration_id": 3, "instruction_id": 70, "annotator_id": 9, "path": ["a", "b", "c"],
         "metrics": {"ne": 0.0}}
    ]  # fmt: skip
    made = MadeTrace([("a", 0, 0), ("b", 0, 0), ("c", 0, 0)])
    made.npz(tmp_path / "000003_follower_pose_trace.npz")
    made.npz(tmp_path / "000003_guide_pose_trace.npz")
    file = tmp_path / "rxr_follower.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in follower))
    found = traces.wayfinding(file, tmp_path, guide, street)
    assert found["all"]["SR"].mean == 1.0 and found["all"]["words"].mean == 2.0
    assert found["all"]["start"].n == 1
    row = found.attempts[0]
    assert row["demonstration_id"] == 3 and "metrics" not in row


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"quality": 6}, r"row 1: column quality: is 6; give a number from 1 to 5"),
        ({"quality": 0.5}, "from 1 to 5"),
        ({"quality": "good"}, "no number"),
        ({"instruction": "9_9"}, "row 1: column instruction: is '9_9', which the dataset does not"),
        ({"instruction": None}, "row 1: column instruction: is empty"),
        ({"trace": "9.npz"}, "2.npz: is named by no attempt"),
        ({"trace": "1.npz"}, "row 1: column trace: names the trace of row 0 again"),
        ({"trace": None}, "2.npz: is named by no attempt"),
        ({"path": 3}, "row 1: column path: is no path"),
        ({"path": ["a", 3]}, "row 1: column path: is no path"),
        ({"system": None}, "row 1: column system: is empty"),
        ({"words": 3}, r"row 1: column words: is 3, but row 0 has 4"),
        ({"words": -1}, r"row 1: column words: is -1"),
        ({"time": -1}, r"row 1: column time: is -1"),
    ],
)
def test_rows_that_are_refused(
    folder: pathlib.Path, street: warpath.Graphs, change: dict[str, Any], problem: str
) -> None:
    rows = [dict(row, words=4) for row in ATTEMPTS]
    rows[1].update(change)
    with pytest.raises(warpath.InputError, match=problem) as caught:
        table(folder, street, rows)
    assert caught.value.remedy


def test_attempts_without_a_trace_or_path(folder: pathlib.Path, street: warpath.Graphs) -> None:
    rows = [*ATTEMPTS, {"system": "x", "instruction": "1_0"}]
    with pytest.raises(warpath.InputError, match="row 5: has neither a trace nor a path"):
        table(folder, street, rows)
    (folder / "2.npz").unlink()
    with pytest.raises(warpath.InputError, match="row 1: column trace: is '2.npz', which"):
        table(folder, street)


def test_skipped_attempts_are_counted(folder: pathlib.Path, street: warpath.Graphs) -> None:
    rows = [*ATTEMPTS[:4], {"system": "x", "instruction": "1_0"}, dict(ATTEMPTS[0], system="y")]
    found = table(folder, street, rows, missing="skip")
    assert found.left_out == {
        "traces that no attempt names": 1,
        "attempts whose trace others name, too": 2,
        "attempts without a trace or a path": 1,
    }
    assert (found["x"].attempts, found["y"].attempts) == (2, 1)
    assert "left out: 2 attempts whose trace others name, too" in found.notes()
    assert json.loads(found.to_json())["left_out"]["attempts without a trace or a path"] == 1
    with pytest.raises(warpath.InputError, match="no attempt that can be scored"):
        table(folder, street, rows[4:5], missing="skip")


def test_faults_of_a_path_name_its_row(folder: pathlib.Path, street: warpath.Graphs) -> None:
    MadeTrace([("a", 0, 0), ("nowhere", 0, 0)]).npz(folder / "2.npz")
    file = folder.parent / "attempts.csv"
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, list(ATTEMPTS[0]))
        writer.writeheader()
        writer.writerows(ATTEMPTS)
    with pytest.raises(warpath.InputError, match=r"attempts.csv: .*unknown_viewpoint: line 3"):
        table(folder, street, file)
    (folder / "2.npz").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(warpath.InputError, match="2.npz: is broken"):
        table(folder, street, file)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": "area"}, {"masks": "mine"}, {"visits": "all"}, {"paths": "both"},
        {"missing": "zero"}, {"time_unit": "min"}, {"preset": "none"}, {"thresholds": 3},
    ],
)  # fmt: skip
def test_words_that_do_not_exist(
    folder: pathlib.Path, street: warpath.Graphs, options: dict[str, Any]
) -> None:
    with pytest.raises(warpath.UsageError):
        table(folder, street, **options)


def test_columns_that_are_missing(folder: pathlib.Path, street: warpath.Graphs) -> None:
    with pytest.raises(warpath.InputError, match="column team: is missing"):
        table(folder, street, by="team")
    with pytest.raises(warpath.InputError, match="column instruction: is missing"):
        table(None, street, [{"path": "a b"}])
    with pytest.raises(warpath.InputError, match="cannot be read"):
        table(folder / "none", street)


def test_arguments_of_wrong_types(folder: pathlib.Path, street: warpath.Graphs) -> None:
    for traces_given in (5, ["1.npz"], b"t"):
        with pytest.raises(warpath.InputError, match="traces: is of type"):
            table(traces_given, street)  # type: ignore[arg-type]
    for name in ("weight", "masks", "visits", "paths", "missing", "preset"):
        with pytest.raises(warpath.InputError, match=f"{name}: is of type int"):
            table(folder, street, **{name: 5})
    for options in ({"by": 5}, {"max_input": -1}, {"max_input": "8G"}, {"dataset": 5}):
        with pytest.raises(warpath.InputError):
            table(folder, street, **options)
    for rows in (5, "no file", {}, [], [5], [{}]):
        with pytest.raises(warpath.InputError):
            table(folder, street, rows)


# ---------------------------------------------------------------- the command


@pytest.fixture
def files(folder: pathlib.Path, street: warpath.Graphs) -> list[str]:
    """Arguments of the command, on files beside the folder of traces."""
    around = folder.parent
    (around / "graph.json").write_text(json.dumps(GRAPH))
    (around / "dataset.json").write_text(json.dumps(DATASET))
    (around / "attempts.jsonl").write_text("".join(json.dumps(r) + "\n" for r in ATTEMPTS))
    options = ("attempts", "attempts.jsonl"), ("dataset", "dataset.json"), ("graphs", "graph.json")
    named = [word for name, file in options for word in (f"--{name}", str(around / file))]
    return ["traces", str(folder), *named, "--threshold", "1.5"]


def test_command(
    files: list[str], street: warpath.Graphs, capsys: pytest.CaptureFixture[str]
) -> None:
    around = pathlib.Path(files[1]).parent
    outputs = ["--csv", str(around / "s.csv.gz"), "--json", str(around / "s.json")]
    assert run_command([*files, *outputs]) == 0
    printed = capsys.readouterr().out
    found = table(around / "t", street)
    assert "Num. Evals" in printed and "2×1" in printed
    rows = json.loads((around / "s.json").read_text())["rows"]
    assert rows[0]["columns"]["SPL"]["mean"] == found["x"]["SPL"].mean
    assert (around / "s.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert run_command([*files, "--by", "annotator", "--no-intervals", "--markdown"]) == 0
    assert "| p " in capsys.readouterr().out
    assert run_command(["traces", str(around / "t" / "1.npz"), "--search", "--latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["traces", "t"], 2),
        (["traces", "t", "--search", "--by", "x"], 2),
        (["traces", "t", "--search", "--threshold", "2"], 2),
        (["traces", "t", "--attempts", "none.csv"], 1),
        (["traces", "t/1.npz", "--search", "--csv", "t/1.npz"], 2),
        (["traces", "t/1.npz", "--search", "--max-input", "0"], 2),
        (["traces", "t/1.npz", "--search", "--max-input", "1K"], 1),
        (["traces", "t", "--attempts", "attempts.jsonl", "--csv", "t/1.npz"], 2),
        (["traces", "t", "--attempts", "attempts.jsonl", "--json", "attempts.jsonl"], 2),
    ],
)
def test_exit_codes(
    files: list[str],
    arguments: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(pathlib.Path(files[1]).parent)
    before = pathlib.Path("t/1.npz").read_bytes(), pathlib.Path("attempts.jsonl").read_bytes()
    assert run_command(arguments) == code
    error = capsys.readouterr().err
    assert error.startswith("warpath: ") and error.count("\n") == 1
    assert before == (
        pathlib.Path("t/1.npz").read_bytes(), pathlib.Path("attempts.jsonl").read_bytes(),
    )  # fmt: skip


def test_no_library_is_needed(files: list[str]) -> None:
    """The table needs neither SciPy nor matplotlib."""
    code = (
        "import sys\nsys.modules['scipy'] = sys.modules['matplotlib'] = None\n"
        "from warpath.__main__ import main\nsys.exit(main())"
    )
    package = str(pathlib.Path(warpath.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, *files],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- the guide


def test_guide(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code and the table of docs/studies.md are those of these attempts."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import matplotlib

    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    write_traces(tmp_path / "followers")
    (tmp_path / "dataset.json").write_text(json.dumps(DATASET))
    (tmp_path / "connectivity.json").write_text(json.dumps(GRAPH))
    names = {"x": "people", "y": "speaker"}
    rows = [dict(row, system=names[row["system"]]) for row in ATTEMPTS]
    (tmp_path / "attempts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    guide = (pathlib.Path(__file__).parents[2] / "docs/studies.md").read_text()
    section = re.search(r"^## Traces of followers\n(.*?)^## ", guide, re.M | re.S)
    assert section is not None
    command, printed = re.findall(r"^```\n(.*?)^```$", section[1], re.M | re.S)[1:3]
    assert run_command(command.split()[1:]) == 0
    assert printed in capsys.readouterr().out
    for code in re.findall(r"^```python\n(.*?)^```$", section[1], re.M | re.S):
        exec(compile(code, "docs/studies.md", "exec"), {"warpath": warpath})


# ---------------------------------------------------------------- pictures


def test_pictures(
    folder: pathlib.Path, street: warpath.Graphs, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import matplotlib

    matplotlib.use("agg")
    import warpath.plot

    trace = traces.read(folder / "1.npz")
    ax = warpath.plot.seen(trace, -1)
    assert (np.asarray(ax.images[0].get_array()) == trace.visits[2].seen).all()
    for visit in (3, -4):
        with pytest.raises((warpath.UsageError, warpath.InputError)):
            warpath.plot.seen(trace, visit)
    found = table(folder, street, by="")
    # p: 0, 0 and 1 m, a mean of 1/3; q: 2 and 4 m, a mean of 3.
    line = warpath.plot.raters(found, "NE", width=1).lines[1]
    drawn = np.array(line.get_xydata(), float)
    assert drawn == pytest.approx(np.array([[1, 1 / 3], [2, 2 / 3], [3, 3]]))
    one = np.array(warpath.plot.raters(found, "NE").lines[1].get_xydata(), float)
    assert one == pytest.approx(np.array([[25.5, 1.0]]))
    warpath.plot.save(ax, tmp_path / "seen.svg")
    with pytest.raises(warpath.UsageError, match="no metric 'nDTW'"):
        warpath.plot.raters(found, "nDTW")
    plain = table(folder, street, [{k: v for k, v in r.items() if k != "annotator"} for r in ATTEMPTS])
    with pytest.raises(warpath.InputError, match="annotator: is missing"):
        warpath.plot.raters(plain)


# ---------------------------------------------------------------- golden data


def test_golden_table(data: pathlib.Path) -> None:
    folder = data / "studies" / "traces"
    if not folder.is_dir():
        pytest.skip("no golden traces in WARPATH_DATA")
    expected = json.loads((folder / "expected.json").read_text())
    found = traces.wayfinding(
        folder / "attempts.csv", folder / "made", folder / "dataset.json", folder / "graph.json",
        by="system", threshold=expected["threshold"],
    )  # fmt: skip
    assert list(found) == list(expected["table1"])
    for name, of_system in expected["table1"].items():
        row = found[name]
        assert (row.attempts, row["other"].n) == (of_system["attempts"], of_system["with_other"])
        for column in ("NE", "SR", "SPL", "SDTW", "quality", "time", "words"):
            assert row[column].mean == pytest.approx(of_system[column], abs=1e-12), column
        for column in ("start", "other"):
            assert row[column].mean == pytest.approx(of_system[column], abs=1e-4)
            solid = of_system[f"{column}_solid"]
            assert row[f"{column}_solid_angle"].mean == pytest.approx(solid, abs=3e-4)
    for attempt in found.attempts:
        scores = expected["traces"][attempt["trace"]]["scores"]
        for metric in ("NE", "SR", "SPL", "SDTW"):
            assert attempt[metric] == pytest.approx(scores[metric], abs=1e-12)

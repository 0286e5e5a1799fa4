"""compat.Evaluation: the keys and numbers of public evaluators' classes, from transcriptions on made
data and, with $WARPATH_DATA, from the classes themselves."""

from __future__ import annotations

import csv
import gzip
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath
from warpath.compat import Evaluation

golden = pathlib.Path(__file__).parents[1] / "golden"
graphs = golden / "connectivity"
targets = golden / "targets"

# As the originals name them, by the columns of the transcriptions.
R2R_SUMMARY = {
    "length": "PL", "nav_error": "NE", "oracle success_rate": "OSR", "success_rate": "SR",
    "spl": "SPL",
}  # fmt: skip
R2R_SCORES = {
    "nav_errors": "NE", "oracle_errors": "ONE", "trajectory_lengths": "PL",
    "shortest_path_lengths": "SP",
}  # fmt: skip
ENVDROP_SUMMARY = {
    "nav_error": "NE", "oracle_error": "ONE", "steps": "steps", "lengths": "PL",
    "success_rate": "SR", "oracle_rate": "OSR", "spl": "SPL",
}  # fmt: skip
ENVDROP_SCORES = {
    "nav_errors": "NE", "oracle_errors": "ONE", "trajectory_steps": "steps",
    "trajectory_lengths": "PL", "shortest_lengths": "SP",
}  # fmt: skip
REVERIE_SUMMARY = {
    "length": "PL", "success_rate": "SR", "oracle success_rate": "OSR", "spl": "SPL",
    "rgs": "RGS", "rgspl": "RGSPL",
}  # fmt: skip
REVERIE_SCORES = {
    "rgs": "RGS", "visible": "SR", "oracle_visible": "OSR", "trajectory_lengths": "PL",
    "shortest_path_lengths": "SP",
}  # fmt: skip


def content(file: pathlib.Path) -> Any:
    with gzip.open(file) if file.suffix == ".gz" else open(file, "rb") as stream:
        return json.load(stream)


def rows_of(file: pathlib.Path) -> dict[str, dict[str, str]]:
    with open(file, newline="", encoding="utf-8") as stream:
        return {row["instr_id"]: row for row in csv.DictReader(stream)}


def check(
    found: tuple[dict[str, float], dict[str, list[Any]]],
    rows: list[dict[str, str]],
    summary: dict[str, str],
    scores: dict[str, str],
) -> None:
    """Compares means and lists with the rows of a transcription, in their order."""
    columns = {c: [float(row[c]) for row in rows if row[c]] for c in (*rows[0],) if c in wanted}
    means, lists = found
    assert list(means) == list(summary) and set(lists) == set(scores)
    for key, column in summary.items():
        assert means[key] == pytest.approx(np.average(columns[column]), rel=1e-12, abs=1e-12), key
    for key, column in scores.items():
        assert lists[key] == pytest.approx(columns[column], rel=1e-12, abs=1e-12), key


wanted = {
    column
    for names in (R2R_SUMMARY, R2R_SCORES, ENVDROP_SCORES, REVERIE_SUMMARY)
    for column in names.values()
} | {"OPSR", "OPE", "GP"}


@pytest.mark.parametrize(
    ("preset", "summary", "scores"),
    [("r2r", R2R_SUMMARY, R2R_SCORES), ("envdrop", ENVDROP_SUMMARY, ENVDROP_SCORES)],
)
def test_keys_and_numbers_of_r2r_and_envdrop(
    preset: str, summary: dict[str, str], scores: dict[str, str]
) -> None:
    rows = rows_of(golden / "scores" / f"{preset}.csv")
    submission = content(golden / "predictions.json")
    order = [entry["instr_id"] for entry in submission]
    assert order != list(rows)
    # r2r: of an item that does not move and need not, SPL is 0/0
    scored = [rows[name] for name in order if name in rows and rows[name]["SPL"]]
    kept = {row["instr_id"] for row in scored}
    submission = [entry for entry in submission if entry["instr_id"] in kept]
    evaluation = Evaluation(golden / "dataset.json", graphs, preset, missing="skip")
    check(evaluation.score(submission), scored, summary, scores)
    steps = evaluation.scores.get("trajectory_steps", [0])
    assert all(isinstance(value, int) for value in steps)
    assert evaluation.result is not None and evaluation.result.summary["SR"].ci95


def test_a_file_is_a_submission(tmp_path: pathlib.Path, street: warpath.Graphs) -> None:
    dataset = [{"scan": "street", "path_id": 7, "path": ["a", "b", "c"], "instructions": ["x"] * 3}]
    paths = [["a"], ["a", "b", "c", "e"], ["a", "b"]]
    submission = [
        {"instr_id": f"7_{k}", "trajectory": [[v, 0, 0] for v in path]}
        for k, path in enumerate(paths)
    ]
    submission[::-1] = submission
    submission.append({"instr_id": "8_0", "trajectory": []})  # of another split
    (tmp_path / "plain.json").write_text(json.dumps(submission))
    with gzip.open(tmp_path / "packed.json.gz", "wt") as file:
        json.dump(submission, file)
    evaluation = Evaluation(dataset, street)
    for form in (submission, tmp_path / "plain.json", str(tmp_path / "packed.json.gz")):
        summary, scores = evaluation.score(form)
        assert scores["nav_errors"] == [2.0, 2.0, 4.0]
        assert scores["oracle_errors"] == [2.0, 0.0, 4.0]
        assert scores["trajectory_lengths"] == [2.0, 6.0, 0.0]
        assert scores["shortest_path_lengths"] == [4.0, 4.0, 4.0]
        assert summary == {
            "length": pytest.approx(8 / 3),
            "nav_error": pytest.approx(8 / 3),
            "oracle success_rate": pytest.approx(2 / 3),
            "success_rate": pytest.approx(2 / 3),
            "spl": pytest.approx((1 + 4 / 6) / 3),
        }


@pytest.mark.parametrize("path_type", ["planner_path", "player_path", "trusted_path"])
def test_dialogues(path_type: str) -> None:
    with open(targets / "ndh_scores.csv", newline="", encoding="utf-8") as file:
        reference = path_type.removesuffix("_path")
        rows = {
            row["instr_id"]: row
            for row in csv.DictReader(file)
            if row["preset"] == "ndh" and row["reference"] == reference
        }
    submission = content(targets / "ndh_agent.json")
    scored = [rows[str(e["inst_idx"])] for e in submission if rows[str(e["inst_idx"])]["SPL"]]
    evaluation = Evaluation(
        targets / "ndh.json", graphs, "ndh", path_type=path_type, invalid="skip", missing="skip"
    )
    means, lists = evaluation.score(submission)
    del lists["shortest_path_lengths"]  # the transcription has no SP
    check(
        (means, lists),
        scored,
        R2R_SUMMARY | {"oracle path_success_rate": "OPSR", "dist_to_end_reduction": "GP"},
        {k: v for k, v in R2R_SCORES.items() if v != "SP"}
        | {"oracle_plan_errors": "OPE", "dist_to_end_reductions": "GP"},
    )


@pytest.mark.parametrize("eval_type", ["whole", "nav"])
def test_objects(eval_type: str) -> None:
    folder = targets / "reverie"
    rows = rows_of(folder / "reverie.csv")
    submission = content(folder / "predictions.json")
    scored = [rows[e["instr_id"]] for e in submission if rows[e["instr_id"]]["SPL"]]
    kept = {row["instr_id"] for row in scored}
    submission = [entry for entry in submission if entry["instr_id"] in kept]
    summary, scores = REVERIE_SUMMARY, REVERIE_SCORES
    if eval_type == "nav":
        summary, scores = ({k: v for k, v in m.items() if "rgs" not in k} for m in (summary, scores))
        for entry in submission:
            del entry["predObjId"]
    evaluation = Evaluation(
        folder / "dataset.json", graphs, "reverie", objects=folder / "boxes.json", missing="skip"
    )
    check(evaluation.score(submission, eval_type), scored, summary, scores)
    assert set(map(type, evaluation.scores["visible"])) == {int}


def test_directions() -> None:
    """SOON: the rates are divided by n + 1e-9; lists hold what there is."""
    with open(targets / "soon" / "soon.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    submission = content(targets / "soon" / "submission.json")
    evaluation = Evaluation(targets / "soon" / "dataset.json", graphs, "soon", invalid="skip")
    summary, scores = evaluation.score(submission)
    position: dict[str, int] = {}
    for entry in submission:
        position.setdefault(str(entry["instr_id"]), len(position))
    rows.sort(key=lambda row: position.get(row["instr_id"].rpartition("_")[0], len(position)))
    scored = [row for row in rows if row["SPL"]]
    for key, column in (
        ("nav_errors", "NE"), ("oracle_errors", "ONE"), ("trajectory_steps", "steps"),
        ("trajectory_lengths", "PL"), ("shortest_lengths", "SP"), ("goal_progress", "GP"),
        ("det_success_num", "RGS"), ("heading_errors", "HE"), ("elevation_errors", "EE"),
        ("point_det_errors", "PE"),
    ):  # fmt: skip
        expected = [float(row[column]) for row in scored if row[column]]
        assert scores[key] == pytest.approx(expected, abs=1e-12), key
    n = len(scored)
    for key, column in (
        ("det_success_rate", "RGS"), ("nav_success_rate", "SR"), ("oracle_rate", "OSR"),
    ):  # fmt: skip
        count = sum(float(row[column]) for row in scored)
        assert summary[key] == pytest.approx(count / (n + 1e-9), rel=1e-14)
    products = [float(row["RGS"]) * float(row["SPL"]) for row in scored]
    assert summary["success_rate"] == pytest.approx(np.average(products), abs=1e-12)


def test_refusals(street: warpath.Graphs) -> None:
    dataset = [{"scan": "street", "path_id": 7, "path": ["a", "b"], "instructions": ["x", "y"]}]
    moves = [{"instr_id": f"7_{k}", "trajectory": [["a"], ["b"]]} for k in range(2)]
    with pytest.raises(warpath.InputError, match="fewer than three instructions"):
        Evaluation(dataset, street).score(moves)
    evaluation = Evaluation(dataset, street, instructions="all")
    with pytest.raises(warpath.InputError, match="7_1"):
        evaluation.score(moves[:1])
    with pytest.raises(warpath.InputError, match="7_0"):
        evaluation.score([{"instr_id": "7_0", "trajectory": [["b"]]}, moves[1]])  # another start
    with pytest.raises(warpath.InputError, match="7_0"):
        evaluation.score([{"instr_id": "7_0", "trajectory": [["a"], ["d"]]}, moves[1]])  # a jump
    with pytest.raises(warpath.UsageError, match="eval_type"):
        evaluation.score(moves, "nav")
    with pytest.raises(warpath.UsageError, match="duet"):
        Evaluation(dataset, street, "duet")
    with pytest.raises(warpath.UsageError, match="path type"):
        Evaluation(dataset, street, "ndh", path_type="path")
    assert Evaluation(dataset, street, missing="skip").score(moves[:1])[0]["success_rate"] == 1


def test_an_spl_of_0_by_0_is_refused(street: warpath.Graphs) -> None:
    dataset = [
        {"scan": "street", "path_id": k, "path": path, "instructions": ["x"]}
        for k, path in enumerate((["a", "c"], ["a"]))
    ]
    stays = [{"instr_id": f"{k}_0", "trajectory": [["a"]]} for k in range(2)]
    with pytest.raises(warpath.InputError, match="0/0 .*: 1_0"):
        Evaluation(dataset, street, instructions="all").score(stays)
    for more in ({"spl_zero": "zero", "instructions": "all"}, {"preset": "envdrop"}):
        assert Evaluation(dataset, street, **more).score(stays)[0]["spl"] == 0


# Numbers that the classes themselves gave, see $WARPATH_DATA/README.md.


@pytest.mark.parametrize("agent", ["phi3", "simrandom"])
@pytest.mark.parametrize("preset", ["r2r", "envdrop"])
def test_goldens_of_r2r(data: pathlib.Path, agent: str, preset: str) -> None:
    with gzip.open(data / f"golden/R2R_val_seen_{agent}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    if preset == "r2r":
        rows = [row for row in rows if row["id"][-2:] in ("_0", "_1", "_2")]
    evaluation = Evaluation(data / "R2R_val_seen.json", data / "connectivity", preset)
    summary, scores = evaluation.score(data / f"agents/R2R_val_seen_{agent}.json.gz")
    for key, column in (
        ("nav_errors", "ne"), ("oracle_errors", "one"), ("trajectory_lengths", "pl"),
        ("shortest_path_lengths" if preset == "r2r" else "shortest_lengths", "sp"),
    ):  # fmt: skip
        expected = [float(row[column]) for row in rows]
        assert scores[key] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    for key, column in (("success_rate", "sr"), ("spl", "spl"), ("nav_error", "ne")):
        expected = np.average([float(row[column]) for row in rows])
        assert summary[key] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("agent", ["seq2seq40", "noisy"])
def test_goldens_of_dialogues(data: pathlib.Path, agent: str) -> None:
    folder = data / ("agents" if agent == "seq2seq40" else "targets/agents")
    for path_type, expected in content(
        data / "targets/golden/NDH_targets_val_seen.mean.json"
    )[agent].items():  # fmt: skip
        evaluation = Evaluation(
            data / "NDH_val_seen.json.gz", data / "connectivity", "ndh", path_type=path_type
        )
        summary, _ = evaluation.score(folder / f"NDH_val_seen_{agent}.json.gz")
        assert summary == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("agent", ["follower", "noisy"])
def test_goldens_of_objects(data: pathlib.Path, agent: str) -> None:
    evaluation = Evaluation(
        data / "targets/REVERIE_v1_val_seen.json.gz",
        data / "connectivity",
        "reverie",
        objects=data / "targets/REVERIE_BBox_val_seen.json.gz",
    )
    summary, _ = evaluation.score(data / f"targets/agents/REVERIE_v1_val_seen_{agent}.json.gz")
    expected = content(data / "targets/golden/REVERIE_v1_val_seen.mean.json")[agent]
    assert summary == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("agent", ["edge", "noisy"])
def test_goldens_of_directions(data: pathlib.Path, agent: str) -> None:
    evaluation = Evaluation(
        data / "targets/SOON_made_val_seen.json.gz", data / "connectivity", "soon"
    )
    summary, _ = evaluation.score(data / f"targets/agents/SOON_val_seen_{agent}.json.gz")
    expected = content(data / "targets/golden/SOON_val_seen.mean.json")["agents"][agent]["summary"]
    assert summary == pytest.approx(expected, rel=1e-12, abs=1e-15)

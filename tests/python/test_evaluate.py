"""evaluate: the bytes of the command, whatever form predictions, dataset and graphs have."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import running
import warpath

golden = pathlib.Path(__file__).parents[1] / "golden"
graphs_folder = str(golden / "connectivity")
dataset_file = str(golden / "dataset.json")
predictions_file = str(golden / "predictions.json")
lenient = {"missing": "skip", "invalid": "skip"}


def command(*arguments: str, name: str = "eval") -> str:
    files = ["--graphs", graphs_folder, "--dataset", dataset_file, predictions_file]
    return running.command(name, *files, *arguments, check=True).stdout


@pytest.fixture(scope="module")
def result() -> warpath.results.Evaluation:
    return warpath.evaluate(predictions_file, dataset_file, graphs_folder)


@pytest.mark.parametrize("preset", ["paper", "r2r", "duet"])
def test_texts_are_those_of_the_command(preset: str) -> None:
    result = warpath.evaluate(
        predictions_file,
        dataset_file,
        graphs_folder,
        preset=preset,
        also="envdrop",
        by="scan",
        missing="skip",
        invalid="skip",
    )
    options = [
        "--preset", preset, "--also", "envdrop", "--by", "scan", "--missing", "skip",
        "--invalid", "skip",
    ]  # fmt: skip
    assert str(result) + "\n" == command(*options)
    assert result.to_csv() == command(*options, "--csv", "-")
    no_info = command(*options, "--json", "-", "--no-run-info")
    assert result.to_json(run_info=False) == no_info
    assert result.to_latex(percent=True) == command(*options, "--latex", "--percent")
    assert result.to_markdown(digits=3) == command(*options, "--markdown", "--digits", "3")


def test_settings_and_metrics_are_those_of_the_command() -> None:
    result = warpath.evaluate(
        predictions_file, dataset_file, graphs_folder, metrics="nDTW,SPL", threshold=2.5,
        interval="bootstrap", backend="cpu", ndtw_norm="sqrt-nodes",
    )  # fmt: skip
    options = ["--metrics", "nDTW,SPL", "--threshold", "2.5", "--ci", "bootstrap"]
    options += ["--backend", "cpu", "--ndtw-norm", "sqrt-nodes"]
    assert str(result) + "\n" == command(*options)
    assert list(result.summary) == ["nDTW", "SPL"]


def test_fast_dtw_of_viewpoints() -> None:
    exact = warpath.evaluate(predictions_file, dataset_file, graphs_folder, backend="reference")
    fast = warpath.evaluate(
        predictions_file, dataset_file, graphs_folder, backend="reference", dtw="fast:1", by="scan"
    )
    covered = warpath.evaluate(
        predictions_file, dataset_file, graphs_folder, backend="reference", dtw="fast:1000"
    )
    for metric in ("DTW", "nDTW", "SDTW", "SPL"):
        np.testing.assert_array_equal(covered.per_item[metric], exact.per_item[metric])
    worse = np.asarray(fast.per_item["DTW"]) - np.asarray(exact.per_item["DTW"])
    assert np.nanmin(worse) >= 0.0 and np.nanmax(worse) > 0.0
    assert "DTW, nDTW and SDTW by FastDTW of radius 1, not exact" in str(fast)
    assert "exact alignment" in fast.explain("9786_0")


def test_summaries_are_the_means_of_items(result: warpath.results.Evaluation) -> None:
    items = result.per_item
    for metric, estimate in result.summary.items():
        values = items[metric][~np.isnan(items[metric])]
        assert estimate.n == len(values)
        assert estimate.mean == pytest.approx(values.mean(), abs=1e-9)
        assert estimate.ci95 is not None and estimate.ci95[0] <= estimate.mean <= estimate.ci95[1]
    assert result.summary.count == estimate.of == len(items["instr_id"])
    assert sum(result.summary.statuses.values()) >= result.summary.count
    with pytest.raises(KeyError, match="no metric 'XY'"):
        result.summary["XY"]
    with pytest.raises(KeyError, match="instr_id"):
        items["XY"]


def test_groups(result: warpath.results.Evaluation) -> None:
    groups = result.by("scan")
    assert sorted(groups) == sorted(set(result.per_item["scan"]))
    for scan, summary in groups.items():
        of_scan = result.per_item["SPL"][result.per_item["scan"] == scan]
        assert summary["SPL"].mean == pytest.approx(np.nanmean(of_scan), abs=1e-9)
    assert sum(group.count for group in result.by("length").values()) == result.summary.count
    with pytest.raises(warpath.UsageError, match="scan"):
        result.by("colour")


def forms() -> dict[str, Any]:
    entries = json.loads(pathlib.Path(predictions_file).read_text())
    trajectories = {entry["instr_id"]: entry["trajectory"] for entry in entries}
    arrays = {
        item: [np.array([step[0]]) for step in trajectory]
        for item, trajectory in trajectories.items()
    }
    return {
        "path": pathlib.Path(predictions_file),
        "entries": entries,
        "dict": trajectories,
        "arrays": arrays,
        "list of one agent": [entries],
    }


@pytest.mark.parametrize("form", list(forms()))
def test_predictions_in_memory(result: warpath.results.Evaluation, form: str) -> None:
    other = warpath.evaluate(forms()[form], dataset_file, graphs_folder)
    for name, column in result.per_item.items():
        np.testing.assert_array_equal(other.per_item[name], column, name)


def test_frames(result: warpath.results.Evaluation) -> None:
    pandas = pytest.importorskip("pandas")
    entries = forms()["entries"]
    long = [
        {"instr_id": entry["instr_id"], "viewpoint": step[0]}
        for entry in entries
        for step in entry["trajectory"]
    ]
    for frame in (
        pandas.DataFrame(entries),
        pandas.DataFrame(entries).rename(columns={"trajectory": "path"}),
        pandas.DataFrame(long),
    ):
        other = warpath.evaluate(frame, dataset_file, graphs_folder)
        np.testing.assert_array_equal(other.per_item["nDTW"], result.per_item["nDTW"])
    with pytest.raises(warpath.InputError, match="DataFrame with the columns a"):
        warpath.evaluate(pandas.DataFrame({"a": [1]}), dataset_file, graphs_folder)
    items = result.per_item.to_pandas()
    assert len(items) == len(result.per_item["instr_id"]) and "SPL" in items.columns
    assert result.to_pandas()["run"].unique().tolist() == ["predictions"]


def test_datasets_in_memory(result: warpath.results.Evaluation) -> None:
    entries = json.loads(pathlib.Path(dataset_file).read_text())
    other = warpath.evaluate(predictions_file, entries, graphs_folder)
    np.testing.assert_array_equal(other.per_item["SPL"], result.per_item["SPL"])


def scans() -> list[str]:
    return [path.name.split("_connectivity")[0] for path in pathlib.Path(graphs_folder).iterdir()]


def test_graphs_in_memory(result: warpath.results.Evaluation) -> None:
    networkx = pytest.importorskip("networkx")
    files = warpath.Graphs(graphs_folder)
    of_networkx, matrices, dicts = {}, {}, {}
    for scan in scans():
        graph = networkx.Graph()
        entries = json.loads((golden / f"connectivity/{scan}_connectivity.json").read_text())
        for entry in entries:
            if entry["included"]:
                position = np.array(entry["pose"], float)[[3, 7, 11]]
                graph.add_node(entry["image_id"], position=position)
        for entry in entries:
            for other, is_free in zip(entries, entry["unobstructed"]):
                if is_free and entry["included"] and other["included"]:
                    graph.add_edge(entry["image_id"], other["image_id"])
        of_networkx[scan] = graph
        ids, matrix = files.viewpoints(scan), files.distances(scan)
        matrices[scan] = warpath.Graph(ids, distances=matrix)
        dicts[scan] = {a: dict(zip(ids, row)) for a, row in zip(ids, matrix.tolist())}
    for graphs in (files, of_networkx):
        other = warpath.evaluate(predictions_file, dataset_file, graphs)
        np.testing.assert_allclose(other.per_item["nDTW"], result.per_item["nDTW"], atol=1e-12)
        np.testing.assert_array_equal(other.per_item["status"], result.per_item["status"])
    for graphs in (matrices, dicts):
        other = warpath.evaluate(predictions_file, dataset_file, graphs)
        np.testing.assert_allclose(other.per_item["nDTW"], result.per_item["nDTW"], atol=1e-12)


def test_several_agents() -> None:
    entries = forms()["entries"]
    result = warpath.evaluate(
        [predictions_file, entries[: len(entries) // 2]], dataset_file, graphs_folder,
        names=["all", "half"], **lenient,
    )  # fmt: skip
    assert [agent.name for agent in result] == ["all", "half"] and len(result) == 2
    assert result["half"].summary["SR"].n < result["all"].summary["SR"].n
    with pytest.raises(warpath.UsageError, match="2 agents"):
        result.summary  # noqa: B018
    with pytest.raises(KeyError, match="half"):
        result["none"]
    assert {"all/sr", "half/sr"} <= set(result.flat())
    assert "<th>half</th>" in result._repr_html_()


def test_flat_names_are_those_of_the_command(result: warpath.results.Evaluation) -> None:
    run = json.loads(command("--json", "-", "--flat-names", "--no-run-info"))["runs"][0]
    flat = result.flat("val/")
    assert flat["val/spl"] == run["spl"]
    assert flat["val/spl"] == pytest.approx(100 * (result.summary["SPL"].mean or 0))
    assert all(isinstance(value, float) for value in flat.values())


def test_explanations_are_those_of_the_command(result: warpath.results.Evaluation) -> None:
    item = str(result.per_item["instr_id"][0])
    text = command("--item", item, name="explain")
    assert result.explain(item) == text
    with pytest.raises(warpath.InputError):
        result.explain("nothing")


def test_files_are_written(result: warpath.results.Evaluation, tmp_path: pathlib.Path) -> None:
    result.to_json(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["runs"][0]["name"] == "predictions"
    result.to_csv(str(tmp_path / "r.csv"))
    assert (tmp_path / "r.csv").read_text() == result.to_csv()
    result.to_csv(tmp_path / "r.csv.gz")
    assert gzip.decompress((tmp_path / "r.csv.gz").read_bytes()).decode() == result.to_csv()
    with pytest.raises(warpath.InputError, match="none/r.csv: cannot be written: .*folder first"):
        result.to_csv(tmp_path / "none" / "r.csv")


def test_parquet_has_the_values_of_all_agents(tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    entries = forms()["entries"]
    result = warpath.evaluate(
        [entries, entries[::2]], dataset_file, graphs_folder, names=["all", "half"], **lenient
    )
    file = tmp_path / "r.parquet"
    result.to_parquet(file)
    read = pandas.read_parquet(file)
    assert list(read.columns) == ["run", *result["all"].per_item]
    for name, rows in read.groupby("run"):
        items = result[str(name)].per_item
        for column, values in items.items():
            np.testing.assert_array_equal(rows[column].to_numpy(), values, column)
    assert set(read["run"]) == {"all", "half"} and read["SPL"].isna().any()


def test_pairs(tmp_path: pathlib.Path, street: warpath.Graphs) -> None:
    lines = [{"id": "p", "scan": "street", "reference": list("abcd"), "prediction": list("abce")}]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for pairs in (file, lines):
        result = warpath.evaluation.evaluate_pairs(pairs, street)
        assert result.summary["nDTW"].mean == pytest.approx(np.exp(-0.25))


def test_task_success() -> None:
    ids = [entry["instr_id"] for entry in forms()["entries"]]
    result = warpath.evaluate(
        predictions_file, dataset_file, graphs_folder, task_success=[dict.fromkeys(ids, 0.5)]
    )
    items = result.per_item
    np.testing.assert_allclose(items["SDTW"], 0.5 * items["nDTW"])


def test_one_thing_or_a_list_of_it(tmp_path: pathlib.Path) -> None:
    ids = [entry["instr_id"] for entry in json.loads(pathlib.Path(predictions_file).read_text())]
    success = tmp_path / "success.json"
    success.write_text(json.dumps(dict.fromkeys(ids, 0.5)))
    results = [
        warpath.evaluate(
            predictions_file, dataset_file, graphs_folder, names=names, task_success=one
        )
        for names, one in [
            ("ours", str(success)), (["ours"], success), ("ours", [success]),
            ("ours", dict.fromkeys(ids, 0.5)),
        ]
    ]  # fmt: skip
    for made in results:
        assert made.agents[0].name == "ours"
        assert made.summary["SDTW"] == results[0].summary["SDTW"]
    without = warpath.evaluate(predictions_file, dataset_file, graphs_folder)
    assert without.summary["SDTW"] != results[0].summary["SDTW"]


def test_agents_in_several_forms() -> None:
    content = json.loads(pathlib.Path(predictions_file).read_text())
    by_id = {entry["instr_id"]: entry["trajectory"] for entry in content}
    both = warpath.evaluate([predictions_file, by_id], dataset_file, graphs_folder)
    assert len(both) == 2 and dict(both.agents[0].summary) == dict(both.agents[1].summary)


def test_problems_name_item_and_remedy() -> None:
    entries = forms()["entries"]
    with pytest.raises(warpath.InputError, match="prediction") as caught:
        warpath.evaluate(entries[1:], dataset_file, graphs_folder)
    assert caught.value.remedy
    with pytest.raises(warpath.InputError, match="predictions: is of type int"):
        warpath.evaluate(3, dataset_file, graphs_folder)  # type: ignore[arg-type]
    with pytest.raises(warpath.InputError, match="cannot be written as JSON"):
        warpath.evaluate([{"instr_id": object()}], dataset_file, graphs_folder)
    with pytest.raises(warpath.InputError, match="no_such"):
        warpath.evaluate("no_such.json", dataset_file, graphs_folder)
    with pytest.raises(warpath.UsageError, match="interval|ci"):
        warpath.evaluate(predictions_file, dataset_file, graphs_folder, interval="never")


def test_progress_counts_items() -> None:
    seen: list[int] = []
    result = warpath.evaluate(predictions_file, dataset_file, graphs_folder, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == result.summary.count


def test_real_data(data: pathlib.Path) -> None:
    result = warpath.evaluate(
        data / "agents/R2R_val_seen_prevalent_seq2seq.json.gz",
        data / "R2R_val_seen.json",
        data / "connectivity",
        preset="r2r",
    )
    golden_means = json.loads(
        (data / "golden/R2R_val_seen_prevalent_seq2seq.mean.json").read_text()
    )
    assert result.summary.count == 1020  # the original leaves a fourth instruction out
    assert result.summary["SR"].mean == pytest.approx(golden_means["mean"]["sr"], abs=2e-3)

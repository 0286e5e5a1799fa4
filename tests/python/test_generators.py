"""Random walks, R4R and perturbations: the bytes of the command."""

from __future__ import annotations

import json
import pathlib
import pickle

import pytest
import running
import warpath

golden = pathlib.Path(__file__).parents[1] / "golden"
files = ["--graphs", str(golden / "connectivity"), "--dataset", str(golden / "dataset.json")]
graphs, dataset = golden / "connectivity", golden / "dataset.json"


def command(*arguments: str) -> str:
    return running.command(*arguments, check=True).stdout


def test_random_walks_are_those_of_the_command() -> None:
    result = warpath.random_baseline(dataset, graphs, 5000, seed=3, preset="r2r", invalid="skip")
    options = ["random", *files, "--walks", "5000", "--seed", "3", "--preset", "r2r"]
    options += ["--invalid", "skip"]
    assert result.to_json(run_info=False) == command(*options, "--json", "-", "--no-run-info")
    assert result.to_csv() == command(*options, "--csv", "-")
    assert str(result) + "\n" == command(*options)
    assert result.signature.startswith("preset:r2r|invalid:skip|dataset:")
    assert "|walks:5000|seed:3|sample:cycle|" in result.signature
    assert f"\nsignature: {result.short_signature}\n" in str(result)
    assert result.statistics.items == result.summary.count == 5000
    assert result.summary["SR"].mean == result.statistics.of("SR").mean


def test_shards_merge_to_the_whole_run() -> None:
    def run(shard: str) -> warpath.generators.RandomBaseline:
        return warpath.random_baseline(
            json.loads(dataset.read_text()), graphs, 3001, steps=4, shard=shard, metrics="nDTW,SR",
            backend="cpu", invalid="skip",
        )  # fmt: skip

    whole, *shards = run(""), run("1/3"), run("2/3"), run("3/3")
    merged = warpath.BatchStatistics()
    for shard in reversed(shards):
        merged.merge(pickle.loads(pickle.dumps(shard.statistics)))
    joined = shards[1].whole(merged)
    assert joined.to_json(run_info=False) == whole.to_json(run_info=False)
    assert joined.signature == whole.signature
    assert "|shard:1/3|" in shards[0].signature
    with pytest.raises(warpath.UsageError, match="every shard"):
        shards[0].whole(shards[0].statistics)
    with pytest.raises(warpath.UsageError, match="4/3"):
        run("4/3")


def test_random_walks_check_their_input() -> None:
    with pytest.raises(warpath.UsageError):
        warpath.random_baseline(dataset, graphs, 0)
    with pytest.raises(warpath.UsageError, match="uniform"):
        warpath.random_baseline(dataset, graphs, 10, sample="often")
    with pytest.raises(warpath.InputError, match="walks: is -1"):
        warpath.random_baseline(dataset, graphs, -1)
    with pytest.raises(warpath.InputError, match="walks: is of type float; give an integer"):
        warpath.random_baseline(dataset, graphs, 1.5)


def test_a_number_of_walks_may_be_a_whole_float() -> None:
    texts = [
        warpath.random_baseline(dataset, graphs, walks, metrics="NE").to_json(run_info=False)
        for walks in (1000, 1e3)
    ]
    assert texts[0] == texts[1]


def test_progress_of_random_walks() -> None:
    seen: list[int] = []
    warpath.random_baseline(
        dataset, graphs, 300_000, steps=5, metrics="nDTW", backend="cpu", invalid="skip",
        progress=seen.append,
    )  # fmt: skip
    assert seen == sorted(seen) and seen[-1] == 300_000


def test_r4r_is_that_of_the_command(tmp_path: pathlib.Path) -> None:
    entries = [entry for entry in json.loads(dataset.read_text()) if len(entry["path"]) > 1]
    file = tmp_path / "r2r.json"
    file.write_text(json.dumps(entries))
    made = warpath.make_r4r(entries, graphs, threshold_m=6.0)
    options = ["--graphs", str(graphs), "--dataset", str(file), "--threshold", "6"]
    assert made.json == command("r4r", *options, "--out", "-", "--quiet")
    assert len(made.entries) == made.paths and made.instructions >= made.paths
    assert made.entries[0]["path"] and str(made.paths) in made.report
    less = warpath.make_r4r(file, graphs, threshold_m=6.0, compare="lt")
    assert less.paths <= made.paths
    with pytest.raises(warpath.UsageError):
        warpath.make_r4r(entries, graphs, threshold_m=-1.0)
    with pytest.raises(warpath.UsageError, match="le"):
        warpath.make_r4r(entries, graphs, compare="more")


@pytest.mark.parametrize("kind", ["random-walk", "reversal", "viewpoint-swap"])
def test_perturbations_are_those_of_the_command(kind: str) -> None:
    made = warpath.perturb(dataset, graphs, kind, seed=5)
    assert made.json == command("perturb", kind, *files, "--seed", "5", "--out", "-", "--quiet")
    assert len(made.predictions) == made.perturbed
    scored = warpath.evaluate(
        made.predictions, dataset, graphs, start="note", adjacency="note", missing="skip"
    )
    assert scored.summary["nDTW"].n == made.perturbed
    first = json.loads(dataset.read_text())[0]
    path = warpath.perturb_path(graphs, first["scan"], first["path"], kind, seed=5, item=0)
    assert path is None or path != first["path"]
    if kind == "reversal":
        assert path == first["path"][::-1]


def test_perturbations_check_their_input(street: warpath.Graphs) -> None:
    with pytest.raises(warpath.UsageError, match="reversal"):
        warpath.perturb(dataset, graphs, "reverse")
    with pytest.raises(warpath.InputError, match="'x'"):
        warpath.perturb_path(street, "street", ["x"], "reversal")
    with pytest.raises(warpath.InputError):
        warpath.perturb_path(street, "street", [], "reversal")
    assert warpath.perturb_path(street, "street", [0, 1], "reversal") == ["b", "a"]

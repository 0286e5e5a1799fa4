"""Pictures of scores, random walks and datasets: the values drawn are those that were computed."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warpath
from running import command

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
import matplotlib
import matplotlib.pyplot as plt
import warpath.plot
from matplotlib.axes import Axes

matplotlib.use("agg")
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_figures_stay() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("demo")
    assert command("demo", "--out", str(folder / "demo"), folder=folder).returncode == 0
    return folder / "demo"


@pytest.fixture(scope="module")
def result(demo: pathlib.Path) -> warpath.evaluation.Evaluation:
    files = [demo / f"{agent}.json" for agent in ("noisy", "follower", "random")]
    return warpath.evaluate(files, demo / "dataset.json", demo / "graphs", threshold=1.418)


def dots(ax: Axes) -> dict[str, float]:
    return {line.get_gid(): float(line.get_xdata()[0]) for line in ax.lines if line.get_gid()}


def test_agents_have_their_means_and_intervals(result: Any) -> None:
    ax = warpath.plot.agents(result, "SR,nDTW")
    expected = {f"{a.name} {m}": a.summary[m].mean for a in result for m in ("SR", "nDTW")}
    assert dots(ax) == expected and len(expected) == 6
    bars = [tuple(line.get_xdata()) for line in ax.lines if line.get_label() == "_interval"]
    assert bars == [a.summary[m].ci95 for a in result for m in ("SR", "nDTW")]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["SR", "nDTW"]
    places = [float(line.get_ydata()[0]) for line in ax.lines if line.get_gid()]
    assert len(set(places)) == 6
    one = warpath.plot.agents([result["noisy"], result["random"]], "NE")
    assert [label.get_text() for label in one.get_yticklabels()] == ["noisy", "random"]
    assert one.get_xlabel().startswith("NE (m)")
    for metrics, message in (("SR,NE", "several units"), ("bogus", "there is no metric bogus")):
        with pytest.raises(warpath.UsageError, match=message):
            warpath.plot.agents(result, metrics)
    with pytest.raises(warpath.UsageError, match="no results"):
        warpath.plot.agents([])


def test_a_result_file_gives_the_same_picture(result: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "result.json"
    result.to_json(file, items=True)
    assert dots(warpath.plot.agents(file)) == dots(warpath.plot.agents(result))
    of_file, of_memory = (warpath.plot.by_length(r, "SR") for r in (file, result))
    for one, other in zip(of_file.containers, of_memory.containers, strict=True):
        assert np.array_equal(one.lines[0].get_xydata(), other.lines[0].get_xydata())
    result.to_json(file)
    with pytest.raises(warpath.InputError, match="--items"):
        warpath.plot.distribution(file)


def test_means_by_length_equal_those_of_the_result(result: Any) -> None:
    for metric in ("nDTW", "SR", "NE"):
        ax = warpath.plot.by_length(result, metric)
        for agent, drawn in zip(result, ax.containers, strict=True):
            groups = agent.by("length")
            middle, _, (bars,) = drawn.lines
            means = [group[metric].mean for group in groups.values()]
            assert middle.get_ydata() == pytest.approx(means)
            assert np.round(middle.get_xdata()).tolist() == [int(length) for length in groups]
            ends = np.array([segment[:, 1] for segment in bars.get_segments()])
            intervals = [group[metric].ci95 for group in groups.values()]
            assert ends == pytest.approx(np.array(intervals), abs=2e-6)
    whole = warpath.plot.by_length(result["noisy"], "SR", width=100)
    mean = result["noisy"].summary["SR"].mean
    assert whole.containers[0].lines[0].get_ydata() == pytest.approx(mean)
    with pytest.raises(warpath.UsageError, match="width is 0"):
        warpath.plot.by_length(result, width=0)


def test_distributions_are_shares_of_items(result: Any) -> None:
    ax = warpath.plot.distribution(result, "nDTW", bins=10)
    for agent, stairs in zip(result, ax.patches, strict=True):
        values, edges, _ = stairs.get_data()
        counts = np.histogram(agent.per_item["nDTW"], np.linspace(0, 1, 11))[0]
        assert values == pytest.approx(counts / 900) and edges[-1] == 1
    ax = warpath.plot.distribution(result, "NE", kind="ecdf")
    for agent, line in zip(result, ax.lines, strict=True):
        x, y = line.get_xydata()[1:-1].T
        assert np.array_equal(x, np.sort(agent.per_item["NE"])) and y[-1] == 1
    with pytest.raises(warpath.UsageError, match="there are histogram, ecdf"):
        warpath.plot.distribution(result, kind="violin")


def test_correlations_are_those_of_ranks(result: Any) -> None:
    stats = pytest.importorskip("scipy.stats")
    ax = warpath.plot.metric_matrix(result["noisy"], "NE,SPL,nDTW")
    items = result["noisy"].per_item
    columns = np.stack([items[metric] for metric in ("NE", "SPL", "nDTW")], 1)
    expected = stats.spearmanr(columns).statistic
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(expected)
    constant = warpath.plot.metric_matrix(result["follower"], "SR,SPL")  # SR is 1 throughout
    assert [text.get_text() for text in constant.texts] == ["–", "–", "–", "1"]


def test_no_values_are_said(street: warpath.Graphs) -> None:
    entry = {"scan": "street", "heading": 0, "path": ["a", "b", "a"], "path_id": 1}
    dataset = [{**entry, "instructions": [""]}]
    paths = {"1_0": ["a"]}
    result = warpath.evaluate(paths, dataset, street, spl_zero="undefined", invalid="skip", metrics="SPL,SR")
    assert result.summary["SPL"].mean is None
    ax = warpath.plot.agents(result, "SPL,SR")
    assert "no value" in [text.get_text() for text in ax.texts]
    for draw in (
        lambda: warpath.plot.distribution(result, "SPL"),
        lambda: warpath.plot.distribution(result, "SPL", kind="ecdf"),
        lambda: warpath.plot.by_length(result, "SPL"),
    ):
        assert [text.get_text() for text in draw().texts] == ["no values"]
    assert warpath.plot.metric_matrix(result, "SPL,SR").texts[0].get_text() == "–"
    with pytest.raises(warpath.UsageError, match="has no nDTW"):
        warpath.plot.distribution(result, "nDTW")


def test_the_baseline_has_the_counts_of_the_report(
    demo: pathlib.Path, result: Any, tmp_path: pathlib.Path
) -> None:
    walks = warpath.random_baseline(demo / "dataset.json", demo / "graphs", 3000, metrics="nDTW,NE")
    walks.to_json(tmp_path / "walks.json")
    for report in (walks, tmp_path / "walks.json"):
        for metric in ("nDTW", "NE"):
            ax = warpath.plot.baseline(report, metric, results=result)
            values, edges, _ = ax.patches[0].get_data()
            _, counts, _, width = walks.statistics.histogram(metric)
            assert values * 3000 == pytest.approx(counts[: len(values)])
            assert sum(counts[len(values) :]) == 0 and np.diff(edges) == pytest.approx(width)
            means = [walks.summary[metric].mean, *(agent.summary[metric].mean for agent in result)]
            assert [line.get_xdata()[0] for line in ax.lines] == pytest.approx(means)
    with pytest.raises(warpath.UsageError, match="no SPL"):
        warpath.plot.baseline(walks, "SPL")
    (tmp_path / "other.json").write_text('{"runs": []}')
    with pytest.raises(warpath.InputError, match="holds no histograms of walks"):
        warpath.plot.baseline(tmp_path / "other.json")


def test_lengths_are_those_that_the_command_counts(
    demo: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    report = tmp_path / "dataset.json"
    graphs, dataset = str(demo / "graphs"), str(demo / "dataset.json")
    command("dataset", "--graphs", graphs, dataset, "--json", str(report), folder=tmp_path)
    counted = json.loads(report.read_text())
    for of, key, first in (("PLR", "length", 0), ("SP", "shortest", 0), ("n_ref", "steps", 1)):
        ax = warpath.plot.lengths({"study": dataset}, graphs, of, width=1)
        values, _, _ = ax.patches[-1].get_data()
        counts = counted[key]["by_path"]["histogram"]["counts"]
        assert (values * 300).round().astype(int)[first:].tolist() == counts
    with pytest.raises(warpath.InputError, match="without scan and path"):
        warpath.plot.lengths({"x": [{"path": ["a"]}]}, graphs)


def test_the_command_draws_every_kind(demo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    files = ["--graphs", str(demo / "graphs"), "--dataset", str(demo / "dataset.json")]
    noisy, random = str(demo / "noisy.json"), f"Walker={demo / 'random.json'}"
    scored = [*files, noisy, random, "--threshold", "1.418"]
    warpath.evaluate([noisy], files[3], files[1]).to_json(tmp_path / "result.json", items=True)
    walks = warpath.random_baseline(files[3], files[1], 100)
    walks.to_json(tmp_path / "walks.json")
    kinds = {
        "path": [*scored, "--item", "1_0", "--alignment"],
        "alignment": [*files, noisy, "--item", "1_0"],
        "agents": [*scored, "--metrics", "SR,nDTW"],
        "by-length": ["result.json", "--metric", "SPL"],
        "distribution": ["result.json", "--kind", "ecdf"],
        "metric-matrix": ["result.json"],
        "baseline": ["walks.json", "--results", "result.json"],
        "lengths": [*files[:2], f"R2R={files[3]}"],
    }
    said = {"path": "Walker, nDTW", "agents": "Walker", "alignment": "query: noisy"}
    from warpath.commands import run_command

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        for kind, arguments in kinds.items():
            assert run_command(["plot", kind, *arguments, "-o", f"{kind}.svg"]) == 0, kind
            assert said.get(kind, "<svg") in (tmp_path / f"{kind}.svg").read_text()
        assert run_command(["plot", "agents", "result.json", "-o", "result.json"]) == 2
        assert run_command(["plot", "agents", noisy, "-o", "x.svg"]) == 1
        assert run_command(["plot", "agents", "absent.json", "-o", "x.svg"]) == 1
        assert run_command(["plot", "path", *scored, "--item", "9_9", "-o", "x.svg"]) == 1
        assert run_command(["plot", "agents", "result.json", "-o", "x.doc"]) == 2
    assert not (tmp_path / "x.svg").exists()
    done = command("plot", "agents", "result.json", "-o", "again.pdf", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "again.pdf").read_bytes().startswith(b"%PDF")


def test_without_matplotlib_the_extra_is_named() -> None:
    code = """
import sys
import warpath
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
try:
    import warpath.plot
except warpath.UsageError as error:
    print(error)
"""
    package = str(pathlib.Path(warpath.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": package}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    how = 'pip install matplotlib, or in the checkout: pip install ".[plot]"'
    assert done.stdout == f"matplotlib is missing: {how}\n", done.stderr

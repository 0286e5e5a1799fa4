"""compare: against a plain NumPy transcription, its level, what it refuses, degenerate input."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
from typing import Any

import numpy as np
import pytest
import warpath
from made_agents import World, saved
from warpath.result_files import read_results, results_of

pytest.importorskip("scipy", reason="SciPy is not installed")
from warpath.comparison.paired import Clusters, Sums, holm, intervals, p_values  # noqa: E402

HEADLINE = ["SR", "SPL", "nDTW", "NE", "PL"]


@pytest.fixture(scope="module")
def small() -> World:
    return World(paths=11)


@pytest.fixture(scope="module")
def large() -> World:
    return World(paths=90)


def transcription(first: Any, second: Any, clusters: list[Any], flips: Any) -> dict[str, float]:
    """Computes a difference, its interval and its p-value by the book, one cluster at a time."""
    d = second - first
    keep = ~np.isnan(d)
    d, labels = d[keep], [c for c, k in zip(clusters, keep) if k]
    mean = sum(d) / len(d)
    names = sorted(set(labels))
    within = [np.array([x for x, c in zip(d, labels) if c == name]) for name in names]
    squares = sum(float(np.sum(x - mean)) ** 2 for x in within)
    groups = len(names)
    half = 1.96 * np.sqrt(groups / (groups - 1) * squares) / len(d)
    sums = np.array([x.sum() for x in within])
    observed = abs(sums.sum())
    hits = [abs(np.dot(signs, sums)) >= observed * (1 - 1e-12) for signs in flips(groups)]
    return {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p": float(np.mean(hits)),
        "larger": int(np.sum(d > 1e-9)),
        "smaller": int(np.sum(d < -1e-9)),
        "n": len(d),
        "clusters": groups,
    }


def all_flips(groups: int) -> Any:
    return itertools.product((-1, 1), repeat=groups)


def random_flips(groups: int) -> Any:
    return np.random.default_rng(99).choice([-1, 1], size=(40_000, groups))


def test_two_names_of_a_preset_are_one_convention(small: World, tmp_path: pathlib.Path) -> None:
    agent = small.agent(0.3)
    files = [
        saved(small.evaluate(agent, names=[preset], preset=preset), tmp_path / f"{preset}.json")
        for preset in ("hamt", "duet")
    ]
    assert [read_results(file).preset for file in files] == ["hamt", "duet"]
    found = warpath.compare(files)
    assert found.notes().startswith("preset hamt\n")


@pytest.mark.parametrize("interval", ["path", "scan", "none"])
@pytest.mark.parametrize("size", ["small", "large"])
def test_is_a_plain_transcription(
    size: str, interval: str, small: World, large: World
) -> None:
    world = {"small": small, "large": large}[size]
    evaluation = world.evaluate(world.agent(0.3), world.agent(0.6), threshold=2)
    found = warpath.compare(evaluation, metrics=HEADLINE, interval=interval).pairs[0]
    assert (found.first, found.second) == ("agent0", "agent1")
    items = [agent.per_item for agent in evaluation]
    ids = items[0]["instr_id"].tolist()
    path_of = {str(e["path_id"]): (e["scan"], *e["path"]) for e in world.dataset}
    clusters: dict[str, list[Any]] = {
        "path": [path_of[item.split("_")[0]] for item in ids],
        "scan": items[0]["scan"].tolist(),
        "none": ids,
    }
    labels = clusters[interval]
    exact = len(set(labels)) < 14
    p = []
    for metric in HEADLINE:
        of_metric = found.metrics[metric]
        flips = all_flips if exact else random_flips
        expected = transcription(items[0][metric], items[1][metric], labels, flips)
        assert of_metric.difference == pytest.approx(expected["difference"], abs=1e-12)
        assert of_metric.ci95 == pytest.approx((expected["low"], expected["high"]), abs=1e-12)
        assert of_metric.p == pytest.approx(expected["p"], abs=1e-12 if exact else 0.02)
        counts = of_metric.larger, of_metric.smaller, of_metric.n, of_metric.clusters
        assert counts == tuple(expected[k] for k in ("larger", "smaller", "n", "clusters"))
        assert of_metric.equal == of_metric.n - of_metric.larger - of_metric.smaller
        assert of_metric.mean_first == pytest.approx(evaluation[found.first].summary[metric].mean)
        assert of_metric.mean_second == pytest.approx(evaluation[found.second].summary[metric].mean)
        p.append(of_metric.p)
    wins = found.metrics["NE"].wins, found.metrics["NE"].losses
    assert wins == (found.metrics["NE"].smaller, found.metrics["NE"].larger)
    assert found.metrics["SR"].wins == found.metrics["SR"].larger
    assert found.metrics["PL"].wins is None is found.metrics["PL"].losses
    corrected = [found.metrics[metric].p_holm for metric in HEADLINE]
    order = sorted(range(5), key=lambda k: p[k])
    by_the_book = [max(min(1.0, (5 - r) * p[order[r]]) for r in range(k + 1)) for k in range(5)]
    assert [corrected[k] for k in order] == pytest.approx(by_the_book)


def test_paths_that_are_equal_are_one_cluster(small: World) -> None:
    dataset = [dict(entry, path_id=entry["path_id"] + 100) for entry in small.dataset]
    agents = [small.agent(0.3), small.agent(0.5)]
    twice = [{**a, **{f"{int(i[:-2]) + 100}{i[-2:]}": t for i, t in a.items()}} for a in agents]
    forms = [[{"instr_id": i, "trajectory": t} for i, t in a.items()] for a in twice]
    once = warpath.compare(small.evaluate(*agents), metrics="nDTW").pairs[0].metrics["nDTW"]
    both = warpath.compare(
        warpath.evaluate(forms, small.dataset + dataset, small.maze.graphs), metrics="nDTW"
    ).pairs[0].metrics["nDTW"]  # fmt: skip
    assert both.n == 2 * once.n and both.clusters == once.clusters
    assert both.ci95 == pytest.approx(once.ci95) and both.p == pytest.approx(once.p)


def test_the_bootstrap_resamples_paths(large: World) -> None:
    evaluation = large.evaluate(large.agent(0.3), large.agent(0.6), threshold=2)
    found = warpath.compare(evaluation, metrics="SPL,nDTW", interval="bootstrap").pairs[0]
    plain = warpath.compare(evaluation, metrics="SPL,nDTW").pairs[0]
    table = results_of(evaluation).runs
    paths = table[0].items.path  # type: ignore[union-attr]
    draw = np.random.default_rng(5)
    for metric in ("SPL", "nDTW"):
        a, b = (run.items.values[metric] for run in table)  # type: ignore[union-attr]
        groups = [(b - a)[paths == g] for g in np.unique(paths)]
        sums = np.array([g.sum() for g in groups])
        counts = np.array([len(g) for g in groups])
        chosen = draw.integers(len(groups), size=(10_000, len(groups)))
        means = sums[chosen].sum(1) / counts[chosen].sum(1)
        expected = np.percentile(means, [2.5, 97.5])
        width = expected[1] - expected[0]
        assert found.metrics[metric].ci95 == pytest.approx(tuple(expected), abs=0.05 * width)
        assert found.metrics[metric].p == plain.metrics[metric].p


def equal_agents(pairs: int, paths: int, seed: int) -> tuple[Any, Clusters]:
    """Draws differences [pairs, items] of agents that are equally good; what one path does to an
    agent is shared by the path's one to six items."""
    draw = np.random.default_rng(seed)
    of_item = np.repeat(np.arange(paths), draw.integers(1, 7, paths))

    def agent() -> Any:
        of_path = draw.normal(size=(pairs, paths))[:, of_item]
        return of_path + draw.normal(size=(pairs, len(of_item)))

    return agent() - agent(), Clusters.of(of_item)


def test_one_in_twenty_pairs_of_equal_agents_is_significant() -> None:
    differences, clusters = equal_agents(pairs=1000, paths=32, seed=11)
    sums = Sums.of(differences, clusters)
    level = np.mean(np.array(p_values(sums, 1999, seed=0)) <= 0.05)
    assert 0.035 <= level <= 0.065
    # Items taken for independent would find differences where there are none.
    items = Clusters(np.arange(len(clusters.of_item)), len(clusters.of_item))
    naive = np.mean(np.array(p_values(Sums.of(differences[:300], items), 199, seed=0)) <= 0.05)
    assert naive > 0.12
    bounds = [bound for bound in intervals(sums, False, 0) if bound]
    missed = np.mean([low > 0 or high < 0 for low, high in bounds])
    assert 0.035 <= missed <= 0.085  # 1.96 is a little small for 32 clusters


def test_holm() -> None:
    assert holm([]) == []
    assert holm([0.04]) == [0.04]
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


def test_few_clusters_have_exact_p_values() -> None:
    sums = Sums.of(np.array([[1.0, 2.0, 4.0], [1.0, -1.0, 0.0], [0.0, 0.0, 0.0]]),
                   Clusters(np.arange(3), 3))  # fmt: skip
    assert p_values(sums, 9999, 0) == [0.25, 1.0, 1.0]
    one = Sums.of(np.array([[3.0, 5.0]]), Clusters(np.zeros(2, int), 1))
    assert p_values(one, 9999, 0) == [1.0] and intervals(one, False, 0) == [None]


def test_equal_seeds_give_equal_bytes(large: World) -> None:
    evaluation = large.evaluate(large.agent(0.3), large.agent(0.4))
    texts = {warpath.compare(evaluation, permutations=500, seed=s).to_json() for s in (1, 1, 2)}
    assert len(texts) == 2


def test_rounding_is_no_difference(small: World, tmp_path: pathlib.Path) -> None:
    agent = small.agent(0.3)
    content = json.loads(small.evaluate(agent).to_json(items=True))
    first = tmp_path / "first.json"
    first.write_text(json.dumps(content))
    values = content["runs"][0]["per_item"]["values"]["nDTW"]
    values[:] = [value * (1 + 2e-16) for value in values]
    second = tmp_path / "second.json"
    second.write_text(json.dumps(content))
    found = warpath.compare([first, second], metrics="nDTW").pairs[0].metrics["nDTW"]
    assert (found.larger, found.smaller, found.difference, found.p) == (0, 0, 0.0, 1.0)


def test_groups_and_items(large: World) -> None:
    evaluation = large.evaluate(large.agent(0.3), large.agent(0.6))
    found = warpath.compare(evaluation, metrics="nDTW,SR", by="scan", items=7).pairs[0]
    a, b = (agent.per_item for agent in evaluation)
    difference = b["nDTW"] - a["nDTW"]
    assert [group.name for group in found.groups] == sorted(set(a["scan"].tolist()))
    for group in found.groups:
        chosen = a["scan"] == group.name
        assert group.items == group.metrics["nDTW"].n == chosen.sum()
        assert group.metrics["nDTW"].difference == pytest.approx(difference[chosen].mean())
        assert group.metrics["nDTW"].p is None
    assert len(found.items) == 7
    assert [abs(item.difference) for item in found.items] == pytest.approx(
        np.sort(np.abs(difference))[::-1][:7]
    )
    row = a["instr_id"].tolist().index(found.items[0].instr_id)
    assert found.items[0].value_first == a["nDTW"][row]
    lengths = warpath.compare(evaluation, metrics="SR", by="length").pairs[0].groups
    assert sum(group.items for group in lengths) == len(difference)
    assert [int(group.name) for group in lengths] == sorted(int(g.name) for g in lengths)
    with pytest.raises(warpath.UsageError, match="no item has a language"):
        warpath.compare(evaluation, by="language")


def test_agents_are_compared_with_the_first_or_all(small: World) -> None:
    evaluation = small.evaluate(*(small.agent(0.1 * k) for k in range(1, 5)))
    pairs = warpath.compare(evaluation, metrics="SR,nDTW")
    assert [(p.first, p.second) for p in pairs] == [("agent0", f"agent{k}") for k in (1, 2, 3)]
    assert pairs.tests == 6
    every = warpath.compare(evaluation, metrics="SR,nDTW", all_pairs=True)
    assert len(every) == 6 and every.tests == 12
    assert every.pairs[0].metrics["SR"].p == pairs.pairs[0].metrics["SR"].p
    p = [found.p for pair in every for found in pair.metrics.values()]
    corrected = [found.p_holm for pair in every for found in pair.metrics.values()]
    assert corrected == pytest.approx(holm(p))  # type: ignore[arg-type]
    with pytest.raises(warpath.UsageError, match="takes two agents"):
        warpath.compare(small.evaluate(small.agent(0.1)))


# ---------------------------------------------------------------- what is refused


def test_other_data_is_refused(small: World, tmp_path: pathlib.Path) -> None:
    agent = small.agent(0.3)
    first = saved(small.evaluate(agent), tmp_path / "first.json")
    other = World(paths=11)
    other.dataset = [dict(entry, path=entry["path"][::-1]) for entry in other.dataset]
    second = saved(other.evaluate(agent), tmp_path / "second.json")
    with pytest.raises(warpath.InputError) as refused:
        warpath.compare([first, second])
    assert str(second) in str(refused.value) and "other dataset" in str(refused.value)
    assert "--allow other-data" in refused.value.remedy
    allowed = warpath.compare([first, second], allow="other-data")
    assert "allowed: other-data" in str(allowed)

    graphs = json.loads(first.read_text())
    graphs["graphs"]["hash"] = "0" * 32
    second.write_text(json.dumps(graphs))
    with pytest.raises(warpath.InputError, match="other graphs"):
        warpath.compare([first, second])


def test_other_conventions_are_refused(small: World, tmp_path: pathlib.Path) -> None:
    agent = small.agent(0.3)
    first = saved(small.evaluate(agent), tmp_path / "first.json")
    second = saved(small.evaluate(agent, threshold=2), tmp_path / "second.json")
    with pytest.raises(warpath.InputError) as refused:
        warpath.compare([first, second])
    assert "threshold=2, not 3" in str(refused.value)
    assert "--allow other-convention" in refused.value.remedy
    with pytest.raises(warpath.InputError, match="threshold"):
        warpath.compare([first, second], allow=["other-data", "missing-items"])
    found = warpath.compare([first, second], allow=["other-convention"], metrics="SR,PL").pairs[0]
    assert found.metrics["PL"].difference == 0 and found.metrics["SR"].smaller >= 0
    with pytest.raises(warpath.UsageError, match="other-data, other-convention, missing-items"):
        warpath.compare([first, second], allow="everything")


def test_missing_items_are_refused_or_counted(small: World, tmp_path: pathlib.Path) -> None:
    whole, part = small.agent(0.3), small.agent(0.3)
    gone = list(part)[2:5]
    for item in gone:
        del part[item]
    part[list(part)[0]] = [["no such viewpoint"]]
    skip = {"missing": "skip", "invalid": "skip"}
    first = saved(small.evaluate(whole, **skip), tmp_path / "first.json")
    second = saved(small.evaluate(part, **skip), tmp_path / "second.json")
    for files in ([first, second], [second, first]):
        with pytest.raises(warpath.InputError) as refused:
            warpath.compare(files)
        assert refused.value.where.file == str(second)
        assert refused.value.where.field == list(part)[0]
        assert "4 items" in refused.value.problem and "missing" in refused.value.problem
        assert "--allow missing-items" in refused.value.remedy
    found = warpath.compare([first, second], allow="missing-items")
    pair = found.pairs[0]
    total = len(whole)
    assert (pair.common, pair.only_first, pair.only_second) == (total, 4, 0)
    assert pair.compared == total - 4 and not any("left out" in note for note in pair.notes)
    assert pair.metrics["SR"].n == total - 4
    assert "4 items that only agent0 has a value for: left out" in str(found)
    assert f"{total - 4} of {total}" in str(found)

    # Failures that count 0 are compared; lengths, which have no value, are counted.
    zero = {"missing": "zero", "invalid": "zero"}
    both = [small.evaluate(agent, **zero) for agent in (whole, part)]
    pair = warpath.compare(both, metrics="SR,PL", names=["whole", "part"]).pairs[0]
    assert pair.metrics["SR"].n == total and pair.metrics["PL"].n == total - 4
    means = [evaluation.summary["SR"].mean or 0.0 for evaluation in both]
    assert pair.metrics["SR"].difference == pytest.approx(means[1] - means[0])
    assert "PL: 4 items more left out, without a value for both" in pair.notes


def test_items_without_any_value_are_counted(small: World) -> None:
    agents = [small.agent(0.3), small.agent(0.5)]
    for agent in agents:
        del agent[next(iter(agent))]
    found = warpath.compare(small.evaluate(*agents, missing="skip"), metrics="SR")
    assert found.pairs[0].without_value == 1
    assert "1 item that neither has a value for: left out" in str(found)


def test_several_predictions_for_an_item_are_refused(small: World) -> None:
    agent = [{"instr_id": i, "trajectory": t} for i, t in small.agent(0.3).items()]
    twice = [*agent, agent[0]]
    evaluation = warpath.evaluate(
        [agent, twice], small.dataset, small.maze.graphs, duplicates="each"
    )
    with pytest.raises(warpath.InputError) as refused:
        warpath.compare(evaluation)
    assert agent[0]["instr_id"] in str(refused.value) and "--duplicates" in refused.value.remedy


# ---------------------------------------------------------------- degenerate input


def changed(evaluation: warpath.results.Evaluation, file: pathlib.Path, edit: Any) -> pathlib.Path:
    """Writes the results after an edit of the items of each agent; means are dropped."""
    content = json.loads(evaluation.to_json(items=True))
    for run in content["runs"]:
        edit(run["per_item"])
        for metric, estimate in run["metrics"].items():
            values = [v for v in run["per_item"]["values"][metric] if v is not None]
            estimate.update(mean=float(np.mean(values)) if values else None, n=len(values))
    file.write_text(json.dumps(content))
    return file


def test_no_item_in_common(small: World, tmp_path: pathlib.Path) -> None:
    evaluation = small.evaluate(small.agent(0.3))
    first = saved(evaluation, tmp_path / "first.json")

    def rename(items: Any) -> None:
        items["instr_id"] = ["other " + item for item in items["instr_id"]]

    second = changed(evaluation, tmp_path / "second.json", rename)
    with pytest.raises(warpath.InputError, match="second.json.*absent"):
        warpath.compare([first, second])
    with pytest.raises(warpath.InputError, match="no item in common with agent0"):
        warpath.compare([first, second], allow="missing-items")


def test_one_path(tmp_path: pathlib.Path) -> None:
    world = World(paths=1)
    world.dataset[0]["instructions"] = ["", "", ""]
    found = warpath.compare(world.evaluate(world.agent(0.0), world.agent(0.9)))
    for metric in found.pairs[0].metrics.values():
        assert metric.ci95 is None and metric.p == 1.0 and metric.clusters == 1
    assert "± –" in str(found) and "1 path make" in str(found)


def test_metrics_without_a_value(small: World, tmp_path: pathlib.Path) -> None:
    evaluation = small.evaluate(small.agent(0.3), small.agent(0.3))

    def drop(items: Any) -> None:
        items["values"]["nDTW"] = [None] * len(items["instr_id"])

    file = changed(evaluation, tmp_path / "results.json", drop)
    found = warpath.compare(file, metrics="SR,nDTW")
    empty = found.pairs[0].metrics["nDTW"]
    assert (empty.n, empty.difference, empty.ci95, empty.p, empty.p_holm) == (0, *[None] * 4)
    assert found.tests == 1
    assert "nDTW" not in warpath.compare(file).pairs[0].metrics
    assert json.loads(found.to_json())["pairs"][0]["metrics"]["nDTW"]["mean_first"] is None
    assert re.search(r"nDTW ↑ +(\| +– +){6}\| +0 of ", found.to_markdown())


def test_agents_that_are_equal(small: World) -> None:
    agent = small.agent(0.3)
    found = warpath.compare(small.evaluate(agent, agent))
    for metric in found.pairs[0].metrics.values():
        assert (metric.difference, metric.p, metric.p_holm) == (0.0, 1.0, 1.0)
        assert metric.ci95 == (0.0, 0.0) and metric.equal == metric.n
    assert found.pairs[0].items == []


NAMES = ["走廊 1", "مسار_٢", "नमस्ते", "<script>&\"'", "a|b_$%#{}~^\\", "👩‍🚀", "x\ny\x1b[2J", "é"]


def test_ids_in_any_script(small: World, tmp_path: pathlib.Path) -> None:
    evaluation = small.evaluate(small.agent(0.3), small.agent(0.6))

    def rename(items: Any) -> None:
        items["instr_id"] = [f"{NAMES[k % 8]} {k}" for k in range(len(items["instr_id"]))]
        items["scan"] = [NAMES[len(scan + scan[-1]) % 8] + scan for scan in items["scan"]]

    file = changed(evaluation, tmp_path / "走廊 results.json", rename)
    count = len(evaluation.agents[0].per_item["instr_id"])
    found = warpath.compare(file, by="scan", items=count, metrics="nDTW")
    text = str(found)
    assert "走廊 1" in text and "\x1b" not in text and "नमस्ते" in text
    assert len(found.pairs[0].items) > 8
    assert "\\textbackslash" in found.to_latex() or "\\" in found.to_latex()
    content = json.loads(found.to_json())
    shown = {item["instr_id"] for item in content["pairs"][0]["items_that_differ_most"]}
    assert shown == {item.instr_id for item in found.pairs[0].items}
    assert "<script>" not in warpath.compare(file, metrics="nDTW")._repr_html_()


def test_frames(small: World) -> None:
    pytest.importorskip("pandas")
    found = warpath.compare(small.evaluate(small.agent(0.3), small.agent(0.6)), metrics="SR,SPL")
    frame = found.to_pandas()
    assert frame["metric"].tolist() == ["SR", "SPL"]
    assert frame["p"].tolist() == [found.pairs[0].metrics[m].p for m in ("SR", "SPL")]

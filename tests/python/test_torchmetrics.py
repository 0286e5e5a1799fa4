"""Metrics of torchmetrics: the same bits however the pairs are divided."""

from __future__ import annotations

import pathlib
import pickle
import socket
import warnings
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, csr, padded

torch = pytest.importorskip("torch", reason="there is no torch")
torchmetrics = pytest.importorskip("torchmetrics", reason="there is no torchmetrics")

import warpath.torchmetrics as wtm  # noqa: E402

Pairs = tuple[list[list[int]], list[list[int]], list[str]]


def make_pairs(count: int = 300) -> tuple[Maze, Pairs]:
    maze = Maze(seed=23)
    return maze, maze.pairs(count)


@pytest.fixture(scope="module")
def work() -> tuple[warpath.Scorer, Pairs]:
    maze, pairs = make_pairs()
    return warpath.Scorer(maze.graphs, backend="cpu"), pairs


def part(pairs: Pairs, begin: int, end: int) -> Any:
    return tuple(one[begin:end] for one in pairs)


def bits(values: dict[str, Any]) -> dict[str, bytes]:
    assert all(value.dtype == torch.float64 for value in values.values())
    return {name: value.numpy().tobytes() for name, value in values.items()}


def expected(scorer: warpath.Scorer, pairs: Any) -> dict[str, bytes]:
    statistics = scorer.statistics(*pairs)
    means = {metric: statistics.of(metric).mean for metric in scorer.metrics}
    return {
        metric: np.float64(np.nan if mean is None else mean).tobytes()
        for metric, mean in means.items()
    }


def updated(metric: Any, pairs: Pairs, *cuts: int) -> Any:
    bounds = [0, *cuts, len(pairs[0])]
    for begin, end in zip(bounds, bounds[1:]):
        metric.update(*part(pairs, begin, end))
    return metric


@pytest.mark.parametrize("cuts", [(), (1,), (100, 200), (7, 8, 9, 250)])
def test_batches_do_not_matter(work: Any, cuts: tuple[int, ...]) -> None:
    scorer, pairs = work
    metric = updated(wtm.NavigationMetrics(scorer), pairs, *cuts)
    assert bits(metric.compute()) == expected(scorer, pairs)
    assert metric.statistics() == scorer.statistics(*pairs)


def test_there_is_a_class_for_every_metric(work: Any) -> None:
    scorer, pairs = work
    together = updated(wtm.NavigationMetrics(scorer), pairs).compute()
    of_paths = {name: row for name, row in warpath.metrics.items() if row.is_of_paths}
    assert list(together) == list(of_paths)
    for name, row in of_paths.items():
        metric = getattr(wtm, name)(scorer)
        assert isinstance(metric, torchmetrics.Metric)
        assert metric.higher_is_better == {"higher": True, "lower": False}.get(row.better)
        assert bits({name: updated(metric, pairs).compute()}) == bits({name: together[name]})
    with pytest.raises(warpath.InputError, match='make it with metrics="SPL"'):
        wtm.SPL(warpath.Scorer(scorer.graphs, metrics="SR"))


def test_forward_gives_the_batch_and_accumulates(work: Any) -> None:
    scorer, pairs = work
    metric = wtm.NavigationMetrics(scorer)
    for begin, end in [(0, 10), (10, 11), (11, 300)]:
        batch = part(pairs, begin, end)
        assert bits(metric(*batch)) == expected(scorer, batch)
    assert bits(metric.compute()) == expected(scorer, pairs)


def test_reset_pickles_and_state_dicts(work: Any) -> None:
    scorer, pairs = work
    metric = updated(wtm.NavigationMetrics(scorer), part(pairs, 0, 50))
    metric.reset()
    assert metric.statistics().items == 0
    metric.update(*part(pairs, 0, 100))
    copied = pickle.loads(pickle.dumps(metric))
    metric.persistent(True)
    loaded = wtm.NavigationMetrics(scorer)
    loaded.persistent(True)
    assert set(loaded.load_state_dict(metric.state_dict()).missing_keys) == set()
    for one in (metric, copied, metric.clone(), loaded):
        one.update(*part(pairs, 100, 300))
        assert bits(one.compute()) == expected(scorer, pairs)


def test_values_stay_exact_when_types_change(work: Any) -> None:
    scorer, pairs = work
    metric = updated(wtm.NavigationMetrics(scorer), part(pairs, 0, 100))
    metric.half().float().set_dtype(torch.float16)
    metric.to(torch.float32).update(*part(pairs, 100, 300))
    assert bits(metric.compute()) == expected(scorer, pairs)


def test_tensors_in_every_form(work: Any) -> None:
    scorer, (references, queries, scans) = work
    numbers = np.array([scorer.scans.index(scan) for scan in scans])
    want = expected(scorer, (references, queries, scans))

    def of(rows: np.ndarray) -> Any:
        return torch.from_numpy(rows)

    lengths = torch.tensor([len(query) for query in queries])
    packed = csr(queries)
    forms = [
        of(padded(queries)),
        warpath.PaddedPaths(of(padded(queries)), lengths),
        warpath.CsrPaths(of(np.asarray(packed.values)), of(np.asarray(packed.offsets))),
        [torch.tensor(query) for query in queries],
    ]
    for form in forms:
        metric = wtm.NavigationMetrics(scorer)
        metric.update(of(padded(references)), form, of(numbers))
        assert bits(metric.compute()) == want


def test_a_collection_shares_the_sweep(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, pairs = work
    lenient = warpath.Scorer(scorer.graphs, backend="cpu", threshold=1e6)
    collection = torchmetrics.MetricCollection(
        {"SR": wtm.SR(scorer), "nDTW": wtm.nDTW(scorer), "lenient": wtm.SR(lenient)},
        prefix="val_",
    )
    same = [k for k in range(300) if pairs[0][k] == pairs[1][k]][:1] or [0]
    collection.update(*(tuple([one[k] for k in same] for one in pairs)))
    collection.reset()
    collection.update(*part(pairs, 0, 100))
    calls: list[warpath.Scorer] = []
    plain = warpath.Scorer.statistics

    def counted(self: warpath.Scorer, *arguments: Any, **options: Any) -> Any:
        calls.append(self)
        return plain(self, *arguments, **options)

    monkeypatch.setattr(warpath.Scorer, "statistics", counted)
    collection.update(*part(pairs, 100, 300))
    monkeypatch.undo()
    assert calls == [scorer, lenient] or calls == [lenient, scorer]
    found = bits(collection.compute())
    want = expected(scorer, pairs)
    assert found["val_SR"] == want["SR"] and found["val_nDTW"] == want["nDTW"]
    assert found["val_lenient"] == expected(lenient, pairs)["SR"] != want["SR"]


def test_other_scorers_are_never_taken_for_the_same(street: warpath.Graphs) -> None:
    strict = wtm.SR(warpath.Scorer(street, threshold=0.5))
    loose = wtm.SR(warpath.Scorer(street, threshold=1.5))
    collection = torchmetrics.MetricCollection({"strict": strict, "loose": loose})
    collection.update([list("abcd")], [list("abcd")], "street")  # both succeed: equal sums
    collection.update([list("abcd")], [list("abc")], "street")  # 1 m off
    assert {k: float(v) for k, v in collection.compute().items()} == {"strict": 0.5, "loose": 1.0}


# Items without a prediction, with an empty one, and with one that cannot be reached.
def islands() -> warpath.Graphs:
    graph = warpath.Graph(
        ["a", "b", "c", "x"], [[0, 1], [1, 2]], [[0, 0, 0], [2, 0, 0], [4, 0, 0], [9, 9, 0]]
    )
    return warpath.Graphs({"islands": graph})


trajectories: list[Any] = [["a", "b", "c"], ["a"], None, [], ["a", "x"], ["a", "b"]]


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("invalid", ["zero", "skip"])
def test_missing_and_invalid_items_count_as_in_evaluate(missing: str, invalid: str) -> None:
    settings = {"missing": missing, "invalid": invalid}
    dataset = [
        {"path_id": k, "scan": "islands", "path": ["a", "b", "c"], "heading": 0.0,
         "distance": 4.0, "instructions": ["go"]}
        for k in range(len(trajectories))
    ]  # fmt: skip
    predictions = {f"{k}_0": path for k, path in enumerate(trajectories) if path is not None}
    result = warpath.evaluate(predictions, dataset, islands(), backend="cpu", **settings)
    metric = wtm.NavigationMetrics(warpath.Scorer(islands(), backend="cpu", **settings))
    references = [["a", "b", "c"]] * len(trajectories)
    metric.update(references[:3], trajectories[:3], "islands")
    metric.update(references[3:], trajectories[3:], "islands")
    assert {k: float(v) for k, v in metric.compute().items()} == {
        name: estimate.mean for name, estimate in result.summary.items()
    }
    statistics = metric.statistics()
    assert statistics.items == result.summary.count == 6
    statuses = statistics.statuses()
    assert (statuses["missing"], statuses["empty_path"], statuses["unreachable"]) == (1, 1, 1)
    assert statistics.of("SR").n == result.summary["SR"].n
    failures = (missing == "zero") + 2 * (invalid == "zero")
    assert statistics.histogram("nDTW")[1][0] == failures
    assert (statistics.of("nDTW").minimum == 0.0) == (failures > 0)


def test_refused_items_are_named_on_compute() -> None:
    scorer = warpath.Scorer(islands())
    metric = wtm.NavigationMetrics(scorer)
    metric.update([["a", "b"]] * 2, [["a"], None], "islands")
    with pytest.raises(warpath.InputError, match="1 of 2 pairs have no prediction; .*missing="):
        metric.compute()
    metric.reset()
    metric.update([["a", "b"]] * 3, [["a"], [], ["x"]], "islands")
    with pytest.raises(warpath.InputError, match=r"2 of 3 .*1 empty_path, 1 unreachable.*invalid="):
        metric.compute()


def test_presets_have_their_further_names_here_too() -> None:
    scorer = warpath.Scorer(islands(), metrics="SR", preset="HAMT", invalid="skip")
    metric = wtm.SR(scorer)
    metric.update([["a", "b"]] * 2, [["a", "b"], None], "islands")
    assert float(metric.compute()) == 1.0  # duet leaves missing items out


def test_task_success() -> None:
    references, queries = [["a", "b"]] * 4, [["a", "b"], ["a", "b"], ["x"], None]
    success = np.array([1.0, np.nan, np.nan, np.nan])
    for missing, sdtw in [("zero", 1 / 3), ("skip", 1.0)]:
        scorer = warpath.Scorer(islands(), metrics="SDTW,SR", missing=missing, invalid="skip")
        metric = wtm.NavigationMetrics(scorer)
        metric.update(references, queries, "islands", task_success=torch.tensor(success))
        found = metric.compute()
        assert float(found["SDTW"]) == sdtw
        assert float(found["SR"]) == (2 / 3 if missing == "zero" else 1.0)
    refusing = wtm.SDTW(warpath.Scorer(islands(), metrics="SDTW", invalid="skip"))
    refusing.update(references[:2], queries[:2], "islands", task_success=success[:2])
    with pytest.raises(warpath.InputError, match="1 of 2 pairs have no task success"):
        refusing.compute()


def test_precisions_are_not_mixed(work: Any) -> None:
    scorer, pairs = work
    single = updated(wtm.SR(scorer), part(pairs, 0, 5))
    double = updated(wtm.SR(warpath.Scorer(scorer.graphs, backend="reference")), part(pairs, 5, 9))
    single._reduce_states(double.metric_state)  # as a process of another back end does
    with pytest.raises(warpath.InputError, match="single, some in double"):
        single.compute()


def test_plots_are_those_of_torchmetrics(work: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="there is no matplotlib")
    matplotlib.use("svg")
    scorer, pairs = work
    one = updated(wtm.nDTW(scorer), pairs)
    _, axes = one.plot()
    assert axes.lines[0].get_ydata()[0] == float(one.compute())
    _, axes = one.plot([one.compute(), one.compute()])
    assert len(axes.lines[0].get_ydata()) == 2
    _, axes = updated(wtm.NavigationMetrics(scorer), pairs).plot()
    named = {text.get_text() for text in axes.get_legend().get_texts()}
    assert {"SPL", "nDTW"} <= named


def test_limbs_hold_every_sum_of_128_bits() -> None:
    draw = np.random.default_rng(3)
    for _ in range(200):
        values = [
            int.from_bytes(draw.bytes(16), "little", signed=True) >> int(draw.integers(128))
            for _ in range(5)
        ]
        limbs = torch.tensor([wtm._split(value) for value in values]).sum(0)
        assert wtm._joined(limbs.tolist()) == sum(values)
    assert max(map(abs, wtm._split(-(2**127)) + wtm._split(2**127 - 1))) < 2**16


# Two processes.

shards = [(0, 211), (0, 0), (0, 300)]
"""The pairs that the first process has; the second has the rest."""


def _work(rank: int, port: int, folder: str) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2
    )
    warnings.simplefilter("ignore")  # compute before update: a process may have no pairs
    torch.set_num_threads(1)
    maze, pairs = make_pairs()
    scorer = warpath.Scorer(maze.graphs, backend="cpu", threads=1)
    found = []
    for begin, end in shards:
        metric = wtm.NavigationMetrics(scorer)
        own = part(pairs, begin, end) if rank == 0 else part(pairs, end, 300)
        for k in range(0, len(own[0]), 100):
            metric(*part(own, k, k + 100))
        found.append(bits(metric.compute()))
        with metric.sync_context():
            assert metric.statistics() == scorer.statistics(*pairs)
        assert metric.statistics().items == len(own[0])
    metric = wtm.SR(scorer)
    metric.update([["scan0_0"]], [None if rank else ["scan0_0"]], "scan0")
    with pytest.raises(warpath.InputError, match="1 of 2 pairs have no prediction"):
        metric.compute()
    pathlib.Path(folder, f"{rank}.pickle").write_bytes(pickle.dumps(found))
    torch.distributed.barrier()  # gloo may wait forever for a peer that has gone
    torch.distributed.destroy_process_group()


def test_two_processes_give_the_bits_of_one(work: Any, tmp_path: pathlib.Path) -> None:
    scorer, pairs = work
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(_work, args=(port, str(tmp_path)), nprocs=2)
    for rank in range(2):
        found = pickle.loads((tmp_path / f"{rank}.pickle").read_bytes())
        assert found == [expected(scorer, pairs)] * len(shards)

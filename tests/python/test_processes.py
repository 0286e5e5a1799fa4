"""Threads, processes, signals and progress."""

from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, csr, padded


@pytest.fixture(scope="module")
def work() -> tuple[warpath.Scorer, Any]:
    maze = Maze(seed=11)
    references, queries, scans = maze.pairs(400)
    scorer = warpath.Scorer(maze.graphs, backend="cpu", metrics="nDTW,SPL,CLS")
    numbers = np.array([scorer.scans.index(scan) for scan in scans])
    return scorer, (padded(references), padded(queries), numbers)


def many(batch: Any, times: int) -> Any:
    return tuple(np.tile(array, (times,) + (1,) * (array.ndim - 1)) for array in batch)


def test_threads_may_share_a_scorer(work: Any) -> None:
    scorer, batch = work
    expected = scorer.score(*batch)["nDTW"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for scores in pool.map(lambda _: scorer.score(*batch), range(64)):
            np.testing.assert_array_equal(scores["nDTW"], expected)


def test_threads_may_name_new_scans_at_once() -> None:
    maze = Maze(seed=12, scans=8)
    references, queries, scans = maze.pairs(200)
    expected = warpath.Scorer(maze.graphs).score(references, queries, scans)["nDTW"]
    scorer = warpath.Scorer(maze.graphs, scans=[])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = pool.map(
            lambda k: scorer.score(references[k : k + 1], queries[k : k + 1], scans[k]), range(200)
        )
        np.testing.assert_array_equal([s["nDTW"][0] for s in found], expected)


def test_the_gil_is_released() -> None:
    edges = [[k, k + 1] for k in range(299)]
    graph = warpath.Graph([str(k) for k in range(300)], edges, weights=np.ones(299))
    scorer = warpath.Scorer({"line": graph}, backend="cpu", threads=1)
    paths = np.tile(np.arange(200, dtype=np.int16), (30_000, 1))
    scorer.score(paths[:8], paths[:8], "line")
    ticks: list[float] = []
    is_done = threading.Event()

    def tick() -> None:
        while not is_done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    scorer.score(paths, paths, "line")
    seconds = time.monotonic() - began
    is_done.set()
    thread.join()
    during = [t for t in ticks if began < t < began + seconds]
    assert len(during) > 3, f"{len(during)} ticks in {seconds} s"


@pytest.mark.parametrize("clone", [copy.copy, lambda o: pickle.loads(pickle.dumps(o))])
def test_scorers_can_be_copied(work: Any, clone: Any) -> None:
    scorer, batch = work
    other = clone(scorer)
    assert other.metrics == scorer.metrics and other.scans == scorer.scans
    np.testing.assert_array_equal(other.score(*batch)["CLS"], scorer.score(*batch)["CLS"])


def test_statistics_can_be_pickled(work: Any) -> None:
    scorer, batch = work
    statistics = scorer.statistics(*batch)
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    assert pickle.loads(pickle.dumps(statistics)).histogram("nDTW") == statistics.histogram("nDTW")


def first_column(work: Any) -> list[float]:
    scorer, batch = work
    return [float(value) for value in scorer.score(*batch)["nDTW"]]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_score_the_same(work: Any, method: str) -> None:
    expected = first_column(work)  # the parent has used its threads before it forks
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for column in pool.map(first_column, [work] * 4, timeout=120):
            assert column == expected


def test_a_fork_may_use_the_parents_scorer(work: Any) -> None:
    scorer, batch = work
    expected = scorer.score(*batch)["nDTW"]
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(scorer.score(*batch)["nDTW"], expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_progress_is_reported_by_the_calling_thread(work: Any) -> None:
    scorer, batch = work
    seen: list[int] = []

    def report(done: int) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append(done)

    large = many(batch, 3000)
    scorer.score(*large, progress=report)
    assert seen == sorted(seen) and seen[-1] == len(large[2])
    seen.clear()
    scorer.statistics(*large, progress=report)
    assert seen == sorted(seen) and seen[-1] == len(large[2])


def test_an_error_of_progress_ends_the_call(work: Any) -> None:
    scorer, batch = work

    class Stop(Exception):
        pass

    def report(done: int) -> None:
        raise Stop(done)

    with pytest.raises(Stop):
        scorer.score(*many(batch, 3000), progress=report)
    assert np.isfinite(scorer.score(*batch)["nDTW"]).all()  # the scorer is as good as before


def test_a_bar_counts_to_the_end(work: Any, capsys: Any) -> None:
    pytest.importorskip("tqdm")
    scorer, batch = work
    scorer.score(*batch, progress=True)
    assert "400/400" in capsys.readouterr().err


def test_ctrl_c_ends_a_call() -> None:
    program = textwrap.dedent(
        """
        import signal
        import numpy as np
        import warpath
        # Who starts tests in the background may ignore the signal, and children inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        edges = [[k, k + 1] for k in range(299)]
        graph = warpath.Graph([str(k) for k in range(300)], edges, weights=np.ones(299))
        scorer = warpath.Scorer({"line": graph}, backend="cpu")
        paths = np.tile(np.arange(200, dtype=np.int16), (60_000, 1))
        scorer.score(paths[:8], paths[:8], "line")
        print("scoring", flush=True)
        try:
            while True:
                scorer.score(paths, paths, "line")
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "scoring\n"
    time.sleep(0.3)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    assert time.monotonic() - began < 5
    assert child.wait() == 0


@pytest.mark.parametrize("of_points", [False, True])
def test_ctrl_c_ends_rewards(of_points: bool) -> None:
    edges = [[k, k + 1] for k in range(299)]
    graph = warpath.Graph([str(k) for k in range(300)], edges, weights=np.ones(299))
    count, length = 50_000, 200
    numbers = np.tile(np.arange(length, dtype=np.int16), (count, 1))
    out = np.zeros((count, length), np.float32)
    which = np.zeros(count, np.int16)
    if of_points:
        points = np.broadcast_to(np.arange(length, dtype=np.float32)[:, None], (length, 3))
        paths = np.tile(points, (count // 2, 1, 1))
        out, which = out[: len(paths)], which[: len(paths)]
        lengths = np.full(len(paths), length)
        rewards = warpath.Rewards(threads=1)
        call = lambda: rewards.compute_points(  # noqa: E731
            paths, paths[:1], lengths, lengths[:1], reference=which, out=out
        )
    else:
        rewards = warpath.Rewards({"line": graph}, [list(range(200))], "line", threads=1)
        call = lambda: rewards.compute(numbers, reference=which, out=out)  # noqa: E731

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    written = out.any(axis=1)
    assert not written.all(), "the call went on to its end"


def test_import_is_fast_and_needs_no_numpy() -> None:
    program = "import sys, warpath; print('numpy' in sys.modules, 'pandas' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert answer.split() == ["False", "False"]


def test_objects_are_freed(work: Any) -> None:
    """What a call makes is freed, also where it fails: memory does not grow."""
    resource = pytest.importorskip("resource")
    scorer, batch = work

    def once() -> None:
        scorer.score(*batch)
        scorer.statistics(*batch)
        scorer.score(csr(batch[0].clip(0).tolist()), batch[1], batch[2])
        warpath.Scorer(scorer.graphs, scans=scorer.scans[:1])
        with pytest.raises(warpath.InputError):
            scorer.score(batch[0], batch[1] + 1000, batch[2])

    def peak() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    for _ in range(20):
        once()
    before = peak()
    for _ in range(100):
        once()
    assert peak() - before < 20_000  # kB; a batch of scores is 100 kB, a scorer more

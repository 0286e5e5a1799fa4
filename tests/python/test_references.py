"""References that change with each batch: set_references, tables that Graphs keeps, encode."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest
import warpath
from conftest import Maze, padded


def batch(maze: Maze, count: int = 12) -> tuple[list[list[str]], list[str], np.ndarray]:
    """Returns references as ids, their scans, and a rollout for each in rows."""
    references, _, scans = maze.pairs(count)
    walks = [maze.walk(scan, int(maze.draw.integers(1, 9))) for scan in scans]
    return maze.ids(references, scans), scans, padded(walks)


conventions: list[dict[str, Any]] = [
    {},
    {"preset": "hamt"},
    {"preset": "babywalk-mix", "convention": {"threshold": 1.5}},
    {"convention": {"distance": "hops"}, "goal_distance": "hops", "success_radius": 1},
]


@pytest.mark.parametrize("settings", conventions)
def test_new_references_give_the_bits_of_a_new_object(
    maze: Maze, settings: dict[str, Any]
) -> None:
    references, scans, _ = batch(maze, 3)
    rewards = warpath.Rewards(maze.graphs, references, scans, **settings)
    for goals in (None, 1, 3):
        references, scans, rows = batch(maze)
        sets = goals and [maze.walk(scan, goals) for scan in scans]
        rewards.set_references(references, scans, goals=sets)
        assert rewards.references == 12
        made = rewards.compute(rows, values=["ndtw", "cls", "distance_to_goal"])
        apart = warpath.Rewards(
            warpath.Graphs(maze.graph), references, scans, goals=sets, **settings
        )
        for got, want in zip(made, apart.compute(rows, values=["ndtw", "cls", "distance_to_goal"])):
            np.testing.assert_array_equal(got, want)
        copy = pickle.loads(pickle.dumps(rewards))
        np.testing.assert_array_equal(copy.compute(rows).reward, made.reward)


def test_objects_of_all_conventions_share_graphs(maze: Maze) -> None:
    references, scans, rows = batch(maze)
    for _ in range(2):
        for settings in conventions:
            got = warpath.Rewards(maze.graphs, references, scans, **settings).compute(rows)
            alone = warpath.Rewards(warpath.Graphs(maze.graph), references, scans, **settings)
            np.testing.assert_array_equal(got.reward, alone.compute(rows).reward)
        for threshold in (3.0, 1.5):
            shared = warpath.Scorer(maze.graphs, threshold=threshold, backend="cpu")
            alone_ = warpath.Scorer(
                warpath.Graphs(maze.graph), threshold=threshold, backend="cpu"
            )
            for name, want in alone_.score(references, rows, scans).items():
                np.testing.assert_array_equal(shared.score(references, rows, scans)[name], want)


def test_more_goal_sets_than_are_kept(maze: Maze) -> None:
    names, draw = maze.names[:1], maze.draw
    rewards = warpath.Rewards(maze.graphs, [[0]], names)
    for _ in range(5):  # 300 sets, and 64 + 4 * 30 are kept
        paths = [maze.walk(names[0], 3) for _ in range(60)]
        goals = [draw.integers(30, size=3).tolist() for _ in range(60)]
        rewards.set_references(paths, names[0], goals=goals)
        anew = warpath.Rewards(warpath.Graphs(maze.graph), paths, names[0], goals=goals)
        for got, want in zip(
            rewards.compute(paths, values=["distance_to_goal"]),
            anew.compute(paths, values=["distance_to_goal"]),
        ):
            np.testing.assert_array_equal(got, want)


def test_what_cannot_be_used_changes_nothing(maze: Maze) -> None:
    references, scans, rows = batch(maze)
    rewards = warpath.Rewards(maze.graphs, references, scans)
    want = rewards.compute(rows).reward
    for wrong, message in (
        ((references, scans[:-1]), "11 elements for 12 references"),
        (([*references[:-1], ["nowhere"]], scans), "pair 11.*nowhere"),
        (([*references[:-1], []], scans), "reference 11: is empty"),
        ((references, [*scans[:-1], "nowhere"]), "nowhere"),
    ):
        with pytest.raises(warpath.InputError, match=message):
            rewards.set_references(*wrong)
        np.testing.assert_array_equal(rewards.compute(rows).reward, want)
    with pytest.raises(warpath.InputError, match="goals"):
        rewards.set_references(references, scans, goals=[[0]])
    with pytest.raises(warpath.UsageError, match="references need graphs"):
        warpath.Rewards().set_references(references, scans)


def test_trackers_take_new_references_when_they_are_reset(maze: Maze) -> None:
    references, scans, rows = batch(maze)
    rewards = warpath.Rewards(maze.graphs, references, scans)
    tracker = warpath.RewardTracker(rewards, 12)
    tracker.reset(np.arange(12))
    references, scans, rows = batch(maze)
    rewards.set_references(references, scans)
    with pytest.raises(warpath.InputError, match="episode 0.*was not reset"):
        tracker.step(rows[:, 1])
    tracker.reset(np.arange(12), rows[:, 0])
    lengths = (rows >= 0).sum(1)
    want = rewards.compute(rows).reward
    for t in range(1, rows.shape[1]):
        reward = tracker.step(rows[:, t], t < lengths)
        np.testing.assert_array_equal(reward[t < lengths], want[t < lengths, t - 1])


def test_calls_of_other_threads_end_with_the_references_that_they_began_with(maze: Maze) -> None:
    one, other = batch(maze), batch(maze)
    rewards = warpath.Rewards(maze.graphs, *one[:2], threads=1)
    walks = [maze.walk(scan, 0) * 4 for scan in one[1]]
    rows = np.zeros_like(padded(walks))  # viewpoint 0, which every scan has
    wanted = []
    for references, scans, _ in (one, other):
        rewards.set_references(references, scans)
        wanted.append(rewards.compute(rows).reward.tobytes())
    results: list[bytes] = []

    def compute() -> None:
        for _ in range(200):
            results.append(rewards.compute(rows).reward.tobytes())

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for references, scans, _ in (one, other):
            rewards.set_references(references, scans)
    assert len(results) == 400 and set(results) <= set(wanted)


def run(program: str) -> None:
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


made_scan = """
    import time, numpy as np, warpath
    draw = np.random.default_rng(1)
    def graph(size):
        edges = [(k, int(draw.integers(k))) for k in range(1, size)]
        return warpath.Graph([str(k) for k in range(size)], edges, draw.uniform(0, 9, (size, 3)))
"""


def test_one_thread_is_one() -> None:
    run(
        made_scan
        + """
    ratios = []
    for _ in range(4):  # threads of earlier calls may still be on their way to sleep
        graphs = warpath.Graphs({str(k): graph(800) for k in range(6)})
        scans = graphs.scans
        before = time.process_time(), time.thread_time()
        warpath.Rewards(graphs, [[0, 1]] * 6, scans, threads=1)
        process, thread = time.process_time() - before[0], time.thread_time() - before[1]
        ratios.append(process / thread)
    assert min(ratios) < 1.2, ratios
    """
    )


def test_tables_are_made_once_and_freed_with_the_graphs() -> None:
    run(
        made_scan
        + """
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 2**20
    wide = graph(2000)  # 15 MiB
    for _ in range(3):
        graphs = warpath.Graphs({"s": wide})
        times = []
        for k in range(4):
            begin = time.process_time()
            rewards = warpath.Rewards(graphs, [[k, k + 1]], "s", threads=1)
            rewards.set_references([[k + 5, k]], "s")
            times.append(time.process_time() - begin)
        assert max(times[1:]) < times[0] / 5, times
        del rewards, graphs
        memory = resident()
        first = memory if _ == 0 else first
    assert memory < first + 8, (memory, first)
    """
    )


# ---------------------------------------------------------------- ids and numbers


def test_ids_become_padded_numbers(maze: Maze) -> None:
    references, queries, scans = maze.pairs(9)
    nodes, lengths = maze.graphs.encode(maze.ids(queries, scans), scans)
    assert nodes.dtype == lengths.dtype == np.int32
    np.testing.assert_array_equal(nodes, padded(queries))
    np.testing.assert_array_equal(lengths, [len(path) for path in queries])
    rewards = warpath.Rewards(maze.graphs, references, scans)
    np.testing.assert_array_equal(
        rewards.compute(nodes).reward, rewards.compute(nodes, lengths).reward
    )
    again, _ = maze.graphs.encode(queries, scans)  # numbers stay
    np.testing.assert_array_equal(again, nodes)
    one, _ = maze.graphs.encode(maze.ids(queries[:1], scans[:1]) * 3, scans[0])
    np.testing.assert_array_equal(one, padded(queries[:1] * 3))
    empty, none = maze.graphs.encode([], "scan0")
    assert empty.shape == (0, 0) and none.shape == (0,)
    with_empty, counts = maze.graphs.encode([[], ["scan0_1"]], "scan0")
    assert with_empty.tolist() == [[-1], [1]] and counts.tolist() == [0, 1]


def test_wrong_paths_are_named(street: warpath.Graphs) -> None:
    for paths, scans, message in (
        ([["a"], ["b", "x"]], "street", "paths: path 1: viewpoint 1: is 'x', which scan street"),
        ([["a"], [5]], "street", "paths: path 1: viewpoint 0: is 5 in scan street of 5"),
        ([["a"], "ab"], "street", "paths: path 1: is 'ab'"),
        ([["a"]], ["street", "street"], "scans: has 2 elements for 1 paths"),
        ([["a"]], "avenue", "avenue"),
        ([[[0.0, 1.0, 2.0]]], "street", "paths: are points"),
    ):
        with pytest.raises(warpath.InputError, match=re.escape(message)):
            street.encode(paths, scans)


def test_moves_that_are_no_edges_are_refused_where_asked(street: warpath.Graphs) -> None:
    paths = [list("abbce"), list("abd")]  # to stay is no move
    assert street.encode(paths, "street")[1].tolist() == [5, 3]
    street.encode(paths[:1], "street", check_edges=True)
    message = "paths: path 1: viewpoint 2: is d, and no edge of scan street joins it to b"
    with pytest.raises(warpath.InputError, match=re.escape(message)):
        street.encode(paths, "street", check_edges=True)


# ---------------------------------------------------------------- tensors


def test_tensors_take_new_references(maze: Maze) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    import warpath.torch as wt

    references, scans, _ = batch(maze, 3)
    rewards = wt.Rewards(maze.graphs, references, scans, preset="hamt")
    scorer = wt.Scorer(maze.graphs, references, scans, metrics="nDTW,SR")
    tracker = wt.RewardTracker(rewards, 12)
    for _ in range(2):
        references, scans, rows = batch(maze)
        rewards.set_references(references, scans, goals=[path[:1] for path in references])
        scorer.set_references(references, scans)
        assert rewards.references == scorer.references == 12
        nodes = torch.from_numpy(rows)
        alone = warpath.Graphs(maze.graph)
        goals = [path[:1] for path in references]
        anew = wt.Rewards(alone, references, scans, goals=goals, preset="hamt")
        want = wt.Scorer(alone, references, scans, metrics="nDTW,SR").score(nodes)
        for made in (rewards, pickle.loads(pickle.dumps(rewards))):
            assert torch.equal(made.compute(nodes).reward, anew.compute(nodes).reward)
        for of in (scorer, pickle.loads(pickle.dumps(scorer))):
            assert all(torch.equal(of.score(nodes)[name], want[name]) for name in want)
        with pytest.raises(warpath.InputError, match="was not reset"):
            tracker.finish()
        tracker.reset(torch.arange(12))
    with pytest.raises(warpath.UsageError, match="references need graphs"):
        wt.Scorer(metrics="nDTW").set_references(references, scans)
    with pytest.raises(warpath.InputError, match="Graphs.encode"):
        rewards.compute([["a"]])
    with pytest.raises(warpath.InputError, match="pair 0"):
        scorer.set_references([["nowhere"]], scans[0])
    assert scorer.references == 12

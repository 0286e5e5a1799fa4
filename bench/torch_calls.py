#!/usr/bin/env python3
"""Times calls of warpath.torch on small batches, where the call costs more than its work.

  bench/torch_calls.py [--calls N] [--rounds N] [--backend NAME]     needs torch
                       [--device NAME] [--batch N] [--length N]

A batch is 8 rollouts, pairs or episodes of up to 12 viewpoints in tensors of --device (cpu), and
one thread works. On a GPU the calls of a mean follow each other without waiting, and the time ends
when the last one's kernels have. "direct" is the call as users write it, "operator" the same call
by the operator of torch that compiled code takes, "compiled" a function of nothing but the call by
torch.compile, with the checks that torch makes before compiled code runs, and "graph" the launch of
a CUDA graph that has captured the call. Operators exist from torch 2.4 on; --backend
is torch.compile's, and inductor, the default, needs a C++ compiler. Times are microseconds of the
wall clock, medians over --rounds of means over --calls; the columns take turns. The first results
and the states of trackers are compared: exit code 1 where a bit differs from that of "direct"."""

import argparse
import contextlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import torch
import warpath
import warpath.torch as wt
from warpath.torch import ops

SIZE = 100
FIVE = "SR,SPL,NE,nDTW,CLS"


class Row(NamedTuple):
    """Holds a call that is timed; its tensors are arguments, so that torch.compile sees them."""

    name: str
    call: Callable[..., Any]
    tensors: tuple[torch.Tensor, ...]
    tracker: wt.RewardTracker | None = None


def make_graphs(draw):
    """Makes a scan whose edges form a tree, and some more."""
    edges = {(k, int(draw.integers(k))) for k in range(1, SIZE)}
    edges |= {(k, k - 2) for k in range(2, SIZE, 3)}
    positions = draw.uniform(0, 30, (SIZE, 3))
    return warpath.Graphs(
        {"scan": warpath.Graph([f"v{k}" for k in range(SIZE)], sorted(edges), positions)}
    )


def make_rows(draw, options):
    """Makes every row of the table."""
    count, length, device = options.batch, options.length, options.device

    def tensor(array):
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    paths = [draw.integers(SIZE, size=6).tolist() for _ in range(count)]
    given = {"graphs": make_graphs(draw), "references": paths, "scans": "scan", "threads": 1}
    batch = (
        tensor(draw.integers(SIZE, size=(count, length))),
        tensor(draw.integers(4, length + 1, size=count)),
        torch.arange(count, device=device),
    )
    points = [tensor(draw.normal(size=(count, n, 3)).astype(np.float32)) for n in (length, 6)]
    rewards = wt.Rewards(**given)
    yield Row("Rewards.compute", lambda q, n, r: rewards.compute(q, n, reference=r), batch)
    ends = (*points, batch[1], torch.full((count,), 6, device=device))
    yield Row("Rewards.compute_points", rewards.compute_points, ends)
    for metrics in ("SR", FIVE, None):
        scorer = wt.Scorer(**given, metrics=metrics)
        number = f"metrics: {len(scorer.metrics)}"
        yield Row(f"Scorer.score, {number}", score_by(scorer), batch)
        yield Row(f"Scorer.score_points, {number}", scorer.score_points, ends)
    yield from tracker_rows(wt.RewardTracker(rewards, count, device=device), batch)
    reward = rewards.compute(*batch[:2]).reward
    yield Row("add_up", lambda made, n: wt.add_up(made, n, discount=0.9), (reward, batch[1]))


def score_by(scorer):
    return lambda queries, lengths, index: scorer.score(queries, lengths, reference=index)


def tracker_rows(tracker, batch):
    rows, _, index = batch
    tracker.reset(index, rows[:, 0].contiguous())
    nodes, active = rows[:, 1].contiguous(), index % 3 != 0
    ahead = rows[:, None, 2:6].contiguous()
    calls = {
        "reset": (lambda r, first: tracker.reset(r, first), (index, nodes)),
        "step": (lambda at, moving: tracker.step(at, moving), (nodes, active)),
        "finish": (lambda stopped: tracker.finish(stopped), (active,)),
        "score_extensions": (lambda paths: tracker.score_extensions(paths), (ahead,)),
        "values": (lambda: tracker.values("distance_to_goal", "ndtw"), ()),
        "fork": (lambda source, target: tracker.fork(source, target), (index[:2], index[2:4])),
    }
    for name, (call, tensors) in calls.items():
        yield Row(f"RewardTracker.{name}", call, tensors, tracker)


# ---------------------------------------------------------------- the three forms of a call


def as_operator():
    """Makes calls take their operators, as if torch compiled them."""
    return mock.patch.object(ops, "are_wanted", lambda: True)


def captured(row):
    """Returns a function that launches a CUDA graph with the call, which was made before."""
    row.call(*row.tensors)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = row.call(*row.tensors)

    def launch(*_):
        graph.replay()
        return made

    return launch


def forms_of(row, options):
    """Returns for each column the function to be called, and the context to do so in."""
    forms = {"direct": (row.call, contextlib.nullcontext)}
    if hasattr(torch.library, "custom_op"):
        torch._dynamo.reset()  # an earlier row may have the same code
        compiled = torch.compile(row.call, backend=options.backend, fullgraph=True)
        forms["operator"] = (row.call, as_operator)
        forms["compiled"] = (compiled, contextlib.nullcontext)
    if options.device != "cpu":
        forms["graph"] = (captured(row), contextlib.nullcontext)
    return forms


def results_of(function, row):
    """Returns the bytes of all results, and of the tracker's state behind the call."""
    made = function(*row.tensors)
    if isinstance(made, dict):
        made = tuple(made.values())
    results = [made] if isinstance(made, torch.Tensor) else [m for m in made or () if m is not None]
    if row.tracker is not None:
        results.append(row.tracker.state())
    return [result.cpu().numpy().tobytes() for result in results]


def compare(row, forms):
    """Calls every form from the same state. Ends the program where bits differ."""
    state = row.tracker and row.tracker.state()
    found = {}
    for column, (function, context) in forms.items():
        if row.tracker is not None:
            row.tracker.restore(state)
        with context():
            found[column] = results_of(function, row)
        if not found[column]:
            sys.exit(f"torch_calls: {row.name}, {column}: there are no results to compare")
        if found[column] != found["direct"]:
            sys.exit(f"torch_calls: {row.name}: numbers differ between direct and {column}")


def wait_for(device):
    if device != "cpu":
        torch.cuda.synchronize(device)


def microseconds(function, tensors, calls, device):
    wait_for(device)
    begin = time.perf_counter()
    for _ in range(calls):
        function(*tensors)
    wait_for(device)
    return (time.perf_counter() - begin) / calls * 1e6


def time_all(row, forms, options):
    """Returns the median time of each form."""
    taken = {column: [] for column in forms}
    for _ in range(options.rounds):
        for column, (function, context) in forms.items():
            with context():
                function(*row.tensors)  # warms up
                taken[column].append(
                    microseconds(function, row.tensors, options.calls, options.device)
                )
    return [statistics.median(times) for times in taken.values()]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=12)
    options = parser.parse_args()
    torch.set_num_threads(1)
    where = "the CPU" if options.device == "cpu" else torch.cuda.get_device_name(options.device)
    print(f"torch {torch.__version__} on {where}, batches of {options.batch}, µs a call")
    for k, row in enumerate(make_rows(np.random.default_rng(1), options)):
        forms = forms_of(row, options)
        if k == 0:
            print(f"{'':38}" + "".join(f"{column:>10}" for column in forms))
        compare(row, forms)
        print(f"{row.name:38}" + "".join(f"{t:10.1f}" for t in time_all(row, forms, options)))
    if len(forms) == 1:
        print("operator, compiled: left out, they need torch.library.custom_op (torch 2.4)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Calls every function of the package with arguments that nobody should give: arrays of every type
and layout, and objects whose methods lie, fail, or change what is read.

    PYTHONPATH=build/python python tests/python/fuzz_calls.py --calls 1000000 [--seed 1]

Each call is made from the seed and its number alone. Calls run in processes of their own, and one
that ends its process is printed with the command that repeats it; the exit code is then 1. So it is
after an error that names no argument, or that only a mistake of the package can raise."""

from __future__ import annotations

import argparse
import collections
import faulthandler
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import warpath
import warpath.compat
from hostile_values import Values, graph, made_key, torch

try:
    if torch is None:
        raise ImportError
    import warpath.torch as wt
except ImportError:
    wt = None  # type: ignore[assignment]
try:
    if torch is None:
        raise ImportError
    import warpath.torchmetrics as wm
except ImportError:
    wm = None  # type: ignore[assignment]

# Arguments of the wrong type raise what they please, and empty paths what the original raises.
drop_ins = ("cal_dtw", "warping")

# Objects here raise what they like, so that any exception may come back; these mean that the
# package was at its end, and nothing else may raise them.
unexpected = (SystemError, AssertionError, UnboundLocalError, NameError)

graphs = warpath.Graphs({"s": graph, "t": warpath.Graph(["a"], [])})
scorer = warpath.Scorer(graphs, backend="cpu", metrics="SR,nDTW,CLS,SDTW,NE", threads=1)
exact = warpath.Scorer(graphs, backend="reference", threads=1)
rewards = warpath.Rewards(graphs, [[0, 1, 2], [5, 4]], "s", threads=1)
point_rewards = warpath.Rewards(threads=1)
statistics = scorer.statistics([[0, 1]], [[0, 2]], "s")
items = [{"path_id": 1, "scan": "s", "heading": 0, "instructions": ["x"], "path": ["v0", "v1"]}]
predictions = [{"instr_id": "1_0", "trajectory": [["v0", 0, 0], ["v1", 0, 0]]}]
evaluation = warpath.evaluate(predictions, items, graphs)
distances = {a: {b: float(abs(i - j)) for j, b in enumerate("abc")} for i, a in enumerate("abc")}


def reward_options(v: Values) -> dict[str, Any]:
    return {
        "reference": v.optional(),
        "active": v.optional(),
        "stopped": v.optional(),
        "distance_to_goal": v.optional(),
        "prefix": v.optional(),
        "spl_length": v.optional(),
        "values": v.draw.choice([(), ["ndtw"], "CLS", v.scalar()]),
        "out": v.optional(),
    }


def tracked(v: Values) -> warpath.RewardTracker:
    if v.draw.random() < 0.3:
        return warpath.RewardTracker(point_rewards, 2, max_reference_length=4)
    made = warpath.RewardTracker(rewards, 2, metrics=["CLS"])
    if v.draw.random() < 0.7:
        made.reset([0, 1])
    return made


def some_state(v: Values) -> Any:
    """Returns a state of statistics with something else in it."""
    state: Any = statistics.__getstate__()

    def spoil(part: Any) -> Any:
        if not isinstance(part, (tuple, list)) or not part or v.draw.random() < 0.2:
            return v.draw.choice([v.scalar(), part[:-1] if isinstance(part, (tuple, list)) else 1])
        changed = list(part)
        k = v.draw.randrange(len(changed))
        changed[k] = spoil(changed[k])
        return type(part)(changed)

    return spoil(state)


def restore_statistics(v: Values) -> Any:
    made = warpath.BatchStatistics.__new__(warpath.BatchStatistics)
    made.__setstate__(some_state(v))
    made.merge(statistics)
    return made.of("nDTW").mean


def restore_tracker(v: Values) -> Any:
    tracker = tracked(v)
    state = bytearray(tracker.state())
    for _ in range(v.draw.randrange(4)):
        state[v.draw.randrange(len(state))] = v.draw.randrange(256)
    tracker.restore(v.maybe(bytes(state)))
    return tracker.step([1, 1])


calls: dict[str, Callable[[Values], Any]] = {
    "Scorer.score": lambda v: v.draw.choice([scorer, exact]).score(
        v.rows(), v.rows(), v.maybe("s"), task_success=v.optional(), out=v.optional()
    ),
    "Scorer.score points": lambda v: scorer.score(v.points(), v.points(), v.optional()),
    "Scorer.score into": lambda v: scorer.score(
        v.rows(), v.rows(), "s", out={v.maybe("NE"): v.maybe(np.zeros(2)), "SR": v.array()}
    ),
    "Scorer.statistics": lambda v: scorer.statistics(v.rows(), v.rows(), v.maybe("s")),
    "Scorer": lambda v: warpath.Scorer(
        v.maybe(graphs), preset=v.maybe("paper"), metrics=v.maybe("NE"), backend=v.maybe("cpu"),
        threads=v.maybe(1), scans=v.optional(),
        **{v.draw.choice(["threshold", "success", "metric", "\udc80"]): v.scalar()},
    ).score([[0, 1]], [[0, 1]], "s"),
    "Scorer.progress": lambda v: scorer.score([[0, 1]], [[0, 1]], "s", progress=v.hostile()),
    "Scorer.backend": lambda v: scorer.backend(v.scalar()),
    "Scores": lambda v: scorer.score([[0, 1]], [[0, 1]], "s")[v.any()],
    "Summary": lambda v: evaluation.summary[v.any()],
    "Items": lambda v: evaluation.per_item[v.any()],
    "tables": lambda v: v.draw.choice([warpath.metrics, warpath.presets, warpath.statuses])[v.any()],
    "Evaluation": lambda v: v.draw.choice([
        evaluation.explain, evaluation.explain_items, evaluation.by, evaluation.flat,
        evaluation.__getitem__,
    ])(v.any()),
    "Evaluation.to_latex": lambda v: evaluation.to_latex(percent=v.scalar(), digits=v.scalar()),
    "Statistics": lambda v: warpath.Statistics().add(v.any()),
    "Statistics.of_moments": lambda v: warpath.Statistics.of_moments(
        v.maybe("fraction"), v.maybe(1), v.maybe(1), v.maybe(1), v.maybe(0.0), v.maybe(0.0)
    ).mean,
    "BatchStatistics": restore_statistics,
    "BatchStatistics.of": lambda v: v.draw.choice([statistics.of, statistics.histogram])(v.any()),
    "Rewards": lambda v: warpath.Rewards(
        v.maybe(graphs), v.rows(), v.maybe("s"), goals=v.optional(), preset=v.maybe("hamt"),
        convention=v.maybe(""), threads=v.maybe(1), **v.draw.choice([{}, {"tie": v.scalar()}]),
    ).compute([[0, 1], [1, 2]]),
    "Rewards.compute": lambda v: rewards.compute(v.rows(), v.optional(), **reward_options(v)),
    "Rewards.compute_points": lambda v: point_rewards.compute_points(
        v.points(), v.points(), v.optional(), v.optional(), **reward_options(v)
    ),
    "add_up": lambda v: warpath.rewards.add_up(
        v.maybe(np.ones((2, 3), np.float32)), v.two(), discount=v.maybe(0.9), decay=v.maybe(0.9),
        value=v.optional(), bootstrap=v.optional(), active=v.optional(),
    ),
    "group_advantages": lambda v: warpath.group_advantages(
        v.maybe(np.ones(2, np.float32)), group_size=v.maybe(2), groups=v.optional(),
        active=v.optional(), scale=v.maybe("batch"), ddof=v.maybe(1), epsilon=v.maybe(0.1),
    ),
    "sum_by_decision": lambda v: warpath.sum_by_decision(
        v.maybe(np.ones((2, 3), np.float32)), v.maybe(np.ones((2, 3), int)), v.maybe(2)
    ),
    "spread_to_tokens": lambda v: warpath.spread_to_tokens(
        v.maybe(np.ones((2, 3), np.float32)), v.maybe(np.ones((2, 5), int))
    ),
    "RewardTracker": lambda v: warpath.RewardTracker(
        v.maybe(rewards), v.maybe(2), max_reference_length=v.optional(), metrics=v.maybe(["CLS"])
    ) if v.draw.random() < 0.2 else None,
    "reset": lambda v: tracked(v).reset(
        v.draw.choice([v.two(), v.points()]), v.optional(), episodes=v.optional(),
        distance_to_goal=v.optional(), prefix=v.optional(), spl_length=v.optional(),
    ),
    "step": lambda v: tracked(v).step(
        v.draw.choice([v.two(), v.points()]), v.optional(), distance_to_goal=v.optional(),
        out=v.optional(),
    ),
    "finish": lambda v: tracked(v).finish(v.optional(), v.optional(), out=v.optional()),
    "score_extensions": lambda v: tracked(v).score_extensions(
        v.any(), v.optional(), values=v.maybe(["cls"])
    ),
    "values": lambda v: tracked(v).values(v.maybe("CLS")),
    "fork": lambda v: tracked(v).fork(v.two(), v.two()),
    "restore": restore_tracker,
    "Graphs": lambda v: warpath.Graphs(v.maybe({"s": v.any()})).distances("s"),
    "Graph": lambda v: warpath.Graphs({made_key(v.draw): warpath.Graph(
        v.maybe(["a", "b"]), v.maybe([[0, 1]]), v.optional(), v.maybe([1.0]), v.optional()
    )}).distances(v.maybe("s")),
    "Graphs.viewpoints": lambda v: v.draw.choice([
        graphs.viewpoints, graphs.positions, graphs.edges, graphs.distances
    ])(v.any()),
    "evaluate": lambda v: warpath.evaluate(
        v.maybe(predictions), v.maybe(items), v.maybe(graphs),
        **{v.draw.choice([
            "preset", "metrics", "backend", "names", "merge", "also", "by", "interval", "strict",
            "task_success", "ndh_reference", "coordinates", "sub_instructions", "progress", "missing",
            "tours", "split",
            "distances", "ground_truth", "objects", "metric",
        ]): v.any()},
    ),
    "evaluate_pairs": lambda v: warpath.evaluate_pairs(
        v.maybe([{"scan": "s", "reference": ["v0"], "prediction": ["v1"]}]), v.maybe(graphs),
        metrics=v.maybe("NE"), strict=v.maybe(False),
    ),
    "random_baseline": lambda v: warpath.random_baseline(
        v.maybe(items), v.maybe(graphs), v.draw.choice([2, -1, "2", 1.5, None]), seed=v.maybe(1),
        steps=v.draw.choice([None, 2, -1, "x", 2**70]), sample=v.maybe("cycle"),
        shard=v.maybe(""), threads=v.draw.choice([1, "x", None]),
    ),
    "make_r4r": lambda v: warpath.make_r4r(
        v.maybe(items), v.maybe(graphs), threshold_m=v.maybe(3.0), compare=v.maybe("le")
    ),
    "perturb": lambda v: warpath.perturb(
        v.maybe(items), v.maybe(graphs), v.maybe("reversal"), seed=v.maybe(1)
    ),
    "perturb_path": lambda v: warpath.perturb_path(
        v.maybe(graphs), v.maybe("s"), v.maybe([0, 1, 2]), v.maybe("reversal"), seed=v.maybe(1)
    ),
    "cal_dtw": lambda v: warpath.compat.cal_dtw(
        v.maybe(distances), v.maybe(list("abc")), v.maybe(list("ac")), v.optional(), v.maybe(3.0)
    ),
    "warping": lambda v: v.draw.choice([warpath.compat.dtw, warpath.compat.fastdtw])(
        v.maybe([0.0, 1.0]), v.maybe([1.0, 2.0]), dist=v.maybe(lambda a, b: abs(a - b))
    ),
}  # fmt: skip


def torch_calls() -> dict[str, Callable[[Values], Any]]:
    of_tensors = wt.Rewards(graphs, [[0, 1, 2], [5, 4]], "s", threads=1)
    by_tensors = wt.Scorer(graphs, [[0, 1, 2], [5, 4]], "s", metrics="SR,nDTW,SDTW", threads=1)
    of_points, by_points = wt.Rewards(threads=1), wt.Scorer(metrics="nDTW,NE", threads=1)

    def t(v: Values, *shape: int, dtype: Any = torch.int64) -> Any:
        return v.tensor_like(shape, dtype)

    def o(v: Values, *shape: int, dtype: Any = torch.int64) -> Any:
        return None if v.draw.random() < 0.5 else t(v, *shape, dtype=dtype)

    def options(v: Values) -> dict[str, Any]:
        return {
            "reference": o(v, 2), "active": o(v, 2, dtype=torch.bool),
            "stopped": o(v, 2, dtype=torch.bool),
            "distance_to_goal": o(v, 2, 3, dtype=torch.float32),
            "prefix": o(v, 2), "spl_length": o(v, 2, dtype=torch.float32),
            "values": v.draw.choice([(), ["ndtw"], "CLS", v.scalar()]),
            "out": o(v, 2, 3, dtype=torch.float32),
        }  # fmt: skip

    def tracker(v: Values) -> Any:
        if v.draw.random() < 0.3:
            return wt.RewardTracker(of_points, 2, max_reference_length=4)
        made = wt.RewardTracker(of_tensors, 2, metrics="CLS")
        made.reset(torch.tensor([0, 1]))
        return made

    def points(v: Values) -> Any:
        return t(v, 2, 3, 3, dtype=torch.float32)

    return {
        "torch.Rewards": lambda v: wt.Rewards(
            v.maybe(graphs), v.rows(), v.maybe("s"), preset=v.maybe("hamt"), threads=v.maybe(1)
        ),
        "torch.Rewards.compute": lambda v: of_tensors.compute(t(v, 2, 3), o(v, 2), **options(v)),
        "torch.Rewards.compute_points": lambda v: of_points.compute_points(
            points(v), points(v), o(v, 2), o(v, 2), **options(v)
        ),
        "torch.Scorer": lambda v: wt.Scorer(
            v.maybe(graphs), v.rows(), v.maybe("s"), metrics=v.maybe("SR"), threads=v.maybe(1)
        ),
        "torch.Scorer.score": lambda v: by_tensors.score(
            t(v, 2, 3), o(v, 2), reference=o(v, 2), active=o(v, 2, dtype=torch.bool),
            task_success=o(v, 2, dtype=torch.float32), out=o(v, 3, 2, dtype=torch.float32),
        ),
        "torch.Scorer.score_points": lambda v: by_points.score_points(
            points(v), points(v), o(v, 2), o(v, 2), reference=o(v, 2)
        ),
        "torch.add_up": lambda v: wt.add_up(
            t(v, 2, 3, dtype=torch.float32), t(v, 2), discount=v.maybe(0.9),
            value=o(v, 2, 3, dtype=torch.float32), bootstrap=o(v, 2, dtype=torch.float32),
        ),
        "torch.group_advantages": lambda v: wt.group_advantages(
            t(v, 2, dtype=torch.float32), group_size=v.maybe(1), groups=o(v, 2),
            active=o(v, 2, dtype=torch.bool),
        ),
        "torch.sum_by_decision": lambda v: wt.sum_by_decision(
            t(v, 2, 3, dtype=torch.float32), t(v, 2, 3), v.maybe(2)
        ),
        "torch.spread_to_tokens": lambda v: wt.spread_to_tokens(
            t(v, 2, 3, dtype=torch.float32), t(v, 2, 3)
        ),
        "torch.RewardTracker": lambda v: wt.RewardTracker(
            v.maybe(of_tensors), v.maybe(2), max_reference_length=v.optional(),
            device=v.maybe("cpu"),
        ) if v.draw.random() < 0.2 else None,
        "torch.reset": lambda v: tracker(v).reset(t(v, 2), o(v, 2), episodes=o(v, 2)),
        "torch.step": lambda v: tracker(v).step(
            t(v, 2), o(v, 2, dtype=torch.bool), distance_to_goal=o(v, 2, dtype=torch.float32),
            out=o(v, 2, dtype=torch.float32),
        ),
        "torch.finish": lambda v: tracker(v).finish(o(v, 2, dtype=torch.bool), v.optional()),
        "torch.extend": lambda v: tracker(v).score_extensions(t(v, 2, 1, 3), o(v, 2, 1)),
        "torch.values": lambda v: tracker(v).values(v.maybe("CLS")),
        "torch.fork": lambda v: tracker(v).fork(t(v, 2), t(v, 2)),
        "torch.restore": lambda v: tracker(v).restore(v.any()),
    }  # fmt: skip


def metric_calls() -> dict[str, Callable[[Values], Any]]:
    def update(v: Values) -> Any:
        metric = wm.NavigationMetrics(scorer)
        paths = v.draw.choice([v.rows(), torch.tensor([[0, 1, 2], [5, 4, -1]]), [[0], None]])
        metric.update(v.rows(), paths, v.maybe("s"), task_success=v.optional())
        return metric.compute()

    def spoilt(v: Values) -> Any:
        metric = wm.nDTW(scorer)
        metric.update([[0, 1]], [[0, 1]], "s")
        name = v.draw.choice(["sums", "cells", "counts", "minimum", "maximum"])
        state = getattr(metric, name)
        changed = torch.full_like(state, v.draw.choice([-1, 0, 1, 3, 2**20]))
        setattr(metric, name, changed if v.draw.random() < 0.8 else changed[:0])
        return metric.compute()

    return {"torchmetrics.update": update, "torchmetrics.states": spoilt}


def all_calls() -> dict[str, Callable[[Values], Any]]:
    found = dict(calls)
    if torch is not None:
        found |= torch_calls()
    if wm is not None:
        found |= metric_calls()
    return found


def words_of(error: Exception) -> str:
    try:
        return ascii(error)
    except Exception:  # it holds a hostile object
        return type(error).__name__


def make_calls(seed: int, first: int, count: int, place: pathlib.Path) -> int:
    """Makes calls in this process and notes the number of each before it is made."""
    warnings.simplefilter("ignore")
    os.chdir(place.parent)
    known = all_calls()
    names = list(known)
    outcomes: collections.Counter[str] = collections.Counter()
    with place.open("r+b", 0) as note:
        for number in range(first, first + count):
            draw = random.Random(f"{seed} {number}")
            name = draw.choice(names)
            os.pwrite(note.fileno(), f"{number:20} {name:40}\n".encode(), 0)
            try:
                known[name](Values(draw))
                outcomes["result"] += 1
            except Exception as error:
                outcomes[type(error).__name__] += 1
                shown = words_of(error)
                is_unnamed = "incompatible function arguments" in shown
                is_originals = name in drop_ins and (is_unnamed or type(error) is AssertionError)
                if (isinstance(error, unexpected) or is_unnamed) and not is_originals:
                    print(f"call {number}, {name}: {shown}"[:300], file=sys.stderr)
                    outcomes["unexpected"] += 1
    print(" ".join(f"{name}={n}" for name, n in outcomes.most_common()))
    return 1 if outcomes["unexpected"] else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--numpy", action="store_true", help="no calls of torch")
    parser.add_argument("--here", type=pathlib.Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.here:
        faulthandler.enable()
        return make_calls(given.seed, given.first, given.calls, given.here)
    end, failed = given.first + given.calls, 0
    with tempfile.TemporaryDirectory() as folder:
        note = pathlib.Path(folder, "call")
        first = given.first
        while first < end:
            count = min(20_000, end - first)
            note.write_text("-1")
            numbers = ["--seed", given.seed, "--first", first, "--calls", count, "--here", note]
            numbers += ["--numpy"] * given.numpy
            done = subprocess.run([sys.executable, os.path.abspath(__file__), *map(str, numbers)])
            failed |= done.returncode != 0
            last = note.read_text().split()
            if done.returncode not in (0, 1):
                number = int(last[0])
                print(
                    f"call {number} ended the process ({done.returncode}): {' '.join(last[1:])}\n"
                    f"  repeat: {__file__} --seed {given.seed} --first {number} --calls 1"
                )
                first = max(number, first) + 1
            else:
                first += count
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

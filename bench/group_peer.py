#!/usr/bin/env python3
"""Times rewards of groups and their advantages beside a public trainer's Python loop, in one run,
by processor time.

  bench/group_peer.py [--rounds N] [--loop N]     needs NumPy; torch adds verl's advantages

The loop is written from formulas: the rewards of ETP-R1 (GRPO_trainer_ETP_R1.py; its nDTW by the
exact loop of plain_loops.py in place of fastdtw, distances from a matrix) and the gain of nDTW, a
rollout at a time; and verl's GRPO advantages (core_algos.py, compute_grpo_outcome_advantage), a
torch scalar at a time. 4,096 rollouts of 40 viewpoints in groups of 8, references of 12 viewpoints
in 59 made-up scans. warpath takes new references in each call (set_references, then compute) on
one thread, the tables of distances made before. The loop rewards the first --loop rollouts and is
scaled to all. The two take turns, and times are the least of --rounds. Exit code 1 where rewards
differ by more than 1e-6 (those above 1: by that part of them), or advantages by more than 1e-5 of
the largest."""

import argparse
import collections
import random
import sys
import time

import numpy as np
import plain_loops
import warpath
from new_references import made_up, neighbours_in

try:
    import torch
    import warpath.torch
except ImportError:
    torch = None

ROLLOUTS, GROUP, LENGTH, REFERENCE_LENGTH = 4096, 8, 40, 12
CALLS = 10  # of warpath in a row, for one of the loop


class Batch:
    """Holds rollouts of which every second one ends at its goal, and what the loop reads of them."""

    def __init__(self, draw):
        self.graphs = warpath.Graphs(made_up(draw))
        names = self.graphs.scans
        joined = {scan: neighbours_in(self.graphs, scan) for scan in names}
        choose = random.Random(1)

        def walk(scan, length, at):
            path = [at]
            while len(path) < length:
                path.append(choose.choice(joined[scan][path[-1]]))
            return path

        def start(scan):
            return choose.randrange(len(joined[scan]))

        self.scans = [names[k % len(names)] for k in range(ROLLOUTS // GROUP)]
        self.references = [walk(scan, REFERENCE_LENGTH, start(scan)) for scan in self.scans]
        self.paths = []
        for k in range(ROLLOUTS):
            scan, reference = self.scans[k // GROUP], self.references[k // GROUP]
            back = walk(scan, LENGTH, reference[-1])[::-1]
            self.paths.append(back if k % 2 else walk(scan, LENGTH, start(scan)))
        self.rows = np.array(self.paths)
        self.lengths = np.full(ROLLOUTS, LENGTH)
        self.ideal = draw.uniform(5, 20, ROLLOUTS // GROUP).astype(np.float32)
        self.matrices = {scan: self.graphs.distances(scan) for scan in names}

    def of(self, k):
        """Returns distances, path, reference and ideal length of a rollout."""
        group = k // GROUP
        matrix = self.matrices[self.scans[group]]
        return matrix, self.paths[k], self.references[group], float(self.ideal[group])


def etp_r1(distances, path, reference, ideal):
    """Returns the rewards of ETP-R1: those of R2R and RxR, whose ideal length is given."""
    to_goal, start = distances[path[-1]][reference[-1]], distances[path[0]][reference[-1]]
    moved = plain_loops.path_length(distances, path)
    success, near = float(to_goal <= 1.5), 1 - to_goal / 6

    def spl(length):
        return success * (length / max(length, moved) if max(length, moved) > 0 else 1.0)

    def of_rxr():
        ndtw = plain_loops.ndtw(distances, path, reference)
        return ndtw + success * ndtw + near + spl(max(ideal, start))

    return {"etp-r1-r2r": lambda: spl(start) + success + near, "etp-r1-rxr": of_rxr}


def grpo_advantages(scores, index, epsilon=1e-6):
    """Returns advantages in the form of verl's compute_grpo_outcome_advantage."""
    id2score, id2mean, id2std = collections.defaultdict(list), {}, {}
    with torch.no_grad():
        for i in range(scores.shape[0]):
            id2score[index[i]].append(scores[i])
        for idx in id2score:
            id2mean[idx] = torch.mean(torch.tensor(id2score[idx]))
            id2std[idx] = torch.std(torch.tensor([id2score[idx]]))
        for i in range(scores.shape[0]):
            scores[i] = (scores[i] - id2mean[index[i]]) / (id2std[index[i]] + epsilon)
    return scores


def seconds(work, calls=1):
    """Returns the processor time of a call, and its result."""
    begin = time.process_time()
    for _ in range(calls):
        result = work()
    return (time.process_time() - begin) / calls, result


def time_both(ours, plain, rounds):
    """Returns the least times of both, and their results."""
    ours()  # warms up
    mine, theirs = [], []
    for _ in range(rounds):
        taken, found = seconds(ours, CALLS)
        mine.append(taken)
        taken, expected = seconds(plain)
        theirs.append(taken)
    return min(mine), min(theirs), found, expected


def row(name, ours, plain):
    print(f"{name:46} {ours * 1e3:12.4f} {plain * 1e3:14.2f} {plain / ours:12,.0f}")


def check(name, found, expected, bound):
    """Compares numbers; the bound is for those up to 1, and larger numbers may differ by more."""
    found, expected = np.asarray(found), np.asarray(expected)
    excess = float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))))
    if not excess <= bound:
        sys.exit(f"group_peer: {name}: numbers differ by {excess:.3g}, more than {bound:.3g}")


def bench_rewards(batch, options):
    """Times each reward; returns the time of the last and the totals of the rollouts."""
    chosen = range(options.loop)
    out = np.empty((ROLLOUTS, LENGTH), np.float32)
    for preset in ("etp-r1-r2r", "etp-r1-rxr", "ndtw-gain"):
        rewards = warpath.Rewards(
            batch.graphs, batch.references, batch.scans, preset=preset, threads=1
        )
        given = {"spl_length": batch.ideal} if preset == "etp-r1-rxr" else {}

        def ours(rewards=rewards, given=given):
            rewards.set_references(batch.references, batch.scans)
            return rewards.compute(batch.rows, batch.lengths, group_size=GROUP, out=out, **given)

        def plain(preset=preset):
            if preset == "ndtw-gain":
                return [sum(plain_loops.rewards_of(*batch.of(k)[:3], 3.0)) for k in chosen]
            return [etp_r1(*batch.of(k))[preset]() for k in chosen]

        mine, theirs, found, expected = time_both(ours, plain, options.rounds)
        totals = found.reward.sum(1)
        # A total of gains is that of 40 roundings.
        check(preset, totals[: options.loop], expected, 1e-5 if preset == "ndtw-gain" else 1e-6)
        row(preset, mine, theirs * ROLLOUTS / options.loop)
        compute, _ = min(
            (seconds(lambda: rewards.compute(batch.rows, batch.lengths, group_size=GROUP, out=out,
                                             **given), CALLS) for _ in range(options.rounds)),
            key=lambda taken: taken[0],
        )
        print(f"{'  of that compute':46} {compute * 1e3:12.4f}")
    return mine, totals


def bench_advantages(totals, rewards_s, options):
    """Times the advantages of all rollouts."""
    def ours():
        return warpath.group_advantages(totals, group_size=GROUP).advantage

    if torch is None:
        taken = min(seconds(ours, 100)[0] for _ in range(options.rounds))
        print(f"{'advantages':46} {taken * 1e3:12.4f}   (no torch: verl's are left out)")
    else:
        index = [f"item {k // GROUP}" for k in range(ROLLOUTS)]  # verl's are uids
        taken, theirs, found, expected = time_both(
            ours, lambda: grpo_advantages(torch.tensor(totals), index), options.rounds
        )
        largest = float(np.max(np.abs(found)))
        check("advantages", found / largest, expected.numpy() / largest, 1e-5)
        row("advantages", taken, theirs)
    print(f"advantages take {100 * taken / rewards_s:.1f} % of the time of ndtw-gain")


def bench_torch_call(batch, options):
    """Times the call of tensors on 8 rollouts, whose work is nearly nothing."""
    if torch is None:
        return
    torch.set_num_threads(1)
    rewards = warpath.torch.Rewards(
        batch.graphs, batch.references[:1], batch.scans[:1], preset="etp-r1-rxr", threads=1
    )
    rows, lengths = torch.tensor(batch.rows[:GROUP]), torch.tensor(batch.lengths[:GROUP])
    length = torch.tensor(batch.ideal[:1])

    def call():
        return rewards.compute(rows, lengths, group_size=GROUP, spl_length=length)

    def advantages(total=call().reward.sum(1)):
        return warpath.torch.group_advantages(total, group_size=GROUP)

    for name, work in (("compute", call), ("group_advantages", advantages)):
        taken = min(seconds(work, 1000)[0] for _ in range(options.rounds))
        print(f"{f'torch, {name}: one group of {GROUP}, work included':46} {taken * 1e6:12.1f} µs")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--loop", type=int, default=16)
    options = parser.parse_args()
    batch = Batch(np.random.default_rng(1))
    title = f"ms, the least of {options.rounds} rounds"
    print(f"{title:46} {'warpath':>12} {'Python loop':>14} {'ratio':>12}")
    rewards_s, totals = bench_rewards(batch, options)
    bench_advantages(totals, rewards_s, options)
    bench_torch_call(batch, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())

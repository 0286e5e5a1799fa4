#!/usr/bin/env python3
"""Times Table 3 of Zhao et al. 2021 beside scipy.stats.kendalltau, in one run, on one thread.

  bench/correlate_peer.py [--instructions N] [--draws D] [--peer-draws P]     needs NumPy and SciPy

Made-up scores (11) and outcomes (4) of 3,946 instructions of nine systems, τ over the instructions
and over the systems in 10,000 resamples. SciPy takes the same resamples, of which it is given the
first P; its seconds are those times D / P. Times are of the processor. Exit code 1 where an
interval differs by more than 1e-12."""

import argparse
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # read while NumPy is imported

import numpy as np  # noqa: E402
from scipy.stats import kendalltau  # noqa: E402
from warpath.correlation import levels  # noqa: E402
from warpath.correlation.units import Units  # noqa: E402

SYSTEMS, SCORES = 9, 11


def make_units(n):
    """Returns scores with one to four decimals, and outcomes as means of three attempts."""
    draw = np.random.default_rng(1)
    good = draw.normal(size=n)
    scores = {
        f"score{k}": np.round(10 * (draw.normal(size=n) + 0.2 * good), 1 + k % 4)
        for k in range(SCORES)
    }
    attempts = good[:, None] + 2 * draw.normal(size=(n, 3))
    reached = attempts > 0
    outcomes = {
        "NE": np.maximum(0, 5 - attempts).round(3).mean(1),
        "SR": reached.mean(1),
        "SPL": (reached * draw.uniform(0.4, 1, (n, 3)).round(3)).mean(1),
        "quality": np.clip(np.round(3 + attempts), 1, 5).mean(1),
    }
    systems = [f"system{s}" for s in range(SYSTEMS)]
    of = np.arange(n) * SYSTEMS // n
    return Units(of, systems, scores, outcomes, 3 * n, 0, 0, ["system"], {}, "instruction", [])


def by_scipy(units, draws):
    """Returns τ of each pair of columns [pairs, draws] at both levels, one call of SciPy for each,
    and the seconds of each level."""
    n = len(units.system_of)
    rows = [np.flatnonzero(units.system_of == s) for s in range(SYSTEMS)]
    of_systems, of_instances = (np.random.default_rng([0, level]) for level in (0, 1))
    taken = {
        "system": [[of_systems.integers(0, len(r), len(r)) for r in rows] for _ in range(draws)],
        "instance": [of_instances.integers(0, n, n) for _ in range(draws)],
    }

    def values(level, column, draw):
        if level == "instance":
            return column[draw]
        return [column[r[d]].mean() for r, d in zip(rows, draw)]

    found, seconds = {}, {}
    for level, of_level in taken.items():
        begin = time.process_time()
        found[level] = [
            [kendalltau(values(level, x, d), values(level, y, d))[0] for d in of_level]
            for x in units.scores.values()
            for y in units.outcomes.values()
        ]
        seconds[level] = time.process_time() - begin
    return found, seconds


def differ(found, expected):
    """Tells whether an interval is not that of SciPy's τ."""
    listed = [tau for outcomes in found.values() for tau in outcomes.values()]
    for one, drawn in zip(listed, expected):
        low, high = np.quantile(drawn, [0.05, 0.95], method="inverted_cdf")
        if max(abs(one.low - low), abs(one.high - high)) > 1e-12:
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--instructions", type=int, default=3946)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--peer-draws", type=int, default=20)
    given = parser.parse_args()
    units = make_units(given.instructions)
    expected, peer = by_scipy(units, given.peer_draws)
    print(f"{given.instructions} instructions, {given.draws} draws  warpath      SciPy   ratio")
    for level, call in (("system", levels.system_level), ("instance", levels.instance_level)):
        options = levels.Options("b", given.draws, 0.9, 0, False)
        begin = time.process_time()
        call(units, options)
        seconds = time.process_time() - begin
        theirs = peer[level] * given.draws / given.peer_draws
        print(f"{level:30} {seconds:8.2f} s {theirs:8.0f} s {theirs / seconds:7.0f}")
        few = options._replace(draws=given.peer_draws)
        if differ(call(units, few), expected[level]):
            sys.exit(f"correlate_peer: at the {level} level the intervals differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times rewards beside a Python loop of the form that public training code has, in one run.

  bench/rewards_peer.py BENCH [ROLLOUTS]    BENCH: the built warpath_bench; needs NumPy

The loop computes nDTW of each prefix from a matrix of its own, cell by cell with NumPy's scalars,
and takes differences. It runs over the first ROLLOUTS (8) rollouts of the data of
rewards/batch/ndtw_gain, which the benchmark writes, and its rewards must equal those that the
benchmark computed; exit code 1 where they do not."""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from plain_loops import rewards_of


def measure_warpath(bench):
    """Runs the benchmark; returns rewards per second and the data that it rewarded."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "rewards.json")
        command = [bench, "--benchmark_format=json", "--benchmark_min_time=2",
                   "--benchmark_filter=^rewards/batch/ndtw_gain$|^rewards_data/"]
        out = subprocess.run(command, env={**os.environ, "WARPATH_REWARDS_DATA": data}, check=True,
                             stdout=subprocess.PIPE).stdout
        with open(data) as file:
            content = json.load(file)
    rows = json.loads(out)["benchmarks"]
    rate = next(r["items_per_second"] for r in rows if r["name"].startswith("rewards/batch/"))
    return rate, content


def measure_loop(content, rollouts):
    """Returns rewards per second of the loop, and its greatest difference from warpath's."""
    tables = [np.array(table) for table in content["distances"]]
    chosen = content["rollouts"][:rollouts]
    begin = time.perf_counter()
    made = [rewards_of(tables[r["scan"]], r["path"], r["reference"], content["threshold"])
            for r in chosen]
    seconds = time.perf_counter() - begin
    difference = max(abs(a - b) for mine, r in zip(made, chosen)
                     for a, b in zip(mine, r["reward"], strict=True))
    return sum(len(r["path"]) for r in chosen) / seconds, difference


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    warpath, content = measure_warpath(sys.argv[1])
    loop, difference = measure_loop(content, int(sys.argv[2]) if len(sys.argv) > 2 else 8)
    print(f"warpath, one core   {warpath:14,.0f} rewards/s")
    print(f"the Python loop     {loop:14,.0f} rewards/s")
    print(f"ratio               {warpath / loop:14,.0f}")
    print(f"greatest difference {difference:14.2g}")
    return 0 if difference <= 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())

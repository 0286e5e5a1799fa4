#!/usr/bin/env python3
"""Times the correlations of a study with people beside a loop over scipy.stats.spearmanr, in one
run, on one thread.

  bench/study_peer.py [--rounds N]     needs NumPy and SciPy

The study is that of Ilharco et al. 2019: 505 sets of five queries, twelve metrics, one simulated
rater for each set. The two take turns, and times are medians. A third row is the whole command,
from files to Table 2, each time in a process of its own. Exit code 1 where a correlation differs by
more than 1e-12."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # read while NumPy is imported

import numpy as np  # noqa: E402
from scipy.stats import spearmanr  # noqa: E402
from warpath import study  # noqa: E402

LOWER = {"PL", "NE", "ONE", "AD", "MD"}


def by_loop(made, ratings):
    """Returns the correlations of each questionnaire and metric, one call of SciPy for each."""
    ranks = {}
    for row in ratings:
        ranks.setdefault((row["rater"], row["set"]), {})[row["query"]] = row["rank"]
    row_of = {identifier: k for k, identifier in enumerate(made.ids)}
    found = []
    for (_, name), of in ranks.items():
        rows = [row_of[f"{name}_{letter}"] for letter in of]
        rhos = {}
        for metric, column in made.values().items():
            values = [float(f"{column[k]:.9g}") for k in rows]
            sign = 1 if metric in LOWER else -1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # constant values: NaN
                rhos[metric] = sign * spearmanr(values, list(of.values()))[0]
        found.append(rhos)
    return found


def differ(ours, theirs):
    for one, other in zip(ours, theirs):
        for metric, rho in one.rho.items():
            if np.isnan(other[metric]) != (rho is None):
                return True
            if rho is not None and abs(rho - other[metric]) > 1e-12:
                return True
    return False


def timed(call):
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        place, file = pathlib.Path(folder, "study"), pathlib.Path(folder, "ratings.csv")
        made = study.make(place, sheets="none")
        ratings = study.simulate(made, out=file)
        made.values()  # the evaluator's work is in the third row alone
        command = [sys.executable, "-m", "warpath", "study", "score", place, file, "--quiet"]
        times = {"warpath": [], "SciPy": [], "files to Table 2": []}
        for _ in range(rounds):
            seconds, ours = timed(lambda: study.score(made, ratings))
            times["warpath"].append(seconds)
            seconds, theirs = timed(lambda: by_loop(made, ratings))
            times["SciPy"].append(seconds)
            seconds, _ = timed(lambda: subprocess.run(command, check=True))
            times["files to Table 2"].append(seconds)
    for name, seconds in times.items():
        print(f"{name:17} {statistics.median(seconds):8.3f} s")
    if differ(ours.questionnaires, theirs):
        sys.exit("the correlations differ")


if __name__ == "__main__":
    main()

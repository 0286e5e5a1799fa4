#!/usr/bin/env python3
"""Compares the program's means and 95 % intervals with a plain transcription of their definitions.

usage: intervals_test.py PATH/TO/warpath SOURCE_FOLDER

Scores come from the program's CSV, reference paths from the dataset. Keep this file naive: its worth
is that it can be checked by reading.
"""
import csv
import io
import json
import math
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1:]
GOLDEN = SOURCE + "/tests/golden"
FRACTIONS = "SR OSR SPL SED PC LS CLS nDTW SDTW".split()
DRAWS = 10_000


def run(*options):
    command = [PROGRAM, "eval", "--graphs", GOLDEN + "/connectivity",
               "--dataset", GOLDEN + "/dataset.json", GOLDEN + "/predictions.json", "--quiet",
               *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def path_of_item():
    """Returns the reference path of each item, as scan and viewpoints."""
    paths = {}
    with open(GOLDEN + "/dataset.json") as file:
        for entry in json.load(file):
            for k in range(len(entry["instructions"])):
                paths["%s_%d" % (entry["path_id"], k)] = (entry["scan"], tuple(entry["path"]))
    return paths


def clusters_of(rows, metric, kind, preset, paths):
    """Returns the values of the metric by cluster, clusters in the order of their first item."""
    clusters = {}
    for number, row in enumerate(rows):
        if row["status"] == "not_scored":
            continue
        value = row[metric]
        if row["status"] in ("wrong_start", "non_adjacent") and row["NE"] == "":
            value = "0" if metric in FRACTIONS else ""   # --invalid zero
        if metric == "SPL" and value == "" and row["SR"] != "" and preset == "r2r":
            value = "0"  # 0/0, likewise
        if value == "":
            continue
        key = {"path": paths[row["instr_id"]], "bootstrap": paths[row["instr_id"]],
               "scan": row["scan"], "none": number}[kind]
        clusters.setdefault(key, []).append(float(value))
    return list(clusters.values())


def clustered(clusters, mean, n):
    size = len(clusters)
    if size < 2:
        return None
    squares = sum(sum(x - mean for x in values) ** 2 for values in clusters)
    half = 1.96 * math.sqrt(size / (size - 1) * squares) / n
    return [mean - half, mean + half]


def wilson(size, p):
    """Returns the interval of Wilson 1927 for a rate p in `size` trials."""
    if size < 2:
        return None
    z = 1.96
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    return [middle - half, middle + half]


def philox(counter):
    """Returns words of Philox4x32-10 (Salmon et al. 2011) with the key 0."""
    c0, c1, c2, c3 = counter
    k0 = k1 = 0
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def choices(draw, size):
    """Returns the clusters of a draw: `size` numbers below `size`, without bias."""
    chosen, word, words = [], 0, ()
    while len(chosen) < size:
        if word % 4 == 0:
            words = philox((word // 4, draw, 0, 0))
        product = words[word % 4] * size
        word += 1
        if product % 2 ** 32 >= 2 ** 32 % size:
            chosen.append(product // 2 ** 32)
    return chosen


def percentile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def bootstrap(clusters, chosen):
    if len(clusters) < 2:
        return None
    sums = [sum(values) for values in clusters]
    counts = [len(values) for values in clusters]
    means = [sum(sums[g] for g in draw) / sum(counts[g] for g in draw) for draw in chosen]
    return [percentile(means, 0.025), percentile(means, 0.975)]


def compare(what, got, want):
    if (got is None) != (want is None):
        sys.exit("%s: %s instead of %s" % (what, got, want))
    for a, b in zip(got or [], want or []):
        if abs(a - b) > 1e-9 * max(1.0, abs(b)):
            sys.exit("%s: %r instead of %r" % (what, got, want))


def check(kind, preset, paths, draws_of):
    options = ["--preset", preset, "--missing", "skip", "--invalid", "zero", "--ci", kind,
               "--backend", "reference"]
    report = json.loads(run(*options, "--json", "-"))["runs"][0]["metrics"]
    rows = list(csv.DictReader(io.StringIO(run(*options, "--csv", "-"))))
    scored = [row for row in rows if row["status"] != "not_scored"]
    for metric, found in report.items():
        what = "%s, --ci %s, %s" % (preset, kind, metric)
        clusters = clusters_of(rows, metric, kind, preset, paths)
        values = [x for cluster in clusters for x in cluster]
        mean = sum(values) / len(values)
        compare(what, [found["mean"], found["n"], found["of"]], [mean, len(values), len(scored)])
        if metric in ("SR", "OSR") and mean in (0.0, 1.0):
            want = wilson(len(clusters), mean)
        elif kind == "bootstrap":
            size = len(clusters)
            if size not in draws_of:
                draws_of[size] = [choices(b, size) for b in range(DRAWS)]
            want = bootstrap(clusters, draws_of[size])
        else:
            want = clustered(clusters, mean, len(values))
        compare(what, found["ci95"], want)
    return len(report)


def main():
    paths = path_of_item()
    draws_of = {}
    compared = 0
    for preset in ("paper", "r2r"):
        for kind in ("path", "scan", "none", "bootstrap"):
            compared += check(kind, preset, paths, draws_of)
    print("%d intervals compared" % compared)
    if compared < 8 * 20:
        sys.exit("too few metrics in the report")


main()

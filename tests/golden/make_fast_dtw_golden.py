#!/usr/bin/env python3
"""Writes targets/fast_dtw.jsonl: pairs of paths, and the warpings that both builds of fastdtw 0.3.4 find.

The two builds are transcribed cell by cell, the compiled one from a description of it in words. Keep
them independent of the C++ code, and naive. With --check the script compares what it would write with
what is there.
"""
import json
import math
import random
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parent / "targets" / "fast_dtw.jsonl"
NONE = math.inf
# The last half of each kind's pairs get different costs from the builds.
SEEDS = {"lattice": [1, 2, 3, 4, 5, 6, 38, 42, 45, 73, 108, 136],
         "turns": [1, 2, 3, 4, 5, 6, 291, 584, 635, 1473, 1567, 1569]}


def distance(a, b):
    total = 0.0
    for p, q in zip(a, b):  # the built-in sum() compensates rounding from Python 3.12 on
        total += (p - q) ** 2
    return math.sqrt(total)


def half(path):
    """Returns the means of pairs of points; an odd last point is left out."""
    return [[(p + q) / 2 for p, q in zip(path[k], path[k + 1])] for k in range(0, len(path) - 1, 2)]


# The pure build ---------------------------------------------------------------------------------


def pure_in_window(x, y, window):
    """Adds the cell's distance first; of equal sums takes up, then left, then diagonal."""
    cost, came = {(-1, -1): 0.0}, {}
    for i in range(len(x)):
        for j in range(len(y)):
            if (i, j) not in window:
                continue
            before = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
            sums = [cost.get(cell, NONE) + distance(x[i], y[j]) for cell in before]
            cost[i, j] = min(sums)
            came[i, j] = before[sums.index(min(sums))]
    return traced(cost, came, (len(x) - 1, len(y) - 1))


def traced(cost, came, end):
    cells = [end]
    while cells[-1] != (0, 0):
        cells.append(came[cells[-1]])
    return cost[end], cells[::-1]


def pure(x, y, radius):
    if len(x) < radius + 2 or len(y) < radius + 2:
        return pure_in_window(x, y, {(i, j) for i in range(len(x)) for j in range(len(y))})
    window = set()
    for i, j in pure(half(x), half(y), radius)[1]:
        for a in range(i - radius, i + radius + 1):
            for b in range(j - radius, j + radius + 1):
                window |= {(2 * a, 2 * b), (2 * a, 2 * b + 1), (2 * a + 1, 2 * b), (2 * a + 1, 2 * b + 1)}
    return pure_in_window(x, y, window)


# The compiled build -----------------------------------------------------------------------------


def compiled_in_rows(x, y, rows):
    """Compares before the cell's distance is added: up if it is below both others, else left if it is
    below diagonal, else diagonal. rows: first and last column of each row.
    """
    cost, came = {}, {}
    for i, (first, last) in enumerate(rows):
        for j in range(first, last + 1):
            up = left = diagonal = NONE
            if i == j == 0:
                diagonal = 0.0
            if j > first:
                left = cost[i, j - 1]
            if i > 0 and j <= rows[i - 1][1]:
                up = cost[i - 1, j]
            if i > 0 and rows[i - 1][0] + 1 <= j <= rows[i - 1][1]:  # not one behind the last column
                diagonal = cost[i - 1, j - 1]
            if up < left and up < diagonal:
                before, came[i, j] = up, (i - 1, j)
            elif left < diagonal:
                before, came[i, j] = left, (i, j - 1)
            else:
                before, came[i, j] = diagonal, (i - 1, j - 1)
            cost[i, j] = before + distance(x[i], y[j])
    return traced(cost, came, (len(x) - 1, len(y) - 1))


def compiled(x, y, radius):
    if len(x) < radius + 2 or len(y) < radius + 2:
        return compiled_in_rows(x, y, [(0, len(y) - 1)] * len(x))
    path = compiled(half(x), half(y), radius)[1]
    end_row, end_column = path[-1]
    columns = [[j for i, j in path if i == row] for row in range(end_row + 1)]
    rows = []
    for row in range(end_row + 1 + radius):
        row = min(row, end_row)  # the rows behind the path repeat its last one
        low = max(0, columns[max(0, row - radius)][0] - radius)
        high = min(end_column + radius, columns[min(end_row, row + radius)][-1] + radius)
        rows += [(2 * low, min(len(y) - 1, 2 * high + 1))] * 2
    return compiled_in_rows(x, y, rows[:len(x)])


# The pairs --------------------------------------------------------------------------------------


def lattice(draw, size):
    """A walk on whole numbers, which may stand still: many warpings cost the same."""
    path = [[draw.randrange(4), 0, draw.randrange(4)]]
    while len(path) < size:
        step = draw.choice([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])
        path.append([path[-1][0] + step[0], 0, path[-1][2] + step[1]])
    return path


def turns(draw, size):
    """Steps of a quarter of a metre that turn by 15 degrees or not."""
    path, heading = [[0.0, 0.0, 0.0]], draw.randrange(24)
    while len(path) < size:
        heading += draw.choice([-2, -1, 0, 0, 1, 2])
        angle = heading * math.pi / 12
        path.append([round(path[-1][0] + 0.25 * math.sin(angle), 3), round(path[-1][1] + 0.01 * draw.randrange(3), 3),
                     round(path[-1][2] + 0.25 * math.cos(angle), 3)])
    return path


def make_pair(kind, seed):
    draw = random.Random(seed)
    make = {"lattice": lattice, "turns": turns}[kind]
    x, y = make(draw, draw.randrange(1, 48)), make(draw, draw.randrange(1, 48))
    radius = draw.choice([1, 1, 1, 2, 3])
    cost, steps = pure(x, y, radius)
    pair = {"kind": kind, "radius": radius, "x": x, "y": y, "exact": pure(x, y, 100)[0], "pure": cost,
            "pure_steps": steps}
    pair["compiled"], pair["compiled_steps"] = compiled(x, y, radius)
    return pair


def main():
    pairs = [make_pair(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]
    text = "".join(json.dumps(pair, separators=(",", ":")) + "\n" for pair in pairs)
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text)
    elif FILE.read_text() != text:
        sys.exit(f"{FILE} is not what this script writes; run it without --check")


if __name__ == "__main__":
    main()

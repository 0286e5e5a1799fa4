#!/usr/bin/env python3
"""Writes the golden test set of continuous episodes (VLN-CE) into the folder targets/vlnce.

The scores are a slow, literal transcription of what each preset's evaluator computes. Keep it
independent of the C++ code, and keep it naive: its worth is that it can be checked by reading.
With --check it compares what it would write with what is there.
"""
import json
import math
import random
import sys
from pathlib import Path

from make_golden import plain_sum

HERE = Path(__file__).resolve().parent / "targets" / "vlnce"
THRESHOLD = 3.0
METRICS = ("PL NE ONE SR OSR SPL SoftSPL OracleSPL DTW nDTW SDTW SP steps n_query n_query_raw n_ref "
           "collisions CR").split()
# success at most or below the threshold; stop needed; where the last distance is kept; own stop in OracleSPL;
# repeats dropped; radius of FastDTW; horizontal; SPL of a failure without a start distance; VLN-PE's
# own goal, oracle, SPL and nDTW
PRESETS = {
    "vlnce": ("lt", True, "close", True, True, 0, False, None, False),
    "vlnce-fastdtw": ("lt", True, "close", True, True, 1, False, None, False),
    "dcvln": ("le", True, "equal", False, True, 1, False, None, False),
    "etpnav": ("le", False, "equal", False, True, 1, False, None, False),
    "vlnpe": ("lt", False, "", False, False, 0, True, 0.0, True),
    "paper": ("le", True, "", False, False, 0, False, 0.0, False),
}


def distance(a, b, flat=False):
    """Returns the distance of two positions; the second coordinate is the height."""
    total = 0.0
    for axis in (0, 1, 2):
        if not (flat and axis == 1):
            total += (a[axis] - b[axis]) ** 2
    return math.sqrt(total)


def exact_dtw(query, reference, flat):
    """Returns the cost of the best warping: the table of Ilharco et al. 2019, algorithm 1."""
    table = [[math.inf] * (len(reference) + 1) for _ in range(len(query) + 1)]
    table[0][0] = 0.0
    for i, q in enumerate(query):
        for j, r in enumerate(reference):
            before = min(table[i][j], table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = before + distance(q, r, flat)
    return table[-1][-1]


def windowed(query, reference, window):
    """Returns the cost and the cells of the best warping within a set of cells."""
    cost, came = {(-1, -1): 0.0}, {}
    for i in range(len(query)):
        for j in range(len(reference)):
            if (i, j) not in window:
                continue
            step = distance(query[i], reference[j])
            choices = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]  # the first of equal ones wins
            sums = [cost.get(cell, math.inf) + step for cell in choices]
            cost[i, j] = min(sums)
            came[i, j] = choices[sums.index(min(sums))]
    cell, cells = (len(query) - 1, len(reference) - 1), []
    while cell != (-1, -1):
        cells.append(cell)
        cell = came[cell]
    return cost[cells[0]], cells


def fast_dtw(query, reference, radius):
    """Returns the cost and the cells that FastDTW finds (Salvador and Chan 2007)."""
    def all_cells():
        return {(i, j) for i in range(len(query)) for j in range(len(reference))}

    def half(path):
        pairs = [(path[k], path[k + 1]) for k in range(0, len(path) - 1, 2)]
        return [[(a + b) / 2 for a, b in zip(*pair)] for pair in pairs]

    if len(query) < radius + 2 or len(reference) < radius + 2:
        return windowed(query, reference, all_cells())
    _, cells = fast_dtw(half(query), half(reference), radius)
    near = {(i + a, j + b) for i, j in cells
            for a in range(-radius, radius + 1) for b in range(-radius, radius + 1)}
    window = {(2 * i + a, 2 * j + b) for i, j in near for a in (0, 1) for b in (0, 1)}
    return windowed(query, reference, window)


def is_close(a, b):
    """Tells whether np.allclose(a, b, atol=1e-4) would."""
    return all(abs(x - y) <= 1e-4 + 1e-5 * abs(y) for x, y in zip(a, b))


def goal_distances(episode, entries, given, kept, flat, is_pe):
    """Returns the distance to the goal at each entry."""
    if is_pe:
        return [distance(entry["position"], episode["reference_path"][-1], flat)
                for entry in entries]
    result, last = [], None
    for k, entry in enumerate(entries):
        position = entry["position"]
        if last is not None and (kept == "equal" and last == position
                                 or kept == "close" and is_close(last, position)):
            result.append(result[-1])
            continue
        last = position
        if given is not None:
            result.append(given[k])
        elif k == 0:
            result.append(episode["info"]["geodesic_distance"])
        else:
            result.append(min(distance(position, goal["position"], flat)
                              for goal in episode["goals"]))
    return result


def vln_pe(episode, path):
    """Returns what VLN-PE's vln_pe_metrics.py measures. It looks at the agent once before its first
    action and after each one; the last action is the stop, which ends where the one before did."""
    goal, shortest = episode["reference_path"][-1], episode["info"]["geodesic_distance"]
    walked, error, least, before = 0.0, None, math.inf, None
    for position in path + path[-1:]:
        if before is not None:
            walked += distance(position, before, True)
            error = distance(position, goal, True)
            least = min(least, error)
        before = position
    success = 1.0 if error < THRESHOLD else 0.0
    spl = success * shortest / max(walked, shortest) if walked > 0 else 0.0
    return {"PL": walked, "NE": error, "ONE": least, "SR": success,
            "OSR": 1.0 if least < THRESHOLD else 0.0, "SPL": spl}


def without_repeats(path):
    kept = []
    for point in path:
        if not kept or point != kept[-1]:
            kept.append(point)
    return kept


def score(episode, reference, entries, given, preset):
    compare, needs_stop, kept, own_stop, drops, radius, flat, spl_unknown, is_pe = PRESETS[preset]

    def within(error):
        return error < THRESHOLD if compare == "lt" else error <= THRESHOLD

    path = [entry["position"] for entry in entries]
    query = without_repeats(path) if drops else path
    to_goal = goal_distances(episode, entries, given, kept, flat, is_pe)
    walked = [0.0]
    for a, b in zip(path, path[1:]):
        walked.append(walked[-1] + distance(a, b, flat))
    start, end = to_goal[0], to_goal[-1]
    stopped = entries[-1]["stop"]
    sr = 1.0 if within(end) and (stopped or not needs_stop) else 0.0
    spl = None if sr else spl_unknown  # without a distance at the start
    if start < math.inf:
        spl = sr * start / max(start, walked[-1])
    soft = None
    if start < math.inf:
        soft = max(0.0, 1 - end / start) * start / max(start, walked[-1])
    if own_stop:
        oracle_spl = 0.0 if spl is None else spl
    elif start == math.inf:
        oracle_spl = None
    else:
        ideal = episode["info"]["geodesic_distance"] if is_pe else start
        oracle_spl = max([ideal / max(ideal, walked[k]) for k in range(len(path))
                          if within(to_goal[k]) and (walked[k] > 0 or not is_pe)], default=0.0)
    cost = fast_dtw(query, reference, radius)[0] if radius else exact_dtw(query, reference, flat)
    ndtw = math.exp(-cost / (THRESHOLD * len(reference)))
    if is_pe:
        gaussians = [math.exp(-min(distance(q, r, flat) for r in reference) ** 2
                              / (2 * THRESHOLD ** 2)) for q in query]
        ndtw = plain_sum(gaussians) / len(gaussians)
    oracle = min(to_goal)
    moves = len(path) - 1
    hits = sum(1 for entry in entries if entry.get("collision"))
    counts = any("collision" in entry for entry in entries)
    row = {"PL": walked[-1], "NE": end, "ONE": oracle, "SR": sr,
           "OSR": 1.0 if within(oracle) else 0.0, "SPL": spl, "SoftSPL": soft,
           "OracleSPL": oracle_spl, "DTW": cost, "nDTW": ndtw, "SDTW": sr * ndtw, "SP": start,
           "steps": moves + (1 if stopped else 0), "n_query": len(query),
           "n_query_raw": len(path), "n_ref": len(reference),
           "collisions": hits if counts else None,
           "CR": hits / moves if counts and moves else None}
    if is_pe:
        row.update(vln_pe(episode, path))
    return row


# ---------------------------------------------------------------- the made-up files

def walk(rng, start, steps, heading, turn):
    """Returns positions a quarter of a metre apart."""
    path = [start]
    for _ in range(steps):
        heading += rng.uniform(-turn, turn)
        x, y, z = path[-1]
        path.append([x + 0.25 * math.cos(heading), y + rng.choice([0.0, 0.0, 0.03]),
                     z + 0.25 * math.sin(heading)])
    return path


def agent_entries(rng, truth, kind):
    """Returns what an agent of that kind writes."""
    path = list(truth)
    if kind == "noisy":
        path = [[c + rng.gauss(0, 0.2) for c in p] for p in path]
        path[0] = truth[0]
    elif kind == "short":
        path = path[:max(2, len(path) // 2)]
    elif kind == "spin":
        path = [p for p in path for _ in range(rng.randint(1, 3))]
        path = [[p[0] + (5e-5 if k % 4 == 3 else 0.0), p[1], p[2]] for k, p in enumerate(path)]
    elif kind == "still":
        path = path[:1]
    elif kind == "there_and_back":
        path = path + path[::-1][1:]
    elif kind == "three_metres":
        goal = truth[-1]
        path = path[:1] + [[goal[0] + 3.0, goal[1], goal[2]]]
    stops = rng.random() < 0.7 or kind in ("still", "three_metres")
    entries = [{"position": p, "heading": 0.0, "stop": False} for p in path]
    entries[-1]["stop"] = stops
    if kind in ("noisy", "there_and_back"):
        for entry in entries[1:]:
            entry["collision"] = rng.random() < 0.2
    return entries


def make():
    rng = random.Random(20261123)
    kinds = "follow noisy short spin still there_and_back three_metres".split()
    episodes, truth, predictions, distances = [], {}, {}, {}
    for number in range(28):
        start = [rng.uniform(-9, 9), rng.choice([0.1, 2.8]), rng.uniform(-9, 9)]
        if number == 6:
            start = [2.0, 0.5, -1.0]
        path = walk(rng, start, rng.randint(4, 40), rng.uniform(0, 6.28), 0.5)
        goal = path[-1]
        if number % 7 == 6:  # exact sums: the error is exactly the threshold
            goal = [round(c * 8) / 8 for c in goal]
            path[-1] = goal
        goals = [{"position": goal, "radius": 3.0}]
        if number % 9 == 4:
            goals.append({"position": [goal[0] + 2.0, goal[1], goal[2]], "radius": 3.0})
        episodes.append({
            "episode_id": number + 1, "trajectory_id": number // 2,
            "scene_id": f"mp3d/house_{number % 3}/house_{number % 3}.glb",
            "start_position": path[0], "goals": goals,
            "info": {"geodesic_distance": 1.1 * distance(path[0], goal) + 0.05},
            "reference_path": path[::6] + [goal],
            "instruction": {"instruction_id": 500 + number, "instruction_text": "",
                            "language": ["en-US", "hi-IN"][number % 2]}})
        key = str(number + 1)
        truth[key] = {"locations": path, "actions": [1] * len(path), "forward_steps": len(path)}
        predictions[key] = agent_entries(rng, path, kinds[number % len(kinds)])
        distances[key] = [distance(entry["position"], goal) * 1.2 + 0.1
                          for entry in predictions[key]]
    add_edges(episodes, truth, predictions, distances)
    predictions["8"].append(dict(predictions["8"][-1]))  # a repeat whose distance differs
    distances["8"].append(math.inf)
    distances["2"][-1] = distances["9"][0] = math.inf
    distances["3"] = [math.inf] * len(distances["3"])
    return {"episodes": episodes}, truth, predictions, distances


def add_edges(episodes, truth, predictions, distances):
    """Adds paths that hardly move, around a goal at the height of the start: x, y and z from it."""
    near, far = [2.0, 0.0, 1.0], [4.0, 0.0, 1.0]
    paths = [[near], [far],  # one position
             [near, near], [far, far],  # two equal ones
             [near, [2.0, 0.25, 1.0]],  # a climb is no horizontal move
             [near, far],  # within 3 m at the start alone
             [far, [2.5, 0.0, 1.0], far]]  # within 3 m between
    for path in paths:
        number = len(episodes)
        goal = [1.5, 0.5, -2.0]
        path = [[g + c for g, c in zip(goal, offset)] for offset in path]
        middle = [(a + b) / 2 for a, b in zip(path[0], goal)]
        episodes.append({
            "episode_id": number + 1, "trajectory_id": number // 2,
            "scene_id": "mp3d/house_1/house_1.glb", "start_position": path[0],
            "goals": [{"position": goal, "radius": 3.0}],
            "info": {"geodesic_distance": 1.25 * distance(path[0], goal)},
            "reference_path": [path[0], goal],
            "instruction": {"instruction_id": 500 + number, "instruction_text": "",
                            "language": "hi-IN"}})
        key = str(number + 1)
        truth[key] = {"locations": [path[0], middle, goal], "actions": [1] * 3, "forward_steps": 3}
        predictions[key] = [{"position": p, "heading": 0.0, "stop": False} for p in path]
        predictions[key][-1]["stop"] = True
        distances[key] = [distance(p, goal) * 1.2 for p in path]


def cell(value):
    if value is None or value == math.inf:
        return ""
    return repr(value)


def table(dataset, truth, predictions, distances, preset, is_dense, is_given):
    lines = [",".join(["instr_id"] + METRICS)]
    for episode in dataset["episodes"]:
        key = str(episode["episode_id"])
        reference = truth[key]["locations"] if is_dense else episode["reference_path"]
        given = distances[key] if is_given else None
        row = score(episode, reference, predictions[key], given, preset)
        lines.append(",".join([key] + [cell(row[metric]) for metric in METRICS]))
    return "\n".join(lines) + "\n"


def main():
    dataset, truth, predictions, distances = make()
    files = {"episodes.json": json.dumps(dataset) + "\n", "truth.json": json.dumps(truth) + "\n",
             "predictions.json": json.dumps(predictions) + "\n",
             "distances.json": json.dumps(distances) + "\n"}
    for preset in PRESETS:
        files[f"{preset}.csv"] = table(dataset, truth, predictions, distances, preset, True, False)
    files["vlnce_sparse.csv"] = table(dataset, truth, predictions, distances, "vlnce", False, False)
    files["vlnce_given.csv"] = table(dataset, truth, predictions, distances, "vlnce", True, True)
    files["dcvln_given.csv"] = table(dataset, truth, predictions, distances, "dcvln", True, True)
    files["paper_given.csv"] = table(dataset, truth, predictions, distances, "paper", True, True)
    HERE.mkdir(parents=True, exist_ok=True)
    differing = []
    for name, text in files.items():
        if "--check" not in sys.argv:
            (HERE / name).write_text(text)
        elif (HERE / name).read_text() != text:
            differing.append(name)
    if differing:
        sys.exit(f"{HERE}: not what this script writes: {', '.join(differing)}")


if __name__ == "__main__":
    main()

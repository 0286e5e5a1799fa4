#!/usr/bin/env python3
"""Writes SOON's small golden set into this file's folder: annotations, a submission, scores.

The graphs are those of ../../connectivity. The scores are a plain transcription of what
SOON-EvalAI-Starters evaluates, with exact arithmetic for the question whether a direction lies in
a box. Keep it independent of the C++ code.
"""
import csv
import json
import math
import random
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 20250711
TURN = 2 * math.pi
CORNERS = "left_top right_top right_bottom left_bottom".split()
COLUMNS = "PL NE ONE SR OSR SPL GP SP steps RGS SFPL HE EE PE".split()
CONVENTIONS = {"soon": ("first", "plain"), "duet-soon": ("last", "plain"),
               "soon_wrap": ("first", "wrap")}


class Graph:
    def __init__(self, scan):
        file = HERE.parent.parent / "connectivity" / f"{scan}_connectivity.json"
        records = json.loads(file.read_text())
        place = {r["image_id"]: r["pose"][3:12:4] for r in records}
        self.edges = {a["image_id"]: {b["image_id"]: math.dist(place[a["image_id"]],
                                                               place[b["image_id"]])
                                      for b, is_open in zip(records, a["unobstructed"])
                                      if is_open and b["included"]}
                      for a in records if a["included"]}
        self.trees = {v: self.tree(v) for v in self.edges}

    def tree(self, source):
        distance, previous = {v: math.inf for v in self.edges}, {}
        distance[source] = 0.0
        left = list(self.edges)
        while left:
            u = min(left, key=lambda v: distance[v])
            left.remove(u)
            for v, length in self.edges[u].items():
                if distance[u] + length < distance[v]:
                    distance[v], previous[v] = distance[u] + length, u
        return distance, previous

    def d(self, u, v):
        return self.trees[u][0][v]

    def path(self, u, v):
        path = [v]
        while path[-1] != u:
            path.append(self.trees[u][1][path[-1]])
        return path[::-1]

    def reach(self, u):
        return [v for v in self.edges if 0 < self.d(u, v) < math.inf]


# ---------------------------------------------------------------- annotations

def box(rng, viewpoint, modulo):
    """Makes a box; with `modulo`, headings are taken modulo a turn corner by corner."""
    heading = rng.choice([rng.uniform(0, TURN), rng.uniform(-0.2, 0.2)])
    elevation = rng.uniform(-0.6, 0.6)
    width, height = rng.uniform(0.05, 0.4), rng.uniform(0.05, 0.3)
    signs = {"left_top": (-1, 1), "right_top": (1, 1), "right_bottom": (1, -1),
             "left_bottom": (-1, -1), "center": (0, 0)}
    skew = rng.choice([0.0, 0.03])
    target = {}
    for corner, (x, y) in signs.items():
        h = heading + x * width + y * skew
        target[corner] = {"heading": round(h % TURN if modulo else h, 6),
                          "elevation": round(elevation + y * height - x * skew, 6)}
    return {"image_id": viewpoint, "heading": round(heading, 6),
            "elevation": round(elevation, 6), "target": target}


def annotation(rng, number, scan, graph):
    end = rng.choice([v for v in graph.edges if len(graph.reach(v)) > 3])
    near = sorted(graph.reach(end), key=lambda v: graph.d(end, v))
    seen = [end] + near[:rng.randint(0, 2)]
    boxes = [box(rng, v, number % 2 == 0) for v in seen]
    if number % 3 == 0:
        boxes.append(box(rng, end, number % 2 == 0))  # two boxes of one viewpoint
    starts = [rng.choice(near) for _ in range(rng.randint(2, 4))]
    paths = [graph.path(s, rng.choice(seen)) for s in starts]
    paths.append(graph.path(starts[0], seen[-1]))  # the first start again
    if number == 5:
        paths.append([end])  # the start is the goal
    instr_id = f"annotation_{number}" if number == 7 else number
    return {"instr_id": instr_id, "scan": scan, "path": paths, "bboxes": boxes,
            "instructions": [""] * 5}


# ---------------------------------------------------------------- a submission

def normal(angles):
    return angles["heading"] / TURN, (angles["elevation"] + math.pi) / TURN


def direction(rng, boxes):
    """Chooses a direction that tries one case of a box's sides, or of headings' turns."""
    if not boxes:
        return rng.random(), rng.random()
    target = rng.choice(boxes)["target"]
    centre = normal(target["center"])
    a, b = (normal(target[c]) for c in rng.choice(list(zip(CORNERS, CORNERS[1:]))))
    side = tuple((p + q) / 2 for p, q in zip(a, b))
    kind = rng.choice("centre corner side in out turn modulo far".split())
    if kind == "corner":
        return a
    if kind == "side":
        return side
    if kind in ("in", "out"):
        step = 1e-9 if kind == "in" else -1e-9
        return tuple(p + step * (c - p) for p, c in zip(side, centre))
    if kind == "turn":
        return centre[0] + rng.choice([-1, 1]), centre[1]
    if kind == "modulo":
        return centre[0] % 1.0, centre[1]
    return centre if kind == "centre" else (rng.random(), rng.random())


def walk(rng, graph, path, boxes):
    kind = rng.choice("follow follow other short over jump".split())
    if kind == "other":
        path = graph.path(path[0], rng.choice(boxes)["image_id"])
    if kind == "short":
        path = path[:rng.randint(1, len(path))]
    if kind == "over":
        path = path + [rng.choice(list(graph.edges[path[-1]])) for _ in range(1)]
    if kind == "jump" and len(path) > 2:
        path = [path[0], path[-1]]
    return path


def trajectory(rng, graph, path, item):
    path = walk(rng, graph, path, item["bboxes"])
    h, e = direction(rng, [b for b in item["bboxes"] if b["image_id"] == path[-1]])
    return {"path": [[v, 0.0, 0.0] for v in path], "obj_heading": [h], "obj_elevation": [e]}


def submission(rng, items, graphs):
    entries = []
    for number, item in enumerate(items):
        graph = graphs[item["scan"]]
        paths = item["path"][:-1] if number % 4 == 1 else list(item["path"])
        made = [trajectory(rng, graph, p, item) for p in paths]
        if number == 2:
            rng.shuffle(made)
        if number == 3:  # a wrong start, and a path with none
            starts = {p[0] for p in item["path"]}
            other = rng.choice([v for v in graph.edges if v not in starts])
            made[1]["path"] = [[v, 0.0, 0.0] for v in graph.path(other, paths[1][-1])]
        if number == 4:  # one more trajectory than paths
            made.append(trajectory(rng, graph, paths[0], item))
        if number == 6:
            del made[0]["obj_heading"], made[0]["obj_elevation"]
        if number != 9:  # 9 has no entry
            entries.append({"instr_id": item["instr_id"], "trajectory": made})
    rng.shuffle(entries)
    return entries


# ---------------------------------------------------------------- scores

def is_inside(corners, point):
    """Tells whether a point lies strictly inside a polygon, by crossings of a ray."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1]):
        cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if cross == 0 and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
            return False
        if (ay > y) != (by > y) and (cross > 0) == (by > ay):
            inside = not inside
    return inside


def nearest_turn(heading, centre):
    """Returns the exact heading of the turn around the centre."""
    turns = centre - heading
    return Fraction(heading) + math.floor(abs(turns) + 0.5) * (1 if turns > 0 else -1)


def hit(target, h, e, angles):
    """Returns RGS, HE, EE and PE of a direction and a box."""
    centre = normal(target["center"])
    corners = [normal(target[c]) for c in CORNERS]
    exact = [(Fraction(x), Fraction(y)) for x, y in corners]
    point = Fraction(h), Fraction(e)
    heading_error = centre[0] - h
    if angles == "wrap":
        exact = [(nearest_turn(x, centre[0]), Fraction(y)) for x, y in corners]
        point = nearest_turn(h, centre[0]), Fraction(e)
        heading_error = float(centre[0] - h - round(centre[0] - h))
    inside = is_inside(exact, point)
    errors = abs(heading_error), abs(centre[1] - e), math.hypot(heading_error, centre[1] - e)
    return inside, errors[0], errors[1], errors[2] if inside else None


def score(graph, item, reference, made, which, angles):
    path = [v for v, _, _ in made["path"]]
    goal = reference[-1]
    nearest = min(path, key=lambda v: graph.d(v, goal))
    boxes = [b for b in item["bboxes"] if b["image_id"] == path[-1]]
    row = dict.fromkeys(COLUMNS)
    row["RGS"] = 0.0
    if boxes:
        goal = path[-1]
        if "obj_heading" in made:
            target = boxes[0 if which == "first" else -1]["target"]
            inside, row["HE"], row["EE"], row["PE"] = hit(
                target, made["obj_heading"][0], made["obj_elevation"][0], angles)
            row["RGS"] = float(inside)
    row["PL"] = 0.0
    for u, v in zip(path, path[1:]):
        row["PL"] += graph.d(u, v)
    row["NE"], row["ONE"] = graph.d(path[-1], goal), graph.d(nearest, goal)
    row["SR"], row["OSR"] = float(row["NE"] < 3.0), float(row["ONE"] < 3.0)
    row["SP"] = graph.d(path[0], goal)
    row["GP"] = row["SP"] - row["NE"]
    row["SPL"] = row["SR"] * row["SP"] / max(row["SP"], row["PL"], 0.01)
    row["SFPL"] = row["RGS"] * row["SPL"]
    row["steps"] = len(path) - 1
    return row


def rows_of(item, graph, trajectories, which, angles):
    """Makes the rows of one annotation: each trajectory takes a path with its start."""
    starts = [p[0] for p in item["path"]]
    taken, of_path = set(), [[] for _ in starts]
    for made in trajectories:
        start = made["path"][0][0]
        free = [k for k, s in enumerate(starts) if s == start and k not in taken]
        if free or start in starts:
            k = free[0] if free else starts.index(start)
            taken.add(k)
            of_path[k].append(made)
    for made in trajectories:
        if made["path"][0][0] not in starts:
            k = next(k for k in range(len(starts)) if k not in taken)
            taken.add(k)
            of_path[k].append(made)
    for k, all_made in enumerate(of_path):
        head = {"instr_id": f"{item['instr_id']}_{k}", "status": "missing"}
        if not all_made:
            yield head
        for made in all_made:
            path = [v for v, _, _ in made["path"]]
            if path[0] != starts[k]:
                yield {**head, "status": "wrong_start"}
                continue
            jumps = any(v not in graph.edges[u] for u, v in zip(path, path[1:]) if u != v)
            status = "non_adjacent" if jumps else "duplicate_id" if len(all_made) > 1 else "ok"
            reference = item["path"][starts.index(path[0])]
            yield {**head, "status": status,
                   **score(graph, item, reference, made, which, angles)}


def cell(value):
    return "" if value is None else value if isinstance(value, str) else repr(value)


def main():
    rng = random.Random(SEED)
    graphs = {scan: Graph(scan) for scan in ("house_a", "house_b", "tower")}
    scans = ["house_b", "tower", "tower", "house_b", "tower", "house_b", "tower", "house_a",
             "tower", "house_b", "tower", "tower"]
    items = [annotation(rng, k, scan, graphs[scan]) for k, scan in enumerate(scans)]
    entries = submission(rng, items, graphs)
    for name, content in (("dataset", items), ("submission", entries)):
        text = ",\n".join(json.dumps(x, separators=(",", ":")) for x in content)
        (HERE / f"{name}.json").write_text(f"[\n{text}\n]\n")
    given = {e["instr_id"]: e["trajectory"] for e in entries}
    for name, (which, angles) in CONVENTIONS.items():
        with open(HERE / f"{name}.csv", "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["instr_id", "status"] + COLUMNS)
            for item in items:
                made = given.get(item["instr_id"], [])
                for row in rows_of(item, graphs[item["scan"]], made, which, angles):
                    table.writerow([cell(row.get(c)) for c in ["instr_id", "status"] + COLUMNS])


if __name__ == "__main__":
    main()

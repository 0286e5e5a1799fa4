#!/usr/bin/env python3
"""Writes the golden test set into this file's folder: synthetic input files and their scores.

The scores are a slow, literal transcription of the metric definitions. Keep it independent
of the C++ code, and keep it naive: its worth is that it can be checked by reading.
"""
import json
import math
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEED = 20240611
THRESHOLD = 3.0

PRESET_FIELDS = ("distance success spl_length spl_min_denominator spl_zero cls_zero cls_step "
                 "dtw_column edit_unit edit_den start adjacency instructions").split()
PRESETS = {line.split()[0]: dict(zip(PRESET_FIELDS, line.split()[1:])) for line in """
paper    3d   le SP  0    success_if_unmoved ls_one    shortest cost    edges      longer  note   note   all
r2r      3d   lt SP  0    undefined          ls_one    shortest cost    edges      longer  reject reject first3
envdrop  3d   lt SP  0.01 success_if_unmoved ls_one    shortest cost    edges      longer  reject note   all
duet     3d   lt PLR 0.01 success_if_unmoved undefined shortest cost    edges      longer  reject note   all
r4r      3d   le SP  0    success_if_unmoved undefined edge     cost    edges      longer  note   note   all
r4r-hops hops le SP  0    success_if_unmoved undefined edge     cost    edges      longer  note   note   all
valan    3d   lt SP  0    zero               cls_one   shortest per_PLR viewpoints product note   note   all
""".strip().splitlines()}

METRICS = ("PL NE ONE SR OSR AD MD SPL SED PC LS CLS DTW nDTW SDTW GP ED EPL SP PLR "
           "steps n_query n_query_raw n_ref").split()

# One line per path: scan, reference, and the agent's behaviour on instruction 0, 1, … A list is a
# reference by viewpoint index (house_a is laid out by hand).
PLAN = [
    ("house_b", "shortest", "follow shortest wander"),
    ("tower", "shortest", "noisy turning jump"),
    ("house_a", [3, 4, 5], "stop overshoot turning"),      # NE of stop is exactly 3
    ("tower", "walk 18", "follow shortest noisy"),
    ("house_b", "single", "stop spin out_and_back"),
    ("house_b", "loop", "stop spin follow"),
    ("tower", "joined", "follow shortest pass_goal"),
    ("house_b", "shortest", "noisy wrong_start turning wrong_start_jump"),
    ("house_a", [0, 3, 4, 5, 2], "shortest pass_goal"),    # 0-1-2 is not a path: 1 is excluded
    ("tower", "shortest", "overshoot"),
    ("house_b", "walk 9", "wander turning pass_goal"),
    ("tower", "walk 12", "overshoot wander noisy"),
    ("house_a", [6, 7, 8, 5], "follow wander stop"),
    ("house_b", "joined", "noisy shortest overshoot"),
    ("tower", "paused", "follow turning shortest"),        # the reference itself has a repeat
    ("house_b", "shortest", "pass_goal noisy wander"),
    ("tower", "joined", "turning noisy stop"),
    ("house_a", [5, 4, 7, 6, 3], "noisy shortest turning"),
    ("tower", "walk 6", "pass_goal follow wander"),
    ("house_b", "walk 14", "turning overshoot shortest"),
]


def plain_sum(values):
    """Sums from left to right. The built-in sum() compensates rounding from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


class Graph:
    def __init__(self, records):
        self.position = {r["image_id"]: r["pose"][3:12:4] for r in records if r["included"]}
        self.neighbours = {a["image_id"]: [b["image_id"] for b, is_open in
                                           zip(records, a["unobstructed"])
                                           if is_open and b["included"]]
                           for a in records if a["included"]}
        self.trees = {}

    def weight(self, u, v, kind):
        squares = [(a - b) * (a - b) for a, b in zip(self.position[u], self.position[v])]
        return {"hops": 1.0, "2d": math.sqrt(plain_sum(squares[:2])),
                "3d": math.sqrt(plain_sum(squares))}[kind]

    def dijkstra(self, source, kind):
        if (source, kind) not in self.trees:
            distance = {v: math.inf for v in self.neighbours}
            previous = {}
            distance[source] = 0.0
            unsettled = list(self.neighbours)
            while unsettled:
                u = min(unsettled, key=lambda v: distance[v])
                unsettled.remove(u)
                for v in self.neighbours[u]:
                    through_u = distance[u] + self.weight(u, v, kind)
                    if through_u < distance[v]:
                        distance[v] = through_u
                        previous[v] = u
            self.trees[source, kind] = distance, previous
        return self.trees[source, kind]

    def shortest_path(self, u, v):
        previous = self.dijkstra(u, "3d")[1]
        path = [v]
        while path[-1] != u:
            path.append(previous[path[-1]])
        return path[::-1]


def path_length(graph, path, preset):
    kind = preset["distance"]
    return plain_sum(graph.dijkstra(u, kind)[0][v] for u, v in zip(path, path[1:]))


def length_in_cls(graph, path, preset):
    """Returns None if a step has no length."""
    if preset["cls_step"] == "shortest":
        return path_length(graph, path, preset)
    steps = list(zip(path, path[1:]))
    if any(v not in graph.neighbours[u] for u, v in steps):
        return None
    return plain_sum(graph.weight(u, v, preset["distance"]) for u, v in steps)


def dtw_cost(d, query, reference):
    table = [[math.inf] * (len(reference) + 1) for _ in range(len(query) + 1)]
    table[0][0] = 0.0
    for i, q in enumerate(query, 1):
        for j, r in enumerate(reference, 1):
            table[i][j] = d(q, r) + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[-1][-1]


def levenshtein(a, b):
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    return table[-1][-1]


def score(graph, preset, collapse, instruction, raw_query, reference):
    """Returns the status and a dict with the value of each metric; None for no value."""
    def d(u, v):
        return graph.dijkstra(u, preset["distance"])[0][v]

    def is_success(distance):
        return int(distance <= THRESHOLD if preset["success"] == "le" else distance < THRESHOLD)

    query = [v for i, v in enumerate(raw_query)
             if not (collapse and i > 0 and v == raw_query[i - 1])]
    statuses = []    # in order of precedence
    if preset["instructions"] == "first3" and instruction >= 3:
        return "not_scored", {}
    if query[0] != reference[0]:
        statuses.append("wrong_start")
        if preset["start"] == "reject":
            return statuses[0], {}
    if any(u != v and v not in graph.neighbours[u] for u, v in zip(query, query[1:])):
        statuses.append("non_adjacent")
        if preset["adjacency"] == "reject":
            return statuses[0], {}

    goal = reference[-1]
    PL = path_length(graph, query, preset)
    PLR = path_length(graph, reference, preset)
    cls_query, cls_reference = (length_in_cls(graph, p, preset) for p in (query, reference))
    if cls_query is None or cls_reference is None:
        statuses.append("length_undefined")
    NE = d(query[-1], goal)
    ONE = min(d(q, goal) for q in query)
    SR, OSR = is_success(NE), is_success(ONE)
    SP = d(query[0], goal)
    GP = d(reference[0], goal) - NE
    deviations = [min(d(q, r) for r in reference) for q in query]
    AD, MD = plain_sum(deviations) / len(query), max(deviations)

    L = SP if preset["spl_length"] == "SP" else PLR
    if SR == 0:
        SPL = 0.0
    elif max(PL, L, float(preset["spl_min_denominator"])) > 0:
        SPL = L / max(PL, L, float(preset["spl_min_denominator"]))
    else:    # 0/0; PL is 0 here, so "success_if_unmoved" is always 1
        SPL = {"success_if_unmoved": 1.0, "zero": 0.0, "undefined": None}[preset["spl_zero"]]
        statuses += ["spl_undefined"] if SPL is None else []

    PC = plain_sum(math.exp(-min(d(r, q) for q in query) / THRESHOLD)
                   for r in reference) / len(reference)
    EPL = None if cls_reference is None else PC * cls_reference
    if cls_query is None or EPL is None:
        LS = CLS = None
    elif EPL == 0 and cls_query == 0:
        LS, CLS = {"ls_one": (1.0, PC), "cls_one": (1.0, 1.0),
                   "undefined": (None, None)}[preset["cls_zero"]]
        statuses += ["cls_undefined"] if CLS is None else []
    else:
        LS = EPL / (EPL + abs(EPL - cls_query))
        CLS = PC * LS

    DTW = dtw_cost(d, query, reference)
    nDTW = math.exp(-DTW / (THRESHOLD * len(reference)))
    SDTW = SR * nDTW
    if preset["dtw_column"] == "per_PLR":
        DTW = DTW / PLR if PLR else None
        statuses += ["dtw_undefined"] if DTW is None else []

    a, b = query, reference
    if preset["edit_unit"] == "edges":
        a, b = list(zip(a, a[1:])), list(zip(b, b[1:]))
    ED = levenshtein(a, b)
    den = max(len(a), len(b)) if preset["edit_den"] == "longer" else len(a) * len(b)
    SED = SR * (1 - ED / den) if den > 0 else float(SR if ED == 0 else 0)

    return (statuses + ["ok"])[0], dict(
        PL=PL, NE=NE, ONE=ONE, SR=SR, OSR=OSR, AD=AD, MD=MD, SPL=SPL, SED=SED, PC=PC, LS=LS,
        CLS=CLS, DTW=DTW, nDTW=nDTW, SDTW=SDTW, GP=GP, ED=ED, EPL=EPL, SP=SP, PLR=PLR,
        steps=len(query) - 1, n_query=len(query), n_query_raw=len(raw_query), n_ref=len(reference))


def scan_records(rng, positions, excluded, is_open):
    indices = range(len(positions))
    records = []
    for i, (x, y, z) in enumerate(positions):
        angle = rng.random() * 2 * math.pi
        c, s = round(math.cos(angle), 5), round(math.sin(angle), 5)
        unobstructed = [i != j and is_open(min(i, j), max(i, j)) for j in indices]
        # Many pairs are visible but obstructed, so that reading the wrong list is noticed.
        visible = [i != j and (unobstructed[j] or math.dist(positions[i], positions[j]) < 7)
                   for j in indices]
        records.append({"image_id": f"{rng.getrandbits(128):032x}",
                        "pose": [c, -s, 0, x, s, c, 0, y, 0, 0, 1, z, 0, 0, 0, 1],
                        "included": i not in excluded, "visible": visible,
                        "unobstructed": unobstructed, "height": round(1.4 + rng.random() / 5, 5)})
    return records


def make_grid_scan(rng, excluded):
    """Makes a 3 x 3 grid in exact binary fractions, 0.25 m higher from row to row."""
    positions = [(1.5 * (i % 3), 1.5 * (i // 3), 0.25 * (i // 3)) for i in range(9)]
    return scan_records(rng, positions, excluded,
                        lambda i, j: j - i == 3 or (j - i == 1 and j % 3 > 0))


def make_random_scan(rng, floors, per_floor, reach, excluded, isolated):
    """Makes floors of scattered viewpoints. The first viewpoint of a floor has the stairs."""
    positions = [(round(rng.random() * 10, 5), round(rng.random() * 8, 5),
                  round(2.8 * (i // per_floor) + rng.random() / 2, 5))
                 for i in range(floors * per_floor)]
    distance = [[math.dist(a, b) for b in positions] for a in positions]

    def is_open(i, j):    # i < j
        if {i, j} & isolated:
            return bool({i, j} & excluded)    # a path that leads nowhere
        if i // per_floor != j // per_floor:
            return j - i == per_floor and i % per_floor == 0 or (
                bool({i, j} & excluded) and distance[i][j] < reach)
        earlier = [k for k in range(j - j % per_floor, j) if k not in excluded | isolated]
        return distance[i][j] < reach or i == min(earlier, key=lambda k: distance[k][j])
    return scan_records(rng, positions, excluded, is_open)


def walk(rng, graph, start, nodes):
    """Walks at random; turns back only if there is no other way."""
    path = [start]
    while len(path) < nodes:
        ways = graph.neighbours[path[-1]]
        path.append(rng.choice([v for v in ways if v not in path[-2:-1]] or ways))
    return path


def far_pair(rng, graph):
    names = [v for v, ways in graph.neighbours.items() if ways]
    while True:
        u, v = rng.choice(names), rng.choice(names)
        if len(graph.shortest_path(u, v)) >= 4:
            return u, v


def make_reference(rng, graph, kind):
    u, v = far_pair(rng, graph)
    if kind.startswith("walk"):
        return walk(rng, graph, u, int(kind.split()[1]))
    out = graph.shortest_path(u, v)
    return {"shortest": out, "single": [u], "loop": out + out[-2::-1],
            "joined": out + graph.shortest_path(v, far_pair(rng, graph)[0])[1:],
            "paused": out[:2] + out[1:]}[kind]


def make_query(rng, graph, kind, reference):
    start, goal = reference[0], reference[-1]
    shortest = graph.shortest_path(start, goal)
    elsewhere = [start]
    while elsewhere[0] == start or len(elsewhere) < 4:
        elsewhere = graph.shortest_path(far_pair(rng, graph)[0], goal)
    noisy = []
    for v in reference:
        noisy += rng.choice([[v], [v], [v, rng.choice(graph.neighbours[v]), v]])
    return {"follow": reference,
            "shortest": shortest,
            "wander": walk(rng, graph, start, rng.randrange(4, 11)),
            "stop": [start],
            "spin": [start, start, start],
            "out_and_back": [start, graph.neighbours[start][0], start],
            "overshoot": shortest + walk(rng, graph, goal, 3)[1:],
            "pass_goal": reference + walk(rng, graph, goal, rng.randrange(6, 11))[1:],
            "noisy": noisy[:-2],    # stops short
            "turning": noisy[:1] + [v for v in noisy for _ in range(rng.choice([1, 1, 2, 3]))],
            "jump": reference[:1] + reference[2:],    # not an edge: it would be a shorter path
            "wrong_start": elsewhere,
            "wrong_start_jump": elsewhere[:1] + elsewhere[2:]}[kind]


def write(name, lines):
    (HERE / name).parent.mkdir(parents=True, exist_ok=True)
    (HERE / name).write_bytes(("\n".join(lines) + "\n").encode())


def write_json(name, items):
    write(name, ["[" + ",\n".join(json.dumps(i, separators=(",", ":")) for i in items) + "]"])


def write_golden(rng):
    scans = {"house_a": make_grid_scan(rng, {1}),
             "house_b": make_random_scan(rng, 1, 20, 2.6, {4, 11}, set()),
             "tower": make_random_scan(rng, 4, 10, 3.2, {5, 17, 28}, {33})}
    graphs = {scan: Graph(records) for scan, records in scans.items()}
    dataset, predictions, items = [], [], []
    for path_id, (scan, kind, agents) in zip(rng.sample(range(1000, 9999), len(PLAN)), PLAN):
        graph = graphs[scan]
        reference = ([scans[scan][i]["image_id"] for i in kind] if isinstance(kind, list)
                     else make_reference(rng, graph, kind))
        dataset.append({"distance": round(path_length(graph, reference, PRESETS["paper"]), 2),
                        "scan": scan, "path_id": path_id, "path": reference,
                        "heading": round(rng.random() * 6, 3),
                        "instructions": ["" for _ in agents.split()]})
        for k, agent in enumerate(agents.split()):
            query = make_query(rng, graph, agent, reference)
            items.append((f"{path_id}_{k}", graph, k, query, reference))
            predictions.append({"instr_id": f"{path_id}_{k}", "trajectory": [
                [v, round(rng.random() * 6, 3), round(rng.random() - 0.5, 3)] for v in query]})
    rng.shuffle(predictions)    # the order of the scores comes from the dataset

    for scan, records in scans.items():
        write_json(f"connectivity/{scan}_connectivity.json", records)
    write_json("dataset.json", dataset)
    write_json("predictions.json", predictions)
    for name, preset in PRESETS.items():
        for collapse, suffix in ((False, ""), (True, "_collapse")):
            lines = [",".join(["instr_id", "status"] + METRICS)]
            for instr_id, graph, k, query, reference in items:
                status, values = score(graph, preset, collapse, k, query, reference)
                cells = ["" if values.get(m) is None else repr(values[m]) for m in METRICS]
                lines.append(",".join([instr_id, status] + cells))
            write(f"scores/{name}{suffix}.csv", lines)


if __name__ == "__main__":
    write_golden(random.Random(SEED))

#!/usr/bin/env python3
"""Writes a small NDH set with regions and a small RxR set into targets/, with their scores.

As in make_golden.py, the scores are a slow, literal transcription of the definitions.
"""
import csv
import io
import json
import random

from make_golden import HERE, THRESHOLD, Graph, make_query, plain_sum, score, write, write_json

SEED = 20261123
FIELDS = ("distance success spl_length spl_min_denominator spl_zero cls_zero cls_step "
          "dtw_column edit_unit edit_den start adjacency instructions").split()
PRESETS = {line.split()[0]: dict(zip(FIELDS, line.split()[1:])) for line in """
ndh 3d lt SP 0 success_if_unmoved ls_one shortest cost edges longer reject reject all
ndh-hamt 3d lt SP 0.01 success_if_unmoved undefined shortest cost edges longer note note all
navillm-ndh 3d lt PLR 0.01 success_if_unmoved undefined shortest cost edges longer reject note all
rxr 3d lt SP 0 zero cls_one shortest cost viewpoints product note note all
""".strip().splitlines()}
NDH_METRICS = "PL NE ONE SR OSR SPL GP OGP OPE OPSR".split()
RXR_METRICS = "PL NE SR SPL CLS DTW nDTW SDTW steps".split()
AGENTS = "follow shortest wander stop noisy overshoot pass_goal jump".split()


def load_graphs():
    graphs = {}
    for scan in ("house_b", "tower"):
        records = json.loads((HERE / f"connectivity/{scan}_connectivity.json").read_text())
        graphs[scan] = Graph(records)
    return graphs


def trusted_path(item):
    passes_goal = item["planner_path"][-1] in item["player_path"][1:]
    return item["player_path"] if passes_goal else item["planner_path"]


def ndh_scores(graph, item, query, reference, convention):
    status, values = score(graph, PRESETS[convention], False, 0, query, reference)
    if not values:
        return status, {}

    def d(u, v):
        return graph.dijkstra(u, "3d")[0][v]

    def to_region(u):
        return min(d(u, e) for e in item["end_panos"])

    values["GP"] = to_region(query[0]) - to_region(query[-1])
    values["OGP"] = to_region(query[0]) - min(to_region(q) for q in query)
    values["OPE"] = min(d(q, item["planner_path"][-1]) for q in query)
    values["OPSR"] = int(values["OPE"] < THRESHOLD)
    if convention == "ndh-hamt":
        nearest = to_region(query[0])
        values["SR"] = int(query[-1] in item["end_panos"])
        values["OSR"] = int(any(q in item["end_panos"] for q in query))
        values["SPL"] = values["SR"] * nearest / max(values["PL"], nearest, 0.01)
    return status, values


def cells_of(values, metrics):
    return ["" if values.get(m) is None else repr(values[m]) for m in metrics]


def csv_lines(header, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header] + rows)
    return out.getvalue().splitlines()


def far_shortest(rng, graph):
    names = [v for v, ways in graph.neighbours.items() if ways]
    while True:
        path = graph.shortest_path(rng.choice(names), rng.choice(names))
        if len(path) >= 4:
            return path


def write_ndh(rng, graphs):
    items, predictions, queries = [], [], []
    for k in range(24):
        scan = rng.choice(sorted(graphs))
        graph = graphs[scan]
        planner = far_shortest(rng, graph)
        goal = planner[-1]
        region = [goal] + [v for v in graph.neighbours[goal] if rng.random() < 0.5]
        # Half of the regions begin a step away from the planner's last viewpoint.
        player = make_query(rng, graph, ("pass_goal", "wander", "noisy")[k % 3], planner)
        item = {"inst_idx": 500 + k, "scan": scan, "end_panos": region[k % 2:] or region,
                "planner_path": planner, "player_path": player}
        query = make_query(rng, graph, AGENTS[k % len(AGENTS)], planner)
        items.append(item)
        queries.append(query)
        predictions.append({"inst_idx": item["inst_idx"], "trajectory": [[v, 0, 0] for v in query]})
    rng.shuffle(predictions)
    write_json("targets/ndh.json", items)
    write_json("targets/ndh_agent.json", predictions)
    rows = []
    for convention, references in (("ndh", ("player", "planner", "trusted")),
                                   ("ndh-hamt", ("trusted",)), ("navillm-ndh", ("planner",))):
        for reference in references:
            for item, query in zip(items, queries):
                path = trusted_path(item) if reference == "trusted" else item[f"{reference}_path"]
                status, values = ndh_scores(graphs[item["scan"]], item, query, path, convention)
                rows.append([convention, reference, item["inst_idx"], status]
                            + cells_of(values, NDH_METRICS))
    write("targets/ndh_scores.csv", csv_lines(
        ["preset", "reference", "instr_id", "status"] + NDH_METRICS, rows))


def moved(rng, graph):
    """Returns the graph with other positions, some centimetres away."""
    other = Graph([])
    other.neighbours = graph.neighbours
    other.position = {v: [round(x + rng.uniform(-0.05, 0.05), 6) for x in position]
                      for v, position in graph.position.items()}
    return other


def write_rxr(rng, graphs):
    published = {scan: moved(rng, graph) for scan, graph in sorted(graphs.items())}
    guide, follower, rows = [], [], []
    for k in range(18):
        scan = rng.choice(sorted(graphs))
        path = make_query(rng, graphs[scan], "pass_goal", far_shortest(rng, graphs[scan]))
        item = {"split": "val_seen", "instruction_id": 70 + k, "annotator_id": 1 + k % 5,
                "language": ("en-US", "en-IN", "hi-IN", "te-IN")[k % 4], "path_id": k, "scan": scan,
                "path": path, "heading": 0.0, "instruction": "", "timed_instruction": [],
                "edit_distance": 0.1}
        guide.append(item)
        # Every fourth instruction has two followers.
        for repeat in range(2 if k % 4 == 3 else 1):
            query = make_query(rng, graphs[scan], AGENTS[(k + repeat) % len(AGENTS)], path)
            status, poses = score(graphs[scan], PRESETS["rxr"], False, 0, query, path)
            _, given = score(published[scan], PRESETS["rxr"], False, 0, query, path)
            names = {"ne": "NE", "sr": "SR", "spl": "SPL", "dtw": "DTW", "ndtw": "nDTW",
                     "sdtw": "SDTW"}
            follower.append({"demonstration_id": 900 + len(follower), "instruction_id": 70 + k,
                             "annotator_id": 30 + repeat, "path": query,
                             "metrics": {key: given[name] for key, name in names.items()}})
            status = "duplicate_id" if status == "ok" and k % 4 == 3 else status
            for name, values in (("rxr", poses), ("rxr-published", given)):
                rows.append([name, 70 + k, item["language"], status]
                            + cells_of(values, RXR_METRICS))
    for name, lines in (("guide", guide), ("follower", follower)):
        write(f"targets/rxr_{name}.jsonl", [json.dumps(x, separators=(",", ":")) for x in lines])
    coordinates = [[scan, v] + position for scan, graph in published.items()
                   for v, position in graph.position.items()]
    write("targets/rxr_coordinates.csv",
          csv_lines(["scan", "viewpoint", "x", "y", "z"], coordinates))
    write("targets/rxr_scores.csv", csv_lines(
        ["preset", "instr_id", "language", "status"] + RXR_METRICS, rows))
    means = {}
    for language in ("en-IN", "en-US", "hi-IN", "te-IN"):
        column = 4 + RXR_METRICS.index("nDTW")
        values = [float(r[column]) for r in rows if r[0] == "rxr" and r[2] == language]
        means[language] = plain_sum(values) / len(values)
    write("targets/rxr_ndtw_by_language.json", [json.dumps(means)])


if __name__ == "__main__":
    write_ndh(random.Random(SEED), load_graphs())
    write_rxr(random.Random(SEED + 1), load_graphs())

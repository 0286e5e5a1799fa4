#!/usr/bin/env python3
"""Writes a small made-up REVERIE set into targets/reverie/: items, boxes, predictions and scores.

As in make_golden.py, the scores are a slow, literal transcription of the definitions.
"""
import json
import random

from make_golden import HERE, Graph, make_query, make_reference, path_length, write, write_json

SEED = 20261124
FOLDER = "targets/reverie"
METRICS = "PL SP SR OSR SPL RGS RGSPL".split()
METRES = {"distance": "3d"}

# One line per path: scan, reference, what the target's boxes are like, and the agent's behaviour on
# instruction 0, 1, …
PLAN = [
    ("tower", "shortest", "seen", "follow shortest wander"),
    ("tower", "walk 12", "seen", "follow shortest noisy"),
    ("house_b", "shortest", "seen", "stop overshoot turning"),
    ("house_b", "walk 9", "seen", "jump pass_goal out_and_back"),
    ("house_b", "single", "seen", "stop spin wander"),             # SPL is 0/0 for stop and spin
    ("tower", "shortest", "nowhere", "follow wander"),             # listed, but without a view
    ("tower", "walk 6", "elsewhere", "follow shortest overshoot"),  # not seen from the end
    ("house_a", "shortest", "excluded", "follow pass_goal"),       # and off the graph
    ("house_a", "shortest", "seen", "wrong_start follow"),
    ("tower", "joined", "seen", "follow shortest pass_goal wander"),
]


def make_boxes(rng, scans, graphs):
    """Lists up to six objects at every viewpoint, some of them without a view that shows them."""
    boxes = {}
    for scan, graph in graphs.items():
        for record in scans[scan]:
            viewpoint = record["image_id"]
            if viewpoint in graph.neighbours and rng.random() < 0.8:
                objects = {str(rng.randrange(200, 260)): rng.random() < 0.7
                           for _ in range(rng.randrange(6))}
                boxes[f"{scan}_{viewpoint}"] = {o: box(rng, seen) for o, seen in objects.items()}
    return boxes


def box(rng, is_seen):
    views = sorted(rng.sample(range(36), rng.randrange(1, 4))) if is_seen else []
    corners = [[rng.randrange(600), rng.randrange(440), 40, 40] for _ in views]
    return {"name": "made up", "visible_pos": views, "bbox2d": corners}


def add_target(rng, boxes, scans, graphs, scan, reference, target, kind):
    """Lists a target at the end of the reference and at three other viewpoints, as `kind` says."""
    others = [v for v in graphs[scan].neighbours if v != reference[-1]]
    seen = rng.sample(others, 3)
    if kind != "elsewhere":
        seen.append(reference[-1])
    if kind == "excluded":
        seen += [r["image_id"] for r in scans[scan] if not r["included"]]
    for viewpoint in seen:
        here = boxes.setdefault(f"{scan}_{viewpoint}", {})
        here[str(target)] = box(rng, kind != "nowhere")


def score(graph, boxes, item, query, named, preset):
    """Transcribes eval_release.py, and reverie/env.py of VLN-DUET and ScaleVLN."""
    reference, target = item["path"], str(item["objId"])
    if query[0] != reference[0]:
        return "wrong_start", {}

    def is_visible(viewpoint):
        objects = boxes.get(f"{item['scan']}_{viewpoint}", {})
        return target in objects and len(objects[target]["visible_pos"]) > 0

    length = path_length(graph, query, METRES)
    shortest = graph.dijkstra(query[0], "3d")[0][reference[-1]]
    success = int(is_visible(query[-1]))
    rgs = int(str(named) == target)
    if preset == "scalevln-reverie":
        rgs = rgs * success
    ideal, floor = shortest, 0.0
    if preset != "reverie":
        ideal, floor = path_length(graph, reference, METRES), 0.01
    divisor = max(length, ideal, floor)
    status = "ok"
    if any(v != u and v not in graph.neighbours[u] for u, v in zip(query, query[1:])):
        status = "non_adjacent"
    values = {"PL": length, "SP": shortest, "SR": success,
              "OSR": int(any(is_visible(v) for v in query)), "RGS": rgs}
    for metric, gate in (("SPL", success), ("RGSPL", rgs)):
        if gate == 0:
            values[metric] = 0.0
        elif divisor > 0:
            values[metric] = ideal / divisor
        else:
            status = "spl_undefined"
    return status, values


def make_named(rng, target):
    """Names the target or another object, as a number or as text, or none."""
    return rng.choice([target, target, str(target), target + 1, -1, None])


def write_set(rng):
    scans = {s: json.loads((HERE / f"connectivity/{s}_connectivity.json").read_text())
             for s in ("house_a", "house_b", "tower")}
    graphs = {scan: Graph(records) for scan, records in scans.items()}
    boxes = make_boxes(rng, scans, graphs)
    items, predictions, nested, queries = [], [], [], []
    for path_id, (scan, kind, target_kind, agents) in enumerate(PLAN, 4001):
        target = 20 + path_id % 100
        reference = make_reference(rng, graphs[scan], kind)
        add_target(rng, boxes, scans, graphs, scan, reference, target, target_kind)
        items.append({"id": f"{path_id}_{target}", "path_id": path_id, "objId": target,
                      "scan": scan, "path": reference, "heading": round(rng.random() * 6, 3),
                      "instructions": ["" for _ in agents.split()]})
        for k, agent in enumerate(agents.split()):
            query = make_query(rng, graphs[scan], agent, reference)
            named = make_named(rng, target)
            instr_id = f"{path_id}_{target}_{k}"
            queries.append((instr_id, items[-1], query, named))
            predictions.append({"instr_id": instr_id, "predObjId": named, "trajectory": [
                [v, round(rng.random() * 6, 3), 0.0] for v in query]})
            moves = [query[:1]] + [query[i:i + 2] for i in range(1, len(query), 2)]
            nested.append({"instr_id": instr_id, "pred_objid": named, "trajectory": moves})
    rng.shuffle(predictions)    # the order of the scores comes from the dataset

    write_json(f"{FOLDER}/dataset.json", items)
    write_json(f"{FOLDER}/predictions.json", predictions)
    write_json(f"{FOLDER}/nested.json", nested)
    write(f"{FOLDER}/boxes.json", ["{" + ",\n".join(
        f"{json.dumps(place)}:{json.dumps(objects, separators=(',', ':'))}"
        for place, objects in boxes.items()) + "}"])
    for preset in ("reverie", "duet-reverie", "scalevln-reverie"):
        lines = [",".join(["instr_id", "status", "n_query"] + METRICS)]
        for instr_id, item, query, named in queries:
            status, values = score(graphs[item["scan"]], boxes, item, query, named, preset)
            cells = ["" if values.get(m) is None else repr(values[m]) for m in METRICS]
            lines.append(",".join([instr_id, status, str(len(query))] + cells))
        write(f"{FOLDER}/{preset}.csv", lines)


if __name__ == "__main__":
    write_set(random.Random(SEED))

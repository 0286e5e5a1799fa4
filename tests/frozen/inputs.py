"""Makes the inputs of calls.txt that are not in tests/golden."""
import gzip
import json
import pathlib

tests = pathlib.Path(__file__).resolve().parents[1]
golden = tests / "golden"


class Folder:
    """Writes text, bytes, or objects as JSON or JSON Lines; packed where the name says it."""

    def __init__(self, path):
        self.path = path

    def write(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, (str, bytes)):
            lines = name.endswith(".jsonl")
            content = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
        content = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def load(name):
    return json.loads((golden / name).read_text())


def entries(pairs, id="instr_id", path="trajectory"):
    return [{id: of, path: steps} for of, steps in pairs]


def make_inputs(path, data):
    """Writes all into a folder. @param data the folder of the real data, or None"""
    made = Folder(path)
    agent = [(entry["instr_id"], entry["trajectory"]) for entry in load("predictions.json")]
    make_predictions(made.write, agent)
    make_datasets(made.write, load("dataset.json"))
    make_coordinates(made.write)
    make_positions(made.write)
    make_dumps(made.write)
    make_world(made.write)
    make_bad(made.write)
    if data:
        episodes = json.loads(gzip.open(f"{data}/VLNCE_R2R_val_seen.json.gz").read())
        made.write("truth.json", {str(e["episode_id"]): {"locations": e["gt_locations_v1_3"]}
                                  for e in episodes})


def make_predictions(write, agent):
    """Writes the golden predictions in other forms, with gaps and repeats, and their successes."""
    paths = [(id, [step[0] for step in steps]) for id, steps in agent]
    write("viewpoints.json", entries((id, [[v] for v in path]) for id, path in paths))
    write("plain.json", entries(paths))
    write("objects.json", entries(
        (id, [dict(zip(("viewpointId", "heading", "elevation"), step)) for step in steps])
        for id, steps in agent))
    write("nested.json", entries(
        (id, [path[k:k + 2] for k in range(0, len(path), 2)]) for id, path in paths))
    write("follower.json", {id: {"trajectory": steps, "score": -1} for id, steps in agent})
    write("beams.json", {id: [{"trajectory": steps}, {"trajectory": []}] for id, steps in agent})
    write("results.json", {"sr": 0.5, "results": [{"sr": 1}, *entries(paths)]})
    write("pred_path.json", entries(paths, path="pred_path"))
    write("bare.json", dict(paths))
    write("lines.jsonl", entries(paths, "instruction_id", "path"))
    write("agent.json.gz", entries(agent))
    for k in (0, 1):
        write(f"half_{k}.json", entries(agent[k::2]))
    write("twice.json", entries([*agent, *((id, steps[:1]) for id, steps in agent[:9])]))
    write("gaps.json", entries([*agent[5:], ("7_7", agent[0][1]), (agent[0][0], []),
                                (agent[1][0], [["z", 0, 0]]), (agent[2][0], agent[2][1][::2])]))
    write("success.json", {id: k % 3 / 2 for k, (id, _) in enumerate(agent)})
    write("success.csv", "".join(f"{id},{k % 2}\n" for k, (id, _) in enumerate(agent)))
    write("success.jsonl", [{"instr_id": id, "success": k % 2} for k, (id, _) in enumerate(agent)])
    follower = (golden / "targets/rxr_follower.jsonl").read_text().splitlines()
    write("again.jsonl", "\n".join([*follower, *follower[:5:-1]]))


def make_datasets(write, items):
    """Writes the golden dataset in other forms, and predictions of its sub-instructions."""
    write("r2r.jsonl", items)
    write("r2r.json.gz", items)
    write("long.json", [e for e in items if len(e["path"]) > 1])
    write("r4r.json", [{**e, "first_path_id": 1, "shortest_path": e["path"][:1]} for e in items])
    write("single.jsonl", [
        {"instr_id": f"{e['path_id']}_{k}", "scan": e["scan"], "path": e["path"], "instruction": ""}
        for e in items for k in range(len(e["instructions"]))])
    cut = [(e, len(e["path"])) for e in items if len(e["path"]) > 2]
    write("fgr2r.json", [{**e, "chunk_view": [[[1, 2], [2, n]]] * len(e["instructions"])}
                         for e, n in cut])
    write("landmark.json", [
        {"instruction_id": e["path_id"], "scan": e["scan"], "path": e["path"],
         "sub_paths": [e["path"][:2], e["path"][1:]], "sub_instructions": ["", ""]}
        for e, n in cut])
    write("fgr2r_agent.json", {f"{e['path_id']}_{k}_{part}": e["path"][part:n - k]
                               for e, n in cut for k in range(4) for part in (0, 1)
                               if part < n - k})
    write("landmark_agent.json", {f"{e['path_id']}_{part}": e["path"][part:]
                                  for e, _ in cut for part in (0, 1)})


def make_coordinates(write):
    """Writes coordinates that differ from the graphs' in all forms, and boxes as a folder."""
    places = {}
    for file in sorted((golden / "connectivity").glob("*.json")):
        places[file.name.removesuffix("_connectivity.json")] = {
            e["image_id"]: [e["pose"][3] + 0.25, e["pose"][7], e["pose"][11] * 0.5]
            for e in json.loads(file.read_text())}
    write("c.json", places)
    write("c.txt", "".join(f"{scan} {viewpoint} {x} {y} {z}\n" for scan, of in places.items()
                           for viewpoint, (x, y, z) in of.items()))
    for scan, of in places.items():
        write(f"house/{scan}.house", f"ASCII 1.\nH - - {len(of)} 0\n" + "".join(
            f"P {viewpoint} {k} 0 0 {x} {y} {z} 0 0 0 0 0\n"
            for k, (viewpoint, (x, y, z)) in enumerate(of.items())))
    for place, content in load("targets/reverie/boxes.json").items():
        write(f"boxes/{place}.json", {place.rsplit("_", 1)[1]: content})


def make_positions(write):
    """Writes VLN-CE's golden predictions in other forms, and its episodes with instructions."""
    walked = {k: [e["position"] for e in steps]
              for k, steps in load("targets/vlnce/predictions.json").items()}
    write("points.json", walked)
    write("points.jsonl", entries(((int(k) + 500, path) for k, path in walked.items()),
                                  "instruction_id", "path"))
    episodes = load("targets/vlnce/episodes.json")["episodes"]
    write("ce.json", {"episodes": [
        {**e, "instruction": {"instruction_id": int(e["episode_id"]) + 500, "instruction_text": "",
                              "language": ("en-US", "hi-IN", "te-IN")[k % 3]}}
        for k, e in enumerate(episodes)]})
    write("list.json", [{"episode_id": k, "trajectory": path, "stop": int(k) % 2 == 0}
                        for k, path in walked.items()])


def make_dumps(write):
    """Writes the dumps of aggregate's goldens, one as a file per episode and as those of ranks."""
    goldens = json.loads((tests / "aggregate/aggregate_goldens.json").read_text())
    for case, content in goldens.items():
        write(f"dumps/{case}.jsonl", "\n".join(content["lines"]))
    lines = goldens["not_finite"]["lines"]
    for k, line in enumerate(lines):
        write(f"navid/{k}.json", line)
    for rank in (0, 1):
        write(f"stats_r{rank}_w2.json", "{" + ",".join(
            f'"{k}": {line}' for k, line in enumerate(lines) if k % 2 == rank) + "}")


def make_world(write):
    """Writes the world of tests/rewards in every form of graphs, and three paths through it."""
    edges = [["A", "B", 2.0], ["B", "C", 1.5], ["C", "D", 2.5], ["B", "E", 4.0], ["D", "F", 0.8],
             ["F", "G", 1.0]]
    nodes = [{"id": name, "position": [k, k % 2]} for k, name in enumerate("ABCDEFG")]
    write("w.json", {"scan": "w", "nodes": nodes, "edges": edges})
    write("one_way.json", {"scan": "w", "directed": True, "nodes": nodes, "edges": edges + [
        [b, a, length + 1] for a, b, length in edges]})
    write("w.csv", "from,to,weight\n" + "".join(f"{a},{b},{n}\n" for a, b, n in edges))
    joined = {name: {} for name in "ABCDEFG"}
    for a, b, length in edges:
        joined[a][b] = joined[b][a] = {"distance": length}
    write("w_navigable.json", joined)
    connectivity = [
        {"image_id": name, "included": True, "unobstructed": [other in joined[name]
                                                              for other in joined],
         "pose": [1, 0, 0, k, 0, 1, 0, k % 2, 0, 0, 1, 0, 0, 0, 0, 1]}
        for k, name in enumerate(joined)]
    write("w_connectivity.json", connectivity)
    write("street/nodes.txt", "".join(f"{name},0,40.{k},-73.99\n" for k, name in enumerate(joined)))
    write("street/links.txt", "".join(f"{a},0,{b}\n{b},180,{a}\n" for a, b, _ in edges))
    write("world.json", [{"path_id": 1, "scan": "w", "path": list("ABCD"), "heading": 0.5,
                          "distance": 6, "instructions": ["", "", ""]}])
    write("agent.json", entries((f"1_{k}", [[name, 0, 0] for name in path])
                                for k, path in enumerate(("ABC", "ABEB", "ABCDFG"))))
    spoil = {"short": {"pose": [1, 2, 3]}, "pose": {"pose": [float("nan")] * 16},
             "asymmetric": {"unobstructed": [False] * 7}, "twice": {"image_id": "B"}}
    for name, wrong in spoil.items():
        write(f"bad/{name}/w_connectivity.json", [{**connectivity[0], **wrong}, *connectivity[1:]])


def make_bad(write):
    """Writes files that cannot be used."""
    good = json.dumps(entries((f"1_{k}", [["A", 0, 0]]) for k in range(3)))
    packed = gzip.compress(good.encode(), mtime=0)
    for name, content in {
            "truncated": good[:60], "empty": "", "bare_keys": "[{instr_id: 1}]",
            "quotes": "[{'instr_id': '1_0'}]", "page": "\n<!DOCTYPE html>\n<html></html>\n",
            "lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "not_found": "404: Not Found", "zip": "PK\x03\x04\x14", "pickle": b"\x80\x04\x95",
            "table": "instr_id,path\n1_0,a b\n", "latin": good.encode().replace(b"A", b"\xff"),
            "utf16": good.encode("utf-16-le"), "number": "7 ", "strings": '["x"]',
            "half": packed[:40], "damaged": packed[:20] + b"UU" + packed[22:],
            "no_id": '[{"name":"1_0","trajectory":[]}]', "no_path": '[{"instr_id":"1_0","way":[]}]',
            "nan_id": '[{"instr_id":NaN,"trajectory":[]}]', "deep": "[" * 5000 + "]" * 5000,
            "object": "{}", "list": "[]", "question": '[{"question":"?"}]',
            "no_scan": '[{"path_id":1,"path":["A"],"instructions":[""]}]',
            "twice": [{"path_id": 1, "scan": "w", "path": ["A"], "instructions": [""]}] * 2,
    }.items():
        write(f"bad/{name}.json", content)

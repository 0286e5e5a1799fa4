#!/usr/bin/env python3
"""Notes what each command prints and writes, and compares another build with it.

  tests/frozen/freeze.py write BUILD                  notes the hashes of a build in hashes.json
  tests/frozen/freeze.py check BUILD [--show NAME]    names calls that differ, or prints one call

A temporary tool for the restructuring. BUILD is a folder with the program `warpath`; calls.txt has
the calls. The name of a call is its line there; --show takes a part that no other call has.
$WARPATH_DATA names the folder of the real data: without it their calls are skipped. Dates, numbers
of threads and the version are masked, and GPUs are hidden; selftest prints the machine's
instruction sets. No command rewards positions, so BUILD/python is asked for that, if it is built
and BUILD/python-venv has NumPy."""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

from inputs import make_inputs

here = pathlib.Path(__file__).resolve().parent
hashes = here / "hashes.json"
data = os.path.abspath(os.environ.get("WARPATH_DATA") or "/nonexistent")
has_data = os.path.isdir(data)
masks = [(rb'"date": "[^"]*"', b'"date": ""'), (rb'"threads": \d+', b'"threads": 0'),
         (rb'"backend_note": "[^"]*"', b'"backend_note": ""'),
         (rb'(warpath(?:": "| )|version": ")\d+\.\d+\.\d+', rb"\1VERSION")]

point_rewards = """
import hashlib, json, sys
import numpy as np, warpath
truth, walked = (json.load(open("golden/targets/vlnce/" + name)) for name in
                 ("truth.json", "predictions.json"))
ids = [k for k in truth if walked.get(k)]
def rows(paths):
    made = np.full((len(paths), max(map(len, paths)), 3), np.nan)
    for row, path in zip(made, paths):
        row[:len(path)] = path
    return made
references = rows([truth[k]["locations"] for k in ids])
queries = rows([[entry["position"] for entry in walked[k]] for k in ids])
for stopped in (True, False):
    values = warpath.Rewards(preset=sys.argv[1]).compute_points(
        queries, references, stopped=[stopped] * len(ids), values=["ndtw", "cls"])
    print(*[(a.shape, a.sum(), hashlib.sha256(a.tobytes()).hexdigest()) for a in values
            if a is not None], sep="\\n")
"""


def expand(line, words):
    """Returns the calls of a line of calls.txt: pairs of their name and their command."""
    parts = re.split(r"\{([^}]*)\}", line)
    options = [part.split("|") if k % 2 else [part] for k, part in enumerate(parts)]
    for name in map("".join, itertools.product(*options)):
        command = name
        while re.search(r"@[A-Za-z]", command):
            command = re.sub(r"@([A-Za-z]+)", lambda found: words[found[1]], command)
        yield name, re.sub(
            r"(\S*)\[([^]]*)\](\S*)",
            lambda found: " ".join(found[1] + part + found[3] for part in found[2].split("|")),
            command)


def read_calls():
    """Returns the commands by section and name."""
    words, calls, section = {}, {}, None
    for line in (here / "calls.txt").read_text().replace("\\\n", "").splitlines():
        if line.startswith("["):
            section = calls.setdefault(line.strip("[]"), {})
        elif line.startswith("@"):
            name, _, words[name[1:]] = line.partition(" = ")
        elif line and line[0] != "#":
            section.update(expand(line, words))
    return calls


def mask(content):
    for pattern, instead in masks:
        content = re.sub(pattern, instead, content)
    return content


def run(build, made, command):
    """Returns what a call prints and writes, by the name of the stream or file."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        links = {"golden": here.parent / "golden", "made": made, "data": data}
        for name, target in links.items():
            (folder / name).symlink_to(target)
        for line in command.split(";"):
            line, _, stdin = line.partition("<")
            arguments, program = shlex.split(line), [f"{build}/warpath"]
            environment = {"HOME": "/nonexistent", "CUDA_VISIBLE_DEVICES": "",
                           "PYTHONPATH": f"{build}/python"}
            while arguments and re.match("[A-Z_]+=", arguments[0]):
                name, _, environment[name] = arguments.pop(0).partition("=")
            if arguments[:1] == ["points"]:
                program = [f"{build}/python-venv/bin/python", "-B", "-c", point_rewards]
                del arguments[0]
            try:
                ended = subprocess.run(
                    program + arguments, cwd=folder, env=environment, timeout=60,
                    input=(folder / stdin.strip()).read_bytes() if stdin else b"",
                    capture_output=True)
            except subprocess.TimeoutExpired:
                ended = subprocess.CompletedProcess(program, -1, b"", b"took more than 60 s")
            for stream in ("stdout", "stderr"):
                found[stream] = found.get(stream, b"") + getattr(ended, stream)
            found["exit"] = found.get("exit", b"") + b"%d " % ended.returncode
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.relative_to(folder).parts[0] not in links:
                found[str(path.relative_to(folder))] = path.read_bytes()
    return {name: mask(content) for name, content in found.items()}


def hashes_of(result):
    """Returns length and hash of each output; the exit codes themselves."""
    return {name: content.decode().strip() if name == "exit" else
            f"{len(content)} {hashlib.sha256(content).hexdigest()}" if content else "empty"
            for name, content in result.items()}


def can_run(section, build):
    """Tells whether the calls of a section can be run, and says so where they cannot."""
    if section == "data" and not has_data:
        print("skipped: the calls of [data]: WARPATH_DATA names no folder")
        return False
    if section == "points" and not list(pathlib.Path(build).glob("python/warpath/_core*.so")):
        print(f"skipped: the calls of [points]: {build}/python is not built")
        return False
    return True


def check(noted, found):
    """Prints which calls differ, and in what; returns how many do."""
    wrong = 0
    for name in sorted(noted.keys() | found.keys()):
        before, now = noted.get(name), found.get(name)
        if before == now:
            continue
        wrong += 1
        parts = sorted({*(before or {}), *(now or {})})
        print(f"{name}: " + ("is not in hashes.json" if before is None else "is missing"
                             if now is None else
                             ", ".join(p for p in parts if before.get(p) != now.get(p))))
    return wrong


def show(build, made, calls, wanted):
    every = {name: command for section in calls.values() for name, command in section.items()}
    names = [wanted] if wanted in every else [name for name in every if wanted in name]
    if len(names) != 1:
        sys.exit("\n".join([f"{len(names)} calls have '{wanted}' in their names:", *names]))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for name, content in run(build, made, every[names[0]]).items():
        sys.stdout.buffer.write(f"== {name}\n".encode() + content + b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=["write", "check"])
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--show", metavar="NAME")
    arguments = parser.parse_args()
    if not os.access(f"{arguments.build}/warpath", os.X_OK):
        parser.error(f"{arguments.build} has no program warpath")
    calls = read_calls()
    noted = json.loads(hashes.read_text()) if hashes.exists() else {}
    wrong = 0
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(2) as pool:
        make_inputs(pathlib.Path(made), data if has_data else None)
        if arguments.show:
            return show(arguments.build, made, calls, arguments.show)
        for section, commands in calls.items():
            if not can_run(section, arguments.build):
                continue
            results = pool.map(lambda c: run(arguments.build, made, c), commands.values())
            found = {name: hashes_of(result) for name, result in zip(commands, results)}
            differ = check(noted.get(section, {}), found) if arguments.do == "check" else 0
            noted[section] = found
            wrong += differ
            print(f"[{section}]: {len(found)} calls, {differ} differ")
    if arguments.do == "write":
        hashes.write_text("{\n" + ",\n".join(
            f"{json.dumps(section)}: {{\n" + ",\n".join(
                f"{json.dumps(name)}: {json.dumps(parts)}" for name, parts in found.items()) + "}"
            for section, found in noted.items()) + "}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""python -m warpath.distributed: the bytes of one process, by several."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import pathlib
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from running import command
from warpath import distributed
from warpath.distributed import Group, Message

golden = pathlib.Path(__file__).parents[1] / "golden"
files = ["--graphs", str(golden / "connectivity"), "--dataset", str(golden / "dataset.json")]
predictions = str(golden / "predictions.json")
lenient = ["--missing", "zero", "--invalid", "skip"]
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="there is no torch"
)


class Result:
    """What processes printed and how they ended, in their order."""

    def __init__(self, codes: list[int], outputs: list[str], errors: list[str]) -> None:
        self.codes, self.outputs, self.errors = codes, outputs, errors


# A launcher of processes that talk through pipes, which starts faster than torch's.


def _process(
    number: int, of: int, pipe: Any, arguments: list[str], log: pathlib.Path, place: pathlib.Path
) -> None:
    for descriptor, name in [(1, "out"), (2, "err")]:
        os.dup2(os.open(log / f"{number}.{name}", os.O_WRONLY | os.O_CREAT), descriptor)
    os.chdir(place)

    def gather(message: Message) -> list[Message]:
        pipe.send(message)
        return pipe.recv()

    code, text = distributed.run(arguments, Group(number, of, gather), threads=1)
    if number == 0:
        os.write(2, text.encode())  # sys.stderr is pytest's
    pipe.close()
    sys.exit(code)


def share(
    log: pathlib.Path, arguments: Sequence[list[str]], places: Sequence[pathlib.Path] = ()
) -> Result:
    """Runs a command by a process for each of some arguments.

    Args:
        log: folder to be made, for what they print.
        places: the current folder of each.
    """
    context = multiprocessing.get_context("fork")
    of = len(arguments)
    pipes, processes = [], []
    log.mkdir()
    for number, (own, place) in enumerate(zip(arguments, places or [log] * of)):
        here, there = context.Pipe()
        process = context.Process(target=_process, args=(number, of, there, own, log, place))
        process.start()
        there.close()
        pipes.append(here)
        processes.append(process)
    try:
        while True:
            messages = [pipe.recv() for pipe in pipes]
            for pipe in pipes:
                pipe.send(messages)
    except EOFError:
        pass  # all have ended
    for process in processes:
        process.join()
    out, err = ([(log / f"{k}.{end}").read_text() for k in range(of)] for end in ("out", "err"))
    return Result([process.exitcode for process in processes], out, err)


evaluations = {
    "files": [*files, predictions, *lenient, "--json", "{}/a.json", "--csv", "{}/a.csv"],
    "options": [
        *files, predictions, *lenient, "--preset", "r2r", "--also", "envdrop,duet", "--by", "scan",
        "--ci", "bootstrap", "--metrics", "SPL,nDTW,n_query_raw", "--instructions", "all",
        "--json", "{}/a.json",
    ],
    "agents": [
        *files, f"one={predictions}", f"two={predictions}", *lenient, "--backend", "reference",
        "--task-success", "{}/success.json", "--markdown", "--csv", "{}/a.csv",
    ],
    "fast": [
        *files, predictions, *lenient, "--dtw", "fast:1", "--by", "scan", "--json", "{}/a.json",
        "--csv", "{}/a.csv",
    ],
    "pairs": ["--graphs", files[1], "--pairs", "{}/pairs.jsonl", "--quiet", "--csv", "-"],
}  # fmt: skip


def make_inputs(folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True)
    items = json.loads((golden / "predictions.json").read_text())
    success = {item["instr_id"]: k % 3 / 2 for k, item in enumerate(items)}
    (folder / "success.json").write_text(json.dumps(success))
    save = ["--save", "7", f"{folder}/pairs.jsonl"]
    made = command("random", *files, "--walks", "9", *save, "--quiet")
    assert made.returncode == 0, made.stderr


def outputs_of(folder: pathlib.Path) -> dict[str, Any]:
    """Returns the contents of result files, less run_info."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("a.*")):
        text = file.read_text()
        if file.suffix == ".json":
            begin = text.index('"run_info"')
            text = text[:begin] + text[text.index("}", begin) :]
        found[file.name] = text
    return found


@pytest.mark.parametrize("of", [2, 5])
@pytest.mark.parametrize("name", evaluations)
def test_eval_gives_the_bytes_of_one_process(name: str, of: int, tmp_path: pathlib.Path) -> None:
    results = []
    for folder in (tmp_path / "one", tmp_path / "many"):
        make_inputs(folder)
        arguments = ["eval", *(word.format(folder) for word in evaluations[name])]
        if folder.name == "one":
            one = command(*arguments)
            assert one.returncode == 0, one.stderr
            results.append((one.stdout, one.stderr, outputs_of(folder)))
        else:
            many = share(tmp_path / "log", [arguments] * of)
            assert many.codes == [0] * of, many.errors
            assert many.outputs[1:] == many.errors[1:] == [""] * (of - 1)
            results.append((many.outputs[0], many.errors[0], outputs_of(folder)))
    texts = [
        str(result).replace(str(tmp_path / place), "")
        for result, place in zip(results, ("one", "many"))
    ]
    assert texts[1] == texts[0] and len(texts[0]) > 500


walks = {
    "small": ["--walks", "3"],  # fewer than processes
    "large": ["--walks", "50000", "--sample", "uniform", "--seed", "9"],
    "shard": ["--walks", "20001", "--shard", "2/3", "--metrics", "nDTW,SR", "--steps", "4"],
    "double": ["--walks", "500", "--backend", "reference", "--save", "40", "{}/a.jsonl"],
}


@pytest.mark.parametrize("name", walks)
def test_random_gives_the_bytes_of_one_process(name: str, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    found = []
    for of in (1, 4):
        arguments = ["random", *files, *walks[name], "--csv", "{}/a.csv", "--json", "{}/a.json"]
        arguments = [word.format(folder) for word in arguments]
        if of == 1:
            one = command(*arguments)
            assert one.returncode == 0, one.stderr
            found.append((one.stdout, one.stderr, outputs_of(folder)))
            for file in folder.iterdir():
                file.unlink()
        else:
            many = share(tmp_path / "log", [arguments] * of)
            assert many.codes == [0] * of, many.errors
            assert many.outputs[1:] == many.errors[1:] == [""] * 3
            found.append((many.outputs[0], many.errors[0], outputs_of(folder)))
    assert found[1] == found[0]
    assert len(found[0][2]) == 3 if name == "double" else 2


def failing(
    folder: pathlib.Path, arguments: Sequence[list[str]], places: Sequence[pathlib.Path] = ()
) -> tuple[int, str]:
    """Runs a command that fails; returns the code of all and the only message."""
    result = share(folder / "log", arguments, places)
    assert len(set(result.codes)) == 1 and result.codes[0] != 0
    assert not any(result.outputs) and not any(result.errors[1:])
    assert result.errors[0].count("\n") == 1
    return result.codes[0], result.errors[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", *files, predictions, "--strict"],
        ["eval", *files, "absent.json"],
        ["eval", *files, predictions, "--thresold", "3"],
        ["random", *files, "--walks", "9", "--metrics", "XY"],
    ],
)
def test_refusals_are_those_of_one_process(arguments: list[str], tmp_path: pathlib.Path) -> None:
    one = command(*arguments)
    assert failing(tmp_path, [arguments] * 3) == (one.returncode, one.stderr)


def test_a_failure_of_one_process_ends_all(tmp_path: pathlib.Path) -> None:
    places = [tmp_path / f"node{number}" for number in range(3)]
    for place in places:
        place.mkdir()
        (place / "agent.json").write_text((golden / "predictions.json").read_text())
    (places[1] / "agent.json").unlink()
    arguments = ["eval", *files, "agent.json", *lenient, "--json", "scores.json"]
    code, text = failing(tmp_path, [arguments] * 3, places)
    assert code == 1
    assert text.startswith("warpath: agent.json: ") and "(process 1 of 3, on " in text
    assert not list(tmp_path.glob("*/scores.json*"))


def test_files_must_be_the_same_everywhere(tmp_path: pathlib.Path) -> None:
    items = json.loads((golden / "predictions.json").read_text())
    places = [tmp_path / f"node{number}" for number in range(2)]
    for number, place in enumerate(places):
        place.mkdir()
        (place / "agent.json").write_text(json.dumps(items[number:]))
    arguments = ["eval", *files, "agent.json", *lenient]
    assert failing(tmp_path, [arguments] * 2, places) == (
        1,
        "warpath: agent.json: process 1 of 2 read another content than process 0; give every "
        "machine the same files\n",
    )


def test_arguments_must_be_the_same_everywhere(tmp_path: pathlib.Path) -> None:
    arguments = [["random", *files, "--walks", "9", "--seed", seed] for seed in "12"]
    code, text = failing(tmp_path, arguments)
    assert code == 2 and "different arguments" in text


@pytest.mark.parametrize(
    "arguments",
    [["eval", *files, "-"], ["random", *files[:2], "--dataset", "-", "--walks", "5"]],
)
def test_standard_input_is_refused(arguments: list[str], tmp_path: pathlib.Path) -> None:
    code, text = failing(tmp_path, [arguments] * 2)
    assert code == 2 and "- is the standard input of one process" in text


def test_other_commands_are_refused() -> None:
    for arguments in ([], ["merge", "a.json"], ["--help"]):
        run = module(arguments)
        assert run.returncode == 2 and run.stdout == ""
        assert run.stderr.startswith("warpath: the commands of several processes are eval and ran")


def module(arguments: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "warpath.distributed", *arguments],
        capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def test_one_process_is_the_command() -> None:
    arguments = ["eval", *files, predictions, *lenient, "--csv", "-"]
    one = command(*arguments)
    for environment in ({}, {"WORLD_SIZE": "1", "RANK": "0"}):
        run = module(arguments, **environment)
        assert (run.returncode, run.stdout, run.stderr) == (0, one.stdout, one.stderr)


def test_devices_and_threads_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(10)))
    assert distributed.threads_of({}) == distributed.threads_of({"LOCAL_WORLD_SIZE": "1"}) == 0
    assert distributed.threads_of({"LOCAL_WORLD_SIZE": "4"}) == 2
    assert distributed.threads_of({"LOCAL_WORLD_SIZE": "40"}) == 1
    for rank, own in [("0", "0"), ("1", "1"), ("3", "0")]:
        environment = {"LOCAL_WORLD_SIZE": "4", "LOCAL_RANK": rank}
        distributed.choose_gpu(environment, 3)
        assert environment["CUDA_VISIBLE_DEVICES"] == own
    environment = {"LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": "1", "CUDA_VISIBLE_DEVICES": "4,GPU-7"}
    distributed.choose_gpu(environment, 2)
    assert environment["CUDA_VISIBLE_DEVICES"] == "GPU-7"
    for unchanged, gpus in [({"LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": "1"}, 1), ({}, 4)]:
        distributed.choose_gpu(unchanged, gpus)
        assert "CUDA_VISIBLE_DEVICES" not in unchanged


# torch.distributed itself.


def ranks(*commands: Sequence[str]) -> list[subprocess.Popen[str]]:
    """Starts Python with each of some arguments, as processes that torch.distributed joins."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fixed = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    return [
        subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **fixed, "RANK": str(rank), "LOCAL_WORLD_SIZE": "2"},
        )
        for rank, command in enumerate(commands)
    ]  # fmt: skip


@needs_torch
def test_gloo_gives_the_bytes_of_one_process() -> None:
    arguments = ["eval", *files, predictions, *lenient, "--json", "-", "--no-run-info"]
    one = command(*arguments)
    processes = ranks(*[["-m", "warpath.distributed", *arguments]] * 2)
    found = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], found
    assert found == [(one.stdout, one.stderr), ("", "")]


killed = """
import os, signal, sys, warpath
from warpath.distributed import torch_group
torch_group().exchange("\\0".join([warpath.__version__, *sys.argv[1:]]).encode())
os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_torch
def test_the_loss_of_a_process_ends_the_others() -> None:
    arguments = ["eval", *files, predictions, *lenient]
    processes = ranks(["-m", "warpath.distributed", *arguments], ["-c", killed, *arguments])
    (out, err), _ = (process.communicate(timeout=120) for process in processes)
    assert [process.returncode for process in processes] == [1, -signal.SIGKILL]
    assert out == "" and err.startswith("warpath: another process was lost; torch.distributed says")


@needs_torch
def test_torchrun(tmp_path: pathlib.Path) -> None:
    import torch.distributed

    try:
        torch.distributed.TCPStore("127.0.0.1", 0, 1, True)  # as torchrun makes it
    except RuntimeError as error:
        if "libuv" not in str(error):
            raise
        pytest.skip(f"torchrun cannot start: {error}")
    common = [*files, "--walks", "5000", "--json"]
    one = command("random", *common, str(tmp_path / "one.json"), "--no-run-info")
    run = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2",
         "--redirects", "1", "--tee", "1", "-m", "warpath.distributed", "random", *common,
         str(tmp_path / "many.json"), "--no-run-info"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert one.returncode == run.returncode == 0, run.stderr
    assert (tmp_path / "many.json").read_bytes() == (tmp_path / "one.json").read_bytes()


def test_the_slurm_script(tmp_path: pathlib.Path) -> None:
    root = pathlib.Path(__file__).parents[2]
    commands = {"scontrol": "echo node1", "srun": 'exec "$@"', "torchrun": 'printf "%s\\n" "$@"'}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "activate").touch()
    for name, body in commands.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "connectivity").symlink_to(golden / "connectivity")
    (tmp_path / "R2R_val_unseen.json").symlink_to(golden / "dataset.json")
    (tmp_path / "agent.json").symlink_to(predictions)
    job = {"SLURM_JOB_ID": "12", "SLURM_NNODES": "4", "SLURM_JOB_NODELIST": "node[1-4]"}
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", str(root / "examples" / "slurm" / "evaluate.sbatch")], cwd=tmp_path,
        env={**os.environ, **job, "PATH": path, "VENV": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = run.stdout.splitlines()
    begin = words.index("warpath.distributed")
    assert words[:2] == ["--nnodes", "4"] and "node1:20012" in words and words[begin - 1] == "-m"
    scored = subprocess.run(
        [sys.executable, "-m", *words[begin:]], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(distributed.__file__).parents[1])},
    )  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    assert (tmp_path / "scores.json").exists() and (tmp_path / "items.csv").exists()

"""Checks an installed package on a system that has nothing of the build: see scripts/test-wheel.

It needs the standard library and NumPy only, and stops at the first thing that is wrong.
"""

from __future__ import annotations

import csv
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile

command = str(pathlib.Path(sys.executable).parent / "warpath")


def run(*arguments: str, code: int = 0) -> str:
    """Runs the command and returns what it prints on standard output."""
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    assert code == 0 or done.stderr, "an error needs a message"
    return done.stdout


def check_import() -> None:
    """Import takes under 0.2 s of CPU time where no emulator runs it, and maps the wheel's own libraries."""
    program = "from time import process_time as t; t0 = t(); import warpath; print(t() - t0)"
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    assert float(answer) < 0.2 or "WARPATH_EMULATED" in os.environ, answer
    print(f"import: {float(answer) * 1e3:.1f} ms")

    import warpath

    package = pathlib.Path(warpath.__file__).parent
    mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
    ours = [file for file in mapped if re.search("tbb|fmt|simdjson", os.path.basename(file))]
    assert len(ours) == 3, ours
    for file in ours:
        assert pathlib.Path(file).parent == package.parent / "warpath.libs", file
    assert "numpy" not in sys.modules


def check_licences() -> None:
    """Each bundled library has its licence, and files that a licence points to are there."""
    files = importlib.metadata.files("warpath") or []
    libraries = [f.name for f in files if f.parts[0] == "warpath.libs"]
    texts = {f.name: f.read_text() for f in files if "third-party" in f.parts}
    for library in libraries:
        stem = library.partition("-")[0].replace("libDetour", "librecast")
        assert any(name.startswith(stem) for name in texts), (library, sorted(texts))
    for part in ("nanobind", "libcli11", "libeigen3", "libxxhash", "libisal"):
        assert any(name.startswith(part) for name in texts), (part, sorted(texts))
    for name, text in texts.items():
        for pointed in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text):
            assert f"{pointed}.txt" in texts, (name, pointed)
    (extension,) = (f for f in files if f.name.startswith("_core.") and f.suffix == ".so")
    has_kernels = b".nv_fatbin" in pathlib.Path(extension.locate()).read_bytes()
    assert has_kernels == ("cuda-runtime.txt" in texts), sorted(texts)
    assert any(f.name == "LICENSE" for f in files)
    print(f"licences: {', '.join(sorted(texts))}; CUDA kernels: {has_kernels}")


def check_command(folder: str) -> None:
    """The console script works, and its exit codes are those of the program."""
    assert importlib.metadata.version("warpath") in run("--version")
    assert "pass" in run("selftest").lower()
    run("demo", "--out", folder)
    assert "nDTW" in run(*eval_arguments(folder))
    run("eval", "--no-such-option", code=2)
    run("eval", "--graphs", "none", "--dataset", "none.json", "none.json", code=1)
    module = [sys.executable, "-m", "warpath", "--version"]
    assert subprocess.run(module, check=True, capture_output=True, text=True).stdout == run(
        "--version"
    )


def check_missing_libraries(folder: str) -> None:
    """The commands that need other libraries name their extra; the files of the page are there."""
    result = f"{folder}/result.json"
    run(*eval_arguments(folder, "--json", result, "--items"))
    for name, more in (
        ("plot", ["agents", result, "-o", f"{folder}/agents.svg"]),
        ("report", [result, "-o", f"{folder}/report.html"]),
        ("compare", [result]),
        ("study", ["make", "--out", f"{folder}/study"]),
    ):
        asked = [command, name, *more]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and f'".[{name}]"' in done.stderr, (asked, done)
    packed = {str(f) for f in importlib.metadata.files("warpath") or []}
    for page in ("page.html", "style.css", "start.js"):
        assert f"warpath/report/{page}" in packed, page


def eval_arguments(folder: str, *more: str) -> list[str]:
    files = (f"{folder}/{name}" for name in ("graphs", "dataset.json"))
    return ["eval", "--graphs", next(files), "--dataset", next(files), *agents(folder), *more]


def agents(folder: str) -> list[str]:
    """Returns the files of the demo's agents."""
    return sorted(
        str(f) for f in pathlib.Path(folder).glob("*.json") if f.name != "dataset.json"
    )


def check_evaluate(folder: str) -> None:
    """evaluate and the command give the same CSV."""
    import warpath

    result = warpath.evaluate(
        agents(folder), f"{folder}/dataset.json", f"{folder}/graphs", preset="paper"
    )
    rows = list(csv.DictReader(result.to_csv().splitlines()))
    assert rows and result.to_csv() == run(*eval_arguments(folder, "--csv", "-"))
    means = {agent.name: agent.summary["nDTW"].mean for agent in result.agents}
    assert len(means) == len(agents(folder)) and all(means.values()), means
    print(f"evaluate: {len(rows)} rows of {len(means)} agents")


def check_scores() -> None:
    """Scores of a worked pair, from arrays and from ids, by every back end that can be here."""
    import numpy as np
    import warpath

    graph = warpath.Graph(
        ["a", "b", "c", "d", "e"], [[0, 1], [1, 2], [2, 3], [2, 4]], weights=[2, 2, 1, 2]
    )
    for backend in ("auto", "cpu", "reference"):
        scorer = warpath.Scorer({"street": graph}, backend=backend)
        scores = scorer.score(np.array([[0, 1, 2, 3]]), np.array([[0, 1, 2, 4]]), "street")
        ids = scorer.score([list("abcd")], [list("abce")], "street")
        # the last viewpoints are 3 m apart, and success is within 3 m: nDTW = exp(-3 / (4 x 3))
        assert abs(scores["nDTW"][0] - np.exp(-3 / 12)) < 1e-6, scores["nDTW"]
        assert scores["nDTW"][0] == ids["nDTW"][0]


def main() -> None:
    check_import()
    check_licences()
    check_scores()
    with tempfile.TemporaryDirectory() as folder:
        check_command(f"{folder}/demo")
        check_evaluate(f"{folder}/demo")
        check_missing_libraries(f"{folder}/demo")
    print(f"Python {sys.version.split()[0]}: warpath is installed and works")


if __name__ == "__main__":
    main()

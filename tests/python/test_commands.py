"""The commands that are written in Python, run as users run them."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
import warpath
from running import command
from warpath.commands import COMMANDS, command_of, run_command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the demo's files, and the results of two agents in one file and in two."""
    folder = tmp_path_factory.mktemp("demo")
    assert command("demo", folder=folder).returncode == 0
    files = "--graphs warpath-demo/graphs --dataset warpath-demo/dataset.json --quiet --items"
    for name, agents in (("both", ["noisy", "random"]), ("noisy", ["noisy"]), ("r", ["random"])):
        paths = [f"warpath-demo/{agent}.json" for agent in agents]
        done = command("eval", *files.split(), "--json", f"{name}.json", *paths, folder=folder)
        assert done.returncode == 0, done.stderr
    return folder


def ok(*arguments: str, folder: pathlib.Path) -> str:
    done = command(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_only_these_commands_are_python() -> None:
    assert command_of(["compare", "a"]) == ["compare", "a"]
    assert command_of(["help", "plot"]) == ["plot", "--help"]
    for arguments in ([], ["eval"], ["help"], ["help", "eval"], ["--version"], ["demo", "compare"]):
        assert command_of(arguments) is None


def test_the_package_needs_numpy_alone(tmp_path: pathlib.Path) -> None:
    code = """
        import sys, warpath
        loaded = {name.split(".")[0] for name in sys.modules}
        heavy = {"scipy", "matplotlib", "plotly", "pandas", "torch", "argparse"}
        assert not loaded & heavy, loaded & heavy
    """
    done = command("--version", folder=tmp_path, before=textwrap.dedent(code))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("warpath ")


def test_a_missing_library_is_named_with_its_extra(demo: pathlib.Path) -> None:
    done = command("compare", "both.json", folder=demo,
                   before="import sys; sys.modules['scipy'] = None")  # fmt: skip
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (
        "warpath: scipy is missing: pip install scipy, "
        'or in the checkout: pip install ".[compare]"\n'
    )


def test_help_lists_the_commands(demo: pathlib.Path) -> None:
    listed = ok("help", folder=demo)
    for name in COMMANDS:
        assert f"\n  {name} " in listed
    assert ok("help", "compare", folder=demo) == ok("compare", "--help", folder=demo)
    assert "--allow" in ok("compare", "--help", folder=demo)


class Here:
    """Runs ``warpath compare`` in this process, in the demo's folder."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Returns the exit code and what was printed."""
        few = [] if "--permutations" in arguments else ["--permutations", "99"]
        code = run_command(["compare", *arguments, *few])
        return code, *self._capture.readouterr()

    def ok(self, *arguments: str) -> str:
        code, out, err = self.run(*arguments)
        assert code == 0, err
        return out


@pytest.fixture
def here(
    demo: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Here:
    pytest.importorskip("scipy", reason="SciPy is not installed")
    monkeypatch.chdir(demo)
    monkeypatch.setenv("COLUMNS", "80")
    return Here(capsys)


def test_compare_prints_tables(here: Here) -> None:
    text = here.ok("both.json", "--by", "scan")
    assert "random − noisy, 900 items" in text and "by scan" in text
    assert "signs of the differences of whole paths" in text
    table = here.ok("both.json").split("\n\n")[1:3]
    assert here.ok("noisy.json", "r.json").split("\n\n")[1:3] == table
    assert all(len(line) <= 80 for line in table[1].splitlines())
    markdown = here.ok("both.json", "--markdown", "--percent")
    assert "| SR (%) ↑" in markdown and "preset" not in markdown and "differ most" not in markdown
    latex = here.ok("both.json", "--latex", "--no-intervals", "--digits", "2")
    assert latex.count(r"\toprule") == 1 and r"\pm" not in latex


def test_compare_writes_files(here: Here) -> None:
    assert here.ok("both.json", "-o", "table.txt", "--json", "c.json") == ""
    found = json.loads(pathlib.Path("c.json").read_text())
    pair = found["pairs"][0]
    expected = warpath.compare("both.json", permutations=99).pairs[0].metrics["SPL"]
    assert pair["metrics"]["SPL"]["difference"] == expected.difference
    assert pair["metrics"]["SPL"]["p_holm"] == expected.p_holm
    assert found["correction"]["tests"] == len(pair["metrics"])
    assert pathlib.Path("table.txt").read_text() == here.ok("both.json")
    _, out, err = here.run("both.json", "--json", "-")
    assert json.loads(out) == found and "random − noisy" in err
    _, out, err = here.run("both.json", "--json", "-", "--quiet")
    assert json.loads(out) == found and err == ""
    before = pathlib.Path("both.json").read_bytes()
    for option in (["--json", "both.json"], ["-o", "./both.json"], ["-o", "x", "--json", "x"]):
        code, _, err = here.run("both.json", *option)
        assert code == 2 and "would replace" in err
    assert pathlib.Path("both.json").read_bytes() == before
    code, _, err = here.run("both.json", "-o", "none/x.txt")
    assert code == 1 and "none/x.txt: cannot be written" in err
    assert not [name for name in os.listdir() if name.startswith(".warpath-")]


def test_compare_scores_predictions(here: Here) -> None:
    options = ["--graphs", "warpath-demo/graphs", "--dataset", "warpath-demo/dataset.json"]
    files = ["noisy=warpath-demo/noisy.json", "warpath-demo/random.json"]
    scored = here.ok(*files, *options, "--quiet", "--json", "-")
    of_results = here.ok("both.json", "--quiet", "--json", "-")
    assert json.loads(scored)["pairs"] == json.loads(of_results)["pairs"]
    mixed = ["both.json", "warpath-demo/stop.json", *options, "--metrics", "SR"]
    code, _, err = here.run(*mixed, "--spl-length", "reference")
    assert code == 1 and "spl-length=reference, not shortest" in err
    assert "stop − noisy" in here.ok(*mixed)
    allow = ["--spl-length", "reference", "--allow", "other-convention"]
    assert "conventions differ" in here.ok(*mixed, *allow)


def test_bad_command_lines(here: Here) -> None:
    for arguments, says in (
        ([], "required: FILE; see warpath compare --help"),
        (["both.json", "--metric", "SR"], "unrecognized arguments: --metric"),
        (["both.json", "--metrics", "XY"], "metric 'XY'; there are PL, NE"),
        (["both.json", "--ci", "cluster"], "invalid choice: 'cluster'"),
        (["both.json", "--allow", "all"], "other-data, other-convention, missing-items"),
        (["noisy.json"], "takes two agents"),
        (["A=both.json"], "has 2 agents, which one name cannot be of"),
        (["A=noisy.json", "A=r.json"], "two agents have the same name"),
        (["=noisy.json"], "write NAME=FILE"),
        (["both.json", "--threshold", "2"], "all files are results already"),
        (["noisy.json", "warpath-demo/random.json"], "which need a dataset"),
        (["both.json", "--permutations", "0"], "permutations at least 1"),
    ):
        code, out, err = here.run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert says in err and err.count("\n") == 1, err


def test_a_closed_pipe_ends_the_command(demo: pathlib.Path) -> None:
    pytest.importorskip("scipy")
    package = str(pathlib.Path(warpath.__file__).parents[1])
    line = f"'{sys.executable}' -m warpath compare both.json; echo $? > code"
    done = subprocess.run(
        ["bash", "-c", f"{{ {line}; }} | true"], cwd=demo, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": package},
    )  # fmt: skip
    assert done.stderr == "" and (demo / "code").read_text() == "141\n"

"""The commands of README.md and docs/ run as they are printed: document_commands.py."""

from __future__ import annotations

import pathlib
import re
import shlex
import sys

import document_commands
import pytest
import warpath
from conftest import needing_meshes
from document_commands import Programs, Section, run_section

ROOT = pathlib.Path(__file__).parents[2]
SECTIONS = {section.name: section for section in document_commands.sections(ROOT)}


@pytest.fixture
def programs(tmp_path: pathlib.Path) -> Programs:
    """The program and the package that were built together."""
    package = pathlib.Path(warpath.__file__).parents[1]
    program = package.parent / "warpath"
    if not program.exists():
        pytest.skip(f"the package is installed without {program}")
    python = shlex.join(["env", f"PYTHONPATH={package}", sys.executable, "-m", "warpath"])
    return Programs(tmp_path, shlex.quote(str(program)), python)


@pytest.mark.parametrize("name", SECTIONS, ids=lambda name: name.removeprefix("docs/"))
def test_commands_run_as_they_are_printed(name: str, programs: Programs) -> None:
    if "--navmesh" in "".join(SECTIONS[name].statements):
        with needing_meshes():
            warpath.NavMesh(ROOT / "tests/fuzz/corpus/navmesh/version_2.navmesh")
    results = run_section(SECTIONS[name], programs)
    failures = [(r.statement, r.failure) for r in results if r.failure and not r.lacks]
    assert results and not failures
    if lacking := [result.failure for result in results if result.lacks]:
        pytest.skip(lacking[0])


def test_the_readme_shows_what_its_command_prints(programs: Programs) -> None:
    blocks = re.findall(r"^```\n((?:.*\n)*?)```$", (ROOT / "README.md").read_text(), re.M)
    (shown,) = run_section(Section("README.md", SECTIONS["README.md"].statements[:1]), programs)
    assert blocks[1] in shown.output


def test_every_document_is_read() -> None:
    commands = [s for section in SECTIONS.values() for s in section.statements]
    assert len(commands) >= 80 and set(SECTIONS) == set(document_commands.FILES)


@pytest.mark.parametrize(
    ("name", "statement", "failure"),
    [
        ("README.md", "build/warpath eval --no-such-option", "exit code 2: .*no-such-option"),
        ("README.md", "warpath presets | false", "exit code 1"),
        ("docs/new.md#New", "warpath presets", "names no files"),
    ],
)
def test_a_failure_is_noticed(name: str, statement: str, failure: str, programs: Programs) -> None:
    (result,) = run_section(Section(name, [statement]), programs)
    assert re.match(failure, result.failure.replace("\n", " ")) or failure in result.failure


def test_a_library_that_is_missing_is_no_failure(programs: Programs) -> None:
    """Nor are the commands behind, which need what the first one would have made."""
    missing = "echo 'warpath: scipy is missing: pip install scipy' >&2; false"
    statements = ["warpath presets", f"warpath metrics && {missing}", "warpath report none.json"]
    found = run_section(Section("README.md", statements), programs)
    assert [bool(result.failure) for result in found] == [False, True, True]
    assert [result.lacks for result in found] == ["", "scipy", "scipy"]


def test_blocks_of_a_language_and_other_commands_are_left_out() -> None:
    text = """
```python
warpath = 1
```
```
scripts/demo
files="a b"
warpath eval \\
  $files
```
```
root=/tmp
ls
```
"""
    assert document_commands.statements_of(text) == ['files="a b"', "warpath eval    $files"]

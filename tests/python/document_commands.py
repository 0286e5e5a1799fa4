"""Runs the commands of README.md and docs/ as they are printed, on made files.

    python document_commands.py FOLDER PROGRAM PACKAGE

FOLDER has README.md and docs/. PROGRAM stands for ``build/warpath``, PACKAGE, the command of the
Python package, for ``warpath``. It prints a line for each command; the exit code is 1 where one
fails. It needs the standard library and NumPy only: scripts/test-wheel runs it in a bare system.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import document_files as made

# The files of a document, or of a section where several name one file in different forms.
FILES = {
    "README.md": made.nothing,
    "docs/aggregate.md#Averages of simulators' results": made.aggregate,
    "docs/aggregate.md#Programs with files of their own": made.aggregate_of_programs,
    "docs/aggregate.md#Measures from positions": made.aggregate_recomputed,
    "docs/baselines.md": made.baselines,
    "docs/drones.md": made.drones,
    "docs/evaluators.md": made.evaluators,
    "docs/pictures.md": made.pictures,
    "docs/rewards.md#Rewards": made.rewards,
    "docs/rewards.md#Over navigation meshes": made.rewards_of_episodes,
    "docs/studies.md#A study with people": made.nothing,
    "docs/studies.md#Scores of instructions and what people did": made.correlate,
    "docs/studies.md#Traces of followers": made.traces,
    "docs/studies.md#Instructions and trajectories": made.compatibility,
    "docs/tasks.md#Submissions": made.submissions,
    "docs/tasks.md#NDH (CVDN)": made.ndh,
    "docs/tasks.md#RxR": made.rxr,
    "docs/tasks.md#REVERIE": made.reverie,
    "docs/tasks.md#SOON": made.soon_val_seen,
    "docs/tasks.md#Touchdown and map2seq": made.touchdown,
    "docs/tasks.md#Tours (IVLN and IVLN-CE)": made.tours,
    "docs/tasks.md#VLN-CE and RxR-CE": made.continuous,
}
# What people do after a command.
AFTER = {"warpath study make": made.fill_in}
# What the package says where a library is missing.
LACKS = re.compile(r"(\w+) is missing: pip install")


@dataclasses.dataclass
class Section:
    """Commands that one folder of files serves."""

    name: str  # document, and the heading where a document has several sections
    statements: list[str]


def is_command(statement: str) -> bool:
    return bool(re.match(r"(build/)?warpath |source <\(build/warpath ", statement))


def is_assignment(statement: str) -> bool:
    return bool(re.match(r"\w+=", statement))


def statements_of(text: str) -> list[str]:
    """Returns warpath's commands in blocks without a language, and what these blocks assign."""
    found = []
    for language, block in re.findall(r"^```(.*)\n((?:.*\n)*?)```$", text, re.M):
        lines = block.replace("\\\n", " ").splitlines()
        if not language and any(map(is_command, lines)):
            found += [line for line in lines if is_command(line) or is_assignment(line)]
    return found


def sections(folder: pathlib.Path) -> Iterator[Section]:
    """Returns the sections of all documents that have commands of warpath."""
    for document in [folder / "README.md", *sorted((folder / "docs").glob("*.md"))]:
        name = document.relative_to(folder).as_posix()
        text = document.read_text()
        if name in FILES:
            yield Section(name, statements_of(text))
            continue
        for part in re.split(r"^(?=##? )", text, flags=re.M):
            if statements := statements_of(part):
                heading = part.partition("\n")[0].lstrip("# ")
                yield Section(f"{name}#{heading}", statements)


@dataclasses.dataclass
class Result:
    statement: str
    failure: str  # empty: it ran
    output: str = ""
    lacks: str = ""  # a library that this command, or one before it in the section, needs


class Programs:
    """A folder in which commands find the two programs under their printed names."""

    def __init__(self, folder: pathlib.Path, program: str, package: str) -> None:
        self.folder = folder
        for name, command in (("build/warpath", program), ("bin/warpath", package)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (folder / name).chmod(0o755)
        self.run("build/warpath demo --out build/demo").check_returncode()

    def run(self, statement: str) -> subprocess.CompletedProcess[str]:
        script = f'set -euo pipefail; PATH="$PWD/bin:$PATH"\n{statement}\n'
        return subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def warpath(self, *arguments: str) -> None:
        self.run(shlex.join(["build/warpath", *arguments])).check_returncode()


def run_section(section: Section, programs: Programs) -> list[Result]:
    """Makes the files of a section, and runs its commands."""
    if section.name not in FILES:
        return [
            Result(section.statements[0], "document_commands.py names no files for its section")
        ]
    FILES[section.name](programs.folder, programs.warpath)
    results = []
    assigned = lacking = ""
    for statement in section.statements:
        if is_assignment(statement):
            assigned += statement + "\n"
            continue
        done = programs.run(assigned + statement)
        failed = done.returncode != 0
        failure = f"exit code {done.returncode}: {done.stderr or done.stdout}" if failed else ""
        lacks = LACKS.search(failure)
        lacking = lacks[1] if lacks else lacking
        results.append(Result(statement, failure, done.stdout, lacking if failed else ""))
        for command, act in AFTER.items():
            if statement.startswith(command) and not failed:
                act(programs.folder)
    return results


def main(folder: str, program: str, package: str) -> int:
    count = {"ran": 0, "FAILED": 0, "lacks": 0}
    for section in sections(pathlib.Path(folder)):
        with tempfile.TemporaryDirectory() as scratch:
            results = run_section(section, Programs(pathlib.Path(scratch), program, package))
        for result in results:
            state = "lacks" if result.lacks else "FAILED" if result.failure else "ran"
            count[state] += 1
            print(f"{state} {result.lacks}".rstrip() + f": {section.name}: {result.statement}")
            if state == "FAILED":
                print(result.failure)
    left_out = f"{count['lacks']} left out for want of a library"
    print(f"commands of the documents: {count['ran']} ran, {count['FAILED']} failed, {left_out}")
    return int(count["FAILED"] > 0 or count["ran"] == 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

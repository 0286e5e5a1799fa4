"""warpath report and compare on damaged result files: one line, never a traceback."""

from __future__ import annotations

import copy
import json
import math
import os
import pathlib
import random
from collections.abc import Callable
from typing import Any

import pytest
from made_agents import World
from warpath.commands import run_command

_files = 120


@pytest.fixture(scope="module")
def whole() -> Any:
    world = World(paths=5)
    text = world.evaluate(world.agent(0.3), world.agent(0.6)).to_json(items=True)
    return json.loads(text)


class Damage:
    """Changes one value anywhere in a JSON document."""

    _others: tuple[Any, ...] = (
        *(None, True, 0, -1, 7, 0.5, 1e308, -1e308, math.nan, math.inf, 10**400, "", "x", "nDTW"),
        *([], {}, [[1]], ["x", None], {"x": 1}, {"mean": {}}, "\ud800", "\x1b[31m\n"),
    )

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def __call__(self, document: Any) -> Any:
        document = copy.deepcopy(document)
        places = list(self._places(document))
        holder, key = places[self._draw.randrange(len(places))]
        how = self._draw.randrange(4)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif how == 1:
            holder[f"{key}x"] = holder.pop(key)
        else:
            holder[key] = copy.deepcopy(self._draw.choice(self._others))
        return document

    def _places(self, value: Any) -> Any:
        """Yields the places of all values. Of a long column only some, so that others are hit."""
        if not isinstance(value, (dict, list)):
            return
        keys = list(value) if isinstance(value, dict) else range(min(len(value), 2))
        for key in keys:
            yield value, key
            yield from self._places(value[key])


Refusal = Callable[[list[str]], tuple[int, str]]


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Refusal:
    """Runs a command and returns its exit code and what is on standard error."""

    def run(arguments: list[str]) -> tuple[int, str]:
        code = run_command(arguments)
        return code, capfd.readouterr().err

    return run


def _is_one_line(code: int, err: str) -> bool:
    return code == 0 or (
        code == 1 and err.count("\n") == 1 and "; " in err and "Traceback" not in err
    )


@pytest.mark.parametrize("command", ["report", "compare"])
def test_any_change_is_accepted_or_refused_in_one_line(
    whole: Any, tmp_path: pathlib.Path, refused: Refusal, command: str
) -> None:
    if command == "report":
        pytest.importorskip("plotly")
    file, page = tmp_path / "results.json", tmp_path / "page.html"
    damage = Damage(seed=1)
    refusals = 0
    for _ in range(_files):
        document = damage(whole)
        file.write_text(json.dumps(document))
        if command == "report":
            arguments = ["report", os.fspath(file), "-o", os.fspath(page), "--no-paths", "--force"]
        else:
            arguments = ["compare", os.fspath(file), "--permutations", "20"]
        code, err = refused(arguments)
        assert _is_one_line(code, err), (arguments, err, document)
        refusals += code
    assert refusals > _files // 4


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda run: run["metrics"]["PL"].update(ci95={}), "agent0: ci95: is an object"),
        (lambda run: run["metrics"]["PL"].update(ci95=[1.0]), "PL: ci95: is not two finite"),
        (lambda run: run["metrics"]["PL"].update(ci95=["a", 2]), "PL: ci95: is not two finite"),
        (lambda run: run["metrics"]["PL"].update(mean="one"), "PL: mean: is no finite number"),
        (lambda run: run["metrics"]["PL"].update(n=-1), "PL: n: is negative"),
        (lambda run: run["metrics"].update(XX=run["metrics"]["PL"]), "XX: is no metric"),
        (lambda run: run["status"].update(odd=1), "odd: is no status"),
        (lambda run: run["per_item"]["status"].__setitem__(0, "odd"), "'odd', which is no status"),
        (lambda run: run["per_item"]["status"].__setitem__(0, "OK"), "'OK', which is no status"),
        (lambda run: run["per_item"]["scored"].__setitem__(0, 1), "column of true and false"),
        (lambda run: run["per_item"]["length"].__setitem__(0, 1.5), "column of whole numbers"),
        (lambda run: run["per_item"]["values"]["SR"].__setitem__(0, "1"), "column of numbers"),
        (lambda run: run["per_item"]["values"]["SR"].__setitem__(0, math.nan), "column of numb"),
    ],
)
def test_the_line_says_what_is_wrong(
    whole: Any,
    tmp_path: pathlib.Path,
    refused: Refusal,
    spoil: Callable[[Any], None],
    says: str,
) -> None:
    document = copy.deepcopy(whole)
    spoil(document["runs"][0])
    file = tmp_path / "results.json"
    file.write_text(json.dumps(document))
    code, err = refused(["compare", os.fspath(file)])
    assert (code, err.count("\n")) == (1, 1)
    assert says in err and str(file) in err and "write it with: warpath eval" in err


def test_a_damaged_gz_file_is_refused(tmp_path: pathlib.Path, refused: Refusal) -> None:
    file = tmp_path / "results.json.gz"
    file.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 40)
    code, err = refused(["report", os.fspath(file), "-o", os.fspath(tmp_path / "page.html")])
    assert _is_one_line(code, err) and code == 1 and "cannot be read" in err

"""A study with pairs of one's own, and rankings of it."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import warpath.study

_GRAPH = {
    "scan": "lab",
    "nodes": [
        {"id": name, "position": [x, y, 0]}
        for name, x, y in (("a", 0, 0), ("b", 2, 0), ("c", 4, 0), ("d", 6, 0), ("e", 4, 2))
    ],
    "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["c", "e"]],
}
_QUERIES = {"a": "abcd", "b": "abc", "c": "ab", "d": "abce"}


def write_own(folder: pathlib.Path) -> pathlib.Path:
    """Writes pairs of one's own, kitchen1 of four queries and kitchen2 of two, and their graph."""
    folder.mkdir(exist_ok=True)
    (folder / "lab.json").write_text(json.dumps(_GRAPH))
    rows = [("kitchen1", letter, query) for letter, query in _QUERIES.items()]
    rows += [("kitchen2", "a", "ab"), ("kitchen2", "b", "abc")]
    lines = [
        {"id": f"{name}_{letter}", "scan": "lab", "reference": list("abcd"), "prediction": list(q)}
        for name, letter, q in rows
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def own_study(folder: pathlib.Path) -> warpath.study.Study:
    """Makes a study of these pairs in ``folder/study``."""
    write_own(folder)
    return warpath.study.make(
        folder / "study", pairs=folder / "mine.jsonl", graphs=folder / "lab.json", sheets="none"
    )


def rankings(*rows: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Returns rows of ratings from raters, sets and orders such as "bacd", the best first."""
    return [
        {"rater": rater, "set": name, "query": letter, "rank": k}
        for rater, name, order in rows
        for k, letter in enumerate(order)
    ]

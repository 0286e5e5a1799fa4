"""Makes the folder of a study: sets, sheets, a form for answers."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from .. import _core
from ..arguments import flag, number, real, text
from ..errors import InputError, UsageError, Where
from ..files import read_bytes, write_whole
from ..graphs import Graphs, GraphsLike
from ..input_tables import TableLike
from ..inputs import is_path
from .sets import RatingSet, Study, _usual_threshold, read_sets

if TYPE_CHECKING:
    from ..progress import Progress

__all__ = ["make"]

_scenarios = {"UC": False, "SC": True}
"""Name -> whether all queries of its sets succeed."""
_starts = ("reference", "free")
_forms = ("pdf", "svg", "png", "none")
_sheet_name = re.compile(r"sheets\.pdf|sheets/sheet_[0-9]+\.(svg|png)")


def make(
    folder: str | os.PathLike[str],
    *,
    seed: int = 1,
    sets: str | Mapping[str, int] = "UC=265,SC=240",
    queries: int = 5,
    start: str = "reference",
    pairs: TableLike | None = None,
    graphs: GraphsLike | None = None,
    threshold: float | None = None,
    sheets: str = "pdf",
    raters: int = 9,
    per_set: int = 1,
    force: bool = False,
    progress: Progress = False,
) -> Study:
    """Writes a study into a folder: ``pairs.jsonl``, ``graph.json``, ``sheets.pdf``,
    ``answers.csv`` and ``study.json``.

    Without ``pairs`` the sets are drawn as by Ilharco et al. 2019, 4.1, on the environment of
    ``warpath demo``: a path is a random node, then 2 to 5 times a node two or three edges away, all
    joined by shortest paths. UC has any queries, SC those that end within d_th of the goal. Equal
    seeds give the same sets on every platform.

    Args:
        seed: of sets and of the order of sheets.
        sets: how many of each scenario.
        queries: of each set, 2 to 26.
        start: where queries start: at the reference's start (``reference``) or at any node
            (``free``).
        pairs: sets of one's own, as ``warpath eval --pairs`` reads them, with ids
            ``<set>_<letter>``; in place of those that are drawn.
        graphs: of these pairs, with positions for the sheets.
        threshold: d_th, metres; None for 1.33 times the mean edge, or 3 m with pairs of one's own.
        sheets: ``pdf`` for one file, ``svg`` or ``png`` for a folder of pages, or ``none``.
        raters: how many people there will be.
        per_set: how many of them rank a set; sets are dealt out in turn.
        force: replaces files that this function did not write, or that were changed since. Sheets of
            an earlier study in the folder are removed.
        progress: True for a bar, or a function of the number of sheets that are drawn.

    Raises:
        InputError: a pair or graph cannot be used, or a file cannot be written.
        UsageError: an argument is out of range, matplotlib is missing, or a file would be replaced.
    """
    if sheets not in _forms:
        raise UsageError(f"no sheets as '{sheets}'; there are {', '.join(_forms)}")
    if number("per_set", per_set, 1) > number("raters", raters, 1, 10**6):
        raise UsageError(f"{per_set} raters of a set are more than the {raters} raters")
    place = text("folder", os.fspath(folder))
    if place == "-":
        raise UsageError("a study is a folder, and cannot go to standard output")
    number("seed", seed, 0, 2**64 - 1)
    old = _hashes_in(place, flag("force", force))
    graph: bytes | str
    if pairs is not None:
        study, graph = _own(place, pairs, graphs, threshold)
    elif graphs is not None:
        raise UsageError("graphs are for pairs of your own: give pairs, too")
    else:
        study, graph = _drawn(seed, sets, queries, start, threshold)
    _require_apart(place, study, pairs)
    study.folder = place
    study.settings |= {"seed": seed, "raters": raters, "per_set": per_set}
    _deal(study, seed, raters, per_set)
    contents = {"pairs.jsonl": _json_lines(study), "answers.csv": _answers(study)}
    if isinstance(graph, bytes):
        contents["graph.json"] = graph
    if sheets != "none":
        from .sheets import render

        contents |= render(study, sheets, progress)
    description = _description(study, contents, graph if isinstance(graph, str) else "graph.json")
    _require_ours(place, contents, old)
    for file in _old_sheets(place, contents, old):
        os.remove(file)
    _write(place, {"study.json": description, **contents})
    return study


def _drawn(
    seed: int, sets: str | Mapping[str, int], queries: int, start: str, threshold: float | None
) -> tuple[Study, bytes]:
    if start not in _starts:
        raise UsageError(f"no start '{start}'; there are {', '.join(_starts)}")
    counts = _counts(sets)
    (scan, nodes, edges), usual, drawn = _core.rating_sets(
        number("seed", seed, 0, 2**64 - 1),
        number("queries", queries, 2, 26),
        start == "reference",
        [(count, _scenarios[name]) for name, count in counts.items()],
    )
    made = {}
    for scenario, found in zip(counts, drawn):
        width = max(3, len(str(len(found) - 1)))
        for k, (reference, paths) in enumerate(found):
            name = f"{scenario.lower()}{k:0{width}}"
            letters = {chr(ord("a") + q): tuple(path) for q, path in enumerate(paths)}
            made[name] = RatingSet(name, scan, tuple(reference), letters)
    graph = {
        "scan": scan,
        "nodes": [{"id": name, "position": [x, y, z]} for name, x, y, z in nodes],
        "edges": [list(edge) for edge in edges],
    }
    places = [[x, y, z] for _, x, y, z in nodes]
    index = {name: k for k, (name, *_) in enumerate(nodes)}
    from ..graphs import Graph

    ends = [[index[a], index[b]] for a, b in edges]
    store = Graphs({scan: Graph(list(index), ends, places)})
    settings = {"sets": counts, "queries": queries, "start": start}
    content = json.dumps(graph, indent=1).encode() + b"\n"
    return Study(made, store, _metres(threshold, usual), settings=settings), content


def _counts(sets: str | Mapping[str, int]) -> dict[str, int]:
    """Returns how many sets there are of each scenario, from ``UC=265,SC=240``."""
    if isinstance(sets, str):
        parts = [part.partition("=") for part in sets.split(",")]
        if not all(equals and _is_count(count.strip()) for _, equals, count in parts):
            raise UsageError(f"sets are '{sets}': write UC=265,SC=240")
        given = [(name.strip().upper(), int(count)) for name, _, count in parts]
    else:
        given = [(str(name).upper(), number("sets", count)) for name, count in sets.items()]
    for name, count in given:
        if name not in _scenarios:
            raise UsageError(f"no scenario '{name}'; there are {', '.join(_scenarios)}")
        if count > 100_000:
            raise UsageError(f"{count} sets of {name}: choose at most 100000")
    found = dict(given)
    if len(found) < len(given) or not any(found.values()):
        raise UsageError("name each scenario once, with at least one set in all")
    return {name: count for name, count in found.items() if count}


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _metres(given: float | None, usual: float) -> float:
    found = usual if given is None else real("threshold", given)
    if not 0 < found < float("inf"):
        raise UsageError(f"a threshold of {found:g} m; choose one above 0")
    return found


def _own(
    folder: str, pairs: TableLike, graphs: GraphsLike | None, threshold: float | None
) -> tuple[Study, str]:
    if graphs is None:
        raise UsageError("pairs of your own need graphs: name their folder or file")
    sets, source = read_sets(pairs)
    store = Graphs(graphs)
    if store.path is None:
        raise UsageError("graphs of a study are a folder or a file, which study.json names")
    study = Study(sets, store, _metres(threshold, _usual_threshold), sources=[source])
    for one in sets.values():
        for path in [one.reference, *one.queries.values()]:
            study.points(one.scan, path)
    study.settings = {"pairs": source.file, "pairs_hash": source.hash}
    return study, os.path.relpath(store.path, folder)


def _require_apart(folder: str, study: Study, pairs: TableLike | None) -> None:
    """Refuses a folder whose files would replace what the study is made of."""
    given = [os.fspath(cast("str", pairs)) if is_path(pairs) else None, study.graphs.path]
    inputs = [os.path.realpath(file) for file in given if file]
    outputs = ["pairs.jsonl", "answers.csv", "study.json", "graph.json", "sheets.pdf", "sheets"]
    for name in outputs:
        if os.path.realpath(os.path.join(folder, name)) in inputs:
            raise UsageError(f"{os.path.join(folder, name)} is an input: name another folder")


def _deal(study: Study, seed: int, raters: int, per_set: int) -> None:
    """Numbers the sheets in random order, and deals them out in turn."""
    import numpy as np

    names = list(study.sets)
    order = np.random.default_rng([seed, 1]).permutation(len(names))
    study.sheets = [names[k] for k in order]
    turns = range(len(names) * per_set)
    dealt = [f"r{turn % raters + 1}" for turn in turns]
    study.raters = [dealt[s * per_set : (s + 1) * per_set] for s in range(len(names))]


def _json_lines(study: Study) -> bytes:
    return "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in study.pairs()).encode()


def _answers(study: Study) -> bytes:
    """Returns the form for answers: a line for each rater and sheet, rater by rater."""
    most = max(len(one.queries) for one in study.sets.values())
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["rater", "sheet", *range(1, most + 1)])
    rows = [(rater, s) for s, raters in enumerate(study.raters, start=1) for rater in raters]
    for rater, sheet in sorted(rows, key=lambda row: (int(row[0][1:]), row[1])):
        writer.writerow([rater, sheet, *[""] * most])
    return stream.getvalue().encode()


def _description(study: Study, contents: Mapping[str, bytes], graphs: str) -> bytes:
    whole = {
        "study": _core.version,
        "settings": study.settings,
        "threshold": study.threshold,
        "graphs": graphs,
        "sheets": [
            {"set": name, "raters": raters} for name, raters in zip(study.sheets, study.raters)
        ],
        "files": {name: _core.content_hash(content) for name, content in contents.items()},
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def _hashes_in(folder: str, force: bool) -> Mapping[str, Any] | None:
    """Returns the hashes of the files that an earlier call wrote; None if any may be replaced.

    Raises:
        InputError: the place is no folder.
        UsageError: the folder has files, and no study of this program.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise InputError.at(Where(folder), "is no folder", "name another place")
    if force or not os.path.isdir(folder) or not os.listdir(folder):
        return None if force else {}
    found = None
    try:
        found = json.loads(read_bytes(os.path.join(folder, "study.json")))
    except (InputError, ValueError, RecursionError):
        pass
    if not isinstance(found, dict) or "study" not in found:
        raise UsageError(
            f"{folder} has files, and no study: name another folder, or replace with --force"
        )
    files = found.get("files")
    return files if isinstance(files, dict) else {}


def _require_ours(
    folder: str, contents: Mapping[str, bytes], old: Mapping[str, Any] | None
) -> None:
    """Refuses to replace a file that is not as an earlier call wrote it: answers filled in."""
    if old is None:
        return
    for name, content in contents.items():
        file = os.path.join(folder, name)
        if not os.path.lexists(file):
            continue
        there = read_bytes(file) if os.path.isfile(file) else None
        if there is None or (there != content and _core.content_hash(there) != old.get(name)):
            raise UsageError(
                f"{file} was changed since it was made: name another folder, or replace it with "
                "--force"
            )


def _old_sheets(
    folder: str, contents: Mapping[str, bytes], old: Mapping[str, Any] | None
) -> list[str]:
    """Returns the sheets of an earlier study that this one does not replace: handed out, they would
    be taken for sheets of this one.

    Raises:
        UsageError: one was changed since it was made.
    """
    pages = os.path.join(folder, "sheets")
    names = [f"sheets/{name}" for name in os.listdir(pages)] if os.path.isdir(pages) else []
    names = [name for name in ["sheets.pdf", *sorted(names)] if _sheet_name.fullmatch(name)]
    there = {name: os.path.join(folder, name) for name in names if name not in contents}
    files = {name: file for name, file in there.items() if os.path.isfile(file)}
    for name, file in files.items():
        if old is not None and _core.content_hash(read_bytes(file)) != old.get(name):
            raise UsageError(
                f"{file} is no sheet of this study: remove it, or let --force do so"
            )
    return list(files.values())


def _write(folder: str, contents: Mapping[str, bytes]) -> None:
    for name, content in contents.items():
        file = os.path.join(folder, name)
        where = Where(os.path.dirname(file))
        try:
            os.makedirs(where.file, exist_ok=True)
        except OSError as error:
            problem = f"cannot be made ({error.strerror})"
            raise InputError.at(where, problem, "name another place") from None
        write_whole(file, content)

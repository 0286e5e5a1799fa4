"""Predictions in memory: read from lists and dicts as from their JSON, and JSON as json.dumps has
it."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any

import numpy as np
import pytest
import warpath
from hypothesis import given
from hypothesis import strategies as st
from warpath import _core

golden = pathlib.Path(__file__).parents[1] / "golden"
graphs_folder = str(golden / "connectivity")
dataset_file = str(golden / "dataset.json")
entries: list[dict[str, Any]] = json.loads((golden / "predictions.json").read_text())


def plain(entry: dict[str, Any]) -> list[str]:
    return [move[0] if isinstance(move, list) else move for move in entry["trajectory"]]


def with_paths(make: Any) -> list[dict[str, Any]]:
    return [{"instr_id": e["instr_id"], "trajectory": make(plain(e))} for e in entries]


def nested(path: list[str]) -> list[list[str]]:
    return [path[k : k + 2] for k in range(0, len(path), 2)]


read_directly: dict[str, list[dict[str, Any]]] = {
    "viewpoints": with_paths(list),
    "lists": with_paths(lambda path: [[v] for v in path]),
    "tuples": with_paths(lambda path: [(v, 0.5, 1) for v in path]),
    "nested": with_paths(nested),
    "headings": with_paths(lambda path: [[v, -0.5, 10**20] for v in path]),
    "not finite": with_paths(lambda path: [[v, float("nan"), float("-inf")] for v in path]),
    "mixed": [
        {"instr_id": e["instr_id"], "trajectory": nested(plain(e)) if k % 2 else plain(e)}
        for k, e in enumerate(entries)
    ],
    "path": [{"path": plain(e), "instr_id": e["instr_id"]} for e in entries],
    "one is empty": [{"instr_id": "1", "trajectory": []}, *with_paths(list)],
    "twice": with_paths(list) * 2,
}
read_as_json: dict[str, Any] = {
    "objects": [{**e, "predObjId": k} for k, e in enumerate(with_paths(list))],
    "numbers": with_paths(lambda path: [[v, np.float64(0.5)] for v in path]),
    "texts of NumPy": with_paths(lambda path: [np.str_(v) for v in path]),
    "steps": with_paths(lambda path: [{"viewpoint": v} for v in path]),
    "a number first": with_paths(lambda path: [[0, v] for v in path]),
    "an empty step": with_paths(lambda path: [[], *path]),
    "large": with_paths(lambda path: [[v, 10**400] for v in path]),
    "a dict": {e["instr_id"]: plain(e) for e in entries},
    "no paths": with_paths(lambda path: []),
    "no entries": [],
    "surrogates": with_paths(lambda path: [*path, "\ud800"]),
    "texts": ["a"],
    "a key more": [{**e, "score": 1.0} for e in with_paths(list)],
    "another key": with_paths(list) + [{"instr_id": "1", "path": ["a"]}],
    "integer ids": [{"instr_id": k, "trajectory": ["a"]} for k in range(3)],
}


def json_ids() -> list[str]:
    """Returns the ids of the dataset's items."""
    items = warpath.evaluate(
        with_paths(list), dataset_file, graphs_folder, missing="skip", invalid="skip"
    ).per_item["instr_id"]
    return [str(item) for item in items]


def outcome(predictions: Any) -> tuple[Any, ...]:
    try:
        result = warpath.evaluate(
            predictions, dataset_file, graphs_folder, missing="skip", invalid="skip"
        )
    except warpath.InputError as error:
        return (str(error).replace("predictions.json", "predictions"),)
    report = json.loads(result.to_json(run_info=False))
    del report["runs"][0]["hash"]
    explained = result.explain(entries[0]["instr_id"])
    return json.dumps(report).replace("predictions.json", "predictions"), result.to_csv(), explained


@pytest.mark.parametrize("form", [*read_directly, *read_as_json])
def test_objects_are_read_as_their_json(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    predictions = (read_directly | read_as_json)[form]
    held = _core.hold_predictions("predictions", predictions)
    assert (held is not None) == (form in read_directly)
    direct = outcome(predictions)
    monkeypatch.setattr(_core, "hold_predictions", lambda name, predictions: None)
    assert outcome(predictions) == direct


def test_keys_with_code_of_their_own_are_left_to_json() -> None:
    class Key(str):
        def __hash__(self) -> int:
            return hash("instr_id")

        def __eq__(self, other: object) -> bool:
            predictions.clear()
            return False

    predictions: list[Any] = []
    predictions.append({Key("other"): 1, "trajectory": ["a"]})
    assert _core.hold_predictions("predictions", predictions) is None
    assert _core.json_text(predictions) is None
    assert len(predictions) == 1


def test_hashes_tell_predictions_apart() -> None:
    def hash_of(predictions: Any) -> str:
        result = warpath.evaluate(
            predictions, dataset_file, graphs_folder, missing="skip", invalid="skip"
        )
        return str(json.loads(result.to_json())["runs"][0]["hash"])

    forms = [form for form in read_directly if form != "lists"]
    assert len({hash_of(read_directly[form]) for form in forms}) == len(forms)
    assert hash_of(read_directly["nested"]) == hash_of(json.loads(json.dumps(read_directly["nested"])))


@pytest.mark.parametrize("unknown", ["", "0", "ß", "one of many characters", "a\0"])
def test_columns_of_texts_are_those_of_numpy(unknown: str) -> None:
    more = {"instr_id": unknown, "trajectory": ["a"]}
    result = warpath.evaluate(
        [*with_paths(list), more], dataset_file, graphs_folder, missing="skip", invalid="skip"
    )
    column = result.per_item["instr_id"]
    expected = np.asarray([*json_ids(), unknown])
    assert column.dtype == expected.dtype and column.flags.writeable
    np.testing.assert_array_equal(column, expected)
    for name in ("scan", "language", "status"):
        texts = result.per_item[name]
        assert texts.dtype == np.asarray(texts.tolist()).dtype and len(texts) == len(column)


def test_episodes_refuse_viewpoints() -> None:
    episodes = {
        "episodes": [
            {
                "episode_id": 1,
                "scene_id": "s",
                "start_position": [0, 0, 0],
                "goals": [{"position": [1, 0, 0]}],
                "reference_path": [[0, 0, 0], [1, 0, 0]],
                "info": {"geodesic_distance": 1.0},
            }
        ]
    }
    with pytest.raises(warpath.InputError, match="episodes of positions"):
        warpath.evaluate([{"instr_id": "1", "trajectory": ["a"]}], episodes, preset="vlnce")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_json_is_that_of_python(value: Any) -> None:
    written = _core.json_text(value)
    assert written is None or written == json.dumps(value)


def test_json_of_what_files_hold_is_written() -> None:
    draw = random.Random(1)
    numbers = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-300, 300) for _ in range(1000)]
    for value in (entries, json.loads(pathlib.Path(dataset_file).read_text()), numbers, "é😀\n\x00\x7f"):
        assert _core.json_text(value) == json.dumps(value)


@pytest.mark.parametrize("value", [(1, 2), {1: 2}, 2**64, np.float64(1), {"a": {1}}, object()])
def test_json_of_other_objects_is_left_to_python(value: Any) -> None:
    assert _core.json_text([value]) is None


def test_json_of_a_list_in_itself_is_left_to_python() -> None:
    value: list[Any] = []
    value.append(value)
    assert _core.json_text(value) is None
    with pytest.raises(warpath.InputError, match="cannot be written as JSON"):
        warpath.evaluate(value, dataset_file, graphs_folder)


def test_arrow_tables() -> None:
    arrow = pytest.importorskip("pyarrow")
    expected = outcome(read_directly["viewpoints"])
    for columns in (
        {"instr_id": [e["instr_id"] for e in entries], "trajectory": [plain(e) for e in entries]},
        {"instr_id": [e["instr_id"] for e in entries], "path": [plain(e) for e in entries]},
    ):
        assert outcome(arrow.table(columns))[1] == expected[1]
    with pytest.raises(warpath.InputError, match="DataFrame with the columns a"):
        warpath.evaluate(arrow.table({"a": [1]}), dataset_file, graphs_folder)

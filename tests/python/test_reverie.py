"""evaluate with REVERIE's boxes: the scores of the transcription, in every form of boxes."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath

golden = pathlib.Path(__file__).parents[1] / "golden"
folder = golden / "targets" / "reverie"
graphs = str(golden / "connectivity")


def content(name: str) -> Any:
    return json.loads((folder / name).read_text())


def evaluate(predictions: Any, objects: Any, **options: Any) -> warpath.results.Evaluation:
    settings = {"preset": "reverie", "invalid": "skip", **options}
    return warpath.evaluate(
        predictions, folder / "dataset.json", graphs, objects=objects, **settings
    )


@pytest.mark.parametrize("preset", ["reverie", "duet-reverie", "scalevln-reverie"])
def test_items_are_those_of_the_transcription(preset: str) -> None:
    with open(folder / f"{preset}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for objects in (folder / "boxes.json", content("boxes.json")):
        items = evaluate(folder / "predictions.json", objects, preset=preset).per_item
        assert list(items["instr_id"]) == [row["instr_id"] for row in rows]
        for metric in ("SR", "OSR", "SPL", "RGS", "RGSPL"):
            wanted = [float(row[metric] or "nan") for row in rows]
            np.testing.assert_allclose(items[metric], wanted, atol=1e-12)


def test_a_folder_of_box_files(tmp_path: pathlib.Path) -> None:
    for place, objects in content("boxes.json").items():
        text = json.dumps({place.rsplit("_", 1)[1]: objects})
        (tmp_path / f"{place}.json").write_text(text)
    of_folder = evaluate(folder / "predictions.json", tmp_path)
    of_file = evaluate(folder / "predictions.json", str(folder / "boxes.json"))
    assert of_folder.summary["RGSPL"] == of_file.summary["RGSPL"]
    assert of_folder.summary["SR"] == of_file.summary["SR"]


def test_objects_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    entries = content("nested.json")
    for entry in entries:  # a column of numbers, which is one of floats where some are missing
        named = entry["pred_objid"]
        entry["pred_objid"] = None if named is None else int(named)
    frame = pandas.DataFrame(entries)
    assert frame["pred_objid"].dtype == float
    boxes = folder / "boxes.json"
    assert evaluate(frame, boxes).summary["RGS"] == evaluate(entries, boxes).summary["RGS"]
    nullable = frame.astype({"pred_objid": "Int64"})
    assert evaluate(nullable, boxes).summary["RGS"] == evaluate(entries, boxes).summary["RGS"]


def test_refusals() -> None:
    with pytest.raises(warpath.UsageError, match="boxes by objects"):
        evaluate(folder / "predictions.json", None)
    entries = content("predictions.json")
    for entry in entries:
        del entry["predObjId"]
    with pytest.raises(warpath.InputError, match="does not say which object"):
        evaluate(entries, folder / "boxes.json", invalid="error", start="note")
    result = evaluate(
        entries, folder / "boxes.json", invalid="error", start="note", metrics="SR,OSR"
    )
    assert list(result.summary) == ["SR", "OSR"]
    with pytest.raises(warpath.InputError, match="objects"):
        evaluate(entries, {"nowhere_a": {}})

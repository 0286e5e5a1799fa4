"""What an agent was told stands beside what it did."""

from __future__ import annotations

import pathlib

import pytest
import warpath
import warpath.report
from report_pages import Study, make_study, read_page


def told(study: Study) -> Study:
    for entry in study.dataset:
        entry["instructions"] = [f"Wait in <room> {entry['path_id']}.", ""]
    return study


def test_explanations_have_the_instruction() -> None:
    result = told(make_study()).evaluate(missing="zero", invalid="zero")
    text = result.explain("3_0")
    assert text.startswith("instruction of 3_0: Wait in <room> 3.\n\n")
    assert text.count("Wait in") == 1 and len(result.agents) > 1
    assert "instruction of" not in result.explain("3_1")
    first = result.explain_items("3_0")[0]
    assert (first.instruction, first.language) == ("Wait in <room> 3.", "")
    assert "<blockquote>Wait in &lt;room&gt; 3.</blockquote>" in first._repr_html_()


def test_the_language_stands_beside_it(street: warpath.Graphs) -> None:
    entry = {"path_id": 7, "instruction_id": 1, "scan": "street", "path": ["a", "b"]}
    dataset = [{**entry, "language": "te-IN", "instruction": "తిరగండి"}]
    prediction = [{"instruction_id": 1, "path": ["a", "b"]}]
    result = warpath.evaluate(prediction, dataset, street)
    assert result.explain("1").startswith("instruction of 1 (te-IN): తిరగండి\n\n")
    item = result.explain_items("1")[0]
    assert item.language == "te-IN" and "<small>(te-IN)</small>" in item._repr_html_()


@pytest.mark.parametrize("limit", [20_000_000, 10])
def test_reports_have_the_instructions(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    from warpath.report import payload

    monkeypatch.setattr(payload, "_characters_of_all_items", limit)
    result = told(make_study()).evaluate(missing="zero", invalid="zero")
    warpath.report.write(result, tmp_path / "r.html", details=3)
    page = read_page(tmp_path / "r.html")
    texts = [page.data["instructions"][k] for k in page.data["instruction"]]
    has_path = [item in page.data["detailed"] for item in range(len(texts))]
    for name, text, is_detailed in zip(page.data["ids"], texts, has_path, strict=True):
        path_id, number = name.split("_")
        is_kept = number == "0" and (limit > 10 or is_detailed)
        assert text == (f"Wait in <room> {path_id}." if is_kept else "")
    assert any("instructions" in line for line in page.meta["limits"]) == (limit == 10)

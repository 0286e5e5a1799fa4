"""What explains an item as data equals what the text says, and what was scored."""

from __future__ import annotations

import numpy as np
import pytest
import warpath


def test_the_warping_is_that_of_the_text_and_adds_up_to_dtw(street: warpath.Graphs) -> None:
    entry = {"path_id": 7, "scan": "street", "heading": 0, "instructions": ["", ""]}
    entries = [{**entry, "path": ["a", "b", "c", "d"]}]
    paths = [[["a", "b", "c", "e", "c"], ["a"]], [["a", "b", "c"], []]]
    agents = [
        [{"instr_id": f"7_{k}", "trajectory": path} for k, path in enumerate(two)] for two in paths
    ]
    result = warpath.evaluate(agents, entries, street, names=["long", "short"], invalid="skip")
    long, short = result.explain_items("7_0")
    assert (long.agent, short.agent) == ("long", "short")
    assert long.reference == ["a", "b", "c", "d"] and short.query == ["a", "b", "c"]
    assert long.warping.tolist() == [[0, 0], [1, 1], [2, 2], [2, 3], [2, 4], [3, 4]]
    assert long.reference_positions[3].tolist() == [5, 0, 0]
    assert long.distances[1].tolist() == [2, 0, 2, 4, 2]
    texts = result.explain("7_0").split("item 7_0")[1:]
    for item, text in zip((long, short), texts, strict=True):
        assert item.distances[tuple(item.warping.T)].sum() == item.metrics["DTW"]
        table = text[text.index("alignment") :].split("\n\n")[0]
        printed = [[int(cell) - 1 for cell in row.split()[1:3]] for row in table.splitlines()[1:]]
        assert printed == item.warping.tolist()
    stop, empty = result.explain_items(["7_1"])
    assert stop.warping.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert empty.status == "empty_path" and empty.warping.shape == (0, 2) and empty.metrics == {}
    assert [item.instr_id for item in result.explain_items(["7_0", "7_1"])] == ["7_0", "7_1"] * 2
    with pytest.raises(warpath.InputError, match="9_9: no such item"):
        result.explain_items(["7_0", "9_9"])


def test_graphs_tell_positions_and_edges(street: warpath.Graphs) -> None:
    positions = street.positions("street")
    assert positions is not None and positions.tolist()[4] == [4, 2, 0]
    assert street.edges("street").tolist() == [[0, 1], [1, 2], [2, 3], [2, 4]]
    matrix = warpath.Graphs({"m": np.array([[0, 3.0], [3.0, 0]])})
    assert matrix.positions("m") is None and matrix.edges("m").shape == (0, 2)

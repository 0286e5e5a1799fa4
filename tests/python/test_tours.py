"""Tours of items: ``evaluate(tours=…)``, and what compares two results of tours."""

from __future__ import annotations

import math
import pathlib
from typing import Any

import numpy as np
import pytest
import warpath

GRAPH = warpath.Graph(
    ["a", "b", "c", "d"], [[0, 1], [1, 2], [2, 3]], positions=[[2.0 * k, 0, 0] for k in range(4)]
)
DATASET = [
    {"scan": "s", "path_id": k, "path": path, "heading": 0, "instructions": [""]}
    for k, path in enumerate((["a", "b", "c"], ["c", "d"], ["b", "c", "d"], ["d", "c", "b"]))
]
TOURS = {"val": {"s": [["0_0", "1_0"], ["3_0", "2_0"]]}}


def predictions(*paths: str) -> list[dict[str, Any]]:
    return [
        {"instr_id": f"{k}_0", "trajectory": [[viewpoint] for viewpoint in path]}
        for k, path in enumerate(paths)
    ]


def evaluate(*paths: str, tours: Any = TOURS, **options: Any) -> warpath.results.Evaluation:
    graphs = warpath.Graphs({"s": GRAPH})
    options = {"preset": "ivln", **options}
    return warpath.evaluate(predictions(*paths), DATASET, graphs, tours=tours, **options)


def test_values_are_those_of_tours() -> None:
    result = evaluate("abc", "cd", "bc", "dcb")
    first, second = 1.0, math.exp(-2 / 18)  # of the third item d is not reached
    ndtw = result.summary["t-nDTW"]
    assert ndtw.mean == pytest.approx((first + second) / 2, abs=1e-15)
    assert (ndtw.n, ndtw.of, ndtw.clusters) == (4, 4, 2)
    assert np.allclose(result.per_item["t-nDTW"], [first, first, second, second], atol=1e-15)
    assert {"t-SR", "t-SPL", "t-SDTW"} < set(result.summary)
    assert "clustered by tour, 2 tours" in str(result)


def test_plots_bound_a_rate_of_tours_as_tables_do() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot

    agent = evaluate("abc", "cd", "bcd", "dcb")
    interval = agent.summary["t-SR"].ci95
    assert interval is not None and interval[0] < interval[1] == 1
    (drawn,) = warpath.plot.by_length(agent, "t-SR", width=9).containers
    (segment,) = drawn.lines[2][0].get_segments()
    assert segment[:, 1] == pytest.approx(interval, abs=2e-6)


def test_a_file_gives_the_same(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "tours.json"
    file.write_text('{"val": {"s": [["0_0", "1_0"], ["3_0", "2_0"]]}, "other": {"s": [["9_0"]]}}')
    given = evaluate("abc", "cd", "bc", "dcb", tours=file, split="val").summary["t-SR"]
    held = evaluate("abc", "cd", "bc", "dcb").summary["t-SR"]
    assert (given.mean, given.n) == (held.mean, held.n)


def test_comparisons_cluster_tours(tmp_path: pathlib.Path) -> None:
    files = []
    for name, third in (("one", "bc"), ("two", "bcd")):
        result = evaluate("abc", "cd", third, "dcb")
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(result.to_json(items=True))
    comparison = warpath.compare(files, metrics="t-nDTW,SR")
    text = str(comparison)
    assert "by clusters of items of one tour" in text
    assert "differences of whole tours" in text
    [pair] = comparison
    assert pair.metrics["t-nDTW"].clusters == 2
    assert pair.metrics["SR"].clusters == 2


@pytest.mark.parametrize(
    ("tours", "error"),
    [
        (7, warpath.InputError),
        ([], warpath.InputError),
        ({}, warpath.InputError),
        ({"val": {"s": [["0_0", "0_0"]]}}, warpath.InputError),
        ({"val": {"s": [[]]}}, warpath.InputError),
        (None, warpath.UsageError),
    ],
)
def test_what_is_no_tours_is_refused(tours: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        evaluate("abc", "cd", "bc", "dcb", tours=tours)

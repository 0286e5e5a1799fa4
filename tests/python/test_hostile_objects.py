"""Whatever is passed: a result or an error in words, never the end of the interpreter."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
import warpath


@pytest.mark.skipif("WARPATH_FEWER_EXAMPLES" in os.environ, reason="takes long there")
def test_some_hostile_calls() -> None:
    program = pathlib.Path(__file__).with_name("fuzz_calls.py")
    done = subprocess.run(
        [sys.executable, str(program), "--calls", "600", "--numpy"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "result=" in done.stdout and "InputError=" in done.stdout


@pytest.fixture(scope="module")
def scorer(street: warpath.Graphs) -> warpath.Scorer:
    return warpath.Scorer(street, metrics="SR,nDTW")


def test_names_forgive_on_the_way_out(street: warpath.Graphs, scorer: warpath.Scorer) -> None:
    scores = scorer.score([list("abc")], [list("abc")])
    assert scores["ndtw"] is scores["nDTW"] and "sr" in scores
    with pytest.raises(KeyError, match=r"no column 'ndtv'; did you mean nDTW\? there are SR, nDTW"):
        scores["ndtv"]
    item = {"path_id": 1, "scan": "street", "heading": 0, "instructions": ["x"], "path": list("ab")}
    prediction = {"instr_id": "1_0", "trajectory": [["a", 0, 0], ["b", 0, 0]]}
    result = warpath.evaluate([prediction], [item], street)
    assert result.summary["sr"].mean == 1.0 and result.summary["tl"] == result.summary["PL"]
    assert result.per_item["NDTW"] is result.per_item["nDTW"]
    with pytest.raises(KeyError, match=r"did you mean nDTW\?"):
        result.summary["ndwt"]
    rewards = warpath.Rewards(street, [[0, 1]], "street")
    assert rewards.compute([[0, 1]], values=["nDTW"]).ndtw is not None
    tracker = warpath.RewardTracker(rewards, 1, metrics="CLS")
    tracker.reset([0])
    assert list(tracker.values("CLS", "distance_to_goal")) == ["CLS", "distance_to_goal"]


def test_settings_that_are_arguments_are_guessed(street: warpath.Graphs) -> None:
    for call, name in [
        (lambda **x: warpath.Scorer(street, **x), "metric"),
        (lambda **x: warpath.evaluate([], [], street, **x), "metric"),
    ]:
        with pytest.raises(warpath.UsageError, match=r"no setting 'metric'; did you mean metrics\?"):
            call(**{name: "SR"})
    with pytest.raises(warpath.UsageError, match="missing: 'often' is none of error|skip|zero"):
        warpath.Scorer(street, missing="often")


def test_remedies_speak_python(street: warpath.Graphs) -> None:
    items = [
        {"path_id": k, "scan": "street", "heading": 0, "instructions": ["x"], "path": list("ab")}
        for k in (1, 2)
    ]
    prediction = {"instr_id": "1_0", "trajectory": [["a", 0, 0], ["b", 0, 0]]}
    with pytest.raises(warpath.InputError) as caught:
        warpath.evaluate([prediction], items, street)
    assert 'say missing="zero" (count as failures) or missing="skip"' in str(caught.value)
    assert "--" not in str(caught.value) and "--" not in caught.value.remedy
    with pytest.raises(warpath.UsageError, match="^graphs is required"):
        warpath.evaluate([prediction], items)


def test_whole_arguments_of_a_wrong_type_are_named(street: warpath.Graphs) -> None:
    rewards = warpath.Rewards(street, [[0, 1]], "street")
    cases: list[tuple[Any, str]] = [
        (lambda: warpath.evaluate([], [], street, preset=3), "preset: is of type int; give text"),
        (lambda: warpath.evaluate([], [], street, merge="x"), "merge: is of type str; give True"),
        (lambda: warpath.evaluate([], [], street, names=3), "names: is of type int; give text"),
        (lambda: warpath.evaluate([], [], street, task_success=3), "task_success: is of type int"),
        (lambda: warpath.Scorer(street).score([[0]], [[0]], progress=3), "progress: is of type"),  # type: ignore[arg-type]
        (lambda: warpath.RewardTracker(rewards, "2"), "episodes: is of type str; give an integer"),
        (lambda: warpath.RewardTracker(street, 2), "rewards: is of type Graphs; give warpath.R"),
        (lambda: warpath.RewardTracker(rewards, 2, metrics=3), "metrics: is of type int"),
        (lambda: warpath.Scorer(street, threads="x"), "threads: is of type str"),
        (lambda: warpath.Scorer(street).score([[0]], [[0]], 5), "scans: is of type int"),
        (lambda: street.distances(3), "scan: is of type int; give text"),
        (lambda: warpath.Graphs({"s": 3}), "graphs: scan s: is of type int"),
        (
            lambda: warpath.Graphs({"s": warpath.Graph(["a"], [], np.zeros(2))}),
            r"graphs: scan s: positions: has the shape \[2\]",
        ),
        (lambda: warpath.Graphs({"s": warpath.Graph(3)}), "viewpoints: is of type int"),  # type: ignore[arg-type]
        (lambda: warpath.perturb_path(street, 3, [0], "reversal"), "scan: is of type int"),
        (lambda: warpath.make_r4r([], street, threshold_m="x"), "threshold_m: is of type str"),
    ]
    for call, message in cases:
        with pytest.raises(warpath.InputError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(warpath.InputError, match="scan s"):
        warpath.Graphs({"s": {}})


def test_lone_surrogates_are_refused(street: warpath.Graphs, scorer: warpath.Scorer) -> None:
    bad = "\udc80"
    item = [{"path_id": 1, "scan": "street", "heading": 0, "instructions": ["x"], "path": ["a"]}]
    for call in (
        lambda: scorer.score([[bad]], [["a"]]),
        lambda: scorer.score([["a"]], [["a"]], bad),
        lambda: scorer.score([["a"]], [["a"]], [bad]),
        lambda: street.viewpoints(bad),
        lambda: warpath.Graphs(bad),
        lambda: warpath.Graphs({bad: warpath.Graph(["a"])}),
        lambda: warpath.Graphs({"s": warpath.Graph([bad])}),
        lambda: warpath.Scorer(street, preset=bad),
        lambda: warpath.Scorer(street, missing=bad),
        lambda: warpath.evaluate(bad, [], street),
        lambda: warpath.evaluate([], item, street, also=bad),
        lambda: warpath.Rewards(street, [["a"]], bad),
    ):
        with pytest.raises(warpath.InputError) as caught:
            call()
        str(caught.value).encode()


def test_a_length_that_lies_is_not_believed() -> None:
    class Liar:
        ndim = 2

        def __len__(self) -> int:
            return 2**31

    for graph, field in ((Liar(), "distances"), ((Liar(), [[0, 1]]), "positions")):
        with pytest.raises(warpath.InputError, match=f"graphs: scan s: {field}: is object"):
            warpath.Graphs({"s": graph})  # type: ignore[dict-item]


def test_names_of_scans_are_not_copied_where_memory_is_short() -> None:
    program = textwrap.dedent(
        """
        import resource
        import warpath
        graphs = warpath.Graphs({"s": warpath.Graph(["a"])})
        names = ["s"] * 60_000_000
        pages = int(open("/proc/self/statm").read().split()[0])
        most = pages * resource.getpagesize() + 1_500_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for call in (warpath.Rewards, lambda *given: graphs.encode(*given[1:])):
            try:
                call(graphs, [["a"]], names)
            except warpath.InputError as error:
                print(error)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("scans: has 60000000 elements for 1 ") == 2

"""Scorer: every form of input gives the same scores, and outputs are written where they should."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warpath
from conftest import Maze, csr, padded

# include/warpath/metrics.hpp works these out by hand.
STREET = {
    "PL": 6, "NE": 3, "ONE": 1, "SR": 1, "OSR": 1, "AD": 0.5, "MD": 2, "SPL": 5 / 6, "SED": 2 / 3,
    "GP": 2, "ED": 1, "SP": 5, "PLR": 5, "steps": 3, "n_query": 4, "n_query_raw": 4, "n_ref": 4,
    "nDTW": np.exp(-3 / 12), "SDTW": np.exp(-3 / 12), "DTW": 3,
}  # fmt: skip


def equal(scores: warpath.Scores, others: warpath.Scores) -> None:
    assert list(scores) == list(others)
    for metric in scores:
        np.testing.assert_array_equal(scores[metric], others[metric], metric)
    np.testing.assert_array_equal(scores.status, others.status)


def test_the_street_has_the_scores_worked_out_by_hand(street: warpath.Graphs) -> None:
    scores = warpath.Scorer(street, backend="reference").score([list("abcd")], [list("abce")])
    for metric, value in STREET.items():
        assert scores[metric].tolist() == pytest.approx([value], abs=1e-12), metric


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_all_forms_of_viewpoints_give_the_same_bits(maze: Maze, backend: str) -> None:
    references, queries, scans = maze.pairs(500)
    scorer = warpath.Scorer(maze.graphs, backend=backend)
    expected = scorer.score(maze.ids(references, scans), maze.ids(queries, scans), scans)
    numbers = np.array([scorer.scans.index(scan) for scan in scans])
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        equal(expected, scorer.score(padded(references, dtype), padded(queries, dtype), numbers))
    for dtype in (np.uint8, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        equal(expected, scorer.score(csr(references, dtype), csr(queries, dtype), numbers))
    lengths = np.array([len(path) for path in queries], np.int16)
    rows = np.abs(padded(queries))  # what is behind the end is not read
    equal(expected, scorer.score(references, warpath.PaddedPaths(rows, lengths), scans))
    equal(expected, scorer.score([np.array(path) for path in references], tuple(queries), scans))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_many_long_rows_end_before_their_first_negative_viewpoint(maze: Maze, dtype: type) -> None:
    draw = np.random.default_rng(11)
    width, size = 90, len(maze.neighbours[maze.names[0]])
    paths = [draw.integers(size, size=n).tolist() for n in draw.integers(1, width + 1, 5000)]
    behind = 1 << 40 if dtype is np.int64 else 99
    rows = draw.integers(-9, behind, (len(paths), width)).astype(dtype)
    for row, path in zip(rows, paths):
        row[: len(path)] = path
        row[len(path) : len(path) + 1] = np.iinfo(dtype).min if len(path) % 2 else -1
    others = paths[::-1]
    expected = warpath.Scorer(maze.graphs, backend="cpu", metrics="DTW,n_query,n_ref", threads=1)
    scorer = warpath.Scorer(maze.graphs, backend="cpu", metrics="DTW,n_query,n_ref", threads=2)
    for _ in range(3):
        equal(
            expected.score(csr(others), csr(paths), maze.names[0]),
            scorer.score(rows[::-1], rows, maze.names[0]),
        )


def test_of_many_paths_the_references_are_refused_first(maze: Maze) -> None:
    right = np.zeros((5000, 3), np.int64)
    wrong = right.copy()
    wrong[4321, 1] = 1 << 40
    scorer = warpath.Scorer(maze.graphs, backend="cpu", metrics="DTW")
    for references, queries, name in (
        (right, wrong, "queries"),
        (wrong, right, "references"),
        (wrong, wrong, "references"),
    ):
        for _ in range(3):
            with pytest.raises(warpath.InputError, match=rf"{name}: element {4321 * 3 + 1}"):
                scorer.score(references, queries, maze.names[0])
    assert scorer.score(right, right, maze.names[0])["DTW"].tolist() == [0.0] * 5000


def test_arrays_are_read_by_their_strides(maze: Maze) -> None:
    references, queries, scans = maze.pairs(50)
    scorer = warpath.Scorer(maze.graphs)
    expected = scorer.score(references, queries, scans)
    wide = np.asfortranarray(padded(queries))
    backward = padded(references)[::-1, ::-1].copy()[::-1, ::-1]
    equal(expected, scorer.score(backward, wide, scans))
    read_only = padded(queries)
    read_only.flags.writeable = False
    equal(expected, scorer.score(references, read_only, scans))


def test_points_in_all_forms_give_the_same_bits() -> None:
    draw = np.random.default_rng(3)
    paths = [draw.uniform(-9, 9, (int(n), 3)) for n in draw.integers(1, 20, 80)]
    references, queries = paths[:40], paths[40:]
    scorer = warpath.Scorer(backend="cpu")
    expected = scorer.score(references, queries)
    assert np.isfinite(expected["nDTW"]).all()

    def rows(paths: list[np.ndarray]) -> np.ndarray:
        array = np.full((len(paths), 20, 3), np.nan)
        for row, path in zip(array, paths):
            row[: len(path)] = path
        return array

    def flat(paths: list[np.ndarray]) -> warpath.CsrPaths:
        return warpath.CsrPaths(np.concatenate(paths), np.cumsum([0, *map(len, paths)]))

    equal(expected, scorer.score(rows(references), rows(queries)))
    equal(expected, scorer.score(flat(references), flat(queries)))
    equal(expected, scorer.score([p.tolist() for p in references], queries))


def test_metrics_are_those_asked_for(street: warpath.Graphs) -> None:
    scorer = warpath.Scorer(street, metrics="spl, TL,SR, SR", preset="r2r")
    assert scorer.metrics == ["SPL", "PL", "SR"]
    scores = scorer.score([[0, 1, 2, 3]], [[0, 1, 2, 4]])
    assert list(scores) == ["SPL", "PL", "SR"]
    assert scores["SR"].tolist() == [0.0]  # 3 m is not below 3 m
    assert "SPL" in repr(scores) and scores.means()["PL"] == 6
    assert scores.status_names() == ["ok"]


def test_settings_change_the_preset(street: warpath.Graphs) -> None:
    def sr(**settings: str | float) -> float:
        scorer = warpath.Scorer(street, preset="r2r", metrics="SR", **settings)
        return float(scorer.score([list("abcd")], [list("abce")])["SR"][0])

    assert sr() == 0 and sr(success="le") == 1 and sr(threshold=3.5) == 1
    with pytest.raises(warpath.UsageError, match="treshold.*threshold"):
        sr(treshold=1)
    with pytest.raises(warpath.UsageError, match="True"):
        sr(threshold=True)


def test_columns_outlive_their_scores(maze: Maze) -> None:
    references, queries, scans = maze.pairs(20)
    column = warpath.Scorer(maze.graphs).score(references, queries, scans)["nDTW"]
    assert column.flags.writeable and column.base is not None
    assert np.isfinite(column).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_out_is_written_in_place(maze: Maze, dtype: type) -> None:
    references, queries, scans = maze.pairs(100)
    scorer = warpath.Scorer(maze.graphs, metrics="SR,nDTW", backend="cpu")
    expected = scorer.score(references, queries, scans)
    out = np.full((2, 100), 7, dtype)
    scores = scorer.score(references, queries, scans, out=out)
    np.testing.assert_array_equal(out, np.stack([expected["SR"], expected["nDTW"]]).astype(dtype))
    assert np.shares_memory(scores["nDTW"], out)
    some = {"PL": np.zeros(100, dtype), "status": np.full(100, 9, np.uint8)}
    scorer.score(references, queries, scans, out=some)
    assert (some["PL"] > 0).any() and (some["status"] == 0).all()


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((2, 3), np.int64),
        np.zeros((2, 3), np.float16),
        np.zeros((3, 3)),
        np.zeros((2, 4)),
        np.zeros((2, 6))[:, ::2],
        np.broadcast_to(np.zeros(3), (2, 3)),
        {"SR": np.zeros(3), "nDTW": np.zeros(3, np.float32)},
        {"SR": [0.0, 0.0, 0.0]},
        {"status": np.zeros(3)},
        [[0.0] * 3] * 2,
    ],
)
def test_out_is_never_converted(street: warpath.Graphs, out: object) -> None:
    scorer = warpath.Scorer(street, metrics="SR,nDTW")
    with pytest.raises(warpath.InputError, match="out"):
        scorer.score([list("ab")] * 3, [list("abc")] * 3, out=out)  # type: ignore[arg-type]


def test_task_success_takes_the_place_of_sr(street: warpath.Graphs) -> None:
    scorer = warpath.Scorer(street, backend="reference")
    success = np.array([0.5, np.nan])
    scores = scorer.score([list("abcd")] * 2, [list("abce")] * 2, task_success=success)
    assert scores["SDTW"][0] == 0.5 * scores["nDTW"][0] and np.isnan(scores["SDTW"][1])
    with pytest.raises(warpath.InputError, match="task_success"):
        scorer.score([list("abcd")] * 2, [list("abce")] * 2, task_success=success[:1])


def test_statistics_are_exact_in_any_parts(maze: Maze) -> None:
    references, queries, scans = maze.pairs(300)
    scorer = warpath.Scorer(maze.graphs, backend="cpu")
    whole = scorer.statistics(references, queries, scans)
    merged = warpath.BatchStatistics()
    for part in (slice(170, 300), slice(0, 170)):
        merged.merge(scorer.statistics(references[part], queries[part], scans[part]))
    assert merged == whole and whole.items == 300 and whole.statuses() == {"ok": 300}
    scores = scorer.score(references, queries, scans)
    for metric in ("nDTW", "PL", "SPL"):
        of = whole.of(metric)
        assert of.mean == pytest.approx(scores[metric].mean(), abs=1e-12) and of.n == 300
        assert (of.minimum, of.maximum) == (scores[metric].min(), scores[metric].max())
        below, bins, above, _ = whole.histogram(metric)
        assert below + sum(bins) + above == 300
    moments = whole.of("GP").moments()
    assert warpath.Statistics.of_moments("length", *moments) == whole.of("GP")
    assert moments[1] == round(sum(scores["GP"].astype(float) * 2.0**40))


def test_statistics_of_values_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).normal(size=999)
    statistics = warpath.Statistics.of_unit("length")
    statistics.add(values[::-1])
    assert statistics.mean == pytest.approx(values.mean(), abs=1e-12)
    half_width = 1.96 * values.std(ddof=1) / np.sqrt(999)
    assert statistics.ci95_half_width == pytest.approx(half_width, rel=1e-9)
    with pytest.raises(OverflowError):
        warpath.Statistics.of_moments("length", 1, 2**127, 0, 0.0, 0.0)


def test_scans_are_named_in_any_form(maze: Maze) -> None:
    references, queries, scans = maze.pairs(60)
    expected = warpath.Scorer(maze.graphs).score(references, queries, scans)
    late = warpath.Scorer(maze.graphs, scans=[])  # learns of scans as batches name them
    for k in range(60):
        one = late.score([references[k]], [queries[k]], scans[k])
        assert one["nDTW"][0] == expected["nDTW"][k]
    assert sorted(late.scans) == maze.names
    equal(expected, late.score(references, queries, np.array(list(map(late.scans.index, scans)))))


def test_an_empty_batch_has_no_scores(street: warpath.Graphs) -> None:
    scores = warpath.Scorer(street).score([], [])
    assert scores.pairs == 0 and np.isnan(scores.means()["SR"])
    assert warpath.Scorer(street).statistics([], []).items == 0


def test_backends_agree_on_decisions(maze: Maze) -> None:
    references, queries, scans = maze.pairs(400)
    scores = [
        warpath.Scorer(maze.graphs, backend=backend, preset=preset).score(
            references, queries, scans
        )
        for preset, backend in itertools.product(["paper", "duet"], ["reference", "cpu"])
    ]
    for exact, fast in (scores[:2], scores[2:]):
        np.testing.assert_array_equal(exact["SR"], fast["SR"])
        np.testing.assert_allclose(exact["nDTW"], fast["nDTW"], atol=1e-6)


def test_threads_do_not_change_bits(maze: Maze) -> None:
    references, queries, scans = maze.pairs(3000)
    scorers = [warpath.Scorer(maze.graphs, backend="cpu", threads=n) for n in (1, 2, 0)]
    first, *others = (scorer.score(references, queries, scans) for scorer in scorers)
    for scores in others:
        equal(first, scores)
    assert scorers[0].backend(10) == "cpu"


def test_memory_of_earlier_calls_leaves_no_trace() -> None:
    maze = Maze(seed=3)
    references, queries, scans = maze.pairs(5000)  # packed on several threads
    scorer = warpath.Scorer(maze.graphs, metrics="PL,nDTW,CLS", backend="cpu", threads=2)
    for count in (5000, 40, 4999, 1):
        r, q, s = references[:count], queries[:count], scans[:count]
        fresh = warpath.Scorer(maze.graphs, metrics="PL,nDTW,CLS", backend="cpu", threads=1)
        expected = fresh.score(csr(r), csr(q), s)
        with pytest.raises(warpath.InputError, match="pair"):
            scorer.score(maze.ids(r, s), [["nowhere"]] * count, s)
        for form in (padded, csr, list):
            scores = scorer.score(form(r), form(q), s)
            for metric in expected:
                np.testing.assert_array_equal(scores[metric], expected[metric])

"""The drop-ins for dtw and fastdtw: against transcriptions, goldens and the package itself."""

from __future__ import annotations

import csv
import functools
import gzip
import importlib
import json
import math
import pathlib
import sys
import types
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from made_packages import fast_dtw_transcription, powers
from warpath import compat
from warpath.compat import warping

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = ("pure", "compiled")


def euclidean_distance(a: Any, b: Any) -> Any:
    """As VLN-CE has it."""
    return np.linalg.norm(np.array(b) - np.array(a), ord=2)


def recorded_distance(a: Any, b: Any) -> float:
    """The norm of the machine that recorded the goldens: each square is added without a rounding
    of its own. numpy's norm adds in another order on some machines."""
    total = Fraction(0)
    for x, y in zip(a, b, strict=True):
        step = Fraction(float(y) - float(x))
        total = Fraction(float(step * step + total))
    return math.sqrt(total)


class Counted:
    """A function that counts its calls and has no telling name."""

    def __init__(self, dist: Any) -> None:
        self.dist, self.calls = dist, 0

    def __call__(self, a: Any, b: Any) -> Any:
        self.calls += 1
        return self.dist(a, b)


@pytest.fixture()
def transcription(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both builds cell by cell, tests/golden/make_fast_dtw_golden.py with another distance."""
    module = fast_dtw_transcription()

    def run(x: Any, y: Any, radius: int, dist: Any, build: str) -> tuple[float, Any, int]:
        counted = Counted(lambda a, b: float(dist(np.array(a), np.array(b))))
        monkeypatch.setattr(module, "distance", counted)
        cost, path = getattr(module, build)(np.array(x).tolist(), np.array(y).tolist(), radius)
        return cost, path, counted.calls

    return run


def most_calls(x: Any, y: Any, path: Any) -> int:
    """The calls of a function that is recognised: a dozen, the warping, the farthest, a share."""
    return 12 + len(path) + 1 + (len(x) + len(y)) // 2


def walks(draw: np.random.Generator, *, size: int = 60, d: int = 3) -> tuple[Any, Any]:
    shapes = draw.integers(1, size, 2)
    x, y = (np.cumsum(draw.normal(size=(n, d)), 0) for n in shapes)
    return x, y


def test_made_pairs_have_the_warpings_of_both_builds() -> None:
    def dist(a: Any, b: Any) -> float:
        return math.sqrt(sum((a - b) ** 2))

    with open(ROOT / "tests/golden/targets/fast_dtw.jsonl") as lines:
        pairs = [json.loads(line) for line in lines]
    assert any(pair["pure"] != pair["compiled"] for pair in pairs)
    for pair in pairs:
        x, y, radius = pair["x"], pair["y"], pair["radius"]
        for build in BUILDS:
            steps = [tuple(step) for step in pair[f"{build}_steps"]]
            assert compat.fastdtw(x, y, radius, dist, build) == (pair[build], steps)
            cost, path = compat.exact_dtw(x, y, dist, build)
            assert cost == pytest.approx(pair["exact"], rel=1e-12)
            assert sum(dist(np.array(x[i]), np.array(y[j])) for i, j in path) == pytest.approx(cost)


def striped(by: Any) -> Any:
    """The squares of three coordinates as some BLAS adds them."""
    return (by[0] * by[0] + by[2] * by[2]) + by[1] * by[1]


# Functions that users have, and functions that are like them at some pairs only.

USUAL = {
    "norm": lambda a, b: np.linalg.norm(a - b),
    "norm_of_arrays": euclidean_distance,
    "float_of_norm": lambda a, b: float(np.linalg.norm(a - b)),
    "root_of_sum": lambda a, b: np.sqrt(np.sum((a - b) ** 2)),
    "sum_to_the_half": lambda a, b: sum((a - b) ** 2) ** 0.5,
    "squares": lambda a, b: np.sum((a - b) ** 2),
    "dot": lambda a, b: np.dot(a - b, a - b),
    "striped": lambda a, b: striped(a - b),
    "root_of_striped": lambda a, b: math.sqrt(striped(a - b)),
    "manhattan": lambda a, b: np.abs(a - b).sum(),
}
LIKE_THEM = {
    "horizontal": lambda a, b: np.linalg.norm((a - b)[[0, 2]]),
    "without_the_last": lambda a, b: np.linalg.norm((a - b)[:2]),
    "weighted": lambda a, b: np.linalg.norm((a - b) * [1, 1.001, 1]),
    "at_most_5": lambda a, b: min(np.linalg.norm(a - b), 5.0),
    "near_is_0": lambda a, b: np.linalg.norm(a - b) * (np.linalg.norm(a - b) > 1),
    "other_floor": lambda a, b: np.linalg.norm(a - b) + 9 * (abs(a[1] - b[1]) > 2),
    "one_region": lambda a, b: np.linalg.norm(a - b) + 0.5 * (a[0] > 2),
    "math_dist": math.dist,  # has a bit of its own at one pair in a thousand
    "rounded": lambda a, b: round(float(np.linalg.norm(a - b)), 6),
    "float32": lambda a, b: np.float32(np.linalg.norm(a - b)),
    "cube": lambda a, b: np.linalg.norm(a - b, 3),
    "chebyshev": lambda a, b: np.abs(a - b).max(),
    "cosine": lambda a, b: 2 - a @ b / (1 + np.linalg.norm(a) * np.linalg.norm(b)),
}
OF_THREE = [LIKE_THEM["weighted"], USUAL["striped"], USUAL["root_of_striped"]]  # coordinates


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", [*USUAL, *LIKE_THEM])
def test_any_function_gives_the_transcriptions_bits(
    transcription: Any, name: str, build: Any
) -> None:
    draw = np.random.default_rng(12)
    dist = (USUAL | LIKE_THEM)[name]
    for _ in range(8):
        x, y = walks(draw, size=50)
        radius = int(draw.integers(1, 4))
        cost, path, calls = transcription(x, y, radius, dist, build)
        counted = Counted(dist)
        assert compat.fastdtw(x, y, radius, counted, build) == (cost, path), name
        if name in USUAL and len(x) * len(y) >= 64:
            assert counted.calls <= most_calls(x, y, path)
        else:
            assert counted.calls <= calls + most_calls(x, y, path)
            assert counted.calls <= 2 * calls


def test_a_usual_function_is_called_for_few_pairs() -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 400, 3))
    for name, dist in USUAL.items():
        fast, exact = Counted(dist), Counted(dist)
        _, path = compat.fastdtw(x, y, dist=fast)
        assert fast.calls <= most_calls(x, y, path), name
        *_, (i, _) = compat.dtw(x, y, exact)
        assert exact.calls <= most_calls(x, y, i), name


def test_scipys_distances_are_recognised() -> None:
    distance = pytest.importorskip("scipy.spatial.distance")
    x, y = np.random.default_rng(7).normal(size=(2, 300, 3))
    for dist in (distance.euclidean, distance.sqeuclidean, distance.cityblock):
        counted = Counted(dist)
        cost, path = compat.fastdtw(x, y, dist=counted)
        assert counted.calls <= most_calls(x, y, path)
        assert cost == functools.reduce(lambda sum_, k: sum_ + dist(x[k[0]], y[k[1]]), path, 0.0)


def test_norms_that_round_otherwise_are_told_apart() -> None:
    """Two of them have the same bits for 9 pairs of 10, or for hundreds: few pairs tell nothing."""

    def plain(a: Any, b: Any) -> float:
        total = 0.0  # sum() rounds but once from Python 3.12 on
        for x, y in zip(a, b, strict=True):
            total += (float(y) - float(x)) * (float(y) - float(x))
        return math.sqrt(total)

    draw = np.random.default_rng(7)
    for dist in (plain, recorded_distance):
        for k in range(60):
            x, y = (draw.normal(size=(9 + (k + n) % 12, 3)) for n in (0, 5))
            _, costs, _, _ = compat.dtw(x, y, dist)
            assert costs.tolist() == [[dist(p, q) for q in y] for p in x], (dist.__name__, k)


def test_a_function_is_tried_where_one_coordinate_differs() -> None:
    """Both paths are level but for one point, so all other pairs have the horizontal distance."""
    x, y = np.random.default_rng(4).normal(size=(2, 30, 3))
    x[:, 1] = y[:, 1] = 0.25
    y[17, 1] = 0.5
    dist = LIKE_THEM["horizontal"]
    expected = sum(dist(x[i], y[j]) for i, j in compat.fastdtw(x, y, dist=dist)[1])
    assert compat.fastdtw(x, y, dist=dist)[0] == pytest.approx(expected, rel=1e-14)
    _, costs, _, _ = compat.dtw(x, y, dist)
    assert costs[3, 17] == dist(x[3], y[17])


def test_the_number_of_calls_is_that_of_the_window() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 600, 3))
    counted = Counted(LIKE_THEM["chebyshev"])
    compat.fastdtw(x, y, dist=counted)
    assert counted.calls < 30 * 600  # 360,000 pairs


def test_a_function_that_fails_at_a_tried_pair_fails_only_if_the_window_has_it() -> None:
    x = y = np.arange(64.0)

    def dist(a: float, b: float) -> float:
        if abs(a - b) > 60:  # as the ends are
            raise LookupError("too far")
        return abs(a - b)

    assert compat.fastdtw(x, y, dist=dist)[0] == 0
    with pytest.raises(LookupError, match="too far"):
        compat.exact_dtw(x, y, dist)
    with pytest.raises(LookupError, match="too far"):
        compat.dtw(x, y, dist)


def test_numbers_and_orders_of_norms(transcription: Any) -> None:
    assert compat.fastdtw([1, 2, 3], [1, 3])[0] == 1
    assert compat.fastdtw([[1, 2]], [[3, 5]], dist=1)[0] == 5
    assert compat.fastdtw([[0, 0]], [[3, 4]], dist=2)[0] == 5
    assert compat.fastdtw([[0, 0]], [[3, 4]], dist=2.0)[0] == 5
    assert compat.fastdtw([[0, 0]], [[3, 4]], dist=math.inf, build="pure")[0] == 4
    draw = np.random.default_rng(6)
    for p in (None, 1, 2, 3, 2.5):
        order: Any = 1 if p is None else p
        for _ in range(5):
            x, y = walks(draw)
            expected = transcription(x, y, 1, lambda a, b: np.linalg.norm(a - b, order), "pure")
            assert compat.fastdtw(x, y, dist=p, build="pure") == expected[:2]
            expected = transcription(x, y, 1, lambda a, b: powers(a - b, order), "compiled")
            assert compat.fastdtw(x, y, dist=p, build="compiled") == expected[:2]
            u, v = x[:, :1], y[:, :1]
            expected = transcription(u, v, 1, lambda a, b: abs(a - b)[0], "compiled")
            assert compat.fastdtw(u[:, 0], v[:, 0], dist=p, build="compiled") == expected[:2]
            if p in (None, 1, 2):
                expected = transcription(u, v, 1, lambda a, b: abs(a - b)[0], "pure")
                assert compat.fastdtw(u[:, 0], v[:, 0], dist=p, build="pure") == expected[:2]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("rounded", [math.floor, round])
def test_a_function_that_rounds_differs_at_means(
    transcription: Any, rounded: Any, build: Any
) -> None:
    """On a grid it has a usual distance's values, but not at the means of points."""
    draw = np.random.default_rng(8)
    for _ in range(25):
        x, y = (np.cumsum(draw.integers(-3, 4, (int(n), 1)), 0) for n in draw.integers(9, 60, 2))
        cost, path, _ = transcription(x, y, 1, lambda a, b: rounded(abs(a - b)[0]), build)
        assert compat.fastdtw(x, y, 1, lambda a, b: rounded(abs(a - b)[0]), build) == (cost, path)


def test_results_are_plain_numbers() -> None:
    for dist in (None, 2, USUAL["norm"], LIKE_THEM["cube"]):
        for build in BUILDS:
            cost, path = compat.fastdtw([[0.0, 1], [1, 1]], [[0, 0]] * 30, 1, dist, build)
            assert type(cost) is float
            assert path[0] == (0, 0) and {type(k) for step in path for k in step} == {int}


def test_the_installed_build_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(ROOT / "tests/golden/targets/fast_dtw.jsonl") as lines:
        pairs = [json.loads(line) for line in lines]
    pair = next(p for p in pairs if p["pure"] != p["compiled"] and p["radius"] == 1)

    def cost_with(**modules: Any) -> float:
        for name in ("fastdtw", "fastdtw._fastdtw"):
            monkeypatch.setitem(sys.modules, name, modules.get(name.replace(".", "")))
        warping._installed_build.cache_clear()
        dist = USUAL["root_of_sum"]
        return compat.fastdtw(pair["x"], pair["y"], dist=dist)[0]

    package = types.ModuleType("fastdtw")
    assert cost_with() == pytest.approx(pair["pure"], rel=1e-12)
    assert cost_with(fastdtw=package) == pytest.approx(pair["pure"], rel=1e-12)
    compiled = {"fastdtw": package, "fastdtw_fastdtw": types.ModuleType("fastdtw._fastdtw")}
    assert cost_with(**compiled) == pytest.approx(pair["compiled"], rel=1e-12)
    monkeypatch.undo()
    warping._installed_build.cache_clear()


# What is refused


def sequence(a: Any, b: Any) -> Any:
    return [abs(float(a - b))]


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (ValueError, "x is empty", ([], [1.0])),
        (ValueError, "y is empty", ([1.0], [])),
        (ValueError, "x: point 1 is not finite", ([0.0, np.nan], [1.0])),
        (ValueError, "y: point 0 is not finite", ([[0.0, 1.0]], [[np.inf, 1.0]])),
        (ValueError, "give both the same", ([1.0, 2.0], [[1.0, 2.0]])),
        (ValueError, "give both the same", ([1.0, 2.0], [[1.0]])),
        (ValueError, "give both the same", ([[1.0, 2.0, 3.0]], [[1.0, 2.0]])),
        (ValueError, "more than two axes", ([[[1.0]]], [[[1.0]]])),
        (TypeError, "x is a single number", (1.0, [1.0])),
        (ValueError, "radius: 0 is not 1 or more", ([1.0], [1.0], 0)),
        (ValueError, "radius: -1 is not 1 or more", ([1.0], [1.0], -1)),
        (TypeError, "integer", ([1.0], [1.0], 1.5)),
        (ValueError, "p = 0 is not above 0", ([1.0], [1.0], 1, 0)),
        (ValueError, "p = -2 is not above 0", ([1.0], [1.0], 1, -2)),
        (ValueError, "p = nan is not above 0", ([1.0], [1.0], 1, math.nan)),
        (TypeError, "'euclidean' is neither a function nor p", ([1.0], [1.0], 1, "euclidean")),
        (TypeError, r"dist gives \[0.0\], which is no number", ([1.0], [1.0], 1, sequence)),
        (TypeError, "'far', which is no number", ([1.0], [1.0], 1, lambda a, b: "far")),
        (TypeError, "None, which is no number", ([1.0], [1.0], 1, lambda a, b: None)),
        (TypeError, "no number", ([1.0], [1.0], 1, lambda a, b: np.array([1.0, 2.0]))),
        (ValueError, "dist gives NaN", ([1.0] * 30, [1.0] * 30, 1, lambda a, b: math.nan)),
        (ValueError, "build: 'fast' is none of pure, compiled", ([1.0], [1.0], 1, None, "fast")),
    ],
)
def test_refusals(error: type[Exception], text: str, arguments: Any) -> None:
    with pytest.raises(error, match=text):
        compat.fastdtw(*arguments)
    if len(arguments) == 2:
        for dist in (1, USUAL["norm"]):
            if "axes" not in text or dist == 1:
                with pytest.raises(error, match=text):
                    compat.exact_dtw(*arguments, dist)


def test_refusals_of_dtw() -> None:
    norm = USUAL["norm"]
    for x, y in (([], [1.0]), ([1.0], []), (np.zeros((0, 1)), np.zeros((0, 1)))):
        with pytest.raises(AssertionError, match="a path is empty"):
            compat.dtw(x, y, norm)
    with pytest.raises(ValueError, match="y: point 1 is not finite"):
        compat.dtw(np.zeros((5, 1)), [[0.0], [np.nan]], norm)
    with pytest.raises(ValueError, match="give both the same"):
        compat.dtw([1.0], [[1.0, 2.0]], norm)
    with pytest.raises(ValueError, match="which is no number"):
        compat.dtw([1.0], [1.0], sequence)
    with pytest.raises(ValueError, match="dist gives NaN"):
        compat.dtw([1.0], [1.0], lambda a, b: math.nan)
    with pytest.raises(TypeError, match="None, which is no number"):
        compat.dtw([1.0], [1.0], lambda a, b: None)  # type: ignore[arg-type,return-value]


def test_arrays_of_one_element_are_numbers(transcription: Any) -> None:
    x, y = (np.arange(n, dtype=float)[:, None] ** 1.5 for n in (20, 31))
    expected = transcription(x, y, 1, lambda a, b: abs(a - b)[0], "pure")
    assert compat.fastdtw(x, y, 1, lambda a, b: abs(a - b), "pure") == expected[:2]
    assert compat.dtw(x, y, lambda a, b: (a - b) ** 2)[1][3, 4] == (x[3, 0] - y[4, 0]) ** 2


# dtw


@pytest.mark.parametrize("name", [*USUAL, *LIKE_THEM])
def test_dtw_is_that_of_a_plain_loop(name: str) -> None:
    draw = np.random.default_rng(2)
    dist: Any = (USUAL | LIKE_THEM)[name]
    for _ in range(6):
        x, y = walks(draw, size=20)
        distances = np.array([[dist(p, q) for q in y] for p in x])
        table = np.full((len(x) + 1, len(y) + 1), np.inf)
        table[0, 0] = 0
        for i, j in np.ndindex(distances.shape):
            before = min(table[i, j], table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = distances[i, j] + before
        cost, costs, sums, (i, j) = compat.dtw(x, y, dist=dist)
        assert cost == table[-1, -1]
        assert np.array_equal(costs, distances) and np.array_equal(sums, table[1:, 1:])
        assert costs[i, j].sum() == pytest.approx(cost, rel=1e-12)
        assert (i[0], j[0], i[-1], j[-1]) == (0, 0, len(x) - 1, len(y) - 1)
        assert set(zip(np.diff(i), np.diff(j))) <= {(0, 1), (1, 0), (1, 1)}


def test_dtw_takes_words_and_infinite_distances() -> None:
    words = ["inf", "nan", "go"]
    assert compat.dtw(words, words[::2], lambda a, b: float(a != b))[0] == 1
    assert compat.dtw([1.0, 2.0], [1.0], lambda a, b: math.inf)[0] == math.inf


# The packages' own numbers


def original(build: str) -> Any:
    name = {"pure": "fastdtw.fastdtw", "compiled": "fastdtw._fastdtw"}[build]
    pytest.importorskip("fastdtw", reason="the package fastdtw is not installed")
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"this build of fastdtw is not installed: {error}")


@pytest.mark.parametrize("build", BUILDS)
def test_the_package_itself(build: Any) -> None:
    package = original(build)
    draw = np.random.default_rng(1)
    dists: list[Any] = [None, 1, 2, 3, 2.5, *USUAL.values(), LIKE_THEM["weighted"]]
    for k in range(90):
        x, y = walks(draw, size=90, d=int(draw.integers(1, 5)))
        radius, dist = int(draw.integers(1, 4)), dists[k % len(dists)]
        if k % 4 == 0:
            x, y = np.rint(x), np.rint(y)  # many equal sums
        if dist in OF_THREE:
            x, y = np.resize(x, (len(x), 3)), np.resize(y, (len(y), 3))
        expected = package.fastdtw(x, y, radius, dist)
        assert compat.fastdtw(x.tolist(), y, radius, dist, build) == expected, (k, dist)
        if k % 10 == 0:
            assert compat.exact_dtw(x, y, dist, build) == package.dtw(x, y, dist), (k, dist)


@pytest.mark.parametrize("build", BUILDS)
def test_goldens_of_made_pairs(data: pathlib.Path, build: Any) -> None:
    folder = data / "tasks2"
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is absent")
    with gzip.open(folder / "fastdtw_pairs_val_seen.jsonl.gz", "rt") as lines:
        pairs = {(pair["set"], pair["id"]): pair for pair in map(json.loads, lines)}
    with gzip.open(folder / "golden/fastdtw_val_seen.csv.gz", "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if row["set"].startswith("made")]
    assert len(rows) == 1308
    rows = [row for k, row in enumerate(rows) if row["differs"] == "1" or k % 4 == 0]
    for row in rows:
        pair = pairs[row["set"], row["id"]]
        cost, _ = compat.fastdtw(
            pair["prediction"], pair["reference"], int(row["radius"]), recorded_distance, build
        )
        assert cost == float(row[f"dtw_{build}"]), row


def test_goldens_of_warping_points(data: pathlib.Path) -> None:
    """As VLN-CE calls it: nDTW is exp(-DTW / (n 3 m))."""
    with gzip.open(data / "golden/VLNCE_R2R_val_seen.jsonl.gz", "rt") as pairs:
        with gzip.open(data / "golden/VLNCE_R2R_val_seen.csv.gz", "rt") as scores:
            rows = list(zip(map(json.loads, pairs), csv.DictReader(scores), strict=True))
    for pair, row in rows[::7]:
        prediction, reference = pair["prediction"], pair["reference"]
        cost = compat.dtw(prediction, reference, dist=euclidean_distance)[0]
        assert cost == pytest.approx(float(row["dtw"]), rel=1e-12)
        exact, _ = compat.exact_dtw(prediction, reference, euclidean_distance)
        assert exact == pytest.approx(cost, rel=1e-14)
        ndtw = np.exp(-cost / (len(reference) * 3.0))
        assert ndtw == pytest.approx(float(row["ndtw"]), abs=1e-12)

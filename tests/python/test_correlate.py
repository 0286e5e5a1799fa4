"""correlate: against SciPy and all pairs by brute force; what it refuses; degenerate tables."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import math
import pathlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import warpath
from made_scores import Row, made_scores
from warpath import _core
from running import failure
from warpath.commands import run_command
from warpath.correlation.kendall import taus
from warpath.correlation.resamples import SystemResamples

stats: Any = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

FEW = {"draws": 40}


def table(instructions: int = 12) -> tuple[list[Row], list[Row]]:
    return made_scores(systems=4, instructions=instructions)


def correlate(attempts: Any, scores: Any = None, **options: Any) -> Any:
    given = {"score": "SPICE", "outcome": "NE,SR", **FEW, **options}
    return warpath.correlate(attempts, scores, **given)


def columns(attempts: list[Row], scores: list[Row]) -> tuple[list[str], dict[str, Any]]:
    """The system of each instruction, and each column, by the definitions."""
    values: dict[str, Any] = {"SPICE": [row["SPICE"] for row in scores]}
    for name in ("NE", "SR"):
        values[name] = [
            np.mean([a[name] for a in attempts
                     if (a["system"], a["instruction"]) == (s["system"], s["instruction"])])
            for s in scores
        ]  # fmt: skip
    return [row["system"] for row in scores], {k: np.array(v) for k, v in values.items()}


def brute_force(x: Any, y: Any, kind: str) -> float:
    """τ by all pairs."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    dx = np.array([np.sign(x[i] - x[j]) for i, j in pairs])
    dy = np.array([np.sign(y[i] - y[j]) for i, j in pairs])
    net = float((dx * dy).sum())
    if not dx.any() or not dy.any():
        return math.nan
    if kind == "b":
        return float(net / math.sqrt((dx != 0).sum() * (dy != 0).sum()))
    fewer = min(len(set(x)), len(set(y)))
    return 2 * net / (len(x) ** 2 * (fewer - 1) / fewer)


def times_taken(draws: list[npt.NDArray[np.int64]], n: int) -> npt.NDArray[np.uint32]:
    taken = np.zeros((-(-len(draws) // 16), n, 16), np.uint32)
    for k, draw in enumerate(draws):
        taken[k // 16, :, k % 16] = np.bincount(draw, minlength=n)
    return taken


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 300])
@pytest.mark.parametrize("levels", [(1, 1), (1, 5), (2, 3), (4, 1000), (1000, 4), (1000, 1000)])
def test_draws_are_counted_as_scipy_does(n: int, levels: tuple[int, int]) -> None:
    draw = np.random.default_rng(n)
    x, y = (draw.integers(0, level, n).astype(np.float64) for level in levels)
    draws = [draw.integers(0, n, n) for _ in range(21)]
    ranks = [np.unique(values, return_inverse=True)[1].astype(np.uint32) for values in (x, y)]
    counts = _core.kendall_draws(*ranks, times_taken(draws, n))
    assert counts.shape == (32, 6) and not counts[21:].any()
    for k, one in enumerate(draws):
        a, b = x[one], y[one]
        assert counts[k, 3:].tolist() == [n, len(set(a)), len(set(b))]
        for kind in "bc":
            found = taus(counts[k], kind)
            expected = stats.kendalltau(a, b, variant=kind).statistic if n > 1 else math.nan
            assert found == pytest.approx(expected, abs=1e-15, nan_ok=True)
            if n <= 40:
                assert found == pytest.approx(brute_force(a, b, kind), abs=1e-14, nan_ok=True)


def test_many_items_are_counted_in_wider_sums() -> None:
    n = 70_000
    draw = np.random.default_rng(1)
    x, y = draw.permutation(n).astype(np.uint32), draw.integers(0, 9, n).astype(np.uint32)
    once = np.zeros((1, n, 16), np.uint32)
    once[..., 3] = 1
    once[..., 5] = np.bincount(draw.integers(0, n, n), minlength=n)
    counts = _core.kendall_draws(x, y, once)
    assert taus(counts[3], "b") == stats.kendalltau(x, y).statistic
    drawn = np.repeat(np.arange(n), once[0, :, 5])
    assert taus(counts[5], "b") == stats.kendalltau(x[drawn], y[drawn]).statistic
    assert np.array_equal(counts[:, :3], _core.kendall_draws(y, x, once)[:, [0, 2, 1]])


def test_resamples_are_those_of_one_call_for_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for sizes in ([5, 3, 9], [2, 1, 4], [70_000, 2]):
        rng = np.random.default_rng([3, 0])
        expected = [np.concatenate([rng.integers(0, n, n) for n in sizes]) for _ in range(7)]
        made = SystemResamples(3, sizes)
        assert np.array_equal(np.concatenate([made.take(2), made.take(5)]), expected)
    words = np.array([[0, 2**32 - 1, 5]], np.uint32)
    assert _core.bounded_words(words, np.array([3], np.uint32)) is None  # 0 is drawn again
    assert _core.bounded_words(words + 1, np.array([3], np.uint32)) is None
    words[0] = 2**31
    found = _core.bounded_words(words, np.array([3], np.uint32))
    assert found is not None and found.tolist() == [[1, 1, 1]]
    # Words that NumPy would draw again: one call for each system then.
    module = "warpath.correlation.resamples._core"
    monkeypatch.setattr(module, type("Rejecting", (), {"bounded_words": lambda *_: None}))
    rng = np.random.default_rng([3, 0])
    assert np.array_equal(SystemResamples(3, [5]).take(1)[0], rng.integers(0, 5, 5))


def test_wrong_resamples_are_refused() -> None:
    places, values = np.zeros((2, 3), np.uint32), np.zeros((1, 3, 8))
    for wrong in ((places + 3, values, [3]), (places, values, [2]), (places, values[:, :2], [3])):
        with pytest.raises(ValueError):
            _core.resampled_sums(
                wrong[0].astype(np.uint32), np.ascontiguousarray(wrong[1]), np.array(wrong[2], "u4")
            )


def test_wrong_ranks_are_refused() -> None:
    good, taken = np.arange(3, dtype=np.uint32), np.ones((1, 3, 16), np.uint32)
    for x, y in ((good + 1, good), (good, good + 2**31), (good[:2], good), (good[:0], good[:0])):
        with pytest.raises(ValueError):
            _core.kendall_draws(x.astype(np.uint32), y.astype(np.uint32), taken)


@pytest.mark.parametrize("kind", ["b", "c"])
def test_both_levels_follow_their_definitions(kind: str) -> None:
    attempts, scores = table()
    systems, values = columns(attempts, scores)
    found = correlate(attempts, scores, tau=kind, seed=5)
    names = sorted(set(systems))
    rows = [np.flatnonzero([s == name for s in systems]) for name in names]
    n = len(systems)

    def of_systems(outcome: str, draws: list[Any]) -> float:
        x, y = ([values[c][r[d]].mean() for r, d in zip(rows, draws)] for c in ("SPICE", outcome))
        return float(stats.kendalltau(x, y, variant=kind).statistic)

    for outcome in ("NE", "SR"):
        rng = np.random.default_rng([5, 0])
        drawn = [
            of_systems(outcome, [rng.integers(0, len(r), len(r)) for r in rows]) for _ in range(40)
        ]
        one = found.system["SPICE"][outcome]
        assert one.tau == pytest.approx(of_systems(outcome, [np.arange(len(r)) for r in rows]))
        assert (one.n, one.instructions) == (4, n)
        compare_interval(one, drawn)
        rng = np.random.default_rng([5, 1])
        drawn = [
            float(stats.kendalltau(values["SPICE"][d], values[outcome][d], variant=kind).statistic)
            for d in (rng.integers(0, n, n) for _ in range(40))
        ]
        one = found.instance["SPICE"][outcome]
        assert one.tau == pytest.approx(
            stats.kendalltau(values["SPICE"], values[outcome], variant=kind).statistic, abs=1e-15
        )
        assert (one.n, one.instructions) == (n, n)
        compare_interval(one, drawn)


def compare_interval(one: Any, drawn: list[float]) -> None:
    defined = [tau for tau in drawn if not math.isnan(tau)]
    low, high = np.quantile(defined, [0.05, 0.95], method="inverted_cdf")
    assert (one.low, one.high) == pytest.approx((low, high), abs=1e-14)
    assert one.undefined == len(drawn) - len(defined)


def test_intervals_are_as_wide_as_scipys() -> None:
    attempts, scores = table(instructions=60)
    _, values = columns(attempts, scores)
    found = correlate(attempts, scores, level="instance", draws=4000).instance["SPICE"]["NE"]
    whole = stats.bootstrap(
        (values["SPICE"], values["NE"]),
        lambda x, y: stats.kendalltau(x, y).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        confidence_level=0.9,
        random_state=3,
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), abs=0.01)


def test_close_means_are_those_of_numpy() -> None:
    """Thirds: means of systems tie, or differ in their last bits alone."""
    draw = np.random.default_rng(2)
    attempts = [
        {"system": f"s{s}", "instruction": k, "SPICE": round(float(draw.integers(0, 4)) / 10, 1),
         "SR": draw.integers(0, 4) / 3}
        for s in range(5)
        for k in range(9)
    ]  # fmt: skip
    found = correlate(attempts, score="SPICE", outcome="SR", level="system", draws=300)
    x, y = (np.array([a[name] for a in attempts]).reshape(5, 9) for name in ("SPICE", "SR"))
    rng = np.random.default_rng([0, 0])
    drawn = []
    for _ in range(300):
        places = [rng.integers(0, 9, 9) for _ in range(5)]
        means = [[values[s][p].mean() for s, p in enumerate(places)] for values in (x, y)]
        drawn.append(float(stats.kendalltau(*means).statistic))
    compare_interval(found.system["SPICE"]["SR"], drawn)


def test_two_instructions_and_undefined_draws() -> None:
    attempts = [{"instruction": k, "a": k, "b": -k} for k in (1, 2)]
    found = correlate(attempts, score="a", outcome="b", level="instance", draws=400)
    one = found.instance["a"]["b"]
    assert one[:5] == (-1.0, -1.0, -1.0, 2, 2)
    assert 150 < one.undefined < 250  # draws that take one of them twice
    assert f"{one.undefined} draws without a value are left out" in found.notes()


def test_constant_columns_have_no_value() -> None:
    found = correlate(*table(), outcome="quality,NE")
    for level in (found.system, found.instance):
        assert level["SPICE"]["quality"][:3] == (None, None, None)
        assert level["SPICE"]["NE"].tau is not None
    assert "n/a" in str(found) and "all scores or all outcomes are equal" in found.notes()
    assert json.loads(found.to_json())["system"]["SPICE"]["quality"]["tau"] is None


def test_scores_in_the_attempts() -> None:
    attempts, scores = table()
    by_key = {(s["system"], s["instruction"]): s["SPICE"] for s in scores}
    joined = [{**a, "SPICE": by_key[a["system"], a["instruction"]]} for a in attempts]
    one, other = correlate(joined), correlate(attempts, scores)
    assert one.system == other.system and one.instance == other.instance
    joined[1]["SPICE"] += 1
    with pytest.raises(warpath.InputError, match=r"row 1: column SPICE: is .*, and .* in row 0"):
        correlate(joined)


def test_joins() -> None:
    attempts, scores = table()
    own = correlate(attempts, scores, level="instance").instance
    for row in (*attempts, *scores):
        row["instruction"] = f"{row['system']}_{row['instruction']}"
    without = [{k: v for k, v in row.items() if k != "system"} for row in scores]
    assert correlate(attempts, without, level="instance").instance == own
    ids = [{("instr_id" if k == "instruction" else k): v for k, v in a.items()} for a in attempts]
    assert correlate(ids, scores, level="instance").instance == own
    with pytest.raises(warpath.InputError, match="column instruction: is missing"):
        correlate([{"x": 1}], scores)


def test_only_some_systems() -> None:
    attempts, scores = table()
    some = [[row for row in rows if row["system"] in ("s1", "s3")] for rows in (attempts, scores)]
    found = correlate(attempts, scores, only={"system": ["s1", "s3"]})
    assert found.instance == correlate(*some).instance
    assert found.instructions == {"s1": 12, "s3": 12}
    assert "only 2 systems: τ over them takes at most 2 values" in found.notes()
    with pytest.raises(warpath.UsageError, match=r"column system has no 's9'; did you mean"):
        correlate(attempts, scores, only={"system": "s9"})


def test_missing_values() -> None:
    attempts, scores = table()
    scores[3]["SPICE"] = None
    attempts[30]["NE"] = math.nan
    with pytest.raises(warpath.InputError, match=r"scores: row 3: column SPICE: is empty or NaN; "):
        correlate(attempts, scores)
    lacking = scores[:7] + scores[8:]
    lacking[3]["SPICE"] = 1.0
    with pytest.raises(warpath.InputError, match=r"attempts: row 21: instruction 7 of s0 has no"):
        correlate(attempts, lacking)
    with pytest.raises(warpath.InputError, match=r"scores: row 48: instruction 99 of s0 has no"):
        correlate(attempts, [*scores, {**scores[0], "instruction": "99"}])
    lacking[3]["SPICE"] = ""
    found = correlate(attempts, [*lacking, {**scores[0], "instruction": "99"}], missing="skip")
    assert found.instance["SPICE"]["SR"].n == 46 and found.instance["SPICE"]["NE"].n == 45
    assert found.system["SPICE"]["NE"].n == 4 and found.system["SPICE"]["NE"].instructions == 45
    assert "[n 45]" in str(found)
    assert "left out: 1 instructions without a score\nleft out: 1 scored" in found.notes()
    # The draws are those of all instructions, without the missing ones.
    scores[3]["SPICE"] = scores[7]["SPICE"] = math.nan
    systems, values = columns(attempts, scores)
    rng = np.random.default_rng([0, 1])
    drawn = []
    for _ in range(40):
        d = rng.integers(0, 48, 48)
        d = d[~np.isnan(values["SPICE"][d]) & ~np.isnan(values["NE"][d])]
        drawn.append(float(stats.kendalltau(values["SPICE"][d], values["NE"][d]).statistic))
    compare_interval(found.instance["SPICE"]["NE"], drawn)
    for outcome in ("NE", "SR"):
        there = ~np.isnan(values["SPICE"]) & ~np.isnan(values[outcome])
        means = [
            [values[c][there & (np.array(systems) == s)].mean() for s in sorted(set(systems))]
            for c in ("SPICE", outcome)
        ]
        one = found.system["SPICE"][outcome]
        assert one.tau == stats.kendalltau(*means).statistic and one.undefined == 0


def test_a_system_without_values() -> None:
    attempts, scores = table()
    for row in scores:
        if row["system"] == "s2":
            row["SPICE"] = math.nan
    found = correlate(attempts, scores, missing="skip")
    assert found.system["SPICE"]["NE"].n == 3 and found.means["s2"]["SPICE"] is None
    assert "[n 3, 36]" in str(found)
    rest = [[row for row in rows if row["system"] != "s2"] for rows in (attempts, scores)]
    assert found.system["SPICE"]["NE"].tau == correlate(*rest).system["SPICE"]["NE"].tau


def test_large_numbers() -> None:
    attempts, scores = table()
    base = correlate(attempts, scores)
    for row in scores:
        row["SPICE"] *= 2.0**1000
    large = correlate(attempts, scores)
    assert large.system == base.system and large.instance == base.instance
    for row in attempts[:2]:
        row["NE"] = 1.7e308
    with pytest.raises(warpath.InputError, match="row 0: column NE: has a mean that is too large"):
        correlate(attempts, scores)


@pytest.mark.parametrize(
    "change, options, error, message",
    [
        ({}, {"score": "SPIC"}, warpath.InputError, r"scores: column SPIC: is missing; .*SPICE"),
        ({}, {"outcome": "nothing"}, warpath.InputError, r"attempts: column nothing: is missing"),
        ({}, {"score": []}, warpath.UsageError, "score names no column"),
        ({}, {"system": "group"}, warpath.InputError, "column group: is missing"),
        ({}, {"system": ""}, warpath.InputError, r"scores: row 12: .*one instruction; .*--system"),
        ({}, {"only": {"system": "s1"}}, warpath.InputError, "has one system by system; .*--level"),
        ({}, {"level": "both"}, warpath.UsageError, "no level 'both'; there are system, instance"),
        ({}, {"tau": "a"}, warpath.UsageError, "no tau 'a'"),
        ({}, {"missing": "zero"}, warpath.UsageError, "no missing 'zero'"),
        ({}, {"confidence": 1}, warpath.UsageError, "confidence is 1; give"),
        ({}, {"confidence": math.nan}, warpath.UsageError, "confidence is nan; give"),
        ({}, {"draws": 0}, warpath.InputError, "draws: is 0; give an integer from 1"),
        ({}, {"seed": -1}, warpath.InputError, "seed: is -1"),
        ({"NE": "far"}, {}, warpath.InputError, "row 0: column NE: is 'far', which is no number"),
        ({"NE": math.inf}, {}, warpath.InputError, "row 0: column NE: is inf; give a finite"),
        ({"NE": [1]}, {}, warpath.InputError, r"row 0: column NE: is \[1\], which is no number"),
        ({"system": ""}, {}, warpath.InputError, "row 0: column system: is empty"),
        ({"instruction": None}, {}, warpath.InputError, "row 0: column instruction: is empty"),
    ],
)
def test_refusals(change: Row, options: Row, error: Any, message: str) -> None:
    attempts, scores = table()
    attempts[0].update(change)
    with pytest.raises(error, match=message):
        correlate(attempts, scores, **options)


def test_one_instruction_is_refused() -> None:
    with pytest.raises(warpath.InputError, match="has one instruction; give two or more"):
        correlate([{"instruction": "a", "SPICE": 1, "NE": 1, "SR": 1}], level="instance")


def test_forms_of_results() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    attempts, scores = table()
    found = correlate(attempts, scores, score=["SPICE", "BLEU"], seed=1)
    frame = found.to_pandas()
    assert len(frame) == 8 and list(frame.columns[:4]) == ["level", "score", "outcome", "tau"]
    assert frame["tau"][0] == found.system["SPICE"]["NE"].tau
    text = str(found)
    assert "System level: Kendall's τ-b over 4 systems, 48 instructions, 90 % intervals" in text
    assert text.count("a good score correlates negatively with an error such as NE") == 2
    assert re.search(r"SPICE +−\d\.\d\d \(−\d\.\d\d, −?\d\.\d\d\)", text)
    assert "| SPICE |" in found.to_markdown() and "\\toprule" in found.to_latex()
    whole = json.loads(found.to_json())
    assert whole["settings"]["seed"] == 1 and whole["settings"]["draws"] == 40
    assert whole["systems"]["s0"]["instructions"] == 12
    assert whole["instance"]["BLEU"]["SR"] == found.instance["BLEU"]["SR"]._asdict()
    frames = (pandas.DataFrame(rows) for rows in (attempts, scores))
    same = correlate(*frames, score="SPICE,BLEU", seed=1)
    assert same.to_json() == found.to_json()
    assert correlate(attempts, scores, score="SPICE,BLEU").to_json() != found.to_json()


def test_progress_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts, scores = table()
    whole = correlate(attempts, scores)
    done: list[int] = []
    for module in ("levels", "systems"):
        monkeypatch.setattr(f"warpath.correlation.{module}._max_cells", 48 * 16)
    found = correlate(attempts, scores, progress=done.append)
    assert found.to_json() == whole.to_json() and done == [16, 32, 40]


def write(file: pathlib.Path, rows: list[Row]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    file.write_bytes(gzip.compress(stream.getvalue().encode()))
    return str(file)


def test_command(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempts, scores = table()
    files = [write(tmp_path / "a.csv.gz", attempts), "--scores", write(tmp_path / "s.gz", scores)]
    columns = ["--score", "SPICE,BLEU", "--outcome", "NE,SR", "--draws", "40"]
    report = tmp_path / "t.json"
    assert run_command(["correlate", *files, *columns, "--json", str(report)]) == 0
    out = capsys.readouterr().out
    assert "attempts: " in out and "Instance level" in out and "144 attempts" in out
    found = json.loads(report.read_text())
    expected = correlate(attempts, scores, score="SPICE,BLEU")
    assert found["system"] == json.loads(expected.to_json())["system"]
    assert [one["role"] for one in found["files"]] == ["attempts", "scores"]
    assert all(one["hash"] for one in found["files"])
    options = ["--level", "instance", "--latex", "--no-intervals", "--digits", "3"]
    assert run_command(["correlate", *files, *columns, *options, "--only", "system=s0,s1"]) == 0
    out = capsys.readouterr().out
    assert "over 24 instructions" in out and "System" not in out
    assert "(" not in out.split("\n", 1)[1]


def test_command_refuses(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempts, scores = table()
    a, s = write(tmp_path / "a.csv.gz", attempts), write(tmp_path / "s.csv.gz", scores)
    columns = ["--score", "SPICE", "--outcome", "NE", "--draws", "16"]
    whole = gzip.decompress(pathlib.Path(s).read_bytes())
    report = tmp_path / "t.json"

    def refused(*arguments: str) -> tuple[int, str]:
        found = failure(capsys, "correlate", *arguments, "--json", str(report))
        assert not report.exists()
        return found

    for name, content, message in (
        ("empty", b"", "is empty; give CSV with a header"),
        ("header", whole[: whole.index(b"\n") + 1], "has no rows"),
        ("bytes", b"instruction,SPICE\n\xff,1\n", "line 2: is no UTF-8"),
        ("cells", b"instruction,SPICE\n1,2,3\n", "line 2: has 3 cells, the header 2"),
        ("twice", b"instruction,SPICE,SPICE\n1,2,3\n", "column SPICE: is there twice"),
        ("packed", gzip.compress(whole)[:-9], "cannot be read"),
        ("objects", b'{"instruction": {}, "SPICE": 1}\n', "line 1: column instruction: is {}"),
        ("json", b'{"instruction": "1", "SPICE": NaN}\n', "line 1: is no JSON (NaN is no number"),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        code, error = refused(a, "--scores", str(file), *columns)
        assert code == 1 and message in error and name in error, error
    code, error = refused(a, "--scores", s, *columns, "--only", "system")
    assert code == 2 and "--only system: give COLUMN=VALUE" in error
    code, error = refused(a, "--scores", s, *columns, "--out", s)
    assert code == 2 and "would replace" in error
    code, error = refused(a, "--scores", str(tmp_path / "none.csv"), *columns)
    assert code == 1 and "none.csv: cannot be read" in error


def test_picture_of_systems() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot

    attempts, scores = table()
    found = correlate(attempts, scores)
    ax = warpath.plot.systems(found, "spice", "NE")
    dots = ax.collections[0].get_offsets()
    expected = [(means["SPICE"], means["NE"]) for means in found.means.values()]
    assert np.asarray(dots) == pytest.approx(np.array(expected))
    assert {text.get_text() for text in ax.texts} == {"s0", "s1", "s2", "s3"}
    tau = found.system["SPICE"]["NE"].tau
    assert ax.get_title() == f"4 systems, τ = {tau:.2f}".replace("-", "−")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("SPICE", "NE")
    with pytest.raises(warpath.UsageError, match="no score 'BLEU'; there are SPICE"):
        warpath.plot.systems(found, "BLEU", "NE")
    with pytest.raises(warpath.InputError, match="found: is of type str"):
        warpath.plot.systems("found", "SPICE", "NE")  # type: ignore[arg-type]

"""warpath.compatibility: cosines, retrieval, AUC and losses of a dual encoder."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import os
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
import warpath
from running import failure
from warpath.commands import run_command
from warpath.compatibility import auc, labels_from, losses, measure, retrieval, scores, similarity

pytest.importorskip("scipy.stats", reason="SciPy is not installed")


def made(rows: int = 30, others: int = 12, width: int = 8) -> tuple[Any, Any, Any]:
    """Instructions near their trajectories, of which two are equal."""
    rng = np.random.default_rng(3)
    trajectories = rng.normal(size=(others, width))
    trajectories[5] = trajectories[4]
    match = rng.integers(1, others, rows)
    return trajectories[match] + rng.normal(size=(rows, width)), trajectories, match


def test_cosines() -> None:
    w, v, match = made()
    found = similarity(w, v)
    for i, j in ((0, 0), (7, 3), (29, 11)):
        cosine = w[i] @ v[j] / np.linalg.norm(w[i]) / np.linalg.norm(v[j])
        assert found[i, j] == pytest.approx(cosine, abs=1e-15)
    assert found.dtype == np.float64 and found.shape == (30, 12)
    assert np.allclose(scores(w, v, match), found[np.arange(30), match], rtol=0, atol=1e-15)
    # Squares of these overflow or vanish.
    assert np.allclose(similarity(w * 1e200, v * 1e-200), found, rtol=0, atol=1e-15)
    same = similarity(w.astype(np.float32), v.astype(np.float32))
    assert same.dtype == np.float64 and np.allclose(same, found, atol=1e-6)


def test_ranks_are_counted() -> None:
    w, v, match = made()
    s = similarity(w, v)
    forward = [
        1 + sum(s[i, j] >= s[i, match[i]] - 1e-12 for j in range(12) if j != match[i])
        for i in range(30)
    ]
    backward = []
    for j in sorted(set(match)):
        best = max(s[i, j] for i in range(30) if match[i] == j)
        backward.append(1 + sum(s[i, j] >= best - 1e-12 for i in range(30) if match[i] != j))
    found = retrieval(w, v, match, k=(1, 3, 100))
    for ranks, wanted in ((found.trajectories, forward), (found.instructions, backward)):
        one = np.array(wanted)
        assert ranks.n == len(wanted) and ranks.mean_rank == pytest.approx(one.mean())
        assert ranks.median_rank == np.median(one) and ranks.mrr == pytest.approx((1 / one).mean())
        assert ranks.recall == {1: (one <= 1).mean(), 3: (one <= 3).mean(), 100: 1.0}
    assert 4 in match and found.instructions.n == 10  # two have no instruction


def test_ties_count_against_the_encoder() -> None:
    constant = np.ones((6, 4))
    found = retrieval(constant, constant, k=(1,))
    assert found.trajectories.mean_rank == 6 and found.instructions.mean_rank == 6
    assert found.trajectories.recall == {1: 0.0}


def assert_same(found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted):
        assert np.array_equal(one.ranks, other.ranks) and one[1:] == other[1:]


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    w, v, match = made()
    whole = retrieval(w, v, match)
    module = sys.modules["warpath.compatibility.ranks"]
    monkeypatch.setattr(module, "_max_cells", 25)  # two rows at a time
    assert_same(retrieval(w, v, match), whole)


def test_auc_by_pairs() -> None:
    values, labels = [0.1, 0.5, 0.5, 0.9, -0.3, 0.5], [0, 1, 0, 1, 0, 1]
    pairs = [(p, n) for p, a in zip(values, labels) if a for n, b in zip(values, labels) if not b]
    wanted = sum((p > n) + 0.5 * (p == n) for p, n in pairs) / len(pairs)
    assert auc(values, labels) == pytest.approx(wanted, abs=1e-15)
    assert auc(values, np.array(labels, bool)) == auc(values, labels)


def test_labels_from_attempts() -> None:
    rows = [("a", 1), ("a", 1), ("a", 0), ("b", 0), ("b", 1), ("b", 0), ("c", 1)]
    attempts = [{"instruction": name, "SR": reached} for name, reached in rows]
    assert labels_from(attempts) == {"a": 1, "b": 0, "c": 1}
    of_eval = [{"instr_id": row["instruction"], "SR": row["SR"]} for row in attempts]
    assert labels_from(of_eval) == labels_from(attempts)
    assert labels_from(attempts, share=1.0) == {"a": 0, "b": 0, "c": 1}
    people = [{**row, "system": "human" if row["instruction"] == "b" else "x"} for row in attempts]
    assert labels_from(people, people="human") == {"a": 1, "b": 1, "c": 1}
    with pytest.raises(warpath.UsageError, match="column system has no 'humans'"):
        labels_from(people, people=["humans"])
    people[1]["system"] = "y"
    with pytest.raises(warpath.InputError, match=r"row 1: column system: is y, and x in row 0"):
        labels_from(people)


def plain_losses(s: Any, m: Any, a: float, b: float, tau: float, gamma: float) -> tuple[float, ...]:
    p = 1 / (1 + np.exp(-(a * np.diagonal(s) + b)))
    p_t = np.where(m, p, 1 - p)
    rows = [
        -np.log(np.exp(x[i, i] / tau) / np.exp(x[i] / tau).sum())
        for i in range(len(s))
        for x in (s, s.T)
    ]
    each = np.array(rows).reshape(-1, 2).sum(1)
    focal = ((1 - p_t) ** gamma * -np.log(p_t)).mean()
    return float(-np.log(p_t).mean()), float(focal), float(each[m].mean())


def test_losses_by_their_formulas() -> None:
    w, v, _ = made(12, 12)
    s, m = similarity(w, v), np.arange(12) % 3 != 0
    found = losses(s, m, a=4.0, b=-0.5, tau=0.1, gamma=1.5, beta=0.7)
    wanted = plain_losses(s, m, 4.0, -0.5, 0.1, 1.5)
    assert found[:3] == pytest.approx(wanted, rel=1e-12)
    assert found.total_focal == found.contrastive + 0.7 * found.focal
    assert found.total_ce == found.contrastive + 0.7 * found.ce
    assert losses(s, [0] * 12, a=4, b=0, tau=0.1).contrastive == 0.0
    sharp = losses(s, m, a=1e6, b=0.0, tau=1e-6)  # exp would overflow
    assert all(np.isfinite(sharp))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"tau": 0}, "tau is 0; give a number above 0"),
        ({"tau": -1.0}, "tau is -1"),
        ({"tau": np.inf}, "finite numbers"),
        ({"tau": 1e-320}, "too large for these similarities"),
        ({"a": 1.7e308, "b": 1.7e308}, "too large for these similarities"),
        ({"gamma": -1}, "gamma is -1"),
        ({"beta": np.nan}, "finite numbers"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, float], message: str) -> None:
    w, v, _ = made(12, 12)
    with pytest.raises(warpath.UsageError, match=message):
        losses(similarity(w, v), [1] * 12, **{"a": 1.0, "b": 0.0, "tau": 1.0, **settings})


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda w, v, m: similarity(w, v[:, :5]), r"trajectories: has rows of 5 numbers, the ins"),
        (lambda w, v, m: similarity(w, v * 0), r"trajectories: row 0: is zero, as are 11 others; "),
        (lambda w, v, m: similarity(w * [np.nan] + [1], v), r"instructions: row 0: is not finite"),
        (lambda w, v, m: similarity(np.full((2, 8), np.inf), v), r"instructions: row 0: is not f"),
        (lambda w, v, m: similarity(w[0], v), r"instructions: has the shape \[8\]; give an array"),
        (lambda w, v, m: similarity(w[:0], v), r"instructions: has the shape \[0, 8\]; give rows"),
        (lambda w, v, m: similarity([["a"]], v), r"instructions: is of the type <U1; give numbers"),
        (lambda w, v, m: similarity([[1], [1, 2]], v), r"instructions: is (no array|of the type )"),
        (lambda w, v, m: similarity(w + 1j, v), r"instructions: is of the type complex128"),
        (lambda w, v, m: similarity(None, v), r"instructions: is of the type object"),
        (lambda w, v, m: scores(w, v), r"match: is missing, and there are 30 instructions of 12"),
        (lambda w, v, m: scores(w, v, m - 20), r"match: row 0: is -\d+; there are 12 .* 0 to 11"),
        (lambda w, v, m: scores(w, v, m + 2**40), r"match: row 0: is \d+; there are 12"),
        (lambda w, v, m: scores(w, v, m.astype("u8") + 2**63), r"match: row 0: is \d+; there are"),
        (lambda w, v, m: scores(w, v, m[:-1]), r"match: has 29 numbers for 30 instructions"),
        (lambda w, v, m: scores(w, v, m * 1.0), r"match: is of the type float64; give integers"),
        (lambda w, v, m: retrieval(w, v, m, k=[0]), r"k: is 0; give an integer from 1"),
        (lambda w, v, m: retrieval(w, v, m, k=[True]), r"k: is of type bool"),
        (lambda w, v, m: retrieval(w, v, m, k=3), r"k: is of type int; give integers"),
        (lambda w, v, m: auc([1.0, 2.0], [1, 1]), r"labels: are all 1; give positives"),
        (lambda w, v, m: auc([1.0, 2.0], [0, 2]), r"labels: row 1: is 2; give 0 or 1"),
        (lambda w, v, m: auc([1.0], [0, 1]), r"labels: has 2 values for 1 pairs"),
        (lambda w, v, m: auc([1.0, np.nan], [0, 1]), r"scores: row 1: is nan; give finite"),
        (lambda w, v, m: auc([[1.0]], [1]), r"scores: has the shape \[1, 1\]"),
        (lambda w, v, m: losses(w, m, a=1, b=0, tau=1), r"similarity: has the shape \[30, 8\]"),
        (lambda w, v, m: losses(w[:8], m[:8] * 0 + 2, a=1, b=0, tau=1), r"matched: row 0: is 2"),
        (lambda w, v, m: losses(w[:8], m, a=1, b=0, tau=1), r"matched: has 30 values for 8 pairs"),
        (lambda w, v, m: losses(w[:8], m[:8] > 0, a="x", b=0, tau=1), r"a: is of type str"),
        (lambda w, v, m: measure(w, v, m, ids=[{"x": 1}]), r"ids: has 1 rows for 30 instructions"),
        (lambda w, v, m: labels_from([{"instruction": 1, "SR": 0.5}]), r"attempts: row 0: column S"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(warpath.InputError, match="^" + message):
        call(*made())


def saved(folder: pathlib.Path) -> list[str]:
    w, v, match = made()
    labels = (np.arange(30) % 4 == 0).astype(np.int8)
    files = []
    for name, array in (("w", w.astype(np.float32)), ("v", v), ("m", match), ("q", labels)):
        files.append(str(folder / f"{name}.npy"))
        np.save(files[-1], array)
    return files


def test_command(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    w, v, match, labels = saved(tmp_path)
    table, rows = str(tmp_path / "t.json"), str(tmp_path / "s.csv.gz")
    options = ["--match", match, "--labels", labels, "--json", table, "--csv", rows]
    assert run_command(["compatibility", w, v, *options]) == 0
    out = capsys.readouterr().out
    assert "recall@10" in out and "AUC" in out
    found = json.loads(pathlib.Path(table).read_text())
    expected = measure(w, v, match, labels)
    assert found["auc"] == expected.auc and (found["positives"], found["negatives"]) == (8, 22)
    assert found["retrieval"]["trajectories"]["n"] == 30
    assert [source["role"] for source in found["files"]] == [
        "instructions",
        "trajectories",
        "match",
        "labels",
    ]
    with gzip.open(rows, "rt") as stream:
        read = list(csv.DictReader(stream))
    assert [float(row["compatibility"]) for row in read] == list(expected.scores)
    first = pathlib.Path(table).read_bytes()
    assert run_command(["compatibility", w, v, *options, "--quiet"]) == 0
    assert pathlib.Path(table).read_bytes() == first


def test_command_refuses(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    w, v, match, _ = saved(tmp_path)

    code, text = failure(capsys, "compatibility", w, v)
    assert code == 1 and "give the number of each instruction's trajectory" in text
    code, text = failure(capsys, "compatibility", w, v, "--match", match, "--json", w)
    assert code == 2 and "would replace" in text
    code, text = failure(capsys, "compatibility", w, v, "--k", "1,x")
    assert code == 2 and "--k 1,x" in text
    whole = pathlib.Path(v).read_bytes()
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    huge = tmp_path / "huge.npy"
    huge.write_bytes(whole.replace(b"(12, 8), }      ", b"(12000000, 8), }"))
    for name, content, part in (
        ("cut", whole[:-3], "fewer or more elements"),
        ("short", whole[:5], "is no array of NumPy"),
        ("empty", b"", "is no array of NumPy"),
        ("text", b"a,b\n1,2\n", "is no array of NumPy"),
        ("objects", objects.read_bytes(), "is of the type"),
        ("large", huge.read_bytes(), "fewer or more elements"),
    ):
        file = tmp_path / f"{name}.npy"
        file.write_bytes(content)
        output = ["--match", match, "--json", str(tmp_path / "x.json")]
        code, text = failure(capsys, "compatibility", w, str(file), *output)
        assert code == 1 and part in text and file.name in text
        assert not (tmp_path / "x.json").exists()


ODD: list[Any] = [
    None, 1, True, np.nan, 2**70, "a", b"x", "\udc80", [], [None], {}, np.array(1), object(), "/",
    np.zeros((3, 3)), np.zeros((0, 3)), np.array([object()]), np.zeros((2, 2), complex), range(3),
]  # fmt: skip


def test_arguments_of_every_type() -> None:
    w, v, m = made()
    pairs = {"instructions": w, "trajectories": v, "match": m}
    settings = {"a": 1.0, "b": 0.0, "tau": 0.1, "gamma": 2.0, "beta": 1.0}
    calls: list[tuple[Any, dict[str, Any]]] = [
        (similarity, {"instructions": w, "trajectories": v}),
        (scores, pairs),
        (retrieval, {**pairs, "k": (1,)}),
        (measure, {**pairs, "labels": m % 2, "k": (1,), "ids": None}),
        (auc, {"scores": [1.0, 2.0], "labels": [0, 1]}),
        (labels_from, {"attempts": [{"instruction": 1, "SR": 1}], "share": 0.5, "success": "SR"}),
        (losses, {"similarity": w[:8], "matched": [1] * 8, **settings}),
    ]
    odd = list(ODD)
    if importlib.util.find_spec("torch") is not None:
        import torch
        from warpath.torch import CompatibilityLoss

        tensors = {name: torch.from_numpy(array) for name, array in pairs.items()}
        of_pairs = {"similarity": torch.ones(8, 8), "matched": [1] * 8}
        calls += [(similarity, {"instructions": tensors["instructions"], "trajectories": v})]
        calls += [(retrieval, tensors), (losses, {**of_pairs, **settings})]
        calls += [(CompatibilityLoss, {"kind": "focal", **settings})]
        ones = torch.ones(3, 3)
        odd += [ones, ones.to_sparse(), ones.bfloat16(), ones + 1j, ones.to("meta")]
    for call, good in calls:
        for name in good:
            for value in odd:
                try:
                    call(**{**good, name: value})
                except (warpath.InputError, warpath.UsageError) as error:
                    assert "\n" not in str(error)


def test_tensors_and_gradients() -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed")
    from warpath.torch import CompatibilityLoss

    w, v, match = made()
    one, other = torch.tensor(w, dtype=torch.float64), torch.tensor(v, dtype=torch.float64)
    assert np.allclose(similarity(one, other).numpy(), similarity(w, v), rtol=0, atol=1e-15)
    assert_same(retrieval(one, other, torch.tensor(match)), retrieval(w, v, match))
    assert np.allclose(scores(one, other, match).numpy(), scores(w, v, match), rtol=0, atol=1e-15)
    with pytest.raises(warpath.UsageError, match="tau is 0"):
        losses(torch.eye(3), [1] * 3, a=1.0, b=0.0, tau=torch.tensor(0.0))
    from warpath.torch import compatibility

    units = (rows / rows.norm(dim=1, keepdim=True) for rows in (one, other))
    on_device = compatibility.ranks_on_device(*units, torch.tensor(match))
    for ranks, wanted in zip(on_device, retrieval(w, v, match)):
        assert np.array_equal(ranks, wanted.ranks)
    single = retrieval(one.float(), other.float(), match)
    assert single.trajectories.mean_rank == retrieval(w, v, match).trajectories.mean_rank
    assert similarity(one.half(), other.half()).dtype == torch.float32
    with pytest.raises(warpath.InputError, match="trajectories: is no tensor, and the others"):
        similarity(one, v)
    s, m = similarity(one[:12], other), np.arange(12) % 3 != 0
    plain = losses(s.numpy(), m, a=5.0, b=0.0, tau=0.1)
    for kind, wanted in (("focal", plain.total_focal), ("ce", plain.total_ce)):
        loss = CompatibilityLoss(kind)
        assert loss(s, torch.tensor(m)).item() == pytest.approx(wanted, rel=1e-6)
        assert {name for name, _ in loss.named_parameters()} == {"a", "b", "log_tau"}
    leaf = torch.tensor(w[:12], requires_grad=True)

    def whole(x: Any) -> Any:
        return losses(similarity(x, other), m, a=5.0, b=0.1, tau=0.2).total_focal

    assert torch.autograd.gradcheck(whole, (leaf,))
    none = CompatibilityLoss()(s, torch.zeros(12))
    assert torch.isfinite(none)
    with pytest.raises(warpath.UsageError, match="no kind of loss 'hinge'"):
        CompatibilityLoss("hinge")
    with pytest.raises(warpath.UsageError, match="tau is 0"):
        CompatibilityLoss(tau=0)


@pytest.mark.skipif("WARPATH_DATA" not in os.environ, reason="WARPATH_DATA has the golden values")
def test_golden_values() -> None:
    folder = pathlib.Path(os.environ["WARPATH_DATA"], "studies", "compat")
    expected = json.loads((folder / "expected.json").read_text())
    w, v, match, quality = (
        folder / f"{name}.npy" for name in ("instructions", "trajectories", "match", "quality")
    )
    s = similarity(w, v)
    assert list(s.shape) == expected["similarity"]["shape"]
    assert s.mean() == pytest.approx(expected["similarity"]["mean"], abs=1e-12)
    assert s[0] == pytest.approx(expected["similarity"]["first_row"], abs=1e-12)
    own = scores(w, v, match)
    assert own == pytest.approx(expected["similarity"]["of_matches"], abs=1e-12)
    assert auc(own, quality) == pytest.approx(expected["auc_quality"], abs=1e-12)
    found = retrieval(w, v, match)
    for side, ranks in found._asdict().items():
        wanted = expected["retrieval"][side]
        assert ranks.mean_rank == pytest.approx(wanted["mean_rank"], abs=1e-12)
        assert ranks.median_rank == wanted["median_rank"]
        assert ranks.mrr == pytest.approx(wanted["mrr"], abs=1e-12)
        assert {f"recall@{k}": share for k, share in ranks.recall.items()} == pytest.approx(
            {name: share for name, share in wanted.items() if name.startswith("recall")}, abs=1e-12
        )
    pairs = similarity(folder / "batch_instructions.npy", folder / "batch_trajectories.npy")
    matched = np.load(folder / "batch_matched.npy")
    assert auc(np.diagonal(pairs), matched) == pytest.approx(expected["auc_perturbed"], abs=1e-12)
    for name, of in (("batch", matched), ("batch_sharp", matched), ("batch_without_match", None)):
        wanted = expected[name]
        got = losses(pairs, np.zeros(48) if of is None else of, **wanted["settings"])._asdict()
        assert got == pytest.approx({key: wanted[key] for key in got}, rel=1e-12)


def test_sparse_tensors_are_refused() -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed")
    dense, flags = torch.eye(3), torch.tensor([True, False, True])
    for s, matched, name in (
        (dense.to_sparse(), flags, "similarity"),
        (dense, flags.float().to_sparse(), "matched"),
    ):
        with pytest.raises(warpath.InputError, match=f"{name}: is a tensor of layout torch.sparse"):
            warpath.compatibility.losses(s, matched, a=1.0, b=0.0, tau=0.1)

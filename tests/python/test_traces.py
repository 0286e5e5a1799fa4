"""Pose traces: what cameras see, every form of file, and files that are none."""

from __future__ import annotations

import gzip
import json
import math
import pathlib
import pickle
import random
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
import warpath
from made_traces import P00, P11, MadeTrace, pose, projection, rotation, seen_by_numpy
from warpath import _core, traces

PIXELS = 128 * 256
WALK = [("a", 0, 0), ("a", 20, 0), ("a", 20, 0), ("b", 90, -20), ("b", 140, 10), ("a", 180, 0)]


@pytest.fixture
def walk() -> MadeTrace:
    return MadeTrace([(v, float(h), float(e)) for v, h, e in WALK])


def look(tmp_path: pathlib.Path, *angles: tuple[float, float]) -> traces.Visit:
    """Returns the visit of a follower who looks at these headings and elevations."""
    made = MadeTrace([("a", h, e) for h, e in angles])
    return traces.read(made.npz(tmp_path / "look.npz")).visits[0]


# ---------------------------------------------------------------- what is seen


def test_straight_ahead(tmp_path: pathlib.Path) -> None:
    visit = look(tmp_path, (0, 0))
    assert visit.pixels_seen == 3148
    assert visit.search() == 3148 / PIXELS
    half_height, half_width = math.atan(1 / P11), math.atan(1 / P00)
    share = 4 * math.asin(math.sin(half_height) * math.sin(half_width)) / (4 * math.pi)
    assert visit.search("solid-angle") == pytest.approx(share, abs=0.002)
    assert share == pytest.approx(0.143, abs=5e-4)
    rows, columns = np.nonzero(visit.seen)
    assert (rows.min() + rows.max(), columns.min() + columns.max()) == (127, 255)


def test_heading_turns_right(tmp_path: pathlib.Path) -> None:
    ahead = look(tmp_path, (0, 0)).seen
    assert (look(tmp_path, (90, 0)).seen == np.roll(ahead, 64, axis=1)).all()
    assert (look(tmp_path, (-90, 0)).seen == np.roll(ahead, -64, axis=1)).all()


def test_a_full_turn(tmp_path: pathlib.Path) -> None:
    visit = look(tmp_path, *((float(h), 0.0) for h in range(0, 360, 2)))
    elevations = 90 - (np.arange(128) + 0.5) * 180 / 128
    assert visit.seen[abs(elevations) < 37].all()
    assert not visit.seen[abs(elevations) > 37.6].any()
    assert visit.search("solid-angle") == pytest.approx(math.sin(math.radians(37.5)), abs=0.01)


def test_over_the_pole(tmp_path: pathlib.Path) -> None:
    up = look(tmp_path, (0, 90)).seen
    assert up[:27].all() and not up[64:].any()
    assert (up == np.roll(up, 128, axis=1)).all()
    assert (look(tmp_path, (0, -90)).seen == up[::-1]).all()


def random_cameras(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns poses of every direction, some of them equal to those before, with projections that
    zoom and whose middle is elsewhere."""
    draw = np.random.default_rng(seed)
    turns, views = [], []
    for _ in range(n):
        if turns and draw.random() < 0.3:
            turns.append(turns[-1])
            views.append(views[-1])
            continue
        turn, _ = np.linalg.qr(draw.normal(size=(3, 3)))
        turns.append(turn * np.sign(np.linalg.det(turn)))
        views.append(projection(*np.exp(draw.normal(0.5, 0.8, 2)), *draw.normal(0, 0.4, 2)))
    return np.array(turns), np.array(views)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_pixels_are_those_of_the_plain_form(n: int) -> None:
    for seed in range(25):
        turns, views = random_cameras(seed, n)
        seen = _core.seen_pixels(turns, np.ascontiguousarray(views[:, (0, 0, 1, 1), (0, 2, 1, 2)]))
        expected, margin = seen_by_numpy(turns, views)
        differs = seen.view(bool) != expected
        assert not (differs & (margin > 1e-12)).any()


def test_nothing_is_seen_without_a_snapshot() -> None:
    assert not _core.seen_pixels(np.zeros((0, 3, 3)), np.zeros((0, 4))).any()
    with pytest.raises(ValueError, match="lengths"):
        _core.seen_pixels(np.zeros((2, 3, 3)), np.zeros((1, 4)))
    for wrong in (np.zeros((2, 9)), np.zeros((2, 3, 3), complex), [1.0], None):
        with pytest.raises(TypeError):
            _core.seen_pixels(wrong, np.zeros((2, 4)))  # type: ignore[arg-type]


# ---------------------------------------------------------------- visits


def test_visits_are_runs_of_one_viewpoint(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    trace = traces.read(walk.npz(tmp_path / "t.npz"))
    assert trace.path == ["a", "b", "a"]
    assert [len(visit.times) for visit in trace.visits] == [3, 2, 1]
    assert trace.time == 1.25 and trace.snapshots == 6
    shares = trace.search()
    assert trace.start() == shares[0]
    assert trace.other() == pytest.approx(shares[1:].mean())
    expected, _ = seen_by_numpy(walk.poses[3:5, :3, :3], walk.projections[3:5])
    assert trace.visits[1].pixels_seen == expected.sum()
    assert trace.search("solid-angle")[2] == trace.visits[2].search("solid-angle")
    with pytest.raises(warpath.UsageError, match="solid-angle"):
        trace.search("area")


def test_joined_visits_are_united(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    file = walk.npz(tmp_path / "t.npz")
    each, joined = traces.read(file), traces.read(file, visits="joined")
    assert joined.path == ["a", "b", "a"]
    assert [visit.viewpoint for visit in joined.visits] == ["a", "b"]
    union = each.visits[0].seen | each.visits[2].seen
    assert (joined.visits[0].seen == union).all()
    assert union.sum() > each.visits[0].pixels_seen


def test_who_never_moves_has_no_other(tmp_path: pathlib.Path) -> None:
    trace = traces.read(MadeTrace([("a", 0, 0), ("a", 30, 0)]).npz(tmp_path / "t.npz"))
    assert trace.other() is None
    assert "other (n 0): pixels" in traces.search(trace).notes()
    assert "n/a" in traces.search(trace).notes()


def test_published_masks(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    masks = np.zeros((3, 128, 256), bool)
    masks[0, 0], masks[1, 1], masks[2, 2] = True, True, True
    file = walk.npz(tmp_path / "t.npz", image_mask=masks)
    trace = traces.read(file, masks="published")
    assert trace.search().tolist() == [1 / 128] * 3
    joined = traces.read(file, masks="published", visits="joined")
    assert joined.search().tolist() == [2 / 128, 1 / 128]
    assert traces.read(walk.npz(file, image_mask=masks.astype("u1")), masks="published")
    for wrong, problem in (
        (masks[:2], "has 2 masks, but there are 3 visits"),
        (masks[:, :64], r"has the shape \[3, 64, 256\]"),
        (2 * masks.astype(int), "no mask of 0 and 1"),
        (None, "image_mask: is missing"),
    ):
        with pytest.raises(warpath.InputError, match=problem):
            traces.read(walk.npz(file, image_mask=wrong), masks="published")
    with pytest.raises(warpath.InputError, match="no published masks"):
        traces.read(walk.lines(tmp_path / "t.jsonl"), masks="published")


# ---------------------------------------------------------------- forms of files


def same(found: traces.Trace, expected: traces.Trace) -> bool:
    return (
        found.path == expected.path
        and np.allclose(found.times, expected.times)
        and found.search().tolist() == expected.search().tolist()
    )


def test_all_layouts_are_one_trace(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    expected = traces.read(walk.npz(tmp_path / "t.npz"))
    n = len(walk.pano)
    arrays, turned = walk.arrays(), walk.arrays(column_major=True)
    as_readme: dict[str, Any] = {
        "pano": np.array(walk.pano).reshape(n, 1),
        "time": walk.time.astype("f4").reshape(n, 1),
        "extrinsic_matrix": walk.poses.reshape(n, 16).astype("f4"),
        "intrinsic_matrix": walk.projections.reshape(n, 16).astype("f4"),
        "text_mask": np.ones(3),
    }
    fortran = {key: np.asfortranarray(value) for key, value in arrays.items()}
    foreign = {**arrays, "pano": np.array(walk.pano, "S4"), "time": walk.time.astype(">f8")}
    for name, changes in enumerate((as_readme, turned, fortran, foreign)):
        assert same(traces.read(walk.npz(tmp_path / f"{name}.npz", **changes)), expected), name
    assert same(traces.read(walk.npz(tmp_path / "s.npz", packed=False)), expected)
    for name, column_major, unit in (
        ("u.jsonl", True, 1000.0),
        ("s.jsonl", False, 1.0),
        ("u.jsonl.gz", True, 1.0),
    ):
        assert same(traces.read(walk.lines(tmp_path / name, column_major, unit)), expected), name
    (tmp_path / "t.npz.gz").write_bytes(gzip.compress((tmp_path / "t.npz").read_bytes()))
    assert same(traces.read(tmp_path / "t.npz.gz"), expected)


def test_units_of_time(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    slow = walk.npz(tmp_path / "slow.npz", time=4 * walk.time)  # a snapshot each second
    assert traces.read(slow).time == 0.005
    assert traces.read(slow, time_unit="s").time == 5.0
    quick = walk.npz(tmp_path / "quick.npz", time=3.9 * walk.time)
    assert traces.read(quick).time == pytest.approx(4.875)
    assert traces.read(quick, time_unit="ms").time == pytest.approx(0.004875)
    for wrong in ("min", "", 1):
        with pytest.raises((warpath.UsageError, warpath.InputError)):
            traces.read(quick, time_unit=wrong)  # type: ignore[arg-type]


def test_the_position_tells_where_the_projection_cannot(
    walk: MadeTrace, tmp_path: pathlib.Path
) -> None:
    expected = traces.read(walk.npz(tmp_path / "t.npz")).search().tolist()
    walk.projections[:, 2, 3] = -1.0  # of a near plane at 1/2
    for column_major in (False, True):
        file = walk.npz(tmp_path / "n.npz", **walk.arrays(column_major))
        assert traces.read(file).search().tolist() == expected


# ---------------------------------------------------------------- files that are none


def changed(walk: MadeTrace, key: str, place: Any, value: Any) -> dict[str, Any]:
    array = np.array(walk.arrays()[key])
    array[place] = value
    return {key: array}


ORTHOGRAPHIC = np.diag([0.1, 0.1, -0.002, 1.0])
MIRRORED = pose(rotation(0) @ np.diag([-1.0, 1, 1]))
POSE, VIEW = "extrinsic_matrix", "intrinsic_matrix"

HOSTILE: dict[str, Any] = {
    "lacks pano": lambda w: {"pano": None},
    "lacks poses": lambda w: {POSE: None},
    "numbers for viewpoints": lambda w: {"pano": np.arange(6)},
    "an empty name": lambda w: changed(w, "pano", 2, ""),
    "a name with spaces": lambda w: {"pano": np.array(["a b"] * 6)},
    "wide pano": lambda w: {"pano": np.array([["a", "b"]] * 6)},
    "pano of one": lambda w: {"pano": np.array("a")},
    "letters that are none": lambda w: {"pano": np.array([b"\xff"] * 6)},
    "no snapshot": lambda w: {k: v[:0] for k, v in w.arrays().items()},
    "unequal lengths": lambda w: {"time": w.time[:5]},
    "unequal poses": lambda w: {POSE: w.poses[:5]},
    "time of texts": lambda w: {"time": np.array(["1"] * 6)},
    "complex time": lambda w: {"time": w.time.astype(complex)},
    "time decreases": lambda w: changed(w, "time", 3, 0.1),
    "time is NaN": lambda w: changed(w, "time", 3, math.nan),
    "time is infinite": lambda w: changed(w, "time", 5, math.inf),
    "pose of integers": lambda w: {POSE: w.poses.astype(int)},
    "pose of truth": lambda w: {POSE: w.poses.astype(bool)},
    "pose [n, 3, 4]": lambda w: {POSE: w.poses[:, :3]},
    "pose is NaN": lambda w: changed(w, POSE, (2, 0, 0), math.nan),
    "pose is stretched": lambda w: changed(w, POSE, (2, 1, 1), 1.01),
    "pose is zero": lambda w: changed(w, POSE, 2, 0.0),
    "pose is mirrored": lambda w: changed(w, POSE, 4, MIRRORED),
    "pose is huge": lambda w: changed(w, POSE, (2, 0, 0), 1e300),
    "pose has a last row": lambda w: changed(w, POSE, (2, 3), (1, 0, 0, 1)),
    "orthographic": lambda w: changed(w, VIEW, slice(None), ORTHOGRAPHIC),
    "one orthographic": lambda w: changed(w, VIEW, 3, ORTHOGRAPHIC),
    "another layout": lambda w: changed(w, VIEW, 3, projection().T),
    "view of no width": lambda w: changed(w, VIEW, (1, 0, 0), 0.0),
    "view is mirrored": lambda w: changed(w, VIEW, (1, 1, 1), -1.0),
    "view is skewed": lambda w: changed(w, VIEW, (1, 0, 1), 0.2),
    "view is endless": lambda w: changed(w, VIEW, (1, 0, 0), 1e300),
    "view is infinite": lambda w: changed(w, VIEW, (1, 0, 0), math.inf),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_refused(
    name: str, walk: MadeTrace, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = walk.npz(tmp_path / "t.npz", **HOSTILE[name](walk))
    with pytest.raises(warpath.InputError) as caught:
        traces.read(file)
    error = caught.value
    assert error.where.file == str(file) and error.remedy
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{",
        "{}",
        '{"id": 3, "time": 1}',
        '{"id": "a", "time": null}',
        '{"id": "a", "time": true}',
        '{"id": "a", "time": 1}',
        '{"id": "a", "time": 1, "exmat": [1, 2]}',
        '{"id": "a", "time": 1, "exmat": 3}',
        '{"id": "a", "time": 1e999}',
        '{"id": "a", "time": ' + "9" * 400 + "}",
        '{"id": "a\\nb", "time": 1}',
        "[" * 100_000,
        "\x00\xff",
        "",
    ],
)
def test_hostile_lines_are_refused(walk: MadeTrace, tmp_path: pathlib.Path, line: str) -> None:
    file = walk.lines(tmp_path / "t.jsonl")
    with open(file, "a", encoding="latin-1") as stream:
        stream.write(line + "\n{}\n")
    with pytest.raises(warpath.InputError, match="t.jsonl: line [78]: "):
        traces.read(file)


def test_other_files_are_refused(tmp_path: pathlib.Path) -> None:
    for content in (b"", b"\n", b"PK", b"PK\x03\x04", b"\x1f\x8b\x08", b"trace,system\n1,2\n"):
        (tmp_path / "t.npz").write_bytes(content)
        with pytest.raises(warpath.InputError, match="t.npz"):
            traces.read(tmp_path / "t.npz")
    with pytest.raises(warpath.InputError, match="cannot be read"):
        traces.read(tmp_path / "none.npz")
    for wrong in (None, 3, b"t.npz", ["t.npz"]):
        with pytest.raises(warpath.InputError, match="give a file"):
            traces.read(wrong)  # type: ignore[arg-type]


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pathlib.Path.touch, (pathlib.Path("unpickled"),))


def test_nothing_is_unpickled(
    walk: MadeTrace, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = walk.npz(tmp_path / "t.npz", pano=np.array([Trap()] * 6, dtype=object))
    assert pickle.dumps(Trap())
    with pytest.raises(warpath.InputError, match="pano: is of the type"):
        traces.read(file)
    records = walk.npz(file, pano=np.zeros(6, [("a", "O")]), image_mask=np.array([Trap()]))
    with pytest.raises(warpath.InputError, match="pano: is of records"):
        traces.read(records)
    assert not (tmp_path / "unpickled").exists()


def archive(file: pathlib.Path, **members: bytes) -> pathlib.Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, content in members.items():
            stream.writestr(f"{name}.npy", content)
    return file


def header(descr: str, shape: str) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        header("'<U4'", "(1000000000000,)"),
        header("'<U999999999'", "(1,)"),
        header("'<U4'", "(-1,)"),
        header("'<U4'", "(99999999999999999999,)"),
        header("'<U4'", "(3000000000, 3000000000)") + b"1234" * 6,
        header("'<U0'", "(6,)"),
        header("'|O'", "(6,)") + b"12345678" * 6,
        header("[('a', '<f8')]", "(6,)") + b"12345678" * 6,
        header("'<U4'", "6") + b"1234" * 24,
        header("'<U4'", "(" + "1" * 5000 + ")"),
        header("'<q4'", "(6,)") + b"1234" * 6,
        header("'<f3'", "(6,)") + b"123" * 6,
        header("'<U4'", "()"),
        b"\x93NUMPY\x09\x00",
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        b"",
        b"PK",
    ],
    ids=lambda content: str(content[-40:]),
)
def test_no_header_is_believed(tmp_path: pathlib.Path, content: bytes) -> None:
    file = archive(tmp_path / "t.npz", pano=content)
    tracemalloc.start()
    with pytest.raises(warpath.InputError, match="t.npz: pano: "):
        traces.read(file)
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_bombs_are_not_unpacked(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    bomb = walk.npz(tmp_path / "t.npz", time=np.zeros(1 << 23))
    assert bomb.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(warpath.InputError, match=r"time: unpacks to 67108992 .*--max-input"):
        traces.read(bomb, max_input=1 << 20)
    assert tracemalloc.get_traced_memory()[1] < 1 << 23
    tracemalloc.stop()
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(warpath.InputError, match=r"is larger than .*1048576.*--max-input"):
        traces.read(packed, max_input=1 << 20)
    with pytest.raises(warpath.InputError, match="is larger than"):
        traces.read(walk.npz(bomb, packed=False), max_input=100)


def test_an_archive_that_says_less_than_it_holds(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    data = bytearray(walk.npz(tmp_path / "t.npz").read_bytes())
    place = data.rindex(b"PK\x01\x02")  # of the last member, intrinsic_matrix
    data[place + 24 : place + 28] = (200).to_bytes(4, "little")
    (tmp_path / "t.npz").write_bytes(data)
    with pytest.raises(warpath.InputError, match="t.npz: intrinsic_matrix: is"):
        traces.read(tmp_path / "t.npz")


@pytest.mark.parametrize("form", ["packed", "stored", "lines"])
def test_damaged_files_never_crash(
    form: str, walk: MadeTrace, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "t"
    if form == "lines":
        walk.lines(file)
    else:
        walk.npz(tmp_path / "t.npz", packed=form == "packed").rename(file)
    data = file.read_bytes()
    draw = random.Random(5)
    refused = 0
    for k in range(600):
        changed = bytearray(data)
        if k % 3 == 0:
            del changed[draw.randrange(len(data)) :]
        for _ in range(0 if k % 3 == 0 else draw.choice((1, 1, 2, 8))):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        file.write_bytes(changed)
        try:
            assert traces.read(file, max_input=1 << 22).search().max() <= 1
        except warpath.InputError as error:
            refused += 1
            assert str(error).startswith(str(file)) and "\n" not in str(error)
    assert refused > 200


# ---------------------------------------------------------------- one trace as a table


def test_search_of_one_trace(walk: MadeTrace, tmp_path: pathlib.Path) -> None:
    found = traces.search(walk.npz(tmp_path / "t.npz"))
    text = str(found)
    assert "pixels (%)" in text and "start (n 1), other (n 2)" in text
    whole = json.loads(found.to_json())
    assert whole["path"] == ["a", "b", "a"] and whole["time"] == 1.25
    assert [v["pixels"] for v in whole["visits"]] == found.trace.search().tolist()
    assert whole["files"][0]["hash"] == found.trace.hash != ""
    lines = found.to_csv(tmp_path / "v.csv").splitlines()
    assert lines[0].startswith("visit,viewpoint,snapshots,time,pixels_seen") and len(lines) == 4
    assert (tmp_path / "v.csv").read_text() == found.to_csv()
    assert found.to_json() == traces.search(tmp_path / "t.npz").to_json()
    assert whole["settings"] == {"masks": "computed", "visits": "each", "time_unit": None}
    with pytest.raises(warpath.UsageError, match="options are for reading a file"):
        traces.search(found.trace, visits="joined")


# ---------------------------------------------------------------- golden data


@pytest.fixture(scope="module")
def golden(data: pathlib.Path) -> tuple[pathlib.Path, dict[str, Any]]:
    folder = data / "studies" / "traces"
    if not folder.is_dir():
        pytest.skip("no golden traces in WARPATH_DATA")
    return folder, json.loads((folder / "expected.json").read_text())


@pytest.mark.parametrize("part", ["traces", "real"])
def test_golden_traces(golden: tuple[pathlib.Path, dict[str, Any]], part: str) -> None:
    folder, expected = golden
    for name, of_trace in expected[part].items():
        trace = traces.read((folder / "made" if part == "traces" else folder) / name)
        assert trace.path == of_trace["path"] and trace.snapshots == of_trace["snapshots"]
        assert trace.time == pytest.approx(of_trace["time"], abs=1e-9)
        for visit, of_visit in zip(trace.visits, of_trace["visits"], strict=True):
            assert (visit.viewpoint, len(visit.times)) == (
                of_visit["viewpoint"], of_visit["snapshots"],
            )  # fmt: skip
            assert abs(visit.pixels_seen - of_visit["pixels_seen"]) <= 3
            assert visit.search() == pytest.approx(of_visit["pixels_fine"], abs=0.003)
            assert visit.search("solid-angle") == pytest.approx(of_visit["solid"], abs=3e-4)
        for weight, key in (("pixels", "pixels"), ("solid-angle", "solid")):
            assert trace.start(weight) == pytest.approx(of_trace["start"][key], abs=3e-4)
            other = of_trace["other"][key]
            assert trace.other(weight) == (other and pytest.approx(other, abs=3e-4))


def test_golden_published_masks(golden: tuple[pathlib.Path, dict[str, Any]]) -> None:
    folder, expected = golden
    ((name, of_trace),) = expected["real"].items()
    published = traces.read(folder / name, masks="published")
    computed = traces.read(folder / name)
    assert published.search().tolist() == of_trace["published_pixels"]
    differ = [(a.seen != b.seen).sum() for a, b in zip(published.visits, computed.visits)]
    assert np.abs(np.array(differ) - of_trace["published_differs"]).max() <= 3

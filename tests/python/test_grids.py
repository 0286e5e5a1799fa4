"""Grids of free cells: as arrays, as scans, and as files that positions are snapped to."""

import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import warpath

FREE = np.array([[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]], bool)


def make_grid(**more: Any) -> warpath.Grid:
    return warpath.Grid(FREE, resolution=1.0, **more)


def test_cells_and_centres() -> None:
    grid = make_grid(origin=(10, 20), height=0.5)
    assert len(grid) == 10
    assert grid.cells[3].tolist() == [0, 1, 0]
    assert grid.centres[3].tolist() == [10.5, 0.5, 21.5]
    assert make_grid(up="z", height=0.5).centres[3].tolist() == [0.5, 1.5, 0.5]
    assert repr(grid) == "<Grid of 10 free cells>"


def test_snap() -> None:
    grid = make_grid()
    points = [[[0.4, 0.1, 0.6], [2.6, 0, 2.2]], [[3.5, 0, 0.5], [9, 0, 9]]]
    assert grid.snap(points).tolist() == [[0, 8], [2, -1]]
    assert grid.snap([0.5, 1.5, 0.5]) == -1
    assert make_grid(within=2.0).snap([0.5, 1.5, 0.5]) == 0
    assert grid.snap(np.empty((0, 3))).shape == (0,)


def test_rewards_of_large_grids() -> None:
    """A corner of a grid of 4,200 cells has the rewards of a grid of its size."""
    graphs = warpath.Graphs(
        {
            "small": warpath.Grid(np.ones((12, 10), bool), resolution=0.5, connect=4),
            "large": warpath.Grid(np.ones((70, 60), bool), resolution=0.5, connect=4),
        }
    )
    draw = np.random.default_rng(5)
    places = draw.integers(0, (12, 10), (40, 9, 2))
    small = places @ [10, 1]
    large = (places + [58, 50]) @ [60, 1]
    made = {}
    for name, cells in (("small", small), ("large", large)):
        rewards = warpath.Rewards(graphs, list(cells[:, :5]), name, preset="hamt", tie="zero")
        values = rewards.compute(cells, values=["distance_to_goal", "ndtw", "cls"])
        tracker = warpath.RewardTracker(rewards, 40)
        tracker.reset(np.arange(40), cells[:, 0])
        scorer = warpath.ReferenceScorer(graphs, list(cells[:, :5]), name, metrics="nDTW,SR")
        moves = [tracker.step(cells[:, t]) for t in range(1, 9)]
        made[name] = [*values, *moves, *scorer.score(cells).values()]
    assert len(made["large"]) == 14
    for got, want in zip(made["large"], made["small"], strict=True):
        np.testing.assert_array_equal(got, want)
    field = warpath.Graphs({"field": warpath.Grid(np.ones((182, 182), bool), resolution=0.5)})
    with pytest.raises(warpath.InputError, match="scan field: has 33124 viewpoints: its table"):
        warpath.Rewards(field, [[0, 1]], "field")


def test_heights() -> None:
    heights = np.full((2, 1, 3), np.nan, np.float32)
    heights[0, 0, 0], heights[1, 0, 1], heights[0, 0, 2] = 0.0, 0.5, 1.5
    grid = warpath.Grid(heights=heights, resolution=1.0, climb=0.5)
    assert grid.cells.tolist() == [[0, 0, 0], [0, 0, 2], [1, 0, 1]]
    distances = warpath.Graphs({"lab": grid}).distances("lab")
    assert distances[0, 2] == np.sqrt(1.25)
    assert np.isinf(distances[0, 1])


def test_scores_and_rewards() -> None:
    grid = make_grid(connect=4)
    graphs = warpath.Graphs({"lab": grid})
    assert graphs.viewpoints("lab")[3] == "0,1,0"
    reference = grid.snap([[0.5, 0, 0.5], [3.5, 0, 0.5]])
    query = grid.snap([[0.5, 0, 0.5], [0.6, 0, 2.4]])
    scorer = warpath.Scorer(graphs, metrics="NE,SR")
    scores = scorer.score([reference], [query], scans="lab")
    assert scores["NE"].tolist() == [5.0]
    rewards = warpath.Rewards(graphs, [reference], "lab")
    assert rewards is not None
    assert pickle.loads(pickle.dumps(graphs)).viewpoints("lab") == graphs.viewpoints("lab")
    assert pickle.loads(pickle.dumps(grid)).snap([0.5, 0, 2.5]) == grid.snap([0.5, 0, 2.5])


def test_fast_marching() -> None:
    """As ``skfmm.distance(phi, dx=1.0)`` of scikit-fmm 2025.6.23, with phi 0 at the goal."""
    grid = make_grid(connect="fmm")
    graphs = warpath.Graphs({"lab": grid})
    distances = graphs.distances("lab")
    assert distances[0, 1] == 1.0
    assert distances[0, 4] == pytest.approx(1.7071067811865475, abs=1e-12)
    assert warpath.Graphs({"lab": make_grid()}).distances("lab")[0, 4] == np.sqrt(2)
    reference = grid.snap([[3.5, 0, 0.5], [0.5, 0, 0.5]])
    query = grid.snap([[3.5, 0, 0.5], [3.4, 0, 2.4]])
    to_goal, back = distances[9, 0], distances[0, 9]
    assert (to_goal, back) == pytest.approx((4.298690541493254, 4.514478067187642), abs=1e-12)
    for backend in ("reference", "cpu"):
        scorer = warpath.Scorer(graphs, metrics="NE,SR", backend=backend)
        scores = scorer.score([reference], [query], scans="lab")
        assert scores["NE"] == pytest.approx(to_goal, abs=1e-5)
    assert pickle.loads(pickle.dumps(grid)).connect == "fmm"
    assert (make_grid(connect="4").connect, make_grid().connect) == (4, 8)
    with pytest.raises(warpath.InputError, match="fast marching is of one flat floor"):
        steps = warpath.Grid(heights=[[[0.0, 0.2]]], resolution=1.0, connect="fmm")
        warpath.Graphs({"steps": steps}).viewpoints("steps")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "grid: has neither of free and heights"),
        ({"free": FREE, "heights": [[[0.0]]]}, "grid: has free and heights"),
        ({"free": [1, 0]}, "free: has the shape"),
        ({"free": FREE * 0.5}, "free: has the shape"),
        ({"free": ~FREE & FREE}, "has no free cell"),
        ({"heights": [[0.0]]}, "heights: has the shape"),
        ({"free": FREE, "resolution": 0.0}, "resolution: is 0"),
        ({"free": FREE, "resolution": "1"}, "resolution: is of type str"),
        ({"free": FREE, "origin": (1, 2, 3)}, "origin: is no pair"),
        ({"free": FREE, "connect": 6}, "connect: is 6"),
        ({"free": FREE, "connect": "fm"}, "connect: is fm"),
        ({"free": FREE, "up": "x"}, "up: is 'x'"),
    ],
)
def test_refusals(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(warpath.InputError, match=text):
        warpath.Grid(**{"resolution": 1.0, **arguments})


def test_refuses_points() -> None:
    for points in ([1, 2], [[1, 2]], 5.0):
        with pytest.raises(warpath.InputError, match="points: have no x, y and z"):
            make_grid().snap(points)
    with pytest.raises(warpath.InputError, match="points: are not finite"):
        make_grid().snap([0.5, np.nan, 0.5])


def write_grid(folder: pathlib.Path) -> pathlib.Path:
    np.save(folder / "cells.npy", FREE)
    grid = {"scan": "s1", "resolution": 1.0, "origin": [0, 0], "up": "y", "free": "cells.npy"}
    file = folder / "s1.json"
    file.write_text(json.dumps(grid))
    return file


def test_read(tmp_path: pathlib.Path) -> None:
    file = write_grid(tmp_path)
    for grid in (warpath.Grid.read(file, connect=4), warpath.Grid.read(str(tmp_path), "s1")):
        assert grid.centres.tolist() == make_grid().centres.tolist()
        assert (grid.resolution, grid.up) == (1.0, "y")
        assert pickle.loads(pickle.dumps(grid)).cells.tolist() == make_grid().cells.tolist()
    assert warpath.Grid.read(file, connect=4, within=2.0).snap([0.5, 1.5, 0.5]) == 0
    heights = np.array([[[0.0, np.nan]], [[np.nan, 2.0]]])
    np.save(tmp_path / "heights.npy", heights)
    form = {"scan": "s2", "resolution": 0.5, "origin": [1, 2], "up": "z", "heights": "heights.npy"}
    (tmp_path / "s2.json").write_text(json.dumps({**form, "climb": 0.4}))
    grid = warpath.Grid.read(tmp_path, "s2")
    assert (grid.up, grid.resolution, grid.connect) == ("z", 0.5, 8)
    assert grid.centres.tolist() == [[1.25, 2.25, 0.0], [1.75, 2.25, 2.0]]
    for path, scan, problem in (
        (file, "s2", "is 's1', but 's2' is asked for"),
        (tmp_path, "s3", r"there is no s3\.json"),
        (tmp_path / "none.json", "", "none.json"),
        (3, "", "path"),
    ):
        with pytest.raises(warpath.InputError, match=problem):
            warpath.Grid.read(path, scan)
    with pytest.raises(warpath.UsageError, match="standard input"):
        warpath.Grid.read("-")


def test_pictures_show_the_cells(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot

    pair = {"id": "a", "scan": "s1", "reference": [[0.5, 0, 0.5], [3.5, 0, 0.5]]}
    pairs = [{**pair, "prediction": [[0.5, 0, 0.5], [0.5, 0, 2.5]]}]
    file = write_grid(tmp_path)
    items = warpath.evaluate_pairs(pairs, grid=file).explain_items("a")
    grid = warpath.Grid.read(file)
    axes = warpath.plot.path(None, items, grid=grid, margin=None)
    (image,) = (one for one in axes.get_images() if one.get_gid() == "cells")
    # x to the right and -z up, so the first row of the grid is the upper one; one cell around it.
    blocked = np.asarray(image.get_array())[::-1, :, 3] > 0
    assert blocked.shape == (5, 6)
    assert (blocked[1:-1, 1:-1] == ~FREE).all()
    assert blocked[[0, -1]].all() and blocked[:, [0, -1]].all()
    assert image.get_extent() == [-1, 5, -4, 1]
    left, right, bottom, top = *axes.get_xlim(), *axes.get_ylim()
    assert left <= 0 and right >= 4 and bottom <= -3 and top >= 0
    episode = {"episode_id": "1", "reference_path": pair["reference"]}
    of_entry = warpath.plot.path(None, episode, grid=grid)
    assert [one.get_gid() for one in of_entry.get_images()] == ["cells"]
    with pytest.raises(warpath.UsageError, match="give one of them"):
        warpath.plot.path(warpath.Graphs({"s1": grid}), items, grid=grid)


def test_the_command_draws_over_the_grid(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from warpath.commands import run_command

    write_grid(tmp_path)
    episode: dict[str, Any] = {"episode_id": "1", "scene_id": "x/s1/s1.glb"}
    episode |= {"start_position": [0.5, 0, 0.5], "goals": [{"position": [3.5, 0, 0.5]}]}
    episode |= {"reference_path": [[0.5, 0, 0.5], [3.5, 0, 0.5]]}
    (tmp_path / "d.json").write_text(json.dumps({"episodes": [episode]}))
    (tmp_path / "agent.json").write_text('{"1": [[0.5, 0, 0.5], [0.5, 0, 2.5]]}')
    picture = tmp_path / "picture.svg"
    command = ["plot", "path", "--preset", "vlnce", "--dataset", str(tmp_path / "d.json")]
    command += ["--grid", str(tmp_path), str(tmp_path / "agent.json"), "--item", "1"]
    assert run_command([*command, "-o", str(picture)]) == 0
    assert 'id="cells"' in picture.read_text()


def test_pictures_show_the_cells_of_their_floor() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot

    heights = np.full((2, 2, 3), np.nan)
    heights[0], heights[1, 0] = 0.0, 3.0  # the upper floor has the first row alone
    grid = warpath.Grid(heights=heights, resolution=1.0)
    episode = {"episode_id": "1", "reference_path": [[0.5, 0, 0.5], [2.5, 3, 0.5]]}
    lower, upper = warpath.plot.floors(None, episode, grid=grid)
    shapes = [one.get_array().shape[:2] for ax in (lower, upper) for one in ax.get_images()]
    assert shapes == [(4, 5), (3, 5)]


def test_evaluate_pairs(tmp_path: pathlib.Path) -> None:
    pairs = [
        {
            "id": "a",
            "scan": "s1",
            "reference": [[0.5, 0, 0.5], [3.5, 0, 0.5]],
            "prediction": [[0.5, 0, 0.5], [0.5, 0, 2.5]],
        }
    ]
    result = warpath.evaluate_pairs(pairs, grid=write_grid(tmp_path), connect=4)
    assert result.summary["NE"].mean == 5.0
    with pytest.raises(warpath.InputError, match=r"farther than 0.1 m|a \("):
        warpath.evaluate_pairs(
            [{**pairs[0], "prediction": [[0.5, 0.3, 0.5]]}], grid=tmp_path, snap=0.1
        )
    with pytest.raises(warpath.UsageError, match="connect"):
        warpath.evaluate_pairs(pairs, grid=tmp_path, connect=5)


def test_evaluate_episodes(tmp_path: pathlib.Path) -> None:
    episode = {
        "episode_id": "1",
        "scene_id": "mp3d/s1/s1.glb",
        "start_position": [0.5, 0, 0.5],
        "goals": [{"position": [3.5, 0, 0.5]}],
        "reference_path": [[0.5, 0, 0.5], [3.5, 0, 0.5]],
    }
    write_grid(tmp_path)
    result = warpath.evaluate(
        {"1": [[0.5, 0, 0.5], [0.5, 0, 2.5]]},
        {"episodes": [episode]},
        grid=tmp_path,
        connect=4,
        preset="vlnce",
    )
    assert result.summary["NE"].mean == 5.0
    assert "snapped to cells (4 neighbours)" in str(result)

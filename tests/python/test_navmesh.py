"""Ways over navigation meshes."""

from __future__ import annotations

import csv
import gzip
import os
import pathlib
import pickle
import threading

import numpy as np
import pytest
import warpath

corpus = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "navmesh"
# Seen from above, a way leads around the corner at x = z = 4; beyond x = 20 lies an island.
start, goal, island, outside = [1, 0, 3], [5, 0, 7], [21, 0, 1], [90, 0, 1]


def test_ways_go_around_corners(mesh: warpath.NavMesh) -> None:
    way = mesh.distance(start, goal)
    assert way.dtype == np.float32
    assert way == pytest.approx(2 * 10**0.5, rel=1e-6)
    assert np.allclose(mesh.path(start, goal), [start, [4, 0, 4], goal])
    assert mesh.path(start, island).shape == (0, 3)
    assert np.isinf(mesh.distance(start, [island, outside])).all()
    assert np.array_equal(mesh.distance([start, goal], goal), [way, 0])
    assert mesh.distance(np.zeros((0, 3)), goal).shape == (0,)


def test_distances_are_to_one_goal_or_the_nearest(mesh: warpath.NavMesh) -> None:
    points = np.array([start, goal, island], np.float64)
    one = mesh.distances(points, goal)
    assert np.array_equal(one, [mesh.distance(p, goal) for p in points])
    assert np.array_equal(mesh.distances(points, [goal, island]), [one[0], 0, 0])
    assert mesh.distances(start, [island, goal]) == one[0]
    # By the older rules no way leads where one of several goals is off the mesh.
    assert np.isinf(mesh.distances(start, [goal, outside]))
    newer = warpath.NavMesh(corpus / "version_2.navmesh", habitat="0.3.4")
    assert newer.distances(start, [goal, outside]) == one[0]


def test_snapping(mesh: warpath.NavMesh) -> None:
    found = mesh.snap([[-1.5, 0, 2], outside])
    assert np.array_equal(found, [[0, 0, 2], [np.nan] * 3], equal_nan=True)
    assert np.array_equal(mesh.snap([-1.5, 0, 2]), [0, 0, 2])


def test_properties(mesh: warpath.NavMesh) -> None:
    assert mesh.habitat == "0.1.7"
    assert mesh.polygons == 4
    assert np.array_equal(mesh.bounds, [[0, 0, 0], [24, 20, 8]])
    assert mesh.agent == pytest.approx((1.5, 0.1))
    assert set(mesh.settings) >= {"agent_radius", "cell_size"}
    assert warpath.NavMesh(corpus / "version_1.navmesh").settings == {}
    assert "version_2.navmesh" in repr(mesh)
    copy = pickle.loads(pickle.dumps(mesh))
    assert copy.distance(start, goal) == mesh.distance(start, goal)


def test_threads_share_a_mesh(mesh: warpath.NavMesh) -> None:
    points = np.random.default_rng(1).uniform([0, 0, 0], [8, 0, 8], (2000, 3))
    alone = mesh.distances(points, goal)
    found: list[bool] = []
    work = [
        threading.Thread(target=lambda: found.append(np.array_equal(mesh.distances(points, goal), alone)))
        for _ in range(4)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [True] * 4


def test_refusals(mesh: warpath.NavMesh) -> None:
    for call, problem in (
        (lambda: mesh.distance([1, 2], goal), r"starts: are an array \[2\]"),
        (lambda: mesh.distance([start] * 2, [goal] * 3), "starts: are 2 positions, the others 3"),
        (lambda: mesh.distance(np.zeros((0, 3)), [goal]), "starts: are 0 positions, the others 1"),
        (lambda: mesh.distances(start, np.zeros((0, 3))), "goal: has no position"),
        (lambda: mesh.distances([np.nan, 0, 0], goal), "points: have numbers that are not finite"),
        (lambda: mesh.path([start], goal), r"start: is an array \[1, 3\]"),
        (lambda: mesh.snap("here"), "points"),
        (lambda: warpath.NavMesh(corpus / "no.navmesh"), "no.navmesh"),
        (lambda: warpath.NavMesh(__file__), "is no navigation mesh"),
    ):
        with pytest.raises(warpath.InputError, match=problem):
            call()
    with pytest.raises(warpath.UsageError, match=r"0\.1\.7"):
        warpath.NavMesh(corpus / "version_2.navmesh", habitat="0.2")


def test_queries_equal_habitats_to_the_last_bit(mesh: warpath.NavMesh) -> None:
    folder = pathlib.Path(os.environ.get("WARPATH_DATA", "")) / "obstacles"
    if "WARPATH_DATA" not in os.environ:
        pytest.skip("no real data: set WARPATH_DATA")
    with gzip.open(folder / "navmesh_queries.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    for name in {row["mesh"] for row in rows}:
        own = [row for row in rows if row["mesh"] == name]
        starts, ends = (
            np.array([[row[f"{axis}{k}"] for axis in "xyz"] for row in own], np.float32)
            for k in (0, 1)
        )
        found = warpath.NavMesh(folder / "navmesh" / f"{name}.navmesh")
        golden = np.array([row["distance_v017"] for row in own], np.float32)
        assert np.array_equal(found.distance(starts, ends), golden)


def test_pictures_have_the_outline(mesh: warpath.NavMesh) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    import warpath.plot

    episode = {"episode_id": "1", "reference_path": [start, [4, 0, 4], goal]}
    axes = warpath.plot.path(None, episode, {"agent": [start, goal]}, navmesh=mesh, margin=None)
    drawn = {line.get_gid(): line for line in axes.get_lines()}
    ends = drawn["outline"].get_xydata().reshape(-1, 3, 2)[:, :2]
    # Of the squares A, B, C and D, whose y on the plan is -z, 12 edges lead to no other.
    assert len(ends) == len(mesh.outline) == 12
    assert [[4, -4], [4, -8]] in ends.tolist() or [[4, -8], [4, -4]] in ends.tolist()
    assert axes.get_xlim()[1] > 24
    picture = warpath.plot.path(None, episode, navmesh=mesh)
    assert picture.get_xlim()[1] < 24


def test_a_scan_names_the_file_of_a_folder(mesh: warpath.NavMesh, tmp_path: pathlib.Path) -> None:
    (tmp_path / "s1.navmesh").write_bytes((corpus / "version_2.navmesh").read_bytes())
    assert warpath.NavMesh(tmp_path, scan="s1").polygons == mesh.polygons
    with pytest.raises(warpath.InputError, match=r"no s2\.navmesh"):
        warpath.NavMesh(tmp_path, scan="s2")

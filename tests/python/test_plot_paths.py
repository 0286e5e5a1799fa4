"""Pictures from above and of alignments: what is drawn is what was scored."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import made_flights
import numpy as np
import pytest
import warpath

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
import matplotlib
import matplotlib.pyplot as plt
import warpath.plot
from matplotlib.axes import Axes
from warpath.plot.scene import floor_levels, make_scene
from warpath.results import Evaluation, ExplainedItem

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def no_figures_stay() -> Any:
    yield
    plt.close("all")


def found(ax: Axes, gid: str) -> Any:
    """Returns the only artist of that name."""
    artists = [artist for artist in ax.get_children() if artist.get_gid() == gid]
    assert len(artists) == 1, [artist.get_gid() for artist in ax.get_children()]
    return artists[0]


def links(axes: list[Axes], agent: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns the ends of all links [links, 2, 2], and the distances that they stand for."""
    drawn = [a for ax in axes for a in ax.get_children() if a.get_gid() == f"warping {agent}"]
    ends = [np.array(one.get_segments()).reshape(-1, 2, 2) for one in drawn]
    return np.concatenate(ends), np.concatenate([one.distances for one in drawn])


def entry(path: list[str], scan: str = "street") -> dict[str, Any]:
    return {"scan": scan, "path": path}


def items_of(maze: Any, count: int = 12) -> tuple[Evaluation, list[ExplainedItem]]:
    references, queries, scans = maze.pairs(count)
    paths = zip(maze.ids(references, scans), maze.ids(queries, scans), scans)
    pairs = [
        {"id": str(k), "scan": scan, "reference": reference, "prediction": query}
        for k, (reference, query, scan) in enumerate(paths)
    ]
    result = warpath.evaluate_pairs(pairs, maze.graphs, threshold=2.5)
    return result, result.explain_items([str(k) for k in range(count)])


def test_links_are_the_steps_of_the_warping_and_add_up_to_dtw(maze: Any) -> None:
    result, items = items_of(maze)
    for item in items:
        axes = warpath.plot.floors(maze.graphs, item, alignment=True)
        ends, distances = links(axes, item.agent)
        assert len(ends) == len(item.warping)
        scored = result.per_item["DTW"][int(item.instr_id)]
        assert distances.sum() == pytest.approx(scored, rel=1e-12)
        if len(axes) == 1:
            i, j = item.warping.T
            places = np.stack([item.reference_positions[i, :2], item.query_positions[j, :2]], 1)
            assert np.array_equal(ends, places)
    assert max(len(item.warping) for item in items) > 5


def test_the_queries_of_an_entry_are_scored_for_their_links(street: warpath.Graphs) -> None:
    query = ["a", "a", "b", "c", "e"]
    ax = warpath.plot.path(street, entry(["a", "b", "c", "d"]), {"x": query}, alignment=True)
    ends, distances = links([ax], "x")
    assert len(ends) == 5 and distances.tolist() == [0, 0, 0, 0, 3]  # d and e are 1 + 2 m apart
    labels = [text.get_text() for legend in legends(ax) for text in legend.get_texts()]
    assert "x, nDTW 0.78" in labels  # exp(-3 / (4 * 3))
    ax = warpath.plot.path(
        street, entry(["a", "b", "c", "d"]), {"x": query}, alignment=True, repeats="collapse"
    )
    assert len(links([ax], "x")[0]) == 4


def legends(ax: Axes) -> list[Any]:
    return [a for a in ax.get_children() if isinstance(a, matplotlib.legend.Legend)]


def test_steps_along_one_edge_lie_apart_and_show_their_direction(street: warpath.Graphs) -> None:
    ax = warpath.plot.path(street, entry(["a", "b", "a", "b", "c"]), {"x": ["a", "b", "c"]})
    line = found(ax, "reference").get_xydata()
    heights = [line[k, 1] for k in (0, 2, 4)] + [found(ax, "query x").get_xydata()[0, 1]]
    gaps = np.diff(sorted(heights))
    assert (gaps > 0).all() and np.allclose(gaps, gaps[0])  # four lanes between a and b
    assert sum(heights) == pytest.approx(0)
    there, back = line[1] - line[0], line[3] - line[2]
    assert there[0] == pytest.approx(2) and back[0] == pytest.approx(-2)
    heads = [path.vertices for path in found(ax, "reference: arrows").get_paths()]
    tips = [head[0] - head[1:3].mean(0) for head in heads]
    assert {float(np.sign(tip[0])) for tip in tips} == {1.0, -1.0}
    alone = warpath.plot.path(street, entry(["a", "b"]))
    assert found(alone, "reference").get_xydata()[:, 1].tolist() == [0, 0]
    (head,) = (path.vertices for path in found(alone, "reference: arrows").get_paths())
    assert head[0, 0] > head[1:3, 0].max()  # from a to b, which lies in the direction of x


def test_the_circle_of_the_threshold_is_around_the_goal(street: warpath.Graphs) -> None:
    for expected, options in ((3.0, {}), (1.5, {"threshold": 1.5})):
        ax = warpath.plot.path(street, entry(["a", "c"]), **options)
        circles = [a for a in ax.get_children() if a.get_gid() == "threshold"]
        assert [(c.center, c.radius) for c in circles] == [((4.0, 0.0), expected)] * 2
        assert found(ax, "goal").get_xydata().tolist() == [[4, 0]]
        left, right = ax.get_xlim()
        assert left <= 0 and right >= 4 + expected


def test_steps_that_are_no_edges_are_dotted(street: warpath.Graphs) -> None:
    ax = warpath.plot.path(street, entry(["a", "b"]), {"x": ["a", "d", "c", "nowhere", "b"]})
    dotted = found(ax, "query x: steps that are no edges")
    ends = dotted.get_xydata()
    assert dotted.get_linestyle() == ":"
    assert ends[~np.isnan(ends[:, 0])].tolist() == [[0, 0], [5, 0]]
    labels = [text.get_text() for legend in legends(ax) for text in legend.get_texts()]
    assert "x, 1 unknown viewpoint" in labels


def house(floors: int) -> warpath.Graphs:
    """Returns a house with four viewpoints on each floor, 2.9 m apart, and one on each stair."""
    names, positions, edges = [], [], []
    for floor in range(floors):
        for k, (x, y) in enumerate([(0, 0), (2, 0), (2, 2), (0, 2)]):
            names.append(f"{floor}{'abcd'[k]}")
            positions.append((x, y, 2.9 * floor + 0.1 * k))
            edges.append((5 * floor + k, 5 * floor + (k + 1) % 4))
        names.append(f"{floor}s")
        positions.append((1, 1, 2.9 * floor + 1.4))
        edges.append((5 * floor, 5 * floor + 4))
        if floor + 1 < floors:
            edges.append((5 * floor + 4, 5 * floor + 5))
    return warpath.Graphs({"house": warpath.Graph(names, edges, positions)})


@pytest.mark.parametrize("floors", [1, 2, 5])
def test_a_building_is_drawn_floor_by_floor(floors: int) -> None:
    graphs = house(floors)
    assert len(floor_levels(graphs.positions("house")[:, 2])) == floors
    path = [f"{floor}{v}" for floor in range(floors) for v in ("a", "s")][:-1]
    query = [path[0], "0b", *path]
    item = entry(path, "house")
    axes = warpath.plot.floors(graphs, item, {"x": query}, alignment=True)
    assert len(axes) == floors
    titles = [f"floor {k + 1} of {floors}" for k in range(floors)] if floors > 1 else [""]
    assert [ax.get_title() for ax in axes] == titles
    for floor, ax in enumerate(axes):
        assert len(found(ax, "viewpoints").get_offsets()) in (4, 5)
        stars = found(ax, "goal").get_xydata()
        assert len(stars) == (floor == floors - 1)
    ends, distances = links(axes, "x")
    pair = {"id": "0", "scan": "house", "reference": path, "prediction": query}
    if floors > 1:  # an evaluation of references of one viewpoint is refused
        same = warpath.evaluate_pairs([pair], graphs)
        assert len(ends) == len(same.explain_items("0")[0].warping)
        assert distances.sum() == pytest.approx(same.per_item["DTW"][0])
    whole = warpath.plot.path(graphs, item, {"x": query})
    assert len(whole.figure.axes) == floors
    with plt.rc_context():
        _, ax = plt.subplots()
        assert warpath.plot.path(graphs, item, {"x": query}, ax=ax) is ax
    one = warpath.plot.path(graphs, item, floor=floors)
    assert len(one.figure.axes) == 1 and len(found(one, "goal").get_xydata()) == 1
    with pytest.raises(warpath.UsageError, match=f"no floor {floors + 1}; they are numbered 1"):
        warpath.plot.path(graphs, item, floor=floors + 1)


def test_stairs_are_no_floor() -> None:
    stairs = np.linspace(0, 3, 12)
    heights = np.concatenate([np.zeros(80) + 0.1, stairs, np.full(60, 3.0)])
    assert floor_levels(heights).round().tolist() == [0, 3]
    assert floor_levels([]).tolist() == [0] and floor_levels([1.5]).tolist() == [1.5]


def test_a_floor_plan_lies_where_it_is_said_to(street: warpath.Graphs) -> None:
    image = np.zeros((40, 20))
    plan = warpath.plot.FloorPlan(image, 0.25, (-1, -2))
    ax = warpath.plot.path(street, entry(["a", "b"]), floor_plan=plan)
    assert ax.images[0].get_extent() == [-1, 4, -2, 8]
    assert ax.images[0].origin == "upper"


def test_a_continuous_path_has_its_links(street: warpath.Graphs) -> None:
    reference = [[0, 1.0, 0], [1, 1.0, -1], [2, 1.0, -1]]  # y is up, and the front is -z
    query = [[0, 1.0, 0], [1, 1.0, 0.5], [2, 1.0, -2]]
    episode = {"episode_id": 3, "reference_path": reference}
    ax = warpath.plot.path(None, episode, {"x": query}, alignment=True)
    ends, distances = links([ax], "x")
    assert ends[-1].tolist() == [[2, 1], [2, 2]] and distances.tolist() == [0, 1.5, 1]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    assert lengths == pytest.approx(distances)
    full = {**episode, "scene_id": "s", "start_position": reference[0],
            "goals": [{"position": reference[-1]}], "info": {"geodesic_distance": 3}}  # fmt: skip
    result = warpath.evaluate({"3": query}, {"episodes": [full]}, names=["x"])
    again = warpath.plot.path(None, result.explain_items("3"), alignment=True)
    assert np.array_equal(links([again], "x")[0], ends)
    assert distances.sum() == pytest.approx(result.per_item["DTW"][0])


def test_degenerate_paths_are_drawn(street: warpath.Graphs, tmp_path: pathlib.Path) -> None:
    paths: dict[str, Any] = {
        "stands": ["a"],
        "400": ["a", "b"] * 200,
        "empty": [],
        "steps": [["a", 0.5, 0.0], ["b", 0.1, 0.0]],
        "_begins with _": ["a", "c"],
        "日本 عربى $x_1$ \\bad$": ["a", "a", "a"],
    }
    for reference in (["a"], ["a", "b", "a"], ["a", "b", "c", "d"]):
        ax = warpath.plot.path(street, entry(reference), paths, alignment=True)
        warpath.plot.save(ax, tmp_path / "x.svg")
        drawn = (tmp_path / "x.svg").read_text()
        assert "日本 عربى $x_1$ \\bad$" in drawn and "_begins with _" in drawn
        assert "empty, no path" in drawn
    with pytest.raises(warpath.InputError, match="has the keys scan"):
        warpath.plot.path(street, {"scan": "street"})
    matrix = warpath.Graphs({"m": np.array([[0, 3.0], [3.0, 0]])})
    with pytest.raises(warpath.InputError, match="has no positions"):
        warpath.plot.path(matrix, entry(["0", "1"], "m"))


def test_an_item_without_paths_is_refused(street: warpath.Graphs) -> None:
    dataset = [{**entry(["a", "b"]), "path_id": 1, "heading": 0, "instructions": ["", ""]}]
    result = warpath.evaluate({"1_0": ["a"], "1_1": []}, dataset, street, invalid="skip")
    item = result.explain_items("1_1")
    for draw in (lambda: warpath.plot.path(street, item), lambda: warpath.plot.alignment(item[0])):
        with pytest.raises(warpath.InputError, match="1_1: has .*status empty_path"):
            draw()
    with pytest.raises(warpath.UsageError, match="give no others"):
        warpath.plot.path(street, result.explain_items("1_0"), {"x": ["a"]})


def test_the_matrix_has_the_distances_the_warping_and_the_minima(maze: Any) -> None:
    _, items = items_of(maze, 6)
    for item in items:
        ax = warpath.plot.alignment(item)
        assert np.array_equal(np.asarray(ax.images[0].get_array()), item.distances)
        assert np.array_equal(found(ax, "warping").get_xydata(), item.warping[:, ::-1])
        by_label = {line.get_label(): line.get_xydata() for line in ax.lines}
        rows, columns = by_label["nearest q (PC)"], by_label["nearest r (AD)"]
        assert rows[:, 0].tolist() == item.distances.argmin(1).tolist()
        assert columns[:, 1].tolist() == item.distances.argmin(0).tolist()
        assert f"DTW {item.metrics['DTW']:.3g}" in ax.get_title()
        assert f"nDTW {item.metrics['nDTW']:.3g}" in ax.get_title()


def test_settings_of_matplotlib_stay_and_text_is_text(
    street: warpath.Graphs, tmp_path: pathlib.Path
) -> None:
    before = dict(matplotlib.rcParams)
    ax = warpath.plot.path(street, entry(["a", "b"]), {"my agent": ["a"]})
    for name in ("x.svg", "x.pdf", "y.svg"):
        warpath.plot.save(ax, tmp_path / name)
    assert dict(matplotlib.rcParams) == before
    drawn = (tmp_path / "x.svg").read_bytes()
    assert b">my agent</text>" in drawn and drawn == (tmp_path / "y.svg").read_bytes()
    assert b"/FontFile2" in (tmp_path / "x.pdf").read_bytes()  # TrueType, as type 42 is
    with pytest.raises(warpath.UsageError, match="no picture ends in .doc"):
        warpath.plot.save(ax, tmp_path / "x.doc")


def test_flights_are_drawn_with_z_up(tmp_path: pathlib.Path) -> None:
    result = warpath.evaluate(*made_flights.citynav(tmp_path), preset="citynav")
    (item,) = result.explain_items(["('cambridge_block_3', 12, 0)"])
    scene = make_scene(
        None, item, None, is_scored=False, threshold=None, preset="citynav", settings={}
    )
    assert item.is_z_up and scene.reference.points.tolist() == made_flights.REFERENCE
    _, dataset = made_flights.aerialvln(tmp_path)
    entry = json.loads(dataset.read_text())["episodes"][0]
    with pytest.raises(warpath.InputError, match="f1: reference_path: has poses.*explain_items"):
        warpath.plot.path(None, entry, {"x": made_flights.FLOWN})

"""Draws every picture that warpath has, from made-up data: python gallery.py [FOLDER] [svg|pdf|png]

The agents and their building are the demo's, which is the synthetic study of the nDTW paper
(Ilharco et al. 2019). A house of two floors and a continuous path are made here.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import warpath
import warpath.plot
from matplotlib.axes import Axes
from warpath.results import Evaluation, ExplainedItem

AGENTS = ("follower", "shortest", "noisy", "random", "stop")
THRESHOLD = 1.4178781489211116  # metres; the demo's viewpoints lie about 1.2 m apart


def main(folder: pathlib.Path, ending: str) -> None:
    for name, ax in draw_all(folder).items():
        file = folder / f"{name}.{ending}"
        warpath.plot.save(ax, file)
        print(file)


def draw_all(folder: pathlib.Path) -> dict[str, Axes]:
    """Returns every picture by its name. The demo's files go into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    demo = folder / "demo"
    command = [sys.executable, "-m", "warpath", "demo", "--out", str(demo)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    graphs = warpath.Graphs(demo / "graphs")
    dataset = demo / "dataset.json"
    predictions = [demo / f"{agent}.json" for agent in AGENTS]
    result = warpath.evaluate(predictions, dataset, graphs, threshold=THRESHOLD)
    with plt.rc_context({"figure.max_open_warning": 0}):
        return {
            **dict(pictures_of_items(graphs, result)),
            **dict(pictures_of_scores(result)),
            **dict(pictures_of_data(graphs, dataset, result)),
            **dict(pictures_of_places()),
            **dict(pictures_of_studies(folder)),
        }


def pictures_of_items(
    graphs: warpath.Graphs, result: Evaluation
) -> Iterator[tuple[str, Axes]]:
    """Shows items of the demo, as Figures 1 to 3 of the nDTW paper do."""
    items = result.explain_items("1_0")
    of_agent = {item.agent: item for item in items}
    yield "path", warpath.plot.path(graphs, of_agent["noisy"], alignment=True)
    chosen = [of_agent[agent] for agent in ("noisy", "shortest", "random")]
    yield "paths", warpath.plot.path(graphs, chosen)
    yield "alignment", warpath.plot.alignment(of_agent["noisy"])
    short = {item.agent: item for item in result.explain_items(short_item(result))}
    yield "alignment_short", warpath.plot.alignment(short["noisy"])
    yield "agents_on_paths", agents_on_paths(graphs, items)


def short_item(result: Evaluation) -> str:
    """Returns the first item of six viewpoints whose noisy query differs from the reference."""
    items = result["noisy"].per_item
    fits = (items["n_ref"] == 6) & (items["DTW"] > 0) & (items["n_query"] <= 9)
    return str(items["instr_id"][np.flatnonzero(fits)[0]])


def agents_on_paths(graphs: warpath.Graphs, items: list[ExplainedItem]) -> Axes:
    """Draws four agents beside each other, each with its warping and its scores."""
    with warpath.plot.style():
        figure, axes = plt.subplots(2, 2, figsize=(3.3, 2.9), layout="constrained")
        for ax, item in zip(axes.flat, [items[k] for k in (0, 2, 1, 3)]):
            warpath.plot.path(graphs, item, alignment=True, legend=False, margin=0.5, ax=ax)
            scores = ", ".join(f"{m} {item.metrics[m]:.2f}" for m in ("SPL", "nDTW"))
            ax.set_title(f"{item.agent}\n{scores}", fontsize=7)
    first: Axes = figure.axes[0]
    return first


def pictures_of_scores(result: Evaluation) -> Iterator[tuple[str, Axes]]:
    """Shows means and distributions of the demo's agents."""
    yield "agents", warpath.plot.agents(result, "SR,SPL,SED,CLS,nDTW,SDTW")
    yield "agents_error", warpath.plot.agents(result, "NE")
    yield "by_length", warpath.plot.by_length(result, "nDTW")
    yield "histogram", warpath.plot.distribution(result, "nDTW")
    yield "ecdf", warpath.plot.distribution(result, "nDTW", kind="ecdf")
    yield "metric_matrix", warpath.plot.metric_matrix(result["noisy"])


def pictures_of_data(
    graphs: warpath.Graphs, dataset: pathlib.Path, result: Evaluation
) -> Iterator[tuple[str, Axes]]:
    """Shows random walks, and R4R made of the demo's paths as Figure 3 of the CLS paper does."""
    walks = warpath.random_baseline(dataset, graphs, 20_000, threshold=THRESHOLD)
    yield "baseline", warpath.plot.baseline(walks, "nDTW", results=result)
    yield "baseline_error", warpath.plot.baseline(walks, "NE")
    r4r = warpath.make_r4r(dataset, graphs, threshold_m=THRESHOLD)
    datasets: dict[str, Any] = {"R2R": dataset, "R4R": r4r.entries}
    yield "lengths", warpath.plot.lengths(datasets, graphs)
    yield "distances_to_goal", warpath.plot.lengths(datasets, graphs, "SP")


def pictures_of_places() -> Iterator[tuple[str, Axes]]:
    """Shows two floors with their plan, and a continuous path."""
    house, plan = make_house()
    entry = {"scan": "house", "path": ["hall", "kitchen", "stairs", "landing", "study"]}
    query = ["hall", "kitchen", "hall", "stairs", "landing", "bath"]
    plans = [plan, plan]
    floors = warpath.plot.floors(house, entry, {"agent": query}, alignment=True, floor_plans=plans)
    yield "floors", floors[0]
    draw = np.random.default_rng(4)
    time = np.linspace(0, 1, 40)
    path = np.stack([8 * time, 0 * time, 3 * np.sin(5 * time)], 1)  # y is up, as in VLN-CE
    noise = np.cumsum(draw.normal(0, 0.12, (40, 3)), 0) * [1, 0, 1]
    episode: dict[str, Any] = {"episode_id": 7, "reference_path": path.tolist()}
    agent = (path + noise - noise[0]).tolist()
    yield "continuous", warpath.plot.path(None, episode, {"agent": agent}, alignment=True)


def pictures_of_studies(folder: pathlib.Path) -> Iterator[tuple[str, Axes]]:
    """Shows a set as raters see it and pairs by nDTW, as Figures 3 and 2 of the nDTW paper do, and
    systems, as Figure 3 of Zhao et al. 2021."""
    study = warpath.study.make(folder / "study", sets="UC=40,SC=20", sheets="none", force=True)
    yield "comparison_set", warpath.plot.comparison_set(study, "uc003")[0]
    yield "sorted_pairs", warpath.plot.sorted_pairs(study, "nDTW", count=12)[0]
    draw = np.random.default_rng(1)
    attempts = [
        {"system": f"speaker {s + 1}", "instruction": k, "SPICE": 18 + s + 9 * score,
         "SR": int(score + 0.3 * s + noise > 1)}
        for s in range(6)
        for k, (score, noise) in enumerate(draw.normal(size=(60, 2)))
    ]  # fmt: skip
    found = warpath.correlate(attempts, score="SPICE", outcome="SR", draws=100)
    yield "systems", warpath.plot.systems(found, "SPICE", "SR")


def make_house() -> tuple[warpath.Graphs, warpath.plot.FloorPlan]:
    """Returns a house of two floors, and the image of its walls."""
    places = {
        "hall": (1, 1, 0),
        "kitchen": (3.2, 1, 0),
        "living": (3.2, 3.2, 0),
        "stairs": (1, 3, 0),
        "landing": (1, 3.6, 2.8),
        "bath": (3.2, 3.2, 2.8),
        "study": (1, 1, 2.8),
        "bedroom": (3.2, 1, 2.8),
    }
    edges = [
        *[("hall", "kitchen"), ("kitchen", "living"), ("hall", "stairs"), ("living", "stairs")],
        *[("kitchen", "stairs"), ("stairs", "landing"), ("landing", "bath"), ("landing", "study")],
        *[("study", "bedroom"), ("bath", "bedroom")],
    ]
    number = {name: k for k, name in enumerate(places)}
    graph = warpath.Graph(
        list(places), [(number[a], number[b]) for a, b in edges], list(places.values())
    )
    image = np.full((100, 90), 255, np.uint8)  # 5 cm per pixel
    for wall in (slice(0, 2), slice(-2, None)):
        image[wall] = image[:, wall] = 90
    image[48:50, :12] = image[48:50, 32:58] = image[48:50, 74:] = 90
    image[:20, 44:46] = image[36:70, 44:46] = image[88:, 44:46] = 90
    return warpath.Graphs({"house": graph}), warpath.plot.FloorPlan(image, 0.05, (0, 0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw every picture that warpath has.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default="gallery")
    parser.add_argument("ending", nargs="?", choices=("svg", "pdf", "png"), default="svg")
    chosen = parser.parse_args()
    main(chosen.folder, chosen.ending)

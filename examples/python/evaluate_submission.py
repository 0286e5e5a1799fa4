#!/usr/bin/env python3
"""Evaluates prediction files: means with intervals, groups, single items, files for a paper.

    evaluate_submission.py GRAPHS DATASET PREDICTIONS...
    evaluate_submission.py                  on synthetic files, which it makes in warpath-demo

Success is an error below the threshold: 3 m in Matterport3D, 1.418 m in the synthetic files.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import TypeAlias

import numpy as np
import warpath
from warpath.results import Evaluation

PathLike: TypeAlias = "str | pathlib.Path"


def evaluate(
    graphs: PathLike, dataset: PathLike, agents: list[PathLike], threshold: float
) -> Evaluation:
    """Evaluates agents with the numbers of R2R's evaluator."""
    return warpath.evaluate(
        agents, dataset, graphs, preset="r2r", metrics="NE,SR,SPL,CLS,nDTW,SDTW",
        threshold=threshold,
        missing="zero", invalid="zero",  # count as failures; "error", the default, refuses the file
    )  # fmt: skip


def show(result: Evaluation, folder: pathlib.Path) -> None:
    print(result)  # the table of the command `warpath eval`

    agent = result.agents[0]
    spl = agent.summary["SPL"]
    print(f"\nSPL of {agent.name}: mean {spl.mean}, 95 % interval {spl.ci95}, over {spl.n} items")

    print("\nnDTW by the length of the reference")
    for length, group in agent.by("length").items():
        print(f"  {length:8} {group['nDTW'].mean:.4f} over {group['nDTW'].n} items")

    items = agent.per_item  # NumPy columns; items.to_pandas() is a DataFrame
    worst = items["instr_id"][np.nanargmin(items["nDTW"])]  # NaN is "no value"
    print(
        f"\nThe item with the least nDTW is {worst}; explained.txt shows every term of its scores"
    )
    (folder / "explained.txt").write_text(result.explain(worst))
    result.to_csv(folder / "items.csv")
    result.to_latex(folder / "table.tex", percent=True)
    print(f"Written to {folder}: explained.txt, items.csv, table.tex")


def main() -> None:
    if len(sys.argv) > 3:
        graphs, dataset, *agents = sys.argv[1:]
        show(evaluate(graphs, dataset, [*agents], threshold=3.0), pathlib.Path.cwd())
        return
    demo = pathlib.Path("warpath-demo")
    command = [sys.executable, "-m", "warpath", "demo", "--out", str(demo)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    files: list[PathLike] = [demo / "noisy.json", demo / "shortest.json"]
    show(evaluate(demo / "graphs", demo / "dataset.json", files, threshold=1.418), demo)


if __name__ == "__main__":
    main()

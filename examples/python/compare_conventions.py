#!/usr/bin/env python3
"""Scores the same paths as each public evaluator would, and says which settings make the numbers
differ.

    compare_conventions.py GRAPHS DATASET PREDICTIONS
    compare_conventions.py                  on synthetic files, which the package makes
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

import warpath

METRICS = ["SR", "SPL", "SED", "CLS", "nDTW", "SDTW"]


def compare(files: list[str], threshold: float) -> None:
    graphs, dataset, predictions = files
    stored = warpath.Graphs(graphs)  # the graphs are read once
    rows = {}
    for preset in warpath.presets:
        try:
            # The same choice for all, so that every mean is over the same items.
            result = warpath.evaluate(
                predictions, dataset, stored, preset=preset, metrics=METRICS,
                threshold=threshold, missing="zero", invalid="zero", repeats="collapse",
            )  # fmt: skip
        except warpath.UsageError:
            continue  # of another task: it asks for more than these items have
        rows[preset] = [result.summary[metric].mean for metric in METRICS]

    print(f"{'preset':10}", *(f"{metric:>7}" for metric in METRICS))
    for preset, means in rows.items():
        print(f"{preset:10}", *("      –" if mean is None else f"{mean:7.4f}" for mean in means))

    print("\nSettings that differ from those of the preset paper:")
    paper = warpath.presets["paper"].settings
    for preset in rows:
        settings = warpath.presets[preset].settings
        changes = [f"{name}={value}" for name, value in settings.items() if paper[name] != value]
        print(f"{preset:10} {', '.join(changes) or 'none'}")


def main() -> None:
    if len(sys.argv) == 4:
        compare(sys.argv[1:], threshold=3.0)
        return
    with tempfile.TemporaryDirectory() as folder:
        demo = pathlib.Path(folder) / "demo"
        command = [sys.executable, "-m", "warpath", "demo", "--out", str(demo)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        files = [str(demo / name) for name in ("graphs", "dataset.json", "noisy.json")]
        compare(files, threshold=1.418)


if __name__ == "__main__":
    main()

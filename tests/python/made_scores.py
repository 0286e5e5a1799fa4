"""Scores of instructions and attempts at them that tests and docs/studies.md make up."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

Row = dict[str, Any]


def made_scores(
    seed: int = 0, systems: int = 6, instructions: int = 40
) -> tuple[list[Row], list[Row]]:
    """Returns attempts, three of each instruction, and scores, with ties among both."""
    draw = np.random.default_rng(seed)
    attempts, scores = [], []
    for s, k in itertools.product(range(systems), range(instructions)):
        keys = {"system": f"s{s}", "instruction": str(k)}
        good = draw.normal() + 0.4 * s
        spice = round(good + draw.normal(), 1)
        scores.append({**keys, "SPICE": spice, "BLEU": round(draw.normal(), 3)})
        for _ in range(3):
            error = round(max(0.0, 3 - good + draw.normal()), 3)
            attempts.append({**keys, "NE": error, "SR": int(error < 3), "quality": 3})
    return attempts, scores

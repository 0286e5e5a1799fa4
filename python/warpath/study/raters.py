"""Made-up raters, to check the procedure before people are asked."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING, Any

from ..arguments import number, real
from ..errors import UsageError
from ..files import write_whole
from .ratings import SIMULATED
from .sets import Study, StudyLike, study_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["simulate"]

_points = 32


def simulate(
    study: StudyLike,
    *,
    raters: int = 9,
    per_set: int = 1,
    noise: float = 0.35,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
) -> list[dict[str, Any]]:
    """Makes up rankings of all sets. They use no metric: a rater's cost of a query is the mean
    distance between both curves, resampled at 32 points by length as the crow flies, plus the
    rater's taste (uniform in 0 … 1) times the distance of the ends, plus Gumbel noise.

    Args:
        raters: how many; they are called ``simulated-1``, …, and every table that is made of them
            says so.
        per_set: how many of them rank a set; sets are dealt out in turn.
        noise: scale of the noise, metres.
        seed: of tastes and noise.
        out: a file to write, ``rater,set,query,rank``.

    Returns:
        The rows of the file, as dicts; ``score`` takes them.

    Raises:
        InputError: a scan has no positions. UsageError: an argument is out of range.
    """
    import numpy as np

    found = study_of(study)
    if number("per_set", per_set, 1) > number("raters", raters, 1, 10**6):
        raise UsageError(f"{per_set} raters of a set are more than the {raters} raters")
    if not 0 <= real("noise", noise) < float("inf"):
        raise UsageError(f"a noise of {noise:g} m; choose 0 or more")
    random = np.random.default_rng(number("seed", seed, 0, 2**64 - 1))
    tastes = random.uniform(0.0, 1.0, raters)
    rows = list[dict[str, Any]]()
    turn = 0
    for name, distances, ends in _measured(found):
        letters = list(found.sets[name].queries)
        for _ in range(per_set):
            rater = turn % raters
            turn += 1
            drawn = random.gumbel(size=len(letters))
            with np.errstate(over="ignore"):
                cost = distances + tastes[rater] * ends + float(noise) * drawn
            if not np.isfinite(cost).all():
                raise UsageError(f"a noise of {noise:g} m is too large")
            order = np.argsort(cost, kind="stable")
            rank = {letters[k]: place + 1 for place, k in enumerate(order.tolist())}
            who = f"{SIMULATED}{rater + 1}"
            rows += [{"rater": who, "set": name, "query": q, "rank": rank[q]} for q in letters]
    if out is not None:
        write_whole(out, _csv_of(rows))
    return rows


def _measured(
    study: Study,
) -> list[tuple[str, npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
    """Returns of each set the mean distance of curves and the distance of ends, by query."""
    import numpy as np

    measured = []
    for name, one in study.sets.items():
        reference = _resampled(study.points(one.scan, one.reference))
        curves = [_resampled(study.points(one.scan, query)) for query in one.queries.values()]
        between = np.linalg.norm(np.array(curves) - reference, axis=2)
        measured.append((name, between.mean(1), between[:, -1]))
    return measured


def _resampled(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns 32 points of a curve, at equal lengths from each other."""
    import numpy as np

    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0.0, along[-1], _points)
    return np.stack([np.interp(wanted, along, axis) for axis in points.T], 1)


def _csv_of(rows: list[dict[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()

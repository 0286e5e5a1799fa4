"""Pictures of a study with people: sets as raters see them, pairs sorted by a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from ..arguments import find_name, number
from ..errors import InputError, UsageError, Where
from ..tables import metrics as metric_table
from .set_panels import Panel, limits_of
from .style import COLUMN_WIDTH, style

if TYPE_CHECKING:
    from ..study import StudyLike

__all__ = ["comparison_set", "sorted_pairs"]

_columns = 6
"""Panels beside each other, over two columns of a paper."""


def comparison_set(study: StudyLike, name: str) -> list[Axes]:
    """Draws a set as raters see it, as Figure 3 of Ilharco et al. 2019: the reference in blue, each
    query in orange, all on the same part of the graph. Circles are starts, squares are ends.

    Args:
        study: what ``warpath.study.read`` returns, or its folder.
        name: of the set, such as ``sc012``.

    Returns:
        The Axes of each query, on a new figure as wide as two columns of a paper.

    Raises:
        InputError: the study has no such set, or its graph no positions.
    """
    from ..study.sets import study_of

    found = study_of(study)
    try:
        one = found.sets[find_name(found.sets, name, "set")]
    except KeyError:
        some = ", ".join(list(found.sets)[:3])
        raise InputError.at(
            Where("set", str(name)), "is not in the study", f"name one of its sets: {some}, …"
        ) from None
    axes = _row_of_panels(len(one.queries))
    limits = limits_of(found, one.scan, [one.reference, *one.queries.values()], 1.0)
    for ax, (letter, query) in zip(axes, one.queries.items()):
        with style():
            Panel(ax, _scale(ax)).show(found, one.scan, one.reference, query, limits)
            ax.set_title(letter, pad=3)
    return axes


def sorted_pairs(study: StudyLike, metric: str, count: int = 12) -> list[Axes]:
    """Draws pairs sorted by a metric, with the value above each, as Figure 2 of Ilharco et al.
    2019: from the worst to the best, at equal steps of rank.

    Args:
        study: what ``warpath.study.read`` returns, or its folder.
        metric: a name in ``warpath.metrics``.
        count: how many pairs.

    Returns:
        The Axes of each pair, on a new figure as wide as two columns of a paper.

    Raises:
        InputError: a pair cannot be scored. UsageError: there is no such metric.
    """
    from ..study.sets import id_parts, metrics_of, study_of

    found = study_of(study)
    wanted = number("count", count, 1, 200)
    names = metrics_of(metric)
    if len(names) != 1:
        raise UsageError("name one metric")
    values = found.values(names)[names[0]]
    known = np.flatnonzero(~np.isnan(values))
    sign = -1 if metric_table[names[0]].better == "lower" else 1
    order = known[np.argsort(sign * values[known], kind="stable")]
    if not len(order):
        raise InputError.at(Where("pairs", field=names[0]), "has no value", "choose another metric")
    steps = np.linspace(0, len(order) - 1, min(wanted, len(order))).round().astype(int)
    ids = found.ids
    axes = _row_of_panels(len(steps))
    for ax, k in zip(axes, order[steps].tolist()):
        name, letter = id_parts(ids[k]) or ("", "")
        one = found.sets[name]
        query = one.queries[letter]
        limits = limits_of(found, one.scan, [one.reference, query], 1.0)
        with style():
            Panel(ax, _scale(ax)).show(found, one.scan, one.reference, query, limits)
            ax.set_title(f"{values[k]:.2f}", pad=3)
    return axes


def _row_of_panels(count: int) -> list[Axes]:
    """Returns square Axes beside each other, in rows of equal length."""
    rows = -(-count // _columns)
    columns = -(-count // rows)
    width = 2 * COLUMN_WIDTH + 0.3
    with style():
        figure = plt.figure(figsize=(width, rows * (width / max(columns, 3) + 0.12)), layout="none")
        grid = figure.subplots(
            rows,
            columns,
            squeeze=False,
            gridspec_kw={
                "left": 0.01, "right": 0.99, "bottom": 0.02,
                "top": 1 - 0.2 / figure.get_figheight(), "wspace": 0.06, "hspace": 0.16,
            },
        )  # fmt: skip
    axes = list(grid.flat)
    for extra in axes[count:]:
        extra.remove()
    return axes[:count]


def _scale(ax: Axes) -> float:
    """Returns the size of lines that suits the width of Axes; see ``Panel``."""
    figure = ax.get_figure()
    assert figure is not None
    width = float(figure.get_size_inches()[0] * ax.get_position().width)
    return min(max(width / 2.6, 0.35), 1.0)

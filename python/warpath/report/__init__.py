"""A report that one can open: a single HTML file with scores, items, and their paths in 3-D.

    >>> warpath.report.write("results.json", "report.html")

It needs plotly (``pip install plotly``) to write the file, and no network to open it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import cast

from ..files import write_whole
from ..graphs import GraphsLike
from ..result_files import Results
from ..results import Evaluation
from .output import check_place
from .page import beginning, html_page
from .payload import build
from .sources import Inputs, ResultLike, graphs_of, load

__all__ = ["write"]


def write(
    results: ResultLike | Sequence[ResultLike],
    path: str | os.PathLike[str],
    *,
    graphs: GraphsLike | None = None,
    dataset: str | os.PathLike[str] = "",
    predictions: Sequence[str | os.PathLike[str]] = (),
    title: str = "",
    metric: str = "",
    details: int = 3000,
    paths: bool = True,
    run_info: bool = True,
    force: bool = False,
) -> list[str]:
    """Writes a report of agents over the same items.

    A result file has no paths. They come from the inputs that it names, which are scored again and
    must have the hashes, and give the means, that the file says. If these inputs are not there, the
    report is without paths and says so.

    Args:
        results: a file that ``warpath eval --json`` wrote, what ``warpath.evaluate`` returned, or a
            list of these, of the same dataset and convention.
        path: of the HTML file.
        graphs: buildings, in place of those that result files name. Of results in memory, whose
            graphs are in memory, too, the buildings are drawn only if they are given here.
        dataset: file in place of the one that result files name.
        predictions: files in place of those that result files name, one for each agent.
        title: of the page; empty for the name of the dataset.
        metric: by which items are the worst and the most disputed; empty for nDTW, or else the
            first of SPL, SR, DTW, NE, GP that there is.
        details: most items with paths and alignment: the worst and the most disputed half each; 0
            for all items.
        paths: False for a report of scores alone, which reads no inputs.
        run_info: whether the command lines of the results are in the report.
        force: whether a file that is no report of warpath may be replaced.

    Returns:
        What is not in the report that a reader may look for, in sentences.

    Raises:
        InputError: results cannot be read or are not of the same items, or ``path`` cannot be
            written; an earlier file is then as it was.
        UsageError: plotly is missing, ``path`` is a file of something else, or there is no such
            metric.
    """
    place = os.fspath(path)
    check_place(place, beginning, force)
    is_one = isinstance(results, (str, os.PathLike, Results, Evaluation))
    listed = [results] if is_one else list(cast("Sequence[ResultLike]", results))
    inputs = Inputs(
        graphs, os.fspath(dataset), [os.fspath(file) for file in predictions], paths=paths
    )
    scored = load(cast("list[ResultLike]", listed), inputs)
    buildings = graphs_of(scored[0].results, inputs)
    meta, data = build(
        scored, buildings, title=title, rank=metric, details=details, run_info=run_info
    )
    write_whole(place, html_page(meta, data))
    return cast("list[str]", meta["limits"])

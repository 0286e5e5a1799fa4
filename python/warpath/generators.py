"""Random agents and made data: the commands ``random``, ``r4r`` and ``perturb`` as functions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from . import _core
from ._core import BatchStatistics
from .arguments import Setting, command_line, count_of, metric_names, number, real, setting_texts, text
from .graphs import Graphs, GraphsLike
from .inputs import DatasetLike, Texts
from .progress import Progress, reporting
from .results import Report, Summary

__all__ = [
    "Perturbed",
    "R4r",
    "RandomBaseline",
    "make_r4r",
    "perturb",
    "perturb_path",
    "random_baseline",
]


class RandomBaseline(Report):
    """Holds the scores of random walks. ``str`` is what the command ``warpath random`` prints.

    Attributes:
        summary: metric -> ``Estimate``; intervals are those of the sampling of the walks.
        statistics: the exact sums behind it, with range and histogram of each metric.
    """

    def __init__(self, report: _core.WalkReport) -> None:
        super().__init__(report)
        self._report = report
        self.summary = Summary(report.summary())
        self.statistics: BatchStatistics = report.statistics

    @property
    def signature(self) -> str:
        """Where the numbers come from, in one line: preset, settings that differ from it, data and
        graphs (the first digits of their hashes), walks, seed, and version."""
        return self._report.signature(False)

    @property
    def short_signature(self) -> str:
        """The same with names of one letter, as it stands below a table."""
        return self._report.signature(True)

    def whole(self, statistics: BatchStatistics) -> RandomBaseline:
        """Returns the report of a whole run, if this is one of its shards.

        Args:
            statistics: those of all shards, merged in any order.

        Raises:
            UsageError: they are not of every walk.
        """
        return RandomBaseline(self._report.whole(statistics))

    def __repr__(self) -> str:
        return f"<RandomBaseline: {self.summary!r}>"


def random_baseline(
    dataset: DatasetLike,
    graphs: GraphsLike,
    walks: int | float,
    *,
    seed: int = 1,
    steps: int | None = None,
    steps_from: DatasetLike | None = None,
    sample: str = "cycle",
    shard: str = "",
    preset: str = "paper",
    metrics: str | Iterable[str] | None = None,
    backend: str = "auto",
    threads: int = 0,
    ndh_reference: str = "path",
    progress: Progress = False,
    **settings: Setting,
) -> RandomBaseline:
    """Scores random walks against a dataset's references: the random agents of Jain et al. 2019
    and Ilharco et al. 2019. Same code and same bytes as the command ``warpath random``.

    Args:
        dataset: a file, the list that its JSON holds, or a DataFrame.
        graphs: see ``Graphs``.
        walks: how many, also as ``1e9``; memory does not grow with it.
        seed: number that the walks are drawn from.
        steps: of every walk; None for as many as the edges of a random reference.
        steps_from: dataset whose references' edges are counted instead of those of ``dataset``.
        sample: the reference of walk k: ``cycle`` for number k modulo their number, ``uniform``
            for a random one.
        shard: ``"k/n"`` for the k-th of n parts of the run.
        progress: True for a bar, or a function of the number of walks done.
        others: as in ``evaluate``.

    Raises:
        InputError: a file or item cannot be used.
        UsageError: a name does not exist, or arguments exclude each other.
        KeyboardInterrupt: within some 50 ms of Ctrl-C once pairs are scored.
    """
    texts = Texts()
    files = _core.random_files(
        Graphs(graphs).core,
        texts.add(dataset, "dataset"),
        "" if steps_from is None else texts.add(steps_from, "steps_from"),
        None if steps is None else number("steps", steps, 0, 2**32 - 1),
        text("ndh_reference", ndh_reference),
        texts.by_name,
    )
    names = None if metrics is None else metric_names(metrics)
    count = number("walks", count_of(walks), 0, 2**64 - 1)
    with reporting(progress, count, " walks") as report:
        made = _core.run_walks(
            files,
            count,
            number("seed", seed, 0, 2**64 - 1),
            text("sample", sample),
            text("shard", shard),
            text("preset", preset),
            setting_texts(settings, random_baseline),
            names,
            text("backend", backend),
            number("threads", threads, -(2**31), 2**31 - 1),
            command_line(),
            report,
        )
    return RandomBaseline(made)


class R4r(NamedTuple):
    """Holds an R4R dataset."""

    json: str
    """The annotations, as the original script writes them."""
    report: str
    """What the command prints of it."""
    paths: int
    instructions: int
    notes: list[str]
    """How files were read."""

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The annotations as lists and dicts."""
        entries: list[dict[str, Any]] = json.loads(self.json)
        return entries


def make_r4r(
    dataset: DatasetLike,
    graphs: GraphsLike,
    *,
    threshold_m: float = 3.0,
    compare: str = "le",
    heading_threshold: float | None = None,
) -> R4r:
    """Joins paths of R2R to R4R as google-research's ``r4r_generate_data.py`` does (Jain et al.
    2019).

    Args:
        dataset: annotations of R2R's form: a file, the list in it, or a DataFrame.
        graphs: see ``Graphs``.
        threshold_m: metres from the end of the first path to the start of the second.
        compare: ``le``: at most the threshold, as the script; ``lt``: less, as the paper.
        heading_threshold: radians that the second path's heading may differ from the first path's
            last step; None for any.

    Raises:
        InputError: a file, path or number cannot be used, or nothing is joined.
    """
    texts = Texts()
    name = texts.add(dataset, "dataset")
    store = Graphs(graphs).core
    threshold = real("threshold_m", threshold_m)
    turn = None if heading_threshold is None else real("heading_threshold", heading_threshold)
    made = _core.make_r4r(store, name, texts.by_name, threshold, text("compare", compare), turn)
    return R4r(*made)


class Perturbed(NamedTuple):
    """Holds the perturbed references of a dataset."""

    json: str
    """Predictions in EvalAI's form."""
    perturbed: int
    """Items in it."""
    broken: int
    """Of these, paths with a step that is no edge."""
    without: int
    """Items whose path admits no perturbation; they are left out."""

    @property
    def predictions(self) -> list[dict[str, Any]]:
        """The predictions, as ``evaluate`` takes them."""
        predictions: list[dict[str, Any]] = json.loads(self.json)
        return predictions


def perturb(
    dataset: DatasetLike, graphs: GraphsLike, perturbation: str, *, seed: int = 1
) -> Perturbed:
    """Perturbs the references of a dataset (Zhao et al. 2021, section 4.2), as the command
    ``warpath perturb`` does.

    Args:
        dataset: a file, the list that its JSON holds, or a DataFrame.
        graphs: see ``Graphs``.
        perturbation: ``random-walk``, ``reversal`` or ``viewpoint-swap``.
        seed: number that the perturbations are drawn from, for each item by itself.

    Raises:
        InputError: a reference cannot be used, or no path admits the perturbation.
        UsageError: there is no such perturbation.
    """
    texts = Texts()
    name = texts.add(dataset, "dataset")
    how, drawn = text("perturbation", perturbation), number("seed", seed, 0, 2**64 - 1)
    return Perturbed(*_core.perturb(Graphs(graphs).core, name, texts.by_name, how, drawn))


def perturb_path(
    graphs: GraphsLike,
    scan: str,
    path: Sequence[str] | Sequence[int],
    perturbation: str,
    *,
    seed: int = 1,
    item: int = 0,
) -> list[str] | None:
    """Perturbs one path.

    Args:
        path: ids or numbers of viewpoints.
        item: number of the path's item in its dataset, which the draw depends on.
        others: as in ``perturb``.

    Returns:
        Ids of viewpoints, or None for a path that admits no such perturbation.

    Raises:
        InputError: the scan or a viewpoint does not exist.
    """
    made = _core.perturb_path(
        Graphs(graphs).core,
        text("scan", scan),
        path,
        text("perturbation", perturbation),
        number("seed", seed, 0, 2**64 - 1),
        number("item", item, 0, 2**64 - 1),
    )
    return None if made is None else made[0]

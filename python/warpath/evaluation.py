"""Evaluation of predictions against a dataset: the command ``warpath eval`` as a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from . import _core
from .arguments import (
    Setting,
    command_line,
    flag,
    metric_names,
    number,
    real,
    setting_texts,
    text,
    texts,
    wrong,
)
from .graphs import Graphs, GraphsLike
from .grids import connect_word
from .inputs import DatasetLike, PredictionsLike, Texts, is_path
from .own_metrics import OwnMetric, OwnMetrics
from .progress import Progress, reporting
from .results import Evaluation

TaskSuccess: TypeAlias = "str | os.PathLike[str] | Mapping[str, float]"
"""A file, or a dict from ``instr_id`` to a number in [0, 1]."""

Objects: TypeAlias = "str | os.PathLike[str] | Mapping[str, Mapping[str, Mapping[str, Any]]]"
"""A folder or file of boxes, or a dict from ``<scan>_<viewpoint>`` to a dict from object to a dict
with ``visible_pos``."""
Coordinates: TypeAlias = "str | os.PathLike[str] | Mapping[str, Mapping[str, Sequence[float]]]"
"""A file or folder, or a dict from scan to a dict from viewpoint to [x, y, z] in metres."""
Tours: TypeAlias = "str | os.PathLike[str] | Mapping[str, Mapping[str, Sequence[Sequence[str]]]]"
"""A file, or a dict from split to a dict from scan to lists of ``instr_id``."""
ByEpisode: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A file, or a dict by episode."""
OwnMetricsLike: TypeAlias = "Mapping[str, OwnMetric | Callable[..., Any]]"
"""A dict from names to functions of reference, query and distances."""

__all__ = ["evaluate", "evaluate_pairs"]


ItemT = TypeVar("ItemT")


def evaluate(
    predictions: PredictionsLike,
    dataset: DatasetLike,
    graphs: GraphsLike | None = None,
    *,
    preset: str = "paper",
    metrics: str | Iterable[str] | None = None,
    backend: str = "auto",
    names: str | Sequence[str] = (),
    merge: bool = False,
    also: str | Iterable[str] = (),
    by: str = "none",
    interval: str = "path",
    strict: bool = False,
    task_success: TaskSuccess | Sequence[TaskSuccess] = (),
    ndh_reference: str = "path",
    objects: Objects | None = None,
    coordinates: Coordinates | None = None,
    sub_instructions: bool = False,
    ground_truth: ByEpisode | None = None,
    distances: ByEpisode | Sequence[ByEpisode] = (),
    navmesh: str | os.PathLike[str] | None = None,
    habitat: str = "0.1.7",
    geodesic: str = "goal",
    grid: str | os.PathLike[str] | None = None,
    connect: int | str = 8,
    snap: float = 1.0,
    runs: bool = False,
    tours: Tours | None = None,
    split: str = "",
    own_metrics: OwnMetricsLike | None = None,
    progress: Progress = False,
    **settings: Setting,
) -> Evaluation:
    """Scores predictions against a dataset as the command ``warpath eval`` does: same code, same
    bytes. ``warpath.metrics`` has the formula and the source of each metric; lengths are metres.

    Args:
        predictions: a file, what a file's JSON holds (a list of dicts with ``instr_id`` and
            ``trajectory``, or a dict from ``instr_id`` to trajectory), a DataFrame with the columns
            ``instr_id`` and ``trajectory``, ``path`` or ``viewpoint`` (a row for each viewpoint);
            or a list of these, one for each agent. A list of nothing but dicts is one agent.
        dataset: the annotations: a file, the list in it, or a DataFrame; or VLN-CE's episodes, a
            file or the dict in it. Their predictions are dicts from episode to positions.
        graphs: see ``Graphs``. A ``Graphs`` object keeps what it read for later calls. Episodes
            need none.
        preset: the convention, a name in ``warpath.presets``.
        metrics: names in ``warpath.metrics``, or one text with commas. None for all of them, of
            which the table shows the headline ones.
        backend: ``auto``, ``reference``, ``cpu`` or ``cuda``.
        names: a name for each agent; those of its file if left out.
        merge: all predictions are of one agent, in several files.
        also: presets whose differing metrics are shown, too; "all": every preset that can score
            the files, and which settings make the differences.
        by: adds a table by ``scan``, ``length`` or ``language`` to the reports.
        interval: what the 95 % intervals cluster: ``path``, ``scan``, ``none``, or ``bootstrap``.
        strict: also refuses items whose status is only a note.
        task_success: what SDTW takes in place of SR: a file or a dict from ``instr_id`` to a number
            in [0, 1], one for all agents, or a list with one for each.
        objects: REVERIE's boxes, which say from where a target is visible: the folder of its BBox
            files, VLN-DUET's one file, or the dict in that file.
        ndh_reference: of NDH's items: ``path``, ``planner`` or ``trusted``; with ``all`` every
            agent has a result for each, named ``agent [player]``, ``[planner]``, ``[trusted]``.
        coordinates: positions of viewpoints, metres, that take the place of the graphs': a file or
            folder as ``--coordinates`` takes it, or a dict.
        sub_instructions: the items are the sub-instructions of FGR2R or Landmark-RxR.
        ground_truth: of episodes: dense references, a file or a dict from episode to a dict with
            ``locations``. None: each episode's ``reference_path``.
        distances: of episodes: distances to the goal in metres, a file or a dict from episode to
            one for each position; or a list with one for each agent. None: Euclidean distances.
        navmesh: of episodes: a ``.navmesh`` file of habitat-sim, or a folder that has one for each
            scan, over which distances to the goal go, as habitat-sim's PathFinder measures them.
        habitat: the version of habitat-sim whose distances these are, to the last bit: ``0.1.7``
            (and all up to 0.3.2) or ``0.3.4`` (from 0.3.3 on).
        geodesic: which distances go over the meshes: those to the ``goal``, as in VLN-CE, or
            ``all`` of the metrics.
        grid: of episodes: a grid of free cells, or a folder that has ``<scan>.json`` for each scan.
            Positions stand for their nearest cells, and all distances go over the grid.
        connect: neighbours of a cell of the grid, 4 or 8; or ``"fmm"``: distances by fast marching.
        snap: how far a position may be from its cell's centre, metres.
        runs: predictions whose ``names`` are equal are runs of one agent, such as of several seeds:
            ``names=["Ours", "Ours", "Base"]``. See ``Evaluation.run_groups``.
        tours: of which the items are episodes (IVLN): a file, or a dict from split to a dict from
            scan to lists of ``instr_id``. Adds ``t-nDTW``, ``t-SR``, ``t-SPL`` and ``t-SDTW``, and
            intervals cluster tours. IVLN-CE's ``gt_ndtw.json`` is a dataset that has its tours.
        split: of the tours, where the dataset has items of several splits.
        own_metrics: metrics of your own, behind the others in all reports: a dict from names to
            functions of an item's reference, query and distances, or to ``OwnMetric``.
        progress: True for a bar, or a function of the number of items done.
        **settings: changes of the preset, see ``warpath.settings``: ``missing="zero"``.

    Raises:
        InputError: a file, item or array cannot be used, or an item has no prediction or no value
            and the settings ``missing`` and ``invalid`` refuse it; or the function of an own metric
            raises an exception, or returns what is no value.
        UsageError: a name does not exist, or arguments exclude each other.
        KeyboardInterrupt: within some 50 ms of Ctrl-C once pairs are scored.

    Example:
        >>> result = warpath.evaluate("agent.json", "R2R_val_seen.json", "connectivity")
        >>> result.summary["SPL"].mean
        >>> print(result)
    """
    own = OwnMetrics(own_metrics)
    held = Texts()
    files = held.agents(predictions)
    success = [held.add(f, "task_success") for f in _listed(task_success, "task_success")]
    truth = "" if ground_truth is None else held.add(ground_truth, "ground_truth")
    given = [held.add(file, "distances") for file in _listed(distances, "distances")]
    evaluation = _core.Evaluation(
        _core.eval_files(
            None if graphs is None else Graphs(graphs).core,
            held.add(dataset, "dataset"),
            files,
            texts("names", names),
            "",
            flag("merge", merge),
            success,
            text("ndh_reference", ndh_reference),
            "" if objects is None else held.add(objects, "objects"),
            held.by_name,
            "" if coordinates is None else held.add(coordinates, "coordinates"),
            flag("sub_instructions", sub_instructions),
            truth,
            given,
            _path("navmesh", navmesh),
            text("habitat", habitat),
            text("geodesic", geodesic),
            _path("grid", grid),
            connect_word(connect),
            real("snap", snap),
            flag("runs", runs),
            "" if tours is None else held.add(tours, "tours"),
            text("split", split),
        ),
        text("preset", preset),
        setting_texts(settings, evaluate),
        held.predictions,
    )
    return _score(evaluation, metrics, backend, interval, by, strict, also, progress, settings, own)


def _path(name: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None and not is_path(path):
        raise wrong(name, path, "give a file or a folder")
    return "" if path is None else os.fspath(path)


def _listed(value: ItemT | Sequence[ItemT], name: str) -> list[ItemT]:
    """Returns a list of what may be one thing or several."""
    is_one = is_path(value) or isinstance(value, Mapping)
    if not is_one and (isinstance(value, bytes) or not isinstance(value, Iterable)):
        raise wrong(name, value, "give a file or a dict, or a list with one for each agent")
    return [cast("ItemT", value)] if is_one else list(cast("Sequence[ItemT]", value))


def evaluate_pairs(
    pairs: str | os.PathLike[str] | Sequence[Mapping[str, Any]],
    graphs: GraphsLike | None = None,
    *,
    grid: str | os.PathLike[str] | None = None,
    connect: int | str = 8,
    snap: float = 1.0,
    preset: str = "paper",
    metrics: str | Iterable[str] | None = None,
    backend: str = "auto",
    interval: str = "path",
    strict: bool = False,
    own_metrics: OwnMetricsLike | None = None,
    progress: Progress = False,
    **settings: Setting,
) -> Evaluation:
    """Scores a file of pairs, as ``warpath eval --pairs`` does.

    Args:
        pairs: the file, or a list of dicts with ``scan``, ``reference`` and ``prediction``.
        graphs: see ``Graphs``; with ``grid`` none.
        grid, connect, snap: as in ``evaluate``, of paths that are lists of [x, y, z].
        others: as in ``evaluate``.

    Raises:
        InputError, UsageError, KeyboardInterrupt: as ``evaluate``.
    """
    own = OwnMetrics(own_metrics)
    held = Texts()
    files = _core.eval_files(
        None if graphs is None else Graphs(graphs).core,
        "",
        [],
        [],
        held.add(pairs, "pairs"),
        False,
        [],
        "path",
        "",
        held.by_name,
        grid=_path("grid", grid),
        connect=connect_word(connect),
        snap=real("snap", snap),
    )
    changes = setting_texts(settings, evaluate_pairs)
    evaluation = _core.Evaluation(files, text("preset", preset), changes)
    return _score(
        evaluation, metrics, backend, interval, "none", strict, (), progress, settings, own
    )


def _score(
    evaluation: _core.Evaluation,
    metrics: str | Iterable[str] | None,
    backend: str,
    interval: str,
    by: str,
    strict: bool,
    also: str | Iterable[str],
    progress: Progress,
    settings: Mapping[str, Setting],
    own: OwnMetrics,
) -> Evaluation:
    with reporting(progress, evaluation.items, " items") as report:
        evaluation.score(
            None if metrics is None else metric_names(metrics),
            text("backend", backend),
            text("interval", interval),
            text("by", by),
            flag("strict", strict),
            command_line(),
            setting_texts(settings),
            texts("also", also.split(",") if isinstance(also, str) else also),
            report,
            own.rows,
            own.compute,
        )
    return Evaluation(evaluation)

"""Evaluation of predictions against a dataset: the command ``warpath eval`` as a function."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from .arguments import Setting, metric_names, setting_texts
from .graphs import Graphs, GraphsLike
from .inputs import DatasetLike, PredictionsLike, Texts
from .progress import Progress, reporting
from .results import Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["evaluate"]


def evaluate(
    predictions: PredictionsLike,
    dataset: DatasetLike,
    graphs: GraphsLike,
    *,
    preset: str = "paper",
    metrics: str | Iterable[str] | None = None,
    backend: str = "auto",
    names: Sequence[str] = (),
    merge: bool = False,
    also: str | Iterable[str] = (),
    by: str = "none",
    interval: str = "path",
    strict: bool = False,
    task_success: Sequence[str | os.PathLike[str] | Mapping[str, float]] = (),
    ndh_reference: str = "path",
    progress: Progress = False,
    **settings: Setting,
) -> Evaluation:
    """Scores predictions as the command ``warpath eval`` does: same code, same bytes.

    Args:
        predictions: a file, what a file's JSON holds (a list of dicts with ``instr_id`` and
            ``trajectory``, or a dict from ``instr_id`` to trajectory), a DataFrame, or a list of
            these, one for each agent.
        dataset: the annotations: a file, the list in it, or a DataFrame.
        graphs: see ``Graphs``. Graphs that are read stay in a ``Graphs`` object for later calls.
        preset: the convention, a name in ``warpath.presets``.
        metrics: names in ``warpath.metrics``, or one text with commas. None for all of them, of
            which the table shows the headline ones.
        backend: ``auto``, ``reference``, ``cpu`` or ``cuda``.
        names: a name for each agent; by default that of its file.
        merge: all predictions are of one agent, in several files.
        also: presets whose differing metrics are shown, too.
        by: adds a table by ``scan``, ``length`` or ``language`` to the reports.
        interval: what the 95 % intervals cluster: ``path``, ``scan``, ``none``, or ``bootstrap``.
        strict: also refuses items whose status is only a note.
        task_success: a file or a dict from ``instr_id`` to a number in [0, 1] for all agents, or
            one for each: SDTW takes it in place of SR.
        ndh_reference: of NDH's items: ``path``, ``planner`` or ``trusted``.
        progress: True for a bar, or a function of the number of items done.
        **settings: changes of the preset, see ``warpath.settings``: ``missing="zero"``.

    Raises:
        InputError: a file, item or array cannot be used, or an item has no prediction or no value
            and the settings ``missing`` and ``invalid`` refuse it.
        UsageError: a name does not exist, or arguments exclude each other.
        KeyboardInterrupt: within some 50 ms of Ctrl-C once pairs are scored.

    Example:
        >>> result = warpath.evaluate("agent.json", "R2R_val_seen.json", "connectivity")
        >>> result.summary["SPL"].mean
        >>> print(result)
    """
    texts = Texts()
    files = texts.agents(predictions)
    success = [texts.add(file, "task_success") for file in task_success]
    evaluation = _core.Evaluation(
        _core.eval_files(
            Graphs(graphs).core,
            texts.add(dataset, "dataset"),
            files,
            list(names),
            "",
            merge,
            success,
            ndh_reference,
            texts.by_name,
        ),
        preset,
        setting_texts(settings),
    )
    return _score(evaluation, metrics, backend, interval, by, strict, also, progress, settings)


def evaluate_pairs(
    pairs: str | os.PathLike[str] | Sequence[Mapping[str, Any]],
    graphs: GraphsLike,
    *,
    preset: str = "paper",
    metrics: str | Iterable[str] | None = None,
    backend: str = "auto",
    interval: str = "path",
    strict: bool = False,
    progress: Progress = False,
    **settings: Setting,
) -> Evaluation:
    """Scores a file of pairs, as ``warpath eval --pairs`` does.

    Args:
        pairs: the file, or a list of dicts with ``scan``, ``reference`` and ``prediction``.
        others: as in ``evaluate``.

    Raises:
        InputError, UsageError, KeyboardInterrupt: as ``evaluate``.
    """
    texts = Texts()
    files = _core.eval_files(
        Graphs(graphs).core, "", [], [], texts.add(pairs, "pairs"), False, [], "path", texts.by_name
    )
    evaluation = _core.Evaluation(files, preset, setting_texts(settings))
    return _score(evaluation, metrics, backend, interval, "none", strict, (), progress, settings)


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
) -> Evaluation:
    with reporting(progress, evaluation.items, " items") as report:
        evaluation.score(
            None if metrics is None else metric_names(metrics),
            backend,
            interval,
            by,
            strict,
            sys.argv,
            setting_texts(settings),
            also.split(",") if isinstance(also, str) else list(also),
            report,
        )
    return Evaluation(evaluation)

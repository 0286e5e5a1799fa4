"""The class ``Evaluation`` of R2R's evaluator and of those that descend from it."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from .. import results as _results
from ..arguments import Setting
from ..errors import InputError, UsageError, Where
from ..evaluation import Objects, evaluate
from ..graphs import Graphs, GraphsLike
from ..inputs import DatasetLike, is_path

Submission: TypeAlias = "str | os.PathLike[str] | Sequence[Mapping[str, Any]]"
"""A file with a JSON list of dicts, or the list: with ``instr_id`` (NDH: ``inst_idx``) and
``trajectory``, for REVERIE with ``predObjId``."""


class _Form(NamedTuple):
    """Says which metric stands behind each key of an evaluator."""

    summary: dict[str, str]
    scores: dict[str, str]


_r2r = _Form(
    {
        "length": "PL",
        "nav_error": "NE",
        "oracle success_rate": "OSR",
        "success_rate": "SR",
        "spl": "SPL",
    },
    {
        "nav_errors": "NE",
        "oracle_errors": "ONE",
        "trajectory_lengths": "PL",
        "shortest_path_lengths": "SP",
    },
)
_envdrop = _Form(
    {
        "nav_error": "NE",
        "oracle_error": "ONE",
        "steps": "steps",
        "lengths": "PL",
        "success_rate": "SR",
        "oracle_rate": "OSR",
        "spl": "SPL",
    },
    {
        "nav_errors": "NE",
        "oracle_errors": "ONE",
        "trajectory_steps": "steps",
        "trajectory_lengths": "PL",
        "shortest_lengths": "SP",
    },
)
_forms = {
    "r2r": _r2r,
    "envdrop": _envdrop,
    "ndh": _Form(
        _r2r.summary | {"oracle path_success_rate": "OPSR", "dist_to_end_reduction": "GP"},
        _r2r.scores | {"oracle_plan_errors": "OPE", "dist_to_end_reductions": "GP"},
    ),
    "reverie": _Form(
        {
            "length": "PL",
            "success_rate": "SR",
            "oracle success_rate": "OSR",
            "spl": "SPL",
            "rgs": "RGS",
            "rgspl": "RGSPL",
        },
        {
            "rgs": "RGS",
            "visible": "SR",
            "oracle_visible": "OSR",
            "trajectory_lengths": "PL",
            "shortest_path_lengths": "SP",
        },
    ),
    "soon": _Form(
        {
            "nav_error": "NE",
            "oracle_error": "ONE",
            "steps": "steps",
            "lengths": "PL",
            "heading_errors": "HE",
            "elevation_errors": "EE",
            "point_det_errors": "PE",
            "goal_progress": "GP",
            "det_success_rate": "RGS",
            "nav_success_rate": "SR",
            "oracle_rate": "OSR",
            "spl": "SPL",
            "success_rate": "SFPL",
        },
        _envdrop.scores
        | {
            "heading_errors": "HE",
            "elevation_errors": "EE",
            "det_success_num": "RGS",
            "point_det_errors": "PE",
            "goal_progress": "GP",
        },
    ),
}
_whole_numbers = ("rgs", "visible", "oracle_visible", "trajectory_steps")
_soon_rates = ("det_success_rate", "nav_success_rate", "oracle_rate")
_path_types = {"planner_path": "planner", "player_path": "path", "trusted_path": "trusted"}


class Evaluation:
    """Scores submissions as the class ``Evaluation`` of public evaluators does.

    =========== ==================================================================================
    preset      original
    =========== ==================================================================================
    ``r2r``     Matterport3DSimulator ``tasks/R2R/eval.py``
    ``envdrop`` R2R-EnvDrop, Recurrent-VLN-BERT and PREVALENT ``r2r_src/eval.py``
    ``ndh``     CVDN ``tasks/NDH/eval.py``
    ``reverie`` REVERIE ``tasks/REVERIE/eval_release.py``
    ``soon``    SOON-EvalAI-Starters ``evaluation_script/main.py``
    =========== ==================================================================================

    The originals find their files by the names of splits; this one takes them. The originals'
    attributes ``gt``, ``graphs`` and ``distances`` and EnvDrop's ``bleu_score`` are not here.

    Args:
        dataset: the annotations: a file, or the list in it.
        graphs: see ``warpath.Graphs``.
        preset: whose keys and rules; a name in the table.
        objects: REVERIE's boxes, as in ``warpath.evaluate``.
        path_type: NDH's reference: ``planner_path``, ``player_path`` or ``trusted_path``.
        **settings: changes of the preset, see ``warpath.settings``: ``missing="skip"`` for a part
            of the items, as EnvDrop takes it where a split is ``train``.

    Attributes:
        scores: the second value that ``score`` returned last.
        result: what ``warpath.evaluate`` gave: intervals, table, values by item.

    Raises:
        UsageError: there is no such preset or path type.
    """

    def __init__(
        self,
        dataset: DatasetLike,
        graphs: GraphsLike,
        preset: str = "r2r",
        *,
        objects: Objects | None = None,
        path_type: str = "planner_path",
        **settings: Setting,
    ) -> None:
        if preset not in _forms:
            raise UsageError(
                f"no class Evaluation of preset {preset!r}; there are {', '.join(_forms)}; "
                "warpath.evaluate takes every preset"
            )
        if path_type not in _path_types:
            raise UsageError(f"no path type {path_type!r}; there are {', '.join(_path_types)}")
        self.dataset = dataset
        self.graphs = Graphs(graphs)
        self.preset = preset
        self.scores: dict[str, list[Any]] = {}
        self.result: _results.Evaluation | None = None
        self._more: dict[str, Any] = {"objects": objects, **settings}
        if preset == "ndh":
            self._more["ndh_reference"] = _path_types[path_type]

    def score(
        self, results: Submission, eval_type: str = "whole"
    ) -> tuple[dict[str, float], dict[str, list[Any]]]:
        """Scores a submission.

        Args:
            results: a file with a JSON list, or the list.
            eval_type: REVERIE's: ``whole``, or ``nav`` for a submission without objects.

        Returns:
            ``(score_summary, scores)``, with the original's keys: means, and the values of each
            item as lists, in the order of the submission (SOON's of one instruction in the order
            of its paths). Metres; fractions are not times 100. They equal the original's to
            1e-12. REVERIE's and SOON's originals return the first alone.

        Raises:
            InputError: where the original fails: an item has no prediction, begins elsewhere or
                jumps (AssertionError or KeyError there), or has an SPL of 0/0
                (ZeroDivisionError there). UsageError: there is no such ``eval_type``.
        """
        form = self._form(eval_type)
        result = evaluate(
            results,
            self.dataset,
            self.graphs,
            preset=self.preset,
            metrics=sorted({*form.summary.values(), *form.scores.values()}),
            backend="reference",
            **self._more,
        )
        _refuse_undefined(result)
        columns = _columns(result.per_item, _ids(results))
        self.result = result
        self.scores = {key: _listed(key, columns[name]) for key, name in form.scores.items()}
        return self._summarise(form, result.summary), self.scores

    def _form(self, eval_type: str) -> _Form:
        form = _forms[self.preset]
        if eval_type == "whole":
            return form
        if self.preset != "reverie" or eval_type != "nav":
            raise UsageError(f"no eval_type {eval_type!r}; REVERIE has whole and nav, others whole")
        summary, scores = (
            {key: name for key, name in names.items() if not name.startswith("RGS")}
            for names in form
        )
        return _Form(summary, scores)

    def _summarise(self, form: _Form, means: _results.Summary) -> dict[str, float]:
        summary = {}
        for key, name in form.summary.items():
            mean, n = means[name].mean, means[name].n
            summary[key] = math.nan if mean is None else mean
            if self.preset == "soon" and key in _soon_rates:
                summary[key] *= n / (n + 1e-9)  # as there
        return summary


def _refuse_undefined(result: _results.Evaluation) -> None:
    """Refuses an item that has a length, and no SPL."""
    items = result.per_item
    lacking = np.isnan(items["SPL"]) & ~np.isnan(items["PL"])
    if lacking.any():
        raise InputError.at(
            Where("results", str(items["instr_id"][lacking.argmax()])),
            "starts at its goal and does not move: SPL is 0/0, where the original divides by zero",
            'give spl_zero="success-if-unmoved" or "zero"',
        )


def _ids(results: Submission) -> list[str]:
    """Returns the id of each element of a submission."""
    where = Where("results")
    entries: Any = results
    if is_path(results):
        name = os.fspath(cast("str | os.PathLike[str]", results))
        where = Where(name)
        with gzip.open(name) if name.endswith(".gz") else open(name, "rb") as file:
            try:
                entries = json.load(file)
            except ValueError:
                entries = None
    if not isinstance(entries, Sequence) or not all(isinstance(e, Mapping) for e in entries):
        raise InputError.at(where, "is no JSON list of dicts", "warpath.evaluate reads other forms")
    return [str(entry.get("instr_id", entry.get("inst_idx"))) for entry in entries]


def _columns(items: _results.Items, ids: Sequence[str]) -> dict[str, list[float]]:
    """Returns the values of each metric in the order of these ids."""
    rank: dict[str, int] = {}
    for k, name in enumerate(ids):
        rank.setdefault(name, k)

    def place(row: int) -> int:
        name = str(items["instr_id"][row])  # of SOON and NDH with a number behind the id
        return rank.get(name, rank.get(name.rpartition("_")[0], len(ids)))

    order = sorted(range(len(items["instr_id"])), key=place)
    return {
        name: column[order].tolist() for name, column in items.items() if column.dtype.kind == "f"
    }


def _listed(key: str, column: list[float]) -> list[Any]:
    """Returns the values that there are; those of counts as integers."""
    values = [value for value in column if not math.isnan(value)]
    return [int(value) for value in values] if key in _whole_numbers else values

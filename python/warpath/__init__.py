"""Scores navigation paths against reference paths: the metrics of Vision-and-Language Navigation.

* ``evaluate`` scores predictions against a dataset, as the command ``warpath eval`` does, and by
  functions of your own (``OwnMetric``).
* ``Scorer`` scores arrays and lists of viewpoints or points, again and again; ``ReferenceScorer``
  scores arrays and tensors against references that stay.
* ``Rewards`` and ``RewardTracker`` are rewards for reinforcement learning; ``group_advantages``
  compares rollouts of one item.
* ``NavMesh`` measures ways over habitat-sim's navigation meshes.
* ``random_baseline``, ``make_r4r`` and ``perturb`` make agents and data.
* ``warpath.study``, ``correlate``, ``warpath.traces`` and ``warpath.compatibility`` judge metrics
  by people, and people by metrics.
* ``warpath.compat`` has the functions of public agents, so that one import changes.
* ``metrics``, ``presets`` and ``settings`` are the tables of what can be asked for.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from ._core import BatchStatistics, CsrPaths, PaddedPaths, Statistics, release_gpu_memory
from ._core import version as __version__
from .errors import CudaError, InputError, UsageError
from .comparison import compare
from .correlation import correlate
from .evaluation import evaluate, evaluate_pairs
from .generators import make_r4r, perturb, perturb_path, random_baseline
from .graphs import Graph, Graphs
from .grids import Grid
from .groups import group_advantages, spread_to_tokens, sum_by_decision
from .navmesh import NavMesh
from .own_metrics import OwnMetric
from .reference_scorer import ReferenceScorer
from .reward_tracker import RewardTracker
from .rewards import Rewards
from .scorer import Scorer
from .scores import Scores
from .tables import metrics, presets, reward_presets, reward_settings, settings, statuses

if TYPE_CHECKING:
    from . import compatibility, study, traces

__all__ = [
    "BatchStatistics",
    "CsrPaths",
    "CudaError",
    "Graph",
    "Graphs",
    "Grid",
    "InputError",
    "NavMesh",
    "OwnMetric",
    "PaddedPaths",
    "ReferenceScorer",
    "RewardTracker",
    "Rewards",
    "Scorer",
    "Scores",
    "Statistics",
    "UsageError",
    "__version__",
    "compare",
    "compatibility",
    "correlate",
    "evaluate",
    "evaluate_pairs",
    "group_advantages",
    "make_r4r",
    "metrics",
    "perturb",
    "perturb_path",
    "presets",
    "random_baseline",
    "release_gpu_memory",
    "reward_presets",
    "reward_settings",
    "settings",
    "spread_to_tokens",
    "statuses",
    "study",
    "sum_by_decision",
    "traces",
]


def __getattr__(name: str) -> ModuleType:
    """Imports a package of this one when it is first asked for."""
    if name in ("compatibility", "study", "traces"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


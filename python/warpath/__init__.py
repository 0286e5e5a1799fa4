"""Scores navigation paths against reference paths: the metrics of Vision-and-Language Navigation.

* ``Scorer`` scores arrays and lists of viewpoints or points, again and again.
* ``metrics``, ``presets`` and ``settings`` are the tables of what can be asked for.
"""

from __future__ import annotations

from ._core import BatchStatistics, CsrPaths, PaddedPaths, Statistics, release_gpu_memory
from ._core import version as __version__
from .errors import CudaError, InputError, UsageError
from .graphs import Graph, Graphs
from .scorer import Scorer
from .scores import Scores
from .tables import metrics, presets, reward_presets, reward_settings, settings, statuses

__all__ = [
    "BatchStatistics",
    "CsrPaths",
    "CudaError",
    "Graph",
    "Graphs",
    "InputError",
    "PaddedPaths",
    "Scorer",
    "Scores",
    "Statistics",
    "UsageError",
    "__version__",
    "metrics",
    "presets",
    "release_gpu_memory",
    "reward_presets",
    "reward_settings",
    "settings",
    "statuses",
]

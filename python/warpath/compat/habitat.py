"""The measures ``NDTW`` and ``SDTW`` of VLN-CE's ``habitat_extensions/measures.py``.

They need no habitat. Where habitat is installed, importing this module registers them, under the
names that a task's configuration gives: in ``habitat_extensions/measures.py`` delete the two
classes, and write ``from warpath.compat.habitat import NDTW, SDTW`` in their place.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .warping import fastdtw

if TYPE_CHECKING:
    import numpy.typing as npt

try:
    from habitat.core.embodied_task import Measure  # type: ignore[import-not-found]
    from habitat.core.registry import registry  # type: ignore[import-not-found]

    _register: Callable[[Any], Any] = registry.register_measure
except ImportError:

    class Measure:  # type: ignore[no-redef]
        """Stands in for habitat's class."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.uuid = self._get_uuid(*args, **kwargs)
            self._metric: Any = None

        def _get_uuid(self, *args: Any, **kwargs: Any) -> str:
            raise NotImplementedError

        def get_metric(self, *args: Any, **kwargs: Any) -> Any:
            return self._metric

    def _register(measure: Any) -> Any:
        return measure


class NDTW(Measure):  # type: ignore[misc]
    """Measures nDTW (Ilharco et al. 2019) of an episode while it runs.

    Args:
        sim: has ``get_agent_state().position``, an array of three numbers in metres.
        config: has ``FDTW`` (whether DTW is FastDTW's, or exact), ``GT_PATH`` (a gzipped JSON file,
            with ``{split}`` and, for RxR, ``{role}`` in its name: a dict from episode to a dict
            with ``locations``), ``SPLIT`` and ``SUCCESS_DISTANCE`` (metres).

    A position that equals the one before changes nothing. ``get_metric`` returns
    exp(−DTW / (N · SUCCESS_DISTANCE)) with N locations in the reference. Exact DTW goes on from the
    last position, at a cost of O(N) for each; VLN-CE begins anew, and so does FastDTW here.

    Raises:
        KeyError: the file of the references has no such episode.
    """

    cls_uuid: str = "ndtw"

    def __init__(self, *args: Any, sim: Any, config: Any, **kwargs: Any) -> None:
        self._sim = sim
        self._config = config
        self.gt_json = _read_references(config.GT_PATH, config.SPLIT)
        super().__init__(*args, sim=sim, config=config, **kwargs)

    def _get_uuid(self, *args: Any, **kwargs: Any) -> str:
        return self.cls_uuid

    def reset_metric(self, *args: Any, episode: Any, **kwargs: Any) -> None:
        """Begins an episode at the agent's position."""
        self.locations: list[list[float]] = []
        self.gt_locations = self.gt_json[episode.episode_id]["locations"]
        self._warping = _Warping(self.gt_locations)
        self.update_metric()

    def update_metric(self, *args: Any, **kwargs: Any) -> None:
        """Takes the agent's position."""
        position = self._sim.get_agent_state().position.tolist()
        if self.locations and position == self.locations[-1]:
            return
        self.locations.append(position)
        if self._config.FDTW:
            cost = fastdtw(self.locations, self.gt_locations, dist=euclidean_distance)[0]
        else:
            cost = self._warping.add(position)
        self._metric = np.exp(-cost / (len(self.gt_locations) * self._config.SUCCESS_DISTANCE))


class SDTW(Measure):  # type: ignore[misc]
    """Measures nDTW times the measure ``success`` of the same task."""

    cls_uuid: str = "sdtw"

    def _get_uuid(self, *args: Any, **kwargs: Any) -> str:
        return self.cls_uuid

    def reset_metric(self, *args: Any, task: Any, **kwargs: Any) -> None:
        """Begins an episode; ``ndtw`` and ``success`` must have begun."""
        task.measurements.check_measure_dependencies(self.uuid, [NDTW.cls_uuid, "success"])
        self.update_metric(task=task)

    def update_metric(self, *args: Any, task: Any, **kwargs: Any) -> None:
        """Takes the values of both measures."""
        measures = task.measurements.measures
        self._metric = measures["success"].get_metric() * measures[NDTW.cls_uuid].get_metric()


for _measure in (NDTW, SDTW):
    _register(_measure)


def euclidean_distance(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Returns the distance of two positions, metres."""
    return float(np.linalg.norm(np.asarray(b) - np.asarray(a)))


class _Warping:
    """Holds the last row of the table of DTW: element j is the cost of warping all points so far
    to the first j points of a reference."""

    def __init__(self, reference: Sequence[Sequence[float]]) -> None:
        self._reference = np.asarray(reference, np.float64)
        self._row = [0.0] + [math.inf] * len(reference)

    def add(self, point: Sequence[float]) -> float:
        """Takes a point of the query, and returns the cost of the best warping so far."""
        distances = np.sqrt(np.sum((self._reference - point) ** 2, axis=-1)).tolist()
        diagonal, left = self._row[0], math.inf
        row = [math.inf]
        for distance, above in zip(distances, self._row[1:]):
            left = distance + min(above, diagonal, left)
            diagonal = above
            row.append(left)
        self._row = row
        return left


def _read_references(path: str, split: str) -> dict[str, Any]:
    """Reads the file of a split, or RxR's two."""
    roles = ("guide", "follower") if "{role}" in path else ("",)
    references: dict[str, Any] = {}
    for role in roles:
        with gzip.open(path.format(split=split, role=role), "rt", encoding="utf-8") as file:
            references.update(json.load(file))
    return references

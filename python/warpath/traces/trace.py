"""What a follower saw: visits of viewpoints, and the pixels of their panoramas."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import _core
from ..arguments import one_of, text
from ..errors import UsageError
from .forms import PANORAMA
from .poses import Views

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["WEIGHTS", "Trace", "Visit", "weight_of"]

WEIGHTS = ("pixels", "solid-angle")
"""How much a pixel counts: each alike, or the cosine of its elevation."""


def weight_of(weight: object) -> str:
    """Returns the name of a weight. Raises UsageError if there is none of this name."""
    found = text("weight", weight).replace("_", "-")
    if found not in WEIGHTS:
        raise UsageError(f"there is no weight '{found}'; there are {', '.join(WEIGHTS)}")
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class Visit:
    """Holds the snapshots that a follower made at one viewpoint, without a break or (joined visits)
    each time."""

    viewpoint: str
    times: npt.NDArray[np.float64]
    """[snapshots], seconds."""
    _views: Views
    _published: npt.NDArray[np.bool_] | None

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """The pixels of the panorama that some snapshot shows, bool [128, 256], computed anew each
        time. Row i has the elevation π/2 − (i + ½)π/128, column j the heading
        (j + ½)2π/256 − π, from -z to +x."""
        if self._published is not None:
            return self._published
        mask = _core.seen_pixels(self._views.rotations, self._views.projections)
        return mask.view(bool)

    @functools.cached_property
    def _by_row(self) -> npt.NDArray[np.int64]:
        """The number of pixels seen in each row."""
        counts: npt.NDArray[np.int64] = self.seen.sum(axis=1)
        return counts

    @property
    def pixels_seen(self) -> int:
        """The number of pixels seen, of 32,768."""
        return int(self._by_row.sum())

    def search(self, weight: str = "pixels") -> float:
        """Returns the visual search: the share of the panorama that was seen, in [0, 1].

        Args:
            weight: ``pixels``, or ``solid-angle``: the cosine of a pixel's elevation.

        Source: Zhao et al. 2021, section 3.
        """
        rows, columns = PANORAMA
        if weight_of(weight) == "pixels":
            return self.pixels_seen / (rows * columns)
        cosines = _cosines()
        return float(self._by_row @ cosines / (columns * cosines.sum()))

    def __repr__(self) -> str:
        return f"<Visit of {self.viewpoint}: {len(self.times)} snapshots>"


def _cosines() -> npt.NDArray[np.float64]:
    """Returns the cosine of the elevation of each row."""
    import numpy as np

    rows = PANORAMA[0]
    cosines: npt.NDArray[np.float64] = np.cos(np.pi / 2 - (np.arange(rows) + 0.5) * np.pi / rows)
    return cosines


@dataclasses.dataclass(frozen=True, eq=False)
class Trace:
    """Holds a follower's pose trace. Make it with ``warpath.traces.read``."""

    file: str
    path: list[str]
    """The viewpoints in the order of their visits, as ``warpath.evaluate_pairs`` takes them."""
    times: npt.NDArray[np.float64]
    """[snapshots], seconds."""
    visits: Sequence[Visit]
    """In the order of the first time; of joined visits one for each viewpoint."""
    hash: str = ""
    """Of the file's content, as ``warpath eval --json`` has it."""

    @property
    def time(self) -> float:
        """From the first snapshot to the last, seconds."""
        return float(self.times[-1] - self.times[0])

    @property
    def snapshots(self) -> int:
        """The number of snapshots."""
        return len(self.times)

    def search(self, weight: str = "pixels") -> npt.NDArray[np.float64]:
        """Returns the visual search of each visit, float64 [visits] in [0, 1].

        Args:
            weight: see ``Visit.search``.
        """
        import numpy as np

        return np.array([visit.search(weight) for visit in self.visits])

    def start(self, weight: str = "pixels") -> float:
        """Returns the visual search of the first visit."""
        return self.visits[0].search(weight)

    def other(self, weight: str = "pixels") -> float | None:
        """Returns the mean visual search of the later visits; None if the follower never moved."""
        later = [visit.search(weight) for visit in self.visits[1:]]
        return sum(later) / len(later) if later else None

    def __repr__(self) -> str:
        return f"<Trace {self.file}: {self.snapshots} snapshots, {len(self.path)} visits>"

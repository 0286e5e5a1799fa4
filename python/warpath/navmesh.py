"""Distances around obstacles, over the navigation meshes of habitat-sim and without a simulator."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from .arguments import text, wrong
from .arrays import array_of, float32
from .errors import InputError, Where
from .inputs import is_path

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["NavMesh"]


class NavMesh:
    """Measures ways over a navigation mesh, to the last bit as habitat-sim's ``PathFinder``.

    Positions are floats [3] or [n, 3], metres, y up; they are rounded to single precision. Ways are
    those that Detour finds, as in habitat-sim: not always the shortest, and they differ by
    direction. Calls with many positions use all cores, and several threads may call one object.

    Args:
        path: a ``.navmesh`` file of habitat-sim, as ``sim.pathfinder.save_nav_mesh`` writes it.
        habitat: the version of habitat-sim: ``0.1.7`` (and all up to 0.3.2), as VLN-CE has it, or
            ``0.3.4`` (from 0.3.3 on). They differ in the last bits, and in how near two positions
            are taken for one.
        scan: where the path is a folder of meshes, the scan whose mesh is read: the folders and
            names that ``warpath eval --navmesh`` takes.

    Raises:
        InputError: the file cannot be read, is no such mesh or is damaged.
        UsageError: there is no such version, or this build has no Detour.

    Example:
        >>> mesh = warpath.NavMesh("17DRP5sb8fy.navmesh")
        >>> mesh.distances(rollouts.reshape(-1, 3), goal)
    """

    def __init__(
        self, path: str | os.PathLike[str], habitat: str = "0.1.7", scan: str = ""
    ) -> None:
        if not is_path(path):
            raise wrong("path", path, "give a file or a folder")
        self._source = text("path", os.fspath(path)), text("habitat", habitat), text("scan", scan)
        self._core = _core.NavMesh(*self._source)

    def __repr__(self) -> str:
        path, habitat, scan = self._source
        return f"NavMesh({path!r}, {habitat!r}{f', {scan!r}' if scan else ''})"

    def __reduce__(self) -> tuple[type[NavMesh], tuple[str, str, str]]:
        return NavMesh, self._source

    @property
    def habitat(self) -> str:
        """The version of habitat-sim whose rules count."""
        return self._core.habitat

    @property
    def polygons(self) -> int:
        """How many polygons the mesh has."""
        return self._core.polygons

    @property
    def bounds(self) -> npt.NDArray[np.float32]:
        """The lower and the upper corner of the box around the mesh, [2, 3]."""
        return self._core.bounds()

    @property
    def outline(self) -> npt.NDArray[np.float32]:
        """The ends of the edges of polygons that lead to no other, [edges, 2, 3]."""
        return self._core.outline().reshape(-1, 2, 3)

    @property
    def agent(self) -> tuple[float, float]:
        """The height and the radius, metres, of the agent that the mesh was built for."""
        return self._core.agent_height, self._core.agent_radius

    @property
    def settings(self) -> dict[str, float]:
        """What habitat-sim built the mesh with, by the names of its ``NavMeshSettings``; empty for
        a file of version 1 (up to habitat-sim 0.2.1), which does not say."""
        return self._core.settings

    def distance(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Returns the length of the way from each start to the end of the same row, metres.

        Args:
            starts: [n, 3], or [3], which then is the start of all.
            ends: [n, 3], or [3], which then is the end of all.

        Returns:
            float32 [n], or a number where both are [3]; infinity where no way leads: a position is
            off the mesh (more than 2 m aside, or 4 m up or down), on another island, or so far away
            that habitat-sim gives up.
        """
        import numpy as np

        a, b = _points(starts, "starts"), _points(ends, "ends")
        is_one = a.ndim == b.ndim == 1
        n = max((len(points) for points in (a, b) if points.ndim == 2), default=1)
        for name, points in (("starts", a), ("ends", b)):
            if points.ndim == 2 and len(points) != n:
                what = f"are {len(points)} positions, the others {n}"
                raise InputError.at(Where(name), what, "give as many, or one for all")
        rows = [np.ascontiguousarray(np.broadcast_to(points, (n, 3))) for points in (a, b)]
        metres = self._core.distance(*rows)
        return metres[0] if is_one else metres

    def distances(self, points: npt.ArrayLike, goal: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Returns the length of the way from each point to the goal, metres.

        Args:
            points: [n, 3] or [3].
            goal: [3], or several [goals, 3], of which the least distance counts. One off the mesh
                is left out; by the rules of 0.1.7 no way leads to any then.

        Returns:
            float32 [n], or a number for one point; infinity as in ``distance``.
        """
        import numpy as np

        a, goals = _points(points, "points"), np.atleast_2d(_points(goal, "goal"))
        if len(goals) == 0:
            raise InputError.at(Where("goal"), "has no position", "give at least one")
        metres = self._core.distance_to_nearest(np.atleast_2d(a), goals)
        return metres[0] if a.ndim == 1 else metres

    def snap(self, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Returns the nearest position of the mesh to each point, in the shape of ``points``; NaN
        where there is none within 2 m aside and 4 m up or down."""
        import numpy as np

        a = _points(points, "points")
        found = self._core.snap(np.atleast_2d(a))
        return found.reshape(a.shape)

    def path(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Returns the corners of the way from one position [3] to another, [corners, 3]; none where
        no way leads. Its first and last corner are the positions as given, or the nearest place of
        the mesh beside which one lies."""
        import numpy as np

        ends = [_points(start, "start"), _points(end, "end")]
        for name, point in zip(("start", "end"), ends):
            if point.ndim != 1:
                raise InputError.at(Where(name), f"is an array {list(point.shape)}", "give [3]")
        return self._core.path(np.stack(ends))


def _points(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float32]:
    """Returns one position [3], or several [n, 3]. Raises InputError for anything else."""
    import numpy as np

    points = float32(array_of(values, name), name)
    assert points is not None
    if points.ndim not in (1, 2) or points.shape[-1] != 3:
        what = f"are an array {list(points.shape)}"
        raise InputError.at(Where(name), what, "give positions [3] or [n, 3]")
    if not np.isfinite(points).all():
        raise InputError.at(Where(name), "have numbers that are not finite", "leave these out")
    return points

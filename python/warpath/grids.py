"""Grids of free cells, over which distances go around obstacles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from .arguments import number, real, text, wrong
from .arrays import array_of, floats
from .errors import InputError, Where
from .inputs import is_path

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Grid"]


class Grid:
    """Holds a grid of free cells, numbered by layer, row and column. ``Graphs({"lab": grid})`` has
    it as a scan whose viewpoints are these cells, called ``"layer,row,column"``.

    Row r and column c have their centre at origin + (c + 0.5, r + 0.5) · resolution; columns run
    along x, rows along the other horizontal axis. Edges join neighbouring cells and are as long as
    their centres are apart; a diagonal needs both cells beside it. Cells have to be smaller than
    walls are thick.

    Args:
        free: bools or integers [rows, columns], which are not 0 where a cell is free.
        heights: instead, floats [layers, rows, columns], metres, NaN where a cell is not free.
            Several floors, ramps and stairs are layers.
        resolution: the side of a cell, metres.
        origin: the outer corner of the cell in row 0 and column 0, along columns and rows, metres.
        height: of the floor, metres, with ``free``.
        climb: with ``heights``, the greatest difference of neighbours' heights, metres.
        up: ``y`` as in Habitat, or ``z`` as in Matterport3D: the axis of heights.
        connect: neighbours of a cell, 4 or 8; or ``"fmm"``: distances by scikit-fmm's fast marching,
            which differ by direction, on one flat floor.
        within: how far from a cell's centre a point may be that ``snap`` takes for it, metres.

    Raises:
        InputError: no cell is free, or an argument is no such number or array.

    Example:
        >>> grid = warpath.Grid(free, resolution=0.1)
        >>> scorer = warpath.Scorer(warpath.Graphs({"lab": grid}), metrics="nDTW,SR")
        >>> scores = scorer.score([grid.snap(query)], [grid.snap(reference)], "lab")
    """

    def __init__(
        self,
        free: npt.ArrayLike | None = None,
        *,
        heights: npt.ArrayLike | None = None,
        resolution: float,
        origin: tuple[float, float] = (0.0, 0.0),
        height: float = 0.0,
        climb: float = 0.25,
        up: str = "y",
        connect: int | str = 8,
        within: float = 1.0,
    ) -> None:
        if (free is None) == (heights is None):
            given = "neither of free and heights" if free is None else "free and heights"
            raise InputError.at(Where("grid"), f"has {given}", "give one of them")
        cells = _layers(heights) if free is None else _floor(free, real("height", height))
        corner = floats(origin, "origin")
        if corner is None or corner.shape != (2,):
            raise InputError.at(Where("origin"), "is no pair of numbers", "give (x, z), in metres")
        word = connect_word(connect)
        if word not in ("4", "8", "fmm"):
            raise InputError.at(Where("connect"), f"is {word}", 'give 4, 8 or "fmm"')
        self.connect: int | str = word if word == "fmm" else int(word)
        self.within = real("within", within)
        self._arguments = (
            cells,
            real("resolution", resolution),
            (float(corner[0]), float(corner[1])),
            _is_z(up),
            real("climb", climb),
        )
        self.core = _core.Grid(*self._arguments)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        scan: str = "",
        *,
        connect: int | str = 8,
        within: float = 1.0,
    ) -> Grid:
        """Reads the file of a grid, as ``warpath eval --grid`` takes it.

        Args:
            path: a JSON file, or a folder with ``<scan>.json``.
            scan: the scan whose grid it is; needed where the path is a folder.
            connect, within: as for a grid of arrays.

        Raises:
            InputError: the file cannot be read, is no grid, or is of another scan.
        """
        if not is_path(path):
            raise wrong("path", path, "give a file or a folder")
        if os.path.isdir(path) and not scan:
            raise InputError.at(
                Where(os.fspath(path)), "is a folder, and no scan is named", "name the scan"
            )
        source = _core.read_grid(text("path", os.fspath(path)), text("scan", scan))
        heights, resolution, origin, is_z_up, climb = source
        return cls(
            heights=heights,
            resolution=resolution,
            origin=origin,
            climb=climb,
            up="z" if is_z_up else "y",
            connect=connect,
            within=within,
        )

    @property
    def resolution(self) -> float:
        """The side of a cell, metres."""
        return self._arguments[1]

    @property
    def up(self) -> str:
        """The axis of heights: ``y`` or ``z``."""
        return "z" if self._arguments[3] else "y"

    @property
    def cells(self) -> npt.NDArray[np.int64]:
        """Layer, row and column of each free cell, [cells, 3]."""
        return self.core.cells()

    @property
    def centres(self) -> npt.NDArray[np.float64]:
        """The centre of each free cell, metres, in the axes of the grid, [cells, 3]."""
        return self.core.centres()

    def snap(self, points: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Returns the number of the free cell whose centre is nearest to each point, of equally
        near ones the first; -1 where the nearest is farther away than ``within``.

        Args:
            points: floats [..., 3], metres, in the axes of the grid.

        Raises:
            InputError: the points have another shape, or are not finite.
        """
        import numpy as np

        found = floats(points, "points")
        if found is None or found.ndim == 0 or found.shape[-1] != 3:
            raise InputError.at(Where("points"), "have no x, y and z", "give floats [..., 3]")
        if not np.isfinite(found).all():
            raise InputError.at(Where("points"), "are not finite", "leave out padding and NaN")
        return self.core.snap(found.reshape(-1, 3), self.within).reshape(found.shape[:-1])

    def __len__(self) -> int:
        return self.core.size

    def __repr__(self) -> str:
        return f"<Grid of {len(self)} free cells>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.core = _core.Grid(*self._arguments)


def connect_word(connect: int | str) -> str:
    """Returns what ``connect`` says as the word of ``--connect``."""
    return text("connect", connect) if isinstance(connect, str) else str(number("connect", connect))


def _is_z(up: str) -> bool:
    if text("up", up) not in ("y", "z"):
        raise InputError.at(Where("up"), f"is {up!r}", "give y or z")
    return up == "z"


def _floor(free: npt.ArrayLike, height: float) -> npt.NDArray[np.float64]:
    """Returns the heights of the cells of one floor."""
    import numpy as np

    cells = array_of(free, "free")
    if cells.ndim != 2 or cells.dtype.kind not in "biu":
        what = f"has the shape {list(cells.shape)} and the type {cells.dtype}"
        raise InputError.at(Where("free"), what, "give bools or integers [rows, columns]")
    return np.where(cells != 0, height, np.nan)[np.newaxis]


def _layers(heights: npt.ArrayLike | None) -> npt.NDArray[np.float64]:
    found = floats(heights, "heights")
    if found is None or found.ndim != 3:
        what = f"has the shape {list(found.shape)}" if found is not None else "is None"
        raise InputError.at(Where("heights"), what, "give floats [layers, rows, columns]")
    return found

"""Checks of what a trace says, and the views that its matrices stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError
from .forms import Snapshots, place

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Views", "seconds_of", "views_of"]

_TOLERANCE = 1e-3
_MAX_ZOOM = 1e6
"""Of a projection's elements: a view of a fifth of an arc second."""
_ANEW = "record the trace anew, or leave it out"


class Views(NamedTuple):
    """Holds where a camera looks, for each snapshot."""

    rotations: npt.NDArray[np.float64]
    """[n, 3, 3], from the camera to the world, whose y is up and whose heading 0 is -z."""
    projections: npt.NDArray[np.float64]
    """[n, 4]: P00, P02, P11 and P12 of the projection."""


def _first(is_wrong: npt.NDArray[np.bool_]) -> int | None:
    """Returns the first snapshot that is wrong."""
    return int(is_wrong.argmax()) if is_wrong.any() else None


def seconds_of(found: Snapshots, unit: str | None) -> npt.NDArray[np.float64]:
    """Returns the times in seconds.

    Args:
        unit: ``s`` or ``ms``; None: a median step of 1 or more means milliseconds.

    Raises:
        InputError: a time is no number, or before the one before it.
    """
    import numpy as np

    wrong = _first(~np.isfinite(found.times))
    if wrong is not None:
        raise InputError.at(place(found, wrong, "time"), "is no finite number", _ANEW)
    with np.errstate(over="ignore"):
        steps = np.diff(found.times)
    wrong = _first(steps < 0)
    if wrong is not None:
        before, after = found.times[wrong : wrong + 2]
        problem = f"is {after:g}, before the time of the snapshot before it ({before:g})"
        raise InputError.at(place(found, wrong + 1, "time"), problem, _ANEW)
    with np.errstate(over="ignore"):
        is_too_long = not np.isfinite(found.times[-1] - found.times[0])
    if is_too_long:
        raise InputError.at(place(found, len(found.times) - 1, "time"), "is too large", _ANEW)
    if unit is None:
        unit = "ms" if len(steps) and float(np.median(steps)) >= 1 else "s"
    return found.times / 1000 if unit == "ms" else found.times


def views_of(found: Snapshots) -> Views:
    """Returns the views of all snapshots. The element of the projection that is -1 tells the layout
    of the file: element 14, counted from 0, in row-major order, element 11 in column-major order.

    Raises:
        InputError: a matrix has NaN, is no pose or no projection with a perspective.
    """
    import numpy as np

    for column, matrices in (
        ("extrinsic_matrix", found.poses),
        ("intrinsic_matrix", found.projections),
    ):
        wrong = _first(~np.isfinite(matrices).all(axis=1))
        if wrong is not None:
            raise InputError.at(place(found, wrong, column), "has no finite number", _ANEW)
    poses, projections = found.poses.reshape(-1, 4, 4), found.projections.reshape(-1, 4, 4)
    if _is_column_major(found):
        poses, projections = poses.transpose(0, 2, 1), projections.transpose(0, 2, 1)
    rotations = np.ascontiguousarray(poses[:, :3, :3])
    _require_poses(found, poses)
    _require_projections(found, projections)
    views = projections[:, (0, 0, 1, 1), (0, 2, 1, 2)]
    return Views(rotations, np.ascontiguousarray(views))


def _is_column_major(found: Snapshots) -> bool:
    """Tells the layout of all matrices of a file."""
    import numpy as np

    is_row, is_column = (abs(found.projections[:, k] + 1) <= _TOLERANCE for k in (14, 11))
    wrong = _first(~is_row & ~is_column)
    if wrong is not None:
        raise InputError.at(
            place(found, wrong, "intrinsic_matrix"),
            "is no projection with a perspective",
            "give traces of a perspective camera, not of an orthographic one",
        )
    if is_row.all() and is_column.all():
        # The projection of a near plane at 1/2: only the place of the camera's position tells.
        has_position = [np.any(found.poses[:, columns]) for columns in ((3, 7, 11), (12, 13, 14))]
        return bool(has_position[1]) and not has_position[0]
    if is_row.all() or is_column.all():
        return not is_row.all()
    problem = "has another layout than the matrices before it"
    other = _first(~is_row if is_row[0] else ~is_column)
    assert other is not None
    raise InputError.at(place(found, other, "intrinsic_matrix"), problem, _ANEW)


def _require_poses(found: Snapshots, poses: npt.NDArray[np.float64]) -> None:
    import numpy as np

    with np.errstate(all="ignore"):
        rotations = poses[:, :3, :3]
        products = np.einsum("nij,nik->njk", rotations, rotations)
        is_rotation = (abs(products - np.eye(3)) <= _TOLERANCE).all(axis=(1, 2))
        is_rotation[is_rotation] = np.linalg.det(rotations[is_rotation]) > 0
        is_affine = (abs(poses[:, 3] - (0, 0, 0, 1)) <= _TOLERANCE).all(axis=1)
    wrong = _first(~is_rotation | ~is_affine)
    if wrong is None:
        return
    problem = "has no rotation: its columns are not orthonormal within 1e-3, or mirrored"
    if is_rotation[wrong]:
        problem = "is no pose: its last row is not (0, 0, 0, 1)"
    raise InputError.at(place(found, wrong, "extrinsic_matrix"), problem, _ANEW)


def _require_projections(found: Snapshots, projections: npt.NDArray[np.float64]) -> None:
    is_perspective = (abs(projections[:, 3] - (0, 0, -1, 0)) <= _TOLERANCE).all(axis=1)
    is_wide = (projections[:, 0, 0] > 0) & (projections[:, 1, 1] > 0)
    is_straight = (abs(projections[:, (0, 1), (1, 0)]) <= _TOLERANCE).all(axis=1)
    is_narrow = (abs(projections[:, :2]) <= _MAX_ZOOM).all(axis=(1, 2))
    wrong = _first(~(is_perspective & is_wide & is_straight & is_narrow))
    if wrong is not None:
        raise InputError.at(
            place(found, wrong, "intrinsic_matrix"),
            "is no projection with a perspective, or it is turned or skewed",
            "give traces of a perspective camera",
        )

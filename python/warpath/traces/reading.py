"""Reads pose traces of RxR and PanGEA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..arguments import number, text
from ..errors import InputError, UsageError, Where
from ..files import default_limit
from ..inputs import is_path
from .forms import Snapshots, read_snapshots
from .poses import Views, seconds_of, views_of
from .trace import Trace, Visit

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["MASKS", "TIME_UNITS", "VISITS", "choice", "read"]

MASKS = ("computed", "published")
VISITS = ("each", "joined")
TIME_UNITS = ("s", "ms")


def read(
    file: str | os.PathLike[str],
    *,
    masks: str = "computed",
    visits: str = "each",
    time_unit: str | None = None,
    max_input: int = 0,
) -> Trace:
    """Reads a follower's pose trace: RxR's ``.npz`` or PanGEA's JSON Lines; ``.gz`` is fine.

    ``.npz`` files have ``pano``, ``time``, ``extrinsic_matrix`` and ``intrinsic_matrix``, [n] or
    [n, 1] and [n, 4, 4] or [n, 16]; lines have ``id``, ``time``, ``exmat`` and ``inmat``. A visit is
    a run of snapshots of one viewpoint. Nothing is unpickled.

    Args:
        file: the trace.
        masks: what was seen is ``computed`` from poses and projections, or ``published``: RxR's
            ``image_mask``.
        visits: ``each``, or ``joined``: all visits of a viewpoint are one.
        time_unit: of the file, ``s`` or ``ms``; None: a median step of 1 or more is milliseconds.
        max_input: bytes that are read of a file, and that it unpacks to; 0: a quarter of the
            memory.

    Raises:
        InputError: the file is no trace, broken or too large; a time decreases; a pose is no
            rotation within 1e-3, or a projection has no perspective; its masks are not those of its
            visits.
        UsageError: an argument has no such value.

    Source: Ku et al. 2020 and the README of RxR; Zhao et al. 2021, section 3.

    Example:
        >>> trace = warpath.traces.read("000000_follower_pose_trace.npz")
        >>> trace.path, trace.time, trace.search("pixels")
    """
    if not is_path(file):
        raise InputError.at(Where("file"), f"is of type {type(file).__name__}", "give a file")
    has_masks = choice("masks", masks, MASKS) == "published"
    is_joined = choice("visits", visits, VISITS) == "joined"
    if time_unit is not None:
        choice("time_unit", time_unit, TIME_UNITS)
    limit = number("max_input", max_input) or default_limit()
    found = read_snapshots(file, limit, has_masks)
    times, views = seconds_of(found, time_unit), views_of(found)
    starts = _starts(found.viewpoints)
    path = [found.viewpoints[k] for k in starts]
    groups = _groups(path, is_joined)
    runs = list(zip(starts, [*starts[1:], len(found.viewpoints)]))
    made = [_visit(found, times, views, runs, group) for group in groups]
    return Trace(found.file, path, times, made, found.hash)


def choice(argument: str, value: object, known: Sequence[str]) -> str:
    """Returns one of the words. Raises UsageError for another one."""
    found = text(argument, value)
    if found not in known:
        raise UsageError(f"{argument} is '{found[:40]}'; give {', '.join(known)}")
    return found


def _starts(viewpoints: list[str]) -> list[int]:
    """Returns the first snapshot of each visit."""
    return [k for k, v in enumerate(viewpoints) if k == 0 or v != viewpoints[k - 1]]


def _groups(path: list[str], is_joined: bool) -> list[list[int]]:
    """Returns the runs of snapshots that make up each visit."""
    if not is_joined:
        return [[k] for k in range(len(path))]
    groups: dict[str, list[int]] = {}
    for k, viewpoint in enumerate(path):
        groups.setdefault(viewpoint, []).append(k)
    return list(groups.values())


def _visit(
    found: Snapshots,
    times: npt.NDArray[np.float64],
    views: Views,
    runs: list[tuple[int, int]],
    group: list[int],
) -> Visit:
    import numpy as np

    def of_group(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        parts = [column[slice(*runs[k])] for k in group]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    published = None
    if found.masks is not None:
        if len(found.masks) != len(runs):
            raise InputError.at(
                Where(found.file, field="image_mask"),
                f"has {len(found.masks)} masks, but there are {len(runs)} visits",
                "leave out --masks published",
            )
        published = found.masks[group].any(axis=0)
    part = Views(*(of_group(column) for column in views))
    return Visit(found.viewpoints[runs[group[0]][0]], of_group(times), part, published)

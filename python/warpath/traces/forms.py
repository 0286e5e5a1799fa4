"""The forms that pose traces have in files: RxR's ``.npz`` archives and PanGEA's JSON Lines."""

from __future__ import annotations

import io
import json
import math
import os
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..errors import InputError, Where
from ..files import read_bytes
from .archive import Archive

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["COLUMNS", "PANORAMA", "Snapshots", "place", "read_snapshots"]

PANORAMA = (128, 256)
"""Rows and columns of a mask."""

COLUMNS = {"pano": "id", "time": "time", "extrinsic_matrix": "exmat", "intrinsic_matrix": "inmat"}
"""What a snapshot holds: its name in RxR's archives and in PanGEA's lines."""

_FORMS = "give RxR's .npz, or PanGEA's JSON Lines of id, exmat, inmat and time"


class Snapshots(NamedTuple):
    """Holds what a file says, before any of it is judged. ``n`` is the number of snapshots."""

    file: str
    hash: str
    """Of its content, as ``warpath eval --json`` has it."""
    is_lines: bool
    """Whether the file is JSON Lines."""
    viewpoints: list[str]
    times: npt.NDArray[np.float64]
    """[n], in the unit of the file."""
    poses: npt.NDArray[np.float64]
    """[n, 16], in the layout of the file."""
    projections: npt.NDArray[np.float64]
    """[n, 16], likewise."""
    masks: npt.NDArray[np.bool_] | None
    """[visits, 128, 256], the published ones; None: not asked for."""


def place(found: Snapshots, snapshot: int, column: str) -> Where:
    """Says where in the file a value of a snapshot, numbered from 0, stands."""
    if found.is_lines:
        return Where(found.file, f"line {snapshot + 1}", COLUMNS[column])
    return Where(found.file, f"snapshot {snapshot + 1}", column)


def read_snapshots(
    file: str | os.PathLike[str], max_bytes: int, has_masks: bool = False
) -> Snapshots:
    """Reads a trace of either form; ``.gz`` is fine.

    Args:
        max_bytes: of the file, and of what it unpacks to.
        has_masks: whether the published masks are wanted, too.

    Raises:
        InputError: the file cannot be read, is too large, or is no trace.
    """
    name = os.fspath(file)
    data = read_bytes(name, -1 if name == "-" else max_bytes + 1)
    if len(data) > max_bytes:
        problem = f"is larger than what is read of a file ({max_bytes} bytes)"
        raise InputError.at(Where(name), problem, "leave the file out, or raise --max-input")
    content = _core.content_hash(data)
    if data.startswith(b"PK"):
        return _of_archive(name, content, Archive(name, data, max_bytes), has_masks)
    if has_masks:
        problem = "has no published masks: it is no .npz of RxR"
        raise InputError.at(Where(name), problem, "leave out --masks published")
    return _of_lines(name, content, data)


def _of_archive(name: str, content: str, archive: Archive, has_masks: bool) -> Snapshots:
    pano = archive.read("pano")
    if pano.ndim == 0:
        raise InputError.at(Where(name, field="pano"), "is no list", "give [n] or [n, 1]")
    times = _numbers(name, archive, "time", ())
    poses = _numbers(name, archive, "extrinsic_matrix", (4, 4))
    projections = _numbers(name, archive, "intrinsic_matrix", (4, 4))
    for key, values in zip(list(COLUMNS)[1:], (times, poses, projections)):
        if len(values) != len(pano):
            problem = f"has {len(values)} snapshots, but pano has {len(pano)}"
            raise InputError.at(Where(name, field=key), problem, "get the file anew")
    masks = _masks(name, archive) if has_masks else None
    return Snapshots(name, content, False, _texts(name, pano), times, poses, projections, masks)


def _texts(name: str, found: npt.NDArray[Any]) -> list[str]:
    where = Where(name, field="pano")
    if found.dtype.kind not in "SU":
        raise InputError.at(where, f"is of the type {found.dtype}, not of texts", _FORMS)
    if found.shape[1:] not in ((), (1,)):
        raise InputError.at(where, f"has the shape {_shown(found)}", "give [n] or [n, 1]")
    try:
        texts = [v.decode() if isinstance(v, bytes) else str(v) for v in found.reshape(-1).tolist()]
    except (ValueError, SystemError):  # NumPy's texts of numbers that no letter has
        raise InputError.at(where, "has letters that are none", "get the file anew") from None
    for text in dict.fromkeys(texts):
        if not _is_name(text):
            raise _no_name(text, Where(name, f"snapshot {texts.index(text) + 1}", "pano"))
    return texts


def _is_name(text: str) -> bool:
    return text.isprintable() and bool(text) and " " not in text


def _no_name(text: str, where: Where) -> InputError:
    shown = ascii(text[:40])
    return InputError.at(where, f"is {shown}, which names no viewpoint", "give viewpoints' ids")


def _numbers(
    name: str, archive: Archive, key: str, shape: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    """Returns [n] numbers, or [n, 16] for matrices."""
    import numpy as np

    found = archive.read(key)
    where = Where(name, field=key)
    size = math.prod(shape)
    kinds = "f" if shape else "fiu"  # matrices of integers would be rotations by right angles
    if found.dtype.kind not in kinds:
        problem = f"is of the type {found.dtype}"
        raise InputError.at(where, problem, "give float32 or float64")
    if found.ndim < 1 or found.shape[1:] not in (shape, (size,)):
        wanted = f"[n, {size}] or [n, 4, 4]" if shape else "[n] or [n, 1]"
        raise InputError.at(where, f"has the shape {_shown(found)}", f"give {wanted}")
    rows = found.reshape(-1, size) if shape else found.reshape(-1)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(rows, np.float64)


def _masks(name: str, archive: Archive) -> npt.NDArray[np.bool_]:
    key = "image_mask"
    where = Where(name, field=key)
    if key not in archive:
        raise InputError.at(where, "is missing", "leave out --masks published")
    found = archive.read(key)
    is_truth = found.dtype.kind == "b" or (
        found.dtype.kind in "iuf" and bool(((found == 0) | (found == 1)).all())
    )
    if not is_truth:
        raise InputError.at(where, "is no mask of 0 and 1", "leave out --masks published")
    if found.ndim != 3 or found.shape[1:] != PANORAMA:
        raise InputError.at(where, f"has the shape {_shown(found)}", "give [visits, 128, 256]")
    masks: npt.NDArray[np.bool_] = found.astype(bool)
    return masks


def _shown(found: npt.NDArray[Any]) -> str:
    return f"[{', '.join(map(str, found.shape))}]"


def _of_lines(name: str, content: str, data: bytes) -> Snapshots:
    import numpy as np

    viewpoints: list[str] = []
    columns = {"time": array("d"), "exmat": array("d"), "inmat": array("d")}
    for number, line in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf").rstrip()), 1):
        where = Where(name, f"line {number}")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError.at(where, "is no JSON", _FORMS) from None
        if not isinstance(found, dict) or not isinstance(found.get("id"), str):
            raise InputError.at(where, "has no id of a viewpoint", _FORMS)
        if not _is_name(found["id"]):
            raise _no_name(found["id"], where._replace(field="id"))
        viewpoints.append(found["id"])
        for key, size in (("time", 1), ("exmat", 16), ("inmat", 16)):
            values = [found.get(key)] if size == 1 else found.get(key)
            columns[key].extend(_floats(values, size, where._replace(field=key)))
    if not viewpoints:
        raise InputError.at(Where(name), "has no snapshot", _FORMS)
    times, poses, projections = (np.array(columns[key]) for key in ("time", "exmat", "inmat"))
    return Snapshots(
        name, content, True, viewpoints, times, poses.reshape(-1, 16), projections.reshape(-1, 16),
        None,
    )


def _floats(values: Any, size: int, where: Where) -> list[float]:
    remedy = "give a number" if size == 1 else f"give {size} numbers"
    if not isinstance(values, list) or len(values) != size:
        raise InputError.at(where, "is missing" if values is None else "is no matrix", remedy)
    if not all(type(value) in (int, float) for value in values):
        problem = "is missing" if values == [None] else "is not of numbers"
        raise InputError.at(where, problem, remedy)
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise InputError.at(where, "is too large", remedy) from None

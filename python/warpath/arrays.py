"""Arrays as the library reads them. Arrays of the right type and layout are not copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import InputError, Where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Rows", "flags", "float32", "integers", "out_floats", "rows_of"]


class Rows(NamedTuple):
    """Holds paths in rows, and how many elements of each row belong to its path."""

    values: npt.NDArray[Any]
    lengths: npt.NDArray[Any]


def integers(values: npt.ArrayLike | None, name: str) -> npt.NDArray[Any] | None:
    """Returns integers without gaps. Raises InputError if they are none."""
    import numpy as np

    if values is None:
        return None
    array = np.asarray(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)  # NumPy takes an empty list for floats
    if array.dtype.kind not in "iu":
        raise _wrong(name, array, "give integers")
    return np.ascontiguousarray(array)


def flags(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.uint8] | None:
    """Returns flags as bytes: bools, or integers that are 0 or not."""
    import numpy as np

    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind not in "biu":
        raise _wrong(name, array, "give bools, or integers that are 0 or not")
    if array.dtype.itemsize != 1:
        array = array != 0
    return np.ascontiguousarray(array).view(np.uint8)


def float32(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.float32] | None:
    """Returns numbers as float32 without gaps."""
    import numpy as np

    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise _wrong(name, array, "give floats")
    return np.ascontiguousarray(array, np.float32)


def out_floats(out: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Checks an array that is written to; it is never converted.

    Raises:
        InputError: it has another type, shape or layout.
    """
    import numpy as np

    if (
        isinstance(out, np.ndarray)
        and out.dtype == np.float32
        and out.shape == shape
        and out.flags.c_contiguous
        and out.flags.writeable
    ):
        return out
    raise _wrong("out", out, f"give a writable float32 array {list(shape)} without gaps")


def rows_of(values: npt.ArrayLike, lengths: npt.ArrayLike | None, leading: int = 1) -> Rows:
    """Returns rows of viewpoints (integers) or points (floats, three more) with their lengths.

    Args:
        leading: dimensions before that of a row's elements.
    """
    import numpy as np

    array = np.asarray(values)
    is_points = array.dtype.kind == "f"
    if array.ndim != leading + 1 + is_points or (is_points and array.shape[-1] != 3):
        wanted = "integers [rollouts, length], or points as floats [rollouts, length, 3]"
        raise _wrong("queries", array, f"give {wanted}")
    rows = float32(array, "queries") if is_points else integers(array, "queries")
    assert rows is not None
    if lengths is None:
        is_behind = np.isnan(rows).any(axis=-1) if is_points else rows < 0
        has_end = is_behind.any(axis=-1)
        count = rows.shape[leading]
        ends = np.argmax(is_behind, axis=-1) if count else np.zeros(rows.shape[:leading], int)
        return Rows(rows, np.where(has_end, ends, count))
    given = integers(lengths, "lengths")
    assert given is not None
    return Rows(rows, given)


def _wrong(name: str, value: Any, remedy: str) -> InputError:
    what = f"{value.dtype}{list(value.shape)}" if hasattr(value, "dtype") else type(value).__name__
    return InputError.at(Where(name), f"is {what}", remedy)

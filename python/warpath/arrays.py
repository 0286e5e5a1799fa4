"""Arrays as the library reads them. Arrays of the right type and layout are not copied."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _core
from .errors import InputError, Where
from .views import NO_INTEGERS, IntegersAt, PathsAt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Rows",
    "array_of",
    "at",
    "count_paths",
    "flags",
    "float32",
    "floats",
    "integers",
    "integers_at",
    "out_floats",
    "paths_at",
    "refuse_no_elements",
    "refuse_shared",
    "rows_of",
    "rows_of_points",
    "shaped",
    "width_of",
]


class Rows(NamedTuple):
    """Holds paths in rows, and how many elements of each row belong to its path; None: a row ends
    before its first negative number or NaN."""

    values: npt.NDArray[Any]
    lengths: npt.NDArray[Any] | None


def array_of(values: Any, name: str) -> npt.NDArray[Any]:
    """Returns an array of anything that NumPy makes one of.

    Raises:
        InputError: NumPy makes none of it, or some of its elements are masked.
    """
    import numpy as np

    try:
        if not _has_masked(values):
            return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RuntimeError, AttributeError) as error:
        what = f"is no array, but of type {type(values).__name__} ({_line(error)})"
        raise InputError.at(Where(name), what, "give an array, or lists of equal lengths") from error
    remedy = "fill them, as with filled(-1), or leave them out"
    raise InputError.at(Where(name), "has masked elements", remedy)


def _has_masked(values: Any) -> bool:
    import numpy as np

    if isinstance(values, np.ma.MaskedArray):
        return bool(np.any(values.mask))
    if type(values) not in (list, tuple) or not values:
        return False
    if isinstance(values[0], (int, float, str)):  # a list of numbers, mostly
        return any(value is np.ma.masked for value in values)
    return any(map(_has_masked, values))


def _line(error: Exception) -> str:
    """Returns an error's words in one line."""
    words = str(error).encode(errors="backslashreplace").decode().split()
    return " ".join(words)[:200]


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns an array without gaps, aligned and in the machine's order of bytes."""
    import numpy as np

    if not (array.dtype.isnative and array.flags.aligned):
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array).reshape(array.shape)  # which makes rows of scalars


def integers(values: npt.ArrayLike | None, name: str) -> npt.NDArray[Any] | None:
    """Returns integers without gaps. Raises InputError if they are none."""
    import numpy as np

    if values is None:
        return None
    array = array_of(values, name)
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)  # NumPy takes an empty list for floats
    if array.dtype.kind not in "iu":
        raise _wrong(name, array, "give integers")
    return _plain(array)


def flags(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.uint8] | None:
    """Returns flags as bytes: bools, or integers that are 0 or not."""
    import numpy as np

    if values is None:
        return None
    array = array_of(values, name)
    if array.dtype.kind not in "biu":
        raise _wrong(name, array, "give bools, or integers that are 0 or not")
    if array.dtype.itemsize != 1:
        array = array != 0
    return _plain(array).view(np.uint8)


def float32(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.float32] | None:
    """Returns numbers as float32 without gaps."""
    import numpy as np

    if values is None:
        return None
    array = array_of(values, name)
    if array.dtype.kind not in "fiu":
        raise _wrong(name, array, "give floats")
    return _plain(array.astype(np.float32, copy=False))


def floats(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.float64] | None:
    """Returns numbers as float64 without gaps; objects that are numbers are converted."""
    import numpy as np

    if values is None:
        return None
    array = array_of(values, name)
    if array.dtype.kind not in "fiuO":
        raise _wrong(name, array, "give floats")
    try:
        return _plain(array.astype(np.float64, copy=False))
    except (ValueError, TypeError, OverflowError) as error:
        raise _wrong(name, array, f"give floats ({_line(error)})") from error


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
        and out.flags.aligned
        and not _has_masked(out)
    ):
        return out
    raise _wrong("out", out, f"give a writable float32 array {list(shape)} without gaps")


def refuse_shared(out: Any, **inputs: Any) -> None:
    """Refuses an array that lies over another that the call reads while it writes.

    Raises:
        InputError: it names the input.
    """
    import numpy as np

    for name, array in inputs.items():
        if isinstance(array, np.ndarray) and np.may_share_memory(out, array):
            raise InputError.at(
                Where("out"), f"shares memory with {name}", "give it memory of its own"
            )


def rows_of(
    values: npt.ArrayLike,
    lengths: npt.ArrayLike | None,
    leading: int = 1,
    name: str = "queries",
) -> Rows:
    """Returns rows of viewpoints (integers) or points (floats, three more), and the lengths that
    are given.

    Args:
        leading: dimensions before that of a row's elements.
        name: of the rows' argument.
    """
    import numpy as np

    array = array_of(values, name)
    is_points = array.dtype.kind == "f"
    if array.ndim != leading + 1 + is_points or (is_points and array.shape[-1] != 3):
        wanted = "integers [rollouts, length], or points as floats [rollouts, length, 3]"
        raise _wrong(name, array, f"give {wanted}")
    rows = float32(array, name) if is_points else integers(array, name)
    assert rows is not None
    argument = "lengths" if name == "queries" else f"{name}.lengths"
    ends = integers(lengths, argument)
    if ends is not None:
        shaped(ends, rows.shape[:leading], argument)
    if all(rows.shape[:leading]):
        refuse_no_elements(rows.shape[leading:], argument)
    return Rows(_small(rows, name), ends)


def rows_of_points(
    queries: npt.ArrayLike,
    references: npt.ArrayLike,
    lengths: npt.ArrayLike | None,
    reference_lengths: npt.ArrayLike | None,
    kind: str,
) -> tuple[Rows, Rows]:
    """Returns queries and references of points. Raises InputError if they are none.

    Args:
        kind: what queries are called: "pairs", "rollouts".
    """
    rows = rows_of(queries, lengths)
    paths = rows_of(references, reference_lengths, name="references")
    for name, points in (("queries", rows.values), ("references", paths.values)):
        if points.ndim != 3:
            remedy = f"give points as floats [{kind}, length, 3]"
            raise InputError.at(Where(name), "are no points", remedy)
    return rows, paths


def refuse_no_elements(shape: Sequence[int], name: str) -> None:
    """Raises InputError if rows of that shape have no elements."""
    if 0 in shape:
        what = "are of rows without elements"
        raise InputError.at(Where(name), what, "give rows of at least one")


def shaped(array: Any, shape: tuple[int, ...], name: str) -> Any:
    """Returns an array. Raises InputError unless it has that shape, or is None."""
    if array is None or array.shape == shape:
        return array
    what = f"is an array {array.dtype}{list(array.shape)}"
    raise InputError.at(Where(name), what, f"give one of shape {list(shape)}")


def _small(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if array.shape and max(array.shape) >= 2**32:
        what = f"has {max(array.shape)} elements"
        raise InputError.at(Where(name), what, "give fewer than 2^32")
    return array


# ---------------------------------------------------------------- memory


def at(array: npt.NDArray[Any] | None) -> int:
    """Returns an array's address, 0 for None."""
    return 0 if array is None else array.__array_interface__["data"][0]


def integers_at(array: npt.NDArray[Any] | None) -> IntegersAt:
    """Returns the address of integers and the bytes of each."""
    return NO_INTEGERS if array is None else (at(array), array.itemsize)


def width_of(array: npt.NDArray[Any]) -> int:
    """Returns the bytes of viewpoints, negative for those with signs; 0 for points."""
    kind = array.dtype.kind
    return 0 if kind == "f" else -array.itemsize if kind == "i" else array.itemsize


def paths_at(rows: Rows, leading: int = 1) -> PathsAt:
    """Returns where rows lie."""
    values = rows.values
    return PathsAt(at(values), width_of(values), values.shape[leading], integers_at(rows.lengths))


def _wrong(name: str, value: Any, remedy: str) -> InputError:
    import numpy as np

    is_array = isinstance(value, np.ndarray)
    what = f"{value.dtype}{list(value.shape)}" if is_array else f"of type {type(value).__name__}"
    return InputError.at(Where(name), f"is {what}", remedy)


def count_paths(paths: Any) -> int:
    """Returns the number of paths; 0 where there are none, which the library then refuses."""
    try:
        if isinstance(paths, _core.CsrPaths):
            return max(len(cast("Sized", paths.offsets)) - 1, 0)
        if isinstance(paths, _core.PaddedPaths):
            return len(cast("Sized", paths.values))
        return len(paths)
    except (TypeError, ValueError, OverflowError):
        return 0

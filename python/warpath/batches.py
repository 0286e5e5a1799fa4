"""What a call hands over in arrays beside the paths: checked, and where it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arguments import number
from .arrays import Rows, flags, float32, integers, integers_at, paths_at, shaped
from .errors import InputError, Where
from .views import BatchAt

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["batch_arrays", "batch_at", "group_size_of", "of_references", "paths_named"]


def batch_arrays(
    rows: Rows, reference: npt.ArrayLike | None, active: npt.ArrayLike | None
) -> dict[str, Any]:
    """Returns what belongs to each row of a batch."""
    shape = rows.values.shape[:1]
    return {
        "reference": shaped(integers(reference, "reference"), shape, "reference"),
        "active": shaped(flags(active, "active"), shape, "active"),
    }


def group_size_of(group_size: int | None, reference: object) -> int:
    """Returns how many rollouts that follow each other have a reference; 0 for None.

    Raises:
        InputError: it is no such number, or references are numbered, too.
    """
    if group_size is None:
        return 0
    if reference is not None:
        what = "is given, and so is reference"
        raise InputError.at(Where("group_size"), what, "give one of them")
    return number("group_size", group_size, 1, 2**32 - 1)


def of_references(
    count: int, prefix: npt.ArrayLike | None, spl_length: npt.ArrayLike | None
) -> dict[str, Any]:
    """Returns what a call says of references, or of entries, one by one."""
    numbers, lengths = integers(prefix, "prefix"), float32(spl_length, "spl_length")
    if numbers is not None and numbers.dtype.kind == "i" and numbers.itemsize < 4:
        numbers = numbers.astype("int32")  # the library reads narrow ones without a sign
    return {
        "prefix": shaped(numbers, (count,), "prefix"),
        "spl_length": shaped(lengths, (count,), "spl_length"),
    }


def paths_named(paths: Rows | None) -> dict[str, Any]:
    """Returns the arrays of references by the names of arguments."""
    return {} if paths is None else {"references": paths.values, "reference_lengths": paths.lengths}


def batch_at(rows: Rows, paths: Rows | None, reference: Any, **others: Any) -> BatchAt:
    """Returns where a batch lies. Raises InputError if references are not numbered and not as many
    as queries, or as groups of them."""
    count = len(rows.values)
    numbers = integers_at(reference)
    if paths is None:
        return BatchAt(count, paths_at(rows), None, numbers, **others)
    if reference is None:
        needed = count // (others.get("group_size") or 1)
        shaped(paths.values, (needed, *paths.values.shape[1:]), "references")
    return BatchAt(count, paths_at(rows), paths_at(paths), numbers, len(paths.values), **others)

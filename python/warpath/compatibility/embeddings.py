"""Checks of embeddings and of what goes with them: widths, rows, matches."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from .. import _core
from ..errors import InputError, Where
from ..files import read_all
from ..inputs import is_path
from ..npy_arrays import read_npy

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Doubles = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

__all__ = [
    "ArrayLike",
    "ArrayFile",
    "are_tensors",
    "array_of",
    "directions",
    "is_tensor",
    "matches",
    "name_of",
    "read_array",
    "require_matches",
    "require_pairs",
    "require_widths",
]

ArrayLike: TypeAlias = Any
"""An array of NumPy, what ``numpy.asarray`` takes, a tensor of torch, or a file ``.npy``."""


class ArrayFile(NamedTuple):
    """Holds the array of a file."""

    name: str
    hash: str
    array: npt.NDArray[np.generic]


def read_array(value: ArrayLike) -> ArrayLike:
    """Returns an ``ArrayFile`` for a file, what it is given otherwise.

    Raises:
        InputError: the file cannot be read, is broken or not an array of numbers.
    """
    if not is_path(value):
        return value
    name, content = os.fspath(value), read_all(value)

    def fail(problem: str, remedy: str) -> NoReturn:
        raise InputError.at(Where(name), problem, remedy)

    array = read_npy(content, fail, "give numbers, written by numpy.save")
    return ArrayFile(name, _core.content_hash(content), array)


def is_tensor(value: object) -> bool:
    """Tells a tensor of torch, without importing it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def are_tensors(*values: object) -> bool:
    """Tells whether the embeddings are tensors. Raises InputError if only some are."""
    found = [is_tensor(value) for value in values]
    if any(found) and not all(found):
        raise InputError.at(
            Where("trajectories" if found[0] else "instructions"),
            "is no tensor, and the others are",
            "give tensors for all, or arrays for all",
        )
    return found[0]


def name_of(value: ArrayLike, name: str) -> str:
    """Returns what messages call an argument: a file by its name."""
    return value.name if isinstance(value, ArrayFile) else name


def array_of(value: ArrayLike, name: str, dimensions: int) -> npt.NDArray[np.generic]:
    """Returns an array of numbers with so many dimensions, of a file, too; tensors are copied to
    the host.

    Raises:
        InputError: it is none.
    """
    import numpy as np

    value = read_array(value)
    shown = name_of(value, name)
    if isinstance(value, ArrayFile):
        value = value.array
    elif is_tensor(value):
        value = _on_host(value, shown)
    try:
        found = np.asarray(value)
    except Exception as error:  # arrays of other libraries raise what they like
        reason = " ".join(str(error).split())[:100]
        raise InputError.at(Where(shown), f"is no array ({reason})", "give numbers") from None
    if found.dtype.kind not in "biuf":
        raise InputError.at(Where(shown), f"is of the type {found.dtype}", "give numbers")
    if found.ndim != dimensions:
        sizes = "[rows, width]" if dimensions == 2 else "[rows]"
        shape = list(found.shape)
        raise InputError.at(Where(shown), f"has the shape {shape}", f"give an array {sizes}")
    if not found.size:
        raise InputError.at(Where(shown), f"has the shape {list(found.shape)}", "give rows")
    return found


def _on_host(tensor: Any, name: str) -> npt.NDArray[np.generic]:
    """Returns the numbers of a tensor."""
    try:
        is_short = tensor.is_floating_point() and tensor.element_size() < 4  # NumPy has no bfloat16
        found: npt.NDArray[np.generic] = (
            (tensor.float() if is_short else tensor).detach().cpu().numpy()
        )
        return found
    except (TypeError, RuntimeError):
        what = f"is a tensor of layout {tensor.layout} on {tensor.device}, which has no array"
        raise InputError.at(Where(name), what, "give a dense tensor") from None


def directions(value: ArrayLike, name: str) -> Doubles:
    """Returns the rows of an array, each divided by its length: float64 [rows, width].

    Raises:
        InputError: it is no such array, or a row is zero or not finite.
    """
    import numpy as np

    value = read_array(value)
    out = array_of(value, name, 2).astype(np.float64)
    largest = np.abs(out).max(1, keepdims=True)
    refuse_rows(~np.isfinite(largest[:, 0]), name_of(value, name), "is not finite")
    refuse_rows(largest[:, 0] == 0, name_of(value, name), "is zero")
    out /= largest  # squares of very small or large numbers are none
    out /= np.sqrt(np.einsum("nd,nd->n", out, out))[:, None]
    return out


def refuse_rows(are_wrong: npt.NDArray[np.bool_], name: str, problem: str) -> None:
    """Raises InputError for the first row that is wrong; rows are numbered from 0."""
    if are_wrong.any():
        row = int(are_wrong.argmax())
        count = int(are_wrong.sum())
        others = f", as are {count - 1} others" if count > 1 else ""
        remedy = "leave the pair out, or give its embedding: a cosine needs a direction"
        raise InputError.at(Where(name, f"row {row}"), problem + others, remedy)


def require_widths(first: int, second: int, name: str = "trajectories") -> None:
    """Refuses embeddings of different widths."""
    if first != second:
        raise InputError.at(
            Where(name),
            f"has rows of {second} numbers, the instructions {first}",
            "give embeddings of one space",
        )


def matches(value: ArrayLike | None, n: int, t: int) -> Integers:
    """Returns the number of the trajectory that belongs to each instruction.

    Args:
        value: integers [n], or None: instruction i belongs to trajectory i.

    Raises:
        InputError: there is none and n is not t, or it is not of n numbers from 0 to t - 1.
    """
    import numpy as np

    if value is None:
        require_matches(n, t)
        return np.arange(n)
    value = read_array(value)
    found = array_of(value, "match", 1)
    name = name_of(value, "match")
    if found.dtype.kind not in "iu":
        raise InputError.at(Where(name), f"is of the type {found.dtype}", "give integers")
    require_pairs(len(found), n, name)
    if found.dtype.kind == "u":
        found = np.minimum(found, 2**62)  # beyond int64 numbers would be negative
    numbers = found.astype(np.int64)
    are_wrong = (numbers < 0) | (numbers >= t)
    if are_wrong.any():
        row = int(are_wrong.argmax())
        raise InputError.at(
            Where(name, f"row {row}"),
            f"is {int(numbers[row])}; there are {t} trajectories",
            f"give a number from 0 to {t - 1}",
        )
    return numbers


def require_matches(n: int, t: int) -> None:
    """Refuses numbers of instructions and trajectories that do not say what belongs together."""
    if n != t:
        raise InputError.at(
            Where("match"),
            f"is missing, and there are {n} instructions of {t} trajectories",
            "give the number of each instruction's trajectory (--match)",
        )


def require_pairs(given: int, n: int, name: str) -> None:
    """Refuses what has not one number for each instruction."""
    if given != n:
        raise InputError.at(
            Where(name), f"has {given} numbers for {n} instructions", "give one for each"
        )

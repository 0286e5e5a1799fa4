"""Arrays in the form of ``.npy``: nothing is unpickled, and no header is believed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["read_npy"]

_BROKEN = "get the file anew"
_MAX_HEADER = 10_000  # as NumPy's own limit
_DESCR = re.compile(rb"""['"]descr['"]\s*:\s*['"]([^'"]{1,20})['"]""")
_ORDER = re.compile(rb"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(rb"""['"]shape['"]\s*:\s*\(([\d\s,]{0,200})\)""")
_TYPE = re.compile(r"[<>|=]?[biufUS]\d{1,9}")


def read_npy(
    content: bytes, fail: Callable[[str, str], NoReturn], remedy: str
) -> npt.NDArray[np.generic]:
    """Returns an array of numbers, texts or truth values, which cannot be written.

    NumPy allocates what a header asks for before it reads the array. Here sizes are compared first.

    Args:
        content: the whole file.
        fail: raises the error of a problem and a remedy.
        remedy: against another type or form.
    """
    import numpy as np

    if content[:6] != b"\x93NUMPY" or content[6:7] not in (b"\x01", b"\x02", b"\x03"):
        fail("is no array of NumPy", remedy)
    start = 10 if content[6] == 1 else 12
    size = int.from_bytes(content[8:start], "little")
    if size > _MAX_HEADER or start + size > len(content):
        fail("has a broken header", _BROKEN)
    text = content[start : start + size]
    descr, order, shape = (form.search(text) for form in (_DESCR, _ORDER, _SHAPE))
    if descr is None:
        fail("is of records, not of numbers or texts", remedy)
    sizes = [number.strip() for number in shape[1].split(b",") if number.strip()] if shape else None
    if order is None or sizes is None or not all(map(_is_size, sizes)):
        fail("has a broken header", _BROKEN)
    named = descr[1].decode("latin-1")
    if not _TYPE.fullmatch(named):
        fail(f"is of the type {named!r}", remedy)
    try:
        kind = np.dtype(named)
    except Exception as error:  # NumPy has no word on what wrong names raise
        fail(f"is broken ({' '.join(str(error).split())[:100]})", _BROKEN)
    dimensions = tuple(map(int, sizes))
    count = math.prod(dimensions)
    offset = start + size
    if count * kind.itemsize != len(content) - offset:
        fail("has fewer or more elements than its header says", _BROKEN)
    if count == 0 or kind.itemsize == 0:
        fail("is empty", "give an array with elements")
    flat = np.frombuffer(content, kind, count, offset)
    return flat.reshape(dimensions, order="F" if order[1] == b"True" else "C")


def _is_size(number: bytes) -> bool:
    return number.isdigit() and len(number) < 19

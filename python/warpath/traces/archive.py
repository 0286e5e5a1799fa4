"""Arrays of ``.npz`` archives from anywhere: nothing is unpickled, and no header is believed."""

from __future__ import annotations

import io
import math
import re
import zipfile
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError, Where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Archive"]

_REMEDY = "give a trace as RxR has them, written by numpy.savez"
_BROKEN = "get the file anew"
_MAX_HEADER = 10_000  # as NumPy's own limit
_DESCR = re.compile(rb"""['"]descr['"]\s*:\s*['"]([^'"]{1,20})['"]""")
_ORDER = re.compile(rb"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(rb"""['"]shape['"]\s*:\s*\(([\d\s,]{0,200})\)""")
_TYPE = re.compile(r"[<>|=]?[biufUS]\d{1,9}")


class _Header(NamedTuple):
    descr: str
    is_fortran: bool
    shape: tuple[int, ...]
    offset: int
    """Bytes before the elements."""


class Archive:
    """Reads arrays of an ``.npz`` archive, as ``numpy.load(allow_pickle=False)`` does.

    NumPy allocates what the header of an array asks for before it reads the array, and a packed one
    may be a thousand times as large as its file. So sizes are compared first.

    Args:
        file: what messages call it.
        data: the bytes of the archive.
        max_bytes: of all arrays that are read, unpacked.

    Raises:
        InputError: the archive is broken.
    """

    def __init__(self, file: str, data: bytes, max_bytes: int) -> None:
        self._file = file
        self._left = max_bytes
        self._max_bytes = max_bytes
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._members = {member.filename: member for member in self._zip.infolist()}
        except Exception as error:  # zipfile has no word on what wrong bytes raise
            raise self._broken("", error) from None

    def __contains__(self, key: str) -> bool:
        return f"{key}.npy" in self._members

    def read(self, key: str) -> npt.NDArray[np.generic]:
        """Returns an array of numbers, texts or truth values, which cannot be written.

        Raises:
            InputError: there is none of this name, or it is broken, empty, of Python's objects or
                too large.
        """
        import numpy as np

        if key not in self:
            raise self._fault(key, "is missing", _REMEDY)
        content = self._unpack(key)
        header = self._header(key, content)
        if not _TYPE.fullmatch(header.descr):
            raise self._fault(key, f"is of the type {header.descr!r}", _REMEDY)
        try:
            kind = np.dtype(header.descr)
        except Exception as error:
            raise self._broken(key, error) from None
        count = math.prod(header.shape)
        if count * kind.itemsize != len(content) - header.offset:
            raise self._fault(key, "has fewer or more elements than its header says", _BROKEN)
        if count == 0 or kind.itemsize == 0:
            raise self._fault(key, "is empty", "leave out traces without a snapshot")
        flat = np.frombuffer(content, kind, count, header.offset)
        return flat.reshape(header.shape, order="F" if header.is_fortran else "C")

    def _unpack(self, key: str) -> bytes:
        member = self._members[f"{key}.npy"]
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._fault(key, "is packed in a way that NumPy does not write", _REMEDY)
        if member.file_size > self._left:
            raise self._fault(
                key,
                f"unpacks to {member.file_size} bytes, more than are read of a file "
                f"({self._max_bytes})",
                "leave the file out, or raise --max-input",
            )
        try:
            with self._zip.open(member) as stream:
                content = stream.read(member.file_size)
                is_whole = len(content) == member.file_size and not stream.read(1)
        except Exception as error:
            raise self._broken(key, error) from None
        if not is_whole:
            raise self._fault(key, "is not as long as the archive says", _BROKEN)
        self._left -= len(content)
        return content

    def _header(self, key: str, content: bytes) -> _Header:
        """Reads the header (numpy.lib.format) without evaluating its text."""
        if content[:6] != b"\x93NUMPY" or content[6:7] not in (b"\x01", b"\x02", b"\x03"):
            raise self._fault(key, "is no array of NumPy", _REMEDY)
        start = 10 if content[6] == 1 else 12
        size = int.from_bytes(content[8:start], "little")
        if size > _MAX_HEADER or start + size > len(content):
            raise self._fault(key, "has a broken header", _BROKEN)
        text = content[start : start + size]
        descr, order, shape = (form.search(text) for form in (_DESCR, _ORDER, _SHAPE))
        if descr is None:
            raise self._fault(key, "is of records, not of numbers or texts", _REMEDY)
        sizes = shape and [number.strip() for number in shape[1].split(b",") if number.strip()]
        if order is None or sizes is None or not all(map(_is_size, sizes)):
            raise self._fault(key, "has a broken header", _BROKEN)
        return _Header(
            descr[1].decode("latin-1"),
            order[1] == b"True",
            tuple(map(int, sizes)),
            start + size,
        )

    def _fault(self, key: str, problem: str, remedy: str) -> InputError:
        return InputError.at(Where(self._file, field=key), problem, remedy)

    def _broken(self, key: str, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        return self._fault(key, f"is broken ({reason})", _BROKEN)


def _is_size(number: bytes) -> bool:
    return number.isdigit() and len(number) < 19

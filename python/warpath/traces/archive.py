"""Arrays of ``.npz`` archives from anywhere: nothing is unpickled, and no header is believed."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, NoReturn

from ..errors import InputError, Where
from ..npy_arrays import read_npy

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Archive"]

_REMEDY = "give a trace as RxR has them, written by numpy.savez"
_BROKEN = "get the file anew"


class Archive:
    """Reads arrays of an ``.npz`` archive, as ``numpy.load(allow_pickle=False)`` does.

    A packed array may be a thousand times as large as its file, so sizes are compared first.

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
        if key not in self:
            raise self._fault(key, "is missing", _REMEDY)

        def fail(problem: str, remedy: str) -> NoReturn:
            raise self._fault(key, problem, remedy)

        return read_npy(self._unpack(key), fail, _REMEDY)

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

    def _fault(self, key: str, problem: str, remedy: str) -> InputError:
        return InputError.at(Where(self._file, field=key), problem, remedy)

    def _broken(self, key: str, error: Exception) -> InputError:
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        return self._fault(key, f"is broken ({reason})", _BROKEN)


"""Bytes of files: packed or not when read; written whole or not at all, never in place of an
input."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from typing import BinaryIO, cast

from .errors import InputError, UsageError, Where

__all__ = [
    "default_limit",
    "read_all",
    "read_bytes",
    "refused",
    "require_new",
    "write_whole",
    "written",
]

_remedies: dict[type[OSError], str] = {
    FileNotFoundError: "make the folder first",
    IsADirectoryError: "name a file, not a folder",
    NotADirectoryError: "name a file in a folder",
    PermissionError: "name a place that this user can write to",
}

_piece = 1 << 20
"""Bytes."""


def default_limit() -> int:
    """Returns how many bytes of a file are read at most, as by the compiled commands: a quarter of
    the memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4


def read_all(file: str | os.PathLike[str]) -> bytes:
    """Returns the content of a file, as ``read_bytes``, if it is no longer than what is read of one.

    Raises:
        InputError: the file cannot be read, or is too large, unpacked.
    """
    name, limit = os.fspath(file), default_limit()
    content = read_bytes(name, -1 if name == "-" else limit + 1)
    if len(content) > limit:
        what = f"is larger than what is read of a file ({limit} bytes)"
        raise InputError.at(Where(name), what, "divide it")
    return content


def read_bytes(file: str | os.PathLike[str], limit: int = -1) -> bytes:
    """Returns the content of a file, unpacked where it begins as gzip does; "-" is stdin.

    Args:
        limit: only so many bytes from its beginning; of stdin these are not used up. -1: all.

    Raises:
        InputError: the file cannot be read.
    """
    name = os.fspath(file)
    if name == "-":
        stream = cast("io.BufferedReader", sys.stdin.buffer)
        return stream.peek(limit) if limit > 0 else stream.read()
    try:
        with open(name, "rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            content = cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if packed else stream
            return content.read() if limit < 0 else _begin(content, limit)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.at(
            Where(name), f"cannot be read ({reason})", "check its name and permissions"
        ) from error


def _begin(stream: BinaryIO, limit: int) -> bytes:
    """Returns what a stream begins with. Python takes memory for all that a read asks for, so each
    asks for a piece."""
    parts, left = list[bytes](), limit
    while left > 0 and (part := stream.read(min(left, _piece))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def require_new(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuses outputs that would replace an input or each other.

    Args:
        outputs: option -> file; None and "-" (standard output) replace nothing.
        inputs: files, and folders: what lies in one is an input, too.

    Raises:
        UsageError: names the option and the file.
    """
    taken = {os.path.realpath(file): file for file in inputs}
    folders = {place: name for place, name in taken.items() if os.path.isdir(place)}
    for option, file in outputs.items():
        if file is None or file == "-":
            continue
        place = os.path.realpath(file)
        if place in taken:
            raise UsageError(f"{option} {file} would replace {taken[place]}: name another file")
        folder = folders.get(os.path.dirname(place))
        if folder is not None and os.path.exists(place):
            raise UsageError(f"{option} {file} would replace a file of {folder}: name another file")
        taken[place] = file


def write_whole(file: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file beside its place and moves it there: nobody finds a part of it. A link is kept,
    and its target is written; pipes and devices are written directly. A name that ends with ".gz" is
    packed, without a time, so that equal contents are equal bytes; "-" is stdout.

    Raises:
        InputError: the file cannot be written; an earlier one is as it was.
    """
    name = os.fspath(file)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            with open(name, "wb") as stream:
                stream.write(data)
        else:
            _replace(os.path.realpath(name), data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise refused(name, error) from error


def _replace(place: str, data: bytes) -> None:
    if os.path.exists(place):
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        mode = stat.S_IMODE(os.stat(place).st_mode)
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(place), prefix=".warpath-")
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            os.fchmod(stream.fileno(), mode)
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def refused(file: str, error: OSError) -> InputError:
    """Returns what is raised where a file cannot be written."""
    remedy = _remedies.get(type(error), "free some space or name another place")
    return InputError.at(Where(file), f"cannot be written: {error.strerror}", remedy)


def written(text: str, file: str | os.PathLike[str] | None) -> str:
    """Returns a text, and writes it to a file if one is named; see ``write_whole``."""
    if file is not None:
        write_whole(file, text)
    return text

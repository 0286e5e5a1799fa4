"""Bytes of files: packed or not when read; written whole or not at all, never in place of an
input."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from typing import BinaryIO, cast

from .errors import InputError, UsageError, Where

__all__ = ["default_limit", "read_all", "read_bytes", "require_new", "write_whole"]

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


def write_whole(file: str, content: str | bytes) -> None:
    """Writes a file under another name, and renames it: nobody finds a part of it. A name that ends
    with ".gz" is packed, without a time, so that equal contents are equal bytes; "-" is stdout.

    Raises:
        InputError: the file cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    if file.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    place = os.path.realpath(file)
    if os.path.exists(file) and not os.path.isfile(file):  # such as /dev/stdout
        try:
            with open(file, "wb") as stream:
                stream.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _refused(file, error) from error
        return
    try:
        descriptor, name = tempfile.mkstemp(dir=os.path.dirname(place), prefix=".warpath-")
    except OSError as error:
        raise _refused(file, error) from error
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, place)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(name)
        if isinstance(error, OSError):
            raise _refused(file, error) from error
        raise


def _refused(file: str, error: OSError) -> InputError:
    problem = f"cannot be written ({error.strerror})"
    return InputError.at(Where(file), problem, "name a file in a folder that can be written")

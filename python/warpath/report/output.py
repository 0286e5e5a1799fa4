"""Writing of a file: whole or not at all, and never over a file of someone else's."""

from __future__ import annotations

import os
import stat
import tempfile
from typing import NoReturn

from ..errors import InputError, UsageError, Where

__all__ = ["check_place", "write_file"]

_remedies = {
    "FileNotFoundError": "make the folder first",
    "IsADirectoryError": "name a file, not a folder",
    "NotADirectoryError": "name a file in a folder",
    "PermissionError": "name a place that this user can write to",
}


def check_place(path: str, beginning: str, force: bool) -> None:
    """Refuses a place that cannot be written to, before work is done for it.

    Args:
        beginning: of the files that may be replaced; so may empty files.
        force: whether any file may be replaced.

    Raises:
        InputError: the place is a folder, or there is no folder for it.
        UsageError: another program's file is there.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(21, os.strerror(21))
        if not os.path.lexists(path):
            os.stat(folder)
            return
        if not os.path.exists(path):
            raise InputError.at(
                Where(path),
                "cannot be written: it is a link to nothing",
                "remove the link or make what it leads to",
            )
        if force or not stat.S_ISREG(os.stat(path).st_mode):
            return
        with open(path, "rb") as stream:
            old = stream.read(len(beginning.encode()))
    except OSError as error:
        _fail(path, error)
    if old and old != beginning.encode():
        raise UsageError(
            f"{path} exists and is no report of warpath; name another file or say --force"
        )


def write_file(path: str, text: str) -> None:
    """Writes a file beside its place and moves it there; pipes and devices are written directly.
    A link is kept, and its target is written.

    Raises:
        InputError: it cannot be written; an earlier file is as it was.
    """
    content = text.encode()
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as stream:
                stream.write(content)
        else:
            _replace(os.path.realpath(path), content)
    except BrokenPipeError:
        raise
    except OSError as error:
        _fail(path, error)


def _replace(path: str, content: bytes) -> None:
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(13, os.strerror(13))
        mode = stat.S_IMODE(os.stat(path).st_mode)
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    number, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=os.path.basename(path))
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
            os.fchmod(stream.fileno(), mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _fail(path: str, error: OSError) -> NoReturn:
    remedy = _remedies.get(type(error).__name__, "free some space or name another place")
    raise InputError.at(Where(path), f"cannot be written: {error.strerror}", remedy) from error

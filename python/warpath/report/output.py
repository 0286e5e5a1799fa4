"""Places for reports: never over a file of someone else's."""

from __future__ import annotations

import os
import stat

from ..errors import InputError, UsageError, Where
from ..files import refused

__all__ = ["check_place"]

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
        raise refused(path, error) from error
    if old and old != beginning.encode():
        raise UsageError(
            f"{path} exists and is no report of warpath; name another file or say --force"
        )

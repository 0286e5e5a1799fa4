"""Files that commands write: whole or not at all, and never in place of an input."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping

from ..errors import InputError, UsageError, Where

__all__ = ["require_new", "write_whole"]


def require_new(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuses outputs that would replace an input or each other.

    Args:
        outputs: option -> file; None and "-" (standard output) replace nothing.

    Raises:
        UsageError: names the option and the file.
    """
    taken = {os.path.realpath(file): file for file in inputs}
    for option, file in outputs.items():
        if file is None or file == "-":
            continue
        place = os.path.realpath(file)
        if place in taken:
            raise UsageError(f"{option} {file} would replace {taken[place]}: name another file")
        taken[place] = file


def write_whole(file: str, content: str | bytes) -> None:
    """Writes a file under another name, and renames it: nobody finds a part of it.

    Raises:
        InputError: the file cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    place = os.path.realpath(file)
    if os.path.exists(place) and not os.path.isfile(place):  # such as /dev/stdout
        with open(place, "wb") as stream:
            stream.write(data)
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

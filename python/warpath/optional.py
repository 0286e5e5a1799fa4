"""Libraries that only some functions need: imported on use, or an error says how to get them."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import UsageError

__all__ = ["require"]


def require(module: str, extra: str) -> ModuleType:
    """Imports a module of an optional library.

    Args:
        module: its full name, such as ``matplotlib.figure``.
        extra: the extra of this package that brings the library.

    Raises:
        UsageError: the library is missing; the message says how to get it, by itself or, in a
            checkout of this package, with the extra.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise  # the library is there, but lacks one of its own
        name = module.split(".")[0]
        how = f'pip install {name}, or in the checkout: pip install ".[{extra}]"'
        raise UsageError(f"{name} is missing: {how}") from error

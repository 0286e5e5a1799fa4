"""Tensors in calls of objects for arrays: the same object of ``warpath.torch`` takes them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["for_tensors_too", "is_tensor", "twin_of"]

Method = TypeVar("Method", bound=Callable[..., Any])

_on_host = 1  # DLPack's number of the device


def is_tensor(value: object) -> bool:
    """Tells whether a value is a tensor of torch, or an array of another library on a GPU."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    if kind is not None and isinstance(value, kind):
        return True
    device: Any = getattr(value, "__dlpack_device__", None)
    if device is None or type(value).__module__ == "numpy":
        return False
    try:
        return bool(device()[0] != _on_host)
    except Exception:  # of a library: what it is, is found out where it is read
        return False


def twin_of(thing: Any) -> Any:
    """Returns the object of ``warpath.torch`` with the same tables; a thing has one."""
    if "_twin" not in thing.__dict__:
        from . import torch

        thing.__dict__.setdefault("_twin", torch.twin_of(thing))
    return thing.__dict__["_twin"]


def for_tensors_too(method: Method) -> Method:
    """Makes a method whose ``queries`` are tensors call that of the twin with equal arguments."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        queries = arguments[0] if arguments else named.get("queries")
        if is_tensor(queries):
            return getattr(twin_of(self), method.__name__)(*arguments, **named)
        return method(self, *arguments, **named)

    return call  # type: ignore[return-value]

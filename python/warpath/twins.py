"""Tensors in calls of objects for arrays: the same object of ``warpath.torch`` takes them."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["is_tensor", "tensor_twin", "twin_of"]

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


def tensor_twin(thing: Any, value: object) -> Any:
    """Returns that object if a value is a tensor, else None."""
    return twin_of(thing) if is_tensor(value) else None

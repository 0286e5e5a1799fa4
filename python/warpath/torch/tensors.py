"""Checks of tensors: their addresses are given to kernels, which cannot check anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from ..errors import InputError, Where
from ..views import NO_INTEGERS, IntegersAt
from . import devices

__all__ = [
    "TensorLike",
    "at",
    "device_of",
    "flags",
    "floats",
    "full_size",
    "integers",
    "integers_at",
    "optional_floats",
    "out_floats",
    "tensor_of",
    "width_of",
]

TensorLike: TypeAlias = Any
"""A tensor, or an array of another library that has ``__dlpack__``: CuPy, JAX, NumPy."""

# The bytes of each integer, negative for those with signs.
_sizes = {torch.uint8: 1, torch.int8: -1, torch.int16: -2, torch.int32: -4, torch.int64: -8} | {
    getattr(torch, name): size
    for name, size in (("uint16", 2), ("uint32", 4), ("uint64", 8))  # torch 2.3
    if hasattr(torch, name)
}
_flags = {torch.bool, torch.uint8, torch.int8}

_limit = 2**32


def tensor_of(value: TensorLike, name: str) -> Tensor:
    """Returns a tensor, or the tensor over an array's memory.

    Raises:
        InputError: it is neither, or its memory cannot be shared.
    """
    if isinstance(value, Tensor):
        return value
    if not hasattr(value, "__dlpack__"):
        remedy = "give a tensor, or an array with __dlpack__ (CuPy, JAX, NumPy)"
        if isinstance(value, (list, tuple)):
            remedy += "; Graphs.encode makes one of lists of viewpoints"
        raise InputError.at(Where(field=name), f"is a {type(value).__name__}", remedy)
    strides = getattr(value, "strides", None)
    if isinstance(strides, tuple) and any(isinstance(n, int) and n < 0 for n in strides):
        # Some versions of torch end the process at these.
        raise InputError.at(Where(field=name), "runs backwards through memory", "give a copy")
    try:
        return torch.from_dlpack(value)  # type: ignore[attr-defined, no-any-return, unused-ignore]
    except Exception as error:
        what = f"is a {type(value).__name__} that torch cannot take: {error}"
        remedy = "give a tensor, or a writable array; flags as uint8"
        raise InputError.at(Where(field=name), what, remedy) from error


def device_of(tensor: Tensor, name: str) -> torch.device:
    """Returns where a tensor lies. Raises InputError if it is neither the CPU nor a CUDA device."""
    device: torch.device = tensor.device
    if tensor.is_cpu or tensor.is_cuda:  # device.type takes several times as long
        return device
    remedy = f"give {name}.to('cuda') or {name}.cpu()"
    raise InputError.at(Where(field=name), f"lies on {device}", remedy)


def integers(
    value: TensorLike, name: str, shape: Sequence[int | None], device: torch.device
) -> Tensor:
    """Returns a tensor of integers that kernels can read. Raises InputError if it is none."""
    tensor = tensor_of(value, name)
    if tensor.dtype not in _sizes:
        raise _wrong(name, tensor, f"give integers: {name}.long()")
    return _checked(tensor, name, shape, device)


def flags(
    value: TensorLike | None, name: str, shape: Sequence[int | None], device: torch.device
) -> Tensor | None:
    """Returns a tensor of flags, or None. Raises InputError if it is neither."""
    if value is None:
        return None
    tensor = tensor_of(value, name)
    if tensor.dtype not in _flags:
        raise _wrong(name, tensor, f"give bools: {name}.bool()")
    return _checked(tensor, name, shape, device)


def floats(
    value: TensorLike, name: str, shape: Sequence[int | None], device: torch.device
) -> Tensor:
    """Returns a tensor of single precision. Raises InputError if it is none."""
    tensor = tensor_of(value, name)
    if tensor.dtype is not torch.float32:
        raise _wrong(name, tensor, f"give float32: {name}.float()")
    if tensor.is_neg():  # integers and flags have no such views
        remedy = f"give {name}.resolve_neg()"
        raise InputError.at(Where(field=name), "is a view of negated numbers", remedy)
    return _checked(tensor, name, shape, device)


def optional_floats(
    value: TensorLike | None, name: str, shape: Sequence[int | None], device: torch.device
) -> Tensor | None:
    """Returns what ``floats`` does, or None for None."""
    return None if value is None else floats(value, name, shape, device)


def out_floats(
    out: Tensor | None, shape: Sequence[int], device: torch.device, *inputs: Tensor | None
) -> Tensor:
    """Returns a tensor to write to: a new one, or the caller's, which is never converted and may
    share no memory with the inputs."""
    name = "out"
    if out is None:
        return devices.empty(shape, torch.float32, device)
    if not isinstance(out, Tensor):
        raise InputError.at(Where(field=name), f"is a {type(out).__name__}", "give a tensor")
    if out.dtype is not torch.float32:
        raise _wrong(name, out, "give a float32 tensor")
    checked = floats(out, name, shape, device)
    if any(_share_memory(checked, tensor) for tensor in inputs if tensor is not None):
        what = "shares memory with a tensor that is read"
        raise InputError.at(Where(field=name), what, "give it memory of its own")
    return checked


def _share_memory(one: Tensor, other: Tensor) -> bool:
    """Tells whether two tensors without gaps lie over each other."""
    begins = one.data_ptr(), other.data_ptr()
    ends = [begin + t.numel() * t.element_size() for begin, t in zip(begins, (one, other))]
    return bool(max(begins) < min(ends))


def _checked(
    tensor: Tensor, name: str, shape: Sequence[int | None], device: torch.device
) -> Tensor:
    # Nested tensors have no shape, so what has none is refused first.
    if tensor.layout is not torch.strided or tensor.is_nested:
        raise InputError.at(
            Where(field=name), f"is a tensor of layout {tensor.layout}", f"give {name}.to_dense()"
        )
    if tensor.requires_grad:
        remedy = f"rewards and scores have no gradient, so give {name}.detach()"
        raise InputError.at(Where(field=name), "requires grad", remedy)
    if tensor.device != device:
        remedy = f"all tensors of a call lie on one device: give {name}.to('{device}')"
        raise InputError.at(Where(field=name), f"lies on {tensor.device}", remedy)
    if tensor.shape != shape and not _fits(tensor.shape, shape):
        sizes = ", ".join("any" if n is None else str(n) for n in shape)
        raise _wrong(name, tensor, f"give a tensor of shape [{sizes}]")
    if not tensor.is_contiguous():
        what = f"has the strides {list(tensor.stride())} over the shape {list(tensor.shape)}"
        raise InputError.at(Where(field=name), what, f"give {name}.contiguous()")
    return tensor


def _fits(found: Sequence[int], shape: Sequence[int | None]) -> bool:
    return len(found) == len(shape) and all(
        n in (None, there) and there < _limit for n, there in zip(shape, found)
    )


def full_size(tensor: Tensor, dimensions: int, name: str) -> tuple[int, ...]:
    """Returns the shape of a tensor. Raises InputError unless it has so many dimensions."""
    if tensor.is_nested:
        remedy = "give a padded tensor: to_padded_tensor(-1)"
        raise InputError.at(Where(field=name), "is a nested tensor", remedy)
    shape = tuple(tensor.shape)
    if len(shape) != dimensions:
        raise _wrong(name, tensor, f"give a tensor of {dimensions} dimensions")
    if max(shape) >= _limit:
        raise _wrong(name, tensor, "give fewer than 2^32 elements of each dimension")
    return shape


def _wrong(name: str, tensor: Tensor, remedy: str) -> InputError:
    dtype = str(tensor.dtype).replace("torch.", "")
    shape = "" if tensor.is_nested else str(list(tensor.shape))
    return InputError.at(Where(field=name), f"is {dtype}{shape}", remedy)


# ---------------------------------------------------------------- memory


def at(tensor: Tensor | None) -> int:
    """Returns a tensor's address, 0 for None.

    Raises:
        InputError: it has no memory, as the tensors that stand for others while torch compiles.
    """
    if tensor is None:
        return 0
    address: int = tensor.data_ptr()
    if address == 0 and tensor.numel() > 0:
        raise InputError.at(Where(), "a tensor has no memory", "give one with values")
    return address


def integers_at(tensor: Tensor | None) -> IntegersAt:
    """Returns the address of integers and the bytes of each."""
    return NO_INTEGERS if tensor is None else (at(tensor), tensor.element_size())


def width_of(tensor: Tensor) -> int:
    """Returns the bytes of viewpoints, negative for those with signs; 0 for points."""
    width: int = _sizes.get(tensor.dtype, 0)
    return width

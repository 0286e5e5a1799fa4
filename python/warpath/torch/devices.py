"""What this package asks of torch about GPUs, and the library's objects on each of them.

Tests replace the functions, so that the calls for a GPU run without one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from ..errors import InputError, UsageError, Where

__all__ = [
    "OnEachDevice",
    "empty",
    "entered",
    "is_capturing",
    "keep_for_stream",
    "numbered",
    "stream_of",
    "wait_for",
    "zeros",
]


def empty(shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Returns a tensor of torch's allocator, which is for the device's current stream."""
    return torch.empty(shape, dtype=dtype, device=device)


def zeros(shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Returns such a tensor of zeros."""
    return torch.zeros(shape, dtype=dtype, device=device)


def stream_of(device: torch.device) -> int:
    """Returns the address of the stream that torch works on."""
    return int(torch.cuda.current_stream(device).cuda_stream)


def entered(device: torch.device) -> AbstractContextManager[object]:
    """Makes a device the current one. Raises InputError if torch has no GPU."""
    if not _has_gpu():
        raise InputError.at(
            Where(field="device"), f"is {device}, and torch finds no GPU", "take tensors on the CPU"
        )
    return torch.cuda.device(device)


def is_capturing() -> bool:
    """Tells whether the current stream captures a CUDA graph."""
    cuda: Any = torch.cuda  # some versions have no types for this
    return bool(cuda.is_current_stream_capturing())


def _has_gpu() -> bool:
    return torch.cuda.is_available()


def numbered(device: str | torch.device) -> torch.device:
    """Returns a device with its number, as tensors have it."""
    on = torch.device(device)
    if on.type == "cuda" and on.index is None:
        return torch.device("cuda", torch.cuda.current_device() if _has_gpu() else 0)
    return on


def keep_for_stream(memory: Tensor, device: torch.device) -> None:
    """Keeps memory from being used again before the current stream is done with it."""
    memory.record_stream(torch.cuda.current_stream(device))


def wait_for(device: torch.device) -> None:
    """Waits for all work of a device."""
    torch.cuda.synchronize(device)


Made = TypeVar("Made")

_left: list[object] = []
"""Objects that could not be destroyed, because a graph was being captured, or Python ended."""


class OnEachDevice(Generic[Made]):
    """Keeps an object of the library for each GPU that tensors come from.

    Args:
        make: makes it, on the current device; that uploads tables and waits.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: dict[torch.device, Made] = {}
        self._is_captured = False

    version = 0
    """How often the objects were to be made anew."""

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Has the objects made anew once the block has changed what they are made of.

        Raises:
            UsageError: a CUDA graph was captured with one of them.
        """
        if self._is_captured:
            raise UsageError(
                "a CUDA graph was captured with these references and would go on with them: make "
                "another object of the same Graphs, which shares its tables, and capture anew"
            )
        yield
        made, self._made = self._made, {}
        self.version += 1
        _release(made)

    def look_for_capture(self) -> None:
        """Notes that the objects may not be made anew, if the current stream captures a graph."""
        self._is_captured = self._is_captured or is_capturing()

    def on(self, device: torch.device) -> Made:
        """Returns the object of a device.

        Raises:
            InputError: it has to be made, and the stream captures a graph; or there is no GPU.
            CudaError: the device fails.
        """
        made = self._made.get(device)
        if made is not None:
            self.look_for_capture()
            return made
        with entered(device):
            if is_capturing():
                raise InputError.at(
                    Where(),
                    f"the stream captures a graph, and {device} has no tables yet",
                    f"call warm_up('{device}') before the capture",
                )
            if _left:
                wait_for(device)
                _left.clear()
            made = self._made[device] = self._make()
        return made

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_ending():
            _release(self._made)


def _release(made: dict[torch.device, Any]) -> None:
    # Kernels may still read what these objects hold.
    if not made:
        return
    try:
        if is_capturing():
            _left.append(made)
            return
        for device in made:
            wait_for(device)
    except Exception:
        _left.append(made)

"""GPUs for tests of warpath.torch: made-up ones, or those of this machine.

Kernels' bodies of a made-up GPU run on the host, late, stream by stream. A tensor of such a GPU is
a CPU tensor that says otherwise.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
import warpath
from warpath.torch import devices

library = ctypes.CDLL(str(warpath._core.__file__))
are_made_up = hasattr(library, "fake_stream")
are_real = not are_made_up and torch.cuda.is_available()


def tensor(value: Any) -> Any:
    return value if isinstance(value, torch.Tensor) else torch.from_numpy(np.asarray(value))


class RealGpu:
    """Stands for the GPUs of this machine."""

    def put(self, value: Any, index: int = 0) -> Any:
        """Returns a tensor of a GPU with these values."""
        if index >= torch.cuda.device_count():
            pytest.skip(f"needs {index + 1} GPUs")
        return tensor(value).to(torch.device("cuda", index))

    def read(self, tensor: Any) -> Any:
        """Waits for all work and returns the values."""
        assert tensor.device.type == "cuda"
        return tensor.cpu().numpy()

    def wait_for(self, device: Any) -> None:
        torch.cuda.synchronize(device)

    @contextlib.contextmanager
    def no_waiting(self) -> Iterator[None]:
        """Expects that calls do not wait, as far as torch sees it."""
        torch.cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")


class MadeUpGpu:
    """Stands for torch's calls for GPUs."""

    def __init__(self) -> None:
        for function in ("fake_stream", "fake_allocate"):
            getattr(library, function).restype = ctypes.c_size_t
        library.fake_wait.argtypes = [ctypes.c_int, ctypes.c_size_t]
        library.fake_allocate.argtypes = [ctypes.c_int, ctypes.c_size_t]
        self.streams = {k: [library.fake_stream(k) for _ in range(2)] for k in range(2)}
        self.kinds = [self.kind(0), self.kind(1)]
        self.current = 0  # of the two streams
        self.kept: list[Any] = []  # kernels run when something waits, so no memory is given back
        self.is_capturing = False
        self.waits = 0
        self.other_streams = 0  # how often memory was kept for another stream

    def kind(self, index: int) -> Any:
        kept = self

        class On(torch.Tensor):
            device = torch.device("cuda", index)
            is_cpu, is_cuda = False, True

            def data_ptr(self) -> int:
                kept.kept.append(self)
                return int(super().data_ptr())

        return On

    def keep_for_stream(self, memory: Any, device: Any) -> None:
        self.other_streams += 1

    def memory(self, shape: Any, dtype: Any, device: Any) -> Any:
        if device.type == "cpu":
            return torch.empty(shape, dtype=dtype)
        size = max(int(np.prod(shape)) * torch.empty(0, dtype=dtype).element_size(), 1)
        address = library.fake_allocate(device.index, size)
        block = (ctypes.c_uint8 * size).from_address(address)
        flat = torch.frombuffer(block, dtype=torch.uint8)
        flat[:] = 0xEE
        typed = flat.view(dtype) if int(np.prod(shape)) else torch.empty(0, dtype=dtype)
        return typed.reshape(shape).as_subclass(self.kinds[device.index])

    def zeros(self, shape: Any, dtype: Any, device: Any) -> Any:
        return self.memory(shape, dtype, device).zero_()

    def stream_of(self, device: Any) -> int:
        return int(self.streams[device.index][self.current])

    @contextlib.contextmanager
    def entered(self, device: Any) -> Iterator[None]:
        before = library.fake_set_device(device.index)
        yield
        library.fake_set_device(before)

    def wait_for(self, device: Any) -> None:
        self.waits += 1
        for stream in self.streams[device.index]:
            library.fake_wait(device.index, stream)

    def put(self, value: Any, index: int = 0) -> Any:
        """Returns a tensor of a GPU with these values."""
        source = tensor(value)
        made = self.memory(tuple(source.shape), source.dtype, torch.device("cuda", index))
        return made.copy_(source)

    def read(self, tensor: Any) -> Any:
        """Waits for all work and returns the values."""
        assert tensor.device.type == "cuda"
        self.wait_for(tensor.device)
        return tensor.as_subclass(torch.Tensor).numpy().copy()

    @contextlib.contextmanager
    def no_waiting(self) -> Iterator[None]:
        """Expects that calls neither wait nor allocate."""
        before = library.fake_waits(0), library.fake_allocations(0)
        yield
        assert (library.fake_waits(0), library.fake_allocations(0)) == before

    def take_the_place_of_torch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Has warpath.torch ask this object about GPUs until a test ends."""
        self.current, self.is_capturing, self.other_streams = 0, False, 0
        monkeypatch.setattr(devices, "empty", self.memory)
        for name in ("zeros", "stream_of", "entered", "wait_for", "keep_for_stream"):
            monkeypatch.setattr(devices, name, getattr(self, name))
        monkeypatch.setattr(devices, "is_capturing", lambda: self.is_capturing)

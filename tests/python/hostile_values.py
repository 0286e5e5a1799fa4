"""Values that nobody should give: arrays of every type and layout, and objects whose methods lie,
fail, or change what is read."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import warpath

try:
    if "--numpy" in sys.argv:
        raise ImportError
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

graph = warpath.Graph(
    [f"v{k}" for k in range(9)],
    [[k, k + 1] for k in range(7)] + [[0, 4], [2, 6]],
    weights=np.arange(1.0, 10.0),
)


class Failed(Exception):
    """What hostile objects raise."""


class Hostile:
    """Has every method that the package may call; each lies or fails. None changes a list that NumPy
    reads: that alone ends the process in NumPy 1.26."""

    def __init__(self, draw: random.Random, held: Any) -> None:
        self._draw, self._held = draw, held

    def _act(self, *honest: Any) -> Any:
        odd = [-1, 0, 2**31, 2**63, -(2**70), 1.5, "\udc80", None, b"\0", [], self, float("nan")]
        what = self._draw.randrange(5)
        if what == 0:
            raise self._draw.choice([Failed("no"), TypeError("\udc80"), ValueError(""), KeyError(3)])
        return self._draw.choice(odd) if what == 2 or not honest else honest[0]

    def __len__(self) -> Any:
        return self._act(2)

    def __getitem__(self, key: Any) -> Any:
        return self._act(0)

    def __iter__(self) -> Any:
        return iter(self._act([0, 1]))

    def __index__(self) -> Any:
        return self._act(1)

    def __int__(self) -> Any:
        return self._act(1)

    def __float__(self) -> Any:
        return self._act(1.0)

    def __bool__(self) -> Any:
        return self._act(True)

    def __eq__(self, other: object) -> Any:
        return self._act(True)

    def __hash__(self) -> Any:
        return self._act(3)

    def __repr__(self) -> Any:
        return self._act("hostile\n")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self._act(np.zeros((2, 3), int))

    def __contains__(self, key: object) -> Any:
        return self._act(True)

    def __call__(self, *_: Any) -> Any:
        return self._act(0)

    def __fspath__(self) -> Any:
        return self._act("nowhere")

    def __dlpack__(self, *_: Any, **__: Any) -> Any:
        return self._act()

    def __dlpack_device__(self) -> Any:
        return self._act((1, 0))

    @property
    def dtype(self) -> Any:
        return self._act(np.dtype("i4"))

    @property
    def shape(self) -> Any:
        return self._act((2, 3))

    @property
    def mask(self) -> Any:
        return self._act(False)

    @property
    def ndim(self) -> Any:
        return self._act(2)

    def keys(self) -> Any:
        return self._act(["s"])

    def items(self) -> Any:
        return self._act([("s", graph)])


class HostileList(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 2**40 if len(repr(self.__class__)) % 2 else 3

    def __iter__(self) -> Any:
        return iter([[0, 1], self])


class HostileText(str):
    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        raise Failed("no")


dtypes = [np.dtype(kind) for kind in (*np.typecodes["All"], "S3", "U2", "V8", "M8[s]", "m8[ns]")]
dtypes += [np.dtype([("a", "i4"), ("b", "f8")]), np.dtype(">i4"), np.dtype(">f8")]
shapes = [(2, 3), (2,), (2, 3, 3), (1, 2), (0, 3), (2, 0), (), (0,), (2, 1, 3), (2, 2, 3, 3), (5,)]


class Values:
    """Draws arguments from the generator of one call."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def array(self) -> Any:
        draw = self.draw
        likely = [np.dtype(k) for k in ("i4", "i8", "f4", "f8", "?", "u1")]
        dtype = draw.choice(draw.choice([likely, dtypes]))
        shape = draw.choice(shapes)
        size = int(np.prod(shape))
        numbers = [draw.choice([0, 1, 2, 3, 0, 1, 2, 8, 9, -1, 2**31, 2**62]) for _ in range(size)]
        try:
            array = np.array(numbers).astype(dtype).reshape(shape)
        except (TypeError, ValueError):
            array = np.zeros(shape, dtype)
        if dtype.kind == "f" and size and draw.random() < 0.2:
            array.flat[draw.randrange(size)] = draw.choice([np.nan, np.inf, -np.inf, 1e30])
        return self.laid_out(array)

    def laid_out(self, array: Any) -> Any:
        how = self.draw.randrange(14)
        if how == 0:
            return np.asfortranarray(array)
        if how == 1 and array.ndim:
            return array[::-1]
        if how == 2 and array.ndim > 1:
            return array.T
        if how == 3 and array.ndim:
            return np.repeat(array, 2, -1)[..., ::2]
        if how == 4 and array.ndim and len(array):
            return np.broadcast_to(array[0], array.shape)
        if how == 5:
            array.flags.writeable = False
        if how == 6:
            return np.ma.MaskedArray(array, self.draw.random() < 0.5)
        if how == 7 and array.dtype.kind in "iuf" and array.size:
            raw = np.zeros(array.nbytes + 1, np.uint8)
            raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
            return np.frombuffer(raw, array.dtype, offset=1).reshape(array.shape)
        if how == 8 and array.ndim and array.dtype.kind in "iuf" and array.flags.c_contiguous:
            return memoryview(array)
        if how == 9 and array.ndim:
            return list(array)
        if how == 10:
            return array.tolist()
        return array

    def tensor(self) -> Any:
        array = self.array()
        try:
            made = torch.as_tensor(array.copy() if isinstance(array, np.ndarray) else array)
            return made if self.draw.random() < 0.8 else made.transpose(0, -1)[..., ::2]
        except Exception:
            return array

    def scalar(self) -> Any:
        return self.draw.choice([
            None, True, 0, 1, 2, -1, 2**31, 2**64, -(2**100), 10**400, 0.5, float("nan"), float("inf"),
            1e300, 1j, "s", "", "nDTW", "NDTW,sr", "zero", "paper", "\udc80", "a\0b", b"s", b"", (),
            [], {}, "r2r", ["s", "t"], {"s": 1}, [[0, 1], [1, 2]], [["v0", "v1"], ["v1"]], object,
            np.datetime64(1, "s"), np.timedelta64(1, "s"), np.float16(1), np.bool_(True), np.ma.masked,
            np.void(b"12345678"), np.str_("s"), range(3), {1, 2}, ..., NotImplemented, "x" * 5000,
            [[[0.0, 0.0, 0.0]], [[1.0, 2.0, 2.0]]], ["nDTW", "SR"], "cpu", "auto", "path",
        ])  # fmt: skip

    def hostile(self) -> Any:
        held: list[Any] = [[0, 1], [2]]
        made = Hostile(self.draw, held)
        inner = Hostile(self.draw, held)
        held.insert(self.draw.randrange(3), inner)
        deep: list[Any] = []
        deep.append(deep)
        return self.draw.choice([
            made, held, [made, [0]], [[made, 1], [0]], (held, held), HostileList([[0]]), deep,
            [held, deep], {made_key(self.draw): made}, HostileText("s"), [HostileText("v0")],
            (k for k in held), iter(held), [(0, made, 1)], [[[0.0, made, 1.0]]],
        ])  # fmt: skip

    def any(self) -> Any:
        kind = self.draw.randrange(12)
        if kind < 5:
            return self.array()
        if kind < 8:
            return self.scalar()
        if kind == 8:
            return self.hostile()
        if kind == 9:
            return warpath.PaddedPaths(self.array(), self.draw.choice([None, self.array()]))
        if kind == 10:
            return warpath.CsrPaths(self.array(), self.array())
        return [self.array() for _ in range(self.draw.randrange(4))]

    def maybe(self, honest: Any) -> Any:
        """Returns what a call takes, in most cases."""
        return honest if self.draw.random() < 0.75 else self.any()

    def rows(self) -> Any:
        return self.maybe(np.array([[0, 1, 2], [5, 4, -1]]))

    def points(self) -> Any:
        return self.maybe(np.ones((2, 3, 3), np.float32))

    def two(self) -> Any:
        return self.maybe(np.array([0, 1]))

    def optional(self) -> Any:
        return None if self.draw.random() < 0.75 else self.any()

    def tensor_like(self, shape: tuple[int, ...], dtype: Any) -> Any:
        if self.draw.random() < 0.75:
            return torch.ones(shape, dtype=dtype)
        return self.tensor() if self.draw.random() < 0.8 else self.any()


def made_key(draw: random.Random) -> Any:
    return draw.choice(["s", "\udc80", 3, ("a",), None])

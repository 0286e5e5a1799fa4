"""Calls as operators of torch, which is how ``torch.compile`` and ``torch.export`` take them.

Operators exist from torch 2.4 on; compiled code of older versions calls the package from outside of
its graphs. An operator takes tensors and numbers only, so an object goes by its number.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

from ..errors import UsageError

__all__ = ["are_wanted", "find", "like", "names_in", "number_of", "operator"]

_define: Any = getattr(torch.library, "custom_op", None)
_is_compiling: Callable[[], bool] | None = getattr(
    getattr(torch, "compiler", None), "is_compiling", None
)
_objects: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

Body = TypeVar("Body", bound=Callable[..., Any])


def are_wanted() -> bool:
    """Tells whether torch compiles the code that calls."""
    return _define is not None and _is_compiling is not None and _is_compiling()


def number_of(thing: object) -> int:
    """Numbers an object, for as long as it lives."""
    number = next(_numbers)
    _objects[number] = thing
    return number


def find(number: int) -> Any:
    """Returns the object of a number. Raises UsageError if it is gone."""
    try:
        return _objects[number]
    except KeyError:
        raise UsageError("the object of a compiled call is gone; keep it") from None


def operator(
    schema: str, fake: Callable[..., Any], mutates: tuple[str, ...] = ()
) -> Callable[[Body], Any]:
    """Makes an operator ``warpath::name`` of a function, where torch can.

    Args:
        schema: of arguments and results, without the name.
        fake: takes the same arguments and returns tensors like the results, without values.
        mutates: the arguments that are written to.
    """

    def make(body: Body) -> Any:
        if _define is None:
            return body
        made = _define(f"warpath::{body.__name__}", body, mutates_args=mutates, schema=schema)
        made.register_fake(fake)
        return made

    return make


def like(tensor: Tensor, shape: Any, count: int) -> list[Tensor]:
    """Returns that many floats of a shape on a tensor's device."""
    return [tensor.new_empty(shape, dtype=torch.float32) for _ in range(count)]


def names_in(text: str) -> list[str]:
    """Returns the names in a text with commas, as operators take them."""
    return text.split(",") if text else []

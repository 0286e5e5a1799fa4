"""What batches of rollouts and of pairs share: rows with lengths, numbers of references, flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import arrays
from ..errors import InputError, Where
from ..rewards import value_names
from . import devices
from .tensors import (
    IntegersAt,
    TensorLike,
    at,
    flags,
    in_numpy,
    integers,
    integers_at,
    out_floats,
)

__all__ = ["Batch", "addresses", "check_all", "in_order", "named", "outputs", "unpaired"]

_values = ("distance_to_goal", "ndtw", "cls")


class Batch:
    """Holds what belongs to each row of a batch. Raises InputError for what cannot."""

    def __init__(
        self,
        count: int,
        device: torch.device,
        lengths: TensorLike | None,
        reference: TensorLike | None = None,
        active: TensorLike | None = None,
        stopped: TensorLike | None = None,
        name: str = "lengths",
    ) -> None:
        def numbers(value: TensorLike | None, argument: str) -> Tensor | None:
            return None if value is None else integers(value, argument, (count,), device)

        self.lengths = numbers(lengths, name)
        self.reference = numbers(reference, "reference")
        self.active = flags(active, "active", (count,), device)
        self.stopped = flags(stopped, "stopped", (count,), device)

    def rows_of(self, rows: Tensor) -> tuple[Any, Any]:
        """Returns rows and their lengths as arrays."""
        values = in_numpy(rows)
        assert values is not None
        if self.lengths is not None:
            return values, in_numpy(self.lengths)
        return arrays.rows_of(values, None)

    @property
    def tensors(self) -> tuple[Tensor | None, ...]:
        """All that were given."""
        return self.lengths, self.reference, self.active, self.stopped

    def arrays(self) -> tuple[Any, Any, Any]:
        """Returns reference, active and stopped as arrays."""
        return (
            in_numpy(self.reference),
            in_numpy(self.active, True),
            in_numpy(self.stopped, True),
        )

    def lengths_at(self, rows: Tensor) -> IntegersAt:
        """Returns where the lengths of rows lie on a GPU."""
        if self.lengths is None:
            self.lengths = lengths_of(rows)
        return integers_at(self.lengths)

    def addresses(self) -> tuple[IntegersAt, int, int]:
        """Returns where reference, active and stopped lie on a GPU."""
        return integers_at(self.reference), at(self.active), at(self.stopped)


def lengths_of(rows: Tensor, dimension: int = 1) -> Tensor:
    """Returns how many elements of each row come before its first negative number or NaN."""
    if rows.is_floating_point():
        is_element = ~rows.isnan().any(-1)
    elif rows.dtype.is_signed:
        is_element = rows >= 0
    else:
        shape = rows.shape[:dimension]
        full: Tensor = rows.new_full(shape, rows.shape[dimension], dtype=torch.int64)
        return full
    lengths: Tensor = is_element.cumprod(dimension).sum(dimension)
    return lengths


def named(values: Sequence[str]) -> list[str]:
    """Returns the names of values in their order. Raises UsageError if there is no such value."""
    if type(values) in (tuple, list) and not values:
        return []
    names = value_names(values)
    return [name for name in _values if name in names]


def outputs(
    shape: tuple[int, ...],
    device: torch.device,
    names: Sequence[str],
    out: Tensor | None,
    are_some_left_out: bool,
    *inputs: Tensor | None,
) -> list[Tensor]:
    """Returns tensors for rewards and the values of these names, zeros where some are left out.
    ``out`` may share no memory with the inputs."""
    make = devices.zeros if are_some_left_out else devices.empty
    made = [make(shape, torch.float32, device) for _ in range(1 + len(names) - (out is not None))]
    if out is not None:
        made.insert(0, out_floats(out, shape, device, *inputs))
        if are_some_left_out:
            out.zero_()
    return made


def in_order(made: Sequence[Tensor], names: Sequence[str]) -> list[Any]:
    """Returns arrays for rewards, distances to the goal, nDTW and CLS, None for some."""
    by_name = dict(zip(names, made[1:]))
    return [in_numpy(made[0]), *(in_numpy(by_name.get(name)) for name in _values)]


def addresses(made: Sequence[Tensor], names: Sequence[str]) -> tuple[int, int, int, int]:
    """Returns where those lie on a GPU."""
    by_name = dict(zip(names, made[1:]))
    goal, ndtw, cls = (at(by_name.get(name)) for name in _values)
    return at(made[0]), goal, ndtw, cls


def check_all(reference: TensorLike | None, rows: int, references: int) -> None:
    """Refuses rows without numbers of references where row k is not that of reference k.

    Raises:
        InputError: there are neither as many rows as references, nor none.
    """
    if reference is None and rows not in (references, 0):
        raise InputError.at(
            Where(field="reference"),
            f"is not given for {rows} rows of {references} references",
            "give the number of each row's reference, or one row for each reference",
        )


def unpaired(references: int, queries: int) -> InputError:
    """Returns the error for another number of references where none are numbered."""
    return InputError.at(
        Where(field="references"),
        f"has {references} paths for {queries} queries",
        "give the reference of each query, or their numbers as reference",
    )

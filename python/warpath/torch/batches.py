"""What batches of rollouts and of pairs share: rows with lengths, numbers of references, flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import InputError, Where
from ..rewards import value_names
from ..views import BatchAt, PathsAt, RewardsAt
from . import devices
from .tensors import (
    TensorLike,
    at,
    flags,
    integers,
    integers_at,
    optional_floats,
    out_floats,
    width_of,
)

__all__ = [
    "Batch",
    "addresses",
    "check_all",
    "lengths_of",
    "named",
    "of_references",
    "outputs",
    "paths_at",
    "refuse_no_elements",
    "unpaired",
]

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
        shape = (count,)
        self.lengths = None if lengths is None else integers(lengths, name, shape, device)
        self.reference = None
        if reference is not None:
            self.reference = integers(reference, "reference", shape, device)
        self.active = flags(active, "active", shape, device)
        self.stopped = flags(stopped, "stopped", shape, device)

    @property
    def tensors(self) -> tuple[Tensor | None, ...]:
        """All that were given."""
        return self.lengths, self.reference, self.active, self.stopped

    def paths_at(self, rows: Tensor) -> PathsAt:
        """Returns where rows lie. The object keeps lengths that were not given."""
        lengths = self.lengths
        if lengths is None and not rows.is_cpu:
            lengths = self.lengths = lengths_of(rows)
        return PathsAt(at(rows), width_of(rows), rows.shape[1], integers_at(lengths))

    def at(
        self,
        rows: Tensor,
        paths: Tensor | None = None,
        ends: Batch | None = None,
        per_reference: tuple[Tensor | None, Tensor | None] = (None, None),
        *,
        distance_to_goal: int = 0,
        task_success: int = 0,
        group_size: int = 0,
    ) -> BatchAt:
        """Returns where the batch lies. One of points brings references with their own ``ends``.
        ``per_reference`` is what ``of_references`` returns."""
        return BatchAt(
            rows.shape[0],
            self.paths_at(rows),
            None if paths is None or ends is None else ends.paths_at(paths),
            integers_at(self.reference),
            0 if paths is None else paths.shape[0],
            at(self.active),
            at(self.stopped),
            distance_to_goal,
            task_success,
            group_size,
            integers_at(per_reference[0]),
            at(per_reference[1]),
        )


def of_references(
    count: int,
    device: torch.device,
    prefix: TensorLike | None,
    spl_length: TensorLike | None,
) -> tuple[Tensor | None, Tensor | None]:
    """Returns what a call says of references, or of entries, one by one."""
    if prefix is None and spl_length is None:
        return None, None
    numbers = None if prefix is None else integers(prefix, "prefix", (count,), device)
    if numbers is not None and numbers.dtype in (torch.int8, torch.int16):
        numbers = numbers.to(torch.int32)  # the library reads narrow ones without a sign
    return numbers, optional_floats(spl_length, "spl_length", (count,), device)


def paths_at(rows: Tensor, lengths: Tensor | None, leading: int = 1) -> PathsAt:
    """Returns where rows lie."""
    return PathsAt(at(rows), width_of(rows), rows.shape[leading], integers_at(lengths))


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


def addresses(made: Sequence[Tensor], names: Sequence[str]) -> RewardsAt:
    """Returns where rewards and the values of these names lie."""
    by_name = dict(zip(names, made[1:]))
    goal, ndtw, cls = (at(by_name.get(name)) for name in _values)
    return at(made[0]), goal, ndtw, cls


def refuse_no_elements(rows: Tensor, name: str) -> None:
    """Raises InputError where there are rows, and they have no elements."""
    if rows.shape[0] and not rows.shape[1]:
        what = "are of rows without elements"
        raise InputError.at(Where(field=name), what, "give rows of at least one")


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


def unpaired(references: int, queries: int, group_size: int = 0) -> InputError:
    """Returns the error for another number of references where none are numbered."""
    groups = f" in groups of {group_size}" if group_size else ""
    return InputError.at(
        Where(field="references"),
        f"has {references} paths for {queries} queries{groups}",
        "give the reference of each query, or their numbers as reference",
    )

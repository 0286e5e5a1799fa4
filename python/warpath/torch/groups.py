"""Rewards of rollouts that belong together, over tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from .. import _core
from ..arguments import number
from ..groups import Grouping, wrong_decision
from ..views import NO_INTEGERS, CallAt
from . import devices, ops
from .rewards import adders
from .tensors import (
    TensorLike,
    at,
    device_of,
    flags,
    floats,
    full_size,
    integers,
    integers_at,
    tensor_of,
)

__all__ = ["Advantages", "group_advantages", "spread_to_tokens", "sum_by_decision"]


class Advantages(NamedTuple):
    """Holds advantages, and what their groups were: [groups]; with ``groups`` [rollouts], one for
    each number that a group can have."""

    advantage: Tensor
    """float32 [rollouts]; 0 where not active, and where all rewards of a group are equal."""
    mean: Tensor
    """Of the active rewards, float32; NaN where there are none, as is std."""
    std: Tensor
    """Their standard deviation under ``ddof``, whatever the scale; float32."""
    spread: Tensor
    """Whether some of them differ, bool; trainers often leave out groups where none do."""


def group_advantages(
    reward: TensorLike,
    *,
    group_size: int | None = None,
    groups: TensorLike | None = None,
    active: TensorLike | None = None,
    baseline: str = "mean",
    scale: str = "std",
    ddof: int = 1,
    epsilon: float = 1e-6,
) -> Advantages:
    """Compares the rewards of rollouts within their groups, as ``warpath.group_advantages``, on the
    device where they lie and with the same bits.

    A call on a GPU neither copies nor waits. There, all of a group with a reward that is NaN or
    infinite have NaN or an infinite advantage (with ``scale="batch"`` all of all groups), and a
    rollout of a group that does not exist has NaN. With ``groups`` or ``scale="batch"`` a GPU takes
    a time that grows with the square of the number of rollouts.

    Args:
        reward: float32 [rollouts], of whole rollouts: ``made.reward.sum(1)``.
        group_size, baseline, scale, ddof, epsilon: as in ``warpath.group_advantages``.
        groups: integers [rollouts] in place of ``group_size``: the group of each, in any order, from
            0 and below the number of rollouts.
        active: bool [rollouts]; others are in no mean and have 0. None: all are active.

    Raises:
        InputError: a tensor or number cannot be used; on the CPU also if an active reward is NaN or
            infinite.
        UsageError: there is no such baseline or scale.
        CudaError: a kernel cannot start.

    Example:
        >>> total = rewards.compute(nodes, lengths, group_size=8).reward.sum(1)
        >>> advantage = warpath.torch.group_advantages(total, group_size=8).advantage
    """
    given = Grouping.of(group_size, baseline, scale, ddof, epsilon)
    call = grouped if ops.are_wanted() else _compared
    return Advantages(*call(reward, groups, active, *given))


def _compared(
    reward: TensorLike, groups: TensorLike | None, active: TensorLike | None, *options: Any
) -> list[Tensor]:
    given = Grouping(*options)
    rows = tensor_of(reward, "reward")
    shape = (count,) = full_size(rows, 1, "reward")
    device = device_of(rows, "reward")
    rows = floats(rows, "reward", shape, device)
    numbers = None if groups is None else integers(groups, "groups", shape, device)
    if numbers is not None and numbers.dtype in (torch.int8, torch.int16):
        numbers = numbers.to(torch.int32)  # the library reads narrow ones without a sign
    taken = flags(active, "active", shape, device)
    per_group = (given.count(count),)
    made = [
        devices.zeros(size, kind, device)
        for size, kind in (
            (shape, torch.float32),
            (per_group, torch.float32),
            (per_group, torch.float32),
            (per_group, torch.bool),
        )
    ]
    named = NO_INTEGERS if numbers is None else integers_at(numbers)
    where = given.at(count, named, at(taken), at(rows), [at(tensor) for tensor in made])
    if rows.is_cpu:
        _core.group_advantages(where)
    elif count:
        adders.on(device).group_advantages(where, CallAt(stream=devices.stream_of(device)))
    return made


def _like_groups(reward: Tensor, groups: Tensor | None, active: Any, *options: Any) -> list[Tensor]:
    count = reward.shape[0]
    mean, std = ops.like(reward, (Grouping(*options).count(count),), 2)
    return [*ops.like(reward, (count,), 1), mean, std, torch.empty_like(mean, dtype=torch.bool)]


@ops.operator(
    "(Tensor reward, Tensor? groups, Tensor? active, int group_size, int baseline, int scale, "
    "int ddof, float epsilon) -> Tensor[]",
    _like_groups,
)
def grouped(*arguments: Any) -> Any:
    return _compared(*arguments)


def sum_by_decision(reward: TensorLike, decision: TensorLike, decisions: int) -> Tensor:
    """Adds the rewards of moves up to those of decisions, for agents whose action is several moves.

    It has no gradient. A call on a GPU does not wait: there a rollout that names a decision which
    does not exist has sums of NaN.

    Args:
        reward: float32 [rollouts, length], as of ``Rewards.compute``.
        decision: integers [rollouts, length], which decision led to each move, and to the end;
            negative: none.
        decisions: how many a rollout has at most.

    Returns:
        float32 [rollouts, decisions] on that device, summed in double precision; 0 where there is no
        move.

    Raises:
        InputError: a tensor cannot be used; on the CPU also if it names a decision that does not
            exist.
    """
    call = decision_sums if ops.are_wanted() else _summed
    made: Tensor = call(reward, decision, number("decisions", decisions, 0, 2**32 - 1))
    return made


def _summed(reward: TensorLike, decision: TensorLike, decisions: int) -> Tensor:
    rows, index, wrong = _indexed(reward, "reward", decision, decisions, are_of_decisions=False)
    # Numbers of none go to one more column, which is left out.
    index = index.masked_fill((index < 0) | wrong, decisions)
    made = rows.new_zeros((rows.shape[0], decisions + 1), dtype=torch.float64)
    flat = (index + (decisions + 1) * _numbers_of_rows(index)).reshape(-1)
    # index_put_ adds in the same order each time, on a GPU, too.
    made.view(-1).index_put_((flat,), rows.double().reshape(-1), accumulate=True)
    return _marked(made[:, :decisions].float(), wrong)


@ops.operator(
    "(Tensor reward, Tensor decision, int decisions) -> Tensor",
    lambda reward, _, decisions: ops.like(reward, (reward.shape[0], decisions), 1)[0],
)
def decision_sums(*arguments: Any) -> Any:
    return _summed(*arguments)


def spread_to_tokens(values: TensorLike, decision: TensorLike) -> Tensor:
    """Gives each token the value of the decision that it belongs to, such as its advantage.

    It has no gradient. A call on a GPU does not wait: there a rollout that names a decision which
    does not exist has NaN.

    Args:
        values: float32 [rollouts, decisions].
        decision: integers [rollouts, tokens], which decision each token is of; negative: none.

    Returns:
        float32 [rollouts, tokens] on that device; 0 where a token is of no decision.

    Raises:
        InputError: a tensor cannot be used; on the CPU also if it names a decision that does not
            exist.
    """
    made: Tensor = (token_values if ops.are_wanted() else _spread)(values, decision)
    return made


def _spread(values: TensorLike, decision: TensorLike) -> Tensor:
    rows, index, wrong = _indexed(values, "values", decision, None, are_of_decisions=True)
    none = torch.zeros_like(rows[:, :1]) if rows.shape[1] else rows.new_zeros((len(rows), 1))
    index = index.masked_fill((index < 0) | wrong, rows.shape[1])
    return _marked(torch.cat((rows, none), 1).gather(1, index), wrong)


@ops.operator(
    "(Tensor values, Tensor decision) -> Tensor",
    lambda values, decision: ops.like(values, decision.shape, 1)[0],
)
def token_values(*arguments: Any) -> Any:
    return _spread(*arguments)


def _indexed(
    values: TensorLike,
    name: str,
    decision: TensorLike,
    decisions: int | None,
    are_of_decisions: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns values, the numbers of decisions, and which of these do not exist."""
    rows = tensor_of(values, name)
    shape = count, length = full_size(rows, 2, name)
    device = device_of(rows, name)
    rows = floats(rows, name, shape, device)
    wanted = (count, None) if are_of_decisions else shape
    index = integers(decision, "decision", wanted, device).long()
    limit = length if decisions is None else decisions
    wrong: Tensor = index >= limit
    if rows.is_cpu and bool(wrong.any()):
        row, column = wrong.nonzero()[0].tolist()
        raise wrong_decision(row, column, int(index[row, column]), limit)
    return rows, index, wrong


def _numbers_of_rows(index: Tensor) -> Tensor:
    """Returns 0, 1, 2, … for the rows, [rows, 1]."""
    numbers: Tensor = torch.ones_like(index[:, :1]).cumsum(0) - 1
    return numbers


def _marked(made: Tensor, wrong: Tensor) -> Tensor:
    """Returns rows with NaN where some number is wrong."""
    marked: Tensor = made.masked_fill_(wrong.any(1, keepdim=True), float("nan"))
    return marked

"""Rewards of finished rollouts over tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .. import _core
from .. import rewards as host
from ..arguments import Setting, real
from ..batches import group_size_of
from ..graphs import GraphsLike
from ..views import ON_HOST, BatchAt, CallAt, ReturnsAt, room_of
from . import devices, operators, ops
from .batches import (
    Batch,
    addresses,
    check_all,
    named,
    of_references,
    outputs,
    refuse_no_elements,
    unpaired,
)
from .tensors import (
    TensorLike,
    at,
    device_of,
    floats,
    full_size,
    integers,
    integers_at,
    optional_floats,
    tensor_of,
)

__all__ = ["Returns", "RewardValues", "Rewards", "add_up", "adders"]


class RewardValues(NamedTuple):
    """Holds rewards and what they were made of: float32, in the shape of the paths (of one value
    per episode: [episodes]). None where it was not asked for."""

    reward: Tensor
    """Column t is the reward of the move from viewpoint t to t + 1; a path's last is its end's."""
    distance_to_goal: Tensor | None = None
    """Of each viewpoint, metres (edges under hops)."""
    ndtw: Tensor | None = None
    """nDTW of the prefix that ends there, against the whole reference."""
    cls: Tensor | None = None
    """CLS of that prefix."""


class Returns(NamedTuple):
    """Holds sums of rewards, float32 [rollouts, length]."""

    returns: Tensor
    advantage: Tensor


class Rewards(host.AnyRewards):
    """Rewards finished rollouts that lie in tensors, on the device where they lie.

    CPU tensors are read by the vector back end and checked whole. CUDA tensors are read by kernels
    on torch's current stream: a call neither copies nor waits, and can be captured into a CUDA
    graph after ``warm_up``. There, a viewpoint or reference that does not exist makes a kernel read
    outside of its memory, which ends the process's use of the GPU; ``check=True`` finds it first.

    Rewards have no gradient. Several threads may use one object. It can be pickled: the copy makes
    its tables anew.

    Args:
        graphs, references, scans, goals, preset, convention, threads, settings: as in
            ``warpath.Rewards``. The references are those of all batches, until
            ``set_references`` replaces them.
        check: whether calls on a GPU wait, read the whole batch and raise InputError for what
            cannot be right. For debugging.

    Raises:
        InputError, UsageError: as ``warpath.Rewards``.

    Example:
        >>> rewards = warpath.torch.Rewards("connectivity", references, scans, preset="hamt")
        >>> reward = rewards.compute(nodes, lengths, reference=index).reward  # CUDA, [4096, 40]
        >>> returns = warpath.torch.add_up(reward, lengths, discount=0.9).returns
    """

    def __init__(
        self,
        graphs: GraphsLike | None = None,
        references: Any = None,
        scans: str | Sequence[str] = (),
        *,
        goals: Any = None,
        preset: str = "ndtw-gain",
        convention: str | Mapping[str, Setting] = "",
        threads: int = 0,
        check: bool = False,
        **settings: Setting,
    ) -> None:
        super().__init__(
            graphs,
            references,
            scans,
            goals=goals,
            preset=preset,
            convention=convention,
            threads=threads,
            **settings,
        )
        self.begin(check)

    def begin(self, check: bool) -> None:
        """Begins to take tensors."""
        self.check = check
        self.devices = devices.OnEachDevice(self.core.on_gpu)
        self._number = ops.number_of(self)

    def on(self, device: torch.device) -> _core.Rewards:
        """Returns what rewards tensors of a device."""
        return self.core if device.type == "cpu" else self.devices.on(device)

    def set_references(
        self, references: Any, scans: str | Sequence[str], *, goals: Any = None
    ) -> None:
        """Takes other references in place of those before, e.g. those of the next batch.

        Distances that the ``Graphs`` object has already are not computed again. Calls that run in
        other threads end with the references that they began with; one thread at a time may call
        this. Episodes of trackers end, but for those in continuous space: ``reset`` of all begins
        others. On a GPU this waits, and the next call there uploads tables; ``warm_up`` does it
        before a CUDA graph is captured.

        Args:
            references, scans, goals: as of the constructor.

        Raises:
            InputError: a reference or goal cannot be used; nothing changes.
            UsageError: there are no graphs, or a CUDA graph was captured with the object: it would
                go on with the references before, so make another object of the same ``Graphs``.
        """
        with self.devices.renewed():
            self.core.set_references(references, scans, goals)
        self._arguments.update(references=references, scans=scans, goals=goals)

    def warm_up(self, device: str | torch.device = "cuda") -> None:
        """Uploads tables and loads kernels, which the first call on a device does otherwise.

        It waits. Call it before a CUDA graph is captured.

        Raises:
            InputError: there is no such GPU. CudaError: it fails.
        """
        on = devices.numbered(device)
        if on.type == "cuda":
            self.devices.on(on).warm_up(devices.stream_of(on))

    def compute(
        self,
        queries: TensorLike,
        lengths: TensorLike | None = None,
        *,
        reference: TensorLike | None = None,
        group_size: int | None = None,
        active: TensorLike | None = None,
        stopped: TensorLike | None = None,
        distance_to_goal: TensorLike | None = None,
        prefix: TensorLike | None = None,
        spl_length: TensorLike | None = None,
        values: Sequence[str] = (),
        out: Tensor | None = None,
    ) -> RewardValues:
        """Computes the reward of every move and end.

        All tensors lie on one device and have no gaps; none is converted.

        Args:
            queries: numbers of viewpoints, integers [rollouts, length].
            lengths: integers [rollouts], how many of a row belong to the path; None: it ends before
                its first negative number.
            reference: integers [rollouts]; None: rollout k belongs to reference k, and there are as
                many of them.
            group_size: in place of ``reference``: rollout k belongs to reference k // group_size,
                and each reference has that many.
            active: bool [rollouts]; rewards of others are 0. None: all are active.
            stopped: bool [rollouts]: whether it ended by a stop, and not since its time was up.
                None: all did.
            distance_to_goal: float32 [rollouts, length], metres, in place of those on the graph or,
                of points, the Euclidean ones, such as ``NavMesh.distance`` gives; infinity: no way.
            prefix, spl_length: integers and float32 [references], see ``warpath.Rewards.compute``.
                On a GPU they are checked with ``check=True`` only.
            values: which others to return: ``distance_to_goal``, ``ndtw``, ``cls``.
            out: float32 [rollouts, length] that the rewards are written to.

        Returns:
            Tensors [rollouts, length] on that device, 0 behind the end of a path.

        Raises:
            InputError: a tensor has another type, shape, stride or device, or requires grad; on the
                CPU also if a rollout is empty, or a viewpoint or reference does not exist.
            CudaError: a kernel cannot start.
        """
        names = named(values)
        size = group_size_of(group_size, reference)
        per_row = (reference, size, active, stopped, distance_to_goal)
        arguments = (queries, lengths, *per_row, prefix, spl_length)
        if ops.are_wanted():
            made = operators.rewards(self._number, *arguments, ",".join(names))
            return unpacked(made, names, out)
        return unpacked(self._compute(*arguments, names, out), names)

    def _compute(
        self,
        queries: TensorLike,
        lengths: TensorLike | None,
        reference: TensorLike | None,
        group_size: int,
        active: TensorLike | None,
        stopped: TensorLike | None,
        distance_to_goal: TensorLike | None,
        prefix: TensorLike | None,
        spl_length: TensorLike | None,
        names: Sequence[str],
        out: Tensor | None = None,
    ) -> list[Tensor]:
        rows = tensor_of(queries, "queries")
        shape = count, length = full_size(rows, 2, "queries")
        device = device_of(rows, "queries")
        rows = integers(rows, "queries", shape, device)
        batch = Batch(count, device, lengths, reference, active, stopped)
        distances = optional_floats(distance_to_goal, "distance_to_goal", shape, device)
        if not group_size:
            check_all(batch.reference, count, self.references)
        per_reference = of_references(self.references, device, prefix, spl_length)
        inputs = (rows, distances, *batch.tensors, *per_reference)
        made = outputs(shape, device, names, out, active is not None, *inputs)
        if rows.is_cpu:
            refuse_no_elements(rows, "lengths")
        if count and length:
            where = batch.at(
                rows,
                per_reference=per_reference,
                distance_to_goal=at(distances),
                group_size=group_size,
            )
            self._start(device, where, made, names)
        return made

    def _start(
        self,
        device: torch.device,
        batch: BatchAt,
        made: Sequence[Tensor],
        names: Sequence[str],
    ) -> None:
        if made[0].is_cpu:
            self.core.compute(batch, addresses(made, names), ON_HOST)
            return
        core = self.devices.on(device)
        workspace = devices.empty((core.workspace_bytes(room_of(batch)),), torch.uint8, device)
        call = CallAt(at(workspace), devices.stream_of(device), self.check)
        core.compute(batch, addresses(made, names), call)

    def compute_points(
        self,
        queries: TensorLike,
        references: TensorLike,
        lengths: TensorLike | None = None,
        reference_lengths: TensorLike | None = None,
        *,
        reference: TensorLike | None = None,
        group_size: int | None = None,
        active: TensorLike | None = None,
        stopped: TensorLike | None = None,
        distance_to_goal: TensorLike | None = None,
        prefix: TensorLike | None = None,
        spl_length: TensorLike | None = None,
        values: Sequence[str] = (),
        out: Tensor | None = None,
    ) -> RewardValues:
        """Computes the same in continuous space, where the distance is the Euclidean one.

        Args:
            queries: points in metres, float32 [rollouts, length, 3].
            references: points, float32 [references, length, 3].
            lengths, reference_lengths: integers, how many points of a row belong to the path; None:
                it ends before its first NaN.
            others: as in ``compute``.

        Raises:
            InputError, CudaError: as ``compute``; on the CPU also if a coordinate is NaN, infinite
                or beyond 1e12 m.
        """
        names = named(values)
        size = group_size_of(group_size, reference)
        paths = (queries, references, lengths, reference_lengths)
        per_row = (reference, size, active, stopped, distance_to_goal)
        arguments = (*paths, *per_row, prefix, spl_length)
        if ops.are_wanted():
            made = operators.point_rewards(self._number, *arguments, ",".join(names))
            return unpacked(made, names, out)
        return unpacked(self._compute_points(*arguments, names, out), names)

    def _compute_points(
        self,
        queries: TensorLike,
        references: TensorLike,
        lengths: TensorLike | None,
        reference_lengths: TensorLike | None,
        reference: TensorLike | None,
        group_size: int,
        active: TensorLike | None,
        stopped: TensorLike | None,
        distance_to_goal: TensorLike | None,
        prefix: TensorLike | None,
        spl_length: TensorLike | None,
        names: Sequence[str],
        out: Tensor | None = None,
    ) -> list[Tensor]:
        rows, paths = tensor_of(queries, "queries"), tensor_of(references, "references")
        count, length, _ = full_size(rows, 3, "queries")
        path_count, path_length, _ = full_size(paths, 3, "references")
        device, shape = device_of(rows, "queries"), (count, length)
        rows = floats(rows, "queries", (count, length, 3), device)
        paths = floats(paths, "references", (path_count, path_length, 3), device)
        if reference is None and path_count * (group_size or 1) != count:
            raise unpaired(path_count, count, group_size)
        batch = Batch(count, device, lengths, reference, active, stopped)
        ends = Batch(path_count, device, reference_lengths, None, None, None, "reference_lengths")
        distances = optional_floats(distance_to_goal, "distance_to_goal", shape, device)
        per_reference = of_references(path_count, device, prefix, spl_length)
        inputs = (rows, paths, distances, *batch.tensors, ends.lengths, *per_reference)
        made = outputs(shape, device, names, out, active is not None, *inputs)
        if rows.is_cpu:
            refuse_no_elements(rows, "lengths")
            refuse_no_elements(paths, "references.lengths")
        if count and length and path_count and path_length:
            where = batch.at(
                rows,
                paths,
                ends,
                per_reference,
                distance_to_goal=at(distances),
                group_size=group_size,
            )
            self._start(device, where, made, names)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        make, (kind, arguments) = super().__reduce__()
        return make, (kind, {**arguments, "check": self.check})


def unpacked(
    made: Sequence[Tensor], names: Sequence[str], out: Tensor | None = None
) -> RewardValues:
    """Names the tensors that a call has made; the rewards are copied to `out`, if it is given."""
    reward = made[0] if out is None else out.copy_(made[0])
    return RewardValues(reward, **dict(zip(names, made[1:])))


def add_up(
    reward: TensorLike,
    lengths: TensorLike,
    *,
    discount: float = 1.0,
    decay: float = 1.0,
    value: TensorLike | None = None,
    bootstrap: TensorLike | None = None,
    active: TensorLike | None = None,
) -> Returns:
    """Adds rewards up to returns and to advantages (Schulman et al. 2016, Eq. 16).

    Neither has a gradient; give the critic's values detached.

    Args:
        reward: float32 [rollouts, length].
        lengths: integers [rollouts], rewards of each.
        discount, decay: gamma and lambda, from 0 to 1.
        value: float32 [rollouts, length], the critic's; None for 0.
        bootstrap: float32 [rollouts], the value behind the last reward of rollouts whose time was
            up; None for 0.
        active: bool [rollouts]; those of others are 0.

    Returns:
        Tensors [rollouts, length] on that device.

    Raises:
        InputError: a tensor or number cannot be used.
        CudaError: a kernel cannot start.
    """
    if ops.are_wanted():
        made = returns(reward, lengths, value, bootstrap, active, discount, decay)
    else:
        made = _added_up(reward, lengths, value, bootstrap, active, discount, decay)
    return Returns(*made)


adders = devices.OnEachDevice(lambda: host.Rewards().core.on_gpu())  # without tables


def _added_up(
    reward: TensorLike,
    lengths: TensorLike,
    value: TensorLike | None,
    bootstrap: TensorLike | None,
    active: TensorLike | None,
    discount: float,
    decay: float,
) -> list[Tensor]:
    discount, decay = real("discount", discount), real("decay", decay)
    rows = tensor_of(reward, "reward")
    shape = count, length = full_size(rows, 2, "reward")
    device = device_of(rows, "reward")
    rows = floats(rows, "reward", shape, device)
    batch = Batch(count, device, integers(lengths, "lengths", (count,), device), None, active)
    values = optional_floats(value, "value", shape, device)
    last = optional_floats(bootstrap, "bootstrap", (count,), device)
    made = [devices.zeros(shape, torch.float32, device) for _ in range(2)]
    if rows.is_cpu:
        refuse_no_elements(rows, "lengths")
    if not count or not length:
        return made
    where = ReturnsAt(
        count,
        length,
        integers_at(batch.lengths),
        at(batch.active),
        at(rows),
        at(values),
        at(last),
        discount,
        decay,
        at(made[0]),
        at(made[1]),
    )
    if rows.is_cpu:
        _core.add_up_rewards(where)
    else:
        adders.on(device).add_up(where, CallAt(stream=devices.stream_of(device)))
    return made


@ops.operator(
    "(Tensor reward, Tensor lengths, Tensor? value, Tensor? bootstrap, Tensor? active, "
    "float discount, float decay) -> Tensor[]",
    lambda reward, *_: ops.like(reward, reward.shape, 2),
)
def returns(*arguments: Any) -> Any:
    return _added_up(*arguments)

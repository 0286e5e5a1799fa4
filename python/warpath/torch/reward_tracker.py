"""Rewards of running episodes over tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _core
from .. import rewards as host
from ..arguments import number, one_of, texts
from ..errors import InputError, UsageError, Where
from ..twins import twin_of
from ..views import NO_INTEGERS, ON_HOST, CallAt, PositionsAt, StartsAt
from . import devices, operators, ops
from .batches import (
    addresses,
    lengths_of,
    named,
    of_references,
    outputs,
    paths_at,
    refuse_no_elements,
)
from .rewards import Rewards, RewardValues, unpacked
from .tensors import (
    TensorLike,
    at,
    flags,
    floats,
    full_size,
    integers,
    integers_at,
    optional_floats,
    out_floats,
    tensor_of,
    width_of,
)

__all__ = ["RewardTracker"]


class RewardTracker:
    """Rewards running episodes, a move of each at a time, in time and memory that do not grow with
    their lengths. Rewards have the bits of ``Rewards.compute`` for the same paths.

    On a GPU the state of all episodes is the tensor ``memory``, and each call starts a kernel or
    two on torch's current stream. As in ``Rewards``, nothing is looked at before it is used, unless
    the rewards say ``check=True``: also an episode that was never reset is then found.

    One thread at a time may use an object; on a GPU the calls are in the order of their streams.

    ``Rewards.set_references`` ends all episodes on graphs: they must be reset, on a GPU all of them
    by one call, which gives the object other ``memory``.

    Args:
        rewards: what the episodes earn.
        episodes: how many run side by side.
        max_reference_length: points of the longest reference, for episodes in continuous space;
            None for episodes on graphs.
        metrics: ``nDTW`` or ``CLS``, if ``values`` and ``score_extensions`` are to have them where
            the rewards do not need them.
        device: where the tensors of all calls lie.

    Raises:
        InputError: the rewards have no references and no length is given, or there is no such GPU.

    Example:
        >>> tracker = warpath.torch.RewardTracker(rewards, 64, device="cuda")
        >>> tracker.reset(references)
        >>> reward = tracker.step(nodes, active)
        >>> end = tracker.finish(stopped)
    """

    def __init__(
        self,
        rewards: host.AnyRewards,
        episodes: int,
        *,
        max_reference_length: int | None = None,
        metrics: Sequence[str] = (),
        device: str | torch.device = "cpu",
    ) -> None:
        one_of("rewards", rewards, host.AnyRewards, "give warpath.torch.Rewards")
        names = texts("metrics", metrics)
        self.rewards: Rewards = rewards if isinstance(rewards, Rewards) else twin_of(rewards)
        self.episodes = number("episodes", episodes, 0, 2**31 - 1)
        """The number of episodes."""
        self.device = devices.numbered(device)
        if self.device.type not in ("cpu", "cuda"):
            raise InputError.at(Where(field="device"), f"is {self.device}", "give 'cpu' or 'cuda'")
        self.has_points = max_reference_length is not None
        self._is_host = self.device.type == "cpu"
        length = 0
        if max_reference_length is not None:
            length = number("max_reference_length", max_reference_length, 1, 2**20)
        elif not self.rewards.references:
            remedy = "make them with references, or give max_reference_length"
            raise InputError.at(Where(field="rewards"), "have no references", remedy)
        self._options = self.episodes, length, names
        size = self._make_core()
        self._stream = 0 if self._is_host else devices.stream_of(self.device)
        # On the host it stands for the state, so that torch.compile keeps the order of calls.
        self.memory = devices.zeros((1 if self._is_host else size,), torch.uint8, self.device)
        """The state of the episodes, on a GPU."""
        self._number = ops.number_of(self)

    def _make_core(self) -> int:
        # Returns the bytes of the state.
        self._version = self.rewards.devices.version
        self._core = _core.RewardTracker(self.rewards.on(self.device), *self._options)
        return self._core.memory_bytes()

    def _is_behind(self) -> bool:
        # Tells whether the episodes on a GPU run against references that were replaced.
        if self._is_host or self.has_points:
            return False
        return self._version != self.rewards.devices.version

    def warm_up(self) -> None:
        """Loads kernels, which the first call of each kind does otherwise. Call it before a CUDA
        graph is captured."""
        if not self._is_host:
            self._core.warm_up(at(self.memory), devices.stream_of(self.device))

    def reset(
        self,
        references: TensorLike,
        starts: TensorLike | None = None,
        *,
        episodes: TensorLike | None = None,
        distance_to_goal: TensorLike | None = None,
        prefix: TensorLike | None = None,
        spl_length: TensorLike | None = None,
    ) -> None:
        """Begins episodes anew.

        Args:
            references: integers [n], or points float32 [n, length, 3], NaN behind the end, for
                episodes in continuous space.
            starts: viewpoints, integers [n], or points float32 [n, 3]; None for the references'
                first.
            episodes: integers [n], which, none twice; None for all.
            distance_to_goal: float32 [n] from each start.
            prefix, spl_length: integers and float32 [n], see ``warpath.Rewards.compute``.

        Raises:
            InputError: a tensor cannot be used; on the CPU also if an episode, reference or
                viewpoint does not exist.
        """
        arguments = (references, starts, episodes, distance_to_goal, prefix, spl_length)
        if episodes is None and self._is_behind():
            size = self._make_core()
            self.memory = devices.zeros((size,), torch.uint8, self.device)
        if ops.are_wanted():
            operators.tracker_reset(self._number, self.memory, *arguments)
        else:
            self._reset(self.memory, *arguments)

    def _reset(
        self,
        memory: Tensor,
        references: TensorLike,
        starts: TensorLike | None,
        episodes: TensorLike | None,
        distance_to_goal: TensorLike | None,
        prefix: TensorLike | None,
        spl_length: TensorLike | None,
    ) -> None:
        on = self.device
        if episodes is None:
            which, count = None, self.episodes
        else:
            which = tensor_of(episodes, "episodes")
            (count,) = full_size(which, 1, "episodes")
            which = integers(which, "episodes", (count,), on)
        distances = optional_floats(distance_to_goal, "distance_to_goal", (count,), on)
        numbers, lengths = of_references(count, on, prefix, spl_length)
        if self.has_points:
            paths = floats(references, "references", (count, None, 3), on)
            first = optional_floats(starts, "starts", (count, 3), on)
        else:
            paths = integers(references, "references", (count,), on)
            first = None if starts is None else integers(starts, "starts", (count,), on)
        if count == 0:
            return
        begun = StartsAt(
            count,
            integers_at(which),
            start=_positions_at(first),
            distance_to_goal=at(distances),
            prefix=integers_at(numbers),
            spl_length=at(lengths),
        )
        ends = None
        if not self.has_points:
            begun = begun._replace(reference=integers_at(paths))
        else:
            refuse_no_elements(paths, "references")
            if not self._is_host:
                ends = lengths_of(paths)
            begun = begun._replace(references=paths_at(paths, ends))
        call, _room = self._call(memory)
        self._core.reset(at(memory), begun, call)

    def step(
        self,
        nodes: TensorLike,
        active: TensorLike | None = None,
        *,
        distance_to_goal: TensorLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """Adds a viewpoint to each active episode and returns the rewards of these moves.

        Args:
            nodes: integers [episodes], or points float32 [episodes, 3]; those of inactive episodes
                are not read.
            active: bool [episodes]; the reward of others is 0.
            distance_to_goal: float32 [episodes], metres.
            out: float32 [episodes] that the rewards are written to.

        Returns:
            A tensor [episodes].

        Raises:
            InputError: a tensor cannot be used; on the CPU also if an episode was not reset, or its
                viewpoint does not exist; nothing changes.
        """
        if ops.are_wanted():
            made: Tensor = operators.tracker_step(
                self._number, self.memory, nodes, active, distance_to_goal
            )
            return made if out is None else out.copy_(made)
        return self._step(self.memory, nodes, active, distance_to_goal, out)

    def _step(
        self,
        memory: Tensor,
        nodes: TensorLike,
        active: TensorLike | None,
        distance_to_goal: TensorLike | None,
        out: Tensor | None = None,
    ) -> Tensor:
        shape, on = (self.episodes,), self.device
        if self.has_points:
            moves = floats(nodes, "nodes", (*shape, 3), on)
        else:
            moves = integers(nodes, "nodes", shape, on)
        moved = flags(active, "active", shape, on)
        distances = optional_floats(distance_to_goal, "distance_to_goal", shape, on)
        reward = out_floats(out, shape, on, moves, moved, distances)
        call, _room = self._call(memory)
        where = at(moved), at(distances), at(reward)
        self._core.step(at(memory), _positions_at(moves), *where, call)
        return reward

    def finish(
        self,
        stopped: TensorLike | None = None,
        mask: TensorLike | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Returns the rewards of ends; episodes do not change.

        Args:
            stopped: bool [episodes]: by a stop, and not since its time was up; None: all.
            mask: bool [episodes]; the reward of others is 0.
            out: float32 [episodes] that the rewards are written to.

        Raises:
            InputError: a tensor cannot be used; on the CPU also if an episode was not reset.
        """
        if ops.are_wanted():
            made: Tensor = operators.tracker_finish(self._number, self.memory, stopped, mask)
            return made if out is None else out.copy_(made)
        return self._finish(self.memory, stopped, mask, out)

    def _finish(
        self,
        memory: Tensor,
        stopped: TensorLike | None,
        mask: TensorLike | None,
        out: Tensor | None = None,
    ) -> Tensor:
        shape, on = (self.episodes,), self.device
        ended = flags(stopped, "stopped", shape, on), flags(mask, "mask", shape, on)
        reward = out_floats(out, shape, on, *ended)
        call, _room = self._call(memory)
        self._core.finish(at(memory), at(ended[0]), at(ended[1]), at(reward), call)
        return reward

    def score_extensions(
        self,
        paths: TensorLike,
        lengths: TensorLike | None = None,
        *,
        values: Sequence[str] = (),
    ) -> RewardValues:
        """Scores continuations of each episode without taking them.

        Args:
            paths: viewpoints, integers [episodes, candidates, length], or points with 3 more,
                float32.
            lengths: integers [episodes, candidates]; a continuation of length 0 has no values
                (NaN). None: a path ends before its first negative number or NaN.
            values: as in ``Rewards.compute``, of the whole path.

        Returns:
            Tensors [episodes, candidates]; the reward is the sum of the continuation's moves.

        Raises:
            InputError: a tensor cannot be used, or a metric is not kept; on the CPU also if an
                episode was not reset, or a viewpoint does not exist.
        """
        names = named(values)
        if ops.are_wanted():
            text = ",".join(names)
            made = operators.tracker_extend(self._number, self.memory, paths, lengths, text)
            return unpacked(made, names)
        return unpacked(self._extend(self.memory, paths, lengths, names), names)

    def _extend(
        self, memory: Tensor, paths: TensorLike, lengths: TensorLike | None, names: Sequence[str]
    ) -> list[Tensor]:
        rows, on = tensor_of(paths, "paths"), self.device
        shape = full_size(rows, 3 + self.has_points, "paths")
        candidates, length = shape[1:3]
        wanted = (self.episodes, candidates, length)
        if self.has_points:
            rows = floats(rows, "paths", (*wanted, 3), on)
        else:
            rows = integers(rows, "paths", wanted, on)
        ends = None if lengths is None else integers(lengths, "lengths", wanted[:2], on)
        made = outputs(wanted[:2], on, names, None, False)
        if not self.episodes or not candidates:
            return made
        if not length:
            for tensor in made:
                tensor.fill_(float("nan"))
            return made
        if ends is None and not self._is_host:
            ends = lengths_of(rows, 2)
        call, _room = self._call(memory, candidates)
        where = paths_at(rows, ends, 2)
        self._core.extend(at(memory), candidates, where, addresses(made, names), call)
        return made

    def values(self, *names: str) -> dict[str, Tensor]:
        """Returns the values of every episode's prefix: of ``distance_to_goal``, ``ndtw`` and
        ``cls`` those named, tensors [episodes].

        Raises:
            InputError: a metric is not kept; name it when the tracker is made.
        """
        wanted = named(names)
        if ops.are_wanted():
            made = operators.tracker_values(self._number, self.memory, ",".join(wanted))
        else:
            made = self._values(self.memory, wanted)
        return dict(zip(wanted, made))

    def _values(self, memory: Tensor, names: Sequence[str]) -> list[Tensor]:
        made = outputs((self.episodes,), self.device, names, None, False)
        call, _room = self._call(memory)
        self._core.values(at(memory), addresses(made, names), call)
        return made[1:]

    def fork(self, from_: TensorLike, to: TensorLike) -> None:
        """Copies episodes: ``to[i]`` becomes what ``from_[i]`` was before the call.

        Args:
            from_, to: integers [n]; none twice in ``to``.

        Raises:
            InputError: a tensor cannot be used; on the CPU also if an episode does not exist.
        """
        if ops.are_wanted():
            operators.tracker_fork(self._number, self.memory, from_, to)
        else:
            self._fork(self.memory, from_, to)

    def _fork(self, memory: Tensor, from_: TensorLike, to: TensorLike) -> None:
        source = tensor_of(from_, "from_")
        (count,) = full_size(source, 1, "from_")
        source = integers(source, "from_", (count,), self.device)
        target = integers(to, "to", (count,), self.device)
        if count:
            call, _room = self._call(memory, 0)
            both = integers_at(source), integers_at(target)
            self._core.fork(at(memory), count, both, call)

    def state(self) -> Tensor:
        """Returns a copy of all that the tracker holds, uint8 [bytes], for ``restore``."""
        if self._is_host:
            return torch.frombuffer(bytearray(self._core.state()), dtype=torch.uint8)
        self._call(self.memory)
        memory: Tensor = self.memory.clone()
        return memory

    def restore(self, state: Tensor) -> None:
        """Restores a state of as many episodes of the same rewards, on the same kind of device.

        Raises:
            InputError: it is another's.
        """
        held = tensor_of(state, "state")
        if held.dtype is not torch.uint8 or held.device != self.device:
            what = f"is {str(held.dtype).replace('torch.', '')} on {held.device}"
            remedy = f"give what state() returned, on {self.device}"
            raise InputError.at(Where(field="state"), what, remedy)
        held = integers(held, "state", (None,), self.device)
        if self._is_host:
            self._core.restore(bytes(held.numpy()))
        elif held.shape != self.memory.shape:
            what = f"has {held.numel()} bytes"
            remedy = f"give that of a tracker of {self.episodes} episodes of the same rewards"
            raise InputError.at(Where(field="state"), what, remedy)
        else:
            self._call(self.memory)
            self.memory.copy_(held)

    def _call(
        self, memory: Tensor, candidates: int | None = None
    ) -> tuple[CallAt, Tensor | None]:
        # Returns also the workspace, to be kept until the call has started its kernels.
        if self._is_host:
            return ON_HOST, None
        if self._is_behind():
            raise InputError.at(
                Where(field="episodes"),
                "ended when the rewards were given other references",
                "reset all episodes",
            )
        self.rewards.devices.look_for_capture()
        stream = devices.stream_of(self.device)
        if stream != self._stream:
            devices.keep_for_stream(memory, self.device)
        check = self.rewards.check
        if candidates is None and not check:
            return CallAt(stream=stream), None
        size = self._core.workspace_bytes(at(memory), candidates or 0)
        room = devices.empty((size,), torch.uint8, self.device)
        return CallAt(at(room), stream, check), room

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise UsageError("a tracker is not copied: make another, and restore its state()")


def _positions_at(tensor: Tensor | None) -> PositionsAt:
    return NO_INTEGERS if tensor is None else (at(tensor), width_of(tensor))

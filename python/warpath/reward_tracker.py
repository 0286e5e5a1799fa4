"""Rewards of running episodes, a move of each at a time, over NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from .arguments import number, one_of, texts, wrong
from .arrays import (
    array_of,
    at,
    flags,
    float32,
    integers,
    integers_at,
    out_floats,
    paths_at,
    refuse_shared,
    rows_of,
    shaped,
    width_of,
)
from .batches import of_references
from .errors import InputError, Where
from .rewards import AnyRewards, RewardArrays, RewardValues, value_names
from .views import NO_INTEGERS, ON_HOST, PositionsAt, StartsAt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

__all__ = ["RewardTracker"]


class RewardTracker:
    """Rewards running episodes, a move of each at a time, in time and memory that do not grow with
    their lengths. Rewards have the bits of ``Rewards.compute`` for the same paths.

    ``Rewards.set_references`` ends all episodes on graphs: they must be reset.

    Args:
        rewards: what the episodes earn.
        episodes: how many run side by side.
        max_reference_length: points of the longest reference, for episodes in continuous space;
            None for episodes on graphs.
        metrics: ``nDTW`` or ``CLS``, if ``values`` and ``score_extensions`` are to have them where
            the rewards do not need them.
        device: where the tensors of all calls lie: the object is a ``warpath.torch.RewardTracker``
            then. None: calls take arrays.

    Raises:
        InputError: the rewards have no references and no length is given.

    Example:
        >>> tracker = warpath.RewardTracker(rewards, 64)
        >>> tracker.reset(references)
        >>> reward = tracker.step(nodes, active)
        >>> end = tracker.finish(stopped)
    """

    def __new__(cls, *arguments: Any, device: Any = None, **others: Any) -> Any:
        if device is None:
            return super().__new__(cls)
        from .torch import RewardTracker as OfTensors

        return OfTensors(*arguments, device=device, **others)

    def __init__(
        self,
        rewards: AnyRewards,
        episodes: int,
        *,
        max_reference_length: int | None = None,
        metrics: Sequence[str] = (),
        device: None = None,
    ) -> None:
        one_of("rewards", rewards, AnyRewards, "give warpath.Rewards")
        count, names = number("episodes", episodes, 0, 2**31 - 1), texts("metrics", metrics)
        length = 0
        if max_reference_length is not None:
            length = number("max_reference_length", max_reference_length, 1, 2**20)
        self.core = _core.RewardTracker(rewards.core, count, length, names)
        self.rewards = rewards

    core: _core.RewardTracker

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return self.core.episodes

    def reset(
        self,
        references: npt.ArrayLike,
        starts: npt.ArrayLike | None = None,
        *,
        episodes: npt.ArrayLike | None = None,
        distance_to_goal: npt.ArrayLike | None = None,
        prefix: npt.ArrayLike | None = None,
        spl_length: npt.ArrayLike | None = None,
    ) -> None:
        """Begins episodes anew.

        Args:
            references: integers [n], or points [n, length, 3], NaN behind the end, for episodes in
                continuous space.
            starts: viewpoints [n], or points [n, 3]; None for the references' first.
            episodes: integers [n], which; None for all.
            distance_to_goal: float32 [n] from each start.
            prefix, spl_length: integers and float32 [n], see ``Rewards.compute``.

        Raises:
            InputError: an episode, reference or viewpoint does not exist.
        """
        named = _list(episodes, "episodes")
        if named is not None and named.size == 0:
            return
        count = self.episodes if named is None else len(named)
        distances = float32(distance_to_goal, "distance_to_goal")
        shaped(distances, (count,), "distance_to_goal")
        per_entry = of_references(count, prefix, spl_length)
        if array_of(references, "references").ndim == 3:
            paths = rows_of(references, None, name="references")
            shaped(paths.values, (count, *paths.values.shape[1:]), "references")
            first = shaped(float32(starts, "starts"), (count, 3), "starts")
            which = StartsAt(count, references=paths_at(paths))
        else:
            numbers = _given(_list(references, "references"), "references")
            shaped(numbers, (count,), "references")
            first = shaped(_list(starts, "starts"), (count,), "starts")
            which = StartsAt(count, reference=integers_at(numbers))
        begun = which._replace(
            episode=integers_at(named),
            start=_positions_at(first),
            distance_to_goal=at(distances),
            prefix=integers_at(per_entry["prefix"]),
            spl_length=at(per_entry["spl_length"]),
        )
        self.core.reset(0, begun, ON_HOST)

    def step(
        self,
        nodes: npt.ArrayLike,
        active: npt.ArrayLike | None = None,
        *,
        distance_to_goal: npt.ArrayLike | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Adds a viewpoint to each active episode and returns the rewards of these moves.

        Args:
            nodes: integers [episodes], or points [episodes, 3]; those of inactive episodes are not
                read.
            active: flags [episodes]; the reward of others is 0.
            distance_to_goal: float32 [episodes], metres.
            out: float32 [episodes] that the rewards are written to.

        Raises:
            InputError: an episode was not reset, or its viewpoint does not exist; nothing changes.
        """
        moved, distances = flags(active, "active"), float32(distance_to_goal, "distance_to_goal")
        moves = array_of(nodes, "nodes")
        is_points = moves.ndim == 2
        moves = _given((float32 if is_points else integers)(nodes, "nodes"), "nodes")
        shape = (self.episodes,)
        shaped(moves, (*shape, 3) if is_points else shape, "nodes")
        shaped(moved, shape, "active")
        shaped(distances, shape, "distance_to_goal")
        reward = self._reward(out, nodes=moves, active=moved, distance_to_goal=distances)
        self.core.step(
            0, _positions_at(moves), at(moved), at(distances), at(reward), ON_HOST
        )
        return reward

    def finish(
        self,
        stopped: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        *,
        out: Floats | None = None,
    ) -> Floats:
        """Returns the rewards of ends; episodes do not change.

        Args:
            stopped: flags [episodes]: by a stop, and not since its time was up; None: all.
            mask: flags [episodes]; the reward of others is 0.
            out: float32 [episodes] that the rewards are written to.

        Raises:
            InputError: an episode was not reset.
        """
        ended, masked = flags(stopped, "stopped"), flags(mask, "mask")
        shaped(ended, (self.episodes,), "stopped")
        shaped(masked, (self.episodes,), "mask")
        reward = self._reward(out, stopped=ended, mask=masked)
        self.core.finish(0, at(ended), at(masked), at(reward), ON_HOST)
        return reward

    def score_extensions(
        self,
        paths: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        *,
        values: Sequence[str] = (),
    ) -> RewardValues:
        """Scores continuations of each episode without taking them.

        Args:
            paths: viewpoints, integers [episodes, candidates, length], or points with 3 more.
            lengths: integers [episodes, candidates]; a continuation of length 0 has no values
                (NaN). None: a path ends before its first negative number or NaN.
            values: as in ``Rewards.compute``, of the whole path.

        Returns:
            Values [episodes, candidates]; the reward is the sum of the continuation's moves.
        """
        rows = rows_of(paths, lengths, leading=2, name="paths")
        candidates = rows.values.shape[1]
        shaped(rows.values, (self.episodes, *rows.values.shape[1:]), "paths")
        made = RewardArrays((self.episodes, candidates), values, None)
        self.core.extend(0, candidates, paths_at(rows, 2), made.addresses(), ON_HOST)
        return made.result()

    def values(self, *names: str) -> dict[str, Floats]:
        """Returns the values of every episode's prefix: of ``distance_to_goal``, ``ndtw`` and
        ``cls`` those named.

        Raises:
            InputError: a metric is not kept; name it when the tracker is made.
        """
        made = RewardArrays((self.episodes,), names, None)
        self.core.values(0, made.addresses(), ON_HOST)
        result = made.result()._asdict()
        return {name: result[known] for name, known in zip(names, value_names(names))}

    def fork(self, from_: npt.ArrayLike, to: npt.ArrayLike) -> None:
        """Copies episodes: ``to[i]`` becomes what ``from_[i]`` was before the call.

        Args:
            from_, to: integers [n], numbers of episodes.

        Raises:
            InputError: an episode does not exist.
        """
        source = _given(_list(from_, "from_"), "from_")
        target = shaped(_given(_list(to, "to"), "to"), source.shape, "to")
        both = integers_at(source), integers_at(target)
        self.core.fork(0, len(source), both, ON_HOST)

    def state(self) -> bytes:
        """Returns all that the tracker holds, for ``restore`` in another process, too."""
        return self.core.state()

    def restore(self, state: bytes) -> None:
        """Restores a state of as many episodes of the same rewards and metrics.

        Raises:
            InputError: it is another's, or was saved under other settings; it says what differs.
        """
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise wrong("state", state, "give what state() returned")
        self.core.restore(bytes(state))

    def _reward(self, out: Floats | None, **inputs: Any) -> Floats:
        import numpy as np

        shape = (self.episodes,)
        if out is None:
            return np.zeros(shape, np.float32)
        refuse_shared(out_floats(out, shape), **inputs)
        return out


def _given(array: npt.NDArray[Any] | None, name: str) -> npt.NDArray[Any]:
    if array is None:
        raise InputError.at(Where(name), "is None", "give an array")
    return array


def _list(values: npt.ArrayLike | None, name: str) -> npt.NDArray[Any] | None:
    array = integers(values, name)
    if array is not None and array.ndim != 1:
        what = f"is {array.dtype}{list(array.shape)}"
        raise InputError.at(Where(name), what, "give integers of one dimension")
    return array


def _positions_at(array: npt.NDArray[Any] | None) -> PositionsAt:
    return NO_INTEGERS if array is None else (at(array), width_of(array))

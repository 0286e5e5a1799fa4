"""Rewards of running episodes, a move of each at a time, over NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from .arguments import number, one_of, texts, wrong
from .arrays import array_of, flags, float32, integers, out_floats, refuse_shared, rows_of
from .errors import InputError, Where
from .rewards import RewardArrays, Rewards, RewardValues, value_names

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

    Raises:
        InputError: the rewards have no references and no length is given.

    Example:
        >>> tracker = warpath.RewardTracker(rewards, 64)
        >>> tracker.reset(references)
        >>> reward = tracker.step(nodes, active)
        >>> end = tracker.finish(stopped)
    """

    def __init__(
        self,
        rewards: Rewards,
        episodes: int,
        *,
        max_reference_length: int | None = None,
        metrics: Sequence[str] = (),
    ) -> None:
        one_of("rewards", rewards, Rewards, "give warpath.Rewards")
        count, names = number("episodes", episodes, 0, 2**31 - 1), texts("metrics", metrics)
        if max_reference_length is None:
            self.core = _core.RewardTracker(rewards.core, count, names)
        else:
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
    ) -> None:
        """Begins episodes anew.

        Args:
            references: integers [n], or points [n, length, 3], NaN behind the end, for episodes in
                continuous space.
            starts: viewpoints [n], or points [n, 3]; None for the references' first.
            episodes: integers [n], which; None for all.
            distance_to_goal: float32 [n] from each start.

        Raises:
            InputError: an episode, reference or viewpoint does not exist.
        """
        import numpy as np

        named = _uint32(episodes, "episodes")
        if named is not None and named.size == 0:
            return
        which = np.empty(0, np.uint32) if named is None else named
        distances = float32(distance_to_goal, "distance_to_goal")
        if array_of(references, "references").ndim == 3:
            paths = rows_of(references, None, name="references")
            first = float32(starts, "starts")
            self.core.reset_points(which, paths.values, paths.lengths, first, distances)
        else:
            numbers = _given(_uint32(references, "references"), "references")
            self.core.reset(which, numbers, _uint32(starts, "starts"), distances)

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
        reward = self._reward(out, nodes=moves, active=moved, distance_to_goal=distances)
        (self.core.step_points if is_points else self.core.step)(moves, moved, distances, reward)
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
        reward = self._reward(out, stopped=ended, mask=masked)
        self.core.finish(ended, masked, reward)
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
        made = RewardArrays(rows.values.shape[:2], values, None)
        extend = self.core.extend_points if rows.values.ndim == 4 else self.core.extend
        extend(rows.values, rows.lengths, *made.arrays)
        return made.result()

    def values(self, *names: str) -> dict[str, Floats]:
        """Returns the values of every episode's prefix: of ``distance_to_goal``, ``ndtw`` and
        ``cls`` those named.

        Raises:
            InputError: a metric is not kept; name it when the tracker is made.
        """
        made = RewardArrays((self.episodes,), names, None)
        self.core.values(*made.arrays[1:])
        result = made.result()._asdict()
        return {name: result[known] for name, known in zip(names, value_names(names))}

    def fork(self, from_: npt.ArrayLike, to: npt.ArrayLike) -> None:
        """Copies episodes: ``to[i]`` becomes what ``from_[i]`` was before the call.

        Args:
            from_, to: integers [n], numbers of episodes.

        Raises:
            InputError: an episode does not exist.
        """
        source, target = _uint32(from_, "from_"), _uint32(to, "to")
        self.core.fork(_given(source, "from_"), _given(target, "to"))

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


def _uint32(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.uint32] | None:
    import numpy as np

    array = integers(values, name)
    if array is None:
        return None
    if array.ndim != 1:
        what = f"is {array.dtype}{list(array.shape)}"
        raise InputError.at(Where(name), what, "give integers of one dimension")
    if array.size and (array.min() < 0 or array.max() >= 2**32):
        raise InputError.at(Where(name), "has a number out of range", "number them from 0")
    return np.ascontiguousarray(array, np.uint32)

"""Rewards of reinforcement learning from the metrics of prefixes, over NumPy arrays.

``Rewards`` takes finished rollouts, ``RewardTracker`` running episodes. ``docs/rewards.md`` has the
definitions, ``warpath.reward_presets`` the names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import _core
from .arguments import Setting, setting_texts
from .arrays import flags, float32, integers, out_floats, rows_of
from .errors import UsageError
from .graphs import Graphs, GraphsLike

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

__all__ = ["Returns", "RewardTracker", "RewardValues", "Rewards", "add_up"]


class RewardValues(NamedTuple):
    """Holds rewards and what they were made of: float32, in the shape of the paths (of one value
    per episode: [episodes]). None where it was not asked for."""

    reward: Floats
    """Column t is the reward of the move from viewpoint t to t + 1; a path's last is its end's."""
    distance_to_goal: Floats | None = None
    """Of each viewpoint, metres (edges under hops)."""
    ndtw: Floats | None = None
    """nDTW of the prefix that ends there, against the whole reference."""
    cls: Floats | None = None
    """CLS of that prefix."""


class Returns(NamedTuple):
    """Holds sums of rewards, float32 [rollouts, length]."""

    returns: Floats
    advantage: Floats


class Rewards:
    """Rewards finished rollouts: all moves and ends of a batch from one sweep.

    Several threads may use one object; the GIL is released while it works. An object can be
    pickled: the copy makes its tables anew.

    Args:
        graphs: see ``Graphs``; None for rollouts in continuous space only.
        references: the paths that rollouts belong to, in one of the forms of ``Scorer.score``.
        scans: the scan of each reference by name, or one for all.
        goals: for each reference the viewpoints that are its goal, at least one; None for its last.
        preset: a name in ``warpath.reward_presets``.
        convention: a name in ``warpath.presets``, or a dict of its settings that replace those of
            the preset's own convention, with ``preset`` for the name: ``{"threshold": 1.0}``.
        threads: how many threads work; 0 for all cores.
        **settings: changes of the preset, see ``warpath.reward_settings``: ``tie="zero"``.

    Raises:
        InputError: a reference, goal or setting cannot be used.
        UsageError: a name does not exist.

    Example:
        >>> rewards = warpath.Rewards("connectivity", references, scans, preset="hamt")
        >>> values = rewards.compute(nodes, lengths)  # int [4096, 40], int [4096]
        >>> warpath.rewards.add_up(values.reward, lengths, discount=0.9).returns
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
        **settings: Setting,
    ) -> None:
        self._arguments = {
            "graphs": None if graphs is None else Graphs(graphs),
            "references": references,
            "scans": scans,
            "goals": goals,
            "preset": preset,
            "convention": convention,
            "threads": threads,
            **settings,
        }
        changes = {"preset": convention} if isinstance(convention, str) else dict(convention)
        made = (preset, setting_texts(settings), str(changes.pop("preset", "")))
        if graphs is None:
            if references is not None:
                raise UsageError("references need graphs; of points, give them to compute")
            self.core = _core.Rewards(threads, *made, setting_texts(changes))
            return
        store = self._arguments["graphs"]
        assert isinstance(store, Graphs)
        names = [scans] * len(references) if isinstance(scans, str) else list(scans)
        self.core = _core.Rewards(
            store.core, references, names, goals, threads, *made, setting_texts(changes)
        )

    core: _core.Rewards

    @property
    def references(self) -> int:
        """The number of references."""
        return self.core.count

    def compute(
        self,
        queries: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        active: npt.ArrayLike | None = None,
        stopped: npt.ArrayLike | None = None,
        distance_to_goal: npt.ArrayLike | None = None,
        values: Sequence[str] = (),
        out: Floats | None = None,
    ) -> RewardValues:
        """Computes the reward of every move and end.

        Args:
            queries: numbers of viewpoints, integers [rollouts, length].
            lengths: integers [rollouts], how many of a row belong to the path; None: it ends before
                its first negative number.
            reference: integers [rollouts]; None: rollout k belongs to reference k.
            active: flags [rollouts]; rewards of others are 0. None: all are active.
            stopped: flags [rollouts]: whether it ended by a stop, and not since its time was up.
                None: all did.
            distance_to_goal: float32 [rollouts, length], metres, in place of those on the graph.
            values: which others to return: ``distance_to_goal``, ``ndtw``, ``cls``.
            out: float32 [rollouts, length] without gaps that the rewards are written to.

        Returns:
            Values [rollouts, length], 0 behind the end of a path.

        Raises:
            InputError: a rollout is empty, or a viewpoint, reference or array cannot be used.
        """
        rows = rows_of(queries, lengths)
        made = _Made(rows.values.shape, values, out)
        self.core.compute(
            rows.values,
            rows.lengths,
            integers(reference, "reference"),
            flags(active, "active"),
            flags(stopped, "stopped"),
            float32(distance_to_goal, "distance_to_goal"),
            *made.arrays,
        )
        return made.result()

    def compute_points(
        self,
        queries: npt.ArrayLike,
        references: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        reference_lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        active: npt.ArrayLike | None = None,
        stopped: npt.ArrayLike | None = None,
        distance_to_goal: npt.ArrayLike | None = None,
        values: Sequence[str] = (),
        out: Floats | None = None,
    ) -> RewardValues:
        """Computes the same in continuous space, where the distance is the Euclidean one.

        Args:
            queries: points in metres, floats [rollouts, length, 3].
            references: points, floats [references, length, 3].
            lengths, reference_lengths: integers, how many points of a row belong to the path; None:
                it ends before its first NaN.
            others: as in ``compute``.

        Raises:
            InputError: as ``compute``, or a coordinate is NaN, infinite or beyond 1e12 m.
        """
        rows, paths = rows_of(queries, lengths), rows_of(references, reference_lengths)
        made = _Made(rows.values.shape[:2], values, out)
        self.core.compute_points(
            rows.values,
            rows.lengths,
            paths.values,
            paths.lengths,
            integers(reference, "reference"),
            flags(active, "active"),
            flags(stopped, "stopped"),
            float32(distance_to_goal, "distance_to_goal"),
            *made.arrays,
        )
        return made.result()

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self._arguments,)


def _make(arguments: dict[str, Any]) -> Rewards:
    return Rewards(**arguments)


class _Made:
    """Holds the arrays that a call writes: reward, distance to goal, nDTW, CLS."""

    def __init__(self, shape: tuple[int, ...], values: Sequence[str], out: Floats | None) -> None:
        import numpy as np

        for value in values:
            if value not in RewardValues._fields:
                raise UsageError(f"no value {value!r}; there are distance_to_goal, ndtw, cls")
        reward = np.zeros(shape, np.float32) if out is None else out_floats(out, shape)
        self.arrays = [
            reward,
            *(np.zeros(shape, np.float32) if v in values else None for v in RewardValues._fields[1:]),
        ]
        if out is not None:
            reward[...] = 0  # what the library leaves out

    def result(self) -> RewardValues:
        return RewardValues(*self.arrays)  # type: ignore[arg-type]


def add_up(
    reward: npt.ArrayLike,
    lengths: npt.ArrayLike,
    *,
    discount: float = 1.0,
    decay: float = 1.0,
    value: npt.ArrayLike | None = None,
    bootstrap: npt.ArrayLike | None = None,
    active: npt.ArrayLike | None = None,
) -> Returns:
    """Adds rewards up to returns and to advantages (Schulman et al. 2016, Eq. 16).

    Args:
        reward: float32 [rollouts, length].
        lengths: integers [rollouts], rewards of each.
        discount, decay: gamma and lambda, from 0 to 1.
        value: float32 [rollouts, length], the critic's; None for 0.
        bootstrap: float32 [rollouts], the value behind the last reward of rollouts whose time was
            up; None for 0.
        active: flags [rollouts]; those of others are 0.

    Raises:
        InputError: an array or number cannot be used.
    """
    import numpy as np

    rows = float32(reward, "reward")
    assert rows is not None
    returns, advantage = np.zeros(rows.shape, np.float32), np.zeros(rows.shape, np.float32)
    _core.add_up_rewards(
        rows,
        integers(lengths, "lengths"),
        flags(active, "active"),
        float32(value, "value"),
        float32(bootstrap, "bootstrap"),
        discount,
        decay,
        returns,
        advantage,
    )
    return Returns(returns, advantage)


class RewardTracker:
    """Rewards running episodes, a move of each at a time, in time and memory that do not grow with
    their lengths. Rewards have the bits of ``Rewards.compute`` for the same paths.

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
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        length = [] if max_reference_length is None else [max_reference_length]
        self.core = _core.RewardTracker(rewards.core, episodes, *length, names)
        self.rewards = rewards

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
        if np.ndim(references) == 3:  # type: ignore[arg-type]
            paths = rows_of(references, None)
            first = float32(starts, "starts")
            self.core.reset_points(which, paths.values, paths.lengths, first, distances)
        else:
            numbers = _uint32(references, "references")
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
        reward = self._reward(out)
        moved, distances = flags(active, "active"), float32(distance_to_goal, "distance_to_goal")
        if _is_points(nodes):
            self.core.step_points(float32(nodes, "nodes"), moved, distances, reward)
        else:
            self.core.step(integers(nodes, "nodes"), moved, distances, reward)
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
        reward = self._reward(out)
        self.core.finish(flags(stopped, "stopped"), flags(mask, "mask"), reward)
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
        rows = rows_of(paths, lengths, leading=2)
        made = _Made(rows.values.shape[:2], values, None)
        extend = self.core.extend_points if rows.values.ndim == 4 else self.core.extend
        extend(rows.values, rows.lengths, *made.arrays)
        return made.result()

    def values(self, *names: str) -> dict[str, Floats]:
        """Returns the values of every episode's prefix: of ``distance_to_goal``, ``ndtw`` and
        ``cls`` those named.

        Raises:
            InputError: a metric is not kept; name it when the tracker is made.
        """
        made = _Made((self.episodes,), names, None)
        self.core.values(*made.arrays[1:])
        result = made.result()._asdict()
        return {name: result[name] for name in names}

    def fork(self, from_: npt.ArrayLike, to: npt.ArrayLike) -> None:
        """Copies episodes: ``to[i]`` becomes what ``from_[i]`` was before the call."""
        self.core.fork(_uint32(from_, "from_"), _uint32(to, "to"))

    def state(self) -> bytes:
        """Returns all that the tracker holds, for ``restore`` in another process, too."""
        return self.core.state()

    def restore(self, state: bytes) -> None:
        """Restores a state of as many episodes of the same rewards.

        Raises:
            InputError: it is another's.
        """
        self.core.restore(state)

    def _reward(self, out: Floats | None) -> Floats:
        import numpy as np

        shape = (self.episodes,)
        return np.zeros(shape, np.float32) if out is None else out_floats(out, shape)


def _is_points(values: npt.ArrayLike) -> bool:
    import numpy as np

    return np.ndim(values) == 2  # type: ignore[arg-type]


def _uint32(values: npt.ArrayLike | None, name: str) -> npt.NDArray[np.uint32] | None:
    import numpy as np

    array = integers(values, name)
    if array is None:
        return None
    if array.size and (array.min() < 0 or array.max() >= 2**32):
        from .errors import InputError, Where

        raise InputError.at(Where(name), "has a number out of range", "number them from 0")
    return np.ascontiguousarray(array, np.uint32)

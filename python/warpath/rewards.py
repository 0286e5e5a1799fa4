"""Rewards of reinforcement learning from the metrics of prefixes, over NumPy arrays.

``Rewards`` takes finished rollouts; ``RewardTracker`` (in ``reward_tracker``) running episodes.
``docs/rewards.md`` has the definitions, ``warpath.reward_presets`` the names.
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

__all__ = ["Returns", "RewardArrays", "RewardValues", "Rewards", "add_up"]


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
        references: the paths that rollouts belong to, in one of the forms of ``Scorer.score``;
            ``set_references`` replaces them.
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
        self.core = _core.Rewards(
            store.core,
            references,
            names_of(scans, references),
            goals,
            threads,
            *made,
            setting_texts(changes),
        )

    core: _core.Rewards

    @property
    def references(self) -> int:
        """The number of references."""
        return self.core.count

    def set_references(
        self, references: Any, scans: str | Sequence[str], *, goals: Any = None
    ) -> None:
        """Takes other references in place of those before, e.g. those of the next batch.

        Distances that the ``Graphs`` object has already are not computed again. Calls that run in
        other threads end with the references that they began with; one thread at a time may call
        this. Episodes of trackers end, but for those in continuous space: ``reset`` begins others.

        Args:
            references, scans, goals: as of the constructor.

        Raises:
            InputError: a reference or goal cannot be used; nothing changes.
            UsageError: there are no graphs.
        """
        self.core.set_references(references, names_of(scans, references), goals)
        self._arguments.update(references=references, scans=scans, goals=goals)

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
            KeyboardInterrupt: within some 50 ms of Ctrl-C once rollouts are rewarded; ``out`` is
                then partly written.
        """
        rows = rows_of(queries, lengths)
        made = RewardArrays(rows.values.shape, values, out)
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
        made = RewardArrays(rows.values.shape[:2], values, out)
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


def names_of(scans: str | Sequence[str], references: Any) -> list[str]:
    """Returns the name of each reference's scan."""
    return [scans] * len(references) if isinstance(scans, str) else list(scans)


class RewardArrays:
    """Holds the arrays that a call writes: reward, distance to goal, nDTW, CLS."""

    def __init__(self, shape: tuple[int, ...], values: Sequence[str], out: Floats | None) -> None:
        import numpy as np

        for value in values:
            if value not in RewardValues._fields:
                raise UsageError(f"no value {value!r}; there are distance_to_goal, ndtw, cls")
        reward = np.zeros(shape, np.float32) if out is None else out_floats(out, shape)
        self.arrays = [
            reward,
            *(
                np.zeros(shape, np.float32) if v in values else None
                for v in RewardValues._fields[1:]
            ),
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

"""Rewards of reinforcement learning from the metrics of prefixes, over NumPy arrays.

``Rewards`` takes finished rollouts; ``RewardTracker`` (in ``reward_tracker``) running episodes.
``docs/rewards.md`` has the definitions, ``warpath.reward_presets`` the names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import _core
from .arguments import Setting, find_name, number, setting_texts, text, texts
from .arguments import real as real_number
from .arrays import (
    Rows,
    at,
    flags,
    float32,
    integers,
    integers_at,
    out_floats,
    refuse_no_elements,
    refuse_shared,
    rows_of,
    rows_of_points,
    shaped,
)
from .batches import batch_arrays, batch_at, group_size_of, of_references, paths_named
from .errors import InputError, UsageError, Where
from .graphs import Graphs, GraphsLike
from .twins import for_tensors_too, twin_of
from .views import ON_HOST, ReturnsAt, RewardsAt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

__all__ = [
    "AnyRewards",
    "Returns",
    "RewardArrays",
    "RewardValues",
    "Rewards",
    "add_up",
]


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


class AnyRewards:
    """Holds what rewards of arrays and of tensors share: references and settings."""

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
        self._arguments: dict[str, Any] = {
            "graphs": None if graphs is None else Graphs(graphs),
            "references": references,
            "scans": scans,
            "goals": goals,
            "preset": preset,
            "convention": convention,
            "threads": threads,
            **settings,
        }
        made = (
            text("preset", preset),
            setting_texts(settings, AnyRewards.__init__, "reward_settings"),
            *_convention_of(convention),
        )
        cores = number("threads", threads, 0, 2**31 - 1)
        if graphs is None:
            if references is not None:
                raise UsageError("references need graphs; of points, give them to compute")
            self.core = _core.Rewards(cores, *made)
            return
        store = self._arguments["graphs"]
        assert isinstance(store, Graphs)
        self.core = _core.Rewards(store.core, references, scans, goals, cores, *made)

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
        if "_twin" in self.__dict__:
            twin = twin_of(self)
            return twin.set_references(references, scans, goals=goals)  # type: ignore[no-any-return]
        self.core.set_references(references, scans, goals)
        self._arguments.update(references=references, scans=scans, goals=goals)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._arguments)


class Rewards(AnyRewards):
    """Rewards finished rollouts: all moves and ends of a batch from one sweep.

    Arrays give arrays. Tensors, and arrays on a GPU, give tensors where they lie, as those of
    ``warpath.torch.Rewards``, which this object then makes of itself. Several threads may use one
    object; the GIL is released while it works. An object can be pickled: the copy makes its tables
    anew.

    Args:
        graphs: see ``Graphs``; None for rollouts in continuous space only. The tables of all
            distances of the references' scans take up to 4 GiB together, as that of one scan of
            32,767 viewpoints does; the ``Graphs`` object keeps them.
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
        InputError: a reference, goal or setting cannot be used, or a scan is too large.
        UsageError: a name does not exist.

    Example:
        >>> rewards = warpath.Rewards("connectivity", references, scans, preset="hamt")
        >>> values = rewards.compute(nodes, lengths)  # int [4096, 40], int [4096]
        >>> warpath.rewards.add_up(values.reward, lengths, discount=0.9).returns
    """

    @for_tensors_too
    def compute(
        self,
        queries: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        group_size: int | None = None,
        active: npt.ArrayLike | None = None,
        stopped: npt.ArrayLike | None = None,
        distance_to_goal: npt.ArrayLike | None = None,
        prefix: npt.ArrayLike | None = None,
        spl_length: npt.ArrayLike | None = None,
        values: Sequence[str] = (),
        out: Floats | None = None,
    ) -> RewardValues:
        """Computes the reward of every move and end.

        Args:
            queries: numbers of viewpoints, integers [rollouts, length].
            lengths: integers [rollouts], how many of a row belong to the path; None: it ends before
                its first negative number.
            reference: integers [rollouts]; None: rollout k belongs to reference k, and there are as
                many of them.
            group_size: in place of ``reference``: rollout k belongs to reference k // group_size,
                and each reference has that many.
            active: flags [rollouts]; rewards of others are 0. None: all are active.
            stopped: flags [rollouts]: whether it ended by a stop, and not since its time was up.
                None: all did.
            distance_to_goal: float32 [rollouts, length], metres, in place of those on the graph or,
                of points, the Euclidean ones, such as ``NavMesh.distance`` gives; infinity: no way.
            prefix: integers [references]: how many first viewpoints of the reference and of its
                queries nDTW and CLS leave out. If neither has others they are 1, if only one has,
                0. Refused where moves earn gains of nDTW, CLS or DTW.
            spl_length: float32 [references], metres: the length of an ideal path in SPL, where it
                is above the distance from the query's start to the goal. None: as the
                convention's ``spl_length`` says.
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
        if rows.values.ndim != 2:
            raise InputError.at(
                Where("queries"), "are points", "give them to compute_points, or viewpoints here"
            )
        return self._compute(
            rows,
            None,
            reference,
            group_size,
            active,
            stopped,
            distance_to_goal,
            of_references(self.references, prefix, spl_length),
            values,
            out,
        )

    @for_tensors_too
    def compute_points(
        self,
        queries: npt.ArrayLike,
        references: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        reference_lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        group_size: int | None = None,
        active: npt.ArrayLike | None = None,
        stopped: npt.ArrayLike | None = None,
        distance_to_goal: npt.ArrayLike | None = None,
        prefix: npt.ArrayLike | None = None,
        spl_length: npt.ArrayLike | None = None,
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
        rows, paths = rows_of_points(queries, references, lengths, reference_lengths, "rollouts")
        return self._compute(
            rows,
            paths,
            reference,
            group_size,
            active,
            stopped,
            distance_to_goal,
            of_references(len(paths.values), prefix, spl_length),
            values,
            out,
        )

    def _compute(
        self,
        rows: Rows,
        paths: Rows | None,
        reference: npt.ArrayLike | None,
        group_size: int | None,
        active: npt.ArrayLike | None,
        stopped: npt.ArrayLike | None,
        distance_to_goal: npt.ArrayLike | None,
        per_reference: dict[str, Any],
        values: Sequence[str],
        out: Floats | None,
    ) -> RewardValues:
        shape, given = rows.values.shape[:2], batch_arrays(rows, reference, active)
        given["stopped"] = shaped(flags(stopped, "stopped"), shape[:1], "stopped")
        distances = float32(distance_to_goal, "distance_to_goal")
        given["distance_to_goal"] = shaped(distances, shape, "distance_to_goal")
        inputs = {"queries": rows.values, "lengths": rows.lengths}
        given.update(per_reference)
        made = RewardArrays(shape, values, out, **inputs, **paths_named(paths), **given)
        names = ("active", "stopped", "distance_to_goal", "spl_length")
        others = {name: at(given[name]) for name in names}
        others["group_size"] = group_size_of(group_size, given["reference"])
        numbers = integers_at(given["prefix"])
        batch = batch_at(rows, paths, given["reference"], prefix=numbers, **others)
        self.core.compute(batch, made.addresses(), ON_HOST)
        return made.result()


def _convention_of(convention: str | Mapping[str, Setting]) -> tuple[str, dict[str, str]]:
    """Returns the name of a convention and its changes."""
    if not isinstance(convention, Mapping):
        return text("convention", convention), {}
    changes = dict(convention)
    return text("convention: preset", changes.pop("preset", "")), setting_texts(changes)


def _make(kind: type[AnyRewards], arguments: dict[str, Any]) -> AnyRewards:
    return kind(**arguments)


def value_names(values: Sequence[str]) -> list[str]:
    """Returns the names of values as ``RewardValues`` has them; letter case does not matter.

    Raises:
        UsageError: there is no such value.
    """
    try:
        return [find_name(RewardValues._fields[1:], v, "value") for v in texts("values", values)]
    except KeyError as error:
        raise UsageError(error.args[0]) from None


class RewardArrays:
    """Holds the arrays that a call writes: reward, distance to goal, nDTW, CLS. ``out`` may share no
    memory with the inputs."""

    def __init__(
        self, shape: tuple[int, ...], values: Sequence[str], out: Floats | None, **inputs: Any
    ) -> None:
        import numpy as np

        names = value_names(values)
        reward = np.zeros(shape, np.float32) if out is None else out_floats(out, shape)
        self.arrays = [
            reward,
            *(np.zeros(shape, np.float32) if v in names else None for v in RewardValues._fields[1:]),
        ]
        if out is not None:
            refuse_shared(out, **inputs)
            reward[...] = 0  # what the library leaves out

    def addresses(self) -> RewardsAt:
        reward, goal, ndtw, cls = map(at, self.arrays)
        return reward, goal, ndtw, cls

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

    rows, ends = float32(reward, "reward"), integers(lengths, "lengths")
    if rows is None or ends is None:
        name = "reward" if rows is None else "lengths"
        raise InputError.at(Where(name), "is None", "give an array")
    if rows.ndim != 2:
        shaped(rows, (ends.size, 1), "reward")
    shape = rows.shape
    shaped(ends, shape[:1], "lengths")
    moved = shaped(flags(active, "active"), shape[:1], "active")
    values = shaped(float32(value, "value"), shape, "value")
    last = shaped(float32(bootstrap, "bootstrap"), shape[:1], "bootstrap")
    returns, advantage = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    if shape[0]:
        refuse_no_elements(shape[1:], "lengths")
    _core.add_up_rewards(
        ReturnsAt(
            shape[0],
            shape[1],
            integers_at(ends),
            at(moved),
            at(rows),
            at(values),
            at(last),
            real_number("discount", discount),
            real_number("decay", decay),
            at(returns),
            at(advantage),
        )
    )
    return Returns(returns, advantage)

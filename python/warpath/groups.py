"""Rewards of rollouts that belong together: advantages within groups of one item, sums by decision.

Over NumPy arrays; ``warpath.torch`` has the same functions over tensors. ``docs/rewards.md`` has the
definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import _core
from .arguments import find_name, number
from .arguments import real as real_number
from .arrays import at, flags, float32, integers, integers_at, shaped
from .errors import InputError, UsageError, Where
from .views import GroupsAt, IntegersAt

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

__all__ = [
    "Advantages",
    "Grouping",
    "group_advantages",
    "spread_to_tokens",
    "sum_by_decision",
    "wrong_decision",
]


class Advantages(NamedTuple):
    """Holds advantages, and what their groups were: [groups]; with ``groups`` [rollouts], one for
    each number that a group can have."""

    advantage: Floats
    """float32 [rollouts]; 0 where not active, and where all rewards of a group are equal."""
    mean: Floats
    """Of the active rewards, float32; NaN where there are none, as is std."""
    std: Floats
    """Their standard deviation under ``ddof``, whatever the scale; float32."""
    spread: npt.NDArray[np.bool_]
    """Whether some of them differ; trainers often leave out groups where none do."""


class Grouping(NamedTuple):
    """Holds what arrays and tensors have in common: options as the library reads them."""

    group_size: int
    """0: groups are given."""
    baseline: int
    scale: int
    ddof: int
    epsilon: float

    @classmethod
    def of(
        cls, group_size: int | None, baseline: str, scale: str, ddof: int, epsilon: float
    ) -> Grouping:
        """Reads options. Raises InputError, UsageError for what cannot be right."""
        return cls(
            0 if group_size is None else number("group_size", group_size, 1, 2**32 - 1),
            _place(("mean", "others"), baseline, "baseline"),
            _place(("std", "batch", "none"), scale, "scale"),
            number("ddof", ddof, 0, 1),
            real_number("epsilon", epsilon),
        )

    def count(self, rollouts: int) -> int:
        """Returns how many groups results are for."""
        return rollouts // self.group_size if self.group_size else rollouts

    def at(
        self, rollouts: int, groups: IntegersAt, active: int, reward: int, made: Sequence[int]
    ) -> GroupsAt:
        """Returns where all lies."""
        size, *others = self
        groups_at = (size, groups, self.count(rollouts))
        return GroupsAt(rollouts, *groups_at, active, reward, *others, *made)  # type: ignore[arg-type]


def _place(names: Sequence[str], value: str, kind: str) -> int:
    try:
        return names.index(find_name(names, value, kind))
    except KeyError as error:
        raise UsageError(error.args[0]) from None


def group_advantages(
    reward: npt.ArrayLike,
    *,
    group_size: int | None = None,
    groups: npt.ArrayLike | None = None,
    active: npt.ArrayLike | None = None,
    baseline: str = "mean",
    scale: str = "std",
    ddof: int = 1,
    epsilon: float = 1e-6,
) -> Advantages:
    """Compares the rewards of rollouts within their groups (GRPO, Shao et al. 2024; RLOO, Ahmadian
    et al. 2024): ``(reward - baseline) / (scale + epsilon)``.

    A group whose rewards are all equal has advantages of exactly 0, and so has a group of one. Means
    and deviations are made in double precision, in the order of rollouts.

    Args:
        reward: float32 [rollouts], of whole rollouts: ``values.reward.sum(1)``.
        group_size: rollouts that follow each other are a group; it divides their number.
        groups: integers [rollouts] in place of ``group_size``: the group of each, in any order, from
            0 and below the number of rollouts.
        active: flags [rollouts]; others are in no mean and have 0. None: all are active.
        baseline: ``mean`` of the group, or of its ``others`` (leave one out).
        scale: ``std`` of the group, that of the ``batch`` (all active rollouts), or ``none``.
        ddof: 0 or 1; deviations are of n - ddof.
        epsilon: from 0.

    Raises:
        InputError: an array or number cannot be used, or an active reward is NaN or infinite.
        UsageError: there is no such baseline or scale.

    Example:
        >>> warpath.group_advantages([1, 0, 2, 2], group_size=2, scale="none").advantage.tolist()
        [0.5, -0.5, 0.0, 0.0]
    """
    import numpy as np

    given = Grouping.of(group_size, baseline, scale, ddof, epsilon)
    rows, numbers = float32(reward, "reward"), integers(groups, "groups")
    if numbers is not None and numbers.dtype.kind == "i" and numbers.itemsize < 4:
        numbers = numbers.astype("int32")  # the library reads narrow ones without a sign
    if rows is None:
        raise InputError.at(Where("reward"), "is None", "give an array")
    shape = shaped(rows, (rows.size,), "reward").shape
    shaped(numbers, shape, "groups")
    taken = shaped(flags(active, "active"), shape, "active")
    per_group = (given.count(shape[0]),)
    made = (
        np.zeros(shape, np.float32),
        np.zeros(per_group, np.float32),
        np.zeros(per_group, np.float32),
        np.zeros(per_group, np.bool_),
    )
    where = [at(array) for array in made]
    _core.group_advantages(given.at(shape[0], integers_at(numbers), at(taken), at(rows), where))
    return Advantages(*made)


def sum_by_decision(
    reward: npt.ArrayLike, decision: npt.ArrayLike, decisions: int
) -> Floats:
    """Adds the rewards of moves up to those of decisions, for agents whose action is several moves.

    Args:
        reward: float32 [rollouts, length], as of ``Rewards.compute``.
        decision: integers [rollouts, length], which decision led to each move, and to the end;
            negative: none.
        decisions: how many a rollout has at most.

    Returns:
        float32 [rollouts, decisions], summed in double precision; 0 where there is no move.

    Raises:
        InputError: an array cannot be used, or names a decision that does not exist.
    """
    import numpy as np

    count = number("decisions", decisions, 0, 2**32 - 1)
    rows = _rows(float32(reward, "reward"), "reward")
    index = _decisions(decision, rows.shape, count)
    made = np.zeros((len(rows), count))
    row, column = np.nonzero(index >= 0)
    np.add.at(made, (row, index[row, column]), rows[row, column])
    return made.astype(np.float32)


def spread_to_tokens(values: npt.ArrayLike, decision: npt.ArrayLike) -> Floats:
    """Gives each token the value of the decision that it belongs to, such as its advantage.

    Args:
        values: float32 [rollouts, decisions].
        decision: integers [rollouts, tokens], which decision each token is of; negative: none.

    Returns:
        float32 [rollouts, tokens]; 0 where a token is of no decision.

    Raises:
        InputError: an array cannot be used, or names a decision that does not exist.
    """
    import numpy as np

    rows = _rows(float32(values, "values"), "values")
    index = _decisions(decision, (len(rows), None), rows.shape[1])
    if not rows.shape[1]:
        return np.zeros(index.shape, np.float32)
    spread = np.take_along_axis(rows, np.maximum(index, 0), 1)
    return np.where(index >= 0, spread, np.float32(0))


def _rows(array: Any, name: str) -> Any:
    if array is None or array.ndim != 2:
        what = "is None" if array is None else f"is an array {array.dtype}{list(array.shape)}"
        raise InputError.at(Where(name), what, "give an array of two dimensions")
    return array


def _decisions(decision: Any, shape: tuple[int, int | None], count: int) -> npt.NDArray[np.int64]:
    """Returns numbers of decisions. Raises InputError for one that does not exist."""
    import numpy as np

    array = _rows(integers(decision, "decision"), "decision")
    shaped(array, (shape[0], array.shape[1] if shape[1] is None else shape[1]), "decision")
    wrong = np.argwhere(array >= count) if count else np.argwhere(array >= 0)
    if len(wrong):
        row, column = map(int, wrong[0])
        raise wrong_decision(row, column, int(array[row, column]), count)
    made: npt.NDArray[np.int64] = array.astype(np.int64)
    return made


def wrong_decision(row: int, column: int, found: int, count: int) -> InputError:
    """Returns the error for a decision that does not exist."""
    return InputError.at(
        Where("decision", f"rollout {row}"),
        f"names decision {found} of {count}, in column {column}",
        "number decisions from 0; a negative number is none",
    )

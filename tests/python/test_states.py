"""States that are damaged, or of another version, are refused; none ends the interpreter."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import warpath

rows = np.array([[0, 1, 2], [1, 2, 2]])


@pytest.fixture(scope="module")
def statistics(street: warpath.Graphs) -> warpath.BatchStatistics:
    return warpath.Scorer(street).statistics(rows, rows, "street")


def restored(state: Any) -> warpath.BatchStatistics:
    made = warpath.BatchStatistics.__new__(warpath.BatchStatistics)
    made.__setstate__(state)
    return made


def parts(state: Any, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
    """Returns each part of a nested state with the way to it."""
    found = [(path, state)]
    if isinstance(state, (tuple, list)):
        for k, part in enumerate(state):
            found += parts(part, (*path, k))
    return found


def with_part(state: Any, path: tuple[int, ...], part: Any) -> Any:
    if not path:
        return part
    changed = list(state)
    changed[path[0]] = with_part(changed[path[0]], path[1:], part)
    return type(state)(changed)


def test_states_of_statistics_are_read_back(statistics: warpath.BatchStatistics) -> None:
    assert restored(statistics.__getstate__()) == statistics
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    empty = warpath.BatchStatistics()
    assert restored(empty.__getstate__()) == empty


def test_parts_that_are_missing_or_of_another_kind_are_refused(
    statistics: warpath.BatchStatistics,
) -> None:
    state = statistics.__getstate__()
    for path, part in parts(state):
        if path[:1] == (2,) and (path[1:2] > (1,) or path[3:4] > (1,)):
            continue  # metrics and cells are alike
        others: list[Any] = ["x", None, -1, 2**70, -(2**200), 1.5, (), [], {}, object()]
        if isinstance(part, (tuple, list)):
            others += [part[:-1], type(part)([*part, 0]), part[1:]]
        for other in others:
            changed = with_part(state, path, other)
            try:
                made = restored(changed)
            except warpath.InputError as error:
                assert str(error).startswith("state: is damaged, or of another version: ")
                assert "\n" not in str(error)
                continue
            except OverflowError:
                continue
            made.merge(statistics)
            assert isinstance(part, (int, float)) and isinstance(other, (int, float))


def test_a_histogram_has_as_many_values_as_were_counted(
    statistics: warpath.BatchStatistics,
) -> None:
    state = statistics.__getstate__()
    sums, cells = state[2][0]
    for other in ((sums, [cells[0] + 1, *cells[1:]]), ((sums[0] + 1, *sums[1:]), cells)):
        with pytest.raises(warpath.InputError, match="histogram"):
            restored(with_part(state, (2, 0), other))
    with pytest.raises(warpath.InputError, match="range"):
        restored(with_part(state, (2, 0, 0, 3), sums[4] + 1))
    with pytest.raises(warpath.InputError, match="precision"):
        restored(with_part(state, (1,), 3))


def test_every_changed_byte_of_a_tracker_is_noticed(street: warpath.Graphs) -> None:
    rewards = warpath.Rewards(street, [["a", "b", "c"], ["b", "c"]], "street")
    tracker = warpath.RewardTracker(rewards, 2)
    tracker.reset([0, 1])
    tracker.step([1, 2])
    state = tracker.state()
    draw = np.random.default_rng(3)
    for byte in range(len(state)):
        changed = bytearray(state)
        changed[byte] ^= int(draw.integers(1, 256))
        with pytest.raises(warpath.InputError, match="state"):
            tracker.restore(bytes(changed))
    for other in (b"", state[:-1], state + b"0", state * 2, state[4:]):
        with pytest.raises(warpath.InputError, match="state"):
            tracker.restore(other)
    for other in (None, "x", 3, [1, 2]):
        with pytest.raises(warpath.InputError, match="state: is of type"):
            tracker.restore(other)  # type: ignore[arg-type]
    tracker.restore(state)
    assert tracker.state() == state

"""How arrays cross to the library: addresses and sizes, in tuples that name what they mean.

``python/bindings/views.cpp`` reads them. The arrays have no gaps, lie in the memory of the object
that is called, and live until its call, or on a GPU its kernels, are done.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = [
    "NO_INTEGERS",
    "ON_HOST",
    "BatchAt",
    "CallAt",
    "GroupsAt",
    "IntegersAt",
    "PathsAt",
    "PositionsAt",
    "ReturnsAt",
    "RewardsAt",
    "RoomAt",
    "StartsAt",
    "room_of",
]

IntegersAt: TypeAlias = "tuple[int, int]"
"""The address of integers, 0 for none, and the bytes of each."""

NO_INTEGERS: IntegersAt = (0, 4)

RewardsAt: TypeAlias = "tuple[int, int, int, int]"
"""Addresses of rewards, distances to the goal, nDTW and CLS; 0: not wanted."""

PositionsAt: TypeAlias = "tuple[int, int]"
"""The address of viewpoints, and the bytes of each; or that of points, and 0."""


class PathsAt(NamedTuple):
    """Says where rows of paths lie."""

    address: int
    width: int
    """Bytes of each viewpoint, negative for those with signs; 0: points."""
    length: int
    """Elements of a row."""
    lengths: IntegersAt = NO_INTEGERS
    """None, on the host: a row ends before its first negative number or NaN."""


class BatchAt(NamedTuple):
    """Says where a batch lies, as the library's ``Batch`` does."""

    rows: int
    queries: PathsAt
    references: PathsAt | None = None
    reference: IntegersAt = NO_INTEGERS
    reference_count: int = 0
    active: int = 0
    stopped: int = 0
    distance_to_goal: int = 0
    task_success: int = 0
    group_size: int = 0
    prefix: IntegersAt = NO_INTEGERS
    spl_length: int = 0


class RoomAt(NamedTuple):
    """Says how large batches are at most; of viewpoints there is no length of references."""

    rows: int
    length: int = 0
    reference_length: int = 0
    prefix: IntegersAt = NO_INTEGERS


def room_of(batch: BatchAt) -> RoomAt:
    """Returns what a batch takes."""
    paths = batch.references
    length = 0 if paths is None else paths.length
    return RoomAt(batch.rows, batch.queries.length, length, batch.prefix)


class CallAt(NamedTuple):
    """Gives a call what it needs on a GPU, as the library's ``Call`` does."""

    workspace: int = 0
    stream: int = 0
    check: bool = False


ON_HOST = CallAt()
"""The call of an object on the host."""


class ReturnsAt(NamedTuple):
    """Says where rewards lie that are to be added up, as the library's ``ReturnsBatch`` does."""

    rows: int
    length: int
    lengths: IntegersAt
    active: int
    reward: int
    value: int
    bootstrap: int
    discount: float
    decay: float
    returns: int
    advantage: int


class GroupsAt(NamedTuple):
    """Says where rewards lie that are to be compared, as the library's ``GroupBatch`` does."""

    rows: int
    group_size: int
    groups: IntegersAt
    group_count: int
    active: int
    reward: int
    baseline: int
    scale: int
    ddof: int
    epsilon: float
    advantage: int
    mean: int
    std: int
    spread: int


class StartsAt(NamedTuple):
    """Says where episodes to begin lie, as the library's ``EpisodeStarts`` does."""

    rows: int
    episode: IntegersAt = NO_INTEGERS
    reference: IntegersAt = NO_INTEGERS
    references: PathsAt | None = None
    start: PositionsAt = NO_INTEGERS
    distance_to_goal: int = 0
    prefix: IntegersAt = NO_INTEGERS
    spl_length: int = 0

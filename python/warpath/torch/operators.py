"""The operators of torch that compiled code calls: each finds its object and calls its method."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from .ops import find, like, names_in, operator

__all__ = [
    "point_rewards",
    "point_scores",
    "rewards",
    "scores",
    "tracker_extend",
    "tracker_finish",
    "tracker_fork",
    "tracker_reset",
    "tracker_step",
    "tracker_values",
]


def _like_queries(number: int, queries: Tensor, *others: Any) -> list[Tensor]:
    names = others[-1]
    return like(queries, queries.shape[:2], 1 + len(names.split(",")) if names else 1)


@operator(
    "(int number, Tensor queries, Tensor? lengths, Tensor? reference, int group_size, "
    "Tensor? active, Tensor? stopped, Tensor? distance_to_goal, Tensor? prefix, "
    "Tensor? spl_length, str names) -> Tensor[]",
    _like_queries,
)
def rewards(number: int, *arguments: Any) -> Any:
    return find(number)._compute(*arguments[:-1], names_in(arguments[-1]))


@operator(
    "(int number, Tensor queries, Tensor references, Tensor? lengths, Tensor? reference_lengths, "
    "Tensor? reference, int group_size, Tensor? active, Tensor? stopped, "
    "Tensor? distance_to_goal, Tensor? prefix, Tensor? spl_length, str names) -> Tensor[]",
    _like_queries,
)
def point_rewards(number: int, *arguments: Any) -> Any:
    return find(number)._compute_points(*arguments[:-1], names_in(arguments[-1]))


def _like_scores(number: int, queries: Tensor, *_: Any) -> Tensor:
    metrics = len(find(number).metrics)
    return like(queries, (metrics, queries.shape[0]), 1)[0]


@operator(
    "(int number, Tensor queries, Tensor? lengths, Tensor? reference, Tensor? active, "
    "Tensor? task_success) -> Tensor",
    _like_scores,
)
def scores(number: int, *arguments: Any) -> Any:
    return find(number)._score(*arguments)


@operator(
    "(int number, Tensor queries, Tensor references, Tensor? lengths, Tensor? reference_lengths, "
    "Tensor? reference, Tensor? active, Tensor? task_success) -> Tensor",
    _like_scores,
)
def point_scores(number: int, *arguments: Any) -> Any:
    return find(number)._score_points(*arguments)


@operator(
    "(int number, Tensor(a!) memory, Tensor references, Tensor? starts, Tensor? episodes, "
    "Tensor? distance_to_goal, Tensor? prefix, Tensor? spl_length) -> ()",
    lambda *_: None,
    mutates=("memory",),
)
def tracker_reset(number: int, *arguments: Any) -> None:
    find(number)._reset(*arguments)


@operator(
    "(int number, Tensor(a!) memory, Tensor nodes, Tensor? active, Tensor? distance_to_goal) "
    "-> Tensor",
    lambda number, memory, nodes, *_: like(memory, (nodes.shape[0],), 1)[0],
    mutates=("memory",),
)
def tracker_step(number: int, *arguments: Any) -> Any:
    return find(number)._step(*arguments)


@operator(
    "(int number, Tensor memory, Tensor? stopped, Tensor? mask) -> Tensor",
    lambda number, memory, *_: like(memory, (find(number).episodes,), 1)[0],
)
def tracker_finish(number: int, *arguments: Any) -> Any:
    return find(number)._finish(*arguments)


@operator(
    "(int number, Tensor memory, Tensor paths, Tensor? lengths, str names) -> Tensor[]",
    lambda number, memory, paths, lengths, names: like(
        memory, paths.shape[:2], 1 + len(names_in(names))
    ),
)
def tracker_extend(number: int, *arguments: Any) -> Any:
    return find(number)._extend(*arguments[:-1], names_in(arguments[-1]))


@operator(
    "(int number, Tensor memory, str names) -> Tensor[]",
    lambda number, memory, names: like(
        memory, (find(number).episodes,), len(names_in(names))
    ),
)
def tracker_values(number: int, memory: Tensor, names: str) -> Any:
    return find(number)._values(memory, names_in(names))


@operator(
    "(int number, Tensor(a!) memory, Tensor from_, Tensor to) -> ()",
    lambda *_: None,
    mutates=("memory",),
)
def tracker_fork(number: int, *arguments: Any) -> None:
    find(number)._fork(*arguments)

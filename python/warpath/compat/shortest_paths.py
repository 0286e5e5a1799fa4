"""Distances between all nodes of a graph of networkx, as the library's function gives them."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .r4r import _all_distances

if TYPE_CHECKING:
    import networkx


def all_pairs_dijkstra_path_length(
    G: networkx.Graph[Any], *, weight: str = "weight"
) -> dict[Any, dict[Any, float]]:
    """Returns what ``dict(networkx.all_pairs_dijkstra_path_length(G, weight=weight))`` does.

    Args:
        G: a graph of networkx. Edges without the attribute have length 1.
        weight: the attribute of edges that is their length.

    Returns:
        For each node the distances to the nodes that can be reached, the nearest first; nodes at
        one distance may stand in another order than in networkx. Distances are floats, and agree
        to 1e-12.

    Raises:
        UsageError: ``weight`` is no text; a function is not taken.
    """
    if not isinstance(weight, str):
        raise UsageError(f"weight is of type {type(weight).__name__}; give an attribute's name")
    if not len(G):
        return {}
    return {
        node: dict(sorted(row.items(), key=itemgetter(1)))
        for node, row in _all_distances(G, weight).items()
    }

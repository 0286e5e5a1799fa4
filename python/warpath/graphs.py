"""Navigation graphs by the names of their scans, in every form that programs have them in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ._core import GraphSource
from .errors import InputError, Where

if TYPE_CHECKING:
    import networkx
    import numpy as np
    import numpy.typing as npt

__all__ = ["Graph", "GraphLike", "Graphs", "GraphsLike"]


@dataclass(frozen=True)
class Graph:
    """Holds the arrays of one navigation graph.

    Attributes:
        viewpoints: ids, in the order of their numbers.
        edges: integers [edges, 2], the numbers of the viewpoints that an edge joins, in both
            directions.
        positions: floats [viewpoints, 3], metres, z up; None if every edge has a weight.
        weights: floats [edges], metres; None for the distance of the positions.
    """

    viewpoints: Sequence[str]
    edges: npt.ArrayLike
    positions: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None


GraphLike: TypeAlias = "Graph | networkx.Graph[Any] | tuple[npt.ArrayLike, npt.ArrayLike]"
"""A graph, one of networkx, or positions [viewpoints, 3] with edges [edges, 2]."""

GraphsLike: TypeAlias = "Graphs | str | os.PathLike[str] | Mapping[str, GraphLike]"
"""Graphs, a folder or file of them, or a dict from scans to graphs."""


class Graphs:
    """Holds navigation graphs by the names of their scans.

    Args:
        source: the folder or file that the command ``warpath eval`` takes as ``--graphs``, whose
            scans are read when they are first needed; or a dict from scans to graphs: ``Graph``,
            ``networkx.Graph`` (attribute ``position`` or ``pos`` of nodes, ``weight`` of edges), or
            a pair of arrays, positions in metres [viewpoints, 3] and edges [edges, 2].

    Raises:
        InputError: there is no such file or folder, or a graph cannot be used.
    """

    def __init__(self, source: GraphsLike) -> None:
        if isinstance(source, Graphs):
            self._source, self.core = source._source, source.core
        elif isinstance(source, (str, os.PathLike)):
            self._source = os.fspath(source)
            self.core = GraphSource(self._source)
        else:
            self._source = {name: _arrays(name, graph) for name, graph in _items(source)}
            self.core = GraphSource()
            for name, graph in self._source.items():
                _add(self.core, name, graph)

    _source: str | dict[str, Graph]
    core: GraphSource

    @property
    def path(self) -> str | None:
        """The folder or file; None for graphs that were given as objects."""
        return self._source if isinstance(self._source, str) else None

    @property
    def scans(self) -> list[str]:
        """The names of the scans that are known without reading a file."""
        return self.core.names()

    def viewpoints(self, scan: str) -> list[str]:
        """Returns the ids of a scan's viewpoints, in the order of their numbers.

        Raises:
            InputError: there is no such scan, or its file is damaged.
        """
        return self.core.viewpoints(scan)

    def distances(self, scan: str) -> npt.NDArray[np.float64]:
        """Returns the lengths of shortest paths, metres, [viewpoints, viewpoints]; row a has the
        distances from a, infinity where no path leads.

        Raises:
            InputError: as ``viewpoints``, or an edge has no length.
        """
        return self.core.distances(scan)

    def __reduce__(self) -> tuple[type[Graphs], tuple[str | dict[str, Graph]]]:
        return Graphs, (self._source,)

    def __repr__(self) -> str:
        return f"Graphs({self.path!r})" if self.path else f"<Graphs of {len(self.scans)} scans>"


def _items(source: Mapping[str, GraphLike]) -> Iterable[tuple[str, GraphLike]]:
    if not isinstance(source, Mapping):
        raise InputError.at(
            Where("graphs"),
            f"is of type {type(source).__name__}",
            "give a folder, a file, or a dict from scans to graphs",
        )
    return source.items()


def _add(core: GraphSource, name: str, graph: Graph) -> None:
    import numpy as np

    positions = None if graph.positions is None else np.asarray(graph.positions, np.float64)
    weights = None if graph.weights is None else np.asarray(graph.weights, np.float64)
    edges = np.asarray(graph.edges, np.int64).reshape(-1, 2)
    core.add_arrays(str(name), [str(v) for v in graph.viewpoints], positions, edges, weights)


def _arrays(name: str, graph: Any) -> Graph:
    if isinstance(graph, Graph):
        return graph
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        return _of_networkx(graph)
    if isinstance(graph, (tuple, list)) and len(graph) == 2:
        positions, edges = graph
        return Graph([str(number) for number in range(len(positions))], edges, positions)
    raise InputError.at(
        Where("graphs", f"scan {name}"),
        f"is of type {type(graph).__name__}",
        "give a warpath.Graph, a networkx.Graph, or a tuple of positions and edges",
    )


def _of_networkx(graph: networkx.Graph[Any]) -> Graph:
    nodes = list(graph.nodes)
    number = {node: k for k, node in enumerate(nodes)}
    edges = [(number[a], number[b]) for a, b in graph.edges()]
    positions = _attribute([graph.nodes[node] for node in nodes], ("position", "pos"))
    weights = _attribute([data for _, _, data in graph.edges(data=True)], ("weight",))
    return Graph([str(node) for node in nodes], edges, positions, weights)


def _attribute(elements: list[Mapping[str, Any]], names: Sequence[str]) -> list[Any] | None:
    """Returns the first attribute that all elements have."""
    for name in names:
        if elements and all(name in element for element in elements):
            return [element[name] for element in elements]
    return None

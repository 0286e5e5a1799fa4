"""Navigation graphs by the names of their scans, in every form that programs have them in."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from ._core import GraphStore
from .arguments import flag, text, texts
from .arrays import floats, integers
from .errors import InputError, Where
from .grids import Grid

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
            directions unless the graph is directed.
        positions: floats [viewpoints, 3], metres, z up; None if every edge has a weight.
        weights: floats [edges], metres; None for the distance of the positions.
        distances: floats [viewpoints, viewpoints], metres, from the row's viewpoint to the
            column's, which are then taken in place of the lengths of shortest paths; infinity
            where no path leads. Without edges, viewpoints at a finite distance are adjacent.
        directed: each edge leads from its first viewpoint to its second only. An edge back is
            another edge and may have another weight.
    """

    viewpoints: Sequence[str]
    edges: npt.ArrayLike = ()
    positions: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None
    distances: npt.ArrayLike | None = None
    directed: bool = False


GraphLike: TypeAlias = (
    "Graph | Grid | networkx.Graph[Any] | tuple[npt.ArrayLike, npt.ArrayLike] | npt.NDArray[Any] | "
    "Mapping[Any, Mapping[Any, float]]"
)
"""A graph, a grid, one of networkx, positions [viewpoints, 3] with edges [edges, 2], or distances: a
matrix [viewpoints, viewpoints], or a dict of dicts."""

GraphsLike: TypeAlias = "Graphs | str | os.PathLike[str] | Mapping[str, GraphLike]"
"""Graphs, a folder or file of them, or a dict from scans to graphs."""


class Graphs:
    """Holds navigation graphs by the names of their scans.

    Scorers, rewards and trackers that are given the same object share the tables of distances that
    they need, each made when it is first needed and kept as long as the object lives: for the eight
    latest pairs of a distance and a threshold.

    Args:
        source: the folder or file that the command ``warpath eval`` takes as ``--graphs``, whose
            scans are read when they are first needed; or a dict from scans to graphs: ``Graph``,
            ``Grid``, one of networkx (attribute ``position`` or ``pos`` of nodes, ``weight`` of
            edges; a ``DiGraph`` stays directed, and of parallel edges the shortest counts), a pair
            of arrays, positions in metres [viewpoints, 3] and edges [edges, 2], or ready distances
            in metres: a matrix [viewpoints, viewpoints], or a dict of dicts by viewpoint and
            viewpoint. Where nothing else names them, the ids of viewpoints are "0", "1", ….

    Raises:
        InputError: there is no such file or folder, or a graph cannot be used.
    """

    def __init__(self, source: GraphsLike) -> None:
        if isinstance(source, Graphs):
            self._source, self.core = source._source, source.core
        elif isinstance(source, (str, os.PathLike)):
            self._source = text("graphs", os.fspath(source))
            self.core = GraphStore(self._source)
        else:
            self._source = {
                text("graphs: scan", str(name)): _arrays(name, graph)
                for name, graph in _items(source)
            }
            self.core = GraphStore()
            for name, graph in self._source.items():
                _add(self.core, name, graph)

    _source: str | dict[str, Graph | Grid]
    core: GraphStore

    @property
    def path(self) -> str | None:
        """The folder or file; None for graphs that were given as objects."""
        return self._source if isinstance(self._source, str) else None

    @property
    def scans(self) -> list[str]:
        """The names of the scans that were given or read so far."""
        return self.core.loaded()

    def viewpoints(self, scan: str) -> list[str]:
        """Returns the ids of a scan's viewpoints, in the order of their numbers.

        Raises:
            InputError: there is no such scan, or its file is damaged.
        """
        return self.core.viewpoints(text("scan", scan))

    def distances(self, scan: str) -> npt.NDArray[np.float64]:
        """Returns the lengths of shortest paths, metres, [viewpoints, viewpoints]: element [a, b]
        is the way from a to b, infinity where no path leads.

        Raises:
            InputError: as ``viewpoints``, or an edge has no length.
        """
        return self.core.distances(text("scan", scan))

    def positions(self, scan: str) -> npt.NDArray[np.float64] | None:
        """Returns x, y, z of the viewpoints, metres, z up, [viewpoints, 3]; None for a graph
        without positions.

        Raises:
            InputError: as ``viewpoints``.
        """
        return self.core.positions(text("scan", scan))

    def edges(self, scan: str) -> npt.NDArray[np.int64]:
        """Returns the numbers of the viewpoints that each edge joins, [edges, 2], of a directed
        graph from the first to the second; none of ready distances without edges.

        Raises:
            InputError: as ``viewpoints``.
        """
        import numpy as np

        return np.array(self.core.edges(text("scan", scan)), np.int64).reshape(-1, 2)

    def encode(
        self, paths: Any, scans: str | Sequence[str], *, check_edges: bool = False
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Turns paths of ids into padded numbers, as ``Rewards``, ``Scorer`` and ``warpath.torch``
        take them.

        Args:
            paths: a sequence of paths, each a sequence of ids (or of numbers).
            scans: the scan of each path by name, or one for all.
            check_edges: refuse a path whose next viewpoint is another one, and no edge joins them.

        Returns:
            The numbers [paths, longest], -1 behind the end of a path, and lengths [paths].

        Raises:
            InputError: as ``viewpoints``, or it names the path and the viewpoint that its scan does
                not have, or that no edge leads to.

        Example:
            >>> nodes, lengths = graphs.encode([["a", "b"], ["c"]], "scan")  # int32 [2, 2], [2]
        """
        return _core.encode(self.core, paths, scans, flag("check_edges", check_edges))

    def __reduce__(self) -> tuple[type[Graphs], tuple[str | dict[str, Graph | Grid]]]:
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


def _add(core: GraphStore, name: str, graph: Graph | Grid) -> None:
    import numpy as np

    if isinstance(graph, Grid):
        _core.add_grid(core, name, graph.core, str(graph.connect))
        return

    def array(field: str, shape: str, *sizes: int | None) -> npt.NDArray[np.float64] | None:
        found = floats(getattr(graph, field), f"graphs: scan {name}: {field}")
        if found is None:
            return None
        if found.size == 0 and found.ndim == 1:
            found = found.reshape([size or 0 for size in sizes])
        is_right = found.ndim == len(sizes) and all(
            size in (None, there) for size, there in zip(sizes, found.shape)
        )
        if not is_right:
            raise _wrong(name, field, f"has the shape {list(found.shape)}", f"give floats {shape}")
        return found

    core.add(
        name,
        _viewpoints(name, graph.viewpoints),
        array("positions", "[viewpoints, 3], in metres", None, 3),
        _edges(name, graph.edges),
        array("weights", "[edges], in metres", None),
        array("distances", "[viewpoints, viewpoints], in metres", None, None),
        flag(f"graphs: scan {name}: directed", graph.directed),
    )


def _viewpoints(name: str, viewpoints: Any) -> list[str]:
    if isinstance(viewpoints, (str, bytes)) or not isinstance(viewpoints, Iterable):
        what = f"is of type {type(viewpoints).__name__}"
        raise _wrong(name, "viewpoints", what, "give a list of ids")
    return texts(f"graphs: scan {name}: viewpoints", [str(viewpoint) for viewpoint in viewpoints])


def _edges(name: str, edges: Any) -> npt.NDArray[np.int64]:
    import numpy as np

    ends = integers(edges, f"graphs: scan {name}: edges")
    if ends is None or (ends.size and (ends.ndim != 2 or ends.shape[1] != 2)):
        what = "is None" if ends is None else f"has the shape {list(ends.shape)}"
        raise _wrong(name, "edges", what, "give integers [edges, 2]")
    return ends.astype(np.int64).reshape(-1, 2)


def _wrong(scan: str, field: str, problem: str, remedy: str) -> InputError:
    return InputError.at(Where("graphs", f"scan {scan}", field), problem, remedy)


def _arrays(name: str, graph: Any) -> Graph | Grid:
    if isinstance(graph, (Graph, Grid)):
        return graph
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        return _of_networkx(name, graph)
    if isinstance(graph, Mapping) and graph and all(isinstance(row, Mapping) for row in graph.values()):
        rows = ([row.get(b, float("inf")) for b in graph] for row in graph.values())
        return Graph([str(a) for a in graph], distances=list(rows))
    if isinstance(graph, (tuple, list)) and len(graph) == 2:
        positions, edges = graph
        if hasattr(positions, "__len__"):
            placed = floats(positions, f"graphs: scan {name}: positions")
            return Graph(_numbers(placed), edges, placed)
    elif getattr(graph, "ndim", 0) == 2:
        between = floats(graph, f"graphs: scan {name}: distances")
        return Graph(_numbers(between), distances=between)
    raise InputError.at(
        Where("graphs", f"scan {name}"),
        f"is of type {type(graph).__name__}",
        "give a warpath.Graph or Grid, a networkx.Graph, positions and edges, or distances",
    )


def _numbers(rows: npt.NDArray[np.float64] | None) -> list[str]:
    """Names viewpoints by number: one for each row of an array, whatever its object said of it."""
    return [str(number) for number in range(len(rows) if rows is not None and rows.ndim else 0)]


def _of_networkx(name: str, graph: networkx.Graph[Any]) -> Graph:
    nodes = list(graph.nodes)
    ends = [(a, b) for a, b, *_ in graph.edges()]
    positions = _attribute([graph.nodes[node] for node in nodes], ("position", "pos"))
    weights = _attribute([data for _, _, data in graph.edges(data=True)], ("weight",))
    if weights is not None:
        weights = lengths_of(ends, weights, Where("graphs", f"scan {name}"))
    edges, weights = shortest_edges(nodes, ends, weights, graph.is_directed())
    return Graph(
        [str(node) for node in nodes], edges, positions, weights, directed=graph.is_directed()
    )


def lengths_of(
    ends: Sequence[tuple[Any, Any]], weights: Sequence[Any], where: Where
) -> list[float]:
    """Returns weights of edges as numbers. Refuses those that are no lengths, by their nodes."""
    lengths = []
    for (a, b), weight in zip(ends, weights):
        try:
            length = float(weight)
        except (TypeError, ValueError):
            length = float("nan")
        if not 0 <= length <= 1e7:  # as the core allows
            raise InputError.at(
                where._replace(field=f"edge from {a} to {b}"),
                f"has the weight {weight}",
                "weights are lengths from 0 to 1e7 metres",
            )
        lengths.append(length)
    return lengths


def shortest_edges(
    nodes: Sequence[Any],
    ends: Sequence[tuple[Any, Any]],
    weights: Sequence[float] | None,
    directed: bool,
) -> tuple[list[tuple[int, int]], list[float] | None]:
    """Returns the numbers of the nodes that edges join, and weights: of parallel edges the least,
    as Dijkstra's algorithm takes it."""
    number = {node: k for k, node in enumerate(nodes)}
    least: dict[tuple[int, int], float] = {}
    for (a, b), weight in zip(ends, itertools.repeat(0.0) if weights is None else weights):
        edge = (number[a], number[b])
        if not directed and edge[::-1] in least:
            edge = edge[::-1]
        least[edge] = min(weight, least.get(edge, weight))
    return list(least), None if weights is None else list(least.values())


def _attribute(elements: list[Mapping[str, Any]], names: Sequence[str]) -> list[Any] | None:
    """Returns the first attribute that all elements have."""
    for name in names:
        if elements and all(name in element for element in elements):
            return [element[name] for element in elements]
    return None

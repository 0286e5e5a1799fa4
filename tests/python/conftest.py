"""What the tests of the Python package share: made-up scans, and the folder of real data."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import pathlib
from collections.abc import Iterator

import numpy as np
import pytest
import warpath

# Some builds of torch have no libuv (Debian 13's) and fail where it is asked for, as by default.
os.environ.setdefault("USE_LIBUV", "0")

left_to_the_night = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what tests/run_at_night.txt lists, where scripts/run-tests --by-day asks for it.

    Fails where a pattern names a file that is not there, or no case of a file that is collected.
    """
    if not os.environ.get("WARPATH_BY_DAY"):
        return
    lines = (pathlib.Path(__file__).parents[1] / "run_at_night.txt").read_text().splitlines()
    patterns = [words[1] for words in map(str.split, lines) if words[:1] == ["python"]]
    names = [item.nodeid.split("/")[-1] for item in items]
    files = {name.partition("::")[0] for name in names}
    for pattern in patterns:
        file = pattern.partition("::")[0]
        is_here = file in files or not (pathlib.Path(__file__).parent / file).exists()
        if is_here and not fnmatch.filter(names, pattern):
            raise pytest.UsageError(f"run_at_night.txt: tests/python has no case {pattern}")
    left = [
        item
        for item, name in zip(items, names)
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    config.stash[left_to_the_night] = len(left)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Says how many cases were left out: scripts/run-tests prints this line."""
    count = config.stash.get(left_to_the_night, None)
    return [] if count is None else [f"by day: {count} cases are left to the night"]


@pytest.fixture(scope="session")
def street() -> warpath.Graphs:
    """The street of include/warpath/metrics.hpp: a to d, with e beside c."""
    graph = warpath.Graph(
        viewpoints=["a", "b", "c", "d", "e"],
        edges=[[0, 1], [1, 2], [2, 3], [2, 4]],
        positions=[[0, 0, 0], [2, 0, 0], [4, 0, 0], [5, 0, 0], [4, 2, 0]],
    )
    return warpath.Graphs({"street": graph})


class Maze:
    """Random scans with random paths, as ids and as numbers."""

    def __init__(self, seed: int, scans: int = 3, size: int = 30) -> None:
        draw = np.random.default_rng(seed)
        self.names = [f"scan{k}" for k in range(scans)]
        self.graph: dict[str, warpath.Graph] = {}
        self.neighbours: dict[str, list[list[int]]] = {}
        for name in self.names:
            edges = {(k, int(draw.integers(k))) for k in range(1, size)}
            extra = draw.integers(size, size=(size, 2)).tolist()
            edges |= {(max(e), min(e)) for e in extra if e[0] != e[1]}
            self.graph[name] = warpath.Graph(
                [f"{name}_{k}" for k in range(size)], sorted(edges), draw.uniform(0, 9, (size, 3))
            )
            self.neighbours[name] = [[] for _ in range(size)]
            for a, b in sorted(edges):
                self.neighbours[name][a].append(b)
                self.neighbours[name][b].append(a)
        self.graphs = warpath.Graphs(self.graph)
        self.draw = draw

    def walk(self, scan: str, steps: int) -> list[int]:
        path = [int(self.draw.integers(len(self.neighbours[scan])))]
        for _ in range(steps):
            path.append(int(self.draw.choice(self.neighbours[scan][path[-1]])))
        return path

    def pairs(self, count: int) -> tuple[list[list[int]], list[list[int]], list[str]]:
        scans = [str(self.draw.choice(self.names)) for _ in range(count)]
        references = [self.walk(scan, int(self.draw.integers(9))) for scan in scans]
        queries = [self.walk(scan, int(self.draw.integers(14))) for scan in scans]
        return references, queries, scans

    def ids(self, paths: list[list[int]], scans: list[str]) -> list[list[str]]:
        return [[f"{scan}_{node}" for node in path] for path, scan in zip(paths, scans)]


def padded(paths: list[list[int]], dtype: type = np.int64) -> np.ndarray:
    """Returns paths as rows, -1 behind their ends."""
    rows = np.full((len(paths), max(map(len, paths))), -1, dtype)
    for row, path in zip(rows, paths):
        row[: len(path)] = path
    return rows


def csr(paths: list[list[int]], dtype: type = np.int32) -> warpath.CsrPaths:
    offsets = np.cumsum([0, *map(len, paths)]).astype(np.int64)
    return warpath.CsrPaths(np.concatenate(paths).astype(dtype), offsets)


@pytest.fixture
def maze() -> Maze:
    return Maze(seed=7)


def plain_dtw(cost: np.ndarray) -> float:
    """The recurrence of Ilharco et al. 2019, Eq. 4, written out."""
    table = np.full((cost.shape[0] + 1, cost.shape[1] + 1), np.inf)
    table[0, 0] = 0
    for i, j in np.ndindex(cost.shape):
        table[i + 1, j + 1] = cost[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[-1, -1])


@contextlib.contextmanager
def needing_meshes() -> Iterator[None]:
    """Skips a test where warpath was built without navigation meshes."""
    try:
        yield
    except warpath.UsageError as error:
        if "librecast-dev" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def mesh() -> warpath.NavMesh:
    """A mesh with a corner and an island, as the tests in C++ have it."""
    corpus = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "navmesh"
    with needing_meshes():
        return warpath.NavMesh(corpus / "version_2.navmesh")


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A study of six UC and four SC sets without sheets."""
    import warpath.study

    folder = tmp_path_factory.mktemp("study") / "small"
    warpath.study.make(folder, sets="UC=6,SC=4", sheets="none", seed=3)
    return folder


@pytest.fixture(scope="session")
def data() -> pathlib.Path:
    """The folder of real data, which is not part of the repository."""
    folder = os.environ.get("WARPATH_DATA")
    if not folder:
        pytest.skip("no real data: WARPATH_DATA is not set")
    return pathlib.Path(folder)

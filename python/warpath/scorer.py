"""Scoring of arrays and lists, again and again, with distance tables that stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from ._core import BatchStatistics
from .arguments import Setting, metric_names, number, setting_texts, text, texts
from .arrays import count_paths
from .errors import InputError, Where
from .graphs import Graphs, GraphsLike
from .progress import Progress, reporting
from .scores import Scores

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["PathsLike", "ScansLike", "Scorer"]

PathsLike: TypeAlias = (
    "Sequence[Sequence[str] | Sequence[int] | npt.ArrayLike] | npt.NDArray[Any] | "
    "_core.PaddedPaths | _core.CsrPaths"
)
"""Paths, one for each pair: a sequence of paths, a padded array, PaddedPaths or CsrPaths."""

ScansLike: TypeAlias = "str | Sequence[str] | npt.NDArray[Any] | None"
"""The scan of all pairs or of each, by name, or an array of numbers of the scorer's scans."""


class Scorer:
    """Scores pairs of a reference and a query path.

    Tables of distances are made when a batch first needs them and kept. Several threads may call
    one scorer at the same time; the GIL is released while it works on arrays. A scorer can be
    pickled: the copy makes its tables anew.

    Args:
        graphs: see ``Graphs``; None for paths of points only.
        preset: the convention, a name in ``warpath.presets``.
        metrics: names in ``warpath.metrics``, or one text with commas; None for all that two paths
            have.
        backend: ``auto``, ``reference`` (double precision), ``cpu`` or ``cuda``.
        threads: how many threads score; 0 for all cores.
        scans: names of scans to know from the start, in the order of their numbers. Others are
            added when a batch names them. None for all that can be known without reading files.
        **settings: changes of the preset, see ``warpath.settings``: ``threshold=1.5``.

    Raises:
        UsageError: a name does not exist.
        InputError: a graph or setting cannot be used.

    Example:
        >>> scorer = warpath.Scorer("connectivity", preset="r2r", metrics="SR,SPL,nDTW")
        >>> scores = scorer.score(references, queries, "17DRP5sb8fy")
        >>> scores["SPL"].mean()
    """

    def __init__(
        self,
        graphs: GraphsLike | None = None,
        *,
        preset: str = "paper",
        metrics: str | Iterable[str] | None = None,
        backend: str = "auto",
        threads: int = 0,
        scans: Iterable[str] | None = None,
        **settings: Setting,
    ) -> None:
        self.graphs = Graphs({}) if graphs is None else Graphs(graphs)
        self.preset = preset
        self.settings = settings
        self._names = metric_names(metrics)
        self._backend = backend
        self._threads = threads
        self._given_scans = self.graphs.scans if scans is None else texts("scans", scans)
        self._core = _core.Scorer(
            self.graphs.core,
            self._given_scans,
            text("preset", preset),
            setting_texts(settings, Scorer.__init__),
            self._names,
            text("backend", backend),
            number("threads", threads, -(2**31), 2**31 - 1),
        )

    @property
    def scans(self) -> list[str]:
        """The scans known so far, in the order of their numbers."""
        return self._core.scans

    @property
    def metrics(self) -> list[str]:
        """The metrics, in the order of the rows of ``out``."""
        from .tables import metrics

        return list(dict.fromkeys(metrics[self._full_name(name)].name for name in self._names))

    @staticmethod
    def _full_name(name: str) -> str:
        return "PL" if name.upper() == "TL" else name  # another name of the same metric

    def backend(self, pairs: int) -> str:
        """Returns the back end that scores a batch of that many pairs of viewpoint paths."""
        return self._core.backend(number("pairs", pairs))[0]

    def score(
        self,
        references: PathsLike,
        queries: PathsLike,
        scans: ScansLike = None,
        *,
        task_success: npt.NDArray[Any] | None = None,
        out: npt.NDArray[Any] | Mapping[str, npt.NDArray[Any]] | None = None,
        progress: Progress = False,
    ) -> Scores:
        """Scores query k against reference k.

        Args:
            references, queries: paths, in one of these forms:

                * a sequence of paths: ids of viewpoints, numbers of viewpoints, or points;
                * integers [pairs, length], -1 behind the end of a path; floats
                  [pairs, length, 3], NaN behind the end; or ``PaddedPaths`` with lengths;
                * ``CsrPaths``: integers [elements] or floats [elements, 3], with offsets. Those
                  of 32 bits (floats: of 64) are read where they are.

                Points are x, y, z in metres.
            scans: the scan of all pairs or of each, by name, or integers [pairs], numbers in
                ``scans``. None if there is only one scan, or for points.
            task_success: floats [pairs] that SDTW takes instead of SR, NaN if unknown.
            out: writable float32 or float64 [metrics, pairs] with contiguous rows, or a dict from
                metrics (also ``status``, ``zero_rules``: uint8) to arrays [pairs]. They are never
                converted. With a dict, only its metrics are computed.
            progress: True for a bar, or a function of the number of pairs done.

        Returns:
            Scores with a float64 column for each metric; those of ``out`` if it is given.

        Raises:
            InputError: a path, scan or array cannot be used; it names the pair or argument.
            CudaError: the device fails.
            KeyboardInterrupt: within some 50 ms of Ctrl-C once pairs are scored.

        Arrays must not change during the call.
        """
        with reporting(progress, count_paths(queries), " pairs") as report:
            if out is None:
                columns = self._core.score(references, queries, scans, task_success, report)
                return Scores(columns)
            columns = self._columns_of(out, count_paths(queries))
            self._core.score_into(references, queries, scans, task_success, report, columns)
            return Scores(columns)

    def statistics(
        self,
        references: PathsLike,
        queries: PathsLike,
        scans: ScansLike = None,
        *,
        task_success: npt.NDArray[Any] | None = None,
        progress: Progress = False,
    ) -> BatchStatistics:
        """Scores as ``score`` does and returns statistics alone, which can be merged exactly.

        Raises:
            InputError, CudaError, KeyboardInterrupt: as ``score``.
            OverflowError: sums leave their range (lengths of 1e12 m).
        """
        with reporting(progress, count_paths(queries), " pairs") as report:
            return self._core.statistics(references, queries, scans, task_success, report)

    def _columns_of(
        self, out: npt.NDArray[Any] | Mapping[str, npt.NDArray[Any]], pairs: int
    ) -> dict[str, npt.NDArray[Any]]:
        import numpy as np

        if isinstance(out, Mapping):
            columns = dict(out)
        else:
            names = self.metrics
            if not isinstance(out, np.ndarray) or out.ndim != 2 or len(out) != len(names):
                is_array = isinstance(out, np.ndarray)
                what = f"{out.dtype}{list(out.shape)}" if is_array else f"of type {type(out).__name__}"
                raise InputError.at(
                    Where("out"), f"is {what}", f"give an array [{len(names)}, pairs], or a dict"
                )
            columns = dict(zip(names, out))
        for name in ("status", "zero_rules"):
            columns.setdefault(name, np.empty(pairs, np.uint8))
        return columns

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = {
            "graphs": self.graphs,
            "preset": self.preset,
            "metrics": self._names,
            "backend": self._backend,
            "threads": self._threads,
            "scans": self.scans,
            **self.settings,
        }
        return _make, (arguments,)

    def __repr__(self) -> str:
        return f"<Scorer {self.preset}, {len(self.scans)} scans: {', '.join(self.metrics)}>"


def _make(arguments: dict[str, Any]) -> Scorer:
    return Scorer(**arguments)

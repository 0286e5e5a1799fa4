"""Scores of queries against references that stay, over NumPy arrays and tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _core
from .arguments import Setting, metric_names, number, setting_texts, text
from .arrays import Rows, at, float32, out_floats, refuse_shared, rows_of, rows_of_points, shaped
from .batches import batch_arrays, batch_at, paths_named
from .errors import InputError, UsageError, Where
from .graphs import Graphs, GraphsLike
from .twins import for_tensors_too, twin_of
from .views import ON_HOST

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

__all__ = ["AnyScorer", "ReferenceScorer"]

_counts = ("steps", "n_query", "n_query_raw", "n_ref")


class AnyScorer:
    """Holds what scorers of arrays and of tensors share: references, convention and metrics."""

    def __init__(
        self,
        graphs: GraphsLike | None = None,
        references: Any = None,
        scans: str | Sequence[str] = (),
        *,
        preset: str = "paper",
        metrics: str | Iterable[str] | None = None,
        threads: int = 0,
        **settings: Setting,
    ) -> None:
        names = metric_names(metrics)
        if metrics is None:
            names = [name for name in names if name not in _counts]
        self._arguments: dict[str, Any] = {
            "graphs": None if graphs is None else Graphs(graphs),
            "references": references,
            "scans": scans,
            "preset": preset,
            "metrics": names,
            "threads": threads,
            **settings,
        }
        convention = (
            text("preset", preset),
            setting_texts(settings, AnyScorer.__init__),
            names,
            number("threads", threads, 0, 2**31 - 1),
        )
        if graphs is None:
            if references is not None:
                raise UsageError("references need graphs; of points, give them to score_points")
            self.core = _core.ReferenceScorer(*convention)
        else:
            if references is None:
                raise UsageError("graphs need references; for points alone, leave graphs out")
            store = self._arguments["graphs"].core
            self.core = _core.ReferenceScorer(store, references, scans, *convention)
        self.metrics: list[str] = self.core.metrics
        """The metrics, in the order of the rows of ``out``."""

    core: _core.ReferenceScorer

    @property
    def references(self) -> int:
        """The number of references."""
        return self.core.count

    def set_references(self, references: Any, scans: str | Sequence[str]) -> None:
        """Takes other references in place of those before, e.g. those of the next batch.

        Distances that the ``Graphs`` object has already are not computed again. Calls that run in
        other threads end with the references that they began with; one thread at a time may call
        this.

        Args:
            references, scans: as of the constructor.

        Raises:
            InputError: a reference cannot be used; nothing changes.
            UsageError: there are no graphs.
        """
        if "_twin" in self.__dict__:
            return twin_of(self).set_references(references, scans)  # type: ignore[no-any-return]
        self.core.set_references(references, scans)
        self._arguments.update(references=references, scans=scans)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._arguments)


class ReferenceScorer(AnyScorer):
    """Scores queries against references that stay, e.g. the rollouts of a trainer.

    Arrays give arrays. Tensors, and arrays on a GPU, give tensors where they lie, as those of
    ``warpath.torch.Scorer``, which this object then makes of itself. Scores are single precision,
    the bits of ``Scorer`` with the back end ``cpu``. Several threads may use one object. It can be
    pickled: the copy makes its tables anew.

    Args:
        graphs: see ``Graphs``; None for paths of points only. On a GPU the tables of all distances
            of the references' scans take up to 4 GiB together, as that of one scan of 32,767
            viewpoints does.
        references: the paths that queries are scored against, in one of the forms of
            ``Scorer.score``; ``set_references`` replaces them.
        scans: the scan of each reference by name, or one for all.
        preset: the convention, a name in ``warpath.presets``.
        metrics: names in ``warpath.metrics``, or one text with commas; None for all but numbers of
            viewpoints, which are known from the lengths.
        threads: how many threads score; 0 for all cores.
        **settings: changes of the preset, see ``warpath.settings``.

    Raises:
        InputError: a graph, reference or setting cannot be used.
        UsageError: a name does not exist, or arrays cannot have it.

    Example:
        >>> scorer = warpath.ReferenceScorer("connectivity", references, scans, metrics="SR,nDTW")
        >>> ndtw = scorer.score(nodes, lengths, reference=index)["nDTW"]
    """

    @for_tensors_too
    def score(
        self,
        queries: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        active: npt.ArrayLike | None = None,
        task_success: npt.ArrayLike | None = None,
        out: Floats | None = None,
    ) -> dict[str, Floats]:
        """Scores query k against one of the references. Repeats of a viewpoint are kept.

        Args:
            queries: numbers of viewpoints, integers [pairs, length].
            lengths: integers [pairs], how many of a row belong to the path; None: it ends before
                its first negative number.
            reference: integers [pairs]; None: query k belongs to reference k, and there are as many
                of them.
            active: flags [pairs]; others get no scores. None: all are active.
            task_success: float32 [pairs] that SDTW takes instead of SR, NaN if unknown.
            out: float32 [metrics, pairs] without gaps that the scores are written to.

        Returns:
            For each metric float32 [pairs], NaN where there is no score. They are rows of one
            array.

        Raises:
            InputError: a query is empty, or a viewpoint, reference or array cannot be used.
            KeyboardInterrupt: within some 50 ms of Ctrl-C once pairs are scored; ``out`` is then
                partly written.
        """
        rows = rows_of(queries, lengths)
        if rows.values.ndim != 2:
            raise InputError.at(
                Where("queries"), "are points", "give them to score_points, or viewpoints here"
            )
        return self._score(rows, None, reference, active, task_success, out)

    @for_tensors_too
    def score_points(
        self,
        queries: npt.ArrayLike,
        references: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        reference_lengths: npt.ArrayLike | None = None,
        *,
        reference: npt.ArrayLike | None = None,
        active: npt.ArrayLike | None = None,
        task_success: npt.ArrayLike | None = None,
        out: Floats | None = None,
    ) -> dict[str, Floats]:
        """Scores continuous paths, where the distance is the Euclidean one.

        Args:
            queries: points in metres, floats [pairs, length, 3].
            references: points, floats [references, length, 3].
            lengths, reference_lengths: integers, how many points of a row belong to the path; None:
                it ends before its first NaN.
            others: as in ``score``.

        Raises:
            InputError: as ``score``, or a coordinate is NaN, infinite or beyond 1e12 m.
        """
        rows, paths = rows_of_points(queries, references, lengths, reference_lengths, "pairs")
        return self._score(rows, paths, reference, active, task_success, out)

    def _score(
        self,
        rows: Rows,
        paths: Rows | None,
        reference: npt.ArrayLike | None,
        active: npt.ArrayLike | None,
        task_success: npt.ArrayLike | None,
        out: Floats | None,
    ) -> dict[str, Floats]:
        import numpy as np

        count, given = len(rows.values), batch_arrays(rows, reference, active)
        success = shaped(float32(task_success, "task_success"), (count,), "task_success")
        shape = (len(self.metrics), count)
        made = np.empty(shape, np.float32) if out is None else out_floats(out, shape)
        if out is not None:
            inputs = {"queries": rows.values, "lengths": rows.lengths, "task_success": success}
            refuse_shared(out, **inputs, **paths_named(paths), **given)
        if given["active"] is not None:
            made[...] = np.nan  # what the library leaves out
        others = {"active": at(given["active"]), "task_success": at(success)}
        batch = batch_at(rows, paths, given["reference"], **others)
        self.core.score(batch, at(made), ON_HOST)
        return dict(zip(self.metrics, made))


def _make(kind: type[AnyScorer], arguments: dict[str, Any]) -> AnyScorer:
    return kind(**arguments)

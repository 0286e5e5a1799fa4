"""Scores of pairs over tensors, against references that stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _core
from ..arguments import Setting, metric_names, number, setting_texts, text
from ..errors import UsageError
from ..graphs import Graphs, GraphsLike
from . import devices, operators, ops
from .batches import Batch, check_all, unpaired
from .tensors import (
    TensorLike,
    at,
    device_of,
    floats,
    full_size,
    integers,
    integers_at,
    optional_floats,
    out_floats,
    signed_at,
    tensor_of,
)

__all__ = ["Scorer"]

_counts = ("steps", "n_query", "n_query_raw", "n_ref")


class Scorer:
    """Scores queries that lie in tensors, on the device where they lie.

    CPU tensors are scored by the vector back end and checked whole. CUDA tensors are scored by
    kernels on torch's current stream: a call neither copies nor waits, and can be captured into a
    CUDA graph after ``warm_up``. There, a viewpoint or reference that does not exist makes a kernel
    read outside of its memory, which ends the process's use of the GPU; ``check=True`` finds it
    first. Both give the same bits.

    Scores have no gradient. Several threads may use one object. It can be pickled: the copy makes
    its tables anew.

    Args:
        graphs: see ``warpath.Graphs``; None for paths of points only.
        references: the paths that queries are scored against, in one of the forms of
            ``warpath.Scorer.score``. They are those of all batches, until ``set_references``
            replaces them.
        scans: the scan of each reference by name, or one for all.
        preset: the convention, a name in ``warpath.presets``.
        metrics: names in ``warpath.metrics``, or one text with commas; None for all but numbers of
            viewpoints, which are known from the lengths.
        threads: how many threads score CPU tensors; 0 for all cores.
        check: whether calls on a GPU wait, read the whole batch and raise InputError for what
            cannot be right. For debugging.
        **settings: changes of the preset, see ``warpath.settings``.

    Raises:
        InputError: a graph, reference or setting cannot be used.
        UsageError: a name does not exist, or tensors cannot have it.

    Example:
        >>> scorer = warpath.torch.Scorer("connectivity", references, scans, metrics="SR,nDTW")
        >>> ndtw = scorer.score(nodes, lengths, reference=index)["nDTW"]
    """

    def __init__(
        self,
        graphs: GraphsLike | None = None,
        references: Any = None,
        scans: str | Sequence[str] = (),
        *,
        preset: str = "paper",
        metrics: str | Iterable[str] | None = None,
        threads: int = 0,
        check: bool = False,
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
            setting_texts(settings, Scorer.__init__),
            names,
            number("threads", threads, 0, 2**31 - 1),
        )
        if graphs is None:
            if references is not None:
                raise UsageError("references need graphs; of points, give them to score_points")
            core = _core.ReferenceScorer(*convention)
        else:
            if references is None:
                raise UsageError("graphs need references; for points alone, leave graphs out")
            store = self._arguments["graphs"].core
            core = _core.ReferenceScorer(store, references, scans, *convention)
        self.core = core
        self.metrics: list[str] = core.metrics
        """The metrics, in the order of the rows of ``out``."""
        self.check = check
        self.devices = devices.OnEachDevice(lambda: _core.DeviceScorer(core))
        self._number = ops.number_of(self)

    @property
    def references(self) -> int:
        """The number of references."""
        return self.core.count

    def set_references(self, references: Any, scans: str | Sequence[str]) -> None:
        """Takes other references in place of those before, e.g. those of the next batch.

        Distances that the ``Graphs`` object has already are not computed again. Calls that run in
        other threads end with the references that they began with; one thread at a time may call
        this. On a GPU this waits, and the next call there uploads tables; ``warm_up`` does it
        before a CUDA graph is captured.

        Args:
            references, scans: as of the constructor.

        Raises:
            InputError: a reference cannot be used; nothing changes.
            UsageError: there are no graphs, or a CUDA graph was captured with the object: it would
                go on with the references before, so make another object of the same ``Graphs``.
        """
        with self.devices.renewed():
            self.core.set_references(references, scans)
        self._arguments.update(references=references, scans=scans)

    def warm_up(
        self,
        device: str | torch.device = "cuda",
        *,
        pairs: int = 1,
        length: int = 1,
        reference_length: int | None = None,
    ) -> None:
        """Uploads tables and loads the kernels of such a batch, as the first call does otherwise.

        It waits. Call it before a CUDA graph is captured.

        Args:
            device: the GPU.
            pairs, length: rows and columns of the queries.
            reference_length: points of the longest reference, to score points.

        Raises:
            InputError: there is no such GPU. CudaError: it fails.
        """
        on = devices.numbered(device)
        if on.type != "cuda":
            return
        core, stream = self.devices.on(on), devices.stream_of(on)
        if reference_length is None:
            size = core.workspace_bytes(pairs, length)
            workspace = devices.empty((size,), torch.uint8, on)
            core.warm_up(pairs, length, at(workspace), stream)
        else:
            size = core.point_workspace_bytes(pairs, length, reference_length)
            workspace = devices.empty((size,), torch.uint8, on)
            core.warm_up_points(pairs, length, reference_length, at(workspace), stream)

    def score(
        self,
        queries: TensorLike,
        lengths: TensorLike | None = None,
        *,
        reference: TensorLike | None = None,
        active: TensorLike | None = None,
        task_success: TensorLike | None = None,
        out: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Scores query k against one of the references.

        All tensors lie on one device and have no gaps; none is converted. Repeats of a viewpoint
        are kept.

        Args:
            queries: numbers of viewpoints, integers [pairs, length].
            lengths: integers [pairs], how many of a row belong to the path; None: it ends before
                its first negative number.
            reference: integers [pairs]; None: query k belongs to reference k, and there are as many
                of them.
            active: bool [pairs]; others get no scores. None: all are active.
            task_success: float32 [pairs] that SDTW takes instead of SR, NaN if unknown.
            out: float32 [metrics, pairs] that the scores are written to.

        Returns:
            For each metric a float32 tensor [pairs], NaN where there is no score. They are rows of
            one tensor.

        Raises:
            InputError: a tensor has another type, shape, stride or device, or requires grad; on the
                CPU also if a query is empty, or a viewpoint or reference does not exist.
            CudaError: a kernel cannot start.
        """
        arguments = (queries, lengths, reference, active, task_success)
        if ops.are_wanted():
            return self._columns(operators.scores(self._number, *arguments), out)
        return self._columns(self._score(*arguments, out))

    def _score(
        self,
        queries: TensorLike,
        lengths: TensorLike | None,
        reference: TensorLike | None,
        active: TensorLike | None,
        task_success: TensorLike | None,
        out: Tensor | None = None,
    ) -> Tensor:
        rows = tensor_of(queries, "queries")
        count, length = full_size(rows, 2, "queries")
        device = device_of(rows, "queries")
        rows = integers(rows, "queries", (count, length), device)
        batch = Batch(count, device, lengths, reference, active)
        success = optional_floats(task_success, "task_success", (count,), device)
        check_all(batch.reference, count, self.references)
        made = self._output(count, device, out, batch, rows, success)
        if rows.is_cpu:
            self.core.score(
                count,
                length,
                signed_at(rows),
                signed_at(batch.lengths),
                signed_at(batch.reference),
                at(batch.active),
                at(success),
                at(made),
            )
            return made
        core = self.devices.on(device)
        if not count or not length:
            made.fill_(float("nan"))
            return made
        workspace = devices.empty((core.workspace_bytes(count, length),), torch.uint8, device)
        core.score(
            count,
            length,
            length,
            integers_at(rows),
            batch.lengths_at(rows),
            *batch.addresses()[:2],
            at(success),
            at(made),
            at(workspace),
            devices.stream_of(device),
            self.check,
        )
        return made

    def score_points(
        self,
        queries: TensorLike,
        references: TensorLike,
        lengths: TensorLike | None = None,
        reference_lengths: TensorLike | None = None,
        *,
        reference: TensorLike | None = None,
        active: TensorLike | None = None,
        task_success: TensorLike | None = None,
        out: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Scores continuous paths, where the distance is the Euclidean one.

        Args:
            queries: points in metres, float32 [pairs, length, 3].
            references: points, float32 [references, length, 3].
            lengths, reference_lengths: integers, how many points of a row belong to the path; None:
                it ends before its first NaN.
            others: as in ``score``.

        Raises:
            InputError, CudaError: as ``score``; on the CPU also if a coordinate is NaN, infinite or
                beyond 1e12 m.
        """
        arguments = (queries, references, lengths, reference_lengths)
        others = (reference, active, task_success)
        if ops.are_wanted():
            return self._columns(operators.point_scores(self._number, *arguments, *others), out)
        return self._columns(self._score_points(*arguments, *others, out))

    def _score_points(
        self,
        queries: TensorLike,
        references: TensorLike,
        lengths: TensorLike | None,
        reference_lengths: TensorLike | None,
        reference: TensorLike | None,
        active: TensorLike | None,
        task_success: TensorLike | None,
        out: Tensor | None = None,
    ) -> Tensor:
        rows, paths = tensor_of(queries, "queries"), tensor_of(references, "references")
        count, length, _ = full_size(rows, 3, "queries")
        path_count, path_length, _ = full_size(paths, 3, "references")
        device = device_of(rows, "queries")
        rows = floats(rows, "queries", (count, length, 3), device)
        paths = floats(paths, "references", (path_count, path_length, 3), device)
        if reference is None and path_count != count:
            raise unpaired(path_count, count)
        batch = Batch(count, device, lengths, reference, active)
        ends = Batch(path_count, device, reference_lengths, name="reference_lengths")
        success = optional_floats(task_success, "task_success", (count,), device)
        made = self._output(count, device, out, batch, rows, paths, success, ends.lengths)
        if rows.is_cpu:
            self.core.score_points(
                count,
                length,
                at(rows),
                signed_at(batch.lengths),
                path_count,
                path_length,
                at(paths),
                signed_at(ends.lengths),
                signed_at(batch.reference),
                at(batch.active),
                at(success),
                at(made),
            )
            return made
        core = self.devices.on(device)
        if not (count and length and path_count and path_length):
            made.fill_(float("nan"))
            return made
        size = core.point_workspace_bytes(count, length, path_length)
        workspace = devices.empty((size,), torch.uint8, device)
        core.score_points(
            count,
            length,
            at(rows),
            batch.lengths_at(rows),
            path_count,
            path_length,
            at(paths),
            ends.lengths_at(paths),
            *batch.addresses()[:2],
            at(success),
            at(made),
            at(workspace),
            devices.stream_of(device),
            self.check,
        )
        return made

    def _output(
        self,
        count: int,
        device: torch.device,
        out: Tensor | None,
        batch: Batch,
        *inputs: Tensor | None,
    ) -> Tensor:
        shape = (len(self.metrics), count)
        made = out_floats(out, shape, device, *inputs, *batch.tensors)
        if batch.active is not None and made.is_cuda:
            made.fill_(float("nan"))
        return made

    def _columns(self, made: Tensor, out: Tensor | None = None) -> dict[str, Tensor]:
        rows = made if out is None else out.copy_(made)
        return dict(zip(self.metrics, rows.unbind(0)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, ({**self._arguments, "check": self.check},)


def _make(arguments: dict[str, Any]) -> Scorer:
    return Scorer(**arguments)

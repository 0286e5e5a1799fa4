"""Scores of pairs over tensors, against references that stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..arguments import Setting
from ..graphs import GraphsLike
from ..reference_scorer import AnyScorer
from ..views import ON_HOST, BatchAt, CallAt, RoomAt, room_of
from . import devices, operators, ops
from .batches import Batch, check_all, unpaired
from .tensors import (
    TensorLike,
    at,
    device_of,
    floats,
    full_size,
    integers,
    optional_floats,
    out_floats,
    tensor_of,
)

__all__ = ["Scorer"]


class Scorer(AnyScorer):
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
        super().__init__(
            graphs,
            references,
            scans,
            preset=preset,
            metrics=metrics,
            threads=threads,
            **settings,
        )
        self.begin(check)

    def begin(self, check: bool) -> None:
        """Begins to take tensors."""
        self.check = check
        self.devices = devices.OnEachDevice(self.core.on_gpu)
        self._number = ops.number_of(self)

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
        core = self.devices.on(on)
        room = RoomAt(pairs, length, reference_length or 0)
        workspace = devices.empty((core.workspace_bytes(room),), torch.uint8, on)
        core.warm_up(room, CallAt(at(workspace), devices.stream_of(on)))

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
        where = batch.at(rows, task_success=at(success)) if count and length else None
        return self._start(device, where, made)

    def _start(self, device: torch.device, batch: BatchAt | None, made: Tensor) -> Tensor:
        # @param batch None: it has nothing to score
        if batch is None:
            made.fill_(float("nan"))
        elif made.is_cpu:
            self.core.score(batch, at(made), ON_HOST)
        else:
            core = self.devices.on(device)
            size = core.workspace_bytes(room_of(batch))
            workspace = devices.empty((size,), torch.uint8, device)
            call = CallAt(at(workspace), devices.stream_of(device), self.check)
            core.score(batch, at(made), call)
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
        where = None
        if count and length and path_count and path_length:
            where = batch.at(rows, paths, ends, task_success=at(success))
        return self._start(device, where, made)

    def _output(
        self,
        count: int,
        device: torch.device,
        out: Tensor | None,
        batch: Batch,
        *inputs: Tensor | None,
    ) -> Tensor:
        shape = (len(self.metrics), count)
        if out is None:
            made = devices.empty(shape, torch.float32, device)
        else:
            made = out_floats(out, shape, device, *inputs, *batch.tensors)
        if batch.active is not None:
            made.fill_(float("nan"))
        return made

    def _columns(self, made: Tensor, out: Tensor | None = None) -> dict[str, Tensor]:
        rows = made if out is None else out.copy_(made)
        return dict(zip(self.metrics, rows.unbind(0)))

    def __reduce__(self) -> tuple[Any, ...]:
        make, (kind, arguments) = super().__reduce__()
        return make, (kind, {**arguments, "check": self.check})

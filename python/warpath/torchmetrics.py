"""Metrics for torchmetrics (Lightning, Accelerate, plain DDP) with exact sums as their states.

* ``NavigationMetrics`` computes all metrics of a scorer from one sweep.
* ``SR``, ``SPL``, ``nDTW`` and so on compute one metric each. In a ``MetricCollection`` those of
  one scorer share their state, so from the second batch on they share the sweep, too.

A result has the same bits however the pairs are divided into batches and among processes. A
sampler that repeats items to give each process equally many (``DistributedSampler``) changes the
items, and so the result.

It needs torch and torchmetrics.
"""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import torch
import torchmetrics

from . import tables
from ._core import BatchStatistics, CsrPaths, PaddedPaths
from .errors import InputError, Where
from .scorer import PathsLike, ScansLike, Scorer

if TYPE_CHECKING:
    import numpy.typing as npt

_statuses = list(tables.statuses)
_of_queries = ("empty_path", "unreachable")  # the statuses of pairs that the setting invalid treats
_cells = 66  # of the largest histogram, with underflow and overflow
_limbs = 8  # of 16 bits in a sum of 128 bits
_items, _first_status = 0, 1
_first_rule = _first_status + len(_statuses)
_single, _double, _lacking = _first_rule + 3, _first_rule + 4, _first_rule + 5

_tokens: weakref.WeakKeyDictionary[Scorer, list[int]] = weakref.WeakKeyDictionary()


class ExactMetric(torchmetrics.Metric):
    """Accumulates the statistics of a scorer's metrics, see ``NavigationMetrics``. Its subclasses
    say what ``compute`` returns.

    All states but the range are integers that are added:

    * ``sums`` [metrics, 2, 8]: sums of values and of squares, in the units of
      ``warpath.Statistics.moments``, as limbs of 16 bits. Their additions carry nothing, and
      2**47 of them fit into 64 bits;
    * ``cells`` [metrics, 66]: histograms, whose cells sum to the number of values;
    * ``counts``: pairs, pairs by status, by 0/0 rule and by precision, pairs without task success.
    """

    is_differentiable = False
    full_state_update = False

    token: torch.Tensor
    sums: torch.Tensor
    cells: torch.Tensor
    counts: torch.Tensor
    minimum: torch.Tensor
    maximum: torch.Tensor

    def __init__(self, scorer: Scorer, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scorer = scorer
        self.metrics = scorer.metrics
        rows = len(self.metrics)
        # A MetricCollection takes metrics with equal states (or equal first states: torchmetrics
        # 1.5) for copies of each other. Only those of one scorer are.
        token = _tokens.setdefault(scorer, list(memoryview(uuid.uuid4().bytes).cast("H")))
        self._add("token", torch.tensor(token), "max")
        self._add("sums", torch.zeros(rows, 2, _limbs, dtype=torch.int64), "sum")
        self._add("cells", torch.zeros(rows, _cells, dtype=torch.int64), "sum")
        self._add("counts", torch.zeros(_lacking + 1, dtype=torch.int64), "sum")
        self._add("minimum", torch.full((rows,), torch.inf, dtype=torch.float64), "min")
        self._add("maximum", torch.full((rows,), -torch.inf, dtype=torch.float64), "max")

    def _add(self, name: str, default: torch.Tensor, reduce: str) -> None:
        self.add_state(name, default, dist_reduce_fx=reduce)

    def update(
        self,
        references: PathsLike | torch.Tensor,
        queries: PathsLike | Sequence[Any] | torch.Tensor,
        scans: ScansLike | torch.Tensor = None,
        *,
        task_success: npt.NDArray[Any] | torch.Tensor | None = None,
    ) -> None:
        """Scores pairs and adds their values.

        Args:
            references, queries, scans, task_success: as in ``Scorer.score``, or tensors; those of
                a GPU are copied to the host. In a list of queries, None is an item without a
                prediction, and a query may be empty; the settings ``missing`` and ``invalid``
                treat them as ``warpath.evaluate`` does.

        Raises:
            InputError, CudaError: as ``Scorer.score``.
        """
        batch = [_on_host(part) for part in (references, queries, scans, task_success)]
        counts = [0] * (_lacking + 1)
        without = _without_path(batch[1])
        for status in without:
            if status:
                counts[_items] += 1
                counts[_first_status + _statuses.index(status)] += 1
        if any(without):
            keep = [k for k, status in enumerate(without) if not status]
            names = ("references", "queries", "scans", "task_success")
            batch = [_kept(part, keep, name) for part, name in zip(batch, names)]
        if not all(without) or not without:
            self._merge(self._score(*batch), counts)
            counts[_lacking] = self._count_lacking(*batch)
        self.counts = self.counts + self._tensor(counts)

    def _score(
        self, references: Any, queries: Any, scans: Any, success: Any = None
    ) -> BatchStatistics:
        return self.scorer.statistics(references, queries, scans, task_success=success)

    def _merge(self, statistics: BatchStatistics, counts: list[int]) -> None:
        """Adds statistics to the states and their counts to a list."""
        of_items, precision, of_metrics = statistics.__getstate__()
        for k, count in enumerate(of_items):
            counts[k] += count
        if precision:
            counts[_single if precision == 1 else _double] += of_items[_items]
        rows = [of_metrics[row] for row in self._rows]
        sums = [[_split(total), _split(squares)] for (_, total, squares, _, _), _ in rows]
        cells = [list(histogram) + [0] * (_cells - len(histogram)) for _, histogram in rows]
        self.sums = self.sums + self._tensor(sums)
        self.cells = self.cells + self._tensor(cells)
        minimum = self._tensor([moments[3] for moments, _ in rows], torch.float64)
        maximum = self._tensor([moments[4] for moments, _ in rows], torch.float64)
        self.minimum = torch.minimum(self.minimum, minimum)
        self.maximum = torch.maximum(self.maximum, maximum)

    def _count_lacking(self, references: Any, queries: Any, scans: Any, success: Any) -> int:
        """Counts pairs that could be scored but have no task success, and so no SDTW."""
        if success is None:
            return 0
        import numpy as np

        lacking = np.flatnonzero(np.isnan(np.asarray(success)))
        if not len(lacking):
            return 0
        batch = (_take(part, lacking.tolist()) for part in (references, queries, scans))
        return len(lacking) - self._score(*batch).statuses().get("unreachable", 0)

    def statistics(self) -> BatchStatistics:
        """Returns the exact sums, ranges and histograms of what this process has; of all processes
        inside ``with metric.sync_context():``. Items that the convention counts as failures are
        among the values.

        Raises:
            InputError: the convention refuses items without a prediction or value.
        """
        counts = self.counts.tolist()
        if counts[_single] and counts[_double]:
            raise InputError.at(
                Where(), "some pairs were scored in single, some in double precision",
                'give all processes scorers with the same backend="cpu" or "reference"',
            )  # fmt: skip
        failures = self._failures(counts)
        of_metrics = list(BatchStatistics().__getstate__()[2])
        for k, (row, metric) in enumerate(zip(self._rows, self.metrics)):
            is_fraction = tables.metrics[metric].unit == "fraction"
            failed = failures[metric == "SDTW"] if is_fraction else 0
            of_metrics[row] = self._row(k, len(of_metrics[row][1]), failed)
        precision = 1 if counts[_single] else 2 if counts[_double] else 0
        statistics = BatchStatistics.__new__(BatchStatistics)
        statistics.__setstate__((tuple(counts[:_single]), precision, of_metrics))
        return statistics

    def _row(self, k: int, size: int, failed: int) -> tuple[Any, ...]:
        """Returns moments and histogram of a metric, with failures as values of 0."""
        cells = self.cells[k, :size].tolist()
        cells[1] += failed
        minimum, maximum = float(self.minimum[k]), float(self.maximum[k])
        if failed:
            minimum, maximum = min(minimum, 0.0), max(maximum, 0.0)
        total, squares = (_joined(limbs) for limbs in self.sums[k].tolist())
        return (sum(cells), total, squares, minimum, maximum), cells

    def _failures(self, counts: list[int]) -> tuple[int, int]:
        """Returns how many values of 0 the convention adds to fractions, and to SDTW."""
        number = dict(zip(_statuses, counts[_first_status:]))
        missing, lacking = number["missing"], counts[_lacking]
        invalid = sum(number[status] for status in _of_queries)
        if "SDTW" not in self.metrics:
            lacking = 0
        pairs = counts[_items]
        if_missing, if_invalid = self._setting("missing"), self._setting("invalid")
        if if_missing == "error" and missing + lacking:
            problem = f"{missing} of {pairs} pairs have no prediction"
            if not missing:
                problem = f"{lacking} of {pairs} pairs have no task success"
            _refuse(problem, "missing")
        if if_invalid == "error" and invalid:
            kinds = ", ".join(f"{number[s]} {s}" for s in _of_queries if number[s])
            _refuse(f"{invalid} of {pairs} pairs cannot be scored ({kinds})", "invalid")
        failed = (missing if if_missing == "zero" else 0) + (invalid if if_invalid == "zero" else 0)
        return failed, failed + (lacking if if_missing == "zero" else 0)

    def _setting(self, name: str) -> str:
        of_preset = tables.presets[self.scorer.preset].settings
        return str(self.scorer.settings.get(name, of_preset[name])).lower()

    @property
    def _rows(self) -> list[int]:
        """The positions of the metrics in the table of all."""
        names = list(tables.metrics)
        return [names.index(metric) for metric in self.metrics]

    def _tensor(self, values: Any, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.tensor(values, dtype=dtype, device=self.device)

    def _mean(self, statistics: BatchStatistics, metric: str) -> torch.Tensor:
        mean = statistics.of(metric).mean
        return self._tensor(torch.nan if mean is None else mean, torch.float64)

    def set_dtype(self, dst_type: str | torch.dtype) -> ExactMetric:
        """Changes nothing: sums would not stay exact in another type."""
        return self

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plots values as torchmetrics does: those of ``compute``, one that ``forward`` or
        ``compute`` returned, or a list of these. It needs matplotlib.

        Returns:
            The figure and its axes.
        """
        return self._plot(val, ax)


class NavigationMetrics(ExactMetric):
    """Computes all metrics of a scorer from one sweep over the pairs.

    Args:
        scorer: scores the pairs. Its metrics are those of the result; its settings ``missing`` and
            ``invalid`` say what becomes of items without a prediction or value.
        **kwargs: arguments of ``torchmetrics.Metric``, such as ``process_group``.

    ``compute`` returns a dict from metrics to means over all processes' pairs: tensors of float64
    without dimensions, NaN if no pair has a value. It raises InputError on all processes alike
    where the settings refuse items. ``forward`` returns the same of one batch.

    Example:
        >>> scorer = warpath.Scorer("connectivity", preset="r2r", metrics="SR,SPL,nDTW")
        >>> metrics = warpath.torchmetrics.NavigationMetrics(scorer)
        >>> for batch in loader:
        ...     metrics.update(batch["references"], agent(batch), batch["scans"])
        >>> metrics.compute()["SPL"]
    """

    def compute(self) -> dict[str, torch.Tensor]:
        """Returns the means of all metrics."""
        statistics = self.statistics()
        return {metric: self._mean(statistics, metric) for metric in self.metrics}


class NavigationMetric(ExactMetric):
    """Computes one metric; use a subclass. ``compute`` returns the mean over all processes' pairs:
    a tensor of float64 without dimensions, NaN if no pair has a value.

    Args:
        scorer: see ``NavigationMetrics``. The metric must be among those it scores.
        **kwargs: arguments of ``torchmetrics.Metric``.

    Raises:
        InputError: the scorer does not score the metric.
    """

    name: ClassVar[str]
    higher_is_better: bool | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__
        cls.__doc__ = f"{tables.metrics[cls.name].title}, see ``NavigationMetric``."
        better = {"higher": True, "lower": False, "neither": None}
        cls.higher_is_better = better[tables.metrics[cls.name].better]

    def __init__(self, scorer: Scorer, **kwargs: Any) -> None:
        super().__init__(scorer, **kwargs)
        if self.name not in self.metrics:
            raise InputError.at(
                Where("scorer"),
                f"does not score {self.name}",
                f'make it with metrics="{self.name}"',
            )

    def compute(self) -> torch.Tensor:
        """Returns the mean of the metric."""
        return self._mean(self.statistics(), self.name)


class PL(NavigationMetric): ...
class NE(NavigationMetric): ...
class ONE(NavigationMetric): ...
class SR(NavigationMetric): ...
class OSR(NavigationMetric): ...
class AD(NavigationMetric): ...
class MD(NavigationMetric): ...
class SPL(NavigationMetric): ...
class SED(NavigationMetric): ...
class PC(NavigationMetric): ...
class LS(NavigationMetric): ...
class CLS(NavigationMetric): ...
class DTW(NavigationMetric): ...
class nDTW(NavigationMetric): ...
class SDTW(NavigationMetric): ...
class GP(NavigationMetric): ...
class ED(NavigationMetric): ...
class EPL(NavigationMetric): ...
class SP(NavigationMetric): ...
class PLR(NavigationMetric): ...
class steps(NavigationMetric): ...
class n_query(NavigationMetric): ...
class n_query_raw(NavigationMetric): ...
class n_ref(NavigationMetric): ...


def _refuse(problem: str, setting: str) -> None:
    remedy = (
        f'mend them, or give the scorer {setting}="zero" (count as failures) or '
        f'{setting}="skip" (leave out)'
    )
    raise InputError.at(Where(), problem, remedy)


def _split(value: int) -> list[int]:
    """Returns a signed integer of 128 bits as limbs of 16 bits, of which the last has the sign."""
    last = 16 * (_limbs - 1)
    return [value >> shift & 0xFFFF for shift in range(0, last, 16)] + [value >> last]


def _joined(limbs: Sequence[int]) -> int:
    return sum(limb << 16 * k for k, limb in enumerate(limbs))


def _on_host(values: Any) -> Any:
    """Returns the same with NumPy arrays in place of tensors; those of the host share memory."""
    if isinstance(values, torch.Tensor):
        return values.detach().cpu().numpy()
    if isinstance(values, PaddedPaths):
        return PaddedPaths(_on_host(values.values), _on_host(values.lengths))
    if isinstance(values, CsrPaths):
        return CsrPaths(_on_host(values.values), _on_host(values.offsets))
    if isinstance(values, (list, tuple)):
        return [_on_host(v) if isinstance(v, torch.Tensor) else v for v in values]
    return values


def _without_path(queries: Any) -> list[str]:
    """Returns, for each query of a list, the status of those that hold no path, else nothing."""
    if not isinstance(queries, list):
        return []
    return ["missing" if q is None else "" if len(q) else "empty_path" for q in queries]


def _kept(values: Any, keep: list[int], name: str) -> Any:
    try:
        return _take(values, keep)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        what = f"has no element for each query ({error})"
        raise InputError.at(Where(name), what, "give one for each query") from error


def _take(values: Any, keep: list[int]) -> Any:
    """Returns the paths, scans or numbers at some positions."""
    if values is None or isinstance(values, str):
        return values
    if isinstance(values, PaddedPaths):
        return PaddedPaths(_take(values.values, keep), _take(values.lengths, keep))
    if isinstance(values, CsrPaths):
        offsets, elements = cast("Any", values.offsets), cast("Any", values.values)
        return [elements[offsets[k] : offsets[k + 1]] for k in keep]
    if isinstance(values, (list, tuple)):
        return [values[k] for k in keep]
    return values[keep]

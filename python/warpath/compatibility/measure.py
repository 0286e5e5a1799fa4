"""What ``warpath compatibility`` prints: retrieval, and how well scores tell good from bad."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, UsageError, Where
from ..input_tables import InputTable, TableLike, read_table
from ..output_tables import (
    PrintedTable,
    Source,
    TabledResult,
    TableStyle,
    csv_of,
    number_text,
    source_of,
)
from .embeddings import ArrayFile, ArrayLike, are_tensors, array_of, matches, read_array
from .labels import auc
from .ranks import Ranks, Retrieval, retrieval
from .similarity import scores

if TYPE_CHECKING:
    import pandas

    from .embeddings import Doubles, Integers

__all__ = ["Compatibility", "measure"]

_column = "compatibility"
_own_columns = ("trajectory", _column, "label")


class _Labels(NamedTuple):
    values: Integers
    auc: float


class Compatibility(TabledResult):
    """Holds how well embeddings tell what belongs together.

    Attributes:
        scores: float64 [N], of each instruction with its own trajectory.
        retrieval: ranks in both directions.
        auc: how well scores tell labels apart; None without labels.
    """

    kind = "compatibility"

    def __init__(
        self,
        sources: Sequence[Source],
        shape: tuple[int, int, int],
        own: Doubles,
        match: Integers,
        found: Retrieval,
        labels: _Labels | None,
        ids: InputTable | None,
    ) -> None:
        self.sources = sources
        self.scores = own
        self.retrieval = found
        self.auc = None if labels is None else labels.auc
        self._shape = shape
        self._match = match
        self._labels = None if labels is None else labels.values
        self._ids = ids

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        digits = 4 if style.digits is None else style.digits
        n, t, _ = self._shape
        recall = [f"recall@{k}" for k in self.retrieval.trajectories.recall]
        rows = []
        for name, ranks, of in (
            ("trajectories of instructions", self.retrieval.trajectories, t),
            ("instructions of trajectories", self.retrieval.instructions, n),
        ):
            values = [*ranks.recall.values(), ranks.mrr, ranks.mean_rank, ranks.median_rank]
            rows.append([name, str(ranks.n), str(of), *(number_text(v, digits) for v in values)])
        head = ["retrieval", "n", "among", *recall, "MRR", "mean rank", "median rank"]
        tables = [PrintedTable("Retrieval by compatibility", head, rows)]
        if self._labels is not None:
            positive, negative = self._counts()
            row = [_column, number_text(self.auc, digits), str(positive), str(negative)]
            head = ["score", "AUC", "positives", "negatives"]
            tables.append(PrintedTable("Labels told apart", head, [row]))
        return tables

    def _counts(self) -> tuple[int, int]:
        values = [] if self._labels is None else self._labels.tolist()
        return sum(values), len(values) - sum(values)

    def described(self) -> dict[str, Any]:
        n, t, width = self._shape
        positive, negative = self._counts()
        return {
            "instructions": n,
            "trajectories": t,
            "width": width,
            "mean_score": float(self.scores.mean()),
            "retrieval": {
                "trajectories": _described(self.retrieval.trajectories),
                "instructions": _described(self.retrieval.instructions),
            },
            "auc": self.auc,
            "positives": None if self._labels is None else positive,
            "negatives": None if self._labels is None else negative,
        }

    def remarks(self) -> list[str]:
        n, t, _ = self._shape
        lines = [
            "a rank is 1 + the number of wrong ones that score at least as high as the best right "
            "one"
        ]
        lacking = t - self.retrieval.instructions.n
        if lacking:
            lines.append(f"{lacking} trajectories have no instruction: they stand among others")
        return lines

    def rows(self) -> list[dict[str, Any]]:
        """Returns a dict for each instruction: the cells of its id's row, or its number as
        ``instruction``; its ``trajectory``, ``compatibility``, and ``label`` if there are
        labels."""
        labels = None if self._labels is None else self._labels.tolist()
        found = []
        for k, (match, score) in enumerate(zip(self._match.tolist(), self.scores.tolist())):
            row: dict[str, Any] = {"instruction": k}
            if self._ids is not None:
                row = {name: self._ids.values(name)[k] for name in self._ids.columns}
            row |= {"trajectory": match, _column: score}
            found.append(row if labels is None else {**row, "label": labels[k]})
        return found

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns ``rows`` as CSV, which ``warpath.correlate`` reads as scores, and writes it to a
        file if one is named."""
        return csv_of(self.rows(), file)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns ``rows`` as a DataFrame. It needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        n, t, _ = self._shape
        return f"<Compatibility of {n} instructions and {t} trajectories>"


def _described(ranks: Ranks) -> dict[str, Any]:
    return {
        "n": ranks.n,
        "mean_rank": ranks.mean_rank,
        "median_rank": ranks.median_rank,
        "mrr": ranks.mrr,
        **{f"recall@{k}": share for k, share in ranks.recall.items()},
    }


def measure(
    instructions: ArrayLike,
    trajectories: ArrayLike,
    match: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    k: Iterable[int] = (1, 5, 10),
    ids: TableLike | None = None,
) -> Compatibility:
    """Says how well embeddings tell what belongs together, as ``warpath compatibility`` does.

    Args:
        instructions, trajectories, match: as in ``scores``; arrays, tensors, or files ``.npy``.
        labels: 0 or 1 for each instruction, see ``auc``, which needs SciPy.
        k: of recall@k.
        ids: a table with a row for each instruction, whose cells stand in its row of ``to_csv``:
            ``instruction``, and the columns of systems that ``correlate`` joins by.

    Raises:
        InputError: names the argument or file, the row and the remedy.
    """
    import numpy as np

    table = None if ids is None else read_table(ids, "ids")
    read = {
        name: read_array(value)
        for name, value in (
            ("instructions", instructions),
            ("trajectories", trajectories),
            ("match", match),
            ("labels", labels),
        )
    }
    w, v = read["instructions"], read["trajectories"]
    is_of_tensors = are_tensors(w, v)
    own = scores(w, v, read["match"])
    found = np.asarray(own.detach().cpu().numpy() if is_of_tensors else own, np.float64)
    (n, width), t = _shape(w), _shape(v)[0]
    if table is not None:
        _require_ids(table, n)
    told = None
    if labels is not None:
        area = auc(found, read["labels"])
        told = _Labels(array_of(read["labels"], "labels", 1).astype(np.int64), area)
    sources = [
        Source(role, value.name, value.hash)
        for role, value in read.items()
        if isinstance(value, ArrayFile)
    ]
    return Compatibility(
        sources + ([] if table is None else [source_of("ids", table)]),
        (n, t, width),
        found,
        matches(read["match"], n, t),
        retrieval(w, v, read["match"], k),
        told,
        table,
    )


def _shape(value: ArrayLike) -> tuple[int, int]:
    import numpy as np

    shape = value.array.shape if isinstance(value, ArrayFile) else np.shape(value)
    return int(shape[0]), int(shape[1])


def _require_ids(table: InputTable, n: int) -> None:
    if len(table) != n:
        raise InputError.at(
            Where(table.name), f"has {len(table)} rows for {n} instructions", "give one for each"
        )
    taken = [name for name in _own_columns if name in table]
    if taken:
        problem = f"{table.name}: column {taken[0]} would be there twice"
        raise UsageError(f"{problem}: give it another name")

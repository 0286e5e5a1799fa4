"""The table that ``warpath compatibility`` prints."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from typing import Any

from ..files import write_whole
from ..output_tables import PrintedTable, Source, TabledResult, TableStyle, number_text
from .embeddings import is_tensor, read_array, scores
from .quality import auc
from .retrieval import Ranks, Retrieval, retrieval

__all__ = ["CompatibilityReport", "report"]


class CompatibilityReport(TabledResult):
    """Holds what embeddings say of pairs.

    Attributes:
        scores: float64 ``[N]``, the cosine of each instruction and its trajectory.
        match: int64 ``[N]``, the row of each instruction's trajectory.
        retrieval: ranks in both directions.
        auc: how well the scores tell labels apart; None without labels.
    """

    kind = "compatibility"

    def __init__(
        self,
        sources: Sequence[Source],
        scores: Any,
        match: Any,
        retrieval: Retrieval,
        auc: float | None,
        trajectories: int,
        labels: tuple[int, int],
    ) -> None:
        self.sources = sources
        self.scores = scores
        self.match = match
        self.retrieval = retrieval
        self.auc = auc
        self._trajectories = trajectories
        self._labels = labels

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        digits = 4 if style.digits is None else style.digits
        k = list(self.retrieval.trajectories.recall)
        head = ["looked for", "n", "of", *(f"recall@{number}" for number in k)]
        head += ["MRR", "mean rank", "median rank"]
        sizes = {"trajectories": self._trajectories, "instructions": len(self.scores)}
        rows = []
        for name, ranks in self.retrieval._asdict().items():
            values = [*ranks.recall.values(), ranks.mrr, ranks.mean_rank, ranks.median_rank]
            cells = [number_text(value, digits) for value in values]
            rows.append([name, str(ranks.n), str(sizes[name]), *cells])
        tables = [PrintedTable("Retrieval by cosine", head, rows)]
        if self.auc is not None:
            good, bad = self._labels
            row = [number_text(self.auc, digits), str(good), str(bad)]
            tables.append(PrintedTable("Labels", ["AUC", "positive", "negative"], [row], "rrr"))
        return tables

    def described(self) -> dict[str, Any]:
        return {
            "instructions": len(self.scores),
            "trajectories": self._trajectories,
            "mean_score": float(self.scores.mean()),
            "retrieval": {name: _ranks(of) for name, of in self.retrieval._asdict().items()},
            "auc": self.auc,
            "labels": dict(zip(("positive", "negative"), self._labels)),
        }

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns a row for each instruction: its row, its trajectory's and their cosine, as
        ``warpath.correlate`` reads scores; writes them to a file if one is named."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["instruction", "trajectory", "compatibility"])
        for row, (own, score) in enumerate(zip(self.match.tolist(), self.scores.tolist())):
            writer.writerow([row, own, repr(score)])
        text = stream.getvalue()
        if file is not None:
            write_whole(os.fspath(file), text)
        return text

    def remarks(self) -> list[str]:
        return [
            "A rank is 1 + the wrong ones that score at least as high as the best right one.",
        ]


def _ranks(ranks: Ranks) -> dict[str, Any]:
    recall = {f"recall@{number}": value for number, value in ranks.recall.items()}
    return {
        "n": ranks.n,
        "mean_rank": ranks.mean_rank,
        "median_rank": ranks.median_rank,
        "mrr": ranks.mrr,
        **recall,
    }


def report(
    instructions: Any,
    trajectories: Any,
    match: Any = None,
    labels: Any = None,
    k: Sequence[int] = (1, 5, 10),
) -> CompatibilityReport:
    """Returns scores, retrieval and, with labels, AUC as a result that prints.

    Args:
        instructions, trajectories, match: as in ``scores``: files, arrays or tensors.
        labels: ``[N]``, as in ``auc``.
        k: as in ``retrieval``.

    Raises:
        InputError: as those functions.
    """
    import numpy as np

    w, v = read_array(instructions, "instructions"), read_array(trajectories, "trajectories")
    given = {"instructions": w, "trajectories": v}
    if match is not None:
        given["match"] = match = read_array(match, "match")
    if labels is not None:
        given["labels"] = labels = read_array(labels, "labels")
    own = _as_array(scores(w, v, match)).astype(np.float64)
    area, counts = None, (0, 0)
    if labels is not None:
        area = auc(own, labels)
        positive = int((_as_array(labels.value) == 1).sum())
        counts = (positive, len(own) - positive)
    sources = [
        Source(role, array.name if array.hash else "", array.hash) for role, array in given.items()
    ]
    own_row = np.arange(len(own)) if match is None else _as_array(match.value)
    found = retrieval(w, v, match, k)
    return CompatibilityReport(sources, own, own_row, found, area, len(v.value), counts)


def _as_array(value: Any) -> Any:
    import numpy as np

    return value.detach().cpu().numpy() if is_tensor(value) else np.asarray(value)

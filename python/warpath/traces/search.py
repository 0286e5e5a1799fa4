"""What the follower of one trace saw, visit by visit."""

from __future__ import annotations

import os
from typing import Any

from ..errors import UsageError
from ..output_tables import PrintedTable, Source, TabledResult, TableStyle, csv_of, number_text
from .reading import MASKS, VISITS, read
from .trace import WEIGHTS, Trace

__all__ = ["Search", "search"]

_usual_digits = 4


class Search(TabledResult):
    """Holds the visual search of a trace.

    Attributes:
        trace: what was read.
        visits: a dict for each visit: ``visit`` (from 1), ``viewpoint``, ``snapshots``, ``time``
            (seconds), ``pixels_seen`` of 32,768, and the shares ``pixels`` and ``solid_angle``.
    """

    kind = "visual_search"

    def __init__(self, trace: Trace, settings: dict[str, Any]) -> None:
        self.trace = trace
        self.sources = [Source("trace", trace.file, trace.hash)]
        self._settings = settings
        self.visits: list[dict[str, Any]] = [
            {
                "visit": number,
                "viewpoint": visit.viewpoint,
                "snapshots": len(visit.times),
                "time": float(visit.times[-1] - visit.times[0]),
                "pixels_seen": visit.pixels_seen,
                "pixels": visit.search("pixels"),
                "solid_angle": visit.search("solid-angle"),
            }
            for number, visit in enumerate(trace.visits, start=1)
        ]

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        digits = _usual_digits if style.digits is None else style.digits
        shares = max(0, digits - 2)
        rows = [
            [
                str(visit["visit"]),
                visit["viewpoint"],
                str(visit["snapshots"]),
                number_text(visit["time"], max(0, digits - 2)),
                str(visit["pixels_seen"]),
                number_text(100 * visit["pixels"], shares),
                number_text(100 * visit["solid_angle"], shares),
            ]
            for visit in self.visits
        ]
        head = ["visit", "viewpoint", "snapshots", "time (s)", "pixels seen", "pixels (%)",
                "solid angle (%)"]  # fmt: skip
        return [PrintedTable("Visual search", head, rows, "rl")]

    def described(self) -> dict[str, Any]:
        return {
            "settings": self._settings,
            "path": self.trace.path,
            "snapshots": self.trace.snapshots,
            "time": self.trace.time,
            **{
                name: {weight.replace("-", "_"): share(weight) for weight in WEIGHTS}
                for name, share in (("start", self.trace.start), ("other", self.trace.other))
            },
            "visits": self.visits,
        }

    def remarks(self) -> list[str]:
        parts = []
        for weight in WEIGHTS:
            other = self.trace.other(weight)
            later = "n/a" if other is None else f"{100 * other:.2f} %"
            parts.append(f"{weight} {100 * self.trace.start(weight):.2f} %, {later}")
        later_visits = len(self.visits) - 1
        return [
            f"start (n 1), other (n {later_visits}): {'; '.join(parts)}",
            f"time: {self.trace.time:.2f} s from the first snapshot to the last",
        ]

    def to_csv(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns ``visits`` as CSV, and writes it to a file if one is named."""
        return csv_of(self.visits, file)


def search(trace: Trace | str | os.PathLike[str], **options: Any) -> Search:
    """Says what a follower saw, visit by visit.

    Args:
        trace: a trace, or its file.
        **options: see ``warpath.traces.read``.
    """
    if isinstance(trace, Trace):
        if options:
            raise UsageError("options are for reading a file: give them to warpath.traces.read")
        return Search(trace, {})
    settings = {"masks": MASKS[0], "visits": VISITS[0], "time_unit": None, **options}
    settings.pop("max_input", None)
    return Search(read(trace, **options), settings)

"""Pose traces of followers: what they saw, and how well they did.

* ``read`` reads a trace of RxR or PanGEA: its path, its time and, for each visit of a viewpoint,
  the pixels of the panorama that were seen.
* ``search`` is the table of one trace, ``wayfinding`` that of many followers.
"""

from __future__ import annotations

from .reading import read
from .rows import Row
from .search import Search, search
from .trace import Trace, Visit
from .wayfinding import Wayfinding, wayfinding

__all__ = ["Row", "Search", "Trace", "Visit", "Wayfinding", "read", "search", "wayfinding"]

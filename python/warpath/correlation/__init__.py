"""Scores of instructions against what people did with them: Kendall's tau with intervals."""

from __future__ import annotations

from typing import Any

from ..errors import UsageError

__all__ = ["correlate"]


def correlate(attempts: Any, scores: Any = None, **options: Any) -> Any:
    """Correlates scores of instructions with outcomes."""
    raise UsageError("correlate is not there yet")

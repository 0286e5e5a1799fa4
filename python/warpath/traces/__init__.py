"""Pose traces of followers: what they saw, and how well they did."""

from __future__ import annotations

from .reading import read
from .trace import Trace, Visit

__all__ = ["Trace", "Visit", "read"]

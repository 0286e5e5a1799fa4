"""The page: one HTML file with data, style, program and plotly in it."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import re
from importlib import resources
from typing import Any

from ..optional import require

__all__ = ["beginning", "html_page"]

beginning = "<!DOCTYPE html>\n<!-- warpath report -->\n"
"""First characters of the files that reports are written to."""

_scripts = ("start.js", "scores.js", "items.js", "detail.js", "drawing.js", "main.js")


def html_page(meta: dict[str, Any], data: dict[str, Any]) -> str:
    """Returns the page.

    Args:
        meta: what is shown at once; see ``payload.build``.
        data: the items.

    Raises:
        UsageError: plotly is missing.
    """
    parts = {
        "style": _file("style.css"),
        "script": "\n".join(_file(name) for name in _scripts),
        "meta": _for_script(meta),
        "data": _packed(_json(data)),
        "plotly": _plotly(),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _file("page.html"))


@functools.cache
def _plotly() -> str:
    return _packed(require("plotly.offline", "report").get_plotlyjs())


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _for_script(value: Any) -> str:
    """Returns JSON that cannot end the script element it stands in, nor open a comment."""
    return _json(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _packed(text: str) -> str:
    """Returns a text gzipped, without a date, as base64."""
    packed = gzip.compress(text.encode(), 9, mtime=0)
    return base64.b64encode(packed).decode("ascii")

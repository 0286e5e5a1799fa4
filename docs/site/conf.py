"""The documentation site: the Markdown pages of the checkout as they are, and the reference of the
Python package from its docstrings. scripts/docs builds it, and the reference of C++ beside it."""

from __future__ import annotations

import pathlib
import re
import shutil
import sys
import types
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]

project = "warpath"
author = "the warpath authors"
copyright = f"2026 {author}"
numbers = re.findall(r"VERSION_[MP]\w+ (\d+)", (ROOT / "include/warpath/version.hpp").read_text())
release = version = ".".join(numbers)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
suppress_warnings = [
    "misc.highlighting_failure",  # code in which … stands for what a reader knows
    "ref.python",  # a name in an annotation that two modules have
]

# Pages link to each other as on the host of the repository, so the source folder is the checkout.
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/site/*.rst",
    "bench/**.md",
    "examples/*.md",
    "kernels/*.md",
    "python/*.md",
    "tests/*/*.md",
]
exclude_patterns = ["build*", ".*"]  # not searched for pages, which would take half of the time
chapters = {
    "Use": "docs/tasks docs/formats docs/metrics docs/presets docs/evaluators docs/signature "
    "docs/baselines docs/aggregate docs/drones docs/pictures docs/studies docs/platforms",
    "Program": "docs/python docs/tensors docs/rewards docs/distributed docs/cpp examples/README",
    "Look up": "docs/site/python_reference docs/site/cpp_reference docs/glossary docs/precision "
    "docs/stability CHANGELOG SECURITY",
    "Develop": "CONTRIBUTING docs/map docs/architecture docs/cuda docs/testing bench/README "
    "bench/results/nvidia-h200-2026-11-26 bench/results/nvidia-h200-2026-11-28 "
    "kernels/kernel_table python/README tests/fuzz/README "
    "tests/golden/README tests/ptx_emulator/README",
}

smartquotes = False
html_theme = "furo"
html_title = f"warpath {release}"
html_copy_source = False
html_static_path = ["style.css"]
html_css_files = ["style.css"]

autodoc_member_order = "bysource"
# Their import would take as long as half of the site.
autodoc_mock_imports = ["torch"]
sys.modules["torchmetrics"] = types.ModuleType("torchmetrics")
sys.modules["torchmetrics"].Metric = object


def add_chapters(app: Any, page: str, source: list[str]) -> None:
    """Appends the contents to the first page. A page that they lack is a warning of Sphinx."""
    if page == root_doc:
        for title, pages in chapters.items():
            names = "\n".join(f"/{name}" for name in pages.split())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{names}\n```\n"


def copy_first_page(app: Any, error: Exception | None) -> None:
    """Gives the first page the name that web servers look for."""
    if error is None:
        shutil.copy(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def setup(app: Any) -> None:
    app.connect("source-read", add_chapters)
    app.connect("build-finished", copy_first_page)

"""Compares every picture of examples/python/gallery.py with a stored rendering.

After a change that is meant, WARPATH_WRITE_PICTURES=1 stores new ones; look at each of them.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("scipy", reason="scipy is not installed")
import matplotlib
import matplotlib.pyplot as plt
import warpath.plot
from matplotlib.testing.compare import compare_images

matplotlib.use("agg")
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/python/gallery.py"
STORED = pathlib.Path(__file__).parent / "pictures"
# Root mean square of the differences of pixels, 0 to 255. Without its arrows a path differs by 4.6.
TOLERANCE = 3.0


def draw_gallery(folder: pathlib.Path) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("gallery", EXAMPLE)
    assert spec is not None and spec.loader is not None
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    pictures: dict[str, Any] = gallery.draw_all(folder)
    return pictures


def test_pictures_equal_the_stored_ones(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = str(pathlib.Path(warpath.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", package, prepend=os.pathsep)
    drawn = draw_gallery(tmp_path)
    differing = {}
    for name, ax in drawn.items():
        file, stored = tmp_path / f"{name}.png", STORED / f"{name}.png"
        with warpath.plot.style():
            ax.figure.savefig(file, dpi=55, pil_kwargs={"optimize": True})
        plt.close(ax.figure)
        if os.environ.get("WARPATH_WRITE_PICTURES"):
            STORED.mkdir(exist_ok=True)
            stored.write_bytes(file.read_bytes())
        difference = compare_images(str(stored), str(file), TOLERANCE)
        if difference is not None:
            differing[name] = difference
    assert differing == {}
    assert sorted(drawn) == sorted(file.stem for file in STORED.glob("*.png")) and len(drawn) > 15

"""Pose traces that tests make: cameras that look where they are told, in every form of file."""

from __future__ import annotations

import gzip
import json
import math
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

P00, P11 = 0.97741902, 1.3032254
"""Of the camera of RxR: 91.3 degrees wide, 75 degrees high."""


def rotation(heading: float, elevation: float = 0.0) -> np.ndarray:
    """Returns the rotation of a camera that looks there, from degrees. It turns its head up first."""
    h, e = math.radians(heading), math.radians(elevation)
    about_y = np.array([[math.cos(h), 0, -math.sin(h)], [0, 1, 0], [math.sin(h), 0, math.cos(h)]])
    about_x = np.array([[1, 0, 0], [0, math.cos(e), -math.sin(e)], [0, math.sin(e), math.cos(e)]])
    return about_y @ about_x


def projection(p00: float = P00, p11: float = P11, p02: float = 0.0, p12: float = 0.0) -> np.ndarray:
    near, far = 0.1, 1000.0
    depth = (near + far) / (near - far), 2 * near * far / (near - far)
    return np.array([[p00, 0, p02, 0], [0, p11, p12, 0], [0, 0, *depth], [0, 0, -1, 0]])


def pose(turn: np.ndarray, position: Sequence[float] = (1.0, 1.5, -2.0)) -> np.ndarray:
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = turn, position
    return whole


class MadeTrace:
    """Snapshots that can be written in every form.

    Args:
        looks: (viewpoint, heading, elevation) of each snapshot, degrees.
        step: seconds between two snapshots.
    """

    def __init__(self, looks: Sequence[tuple[str, float, float]], step: float = 0.25) -> None:
        self.pano = [viewpoint for viewpoint, _, _ in looks]
        self.time = step * np.arange(len(looks))
        self.poses = np.array([pose(rotation(h, e)) for _, h, e in looks])
        self.projections = np.array([projection()] * len(looks))

    def arrays(self, column_major: bool = False) -> dict[str, Any]:
        turn = (0, 2, 1) if column_major else (0, 1, 2)
        return {
            "pano": np.array(self.pano),
            "time": self.time,
            "extrinsic_matrix": self.poses.transpose(turn),
            "intrinsic_matrix": self.projections.transpose(turn),
        }

    def npz(self, file: pathlib.Path, packed: bool = True, **changes: Any) -> pathlib.Path:
        """Writes RxR's form; ``changes`` replace arrays, or leave them out (None)."""
        arrays = {k: v for k, v in {**self.arrays(), **changes}.items() if v is not None}
        (np.savez_compressed if packed else np.savez)(file, **arrays)
        return file

    def lines(self, file: pathlib.Path, column_major: bool = True, unit: float = 1000) -> pathlib.Path:
        """Writes PanGEA's form, as its plugin does."""
        found = self.arrays(column_major)
        rows = zip(
            self.pano,
            (unit * self.time).tolist(),
            found["extrinsic_matrix"].reshape(-1, 16).tolist(),
            found["intrinsic_matrix"].reshape(-1, 16).tolist(),
        )
        text = "".join(
            json.dumps({"id": v, "time": t, "exmat": e, "inmat": i}) + "\n" for v, t, e, i in rows
        ).encode()
        file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)
        return file


def seen_by_numpy(
    rotations: np.ndarray, projections: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pixels that some snapshot shows, bool [128, 256], and how far each is from the
    nearest edge of a view: the plain form of what ``_core.seen_pixels`` computes."""
    elevation = (np.pi / 2 - (np.arange(128) + 0.5) * np.pi / 128)[:, None]
    heading = ((np.arange(256) + 0.5) * 2 * np.pi / 256 - np.pi)[None]
    x, z = np.cos(elevation) * np.sin(heading), -np.cos(elevation) * np.cos(heading)
    y = np.sin(elevation) + 0 * heading
    seen, margin = np.zeros((128, 256), bool), np.full((128, 256), np.inf)
    for r, p in zip(rotations, projections):
        cx, cy, cz = (x * r[0, k] + y * r[1, k] + z * r[2, k] for k in range(3))
        w = -cz
        across, up = abs(p[0, 0] * cx + p[0, 2] * cz), abs(p[1, 1] * cy + p[1, 2] * cz)
        seen |= (w > 0) & (across <= w) & (up <= w)
        margin = np.minimum(margin, np.minimum.reduce([abs(w), abs(w - across), abs(w - up)]))
    return seen, margin

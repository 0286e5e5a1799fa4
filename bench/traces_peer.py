#!/usr/bin/env python3
"""Times the counting of seen pixels beside its plain form in NumPy, in one run, on one thread.

  bench/traces_peer.py [TRACE] [--rounds N]     needs NumPy

TRACE is a pose trace of RxR. Without one the script makes a trace like the real one that it was
first timed with: 2,334 snapshots of three visits, 373 of them unlike the one before. The plain form
skips equal poses, too, and tests all pixels of a panorama at once for each other pose. The two take
turns, and times are medians. Exit code 1 where a visit differs by more than three pixels."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # read while NumPy is imported

import numpy as np  # noqa: E402
from warpath import traces  # noqa: E402

SNAPSHOTS, VISITS, MOVES = 2334, 3, 373
P00, P11 = 0.97741902, 1.3032254  # RxR's camera: 91.3 x 75 degrees


def make_trace(folder):
    """Writes a trace whose camera wanders, and rests most of the time."""
    draw = np.random.default_rng(1)
    moves = np.zeros(SNAPSHOTS, bool)
    moves[1 + draw.permutation(SNAPSHOTS - 1)[: MOVES - 1]] = True
    heading = np.cumsum(moves * draw.normal(0.02, 0.15, SNAPSHOTS))
    elevation = 0.4 * np.sin(np.cumsum(moves * draw.normal(0, 0.1, SNAPSHOTS)))
    poses = np.tile(np.eye(4), (SNAPSHOTS, 1, 1))
    for pose, h, e in zip(poses, heading, elevation):
        level = np.array([[np.cos(h), 0, -np.sin(h)], [0, 1, 0], [np.sin(h), 0, np.cos(h)]])
        tilt = np.array([[1, 0, 0], [0, np.cos(e), -np.sin(e)], [0, np.sin(e), np.cos(e)]])
        pose[:3, :3] = level @ tilt
    projection = [[P00, 0, 0, 0], [0, P11, 0, 0], [0, 0, -1.0001, -0.2], [0, 0, -1, 0]]
    file = pathlib.Path(folder) / "000000_follower_pose_trace.npz"
    np.savez_compressed(
        file,
        pano=np.array([f"v{k * VISITS // SNAPSHOTS}" for k in range(SNAPSHOTS)]),
        time=np.arange(SNAPSHOTS) / 60,
        extrinsic_matrix=poses,
        intrinsic_matrix=np.array([projection] * SNAPSHOTS),
    )
    return file


def directions():
    """Returns the directions of the pixels' centres, [128 * 256, 3]."""
    elevation = np.repeat(np.pi / 2 - (np.arange(128) + 0.5) * np.pi / 128, 256)
    heading = np.tile((np.arange(256) + 0.5) * 2 * np.pi / 256 - np.pi, 128)
    level = np.cos(elevation)
    return np.stack([level * np.sin(heading), np.sin(elevation), -level * np.cos(heading)], axis=1)


def seen_plainly(file):
    """Counts the pixels that each visit has seen, with NumPy. Returns the counts, the seconds
    without reading, and the number of poses that were tested."""
    found = np.load(file, allow_pickle=False)
    pano = found["pano"].reshape(-1)
    poses = found["extrinsic_matrix"].reshape(-1, 4, 4)
    projections = found["intrinsic_matrix"].reshape(-1, 4, 4)
    begin = time.perf_counter()
    sphere = directions()
    counts, tested = [], 0
    seen = last = None
    for k in range(len(pano)):
        if k == 0 or pano[k] != pano[k - 1]:
            seen = np.zeros(len(sphere), bool)
            counts.append(seen)
            last = None
        camera = poses[k, :3, :3], projections[k]
        if last is not None and all(map(np.array_equal, camera, last)):
            continue
        last, tested = camera, tested + 1
        c = sphere @ camera[0]
        w, p = -c[:, 2], camera[1]
        seen |= (
            (w > 0)
            & (abs(p[0, 0] * c[:, 0] + p[0, 2] * c[:, 2]) <= w)
            & (abs(p[1, 1] * c[:, 1] + p[1, 2] * c[:, 2]) <= w)
        )
    return [int(seen.sum()) for seen in counts], time.perf_counter() - begin, tested


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace", nargs="?")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    times = {"reading": [], "warpath": [], "NumPy": []}
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.trace or make_trace(folder)
        for _ in range(arguments.rounds):
            begin = time.perf_counter()
            trace = traces.read(file)
            read = time.perf_counter()
            counts = [visit.pixels_seen for visit in trace.visits]
            times["reading"].append(read - begin)
            times["warpath"].append(time.perf_counter() - read)
            expected, seconds, tested = seen_plainly(file)
            times["NumPy"].append(seconds)
    medians = {name: 1e3 * statistics.median(values) for name, values in times.items()}
    print(f"{trace.snapshots} snapshots, {tested} unlike the one before, {len(counts)} visits")
    for name, value in medians.items():
        print(f"{name:8} {value:8.2f} ms")
    print(f"NumPy takes {medians['NumPy'] / medians['warpath']:.1f} times as long as warpath")
    worst = max(abs(a - b) for a, b in zip(counts, expected))
    print(f"largest difference of a visit: {worst} pixels")
    return 0 if worst <= 3 else 1


if __name__ == "__main__":
    sys.exit(main())

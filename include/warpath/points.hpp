#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/paths.hpp"
#include "warpath/score.hpp"
#include "warpath/scores.hpp"

namespace warpath {

/// Continuous paths (VLN-CE): points in space, metres, one path after the other.
using PointSet = PathStore<std::array<double, 3>>;

/// One pair to score; indices into the batch. Several pairs may share a path.
struct PointPair {
  std::uint32_t reference, query;
};

struct PointBatch {
  PointSet references, queries;
  std::vector<PointPair> pairs;
  /// Per pair a task success in [0, 1] that SDTW takes instead of SR, NaN where unknown; or empty.
  std::vector<double> task_success;
};

/// Scores every pair of continuous paths: each metric's equation with the Euclidean distance of two
/// points as d, also between any two points of a path, so PL is the sum of the steps. (VLN-CE's own
/// NE and SPL take the distance on the navigation mesh, which needs the simulator.)
///
/// Of the convention:
/// * `distance`: 2d leaves the third coordinate out; hops have no meaning here and count as 3d;
/// * `repeats`: collapse drops immediate repeats of identical coordinates from the queries;
/// * the edit distance takes two points for the same viewpoint where all three coordinates are
///   identical (under 2d too), an edge for the two points of a step;
/// * `cls-step` is ignored: the length of a step, of a repeat too, is the distance of its points;
/// * `start`, `adjacency`, `instructions`, `missing`, `invalid`, `duplicates` are ignored: they
/// choose
///   pairs.
///
/// Decisions against the threshold are those of double precision on every back end. `reference`
/// computes in double throughout. `cpu` has NE, ONE, SP, GP, PL and what follows from them to the
/// rounding of single precision, from distances in double; inside DTW, PC, AD and MD coordinates
/// are rounded to single precision, relative to the centre of the reference: a distance is off by
/// up to 2^-24 of the two points' own distances from that centre, 1 µm where these are 8 m, and
/// below 1e-18 m may be 0. The edit distance is exact. `cuda` has the bits of `cpu`. Thresholds out
/// of the range of single precision are scored by `reference`, see Backend. `automatic` takes
/// `cpu`: how many pairs a GPU pays for depends on their lengths.
///
/// @param metrics only these have columns, zero rules and statuses.
/// @return scores, row k for pair k. The statuses that occur: ok, spl_undefined, cls_undefined,
///   dtw_undefined, no_task_success.
/// @throws InputError that names the path where one is empty, or has a coordinate that is NaN,
///   infinite or beyond 1e12 m; where a pair names a path that is not there; where `task_success`
///   is not of the pairs' number; or for `cuda` where there is no device, or not even one pair fits
///   into half of its free memory; CudaError where the device fails.
WARPATH_EXPORT Scores score(const PointBatch& batch, const Convention& convention,
                            Backend backend = Backend::automatic,
                            const MetricSet& metrics = MetricSet::all());

}  // namespace warpath

#pragma once

#include "host/cuda/device.hpp"
#include "host/cuda/repeat.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

struct PointOptions {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  std::size_t memory = 0;                ///< most bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 16;  ///< most pairs of a chunk
};

/// Scores continuous paths on a device, chunk after chunk: the host stages one while the device
/// works on others. The queries' repeats stay. The same bits as the CPU back end, at any memory and
/// size of chunks. @pre the batch is as points.hpp asks.
/// @throws CudaError, and nothing is left on the device; InputError where not even one pair fits.
Scores score(Device& device, const PointBatchView& batch, const Convention& convention,
             const PointOptions& options = {});

/// As score, but one chunk at a time, as large as memory and options allow, and `repeat` once for
/// each: to time the kernels alone.
Scores score_repeatedly(Device& device, const PointBatchView& batch, const Convention& convention,
                        const PointOptions& options, const Repeat& repeat);

}  // namespace warpath::cuda

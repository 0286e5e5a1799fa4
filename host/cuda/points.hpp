#pragma once

#include "host/cuda/device.hpp"
#include "host/cuda/options.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Scores continuous paths on a device, chunk after chunk: the host prepares one while the device
/// works on others. Keeps repeated points of the queries. Results have the same bits as the CPU
/// back end's, for any memory and size of chunks.
/// @pre the batch is as scorer.hpp asks.
/// @throws CudaError, and nothing is left on the device; InputError if not even one pair fits.
Scores score(Device& device, const PointBatchView& batch, const Convention& convention,
             const PointOptions& options = {});

}  // namespace warpath::cuda

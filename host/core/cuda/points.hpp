#pragma once

#include "host/core/cuda/device.hpp"
#include "host/core/cuda/options.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Scores continuous paths on a device, chunk after chunk: the host prepares one while the device
/// works on others. Keeps repeated points of the queries. Results have the same bits as the CPU
/// back end's, for any memory and size of chunks.
/// The device is the thread's current one meanwhile.
/// @param columns of options.metrics; T is `float` or `double`
/// @pre the batch is as scorer.hpp asks.
/// @throws CudaError, and nothing is left on the device; InputError if not even one pair fits.
template <class T>
void score(Device& device, const PointBatchView& batch, const Convention& convention,
           const PointOptions& options, const ScoreColumns<T>& columns);
/// Returns the scores in columns that are made.
Scores score(Device& device, const PointBatchView& batch, const Convention& convention,
             const PointOptions& options = {});

}  // namespace warpath::cuda

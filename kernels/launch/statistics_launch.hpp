#pragma once

#include "kernels/bodies/statistics.hpp"
#include "kernels/launch/launch.hpp"

namespace warpath::kernels {

/// Adds up a chunk's results. Kernels of several streams may add to the same totals. As in
/// launch.hpp: 0 or a cudaError_t, and nothing here allocates or waits.
[[nodiscard]] int aggregate(const AggregateView& view, Stream stream);

/// Returns 0 where the current device runs what is compiled. It takes as long as the device's first
/// use.
[[nodiscard]] int can_run_kernels();

}  // namespace warpath::kernels

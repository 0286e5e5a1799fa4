#pragma once

#include "kernels/launch/launch.hpp"
#include "kernels/views/statistics.hpp"

namespace warpath::kernels {

/// Adds up a chunk's results. Kernels of several streams may add to the same totals. The grid
/// depends on view.count only, not on what the device counts. As in launch.hpp, it returns 0 or a
/// cudaError_t and neither allocates nor waits.
[[nodiscard]] int aggregate(const AggregateView& view, Stream stream);

/// Returns 0 if the current device can run the compiled kernels. It takes as long as the first use
/// of the device.
[[nodiscard]] int can_run_kernels();

}  // namespace warpath::kernels

#pragma once

#include <cstddef>

#include "host/cuda/device.hpp"

namespace warpath::benchmark {

/// Bytes per second that copies of pinned memory and writes to the device's memory reach: what
/// bounds every batch that comes from the host.
struct Bandwidth {
  double upload, download, fill;
};

/// Measured now, the best of a few rounds. Takes so much memory here and there for the time being.
Bandwidth measure_bandwidth(cuda::Device& device, std::size_t bytes = std::size_t{256} << 20);

}  // namespace warpath::benchmark

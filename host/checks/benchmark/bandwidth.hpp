#pragma once

#include <cstddef>

#include "host/core/cuda/device.hpp"

namespace warpath::benchmark {

/// Holds bytes per second: of copies of pinned memory, which bound the rate of every batch that
/// comes from the host, of writes to the device's memory, and of reads and writes of it.
struct Bandwidth {
  double upload, download, fill, copy;
};

/// Measures them, the best of a few rounds, with `bytes` of memory on each side.
Bandwidth measure_bandwidth(cuda::Device& device, std::size_t bytes = std::size_t{256} << 20);

}  // namespace warpath::benchmark

#pragma once

#include <cstddef>

#include "host/cuda/device.hpp"

namespace warpath::benchmark {

/// Holds the bytes per second that copies of pinned memory and writes to the device's memory reach.
/// They bound the rate of every batch that comes from the host.
struct Bandwidth {
  double upload, download, fill;
};

/// Measures them, the best of a few rounds, with `bytes` of memory on each side.
Bandwidth measure_bandwidth(cuda::Device& device, std::size_t bytes = std::size_t{256} << 20);

}  // namespace warpath::benchmark

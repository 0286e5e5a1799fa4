#pragma once

#include <vector>

#include "host/batch/distance_tables.hpp"
#include "host/cuda/arrays.hpp"

namespace warpath::cuda {

/// The scans' tables on a device.
struct DeviceTables {
  std::vector<kernels::ScanTable> host;
  DeviceArray<kernels::ScanTable> scans;
  DeviceArray<float> distance;

  /// Of the first `count` scans. Returns when all of it is there.
  DeviceTables(Device& device, const batch::DistanceTables& tables, std::size_t count,
               Stream stream);

  std::size_t bytes() const {
    return scans.size() * sizeof(kernels::ScanTable) + distance.size() * sizeof(float);
  }
};

}  // namespace warpath::cuda

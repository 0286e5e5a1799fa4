#pragma once

#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/arrays.hpp"

namespace warpath::cuda {

/// Holds the scans' tables on a device, one after the other: of tables that view a larger array,
/// only what they view.
struct DeviceTables {
  std::vector<kernels::ScanTable> host;  ///< where they lie on the device
  DeviceArray<kernels::ScanTable> scans;
  DeviceArray<float> distance;

  /// Uploads the tables of the first `count` scans and waits for the copies.
  DeviceTables(Device& device, const batch::DistanceTables& tables, std::size_t count,
               Stream stream);

  std::size_t bytes() const {
    return scans.size() * sizeof(kernels::ScanTable) + distance.size() * sizeof(float);
  }
};

}  // namespace warpath::cuda

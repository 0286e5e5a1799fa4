#pragma once

#include <cstddef>

#include "host/core/cuda/device_tables.hpp"
#include "host/core/cuda/references.hpp"
#include "host/core/walks/walk_tables.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::cuda {

/// Holds the edges of all scans on a device.
struct DeviceWalkEdges {
  DeviceArray<kernels::WalkScan> scans;
  DeviceArray<std::uint32_t> next;
  DeviceArray<float> length;

  /// Uploads them and waits.
  DeviceWalkEdges(Device& device, const walks::WalkTables& tables, Stream stream);
};

/// Holds on a device what all walks of a scorer share: the scans' tables and edges, and the
/// references.
struct WalkInputs {
  DeviceTables tables;
  DeviceWalkEdges edges;
  DeviceReferences references;

  /// Uploads everything and waits. @pre walk_tables.are_usable
  WalkInputs(Device& device, const RandomWalks& walks, const walks::WalkTables& walk_tables,
             Stream stream);

  /// Returns the bytes of the device's memory.
  std::size_t bytes() const;
  /// Returns what kernels read of it.
  kernels::WalkView view(const walks::WalkTables& walk_tables) const;
};

}  // namespace warpath::cuda

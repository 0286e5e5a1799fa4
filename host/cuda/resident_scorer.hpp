#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/cuda/device_tables.hpp"
#include "kernels/views.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/rollouts.hpp"

namespace warpath::cuda {

/// Keeps the tables of scans and the references on a device and scores rollouts against them.
/// Implements RolloutScorer, whose header says the rest.
class ResidentScorer {
 public:
  /// Uploads everything and waits.
  /// @param scan_of by reference
  /// @param tables distances of the scans under the convention; every scan has a table
  /// @throws InputError if the convention has lengths by edge inside CLS, which only the host
  /// knows; CudaError
  ResidentScorer(Device& device, const PathSet& references, std::span<const std::uint32_t> scan_of,
                 const batch::DistanceTables& tables, const Convention& convention,
                 const MetricSet& metrics, std::uint32_t max_rollouts);

  std::size_t workspace_bytes(std::uint32_t rollouts, std::uint32_t max_length) const;
  void score_async(const Rollouts& rollouts, const RolloutScores& scores, void* workspace,
                   Stream stream) const;

 private:
  /// Returns the number of groups with borders; 0 for shapes without borders.
  std::uint32_t groups(std::uint32_t rollouts) const;

  Device& device_;
  const std::uint32_t max_rollouts_;
  kernels::QuantitySet set_;
  kernels::GroupShape shape_;
  kernels::BatchView view_{};
  std::optional<DeviceTables> tables_;
  DeviceArray<std::uint16_t> nodes_;
  DeviceArray<std::uint32_t> offsets_, scan_of_, in_order_;
  DeviceArray<kernels::KeyRun> run_;
  DeviceArray<kernels::ReferenceTerms> terms_;
};

}  // namespace warpath::cuda

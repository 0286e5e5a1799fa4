#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/cuda/device_tables.hpp"
#include "kernels/device_view.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"

namespace warpath::cuda {

/// Queries that are on the device already, such as the rollouts of a batch of agents. All pointers
/// are the device's.
struct DeviceQueries {
  std::uint32_t count;
  std::uint32_t longest;           ///< viewpoints of the longest, or more
  const std::uint32_t* reference;  ///< by query: its reference's number
  const std::uint16_t* nodes;      ///< one path after the other, none empty
  const std::uint32_t* offsets;    ///< count + 1
  const float* task_success;       ///< by query, or null: SDTW takes SR
};

/// Scans' tables and references that stay on a device, to score queries as they come.
class Resident {
 public:
  /// Returns when all is there.
  /// @param scan_of by reference
  /// @param tables of the scans under the convention; all of them have one
  /// @param most_queries that will ever be scored at a time
  /// @throws InputError where the convention has lengths by edge inside CLS, which only the host
  ///   knows; CudaError
  Resident(Device& device, const PathSet& references, std::span<const std::uint32_t> scan_of,
           const cpu::Tables& tables, const Convention& convention, const MetricSet& metrics,
           std::uint32_t most_queries);

  /// Of the device's memory, 256-byte aligned, that score_async takes.
  std::size_t workspace_bytes(std::uint32_t queries, std::uint32_t longest_query) const;

  /// Starts scoring and returns: no waiting, no allocation. What lies in `queries`, `workspace` and
  /// `results` has to stay until the stream has done its work. Query q's results are entry q; the
  /// bits of its flags are kernels::Flag.
  void score_async(const DeviceQueries& queries, const kernels::ResultView& results,
                   void* workspace, Stream stream) const;

 private:
  /// That have borders; 0 for shapes without.
  std::uint32_t groups(std::uint32_t queries) const;

  Device& device_;
  const std::uint32_t most_queries_;
  kernels::Parts parts_;
  kernels::GroupShape shape_;
  kernels::BatchView view_{};
  std::optional<DeviceTables> tables_;
  DeviceArray<std::uint16_t> nodes_;
  DeviceArray<std::uint32_t> offsets_, scan_of_, in_order_;
  DeviceArray<kernels::Run> run_;
  DeviceArray<kernels::ReferenceTerms> terms_;
};

}  // namespace warpath::cuda

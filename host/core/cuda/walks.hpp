#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host/core/cuda/options.hpp"
#include "host/core/cuda/walk_chunk.hpp"
#include "host/core/cuda/walk_inputs.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"

namespace warpath::cuda {

/// Makes random walks on a device and adds up their scores there. What all walks share stays on the
/// device. Several threads may use one object: their calls follow one another, because each may
/// take all the memory that it is allowed.
class DeviceWalks {
 public:
  /// Uploads what all walks share, and waits.
  /// @param walks, tables must outlive the object
  /// @pre tables.are_usable @throws CudaError
  DeviceWalks(Device& device, const RandomWalks& walks, const walks::WalkTables& tables,
              const Convention& convention, const Options& options);

  /// Tells whether a kernel makes the walks of a reference: it has at most 20 viewpoints, and its
  /// own table and its scan's edges fit into a block.
  bool takes(std::uint32_t reference) const { return is_taken_[reference]; }
  bool takes_all() const { return references_.size() == is_taken_.size(); }

  /// Returns the statistics of walks first … first + count − 1, without those of references that no
  /// kernel takes. Their bits are those of cpu::statistics. Memory does not grow with their number.
  /// @throws CudaError; InputError if not even one walk fits; std::overflow_error as Statistics
  BatchStatistics statistics(std::uint64_t first, std::uint64_t count,
                             const Watch* watch = nullptr);

 private:
  void choose_kernels(const walks::WalkTables& tables);
  WalkCapacity capacity(std::size_t budget, std::uint64_t count) const;

  Device& device_;
  const RandomWalks& walks_;
  const Options options_;
  const std::vector<Metric> metrics_;  // that the kernels compute
  kernels::WalkView view_{};
  kernels::QuantitySet set_{};
  std::vector<bool> is_taken_;             // by reference
  std::vector<WalkReference> references_;  // that a kernel takes, by kernel and scan
  std::unique_ptr<const WalkInputs> inputs_;
  std::mutex mutex_;
};

}  // namespace warpath::cuda

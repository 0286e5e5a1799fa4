#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/device_tables.hpp"
#include "host/core/cuda/references.hpp"
#include "warpath/paths.hpp"

namespace warpath::cuda {

/// Keeps on a device what the calls of a scorer share: the scans' tables, and the references of the
/// latest batch if pairs share them. Several threads may use one object. What a call was given is
/// not released before the call lets go of it.
class KeptInputs {
 public:
  /// Returns the tables of the first `count` scans. The first call uploads them and waits.
  /// @pre always the same device, tables and count
  std::shared_ptr<const DeviceTables> tables(Device& device, const batch::DistanceTables& tables,
                                             std::size_t count, Stream stream);

  /// Returns a batch's references: those of the call before, if every viewpoint, scan and length is
  /// the same, else uploads them and waits.
  /// @param keep whether to compare, and to keep them for the next call; if not, nothing is kept
  /// @param cls_length by the batch's number; may be empty
  /// @param id_bytes 1 or 2
  std::shared_ptr<const DeviceReferences> references(Device& device, const PairBatchView& batch,
                                                     const References& references,
                                                     std::span<const float> cls_length,
                                                     const kernels::BatchView& tables,
                                                     std::uint32_t id_bytes, bool keep,
                                                     Stream stream);

 private:
  std::mutex mutex_;
  std::shared_ptr<const DeviceTables> tables_;
  std::shared_ptr<const DeviceReferences> references_;
};

}  // namespace warpath::cuda

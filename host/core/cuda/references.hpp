#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/cuda/arrays.hpp"
#include "host/core/cuda/blocks.hpp"
#include "warpath/paths.hpp"

namespace warpath::cuda {

/// Numbers the references of a span of rows. A reference gets one number for each scan that uses
/// it.
class References {
 public:
  /// Takes rows from number `first` on until the next reference would not fit into that much device
  /// memory; it always takes one.
  References(const PairBatchView& batch, const Rows& rows, std::size_t first,
             std::size_t max_bytes);

  std::size_t end() const { return end_; }  ///< the first row not taken
  /// Returns, for each row from `first` on, its reference's number. Empty if the batch's own
  /// numbers are used.
  std::span<const std::uint32_t> of_rows() const { return of_rows_; }
  std::span<const std::uint32_t> scan_of() const { return scan_of_; }
  std::size_t size() const { return scan_of_.size(); }
  std::size_t nodes() const { return nodes_; }
  std::size_t bytes() const { return bytes_of(nodes_, size()); }
  /// Returns the batch's number of reference r.
  std::uint32_t operator[](std::size_t r) const {
    return references_.empty() ? static_cast<std::uint32_t>(r) : references_[r];
  }

 private:
  /// Takes all of the batch's references unchanged, if each is used, and by one scan only.
  bool take_all(const PairBatchView& batch);
  void number(const PairBatchView& batch, const Rows& rows, std::size_t first,
              std::size_t max_bytes);

  // Assumes the widest ids.
  static std::size_t bytes_of(std::size_t nodes, std::size_t references) {
    return nodes * sizeof(std::uint16_t) + references * (2 * sizeof(std::uint32_t) + sizeof(float) +
                                                         sizeof(kernels::ReferenceTerms));
  }

  std::size_t end_, nodes_ = 0;
  std::vector<std::uint32_t> of_rows_, references_, scan_of_;
};

/// Holds the references of a span on a device, and a copy in pinned memory.
struct DeviceReferences {
  const std::uint32_t id_bytes;
  kernels::PathArray view{};
  HostDeviceArray<std::uint8_t> nodes;  ///< of id_bytes each
  HostDeviceArray<std::uint32_t> offsets, scan_of;
  HostDeviceArray<float> cls_length;
  DeviceArray<kernels::ReferenceTerms> terms;

  /// Uploads them and waits. @param cls_length by the batch's number; may be empty
  /// @param bytes_of_id 1 or 2
  DeviceReferences(Device& device, const PairBatchView& batch, const References& references,
                   std::span<const float> cls_length, const kernels::BatchView& tables,
                   std::uint32_t bytes_of_id, Stream stream);

  /// Tells whether uploading these references would give the same bits. @pre the copy is there
  bool equals(const PairBatchView& batch, const References& references,
              std::span<const float> cls_lengths, std::uint32_t bytes_of_id) const;
  void forget_host_copy();

 private:
  void fill_pinned(const PairBatchView& batch, const References& references,
                   std::span<const float> cls_lengths);
};

}  // namespace warpath::cuda

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "host/core/cuda/arrays.hpp"
#include "warpath/paths.hpp"
#include "warpath/views.hpp"

// Lays batches on a device as callers of ReferenceScorer have them.

namespace warpath::testing {

/// Returns the scan of each reference.
inline std::vector<std::uint32_t> scans_of(const PairBatch& batch) {
  std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  for (const Pair& pair : batch.pairs) scan_of[pair.reference] = pair.scan;
  return scan_of;
}

/// Says how a batch lies on the device.
struct Form {
  std::uint8_t id_bytes, length_bytes;
  bool in_rows;
  bool has_both = false;  ///< offsets and lengths
};
inline std::string name_of(const Form& form) {
  return std::to_string(form.id_bytes) + " bytes, " + (form.in_rows ? "rows" : "in turn");
}

/// Holds integers of a given width on the device.
class Numbers {
 public:
  Numbers(cuda::Device& device, const std::vector<std::int64_t>& values, std::uint8_t width,
          cuda::Stream stream)
      : memory_(device, values.size() * width), width_(width) {
    write(device, values, stream);
  }
  /// Starts to replace the values. @pre the stream has finished the last upload
  void write(cuda::Device& device, const std::vector<std::int64_t>& values, cuda::Stream stream) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::memcpy(memory_.host.data() + k * width_, &values[k], width_);  // the lowest bytes
    }
    memory_.upload(device, values.size() * width_, stream);
  }
  operator Integers() const { return {memory_.device.data(), width_}; }
  const std::uint8_t* bytes() const { return memory_.device.data(); }

 private:
  cuda::HostDeviceArray<std::uint8_t> memory_;
  std::uint8_t width_;
};

/// Holds a batch's queries on the device. What is not part of a path there is −1.
class DeviceQueries {
 public:
  DeviceQueries(cuda::Device& device, const PairBatch& batch, const Form& form, cuda::Stream stream)
      : in_rows_(form.in_rows), has_both_(form.has_both) {
    std::vector<std::int64_t> viewpoints, offsets{0}, lengths, reference, active;
    for (const Pair& pair : batch.pairs) {
      max_length_ =
          std::max(max_length_, static_cast<std::uint32_t>(batch.queries.size_of(pair.query)));
    }
    pitch_ = max_length_ + 3;
    for (const Pair& pair : batch.pairs) {
      const auto query = batch.queries[pair.query];
      viewpoints.insert(viewpoints.end(), query.begin(), query.end());
      if (in_rows_) viewpoints.resize((lengths.size() + 1) * pitch_, -1);
      offsets.push_back(static_cast<std::int64_t>(viewpoints.size()));
      lengths.push_back(static_cast<std::int64_t>(query.size()));
      reference.push_back(pair.reference);
      active.push_back(lengths.size() % 7 != 0);
    }
    count_ = static_cast<std::uint32_t>(lengths.size());
    viewpoints_.emplace(device, viewpoints, form.id_bytes, stream);
    offsets_.emplace(device, offsets, form.length_bytes, stream);
    lengths_.emplace(device, lengths, form.length_bytes, stream);
    reference_.emplace(device, reference, form.length_bytes, stream);
    active_.emplace(device, active, 1, stream);
  }

  static bool is_active(std::size_t row) { return (row + 1) % 7 != 0; }
  std::uint32_t max_length() const { return max_length_; }
  std::uint32_t count() const { return count_; }
  /// Returns the number of each query's reference.
  Numbers& reference() { return *reference_; }

  Batch view() const {
    Layout layout{.offsets = *offsets_, .lengths = nullptr, .pitch = 0};
    if (in_rows_) layout = {.offsets = nullptr, .lengths = *lengths_, .pitch = pitch_};
    if (has_both_) layout.lengths = *lengths_;
    layout.max_length = max_length_;
    return {.count = count_,
            .queries = {*viewpoints_, layout},
            .reference = *reference_,
            .active = active_->bytes()};
  }

 private:
  bool in_rows_, has_both_;
  std::uint32_t count_ = 0, max_length_ = 0, pitch_ = 0;
  std::optional<Numbers> viewpoints_, offsets_, lengths_, reference_, active_;
};

}  // namespace warpath::testing

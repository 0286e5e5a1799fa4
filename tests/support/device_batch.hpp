#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/views/pairs.hpp"
#include "kernels/views/shapes.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Holds a batch in host memory, laid out as the device's kernels read it. Every array is exactly as
// long as the views promise, so that a sanitizer sees reads behind its end.

namespace warpath::testing {

/// Holds what all kernels of a batch share, and their results.
class DeviceBatch {
 public:
  /// @param want bits of kernels::Quantity
  DeviceBatch(const PairBatch& batch, const Convention& convention, unsigned want);
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  const PairBatch& batch() const { return batch_; }
  kernels::BatchView view();
  /// Returns a view of copies. `put` copies a vector and returns where the copy lies.
  template <class Put>
  kernels::BatchView view_at(Put put) {
    kernels::BatchView there = view();
    there.distance = put(distance_);
    there.scans = put(scans_);
    there.references = put(references_);
    if (there.task_success != nullptr) there.task_success = put(task_success_);
    if (there.cls_query_length != nullptr) there.cls_query_length = put(cls_query_length_);
    for (int m = 0; m < path_metric_count; ++m) {
      if (there.results.column[m] != nullptr) there.results.column[m] = put(columns_[m]);
    }
    there.results.flags = put(flags_);
    return there;
  }
  /// Replaces the results by those of such a view. `get` fills a vector from where it lies.
  template <class Get>
  void take_results(const kernels::BatchView& there, Get get) {
    for (int m = 0; m < path_metric_count; ++m) {
      if (there.results.column[m] != nullptr) get(there.results.column[m], columns_[m]);
    }
    get(there.results.flags, flags_);
  }
  const kernels::ScanTable& scan(std::uint32_t s) const { return scans_[s]; }

  /// Clears the results.
  void clear();
  /// Returns the number of rows without results.
  std::size_t missing() const;
  /// Returns the results, with only these bits of the flags.
  Scores scores(std::uint32_t flags = ~0u) const;

 private:
  PairBatch batch_;
  kernels::Rules rules_;
  std::vector<float> distance_;
  std::vector<kernels::ScanTable> scans_;
  std::vector<kernels::ReferenceTerms> references_;
  std::vector<float> task_success_, cls_query_length_;
  std::vector<std::vector<float>> columns_;
  std::vector<std::uint32_t> flags_;
};

/// Holds paths as they are uploaded.
template <class Id>
struct Uploaded {
  std::vector<Id> nodes;
  std::vector<std::uint32_t> offsets;

  explicit Uploaded(const PathSet& paths)
      : nodes(paths.elements.begin(), paths.elements.end()),
        offsets(paths.offsets.begin(), paths.offsets.end()) {}
  kernels::PathArray view() const {
    return {.nodes = kernels::integers(nodes.data()),
            .layout = {.offsets = kernels::integers(offsets.data()),
                       .lengths = {},
                       .pitch = 0,
                       .max_length = ~0u}};
  }
};

/// Holds rows of a batch, packed in tiles by the kernel's own body.
class Tiles {
 public:
  /// @param rows of the batch, with |R| <= K unless only the goal is wanted
  /// @param max_slice maximum of tiles in a slice
  /// @param small_ids ids are uploaded as bytes
  Tiles(DeviceBatch& batch, std::vector<std::uint32_t> rows, int K, kernels::TileKernel kernel,
        std::uint32_t max_slice, bool small_ids);

  kernels::TileView view() const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // what all pairs of a slice have in common

  void slice(std::span<const std::uint32_t> rows, int K, std::uint32_t max_slice);
  template <class Id>
  void pack();

  DeviceBatch& batch_;
  std::vector<kernels::Slice> slices_;
  std::vector<kernels::GroupPair> pairs_;
  kernels::LaunchRange range_{};
  std::vector<std::uint16_t> reference_, query_;
  std::vector<kernels::TileStart> start_;
  std::vector<std::uint32_t> lengths_, row_, reference_of_;
};

/// Holds rows of a batch for groups of lanes.
class Groups {
 public:
  Groups(DeviceBatch& batch, std::span<const std::uint32_t> rows, std::uint32_t border_groups);

  kernels::GroupView view();
  /// Returns a view of copies; see DeviceBatch.
  template <class Put>
  kernels::GroupView view_at(Put put) {
    kernels::GroupView there = view();
    there.batch = batch_.view_at(put);
    there.pairs.references.nodes.data = put(references_.nodes);
    there.pairs.references.layout.offsets.data = put(references_.offsets);
    there.pairs.queries.nodes.data = put(queries_.nodes);
    there.pairs.queries.layout.offsets.data = put(queries_.offsets);
    there.pairs.scan_of = put(scan_of_);
    there.pairs.scans = there.batch.scans;
    there.slots = put(pairs_);
    there.range = put(std::vector{range_});
    there.border = put(border_);
    there.border_carry = put(carry_);
    return there;
  }

 private:
  DeviceBatch& batch_;
  Uploaded<std::uint16_t> references_, queries_;
  std::vector<kernels::GroupPair> pairs_;
  kernels::LaunchRange range_{};
  std::uint32_t columns_, border_groups_;
  std::vector<float> border_;
  std::vector<std::uint32_t> carry_, scan_of_;
};

/// Holds rows of a batch for groups of lanes, in slices of one scan each.
class GroupSlices {
 public:
  /// @param max_pairs of a slice
  GroupSlices(DeviceBatch& batch, std::vector<std::uint32_t> rows, std::uint32_t max_pairs,
              std::uint32_t border_groups);

  kernels::GroupSliceView view();
  /// Returns a view of copies; see DeviceBatch.
  template <class Put>
  kernels::GroupSliceView view_at(Put put) {
    kernels::GroupSliceView there = view();
    there.groups = groups_->view_at(put);
    there.groups.range = put(std::vector{range_});
    there.slices = put(slices_);
    return there;
  }

 private:
  std::optional<Groups> groups_;
  std::vector<kernels::Slice> slices_;
  kernels::LaunchRange range_{};
  std::uint32_t max_scan_ = 0;
};

}  // namespace warpath::testing

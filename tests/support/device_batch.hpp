#pragma once

#include <span>
#include <vector>

#include "kernels/bodies/shapes.hpp"
#include "kernels/views.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// A batch laid out as the device's kernels read it, in the host's memory. Every array is as long as
// the views promise and no longer, so that a sanitizer sees who reads behind its end.

namespace warpath::testing {

/// What all kernels of a batch share, and where their results go.
class DeviceBatch {
 public:
  /// @param want bits of kernels::Quantity
  DeviceBatch(const PairBatch& batch, const Convention& convention, unsigned want);
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  const PairBatch& batch() const { return batch_; }
  kernels::BatchView view();
  const kernels::ScanTable& scan(std::uint32_t s) const { return scans_[s]; }

  /// As if nothing had been scored yet.
  void clear();
  /// Rows without results.
  std::size_t missing() const;
  /// The results; only these bits of the flags.
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

/// Paths as they are uploaded.
template <class Id>
struct Uploaded {
  std::vector<Id> nodes;
  std::vector<std::uint32_t> offsets;

  explicit Uploaded(const PathSet& paths)
      : nodes(paths.elements.begin(), paths.elements.end()),
        offsets(paths.offsets.begin(), paths.offsets.end()) {}
  kernels::PathView<Id> view() const { return {nodes.data(), offsets.data()}; }
};

/// Rows of a batch laid out in tiles by the kernel's own body.
class Tiles {
 public:
  /// @param rows of the batch, with |R| <= K unless only the goal is wanted
  /// @param max_slice tiles of a slice at most
  /// @param small_ids ids are uploaded as bytes
  Tiles(DeviceBatch& batch, std::vector<std::uint32_t> rows, int K, kernels::TileKernel kernel,
        std::uint32_t max_slice, bool small_ids);

  kernels::TileView view() const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // what the pairs of a slice have in common

  void slice(std::span<const std::uint32_t> rows, std::uint32_t max_slice);
  template <class Id>
  void pack(int K);

  DeviceBatch& batch_;
  std::vector<kernels::Slice> slices_;
  std::vector<kernels::GroupPair> pairs_;
  std::vector<std::uint16_t> reference_, query_;
  std::vector<std::uint32_t> query_start_, lengths_, row_, reference_of_;
};

/// Rows of a batch for groups of lanes.
class Groups {
 public:
  Groups(DeviceBatch& batch, std::span<const std::uint32_t> rows, std::uint32_t border_groups);

  kernels::GroupView view();

 private:
  DeviceBatch& batch_;
  Uploaded<std::uint16_t> references_, queries_;
  std::vector<kernels::GroupPair> pairs_;
  std::uint32_t columns_, border_groups_;
  std::vector<float> border_;
  std::vector<std::uint32_t> carry_;
};

}  // namespace warpath::testing

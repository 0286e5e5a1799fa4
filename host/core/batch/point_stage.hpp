#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/core/graph/euclid.hpp"
#include "kernels/views/points.hpp"
#include "warpath/convention.hpp"

namespace warpath::batch {

using PointPath = std::span<const std::array<double, 3>>;

/// Finds the points of a path by their coordinates.
class PointNumbers {
 public:
  /// Numbers the points of `path` from 0; equal points get the same number, and numbers[k] is that
  /// of point k. `path` must remain valid.
  void assign(PointPath path, std::vector<std::int32_t>& numbers);
  /// Returns the number of the point with these coordinates, or `none`.
  std::int32_t find(const std::array<double, 3>& point) const;

  static constexpr std::int32_t none = -2;  ///< differs from the −1 of the kernels' padding

 private:
  std::size_t slot_of(const std::array<double, 3>& point) const;

  PointPath path_;
  std::vector<std::int32_t>
      slots_;  // hash table of 2^k slots, most of them free: the number in each, or `none`
};

/// Prepares a pair for the kernels: decides in double what has to be decided in double, then
/// converts coordinates to single precision relative to the centre of the reference. One object per
/// thread; the last reference stays prepared.
class PointStage {
 public:
  /// Prepares only what the quantities need.
  /// @param quantities bits of kernels::Quantity.
  PointStage(const Convention& convention, unsigned quantities);

  /// Prepares a pair; the result is valid until the next call. All references and queries must
  /// remain valid until then.
  const kernels::PointTask& task(PointPath reference, PointPath query, double task_success);

 private:
  void stage_reference(PointPath reference);
  void measure_goal(PointPath query);
  void compare_symbols(PointPath query);
  void stage(PointPath path, std::vector<float>& to, const float* (&axes)[3]) const;
  double path_length(PointPath path) const;
  bool may_share_symbols() const;
  bool is_wanted(unsigned part) const { return (quantities_ & part) != 0; }

  graph::Euclid euclid_;
  double threshold_;
  EditUnit edit_unit_;
  unsigned quantities_;
  PointPath reference_;  // the one that is prepared
  std::array<double, 3> origin_{};
  std::vector<float> reference_points_, query_points_;
  std::vector<std::int32_t> reference_numbers_, query_numbers_;
  PointNumbers numbers_;
  kernels::PointTask task_{};
};

}  // namespace warpath::batch

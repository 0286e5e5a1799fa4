#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/graph/euclid.hpp"
#include "kernels/views.hpp"
#include "warpath/convention.hpp"

namespace warpath::batch {

using PointPath = std::span<const std::array<double, 3>>;

/// Finds the points of a path by their coordinates.
class PointNumbers {
 public:
  /// Numbers the points of `path`, identical ones alike, from 0; numbers[k] is that of point k.
  /// `path` has to stay.
  void assign(PointPath path, std::vector<std::int32_t>& numbers);
  /// The number of the point with these coordinates, or `none`.
  std::int32_t find(const std::array<double, 3>& point) const;

  static constexpr std::int32_t none = -2;  ///< the kernels' padding has −1

 private:
  std::size_t slot_of(const std::array<double, 3>& point) const;

  PointPath path_;
  std::vector<std::int32_t> slots_;  // the number in each, or `none`; 2^k, most of them free
};

/// A pair as the kernels take it: what is decided in double, then coordinates in single precision
/// relative to the centre of the reference. One per thread; the last reference stays staged.
class PointStage {
 public:
  /// What nobody asks for is left out.
  /// @param quantities bits of kernels::Quantity.
  PointStage(const Convention& convention, unsigned quantities);

  /// Valid until the next call. Every call's references and queries have to stay until then.
  const kernels::PointTask& task(PointPath reference, PointPath query, double task_success);

 private:
  void stage_reference(PointPath reference);
  void measure_goal(PointPath query);
  void compare_symbols(PointPath query);
  void stage(PointPath path, std::vector<float>& to, const float* (&axes)[3]) const;
  double path_length(PointPath path) const;
  bool may_share_symbols() const;
  bool is_wanted(unsigned part) const { return (quantities_ & part) != 0; }

  Euclid euclid_;
  double threshold_;
  EditUnit edit_unit_;
  unsigned quantities_;
  PointPath reference_;  // the one that is staged
  std::array<double, 3> origin_{};
  std::vector<float> reference_points_, query_points_;
  std::vector<std::int32_t> reference_numbers_, query_numbers_;
  PointNumbers numbers_;
  kernels::PointTask task_{};
};

}  // namespace warpath::batch

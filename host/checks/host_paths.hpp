#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/checks/order.hpp"
#include "warpath/paths.hpp"
#include "warpath/views.hpp"

namespace warpath::checks {

/// Paths in host memory, of viewpoints or of points: one after the other, or in rows with a gap
/// behind the longest. Viewpoints in gaps are -1, coordinates NaN.
struct HostPaths {
  std::vector<std::int64_t> viewpoints;  ///< empty for paths of points
  std::vector<float> points;             ///< x, y and z of each
  std::vector<std::int64_t> offsets{0}, lengths;
  std::uint32_t pitch = 0;  ///< of rows, elements; 0: paths lie one after the other
  std::uint32_t max_length = 1;

  HostPaths() = default;
  explicit HostPaths(const PathSet& paths, const Order& which = {});
  /// Rounds coordinates to floats. @param which numbers of paths, in this order; none: all
  explicit HostPaths(const PointSet& paths, const Order& which = {});

  /// @param walks x, y and z of each point of each path
  explicit HostPaths(const std::vector<std::vector<float>>& walks);

  std::uint32_t count() const { return static_cast<std::uint32_t>(lengths.size()); }
  /// Returns the number of elements, those in gaps included.
  std::size_t size() const { return viewpoints.size() + points.size() / 3; }
  /// Returns where a path begins.
  std::size_t at(std::size_t path) const { return static_cast<std::size_t>(offsets[path]); }
  /// Returns x, y and z of each point of a path.
  std::vector<float> walk(std::size_t path) const;
  /// Appends elements of other paths, from the given one on.
  void append(const HostPaths& from, std::size_t element, std::size_t count = 1);
  void append(const std::array<float, 3>& point);
  void end_path();
  /// Replaces an element by none: -1 or NaN.
  void blank(std::size_t element);

  /// Returns these paths in rows, or one after the other. @pre they are not in rows
  HostPaths laid_out(bool in_rows) const;
  /// Returns paths of one element: element t of each path, or its last one.
  HostPaths column(std::uint32_t t) const;

  PathsView view() const;
  PositionsView positions() const;
};

}  // namespace warpath::checks

#include "host/checks/host_paths.hpp"

#include <algorithm>
#include <limits>

namespace warpath::checks {
namespace {

constexpr std::uint32_t gap = 3;  // behind the longest path of rows

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Calls add(path) for each path that is chosen.
template <class Paths, class Add>
void for_each_path(const Paths& paths, const Order& which, const Add& add) {
  if (which.empty()) {
    for (std::size_t p = 0; p < paths.size(); ++p) add(paths[p]);
  }
  for (const std::size_t p : which) add(paths[p]);
}

}  // namespace

HostPaths::HostPaths(const PathSet& paths, const Order& which) {
  for_each_path(paths, which, [&](const auto& path) {
    viewpoints.insert(viewpoints.end(), path.begin(), path.end());
    end_path();
  });
}

HostPaths::HostPaths(const PointSet& paths, const Order& which) {
  for_each_path(paths, which, [&](const auto& path) {
    for (const auto& [x, y, z] : path) {
      append({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
    }
    end_path();
  });
}

HostPaths::HostPaths(const std::vector<std::vector<float>>& walks) {
  for (const std::vector<float>& walk : walks) {
    points.insert(points.end(), walk.begin(), walk.end());
    end_path();
  }
}

std::vector<float> HostPaths::walk(std::size_t path) const {
  const auto first = points.begin() + static_cast<std::ptrdiff_t>(3 * at(path));
  return {first, first + 3 * lengths[path]};
}

void HostPaths::append(const HostPaths& from, std::size_t element, std::size_t count) {
  if (from.points.empty()) {
    const auto first = from.viewpoints.begin() + static_cast<std::ptrdiff_t>(element);
    viewpoints.insert(viewpoints.end(), first, first + static_cast<std::ptrdiff_t>(count));
  } else {
    const auto first = from.points.begin() + static_cast<std::ptrdiff_t>(3 * element);
    points.insert(points.end(), first, first + static_cast<std::ptrdiff_t>(3 * count));
  }
}

void HostPaths::append(const std::array<float, 3>& point) {
  points.insert(points.end(), point.begin(), point.end());
}

void HostPaths::end_path() {
  lengths.push_back(static_cast<std::int64_t>(size()) - offsets.back());
  offsets.push_back(static_cast<std::int64_t>(size()));
  max_length = std::max(max_length, static_cast<std::uint32_t>(lengths.back()));
}

void HostPaths::blank(std::size_t element) {
  if (points.empty())
    viewpoints[element] = -1;
  else
    std::fill_n(points.begin() + static_cast<std::ptrdiff_t>(3 * element), 3, nan);
}

HostPaths HostPaths::laid_out(bool in_rows) const {
  if (!in_rows) return *this;
  HostPaths rows;
  rows.pitch = max_length + gap;
  for (std::uint32_t p = 0; p < count(); ++p) {
    const auto length = static_cast<std::size_t>(lengths[p]);
    rows.append(*this, at(p), length);
    const std::size_t end = rows.pitch * (p + std::size_t{1});
    if (points.empty())
      rows.viewpoints.resize(end, -1);
    else
      rows.points.resize(3 * end, nan);
    rows.offsets.push_back(static_cast<std::int64_t>(rows.size()));
  }
  rows.lengths = lengths;
  rows.max_length = max_length;
  return rows;
}

HostPaths HostPaths::column(std::uint32_t t) const {
  HostPaths column;
  for (std::uint32_t p = 0; p < count(); ++p) {
    const auto last = static_cast<std::uint32_t>(lengths[p]) - 1;
    column.append(*this, at(p) + std::min(t, last));
    column.end_path();
  }
  return column;
}

PathsView HostPaths::view() const {
  Layout layout{.pitch = pitch, .max_length = max_length};
  if (pitch > 0)
    layout.lengths = lengths.data();
  else
    layout.offsets = offsets.data();
  if (points.empty()) return {viewpoints.data(), layout};
  return {points.data(), layout};
}

PositionsView HostPaths::positions() const {
  if (points.empty()) return PositionsView(viewpoints.data());
  return PositionsView(points.data());
}

}  // namespace warpath::checks

#include "host/core/batch/point_stage.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "host/core/batch/distance_tables.hpp"
#include "kernels/sweep/quantities.hpp"

namespace warpath::batch {

// ---------------------------------------------------------------- PointNumbers

std::size_t PointNumbers::slot_of(const std::array<double, 3>& point) const {
  // −0 equals 0.
  const auto bits = [&](int axis) { return std::bit_cast<std::uint64_t>(point[axis] + 0.0); };
  const std::uint64_t hash = bits(0) * 0x9e3779b97f4a7c15u ^
                             std::rotl(bits(1) * 0xbf58476d1ce4e5b9u, 21) ^
                             std::rotl(bits(2) * 0x94d049bb133111ebu, 42);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (hash ^ hash >> 32) & mask;
  while (slots_[slot] != none && path_[slots_[slot]] != point) slot = (slot + 1) & mask;
  return slot;
}

void PointNumbers::assign(PointPath path, std::vector<std::int32_t>& numbers) {
  path_ = path;
  slots_.assign(std::bit_ceil(8 * path.size()), none);
  numbers.resize(path.size());
  for (std::size_t k = 0; k < path.size(); ++k) {
    std::int32_t& slot = slots_[slot_of(path[k])];
    if (slot == none) slot = static_cast<std::int32_t>(k);
    numbers[k] = slot;
  }
}

std::int32_t PointNumbers::find(const std::array<double, 3>& point) const {
  return slots_[slot_of(point)];
}

// ---------------------------------------------------------------- PointStage

PointStage::PointStage(const Convention& convention, unsigned quantities)
    : euclid_(convention.distance),
      threshold_(convention.threshold),
      edit_unit_(convention.edit_unit),
      quantities_(quantities) {}

const kernels::PointTask& PointStage::task(PointPath reference, PointPath query,
                                           double task_success) {
  if (reference.data() != reference_.data() || reference.size() != reference_.size()) {
    stage_reference(reference);
  }
  stage(query, query_points_, task_.query);
  task_.m = static_cast<std::int32_t>(query.size());
  if (is_wanted(kernels::quantity_goal)) measure_goal(query);
  if (is_wanted(kernels::quantity_length))
    task_.query_length = static_cast<float>(path_length(query));
  if (is_wanted(kernels::quantity_edits)) compare_symbols(query);
  task_.task_success = static_cast<float>(task_success);
  return task_;
}

void PointStage::stage_reference(PointPath reference) {
  reference_ = reference;
  std::array<double, 3> low = reference[0], high = reference[0];
  for (const auto& point : reference) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], point[axis]);
      high[axis] = std::max(high[axis], point[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) origin_[axis] = (low[axis] + high[axis]) / 2;
  stage(reference, reference_points_, task_.reference);
  task_.n = static_cast<std::int32_t>(reference.size());
  if (is_wanted(kernels::quantity_reference)) {
    task_.reference_length = static_cast<float>(path_length(reference));
  }
  task_.start_to_goal = rounded(euclid_(reference.front(), reference.back()), threshold_);
  if (is_wanted(kernels::quantity_edits)) {
    numbers_.assign(reference, reference_numbers_);
    task_.reference_id = reference_numbers_.data();
  }
}

void PointStage::measure_goal(PointPath query) {
  const auto& goal = reference_.back();
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& point : query) nearest = std::min(nearest, euclid_(point, goal));
  task_.goal = rounded(euclid_(query.back(), goal), threshold_);
  task_.nearest = rounded(nearest, threshold_);
  task_.first = rounded(euclid_(query.front(), goal), threshold_);
}

// Continuous paths rarely meet. If they have no symbol in common, the edit distance is known and
// its sweep, by far the most expensive part, is skipped.
void PointStage::compare_symbols(PointPath query) {
  query_numbers_.resize(query.size());
  for (std::size_t k = 0; k < query.size(); ++k) query_numbers_[k] = numbers_.find(query[k]);
  task_.query_id = query_numbers_.data();
  const int ends = edit_unit_ == EditUnit::edges ? 1 : 0;
  task_.edits = may_share_symbols() ? -1 : std::max(task_.n, task_.m) - ends;
}

// Writes the coordinates relative to the origin, all of one axis before those of the next.
void PointStage::stage(PointPath path, std::vector<float>& to, const float* (&axes)[3]) const {
  const std::size_t points = path.size();
  to.resize(3 * points);
  float *x = to.data(), *y = x + points, *z = y + points;
  for (std::size_t k = 0; k < points; ++k) {
    x[k] = static_cast<float>(path[k][0] - origin_[0]);
    y[k] = static_cast<float>(path[k][1] - origin_[1]);
    z[k] = euclid_.flat() ? 0.0f : static_cast<float>(path[k][2] - origin_[2]);
  }
  axes[0] = x, axes[1] = y, axes[2] = z;
}

double PointStage::path_length(PointPath path) const {
  double length = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) length += euclid_(path[k - 1], path[k]);
  return length;
}

bool PointStage::may_share_symbols() const {
  const auto found = [](std::int32_t number) { return number != PointNumbers::none; };
  if (edit_unit_ == EditUnit::viewpoints) return std::ranges::any_of(query_numbers_, found);
  return std::ranges::adjacent_find(query_numbers_, [&](std::int32_t a, std::int32_t b) {
           return found(a) && found(b);
         }) != query_numbers_.end();
}

}  // namespace warpath::batch

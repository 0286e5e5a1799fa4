#include "host/files/evaluation/goal_distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/files/evaluation/pack_episodes.hpp"

namespace warpath::evaluation {
namespace {

using Point = std::array<double, 3>;

// Tells whether np.allclose(a, b, atol=absolute) holds.
bool is_close(const Point& a, const Point& b, double absolute) {
  constexpr double relative = 1e-5;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(std::abs(a[axis] - b[axis]) <= absolute + relative * std::abs(b[axis]))) return false;
  }
  return true;
}

// Tells whether the distance at a position is that of the position looked up last.
bool is_same_place(const Point& last, const Point& point, const Convention& c) {
  if (c.lookup == Lookup::changed) return last == point;
  return c.lookup == Lookup::moved && is_close(last, point, c.lookup_tolerance);
}

double to_nearest(std::span<const Point> goals, const Point& from, Distance distance,
                  const formats::EpisodeData& episodes) {
  const graph::Euclid euclid(distance);
  double nearest = std::numeric_limits<double>::infinity();
  for (const Point& goal : goals) {
    nearest = std::min(nearest,
                       euclid(placed(from, distance, episodes), placed(goal, distance, episodes)));
  }
  return nearest;
}

}  // namespace

std::vector<double> goal_distances(const formats::EpisodeData& episodes, std::uint32_t item,
                                   const formats::PositionData& positions, std::uint32_t path,
                                   const Convention& convention, bool of_oracle) {
  const auto points = positions.points[path];
  const auto given = positions.distances[path];
  const double at_start = episodes.geodesic_distance[item];
  const bool is_start_known =
      given.empty() && !std::isnan(at_start) && convention.start_distance == StartDistance::episode;
  // VLN-PE measures to the end of the reference, whatever goals there are.
  const bool is_to_end =
      convention.start_distance == StartDistance::spl && episodes.ends.size_of(item) > 0;
  const auto goals = is_to_end ? episodes.ends[item] : episodes.goals[item];
  const Distance measured = definitions::goal_distance(convention, of_oracle);
  std::vector<double> distances(points.size());
  std::size_t looked_up = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k > 0 && is_same_place(points[looked_up], points[k], convention)) {
      distances[k] = distances[looked_up];
      continue;
    }
    looked_up = k;
    if (!given.empty()) {
      distances[k] = std::isnan(given[k]) ? std::numeric_limits<double>::infinity() : given[k];
    } else if (k == 0 && is_start_known) {
      distances[k] = at_start;
    } else {
      distances[k] = to_nearest(goals, points[k], measured, episodes);
    }
  }
  return distances;
}

}  // namespace warpath::evaluation

#include "host/files/aggregate/pose_scores.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "host/core/graph/euclid.hpp"
#include "host/files/aggregate/program_dump.hpp"
#include "host/files/evaluation/fast_dtw.hpp"

namespace warpath::aggregate {
namespace {

using std::numbers::pi;

constexpr double stop_distance = 0.15, stop_angle = pi / 12;
constexpr double success_distance = 0.5, success_angle = pi / 4;
constexpr double min_length = 1e-5;  // of a reference, metres or radians
constexpr double metres_per_radian = 2.2;

// Yaws are not wrapped: the angle is below 0 where they differ by more than a turn.
double angle_between(double a, double b) {
  const double difference = std::abs(a - b);
  return python_min(difference, 2 * pi - difference);
}

double distance_between(const Pose& a, const Pose& b) {
  return graph::Euclid(Distance::euclid_3d)(a.position, b.position);
}

using Yaws = std::vector<double>;

// Returns yaws at every level of coarsening: those of a level are the means of pairs of the one
// before.
std::vector<Yaws> levels_of(Yaws yaws) {
  std::vector<Yaws> levels{std::move(yaws)};
  while (levels.back().size() > 1) {
    const Yaws& fine = levels.back();
    Yaws coarse(fine.size() / 2);
    for (std::size_t k = 0; k < coarse.size(); ++k) coarse[k] = (fine[2 * k] + fine[2 * k + 1]) / 2;
    levels.push_back(std::move(coarse));
  }
  return levels;
}

// Returns exp(−cost / length) of the reference's length, and that length.
struct Warped {
  double ndtw, length;
  bool has_overflowed;
};

Warped warped(double cost, double length) {
  const double divisor = python_max(length, min_length), exponent = -cost / divisor;
  const double ndtw = std::exp(exponent);
  return {ndtw, divisor, std::isinf(ndtw) && !std::isinf(exponent)};
}

template <class Between>
double length_of(std::span<const Pose> path, const Between& between) {
  double length = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) length += between(path[k], path[k - 1]);
  return length;
}

Warped warp_positions(std::span<const Pose> query, std::span<const Pose> reference) {
  const auto positions = [](std::span<const Pose> path) {
    std::vector<std::array<double, 3>> points;
    for (const Pose& pose : path) points.push_back(pose.position);
    return points;
  };
  const double cost =
      evaluation::fast_dtw_cost(positions(query), positions(reference), 1, FastDtw::compiled,
                                graph::Euclid(Distance::euclid_3d));
  return warped(cost, length_of(reference, distance_between));
}

Warped warp_yaws(std::span<const Pose> query, std::span<const Pose> reference) {
  const auto levels = [](std::span<const Pose> path) {
    Yaws yaws;
    for (const Pose& pose : path) yaws.push_back(pose.yaw);
    return levels_of(std::move(yaws));
  };
  const std::vector<Yaws> x = levels(query), y = levels(reference);
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    return angle_between(x[level][i], y[level][j]);
  };
  const double cost =
      evaluation::fast_dtw(query.size(), reference.size(), 1, FastDtw::compiled, distance).cost;
  return warped(cost, length_of(reference, [](const Pose& a, const Pose& b) {
                  return angle_between(a.yaw, b.yaw);
                }));
}

}  // namespace

bool is_stop(const Pose& from, const Pose& to) {
  return distance_between(from, to) < stop_distance && angle_between(from.yaw, to.yaw) < stop_angle;
}

PoseScores score_poses(std::span<const Pose> query, std::span<const Pose> reference) {
  PoseScores scores{};
  scores.error = distance_between(query.back(), reference.back());
  scores.angle = angle_between(query.back().yaw, reference.back().yaw);
  scores.is_success = scores.error < success_distance && scores.angle < success_angle;
  const Warped place = warp_positions(query, reference), yaw = warp_yaws(query, reference);
  const double of_place = place.length / metres_per_radian, all = of_place + yaw.length;
  scores.has_overflowed = place.has_overflowed || yaw.has_overflowed;
  scores.ndtw = scores.has_overflowed ? std::numeric_limits<double>::infinity()
                                      : of_place / all * place.ndtw + yaw.length / all * yaw.ndtw;
  return scores;
}

}  // namespace warpath::aggregate

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/pair_cases.hpp"
#include "warpath/views.hpp"

namespace warpath::testing {

/// Holds x, y and z of each point.
using Walk = std::vector<float>;

inline std::size_t points_in(const Walk& walk) {
  return walk.size() / 3;
}

/// Holds a finished rollout in continuous space.
struct PointRollout {
  std::uint32_t reference;
  Walk points;
  bool stopped = true, active = true;
};

/// Holds references and rollouts.
struct PointWorld {
  std::vector<Walk> references;
  std::vector<PointRollout> rollouts;
};

/// Appends points; some repeat the one before.
inline void wander(std::mt19937_64& random, std::size_t points, Walk& walk) {
  const auto metres = [&] { return static_cast<float>(random() >> 40) * 0x1p-24f - 0.5f; };
  for (std::size_t k = 0; k < points; ++k) {
    const bool repeats = below(random, 6) == 0;
    for (int axis = 0; axis < 3; ++axis) {
      walk.push_back(walk[walk.size() - 3] + (repeats ? 0.0f : 2.0f * metres()));
    }
  }
}

/// Makes rollouts that follow their references for a while.
inline PointWorld make_point_world(std::uint64_t seed, std::size_t rollouts,
                                   std::size_t max_points) {
  std::mt19937_64 random(seed);
  PointWorld world;
  for (int r = 0; r < 12; ++r) {
    Walk reference = {1.0f * r, 2.0f, 0.5f};
    wander(random, below(random, max_points), reference);
    world.references.push_back(reference);
  }
  for (std::size_t k = 0; k < rollouts; ++k) {
    const auto r = static_cast<std::uint32_t>(below(random, world.references.size()));
    const Walk& reference = world.references[r];
    const std::size_t same = 1 + below(random, points_in(reference));
    PointRollout rollout{.reference = r, .points = {}};
    rollout.points.assign(reference.begin(),
                          reference.begin() + static_cast<std::ptrdiff_t>(3 * same));
    wander(random, below(random, max_points), rollout.points);
    rollout.stopped = below(random, 3) != 0;
    rollout.active = below(random, 9) != 0;
    world.rollouts.push_back(rollout);
  }
  return world;
}

/// Holds paths one after the other, or in rows whose rest is no number.
struct HostPoints {
  std::vector<float> points;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> lengths;
  std::uint32_t longest = 1;
  bool in_rows;

  HostPoints(const std::vector<Walk>& walks, bool rows) : in_rows(rows) {
    for (const Walk& walk : walks) {
      longest = std::max(longest, static_cast<std::uint32_t>(points_in(walk)));
    }
    for (const Walk& walk : walks) {
      offsets.push_back(static_cast<std::int64_t>(points.size() / 3));
      lengths.push_back(static_cast<std::int32_t>(points_in(walk)));
      points.insert(points.end(), walk.begin(), walk.end());
      if (rows)
        points.resize(3 * (static_cast<std::size_t>(offsets.back()) + longest),
                      std::numeric_limits<float>::quiet_NaN());
    }
    offsets.push_back(static_cast<std::int64_t>(points.size() / 3));
  }
  std::size_t size() const { return points.size() / 3; }
  std::size_t at(std::size_t k, std::size_t t) const {
    return static_cast<std::size_t>(offsets[k]) + t;
  }
  PathsView view() const {
    if (!in_rows) return {points.data(), {.offsets = offsets.data(), .max_length = longest}};
    return {points.data(), {.lengths = lengths.data(), .pitch = longest, .max_length = longest}};
  }
};

inline std::vector<Walk> queries_of(const PointWorld& world) {
  std::vector<Walk> queries;
  for (const PointRollout& rollout : world.rollouts) queries.push_back(rollout.points);
  return queries;
}

/// Holds a world as callers do.
struct HostWorld {
  HostPoints references, queries;
  std::vector<std::uint32_t> reference;
  std::vector<std::uint8_t> active, stopped;

  HostWorld(const PointWorld& world, bool in_rows)
      : references(world.references, in_rows), queries(queries_of(world), in_rows) {
    for (const PointRollout& rollout : world.rollouts) {
      reference.push_back(rollout.reference);
      active.push_back(rollout.active);
      stopped.push_back(rollout.stopped);
    }
  }
  Batch batch() const {
    return {.count = static_cast<std::uint32_t>(reference.size()),
            .queries = queries.view(),
            .references = references.view(),
            .reference = reference.data(),
            .reference_count = static_cast<std::uint32_t>(references.lengths.size()),
            .active = active.data(),
            .stopped = stopped.data()};
  }
};

}  // namespace warpath::testing

#include "host/checks/point_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "host/checks/scans.hpp"

namespace warpath::checks {
namespace {

using Point = std::array<double, 3>;

// Actions of VLN-CE: a quarter of a metre ahead, or a turn.
constexpr double step_length = 0.25;

class PointWalker {
 public:
  explicit PointWalker(Random& random) : random_(random) {}

  // Returns a point; one in four is far from the origin, where plain single precision is not
  // enough.
  Point anywhere() {
    const double far = chance(0.25) ? 1e6 : 10.0;
    return {random_.between(-far, far), random_.between(-3, 3), random_.between(-far, far)};
  }

  PointPath walk(const Point& start, std::size_t points, double stay) {
    PointPath path{start};
    double heading = random_.between(-std::numbers::pi, std::numbers::pi);
    while (path.size() < points) {
      Point next = path.back();
      if (!chance(stay)) {
        heading += random_.between(-0.5, 0.5);
        next[0] += step_length * std::cos(heading);
        next[1] += random_.between(-0.05, 0.05);
        next[2] += step_length * std::sin(heading);
      }
      // One step in 20 returns to an earlier point.
      path.push_back(chance(0.05) ? path[random_.below(path.size())] : next);
    }
    return path;
  }

  PointPath query(const PointPath& reference, std::size_t points) {
    switch (random_.below(5)) {
      case 0:
        return walk(anywhere_near(reference), points, 0.0);
      case 1:
        return walk(reference.front(), points, 0.4);
      case 2:
        return near_copy(reference, points, 0.0);
      case 3:
        return near_copy(reference, points, 1e-9);
      default:
        return near_copy(reference, points, 0.5);
    }
  }

 private:
  bool chance(double p) { return random_.unit() < p; }

  Point moved(Point point, double by) {
    for (double& x : point) x += random_.between(-by, by);
    return point;
  }

  Point anywhere_near(const PointPath& path) {
    return moved(path[random_.below(path.size())], 5.0);
  }

  // Returns a copy with that many points: a shorter one stops early, a longer one repeats points.
  // One point in eight is moved.
  PointPath near_copy(const PointPath& of, std::size_t points, double off) {
    PointPath path(points);
    for (std::size_t k = 0; k < points; ++k) {
      path[k] = of[points <= of.size() ? k : k * of.size() / points];
      if (chance(0.125)) path[k] = moved(path[k], off);
    }
    return path;
  }

  Random& random_;
};

// A class of lengths of the longer path, and how many of 1000 pairs are in it. The other path may
// have any length up to `other`: two of the longest would take most of the time.
struct PointLengths {
  std::size_t low, high, other, share;
};
constexpr PointLengths point_classes[] = {
    {1, 4, 4, 200},      {5, 20, 20, 300},   {21, 64, 64, 350},  {65, 256, 256, 120},
    {257, 600, 600, 20}, {601, 1300, 64, 8}, {4097, 4200, 16, 2}};
constexpr std::size_t point_class_count = std::size(point_classes);

const PointLengths& random_point_class(Random& random) {
  std::size_t ticket = random.below(1000), c = 0;
  while (ticket >= point_classes[c].share) ticket -= point_classes[c++].share;
  return point_classes[c];
}

struct LengthPair {
  std::size_t reference, query;
};

LengthPair random_length_pair(Random& random, const PointLengths& of) {
  const auto between = [&](std::size_t low, std::size_t high) {
    return low + random.below(high - low + 1);
  };
  const std::size_t longer = between(of.low, of.high), most = std::min(of.other, longer);
  // Both paths usually have about the same length.
  const std::size_t other = between(random.below(3) == 0 ? 1 : (most + 1) / 2, most);
  return random.below(3) == 0 ? LengthPair{other, longer} : LengthPair{longer, other};
}

void add_pair(Random& random, const LengthPair& lengths, bool shares, PointBatch& batch) {
  PointWalker walker(random);
  if (!shares) {
    add_path(batch.references, walker.walk(walker.anywhere(), lengths.reference, 0.1));
  }
  const auto reference = static_cast<std::uint32_t>(batch.references.size() - 1);
  const auto points = batch.references[reference];
  const PointPath query = walker.query({points.begin(), points.end()}, lengths.query);
  batch.pairs.push_back({reference, add_path(batch.queries, query)});
}

}  // namespace

PointBatch adversarial_point_pairs(Random& random, std::size_t pairs, bool task_success) {
  PointBatch batch;
  for (std::size_t k = 0; k < pairs; ++k) {
    // Every class has a pair with its own reference, however few pairs there are.
    const PointLengths& of = k < point_class_count ? point_classes[k] : random_point_class(random);
    // A long reference is not shared, because its class limits the length of the query.
    const LengthPair lengths = random_length_pair(random, of);
    const bool shares = k >= point_class_count &&
                        batch.references.size_of(batch.references.size() - 1) <= 256 &&
                        random.below(3) == 0;
    add_pair(random, lengths, shares, batch);
    if (task_success) batch.task_success.push_back(random_success(random));
  }
  return batch;
}

void RandomPoints::add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query) {
  const auto length = [&](std::size_t longest) {
    return random_.below(10) == 0 ? 1 : 1 + random_.below(longest);
  };
  for (std::size_t k = 0; k < count; ++k) {
    const LengthPair lengths{length(max_reference), length(max_query)};
    checks::add_pair(random_, lengths, k % 5 == 4, batch_);
  }
}

void RandomPoints::add_pair(std::size_t reference, std::size_t query) {
  checks::add_pair(random_, {reference, query}, false, batch_);
}

PointBatch pair_of(const PointPath& reference, const PointPath& query) {
  PointBatch batch;
  batch.pairs.push_back({add_path(batch.references, reference), add_path(batch.queries, query)});
  return batch;
}

void move_apart(PointBatch& batch) {
  for (auto& point : batch.queries.elements) point[1] += 100 * std::numbers::pi * 1e-6;
}

PointBatch point_walks(Random& random, const WalkShape& shape, std::size_t pairs) {
  PointBatch batch;
  const auto walk = [&](PointSet& paths, std::size_t points) {
    double heading = random.between(-std::numbers::pi, std::numbers::pi);
    Point at{random.between(-10, 10), random.between(0, 3), random.between(-10, 10)};
    for (std::size_t k = 0; k < points; ++k) {
      paths.elements.push_back(at);
      heading += random.between(-0.5, 0.5);
      at[0] += step_length * std::cos(heading);
      at[1] += random.between(-0.05, 0.05);
      at[2] += step_length * std::sin(heading);
    }
    return paths.end_path();
  };
  for (std::size_t k = 0; k < pairs; ++k) {
    const std::uint32_t reference = walk(batch.references, shape.reference);
    batch.pairs.push_back({reference, walk(batch.queries, shape.query)});
  }
  return batch;
}

void round_to_floats(PointBatch& batch) {
  for (PointSet* paths : {&batch.references, &batch.queries}) {
    for (auto& point : paths->elements) {
      for (double& x : point) {
        // GCC 12 forgets to round where a loop does both conversions.
        const volatile float rounded = static_cast<float>(x);
        x = rounded;
      }
    }
  }
}

}  // namespace warpath::checks

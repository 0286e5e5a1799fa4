#include "host/program/synthetic/study_walker.hpp"

#include <fmt/format.h>

#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

constexpr std::size_t min_moves = 2, max_moves = 5;
constexpr double noise = 0.3;  // probability that a step of the noisy follower is random

}  // namespace

StudyWalker::StudyWalker(const Scan& scan, checks::Random& random)
    : scan_(scan),
      random_(random),
      hops_(scan, Distance::hops),
      metres_(scan, Distance::euclid_3d) {}

Path StudyWalker::through_waypoints() {
  const std::size_t moves = draw_moves();
  const Node start = static_cast<Node>(random_.below(scan_.size()));
  return through(start, moves);
}

Path StudyWalker::through_waypoints_from(Node start) {
  return through(start, draw_moves());
}

Path StudyWalker::noisy(const Path& reference) {
  Path path{reference.front()};
  for (const Node next : std::span(reference).subspan(1)) {
    if (random_.unit() < noise) {
      path.push_back(neighbour(path.back()));
    } else {
      go(path, next);
    }
  }
  return path;
}

Path StudyWalker::random(Node start, std::size_t steps) {
  Path path{start};
  while (path.size() <= steps) path.push_back(neighbour(path.back()));
  return path;
}

std::size_t StudyWalker::draw_moves() {
  return min_moves + random_.below(max_moves - min_moves + 1);
}

Path StudyWalker::through(Node start, std::size_t moves) {
  Path path{start};
  for (std::size_t move = 0; move < moves; ++move) go(path, waypoint(path.back()));
  return path;
}

void StudyWalker::go(Path& path, Node to) {
  const Path way = shortest(path.back(), to);
  path.insert(path.end(), way.begin() + 1, way.end());
}

Node StudyWalker::waypoint(Node from) {
  const std::span<const double> hops = hops_.row(from);
  std::vector<Node> choices;
  for (Node n = 0; n < scan_.size(); ++n) {
    if (hops[n] == 2.0 || hops[n] == 3.0) choices.push_back(n);
  }
  if (choices.empty()) {
    throw UsageError(
        fmt::format("no node is two or three edges from {}; choose a larger side or a "
                    "shorter reach",
                    scan_.viewpoint(from)));
  }
  return pick(choices);
}

}  // namespace warpath::synthetic

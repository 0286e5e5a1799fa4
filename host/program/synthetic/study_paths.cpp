#include <fmt/format.h>

#include <numeric>
#include <span>

#include "host/checks/random.hpp"
#include "host/program/synthetic/study.hpp"
#include "host/program/synthetic/study_graph.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

constexpr double threshold_per_edge = 1.33;
constexpr std::uint64_t min_waypoints = 3, max_waypoints = 6;
constexpr double noise = 0.3;  // probability that a step of the noisy follower is random

class StudyWalker {
 public:
  StudyWalker(const Scan& scan, checks::Random& random)
      : scan_(scan),
        random_(random),
        hops_(scan, Distance::hops),
        metres_(scan, Distance::euclid_3d) {}

  Path reference() {
    const std::uint64_t more = random_.below(max_waypoints - min_waypoints + 1);
    Path path{static_cast<Node>(random_.below(scan_.size()))};
    for (std::uint64_t w = 1; w < min_waypoints + more; ++w) go(path, waypoint(path.back()));
    return path;
  }

  Path shortest(Node from, Node to) { return metres_.path(from, to); }

  /// Follows the reference, but may step to any neighbour instead; the step after that returns to
  /// the reference at its next viewpoint. So the path may end beside the goal.
  Path noisy(const Path& reference) {
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

  Path random(Node start, std::size_t steps) {
    Path path{start};
    while (path.size() <= steps) path.push_back(neighbour(path.back()));
    return path;
  }

 private:
  void go(Path& path, Node to) {
    const Path way = shortest(path.back(), to);
    path.insert(path.end(), way.begin() + 1, way.end());
  }

  Node neighbour(Node node) { return pick(scan_.neighbours(node)); }

  Node waypoint(Node from) {
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

  Node pick(std::span<const Node> nodes) { return nodes[random_.below(nodes.size())]; }

  const Scan& scan_;
  checks::Random& random_;
  Distances hops_, metres_;
};

void check(const Options& options) {
  if (options.side < 2 || options.side > 100) {
    throw UsageError(fmt::format("a side of {} nodes; choose 2 to 100", options.side));
  }
  if (options.paths < 1 || options.instructions < 1) {
    throw UsageError(fmt::format("{} paths of {} instructions; choose at least 1 of each",
                                 options.paths, options.instructions));
  }
}

double threshold(const Scan& scan) {
  const std::vector<double> lengths = scan.edge_lengths(Distance::euclid_3d);
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  return threshold_per_edge * (sum / static_cast<double>(lengths.size()));
}

template <class Walk>
void add_agent(Study& study, std::string name, Walk walk) {
  Agent agent{std::move(name), {}};
  for (const Path& reference : study.references) {
    for (int k = 0; k < study.instructions; ++k) agent.paths.push_back(walk(reference));
  }
  study.agents.push_back(std::move(agent));
}

}  // namespace

Study make_study(const Options& options) {
  check(options);
  checks::Random random(options.seed);
  Study study{draw_scan(options, random), 0.0, {}, options.instructions, {}};
  study.threshold_m = threshold(study.scan);
  StudyWalker walker(study.scan, random);
  for (int p = 0; p < options.paths; ++p) study.references.push_back(walker.reference());
  add_agent(study, "follower", [](const Path& r) { return r; });
  add_agent(study, "shortest", [&](const Path& r) { return walker.shortest(r.front(), r.back()); });
  add_agent(study, "noisy", [&](const Path& r) { return walker.noisy(r); });
  add_agent(study, "random", [&](const Path& r) { return walker.random(r.front(), r.size() - 1); });
  add_agent(study, "stop", [](const Path& r) { return Path{r.front()}; });
  return study;
}

}  // namespace warpath::synthetic

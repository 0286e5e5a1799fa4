#include <fmt/format.h>

#include "host/checks/random.hpp"
#include "host/program/synthetic/study.hpp"
#include "host/program/synthetic/study_graph.hpp"
#include "host/program/synthetic/study_walker.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

void check(const Options& options) {
  if (options.side < 2 || options.side > 100) {
    throw UsageError(fmt::format("a side of {} nodes; choose 2 to 100", options.side));
  }
  if (options.paths < 1 || options.instructions < 1) {
    throw UsageError(fmt::format("{} paths of {} instructions; choose at least 1 of each",
                                 options.paths, options.instructions));
  }
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
  study.threshold_m = threshold_of(study.scan);
  StudyWalker walker(study.scan, random);
  for (int p = 0; p < options.paths; ++p) study.references.push_back(walker.through_waypoints());
  add_agent(study, "follower", [](const Path& r) { return r; });
  add_agent(study, "shortest", [&](const Path& r) { return walker.shortest(r.front(), r.back()); });
  add_agent(study, "noisy", [&](const Path& r) { return walker.noisy(r); });
  add_agent(study, "random", [&](const Path& r) { return walker.random(r.front(), r.size() - 1); });
  add_agent(study, "stop", [](const Path& r) { return Path{r.front()}; });
  return study;
}

}  // namespace warpath::synthetic

#include "host/program/synthetic/rating_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/checks/random.hpp"
#include "host/program/synthetic/study_graph.hpp"
#include "host/program/synthetic/study_walker.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

constexpr int min_queries = 2, max_queries = 26;  // a letter each
constexpr int max_sets = 100'000;
constexpr int max_query_draws = 100'000;

class SetDrawer {
 public:
  SetDrawer(const RatingStudy& study, checks::Random& random, const RatingOptions& options)
      : walker_(study.scan, random), threshold_(study.threshold_m), options_(options) {}

  RatingSet draw(bool only_successes) {
    RatingSet set{walker_.through_waypoints(), {}};
    while (static_cast<int>(set.queries.size()) < options_.queries) {
      set.queries.push_back(query(set, only_successes));
    }
    return set;
  }

 private:
  Path query(const RatingSet& set, bool only_successes) {
    const Node start = set.reference.front(), goal = set.reference.back();
    for (int draw = 0; draw < max_query_draws; ++draw) {
      Path path = options_.shares_start ? walker_.through_waypoints_from(start)
                                        : walker_.through_waypoints();
      if (only_successes && walker_.between(path.back(), goal) > threshold_) continue;
      // Nobody can rank two equal pictures.
      if (std::ranges::find(set.queries, path) == set.queries.end()) return path;
    }
    throw UsageError(fmt::format("no further query of a set in {} draws; choose fewer queries",
                                 max_query_draws));
  }

  StudyWalker walker_;
  double threshold_;
  const RatingOptions& options_;
};

void check_rating_options(const RatingOptions& options) {
  if (options.queries < min_queries || options.queries > max_queries) {
    throw UsageError(fmt::format("{} queries in a set; choose {} to {}", options.queries,
                                 min_queries, max_queries));
  }
  for (const RatingScenario& scenario : options.scenarios) {
    if (scenario.sets < 0 || scenario.sets > max_sets) {
      throw UsageError(fmt::format("{} sets; choose 0 to {}", scenario.sets, max_sets));
    }
  }
}

}  // namespace

RatingStudy make_rating_sets(const RatingOptions& options, const std::function<void()>& after_set) {
  check_rating_options(options);
  checks::Random random(options.seed);
  RatingStudy study{draw_scan({}, random), 0.0, {}};
  study.threshold_m = threshold_of(study.scan);
  SetDrawer drawer(study, random, options);
  for (const RatingScenario& scenario : options.scenarios) {
    std::vector<RatingSet>& sets = study.scenarios.emplace_back();
    for (int s = 0; s < scenario.sets; ++s) {
      sets.push_back(drawer.draw(scenario.only_successes));
      after_set();
    }
  }
  return study;
}

}  // namespace warpath::synthetic

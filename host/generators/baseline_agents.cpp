#include "warpath/baseline_agents.hpp"

#include <algorithm>
#include <array>

#include "host/definitions/suggest.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<std::string_view, 5> agent_names{"stop", "shortest", "reference",
                                                      "random-heading", "oracle-stop"};

}  // namespace

std::string_view name(BaselineAgent agent) {
  return agent_names[static_cast<std::size_t>(agent)];
}

BaselineAgent find_baseline_agent(std::string_view wanted) {
  for (std::size_t a = 0; a < agent_names.size(); ++a) {
    if (equal_letters(wanted, agent_names[a])) return static_cast<BaselineAgent>(a);
  }
  throw UsageError(no_such("agent", wanted, agent_names));
}

std::size_t oracle_stop(Distances& distances, std::span<const Node> path, Node goal) {
  const std::span<const double> to_goal = distances.row_to(goal);
  const auto nearest = std::ranges::min_element(path, {}, [&](Node n) { return to_goal[n]; });
  return static_cast<std::size_t>(nearest - path.begin()) + 1;
}

}  // namespace warpath

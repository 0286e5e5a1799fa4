#include "warpath/baseline_agents.hpp"

#include <algorithm>
#include <array>

#include "host/core/definitions/enum_names.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<definitions::EnumName<BaselineAgent>, 5> agent_names{
    {{BaselineAgent::stop, "stop"},
     {BaselineAgent::shortest, "shortest"},
     {BaselineAgent::reference, "reference"},
     {BaselineAgent::random_heading, "random-heading"},
     {BaselineAgent::oracle_stop, "oracle-stop"}}};

}  // namespace

std::string_view name(BaselineAgent agent) {
  return definitions::name_in(agent_names, agent);
}

BaselineAgent find_baseline_agent(std::string_view wanted) {
  return definitions::find_in(agent_names, "agent", wanted);
}

std::size_t oracle_stop(Distances& distances, std::span<const Node> path, Node goal) {
  const std::span<const double> to_goal = distances.row_to(goal);
  const auto nearest = std::ranges::min_element(path, {}, [&](Node n) { return to_goal[n]; });
  return static_cast<std::size_t>(nearest - path.begin()) + 1;
}

}  // namespace warpath

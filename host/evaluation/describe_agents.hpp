#pragma once

#include <string>
#include <vector>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// Describes what is known of an agent's result before it is scored.
AgentResult describe_agent(const Inputs& inputs, std::size_t agent);

/// Names the agents. Without a given name it is the file's name, with its folder if two would be
/// equal.
void name_agents(std::vector<AgentResult>& runs, const std::vector<std::string>& names);

}  // namespace warpath

#pragma once

#include <string>
#include <vector>

#include "host/files/evaluation/inputs.hpp"

namespace warpath::evaluation {

/// Describes what is known of an agent's result before it is scored.
AgentResult describe_agent(const Inputs& inputs, std::size_t agent);

/// Names the agents. Without a given name it is the file's name, with its folder if two would be
/// equal. Runs of one agent have numbers. The reference of a result stands behind it.
/// @param per_agent number of results of each agent, which follow each other
void name_agents(std::vector<AgentResult>& runs, const EvalFiles& files, std::size_t per_agent = 1);

}  // namespace warpath::evaluation

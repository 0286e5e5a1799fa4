#pragma once

#include <string>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::report {

/// Explains one item's scores for each agent: both paths, the optimal warping as an alignment
/// table, the nearest viewpoints in both directions, and the terms of each metric.
/// @param max_width columns of the terminal; a wider table is folded.
/// @throws InputError if no agent has an item of that id.
std::string explain(evaluation::Inputs& inputs, const std::string& instr_id,
                    const Convention& convention, int max_width);

/// Explains the rewards of one item for each agent; see explain_pair_rewards().
/// @throws InputError as explain()
std::string explain_rewards(evaluation::Inputs& inputs, const std::string& instr_id,
                            const RewardSettings& settings, bool stopped, int max_width);

}  // namespace warpath::report

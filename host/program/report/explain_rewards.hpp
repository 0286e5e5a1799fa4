#pragma once

#include <string>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/reward_pairs.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::report {

/// Explains the rewards of one query: the values of its prefixes, the terms of each move, and those
/// of the end. Terms are single numbers of the kernels: added from left to right in single
/// precision they are the reward, to the last bit.
/// @param batch of one pair, in the only scan
/// @param rewards what reward_pairs returns for it
/// @param stopped the query ends with a stop; else its time was up
/// @param max_width columns of the terminal; a wider table is folded
/// @param places by viewpoint of the query: what it is called; empty: its name in the scan
std::string explain_pair_rewards(const PairBatch& batch, const evaluation::PairRewards& rewards,
                                 const RewardSettings& settings, bool stopped, int max_width,
                                 std::vector<std::string> places = {});

/// Explains the rewards of one episode for each agent in the same way.
/// @pre paths are positions
/// @throws InputError if there is no such episode
std::string explain_episode_rewards(evaluation::Inputs& inputs, const std::string& id,
                                    const RewardSettings& settings, bool stopped, int max_width);

}  // namespace warpath::report

#pragma once

#include <memory>
#include <span>

#include "host/core/rewards/reward_engine.hpp"
#include "host/core/rewards/reward_tables.hpp"

namespace warpath::cpu {

class Rewarder;

/// Makes the engine of the host, which checks its arguments.
/// @param threads 0: all cores
/// @throws InputError as the constructor of Rewards
std::unique_ptr<rewards::RewardEngine> make_reward_engine(rewards::RewardTables tables,
                                                          int threads);

/// Makes a tracker of it. @param tables,rewarder must outlive it
std::unique_ptr<rewards::EpisodeEngine> make_episode_engine(const rewards::RewardTables& tables,
                                                            const Rewarder& rewarder,
                                                            std::uint32_t episodes,
                                                            const TrackerOptions& options);

}  // namespace warpath::cpu

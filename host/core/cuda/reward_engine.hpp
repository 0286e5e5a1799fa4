#pragma once

#include <cstdint>
#include <memory>

#include "host/core/rewards/reward_engine.hpp"
#include "host/core/rewards/reward_tables.hpp"

namespace warpath::cuda {

class Device;
class ResidentRewards;

/// Makes the engine of a GPU, which checks fields, and what lies in the GPU's memory where a call
/// asks for it. @throws InputError, CudaError as the constructor of Rewards
std::unique_ptr<rewards::RewardEngine> make_reward_engine(Device& device,
                                                          rewards::RewardTables tables);

/// Makes a tracker of it. @param rewards must outlive it
std::unique_ptr<rewards::EpisodeEngine> make_episode_engine(const ResidentRewards& rewards,
                                                            std::uint32_t episodes,
                                                            const TrackerOptions& options);

}  // namespace warpath::cuda

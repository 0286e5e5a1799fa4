#include "host/cpu/reward_bodies.hpp"

namespace warpath::cpu {

extern constexpr RewardKernels avx512_rewards{interleave, separate, reward_rollouts, step_episodes,
                                              extend_episodes};

}  // namespace warpath::cpu

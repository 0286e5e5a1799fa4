#include "host/cpu/walk_kernels.hpp"

namespace warpath::cpu {

extern constexpr WalkKernels avx512_walks{draw_walk_steps, score_walks};

}  // namespace warpath::cpu

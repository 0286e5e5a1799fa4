#include "host/cpu/all_kernels.hpp"

namespace warpath::cpu {

extern constexpr CpuKernels portable = make_kernels("portable", portable_walks, portable_rewards);

}  // namespace warpath::cpu

#include "host/cpu/all_kernels.hpp"

namespace warpath::cpu {

extern constexpr CpuKernels avx2 = make_kernels("avx2", avx2_walks, avx2_rewards);

}  // namespace warpath::cpu

#include "host/cpu/all_kernels.hpp"

namespace warpath::cpu {

extern constexpr CpuKernels avx512 = make_kernels("avx512", avx512_walks, avx512_rewards);

}  // namespace warpath::cpu

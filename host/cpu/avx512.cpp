#include "host/cpu/isa_kernels.hpp"

namespace warpath::cpu {

extern constexpr Isa avx512 = make_isa("avx512");

}  // namespace warpath::cpu

#include "host/cpu/isa_kernels.hpp"

namespace warpath::cpu {

extern constexpr Isa avx2 = make_isa("avx2");

}  // namespace warpath::cpu

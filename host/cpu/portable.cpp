#include "host/cpu/isa_kernels.hpp"

namespace warpath::cpu {

extern constexpr Isa portable = make_isa("portable");

}  // namespace warpath::cpu

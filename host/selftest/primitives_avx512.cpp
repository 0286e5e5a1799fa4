#include "host/selftest/primitive_lanes.hpp"

namespace warpath::selftest {

extern constexpr PrimitiveUnit avx512_primitives = make_unit("avx512");

}  // namespace warpath::selftest

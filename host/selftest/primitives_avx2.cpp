#include "host/selftest/primitive_lanes.hpp"

namespace warpath::selftest {

extern constexpr PrimitiveUnit avx2_primitives = make_unit("avx2");

}  // namespace warpath::selftest

#include "host/selftest/primitive_lanes.hpp"

namespace warpath::selftest {

extern constexpr PrimitiveUnit portable_primitives = make_unit("portable");

}  // namespace warpath::selftest

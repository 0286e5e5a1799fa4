#pragma once

#include <string>

namespace warpath::testing {

/// Returns a `.navmesh` file as habitat-sim writes them. Seen from above, with y = 0 throughout and
/// squares of 4 m:
///
///     z 4..8        C
///     z 0..4     A  B              D
///             x  0  4   8         20
///
/// B joins A and C; D is an island. The ways between A and C go around the corner at x = z = 4.
/// @param version 1 or 2
std::string make_navmesh(int version = 1);

}  // namespace warpath::testing

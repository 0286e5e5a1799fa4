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

/// Two episodes over this mesh. The first way leads around the corner, and the second nowhere.
inline constexpr const char* mesh_episodes =
    R"({"episodes":[{"episode_id":"1","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[5,0,7]}],"info":{"geodesic_distance":5.0},
        "reference_path":[[1,0,3],[4,0,4],[5,0,7]]},
       {"episode_id":"2","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[21,0,1]}],"info":{"geodesic_distance":20.0},
        "reference_path":[[1,0,3],[21,0,1]]}]})";

}  // namespace warpath::testing

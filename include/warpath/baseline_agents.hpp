#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpath/distances.hpp"
#include "warpath/export.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// The agents of `warpath baseline`, which need no training.
enum class BaselineAgent {
  stop,            ///< stays at the start
  shortest,        ///< takes a shortest path to the goal
  reference,       ///< follows the reference
  random_heading,  ///< draws a heading and goes that way: see `random_heading`
  oracle_stop,     ///< another agent's path up to its viewpoint nearest to the goal
};

/// Returns the agent's name as the command line spells it: "random-heading".
WARPATH_EXPORT std::string_view name(BaselineAgent agent);
/// Finds an agent by its name. @throws UsageError that lists the names.
WARPATH_EXPORT BaselineAgent find_baseline_agent(std::string_view name);

/// The place of an agent and its heading.
struct Pose {
  Node viewpoint;
  double heading;  ///< radians clockwise from +y, seen from above; in [0, 2 pi)
};

/// Returns what the random agent of Matterport3DSimulator does after so many initial turns: the
/// pose at the start and after each of at most 30 actions, turns among them.
///
/// The heading at the start is rounded to a multiple of 30 degrees. An action is one of the initial
/// turns; then a move, if some neighbour lies within 40 degrees to either side; otherwise a turn. A
/// turn is 30 degrees to the right. A move keeps the heading and leads to the candidate nearest to
/// the centre of the view, of which the angle to the side and the angle up or down are the two
/// coordinates; the first one in the order of Scan::neighbours where two are equally near, to a
/// billionth of a radian. Neighbours straight above or below are no candidates. The fifth move
/// ends the walk.
/// @param heading radians, finite
/// @throws InputError if the scan has no positions
WARPATH_EXPORT std::vector<Pose> random_heading(const Scan& scan, Node start, double heading,
                                                std::uint32_t right_turns);

/// Draws the number of initial turns of the random agent, 0 to 11.
/// @param item number of the item in its dataset, from 0
WARPATH_EXPORT std::uint32_t draw_right_turns(std::uint64_t seed, std::uint64_t item);

/// Returns how much of a path an agent walks that stops nearest to the goal: the number of
/// viewpoints up to the first of those at the smallest d(goal, viewpoint). Where none can be
/// reached that is 1.
/// @pre the path is not empty
WARPATH_EXPORT std::size_t oracle_stop(Distances& distances, std::span<const Node> path, Node goal);

}  // namespace warpath

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// The ways in which Zhao et al. 2021 (On the Evaluation of Vision-and-Language Navigation
/// Instructions, section 4.2) perturb a trajectory.
///
/// - `random_walk` keeps the first or the last two viewpoints and draws the rest again. An attempt
///   draws the end that is kept, the number of steps (that of the path, one fewer or one more), and
///   each step evenly among the neighbours that the walk has not visited. Attempts are repeated
///   until the result is admissible: no viewpoint twice, at least two viewpoints of the path beside
///   those kept, and not the path itself.
/// - `reversal` walks the path from its end to its start.
/// - `viewpoint_swap` replaces one viewpoint by another that is not on the path. The position, ends
///   included, is drawn evenly among those where some other viewpoint is a neighbour of every
///   adjacent viewpoint of the path; the replacement is drawn evenly among these. Only if there is
///   no such position, an inner viewpoint is replaced by a neighbour of one adjacent viewpoint,
///   which breaks the other step.
enum class Perturbation { random_walk, reversal, viewpoint_swap };

/// Returns the perturbation's name as the command line spells it: "random-walk".
WARPATH_EXPORT std::string_view name(Perturbation perturbation);
/// Finds a perturbation by its name. @throws UsageError that lists the names.
WARPATH_EXPORT Perturbation find_perturbation(std::string_view name);

/// A perturbed path.
struct PerturbedPath {
  std::vector<Node> nodes;
  bool is_broken = false;  ///< a step of it is no edge, because no replacement keeps all steps
};

/// Perturbs a path. The result depends on the arguments alone, not on threads or the platform.
/// Returns nothing for a path that admits no such perturbation. Where a thousand attempts of
/// `random_walk` fail, all walks are looked at, up to 16 million viewpoints of them, and one is
/// drawn with the same probabilities.
/// @param item number of the path's item in its dataset, from 0
/// @throws InputError if the scan is directed: a perturbed path may go against its edges
WARPATH_EXPORT std::optional<PerturbedPath> perturb(const Scan& scan, std::span<const Node> path,
                                                    Perturbation perturbation, std::uint64_t seed,
                                                    std::uint64_t item);

}  // namespace warpath

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/baseline_agents.hpp"

namespace warpath::generators {

/// Says which agent predicts, and how.
struct Baseline {
  BaselineAgent agent = BaselineAgent::stop;
  std::uint64_t seed = 1;                   ///< of random_heading
  Distance distance = Distance::euclid_3d;  ///< of shortest and oracle_stop
  /// Limit of the distances that oracle_stop keeps, of all scans together. Where they take more
  /// before a prediction is cut, all are forgotten, and computed again when they are needed.
  std::size_t max_distance_bytes = std::size_t{256} << 20;
};

/// Returns an agent's predictions for all items of the dataset as the text of a submission. Item i
/// of the file is number i of `draw_right_turns`.
///
/// `oracle_stop` cuts the predictions of the inputs' first agent. Items without one get none. What
/// it cannot cut it passes on as it is, for scores to judge: a prediction of an unknown id, one
/// that is empty, malformed or leaves its scan, and one whose item has no usable goal.
/// @throws InputError that names the item if another agent cannot use its reference, or if
///   `shortest` finds no path; InputError that names the scan if it has no positions and
///   `random_heading` needs them.
std::string baseline_predictions(const Baseline& baseline, evaluation::Inputs& inputs);

}  // namespace warpath::generators

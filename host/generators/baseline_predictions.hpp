#pragma once

#include <cstdint>
#include <string>

#include "host/evaluation/inputs.hpp"
#include "warpath/baseline_agents.hpp"

namespace warpath {

/// Says which agent predicts, and how.
struct Baseline {
  BaselineAgent agent = BaselineAgent::stop;
  std::uint64_t seed = 1;                   ///< of random_heading
  Distance distance = Distance::euclid_3d;  ///< of shortest and oracle_stop
};

/// Returns an agent's predictions for all items of the dataset as the text of a submission. Item i
/// of the file is number i of `draw_right_turns`.
/// @param inputs of `oracle_stop`, with the agent whose predictions it cuts. Those of unknown ids
/// are left out; items without one get none.
/// @throws InputError that names the item if its reference, the prediction to cut, or its scan
///   cannot be used, or if `shortest` finds no path.
std::string baseline_predictions(const Baseline& baseline, Inputs& inputs);

}  // namespace warpath

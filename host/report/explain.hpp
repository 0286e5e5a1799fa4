#pragma once

#include <string>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// Explains one item's scores for each agent: both paths, the optimal warping as an alignment
/// table, the nearest viewpoints in both directions, and the terms of each metric.
/// @param max_width columns of the terminal; a wider table is folded.
/// @throws InputError if no agent has an item of that id.
std::string explain(Inputs& inputs, const std::string& instr_id, const Convention& convention,
                    int max_width);

}  // namespace warpath

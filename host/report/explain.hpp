#pragma once

#include <string>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// How one item gets its scores, for each agent: both paths, the optimal warping as an alignment
/// table, the nearest viewpoints either way, and each metric's terms.
/// @param max_width columns; a table that is wider is folded.
/// @throws InputError where no agent has an item of that id.
std::string explain(Inputs& inputs, const std::string& instr_id, const Convention& convention,
                    int max_width);

}  // namespace warpath

#pragma once

#include <string>

#include "host/files/evaluation/inputs.hpp"

namespace warpath::report {

/// Explains the scores of one continuous episode for each agent: both paths, the distance to the
/// goal at each position, the alignment of exact DTW, and every metric.
/// @throws InputError if no agent has an item of that id
std::string explain_episode(const evaluation::Inputs& inputs, const std::string& id,
                            const Convention& convention, int max_width);

/// Refuses the id of an episode that is not there. @throws InputError
[[noreturn]] void refuse_unknown_episode(const evaluation::Inputs& inputs, const std::string& id);

}  // namespace warpath::report

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// Returns what a format's title is followed by: " (JSON Lines)", or nothing.
std::string_view as_lines(bool is_lines);

/// Describes the dataset: "R2R, 1021 items in 56 scans".
std::string describe_dataset(const Inputs& inputs);

/// Describes the graphs read so far: "plain graph, 1 scan".
std::string describe_graphs(const Graphs& graphs);

/// Describes boxes: "boxes of version 1, 16880 visible objects at 6062 viewpoints in 46 scans,
/// hash 0123456789ab…".
std::string describe_objects(const ObjectsFile& objects);

/// Returns warnings that do not affect any score, one sentence each; see Evaluator::warnings.
std::vector<std::string> input_warnings(const Inputs& inputs);

}  // namespace warpath

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::evaluation {

/// Returns what a format's title is followed by: " (JSON Lines)", or nothing.
std::string_view as_lines(bool is_lines);

/// Describes what was read so far.
InputDescription describe_inputs(const Inputs& inputs);

/// Adds the viewpoints without any edge that references and predictions name.
void add_isolated(const Inputs& inputs, IsolatedViewpoints& named);

}  // namespace warpath::evaluation

#pragma once

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/predictions.hpp"

namespace warpath::formats {

/// Tells whether lines are those of OpenFly's eval_gtav.py: one for each step of a sample, and some
/// of means.
bool is_step_log(const json::Array& lines);

/// Reads such lines into predictions of positions. A sample's path begins at its start_position and
/// goes on through the final_position of each of its steps.
/// @throws InputError if a line lacks a position, a sample goes on behind another one, or its lines
/// have several starts or steps_taken that do not grow
void read_step_log(const json::Array& lines, const JsonFile& document, Predictions& out);

}  // namespace warpath::formats

#pragma once

#include <string>

namespace warpath::report {

/// Returns a text as a cell of a CSV: in quotes where it needs them.
std::string csv_cell(const std::string& text);

}  // namespace warpath::report

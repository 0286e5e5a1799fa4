#pragma once

#include <functional>
#include <string_view>

#include "host/program/report/report.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::report {

/// Adds to a report the results of every preset of its task that can score its files, and which
/// settings make their means differ from the report's own: each is tried alone.
/// @param make makes the convention of a preset
void add_every_preset(Evaluator& evaluator,
                      const std::function<Convention(std::string_view preset)>& make,
                      const EvalOptions& options, EvalReport& report);

}  // namespace warpath::report

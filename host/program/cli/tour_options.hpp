#pragma once

#include "host/program/cli/command_line.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::cli {

/// Adds --tours and --split.
void add_tour_options(Command& command, EvalFiles& files);

/// Adds --tour-csv.
void add_tour_csv_option(Command& command, std::string& file);

/// Refuses a file of tours where there are none. @throws UsageError
void check_tour_csv(const std::string& file, const Evaluator& evaluator);

}  // namespace warpath::cli

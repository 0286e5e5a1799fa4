#pragma once

#include <string>

#include "host/program/report/report.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {

/// Returns how a report is to be printed into a file.
/// @param style text, markdown or latex @throws UsageError for any other
report::PrintOptions print_options(const std::string& style, int width, bool percent, int digits,
                                   bool intervals);

/// Returns inputs, tables and notes.
nb::tuple printed_parts(const report::PrintedReport& report);

}  // namespace warpath::python

#pragma once

#include <string>

#include "host/program/report/report.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {

/// Returns how a report is to be printed into a file.
/// @param style text, markdown or latex @throws UsageError for any other
report::PrintOptions print_options(const std::string& style, int width, bool percent, int digits,
                                   bool intervals);

/// Returns inputs, tables and notes of a report that report_document() lays out.
template <class Report>
nb::tuple printed_parts(const Report& report, const report::PrintOptions& options) {
  const report::PrintedReport printed =
      report::render(report::report_document(report, options), options);
  return nb::make_tuple(to_str(printed.inputs), to_str(printed.tables), to_str(printed.notes));
}

/// Returns the line of a signature.
inline nb::str signature_line(const report::Signature& signature, bool is_short) {
  return to_str(
      signature.text(is_short ? report::SignatureForm::shorter : report::SignatureForm::full));
}

}  // namespace warpath::python

#include "host/program/report/csv_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "host/core/base/clean_text.hpp"

namespace warpath::report {

void append_csv_number(double value, bool is_double, std::string& csv) {
  const auto as_float = static_cast<float>(value);
  const bool is_float = !is_double && as_float == value;
  if (is_float)
    fmt::format_to(std::back_inserter(csv), FMT_COMPILE("{}"), as_float);
  else
    fmt::format_to(std::back_inserter(csv), FMT_COMPILE("{}"), value);
}

void CsvWriter::text(std::string_view cell) {
  const std::string clean = options_.is_terminal ? base::clean_text(std::string(cell)) : "";
  if (options_.is_terminal) cell = clean;
  if (cell.find_first_of(",\"\n\r") == std::string_view::npos) return word(cell);
  csv_ += '"';
  for (const char c : cell) csv_.append(c == '"' ? 2 : 1, c);
  csv_ += "\",";
}

void CsvWriter::number(std::optional<double> cell, bool is_double) {
  if (cell && std::isfinite(*cell)) append_csv_number(*cell, is_double, csv_);
  csv_ += ',';
}

}  // namespace warpath::report

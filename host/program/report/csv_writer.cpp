#include "host/program/report/csv_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>

#include "host/core/base/clean_text.hpp"

namespace warpath::report {

void append_csv_number(double value, bool is_double, std::string& csv) {
  // Half of the columns are counts, or fractions that are 0 or 1.
  const bool is_small = std::abs(value) < 1e6;
  const int whole = is_small ? static_cast<int>(value) : 0;
  if (is_small && whole == value && (whole != 0 || !std::signbit(value))) {
    const fmt::format_int digits(whole);
    csv.append(digits.data(), digits.size());
    return;
  }
  char text[32];
  const auto as_float = static_cast<float>(value);
  const bool is_float = !is_double && as_float == value;
  char* const end = is_float ? fmt::format_to(text, FMT_COMPILE("{}"), as_float)
                             : fmt::format_to(text, FMT_COMPILE("{}"), value);
  csv.append(text, static_cast<std::size_t>(end - text));
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

#include "host/program/report/csv_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "host/core/base/clean_text.hpp"

namespace warpath::report {

namespace {

constexpr std::size_t max_number = 32;  // characters

// Writes a number. Returns its end.
char* write_number(double value, bool is_double, char* text) {
  // Half of the columns are counts, or fractions that are 0 or 1.
  const bool is_small = std::abs(value) < 1e6;
  const int whole = is_small ? static_cast<int>(value) : 0;
  if (is_small && whole == value && (whole != 0 || !std::signbit(value))) {
    const fmt::format_int digits(whole);
    return std::copy_n(digits.data(), digits.size(), text);
  }
  const auto as_float = static_cast<float>(value);
  const bool is_float = !is_double && as_float == value;
  return is_float ? fmt::format_to(text, FMT_COMPILE("{}"), as_float)
                  : fmt::format_to(text, FMT_COMPILE("{}"), value);
}

}  // namespace

void append_csv_number(double value, bool is_double, std::string& csv) {
  char text[max_number];
  csv.append(text, write_number(value, is_double, text));
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
  char text[max_number + 1];
  char* end = cell && std::isfinite(*cell) ? write_number(*cell, is_double, text) : text;
  *end++ = ',';
  csv_.append(text, end);
}

void CsvWriter::number(double cell, bool is_double, NumberAbove& above) {
  const auto bits = std::bit_cast<std::uint64_t>(cell);
  if (above.size > 0 && above.bits == bits) {
    csv_.append(csv_, above.begin, above.size);
    return;
  }
  above = {bits, csv_.size(), 0};
  number(cell, is_double);
  above.size = csv_.size() - above.begin;
}

}  // namespace warpath::report

#include "host/program/report/csv_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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
  std::string quoted = "\"";
  for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
  word(quoted += '"');
}

void CsvWriter::number(std::optional<double> cell, bool is_double) {
  char* const begin = room(max_number + 1);
  char* end = cell && std::isfinite(*cell) ? write_number(*cell, is_double, begin) : begin;
  *end++ = ',';
  size_ += static_cast<std::size_t>(end - begin);
}

void CsvWriter::number(double cell, bool is_double, RecentNumbers& recent) {
  const auto bits = std::bit_cast<std::uint64_t>(cell);
  RecentNumbers::Place& place = recent.likely(bits);
  if (place.size > 0 && place.bits == bits) {
    // All of its room is copied, which takes no loop.
    char* const to = room(max_number + 1);
    std::memmove(to, csv_.data() + place.begin, max_number + 1);
    to[place.size - 1] = ',';  // the other may end a row
    size_ += place.size;
    return;
  }
  const std::size_t begin = size_;
  number(cell, is_double);
  place = {bits, begin, size_ - begin};
}

}  // namespace warpath::report

#include "host/files/formats/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace warpath::formats {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == cell.npos) return {};
  return cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
}

// Returns the size of the quoted cell at the beginning of a row; 0 if there is none.
std::size_t quoted_size(std::string_view row) {
  if (!row.starts_with('"')) return 0;
  const std::size_t end = row.find('"', 1);
  return end == row.npos ? 0 : end + 1;
}

}  // namespace

bool TextTable::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view row = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    if (row.empty()) continue;
    split(row);
    return true;
  }
  return false;
}

void TextTable::split(std::string_view row) {
  const bool by_commas = row.find(',') != row.npos;
  cells_.clear();
  for (;;) {
    const std::size_t quoted = quoted_size(row);
    const std::size_t end = by_commas ? row.find(',', quoted) : row.find_first_of(blanks, quoted);
    const std::string_view cell = trimmed(row.substr(0, end));
    const bool is_quoted = quoted > 0 && cell.size() == quoted;
    cells_.push_back(is_quoted ? cell.substr(1, quoted - 2) : cell);
    if (end == row.npos) return;
    row = row.substr(end + 1);
    if (!by_commas) row = trimmed(row);
  }
}

double finite_number(std::string_view cell, const InputError::Where& where,
                     std::string_view remedy) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
    throw InputError(where, fmt::format("'{}' is no finite number", cell), std::string(remedy));
  }
  return value;
}

}  // namespace warpath::formats

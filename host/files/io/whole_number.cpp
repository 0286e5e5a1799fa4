#include "host/files/io/whole_number.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace warpath::io {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Removes the underscores that stand between digits.
std::string without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool is_between =
        k > 0 && k + 1 < text.size() && is_digit(text[k - 1]) && is_digit(text[k + 1]);
    if (text[k] != '_' || !is_between) plain += text[k];
  }
  return plain;
}

// Takes the power of ten off the end of a number: 9 of 1.5e9 and of 1.5G, else 0.
std::optional<std::uint32_t> take_power(std::string& number) {
  constexpr std::string_view prefixes = "kMGT";
  if (number.empty()) return std::nullopt;
  const std::size_t prefix = prefixes.find(number.back() == 'K' ? 'k' : number.back());
  if (prefix != prefixes.npos) {
    number.pop_back();
    return 3 * static_cast<std::uint32_t>(prefix + 1);
  }
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  std::string_view exponent = std::string_view(number).substr(e);
  if (exponent.empty()) return 0;
  exponent.remove_prefix(exponent.starts_with("e+") || exponent.starts_with("E+") ? 2 : 1);
  std::uint32_t power = 0;
  const char* const last = exponent.data() + exponent.size();
  const auto [end, error] = std::from_chars(exponent.data(), last, power);
  if (error != std::errc{} || end != last) return std::nullopt;
  number.resize(e);
  return power;
}

}  // namespace

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || std::to_string(number) != text) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  constexpr std::uint32_t max_power = 100;
  std::string number = without_underscores(text);
  const std::optional<std::uint32_t> power = take_power(number);
  if (!power || *power > max_power) return std::nullopt;
  const std::size_t point = number.find('.');
  const std::string whole = number.substr(0, point);
  std::string fraction = point != number.npos ? number.substr(point + 1) : "0";
  const bool has_leading_zero = whole.size() > 1 && whole[0] == '0';
  if (whole.empty() || fraction.empty() || has_leading_zero) return std::nullopt;
  fraction.resize(fraction.find_last_not_of('0') + 1);
  if (fraction.size() > *power) return std::nullopt;
  std::string digits = whole + fraction + std::string(*power - fraction.size(), '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return parse_whole_number(digits);
}

}  // namespace warpath::io

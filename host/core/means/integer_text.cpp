#include "host/core/means/integer_text.hpp"

#include <algorithm>

#include "kernels/metrics/fixed_point.hpp"

namespace warpath::means {
namespace {

__extension__ using Unsigned = unsigned __int128;

constexpr Unsigned sign_bit = Unsigned{1} << 127;

}  // namespace

std::string decimal(const Statistics::Integer& integer) {
  auto magnitude = static_cast<Unsigned>(kernels::joined(integer.high, integer.low));
  const bool is_negative = (magnitude & sign_bit) != 0;
  if (is_negative) magnitude = -magnitude;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (is_negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

std::optional<Statistics::Integer> integer_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  Unsigned magnitude = 0;
  const Unsigned max_magnitude = is_negative ? sign_bit : sign_bit - 1;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (magnitude > (max_magnitude - digit) / 10) return std::nullopt;
    magnitude = 10 * magnitude + digit;
  }
  const Unsigned bits = is_negative ? -magnitude : magnitude;
  const Statistics::Integer integer{static_cast<std::uint64_t>(bits),
                                    static_cast<std::uint64_t>(bits >> 64)};
  // Leading zeros, "-0" and the empty text are not what decimal() writes.
  return decimal(integer) == text ? std::optional(integer) : std::nullopt;
}

}  // namespace warpath::means

#include "host/io/whole_number.hpp"

#include <charconv>
#include <string>

namespace warpath {

std::optional<std::uint64_t> parse_whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || std::to_string(number) != text) return std::nullopt;
  return number;
}

}  // namespace warpath

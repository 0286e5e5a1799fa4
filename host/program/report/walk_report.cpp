#include "host/program/report/walk_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/io/whole_number.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns the number of the first walk of a shard; that of the one behind the last is `walks`.
std::uint64_t first_of(std::uint64_t walks, std::uint64_t number, std::uint64_t of) {
  return static_cast<std::uint64_t>(Wide{walks} * (number - 1) / of);
}

}  // namespace

std::uint64_t WalkReport::first() const {
  return shard ? first_of(walks, shard->number, shard->of) : 0;
}

std::uint64_t WalkReport::count() const {
  return shard ? first_of(walks, shard->number + 1, shard->of) - first() : walks;
}

WalkShard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = io::parse_whole_number(std::string_view(text).substr(0, slash));
  const auto of =
      io::parse_whole_number(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !of || *number == 0 || *number > *of) {
    throw UsageError(fmt::format(
        "--shard: '{}' is not k/n with k from 1 to n, such as 1/4, 2/4, 3/4 and 4/4", text));
  }
  return {*number, *of};
}

std::string shard_text(const WalkShard& shard) {
  return fmt::format("{}/{}", shard.number, shard.of);
}

}  // namespace warpath::report

#include "host/files/formats/dump_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "host/files/io/counted.hpp"
#include "host/files/io/whole_number.hpp"

namespace warpath::formats {
namespace {

// More are no number of processes, but part of a date, such as _2024-11.json.
constexpr std::uint64_t max_chunks = 1024;

// A file's name around its numbers: "val_unseen_", 3, "-", 0, ".json".
struct ChunkName {
  std::string before, between, after;
  std::uint64_t first = 0, second = 0;
  bool is_rank = false;  // the first number is the chunk's own

  std::uint64_t of() const { return is_rank ? second : first; }
  std::uint64_t number() const { return is_rank ? first : second; }
  std::string with(std::uint64_t number) const {
    return is_rank ? fmt::format("{}{}{}{}{}", before, number, between, second, after)
                   : fmt::format("{}{}{}{}{}", before, first, between, number, after);
  }
};

// Takes a number from the end of the text; one with leading zeros is none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const std::size_t begin = text.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const auto number = io::parse_whole_number(text.substr(begin));
  if (number) text = text.substr(0, begin);
  return number;
}

bool take(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::optional<ChunkName> parse_chunk(const std::string& file) {
  std::string_view rest = file;
  take(rest, ".gz");
  if (!take(rest, ".jsonl") && !take(rest, ".json")) return std::nullopt;
  ChunkName name;
  name.after = file.substr(rest.size());
  const auto second = take_number(rest);
  if (!second) return std::nullopt;
  name.second = *second;
  for (const std::string_view between : {"-", "_w"}) {
    std::string_view before = rest;
    if (!take(before, between)) continue;
    const auto first = take_number(before);
    name.is_rank = between == "_w";
    if (!first || !before.ends_with(name.is_rank ? "_r" : "_")) continue;
    name.first = *first;
    name.between = between;
    name.before = before;
    if (name.of() <= max_chunks && name.number() < name.of()) return name;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> missing_chunks(std::span<const std::string> files) {
  using Run = std::tuple<std::string, std::string, std::string, std::uint64_t>;
  std::map<Run, std::pair<ChunkName, std::set<std::uint64_t>>> runs;
  for (const std::string& file : files) {
    const auto chunk = parse_chunk(file);
    if (!chunk) continue;
    auto& [name, numbers] = runs[{chunk->before, chunk->between, chunk->after, chunk->of()}];
    name = *chunk;
    numbers.insert(chunk->number());
  }
  std::vector<std::string> missing;
  for (const auto& [run, chunks] : runs) {
    const auto& [name, numbers] = chunks;
    for (std::uint64_t k = 0; k < name.of(); ++k) {
      if (!numbers.contains(k)) missing.push_back(name.with(k));
    }
  }
  return missing;
}

std::string mixed_runs(std::span<const std::string> files) {
  std::map<std::tuple<std::string, std::string, std::string>, std::map<std::uint64_t, std::string>>
      runs;  // of a name: a file for each number of ranks
  for (const std::string& file : files) {
    const auto chunk = parse_chunk(file);
    if (chunk) runs[{chunk->before, chunk->between, chunk->after}].emplace(chunk->of(), file);
  }
  for (const auto& [name, by_count] : runs) {
    if (by_count.size() < 2) continue;
    return fmt::format(
        "{} and {} are of one name but of {} and {} ranks: files of an older run may "
        "be left",
        by_count.begin()->second, by_count.rbegin()->second, by_count.begin()->first,
        by_count.rbegin()->first);
  }
  return "";
}

std::string missing_ids(const std::vector<std::string>& ids) {
  constexpr std::size_t max_named = 5;
  std::vector<std::uint64_t> numbers;
  for (const std::string& id : ids) {
    const auto number = io::parse_whole_number(id);
    if (!number) return "";
    numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() < 2) return "";
  const std::uint64_t missing = numbers.back() - numbers.front() - (numbers.size() - 1);
  if (missing == 0 || missing > numbers.size()) return "";
  std::string named;
  std::size_t count = 0;
  for (std::size_t k = 1; k < numbers.size() && count < max_named; ++k) {
    for (std::uint64_t id = numbers[k - 1] + 1; id < numbers[k] && count < max_named; ++id) {
      named += fmt::format("{}{}", count++ == 0 ? "" : ", ", id);
    }
  }
  return fmt::format("{} between {} and {} {} not there: {}{}", io::counted(missing, "id"),
                     numbers.front(), numbers.back(), missing == 1 ? "is" : "are", named,
                     count < missing ? ", …" : "");
}

}  // namespace warpath::formats

#include "host/files/formats/sub_instructions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpath::formats {
namespace {

// Returns the two numbers of a range. @param where names the range
std::pair<std::size_t, std::size_t> range_of(json::Value value, std::size_t size,
                                             const InputError::Where& where) {
  const json::Array pair = as_array(value, where);
  std::uint64_t first = 0, last = 0;
  const bool are_two = pair.size() == 2 && pair.at(0).get(first) && pair.at(1).get(last);
  if (!are_two || first < 1 || last < first || last > size) {
    throw InputError(where, fmt::format("is no range of the path's {} viewpoints", size),
                     "write [first, last], counted from 1");
  }
  return {first, last};
}

std::vector<SubInstruction> of_ranges(json::Object entry, const InputError::Where& where) {
  const json::Value path = require(entry, "path", where);
  const std::size_t size = as_array(path, {where.file, where.item, "path"}).size();
  const json::Array views =
      as_array(find_key(entry, "chunk_view").value, {where.file, where.item, "chunk_view"});
  std::vector<SubInstruction> parts;
  int instruction = 0;
  for (const json::Value ranges : views) {
    int number = 0;
    const std::string field = fmt::format("chunk_view[{}]", instruction);
    for (const json::Value range : as_array(ranges, {where.file, where.item, field})) {
      const auto [first, last] =
          range_of(range, size, {where.file, where.item, fmt::format("{}[{}]", field, number)});
      parts.push_back({.suffix = fmt::format("_{}_{}", instruction, number++),
                       .instruction = instruction,
                       .key = "path",
                       .path = path,
                       .first = first - 1,
                       .count = last - first + 1});
    }
    ++instruction;
  }
  return parts;
}

std::vector<SubInstruction> of_paths(json::Object entry, const InputError::Where& where) {
  const json::Array paths =
      as_array(find_key(entry, "sub_paths").value, {where.file, where.item, "sub_paths"});
  std::vector<std::string_view> texts(paths.size());
  if (const auto [value, count] = find_key(entry, "sub_instructions"); count > 0) {
    const json::Array given = as_array(value, {where.file, where.item, "sub_instructions"});
    if (given.size() != paths.size()) {
      throw InputError(
          {where.file, where.item, "sub_paths"},
          fmt::format("has {} paths for {} sub-instructions", paths.size(), given.size()),
          "repair the entry: each sub-instruction has one");
    }
    std::ranges::transform(given, texts.begin(), &json::Value::text);
  }
  std::vector<SubInstruction> parts;
  for (const json::Value path : paths) {
    const std::size_t k = parts.size();
    parts.push_back(
        {.suffix = fmt::format("_{}", k), .key = "sub_paths", .path = path, .text = texts[k]});
  }
  return parts;
}

}  // namespace

std::vector<SubInstruction> sub_instructions(json::Object entry, const InputError::Where& where) {
  if (has_key(entry, "chunk_view")) return of_ranges(entry, where);
  if (has_key(entry, "sub_paths")) return of_paths(entry, where);
  throw InputError(where, "has no sub-instructions",
                   "leave --sub-instructions away; FGR2R has chunk_view, Landmark-RxR sub_paths");
}

void keep_last(NamedPaths& paths, std::size_t first, std::size_t count) {
  if (count == 0) return;
  const std::size_t begin = paths.offsets[paths.offsets.size() - 2];
  const auto from = paths.elements.begin() + static_cast<std::ptrdiff_t>(begin);
  paths.elements.erase(from, from + static_cast<std::ptrdiff_t>(first));
  paths.elements.resize(begin + count);
  paths.offsets.back() = paths.elements.size();
}

}  // namespace warpath::formats

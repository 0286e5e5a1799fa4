#include "host/files/formats/replay_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "host/files/formats/lines.hpp"
#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {
namespace {

// Returns the word behind a key, up to a blank or one of the ends; empty if the key is not there.
std::string_view word_behind(std::string_view line, std::string_view key, std::string_view ends) {
  const std::size_t found = line.find(key);
  if (found == line.npos) return {};
  std::string_view rest = line.substr(found + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest.substr(0, rest.find_first_of(ends));
}

// Returns a number as JSON writes it; nothing if the word is none.
std::optional<std::string> number_word(std::string_view word) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0.0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", number);
}

bool is_id_word(std::string_view word) {
  return !word.empty() && word.find_first_of("\"\\") == word.npos &&
         word.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == word.npos;
}

}  // namespace

std::string replay_log_lines(std::string_view text) {
  std::string json;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view id = word_behind(line, " id=", " :");
    if (!line.starts_with("ep") || !is_id_word(id)) continue;
    json += fmt::format("{{\"episode_id\":\"{}\"", id);
    const auto add = [&](std::string_view measure, const std::optional<std::string>& number) {
      if (number) json += fmt::format(",\"{}\":{}", measure, *number);
    };
    add("steps", number_word(word_behind(line, " steps=", " ")));
    const auto success = number_word(word_behind(line, " success=", " "));
    add("success", success ? success : number_word(word_behind(line, "ours/truth=", "/ ")));
    json += "}\n";
  }
  return json;
}

bool is_log(std::string_view path) {
  return path.ends_with(".log") || path.ends_with(".log.gz");
}

JsonFile read_log(const std::string& path, const io::Reading& reading) {
  std::string text = io::read_input(path, reading);
  std::string lines = replay_log_lines(text);
  if (lines.empty()) {
    const std::size_t first = text.find_first_not_of(json_spaces);
    if (first != text.npos && (text[first] == '{' || text[first] == '[')) {
      return {path, std::move(text)};
    }
    throw InputError({path}, "has no line of a replay, and is no JSON",
                     "name EmbodiedScore's log of a replay, or a result dump");
  }
  lines.reserve(lines.size() + io::input_padding);
  return {path, std::move(lines), io::content_hash(text)};
}

}  // namespace warpath::formats

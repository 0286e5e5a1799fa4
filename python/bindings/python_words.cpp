#include "python/bindings/python_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "host/core/base/suggest.hpp"
#include "python/bindings/settings.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"

namespace warpath::python {
namespace {

// Options with a keyword argument: its name, and the words that may follow as its value.
struct Option {
  std::string_view option, argument, values;
};

constexpr Option options[] = {
    {"graphs", "graphs", ""},
    {"dataset", "dataset", ""},
    {"metrics", "metrics", "METRICS"},
    {"merge", "merge", ""},
    {"strict", "strict", ""},
    {"reference", "ndh_reference", "path|planner|trusted|all"},
    {"objects", "objects", ""},
    {"coordinates", "coordinates", ""},
    {"ground-truth", "ground_truth", ""},
    {"task-success", "task_success", ""},
    {"distances", "distances", ""},
    {"navmesh", "navmesh", ""},
    {"habitat", "habitat", "0.1.7|0.3.4"},
    {"geodesic", "geodesic", "goal|all"},
    {"grid", "grid", ""},
    {"connect", "connect", "4|8|fmm"},
    {"snap", "snap", "NUMBER"},
    {"tours", "tours", ""},
    {"split", "split", ""},
    {"sub-instructions", "sub_instructions", ""},
    {"steps", "steps", "NUMBER"},
    {"steps-from", "steps_from", ""},
    {"heading-threshold", "heading_threshold", ""},
};

std::optional<std::pair<std::string, std::string_view>> find_option(std::string_view name) {
  const auto* option = std::ranges::find(options, name, &Option::option);
  if (option != std::end(options)) return std::pair(std::string(option->argument), option->values);
  const auto all = settings();
  const auto setting = std::ranges::find(all, name, &Setting::name);
  if (setting == all.end()) return std::nullopt;
  return std::pair(python_name(name), setting->values);
}

std::string_view word_at(std::string_view text, std::string_view ends) {
  return text.substr(0, std::min(text.find_first_of(ends), text.size()));
}

// Returns the value that a text begins with, as Python writes it; nothing if it begins with none.
std::optional<std::pair<std::string, std::size_t>> find_value(std::string_view text,
                                                              std::string_view values) {
  if (values == "METRICS") {
    const std::string_view word = word_at(text, " ;)");
    if (!find_metric(word_at(word, ","))) return std::nullopt;
    const std::string_view names = word.substr(0, word.find_last_not_of(',') + 1);
    return std::pair(fmt::format("\"{}\"", names), names.size());
  }
  const std::string_view word = word_at(text, " ,;)");
  if (values == "NUMBER") {
    const bool is_number =
        word == "N" || (!word.empty() && word.find_first_not_of("0123456789.") == word.npos);
    return is_number ? std::optional(std::pair(std::string(word), word.size())) : std::nullopt;
  }
  for (std::string_view left = values; !left.empty();) {
    const std::string_view value = word_at(left, "|");
    if (!word.empty() && word == value) {
      return std::pair(fmt::format("\"{}\"", word), word.size());
    }
    left.remove_prefix(std::min(value.size() + 1, left.size()));
  }
  return std::nullopt;
}

// Writes the values behind an option ("skip or zero") and returns how long they were.
std::size_t add_values(std::string& out, std::string_view text, std::string_view values) {
  std::size_t taken = 0;
  for (std::string_view link : {" ", ", ", " or "}) {
    if (taken == 0 && link != " ") break;
    while (text.substr(taken, link.size()) == link) {
      const auto value = find_value(text.substr(taken + link.size()), values);
      if (!value) break;
      out += taken == 0 ? "=" : link;
      out += value->first;
      taken += link.size() + value->second;
      if (link == " ") break;
    }
  }
  return taken;
}

}  // namespace

std::string in_python(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t dashes = std::min(message.find("--"), message.size());
    out += message.substr(0, dashes);
    message.remove_prefix(dashes);
    if (message.empty()) break;
    const bool begins = out.empty() || out.back() == ' ' || out.back() == '(';
    const std::string_view name =
        message.substr(2, message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2) - 2);
    const auto found = begins ? find_option(name) : std::nullopt;
    if (!found) {
      out += message.substr(0, 2);
      message.remove_prefix(2);
      continue;
    }
    out += found->first;
    message.remove_prefix(2 + name.size());
    message.remove_prefix(add_values(out, message, found->second));
  }
  return out;
}

}  // namespace warpath::python

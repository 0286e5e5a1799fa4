#include "host/files/formats/instruction_text.hpp"

#include <fmt/format.h>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

// Longer texts are no instructions; of these the beginning is enough.
constexpr std::size_t max_bytes = 20'000;

std::string bounded(std::string_view text) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // within a character
  return std::string(text.substr(0, end)) + "…";
}

std::string text_of(const KeyValue& found) {
  std::string_view text;
  if (found.count == 0 || !found.value.get(text)) return "";
  return bounded(text);
}

// Returns the text of element k: a string, or the longest of a list of strings.
std::string element_text(json::Array list, std::size_t k) {
  const auto element = list.at(k);
  std::string_view longest;
  json::Array parts;
  if (element.get(longest) || !element.get(parts)) {
    return bounded(longest);
  }
  for (const json::Value part : parts) {
    std::string_view text;
    if (part.get(text) && text.size() > longest.size()) longest = text;
  }
  return bounded(longest);
}

std::string dialogue_text(json::Object entry, json::Array messages) {
  std::string text = text_of(find_key(entry, "target"));
  if (!text.empty()) text = "target: " + text;
  for (const json::Value message : messages) {
    if (text.size() > max_bytes) break;
    json::Object object;
    if (!message.get(object)) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", text_of(find_key(object, "role")),
                        text_of(find_key(object, "message")));
  }
  return text;
}

}  // namespace

std::string instruction_text(json::Object entry, std::size_t k) {
  json::Array list;
  const KeyValue several = find_key(entry, "instructions");
  if (several.count > 0 && several.value.get(list)) {
    return element_text(list, k);
  }
  if (several.count > 0) return text_of(several);
  const KeyValue one = find_key(entry, "instruction");
  json::Object object;
  if (one.count > 0 && one.value.get(object)) {
    return text_of(find_key(object, "instruction_text"));
  }
  if (one.count > 0) return text_of(one);
  const KeyValue route = find_key(entry, "navigation_text");
  if (route.count > 0) return text_of(route);
  const KeyValue dialogue = find_key(entry, "dialog_history");
  if (dialogue.count == 0 || !dialogue.value.get(list)) {
    return text_of(find_key(entry, "target"));
  }
  return dialogue_text(entry, list);
}

}  // namespace warpath::formats

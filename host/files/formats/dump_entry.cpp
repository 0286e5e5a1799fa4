#include "host/files/formats/dump_entry.hpp"

#include <algorithm>
#include <filesystem>

#include "host/files/formats/dump_measures.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::formats {

bool has_measure(json::Object entry) {
  return std::ranges::any_of(entry, [](const auto& field) { return find_known(field.key); });
}

std::optional<json::Object> nested_info(json::Object entry) {
  const json::Value value = entry["info"];
  const auto info = object_in(value);
  return info && has_measure(*info) ? info : std::nullopt;
}

std::optional<json::Array> replay_episodes(json::Object root) {
  json::Array list;
  if (!root["episodes"].get(list) || list.size() == 0) return std::nullopt;
  return list;
}

std::string id_in_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  name.resize(name.find('.') == name.npos ? name.size() : name.find('.'));
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() ? name.substr(digits) : name;
}

}  // namespace warpath::formats

#include "host/files/formats/prediction_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

std::optional<json::Object> object_at(json::Array list, std::size_t position) {
  json::Object object;
  if (!list.at(position).get(object)) return std::nullopt;
  return object;
}

bool is_prediction(json::Object object) {
  return first_key(object, prediction_id_keys) && first_key(object, prediction_path_keys);
}

// Returns an entry's own id as text; empty if it has none.
std::string own_id(json::Object object) {
  const auto key = first_key(object, prediction_id_keys);
  if (!key) return "";
  const json::Value id = find_key(object, *key).value;
  return id.is_string() || id.is_integer() ? id_text(id, {}) : "";
}

}  // namespace

std::optional<std::string_view> first_key(json::Object object,
                                          const std::array<std::string_view, 3>& keys) {
  const auto it = std::ranges::find_if(keys, [&](auto key) { return has_key(object, key); });
  return it == keys.end() ? std::nullopt : std::optional(*it);
}

bool is_summary(json::Object entry) {
  for (const auto field : entry) {
    if (!field.value.is_number() && !is_not_finite(field.value)) return false;
  }
  return !first_key(entry, prediction_id_keys) && !first_key(entry, prediction_path_keys) &&
         entry.size() > 0;
}

bool is_list_of_predictions(std::string_view key, json::Value value) {
  json::Array list;
  if (!value.get(list)) return false;
  auto first = object_at(list, 0), second = object_at(list, 1);
  if (!first) return false;
  if (is_summary(*first) && second) first = std::exchange(second, object_at(list, 2));
  if (!is_prediction(*first) || own_id(*first) == key) return false;
  return !second || own_id(*second) != own_id(*first);
}

std::optional<std::string> wrapping_key(json::Object root, const std::string& file) {
  std::vector<std::string_view> keys;
  for (const auto field : root) {
    if (is_list_of_predictions(field.key, field.value)) keys.push_back(field.key);
  }
  if (keys.empty()) return std::nullopt;
  if (keys.size() == 1) return std::string(keys.front());
  throw InputError({file},
                   fmt::format("holds {} lists of predictions, under {}, {}{}", keys.size(),
                               keys[0], keys[1], keys.size() > 2 ? ", …" : ""),
                   "save the one that is to be scored as a file of its own");
}

std::optional<json::Object> instances_in(json::Object root) {
  const KeyValue found = find_key(root, "instances");
  const auto instances = found.count > 0 ? object_in(found.value) : std::nullopt;
  if (!instances || instances->size() == 0) return std::nullopt;
  const auto first = object_in((*instances->begin()).value);
  return first && has_key(*first, instance_path_key) ? instances : std::nullopt;
}

std::optional<json::Value> first_candidate(json::Value value) {
  json::Array list;
  if (!value.get(list)) return std::nullopt;
  const auto first = object_at(list, 0);
  if (!first || !has_key(*first, "trajectory")) return std::nullopt;
  return list.at(0);
}

}  // namespace warpath::formats

#include "host/files/formats/object_ids.hpp"

#include <fmt/format.h>

#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::formats {

std::optional<std::string> ObjectIds::read(json::Value entry, const std::string& id) {
  const auto [official, unofficial] = object_keys;
  const auto object = object_in(entry);
  if (!object) return std::nullopt;
  const bool is_official = has_key(*object, official);
  const bool is_unofficial = has_key(*object, unofficial);
  has_unofficial_ |= is_unofficial;
  if (!is_official && !is_unofficial) return std::nullopt;
  const std::string_view key = is_official ? official : unofficial;
  if (key_.empty()) key_ = key;
  const json::Value value = find_key(*object, key).value;
  if (value.is_null()) return "";
  if (!value.is_string() && !value.is_integer()) {
    unreadable_.add(id);
    return std::nullopt;
  }
  std::string text = id_text(value, {});
  return text == "-1" ? "" : text;
}

void ObjectIds::append(const ObjectIds& later) {
  if (key_.empty()) key_ = later.key_;
  has_unofficial_ |= later.has_unofficial_;
}

std::vector<std::string> ObjectIds::notes() const {
  std::vector<std::string> notes;
  if (has_unofficial_) {
    notes.emplace_back("the REVERIE server reads predObjId, and ignores pred_objid");
  }
  if (unreadable_.count > 0) {
    notes.push_back(
        fmt::format("{} is neither an integer nor a string in {}, and was not read there: {}", key_,
                    io::counted(unreadable_.count, "prediction"), unreadable_.examples));
  }
  return notes;
}

}  // namespace warpath::formats

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/io/counted_ids.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Keys of the object that an entry names, by precedence: REVERIE's server reads the first,
/// VLN-DUET writes the second.
inline constexpr std::array<std::string_view, 2> object_keys{"predObjId", "pred_objid"};

/// Reads the objects that the entries of one prediction file name as their targets.
class ObjectIds {
 public:
  /// Returns the object that an entry names: its id, "" if it names none (null or −1), or nothing
  /// if it has no such key, or neither an integer nor a string there.
  /// @param id of the entry, for notes
  std::optional<std::string> read(json::Value entry, const std::string& id);

  /// Takes what was read of the entries that follow. @pre all of them could be read
  void append(const ObjectIds& later);
  bool has_unreadable() const { return unreadable_.count > 0; }

  /// Returns the key of the first entry that has one; empty if none has.
  const std::string& key() const { return key_; }
  /// Returns how the ids were read, a sentence each.
  std::vector<std::string> notes() const;

 private:
  std::string key_;
  bool has_unofficial_ = false;
  io::CountedIds unreadable_;
};

}  // namespace warpath::formats

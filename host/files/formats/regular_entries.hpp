#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/files/formats/string_table.hpp"
#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Entries of annotations that list the instructions of a path of viewpoints.
struct RegularEntries {
  struct Entry {
    std::string_view id, scan;  ///< in the text that was read
    double heading = 0.0;       ///< as Item::heading
    std::uint32_t instructions = 0;
  };
  std::vector<Entry> entries;
  NamedPaths paths;  ///< of the entries, of numbers in `viewpoints`
  StringTable viewpoints;

  /// Forgets the entries and their paths, and keeps the viewpoints.
  void clear();
};

/// Reads a list of entries of the form that R2R's and R4R's files have, without a document of its
/// JSON, which takes several times as long: objects with `scan`, `path_id`, `path`, perhaps
/// `heading`, and a list of `instructions`, of which only the number is kept. What else they have
/// is passed over.
/// @param out has no entries yet
/// @returns false if the text has another form or a fault, which the reader of JSON says; then
/// `out` has some of it.
bool read_regular_entries(std::string_view text, RegularEntries& out);

}  // namespace warpath::formats

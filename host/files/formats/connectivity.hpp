#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath::formats {

/// An entry of a connectivity file.
struct ConnectivityEntry {
  std::string id;
  std::array<double, 3> position{};
  bool included = false;
  std::vector<char> unobstructed;  ///< by entry: 1 where it can be reached
};

/// Reads a connectivity file of the form that Matterport3DSimulator's have, without a document of
/// its JSON: nine tenths of it are true and false.
/// @returns nothing if the text has another form or a fault, which the reader of JSON says.
std::optional<std::vector<ConnectivityEntry>> read_regular_connectivity(std::string_view text);

/// Makes a scan of the included entries, with edges where `unobstructed`.
/// @throws InputError if its adjacency is not symmetric
std::unique_ptr<Scan> scan_of_entries(const std::vector<ConnectivityEntry>& all,
                                      const std::string& file, const std::string& scan);

}  // namespace warpath::formats

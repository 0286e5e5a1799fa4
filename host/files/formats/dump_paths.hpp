#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_paths.hpp"
#include "host/files/formats/result_dump.hpp"

namespace warpath::formats {

/// Collects the path of positions of each entry of result dumps, whatever its id is.
class DumpPaths {
 public:
  /// @param info what a VLN-PE entry nests its values in, and may hold the path
  void add(json::Object entry, const std::optional<json::Object>& info);

  /// Tells whether two entries have the same path, with its stop and its distances.
  bool are_equal(std::size_t a, std::size_t b) const;
  /// Keeps the paths of some entries, in this order.
  void keep(const std::vector<std::size_t>& kept);

  /// Returns the paths as predictions: number e is of episode e of the dump.
  /// @param has_path_keys ids are VLN-PE's, see trajectory_and_episode_key
  Predictions finish(const ResultDump& dump, bool has_path_keys);

 private:
  PositionData data_;
  PositionPathReader reader_{data_};
};

}  // namespace warpath::formats

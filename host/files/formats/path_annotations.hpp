#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

/// Holds one path of R2R with everything that its file says of it.
struct PathAnnotation {
  std::string path_id;                    ///< as JSON text: 5593, or "5593" with its quotes
  std::uint32_t scan;                     ///< number in PathAnnotations::scans
  double heading;                         ///< of the agent at the start, radians
  double distance;                        ///< the length that the file states, metres
  std::vector<std::string> path;          ///< ids of viewpoints
  std::vector<std::string> instructions;  ///< each as the inside of a JSON string, without quotes
};

struct PathAnnotations {
  std::string file;
  std::vector<std::string> scans;  ///< in the order of their first occurrence
  std::vector<PathAnnotation> paths;
  std::vector<std::string> notes;  ///< how the file was interpreted, one sentence each

  /// Returns the place of a path's key for messages.
  InputError::Where where(const PathAnnotation& path, std::string_view key = {}) const {
    return {file, "path " + path.path_id, std::string(key)};
  }
};

/// Reads the paths of R2R, or of another dataset that has R2R's keys: scan, path, path_id, heading,
/// distance and instructions. read_dataset() leaves out what scores do not need.
/// @param reading see read_input.
/// @throws InputError that names the path and the key at fault.
PathAnnotations read_path_annotations(const std::string& file, const io::Reading& reading = {});

}  // namespace warpath::formats

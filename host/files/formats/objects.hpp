#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpath::formats {

/// Describes the boxes that were read: which objects are visible from which viewpoints.
struct ObjectsFile {
  std::string path;
  /// Of what is visible from where in the dataset's scans. It is the same for both forms.
  std::string hash;
  bool is_version_1 =
      false;  ///< the boxes of the task's repository, over the scans of a whole split
  std::size_t scans = 0, viewpoints = 0;  ///< of the dataset's scans
  std::size_t visible = 0;                ///< pairs of a viewpoint and an object visible from it
  std::size_t hidden = 0;  ///< the same of objects that are listed without a view that shows them
  std::string description{};       ///< "targets of 36 items"; empty: of boxes
  std::vector<std::string> notes;  ///< what readers of the scores should know, a sentence each
};

}  // namespace warpath::formats

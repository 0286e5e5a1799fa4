#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "host/formats/predictions.hpp"

namespace warpath {

/// One viewpoint of a trajectory, with what scores never read.
struct Place {
  std::string_view viewpoint;
  std::array<double, 2> angles{};  ///< heading and elevation; 0 where there is no finite number
  bool first = true;               ///< of its inner list, the only one that R2R's server reads
};

/// A trajectory to the letter. Where a description is not empty it names the first such place.
struct Walk {
  std::vector<Place> places;  ///< every viewpoint named, in order
  std::string fault;          ///< no list of viewpoints: "trajectory[2] is null"
  std::string plain;          ///< a viewpoint without a list of its own
  std::string nested;         ///< an inner list of several viewpoints
  bool readable = true;       ///< false: some viewpoints may be missing from `places`
};

Walk read_walk(json::element trajectory);

/// The trajectories of a prediction file as they stand there. The file is read once more, because
/// scoring needs neither angles nor inner lists and its reader keeps neither.
class Submission {
 public:
  /// @throws InputError where the file is not the one that `predictions` were read from.
  explicit Submission(const Predictions& predictions);

  bool is_list() const { return is_list_; }
  /// @param entry counts like the entries of the predictions.
  Walk walk(std::size_t entry) const { return read_walk(trajectories_[entry]); }

 private:
  JsonFile document_;  // what the walks' viewpoints are views into
  bool is_list_;
  std::vector<json::element> trajectories_;
};

}  // namespace warpath

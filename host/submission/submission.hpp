#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/formats/predictions.hpp"

namespace warpath {

/// The trajectory of a prediction, as it stands in the file.
/// @pre the predictions keep their document.
json::element trajectory_in(const Predictions& predictions, const Prediction& prediction);

/// Writes predictions as a list of entries with `instr_id` and `trajectory`, each with all of its
/// other keys, in the order in which they are added. The text is JSON to the letter: a number that
/// is not finite becomes null.
class SubmissionWriter {
 public:
  /// @param keeps_id_key leave the id as it stands, under the key that the file has for it.
  SubmissionWriter(const Predictions& predictions, bool keeps_id_key)
      : predictions_(predictions), keeps_id_key_(keeps_id_key) {}

  /// Adds an entry whose id is unknown as it stands, but for the names of its keys.
  void add_unknown(const Prediction& prediction);
  /// Adds an entry under the dataset's id, with its trajectory as it stands.
  void add(const Prediction& prediction, std::string_view id);
  /// Adds an entry with these places as its trajectory. Where the file has an object for the
  /// trajectory, that object's other keys become the entry's.
  void add(const Prediction& prediction, std::string_view id, const TrajectoryDetails& details,
           const std::vector<TrajectoryStep>& places);

  std::uint64_t entries() const { return lines_.size(); }
  std::uint64_t nulls() const { return nulls_; }  ///< numbers that became null
  std::string text() const;

 private:
  struct Edit;
  void write(const Prediction& prediction, const Edit& edit);
  std::string json_of(json::element value);

  const Predictions& predictions_;
  bool keeps_id_key_;
  std::vector<std::string> lines_;
  std::uint64_t nulls_ = 0;
};

}  // namespace warpath

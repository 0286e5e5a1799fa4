#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/predictions.hpp"

namespace warpath::formats {
struct TrajectoryDetails;
struct TrajectoryStep;
}  // namespace warpath::formats

namespace warpath::submission {

/// Returns the trajectory of a prediction as it is in the file.
/// @pre the predictions keep their document.
json::Value trajectory_in(const formats::Predictions& predictions,
                          const formats::Prediction& prediction);

/// Writes predictions as a list of entries with `instr_id` and `trajectory`, each with all its
/// other keys, in the order in which they are added. The text is strict JSON: a number that is not
/// finite becomes null.
class SubmissionWriter {
 public:
  /// @param keeps_id_key keep the id and its key as they are in the file.
  /// @param renames_object write an entry's `pred_objid` as `predObjId` if it has none.
  SubmissionWriter(const formats::Predictions& predictions, bool keeps_id_key, bool renames_object)
      : predictions_(predictions), keeps_id_key_(keeps_id_key), renames_object_(renames_object) {}

  /// Adds an entry with an unknown id; only the names of its keys change.
  void add_unknown(const formats::Prediction& prediction);
  /// Adds an entry with the dataset's id and its trajectory unchanged.
  void add(const formats::Prediction& prediction, std::string_view id);
  /// Adds an entry with these steps as its trajectory. If the file has an object for the
  /// trajectory, the other keys of that object become the entry's.
  void add(const formats::Prediction& prediction, std::string_view id,
           const formats::TrajectoryDetails& details,
           const std::vector<formats::TrajectoryStep>& places);

  std::uint64_t entries() const { return lines_.size(); }
  std::uint64_t nulls() const { return nulls_; }  ///< numbers that became null
  std::string text() const;

 private:
  struct Edit;
  void write(const formats::Prediction& prediction, const Edit& edit);
  std::string json_of(json::Value value);

  const formats::Predictions& predictions_;
  bool keeps_id_key_, renames_object_;
  std::vector<std::string> lines_;
  std::uint64_t nulls_ = 0;
};

}  // namespace warpath::submission

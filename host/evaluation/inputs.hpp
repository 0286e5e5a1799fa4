#pragma once

#include <vector>

#include "host/formats/dataset.hpp"
#include "host/formats/graphs.hpp"
#include "host/formats/task_success.hpp"
#include "warpath/evaluate.hpp"

namespace warpath {

class Progress;

/// Says whether a command takes continuous episodes.
enum class EpisodeUse { refused, taken };

/// Holds all files of an evaluation, read and not yet matched.
struct Inputs {
  EvalFiles files;
  Graphs graphs;
  StringTable viewpoints;
  Dataset dataset;
  std::vector<Predictions> agents;
  std::vector<TaskSuccess> task_success;

  /// @param keep_documents keep the parsed prediction files too; see Predictions::document.
  /// @throws InputError, UsageError
  explicit Inputs(EvalFiles eval_files, bool keep_documents = false,
                  EpisodeUse episodes = EpisodeUse::refused);

  const TaskSuccess* success_of(std::size_t agent) const;

 private:
  void read_given(EpisodeUse episodes, const Reading& reading);
  void read_distance_files(const Reading& reading);
  void read_agents(bool keep_documents, const Reading& reading, Progress& progress);
};

/// Finds what an NDH item's reference is by its name: path, planner or trusted.
/// @throws UsageError that lists the names
NdhReference find_ndh_reference(const std::string& name);

}  // namespace warpath

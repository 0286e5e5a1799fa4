#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/objects.hpp"
#include "host/files/formats/task_success.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::base {
class Progress;
}  // namespace warpath::base

namespace warpath::evaluation {

/// Says whether a command takes continuous episodes.
enum class EpisodeUse { refused, taken };

/// Says what is kept of the files beyond what scores need.
struct Kept {
  bool documents = false;     ///< the parsed prediction files; see Predictions::document
  bool instructions = false;  ///< the texts of the dataset's instructions
};

/// Predictions of viewpoints in a program's memory, by the names of the files that they stand in
/// for.
using HeldPredictions = std::map<std::string, std::shared_ptr<formats::EarlyPredictions>>;

/// Holds all files of an evaluation, read and not yet matched.
struct Inputs {
  EvalFiles files;
  formats::Graphs graphs;
  formats::StringTable viewpoints;
  formats::Dataset dataset;
  std::optional<formats::ObjectsFile>
      objects;  ///< from which the dataset's goals are, if there is one
  std::vector<formats::Predictions> agents;
  std::vector<formats::TaskSuccess> task_success;

  /// @param held is used up
  /// @throws InputError, UsageError
  explicit Inputs(EvalFiles eval_files, Kept kept = {}, EpisodeUse episodes = EpisodeUse::refused,
                  const HeldPredictions& held = {});

  const formats::TaskSuccess* success_of(std::size_t agent) const;

  /// Takes predictions from a text in the place of all agents', with their document.
  /// @param name of the text, for messages and reports
  /// @throws InputError
  void replace_agents(const std::string& name, std::string text);

  /// Returns what the items refer to, one after the other: several where all references are kept,
  /// otherwise one.
  std::vector<formats::ReferenceChoice> references() const;
  /// Makes one of them the items' reference. Does nothing where there is only one.
  void refer_to(formats::ReferenceChoice reference);

 private:
  void read_boxes(const io::Reading& reading);
  void read_given(EpisodeUse episodes, const io::Reading& reading);
  void read_distance_files(const io::Reading& reading);
  using EarlyAgents = std::vector<std::optional<formats::EarlyPredictions>>;
  EarlyAgents read_dataset(const Kept& kept, const HeldPredictions& held,
                           const io::Reading& reading);
  void read_agents(EarlyAgents early, bool keep_documents, const io::Reading& reading,
                   base::Progress& progress);
  formats::Predictions read_agent(const std::string& file, bool keep_document,
                                  const io::Reading& reading);
  formats::Predictions matched(formats::Predictions predictions) const;
};

/// Finds which path is the reference by its name: path (or player), planner or trusted.
/// @throws UsageError that lists the names
formats::ReferenceChoice find_reference_choice(const std::string& name);

/// Returns the name of a reference for reports: player, planner or trusted. @pre not `all`
std::string_view name(formats::ReferenceChoice reference);

/// Refuses all references at once, for commands that need one. @throws UsageError
void require_one_reference(const EvalFiles& files);

}  // namespace warpath::evaluation

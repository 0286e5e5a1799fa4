#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/files/evaluation/grid_paths.hpp"
#include "host/files/evaluation/mesh_distances.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/objects.hpp"
#include "host/files/formats/task_success.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::base {
class Progress;
}  // namespace warpath::base

namespace warpath::evaluation {

/// Says whether a command takes continuous episodes: none, those whose distances to the goal are
/// measured over meshes or grids or given by a file, or all.
enum class EpisodeUse { refused, with_distances, taken };

/// Says what is kept of the files beyond what scores need.
struct Kept {
  bool documents = false;     ///< the parsed prediction files; see Predictions::document
  bool instructions = false;  ///< the texts of the dataset's instructions
};

/// Predictions in a program's memory, by the names of the files that they stand in for.
using HeldPredictions = std::map<std::string, std::shared_ptr<formats::EarlyPredictions>>;

/// Viewpoints without any edge that paths name, by scan.
using IsolatedViewpoints = std::map<const Scan*, std::set<formats::Token>>;

/// Says of all windows of a pairs file what is not in the last one.
struct PairTotals {
  std::size_t pairs = 0;
  IsolatedViewpoints isolated;
};

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
  std::optional<MeshDistances> meshes;  ///< that measured the distances to the goal, if any did
  std::optional<GridPaths> grids;       ///< to whose cells positions were snapped, if they were
  /// Of a pairs file that is scored in windows; nothing: all pairs are here.
  std::optional<PairTotals> windows;

  /// @param held is used up
  /// @throws InputError, UsageError
  explicit Inputs(EvalFiles eval_files, Kept kept = {}, EpisodeUse episodes = EpisodeUse::refused,
                  const HeldPredictions& held = {});

  const formats::TaskSuccess* success_of(std::size_t agent) const;
  /// Returns the number of the dataset's items, here or not.
  std::size_t item_count() const { return windows ? windows->pairs : dataset.items.size(); }

  /// Reads the pairs file, and calls `use` with each of its windows in the place of all pairs.
  /// @returns false if the file has to be read whole: also where `use` returned false or threw an
  /// InputError, whose message would be about one window
  bool for_each_window(const std::function<bool()>& use);
  /// Reads all pairs. @throws InputError
  void read_whole_pairs(const io::Reading& reading);

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
  void read_pairs(const io::Reading& reading);
  void read_points(const io::Reading& reading);
  void read_boxes(const io::Reading& reading);
  void read_given(EpisodeUse episodes, const io::Reading& reading);
  void read_tours(const io::Reading& reading);
  void read_distance_files(const io::Reading& reading);
  void measure_over_meshes(const io::Reading& reading);
  void snap_to_grids(const io::Reading& reading);
  using EarlyAgents = std::vector<std::optional<formats::EarlyPredictions>>;
  EarlyAgents read_dataset(const Kept& kept, const HeldPredictions& held,
                           const io::Reading& reading);
  void check_held(const HeldPredictions& held, const EarlyAgents& early) const;
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

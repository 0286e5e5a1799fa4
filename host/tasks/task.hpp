#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/json/json_fwd.hpp"
#include "warpath/error.hpp"
#include "warpath/metrics.hpp"

namespace warpath::evaluation {
struct Inputs;
struct PackedRun;
struct TaskPair;
}  // namespace warpath::evaluation

namespace warpath::formats {
class DatasetEntry;
class EntryReader;
class JsonFile;
class StringTable;
struct Dataset;
struct Item;
struct ObjectsFile;
struct Predictions;
}  // namespace warpath::formats

namespace warpath::io {
struct Reading;
}  // namespace warpath::io

namespace warpath::submission {
struct Server;
}  // namespace warpath::submission

namespace warpath {
struct ItemRow;
}

namespace warpath::tasks {

/// Reads the entries of a task that reads them in its own way, one after the other.
class OwnReader {
 public:
  virtual ~OwnReader() = default;
  /// @param place of the entry, for errors while its id is not known
  /// @throws InputError
  virtual void read(const json::Value& entry, const InputError::Where& place) = 0;
  /// Checks and notes what only all entries show. @throws InputError
  virtual void finish() = 0;
};

/// Describes a task: what is its own in annotations, predictions and scores. The rest of the
/// program asks a dataset's task, and names none. What a task does not have stays as it is here.
struct Task {
  std::string_view form;   ///< names its annotations on the command line: "vlnce"
  std::string_view title;  ///< of its annotations, for reports: "VLN-CE episodes"
  std::string_view name;   ///< as presets say it: "VLN-CE"; empty: several tasks have this form

  // Annotations. The keys of an entry tell of which task it is; see recognise_task.
  std::string_view scan{};  ///< of entries that name none; empty: they have to
  /// Names an object in an object, whose values are entries, too; empty: there is none.
  std::string_view values_key{};
  bool (*recognises)(const formats::DatasetEntry& first) = nullptr;
  /// Returns the key of an entry's id.
  std::string_view (*id_key)(const formats::DatasetEntry& entry) = nullptr;
  /// Adds the items of an entry.
  void (*read_entry)(formats::EntryReader& reader, const formats::DatasetEntry& entry) = nullptr;
  /// Reads what else an entry says of an item, before the item is added.
  void (*complete_item)(formats::EntryReader& reader, const formats::DatasetEntry& entry,
                        formats::Item& item) = nullptr;
  /// Checks and notes what only the whole dataset shows.
  void (*finish)(formats::Dataset& dataset) = nullptr;
  bool lists_instructions = false;  ///< an entry lists all instructions of its path
  bool has_references = false;      ///< --reference chooses among several paths of an entry
  bool has_parts = true;            ///< --sub-instructions takes the place of read_entry
  /// Returns the number of entries; null: those of the items that are their path's first.
  std::size_t (*count_entries)(const formats::Dataset& dataset) = nullptr;

  // A task without paths of viewpoints reads its entries in its own way, in the place of
  // read_entry. Its file is an object with a list of them, or the list.
  std::string_view list_key{};  ///< of the object
  /// Tells whether a list that begins with this entry is the task's.
  bool (*recognises_own)(const json::Object& first) = nullptr;
  /// Returns a reader of entries into the dataset, which has to outlive it.
  std::unique_ptr<OwnReader> (*make_reader)(formats::Dataset& dataset,
                                            bool keep_instructions) = nullptr;

  /// Name of the file that each item has in a folder of its own, where the annotations are a
  /// folder; the reader gets its root, and its path as the place. Empty: they are one file.
  std::string_view item_file{};
  /// Adds an agent's paths of positions from a folder.
  void (*read_results)(const std::string& folder, formats::Predictions& out,
                       const io::Reading& reading) = nullptr;
  /// Replaces the goals of positions by those of a file (--objects).
  formats::ObjectsFile (*read_goals)(const std::string& file, formats::Dataset& dataset,
                                     const io::Reading& reading) = nullptr;

  // A task whose annotations have a form of their own.
  /// Tells whether an object is such a file.
  bool (*recognises_file)(const json::Object& root) = nullptr;
  /// Reads it into a dataset that has its file and hash.
  /// @param split of a file with several; empty: it has one
  void (*read_file)(const formats::JsonFile& document, const std::string& split,
                    formats::Dataset& dataset) = nullptr;

  /// Replaces the references by those of a file (--ground-truth).
  void (*read_ground_truth)(const std::string& file, formats::Dataset& dataset,
                            const io::Reading& reading) = nullptr;

  /// Reads which objects are visible from where, and makes the goals of it (--objects).
  formats::ObjectsFile (*read_objects)(const std::string& path, formats::Dataset& dataset,
                                       formats::StringTable& viewpoints,
                                       const io::Reading& reading) = nullptr;

  // Predictions.
  /// Reads a file of predictions of a form that only this task has, in the place of all others.
  formats::Predictions (*read_predictions)(const std::string& file, const formats::Dataset& dataset,
                                           const io::Reading& reading) = nullptr;
  /// Tells whether a trajectory has a form of the task's own.
  bool (*has_own_form)(const json::Value& trajectory) = nullptr;
  /// Adds to `out.trajectories` what an entry of this form has, before the entry is added.
  void (*read_trajectories)(const json::Value& trajectory, const std::string& id,
                            formats::Predictions& out, formats::StringTable& viewpoints) = nullptr;
  /// Says what becomes of this form where the dataset is of another task.
  std::string_view first_trajectory_note{};
  /// Gives predictions that were read as any form the ids of items.
  void (*match)(const formats::Dataset& dataset, formats::Predictions& predictions) = nullptr;

  // Scores.
  /// Returns the task's own metrics that these files allow.
  MetricSet (*metrics)(const evaluation::Inputs& inputs) = nullptr;
  /// Tells whether an agent's own metrics have values; null: they have.
  bool (*is_scored)(const formats::Predictions& predictions) = nullptr;
  /// Computes the task's own metrics of a pair, whose others are computed.
  void (*score)(const evaluation::TaskPair& pair) = nullptr;
  /// Marks the rows of items that lack what the task's own metrics need.
  void (*mark_rows)(const evaluation::Inputs& inputs, const formats::Predictions& predictions,
                    const evaluation::PackedRun& run, std::vector<ItemRow>& rows) = nullptr;
  const char* goals_key = "goals";  ///< where annotations name goals, for errors
  /// What a convention asks for that wants goal sets where there are none, and the remedy; empty:
  /// the task never has them.
  std::string_view without_goals{};
  /// Why RGS and RGSPL have no value where --objects is not given, and the remedy.
  std::string_view without_objects{};

  // Submissions.
  std::span<const submission::Server* const> servers{};  ///< by whose rules submissions are judged
  /// Returns that of a dataset; null: there is one.
  const submission::Server& (*choose_server)(const formats::Dataset& dataset) = nullptr;
  /// Says what another task's server, whose rules are used, does otherwise; empty: nothing.
  std::string_view server_note{};
  bool keeps_inst_idx = false;  ///< its own server reads inst_idx, which --fix keeps
};

}  // namespace warpath::tasks

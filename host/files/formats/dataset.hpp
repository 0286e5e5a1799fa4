#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/id_table.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/files/formats/tours.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/tasks/tasks.hpp"

namespace warpath::formats {

/// Chooses which path of an entry with several is its reference: the player's, the planner's, or
/// (trusted) the player's if it passes the planner's goal and otherwise the planner's; or keeps all
/// three, for Dataset::refer_to.
enum class ReferenceChoice { path, planner, trusted, all };

/// Holds the numbers of the paths that an item may refer to.
struct ReferencePaths {
  std::uint32_t path, planner, trusted;

  std::uint32_t of(ReferenceChoice choice) const {
    if (choice == ReferenceChoice::planner) return planner;
    return choice == ReferenceChoice::trusted ? trusted : path;
  }
};

/// Number of instructions that Matterport3DSimulator's eval.py scores of each path.
inline constexpr int first_instructions = 3;

/// Holds one instruction to score.
struct Item {
  std::string id;           ///< by which predictions name it
  std::uint32_t scan;       ///< number in Dataset::scans
  std::uint32_t reference;  ///< path in Dataset::references; equal paths of a scan share one number
  int instruction = 0;      ///< its number within its path
  std::string language{};   ///< "en-US"; empty if the dataset names none
  double heading = 0.0;     ///< of the agent at the start, radians clockwise from +y; 0: not named
  std::optional<std::uint32_t> goals{};  ///< its goal set in Dataset::goals, if it has one
  std::optional<Token> planner_goal{};   ///< the last viewpoint of a planner's path, if it has one
  std::string object{};                  ///< id of the target; empty: none
};

struct Dataset {
  std::string file, hash;
  const tasks::Task* task = &tasks::no_task;
  bool is_snapped =
      false;              ///< paths are also of viewpoints: the cells that are nearest to positions
  bool is_pairs = false;  ///< entry k of the predictions is of item k, which may share its id
  std::vector<std::string> scans;
  std::vector<Item> items;
  NamedPaths references;
  /// Sets of viewpoints where items succeed (see Goal): regions, or the viewpoints that a target is
  /// visible from.
  NamedPaths goals;
  /// Of each goal set, a box for each of its viewpoints; a viewpoint may be there twice. Empty: the
  /// task has none.
  std::vector<std::vector<TargetBox>> boxes;
  /// Of continuous episodes, which have no viewpoints unless they are snapped; of pairs of points
  /// the references alone.
  std::optional<EpisodeData> episodes{};
  std::vector<std::string> instructions;  ///< text by item, "" if it has none; if they are kept
  bool is_lines = false;                  ///< the file is JSON Lines
  bool has_integer_ids = false;           ///< its ids are integers, not strings
  std::vector<std::string> notes;         ///< how the file was interpreted, one sentence each
  io::CountedIds short_lists;             ///< entries that list fewer than first_instructions
  std::optional<Tours> tours{};           ///< of which the items are episodes, if there are any
  std::vector<ReferencePaths> all_references;  ///< by item; empty unless all are kept
  std::optional<IdTable> ids{};                ///< of the items, which all differ; see ItemFinder

  /// Tells whether paths are positions, which are on no graph.
  bool has_positions() const { return episodes && !is_snapped; }
  /// Makes one of the three paths the reference of each item. @pre all are kept
  void refer_to(ReferenceChoice which);
};

/// Says which items and references an annotation file stands for.
struct DatasetChoice {
  ReferenceChoice reference = ReferenceChoice::path;
  bool sub_instructions = false;   ///< items are the sub-instructions of FGR2R or Landmark-RxR
  bool keep_instructions = false;  ///< keep their texts, which scores do not need
  std::string split{};             ///< of a file with several; empty: it has one

  DatasetChoice(ReferenceChoice choice, bool parts = false, bool keep_texts = false)
      : reference(choice), sub_instructions(parts), keep_instructions(keep_texts) {}
};

/// Numbers scans in the order of their first occurrence.
class ScanNumbers {
 public:
  explicit ScanNumbers(std::vector<std::string>& scans) : scans_(scans) {}

  std::uint32_t number(std::string_view scan) {
    const Token number = table_.intern(scan);
    if (number == scans_.size()) scans_.emplace_back(scan);
    return number;
  }

 private:
  std::vector<std::string>& scans_;
  StringTable table_;
};

/// Returns the list of a dataset's entries.
/// @throws InputError if the file is no such list, or an empty one
json::Array dataset_entries(const JsonFile& document);

/// Reads a dataset. Continuous episodes have their reference_path for a reference.
/// @param forced the task; null: it is derived from the first item's keys.
/// @param reading see read_input, likewise below.
/// @throws InputError that names the item and the key at fault, or if there is no item.
Dataset read_dataset(const std::string& file, const tasks::Task* forced,
                     const DatasetChoice& choice, StringTable& viewpoints,
                     const io::Reading& reading = {});

/// Holds a pairs file: one object {"id", "scan", "reference": […], "prediction": […]} per line.
/// Entry k of the predictions belongs to item k.
struct PairsFile {
  Dataset dataset;
  Predictions predictions;
};
PairsFile read_pairs(const std::string& file, StringTable& viewpoints,
                     const io::Reading& reading = {});

/// Reads a pairs file whose paths are lists of [x, y, z]. The dataset has the references as
/// episodes without starts and goals, and the predictions have positions.
/// @throws InputError
PairsFile read_point_pairs(const std::string& file, const io::Reading& reading = {});

/// Uses the pairs of a window; returns false to end the reading.
using UsePairs = std::function<bool(PairsFile&)>;

/// Reads a pairs file in windows of at least `min_pairs` pairs (the last may have fewer), and calls
/// `use` with each. Scans and references are numbered as read_pairs() does, and stay; of items and
/// predictions there are those of one window.
/// @param pairs holds what was read; at the end the notes and the hash, too
/// @returns false if `use` did, or the file has to be read whole: see read_in_chunks, or two pairs
/// have one id
bool read_pair_windows(const std::string& file, PairsFile& pairs, StringTable& viewpoints,
                       const io::Reading& reading, std::size_t min_pairs, const UsePairs& use);

}  // namespace warpath::formats

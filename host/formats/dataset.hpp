#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/formats/predictions.hpp"
#include "host/io/counted_ids.hpp"

namespace warpath {

enum class DatasetFormat {
  r2r,
  r4r,
  reverie,
  ndh,
  rxr,     ///< one instruction per entry, by instruction_id
  single,  ///< one instruction per entry, by instr_id (*_enc.jsonl)
  soon,    ///< several paths and boxes per instruction, by instr_id
  vlnce,   ///< continuous episodes (VLN-CE, RxR-CE)
  pairs,   ///< cannot be chosen: a pairs file is not a dataset
};

/// Chooses which path of an NDH item is its reference: the player's, the planner's, or (trusted)
/// the player's if it passes the planner's goal and otherwise the planner's; or keeps all three,
/// for Dataset::refer_to.
enum class NdhReference { path, planner, trusted, all };

std::string_view title(DatasetFormat format);
/// Returns the name of the task whose annotations have the format: "R2R", "VLN-CE"; empty where
/// several tasks have it.
std::string_view task_of(DatasetFormat format);
std::optional<DatasetFormat> find_dataset_format(std::string_view name);
std::vector<std::string_view> dataset_format_names();

/// Tells whether an entry of the format lists all instructions of its path.
bool lists_instructions(DatasetFormat format);

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
  std::optional<Token> planner_goal{};   ///< NDH: the last viewpoint of the planner's path
  std::string object{};                  ///< REVERIE: id of the target; empty: none
};

struct Dataset {
  std::string file, hash;
  DatasetFormat format = DatasetFormat::r2r;
  std::vector<std::string> scans;
  std::vector<Item> items;
  NamedPaths references;
  /// Sets of viewpoints where items succeed (see Goal): NDH's regions, and the viewpoints that a
  /// target is visible from.
  NamedPaths goals;
  /// SOON: of each goal set, a box for each of its viewpoints; a viewpoint may be there twice.
  std::vector<std::vector<TargetBox>> boxes;
  std::optional<EpisodeData> episodes{};  ///< of continuous episodes, which have no viewpoints
  std::vector<std::string> instructions;  ///< text by item, "" if it has none; if they are kept
  bool is_lines = false;                  ///< the file is JSON Lines
  bool has_integer_ids = false;           ///< SOON: its instr_id are integers, not strings
  std::vector<std::string> notes;         ///< how the file was interpreted, one sentence each
  CountedIds short_lists;                 ///< entries that list fewer than first_instructions
  /// By item of NDH: the player's, the planner's and the trusted path. Empty unless all are kept.
  std::vector<std::array<std::uint32_t, 3>> ndh_references;

  /// Makes one of the three paths the reference of each item. @pre all are kept
  void refer_to(NdhReference which);
};

/// Says which items and references an annotation file stands for.
struct DatasetChoice {
  NdhReference ndh_reference = NdhReference::path;
  bool sub_instructions = false;   ///< items are the sub-instructions of FGR2R or Landmark-RxR
  bool keep_instructions = false;  ///< keep their texts, which scores do not need

  DatasetChoice(NdhReference reference, bool parts = false, bool keep_texts = false)
      : ndh_reference(reference), sub_instructions(parts), keep_instructions(keep_texts) {}
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
json::array dataset_entries(const JsonFile& document);

/// Reads a dataset. Continuous episodes have their reference_path for a reference.
/// @param forced the format; absent: it is derived from the first item's keys.
/// @param reading see read_input, likewise below.
/// @throws InputError that names the item and the key at fault, or if there is no item.
Dataset read_dataset(const std::string& file, std::optional<DatasetFormat> forced,
                     DatasetChoice choice, StringTable& viewpoints, const Reading& reading = {});

/// Holds a pairs file: one object {"id", "scan", "reference": […], "prediction": […]} per line.
/// Entry k of the predictions belongs to item k.
struct PairsFile {
  Dataset dataset;
  Predictions predictions;
};
PairsFile read_pairs(const std::string& file, StringTable& viewpoints, const Reading& reading = {});

}  // namespace warpath

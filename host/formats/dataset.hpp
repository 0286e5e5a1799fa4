#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/formats/predictions.hpp"

namespace warpath {

enum class DatasetFormat {
  r2r,
  r4r,
  reverie,
  ndh,
  rxr,     ///< an instruction an entry, by instruction_id
  single,  ///< an instruction an entry, by instr_id (*_enc.jsonl)
  pairs,   ///< not to be chosen: a pairs file is no dataset
};

/// Which path of an NDH item is its reference: the player's, the planner's, or the player's where
/// it passes the planner's goal and else the planner's (trusted).
enum class NdhReference { path, planner, trusted };

std::string_view title(DatasetFormat format);
std::optional<DatasetFormat> find_dataset_format(std::string_view name);
std::vector<std::string_view> dataset_format_names();

/// One instruction to score.
struct Item {
  std::string id;           ///< what predictions name it by
  std::uint32_t scan;       ///< number in Dataset::scans
  std::uint32_t reference;  ///< path in Dataset::references; equal paths of a scan are one
  int instruction = 0;      ///< its number among the instructions of its path
  std::string language{};   ///< "en-US"; empty where the dataset names none
};

struct Dataset {
  std::string file, hash;
  DatasetFormat format = DatasetFormat::r2r;
  std::vector<std::string> scans;
  std::vector<Item> items;
  NamedPaths references;
  bool is_lines = false;           ///< the file is JSON Lines
  std::vector<std::string> notes;  ///< what was taken for what, a sentence each
};

/// Numbers scans in the order in which they are first met.
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

/// @param forced read as this format; nothing: tell it from the first item's keys.
/// @param max_bytes see read_input, likewise below.
/// @throws InputError that names the item and the key at fault.
Dataset read_dataset(const std::string& file, std::optional<DatasetFormat> forced,
                     NdhReference ndh_reference, StringTable& viewpoints,
                     std::uint64_t max_bytes = 0);

/// A pairs file: one object {"id", "scan", "reference": […], "prediction": […]} per line. Entry k
/// of the predictions belongs to item k.
struct PairsFile {
  Dataset dataset;
  Predictions predictions;
};
PairsFile read_pairs(const std::string& file, StringTable& viewpoints, std::uint64_t max_bytes = 0);

}  // namespace warpath

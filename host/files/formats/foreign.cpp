#include "host/files/formats/foreign.hpp"

#include <span>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

struct KeyedKind {
  std::string_view key;
  io::FileKind kind;
};

constexpr std::string_view as_episodes =
    "name it as --dataset, and behind it predictions of positions";
constexpr std::string_view as_ground_truth =
    "name it as --ground-truth, and its episodes as --dataset";
constexpr std::string_view to_episodes = "name the episodes that it is of as --dataset";
constexpr std::string_view to_aggregate = "warpath aggregate averages such statistics";
constexpr std::string_view as_r2r =
    "write its paths as an R2R dataset: path_id, scan, path, instructions";
constexpr std::string_view as_submission = "write entries of instr_id and trajectory";

constexpr io::FileKind episodes{"a VLN-CE dataset (episodes of positions, no viewpoints)",
                                as_episodes};
constexpr io::FileKind ground_truth{"VLN-CE's ground truth (locations, no viewpoints)",
                                    as_ground_truth};
constexpr io::FileKind statistics{"statistics of VLN-CE episodes, without paths", to_aggregate};
constexpr io::FileKind submission{"a VLN-CE submission (positions, no viewpoints)", to_episodes};
constexpr io::FileKind connectivity{"a connectivity graph", "name its folder by --graphs"};
constexpr io::FileKind bare_boxes{"a SOON dataset without scan and path",
                                  "give each annotation instr_id, scan, path and bboxes"};

constexpr KeyedKind datasets[] = {
    {"episodes", episodes},
    {"reference_path", episodes},
    {"locations", ground_truth},
    {"main_pano", {"a dataset of Touchdown (targets in panoramas)", as_r2r}},
    {"bboxes", bare_boxes},
    {"image_id", connectivity},
};

// Files whose entries have no scan.
constexpr KeyedKind not_datasets[] = {
    {"demonstration_id",
     {"an RxR follower file: paths that people walked, without scans",
      "name it as predictions, and the guide file as the dataset"}},
    {"trajectory", {"a prediction file", "name it behind the dataset"}},
    {"pred_path", {"a prediction file", "name it behind the dataset"}},
};

// Files whose entries have no path.
constexpr KeyedKind not_predictions[] = {
    {"episodes", episodes},
    {"locations", ground_truth},
    {"route_panoids", {"routes of Touchdown or map2seq", "name them by --dataset"}},
    {"main_pano", {"targets of Touchdown", as_submission}},
    {"target", {"targets of Touchdown", as_submission}},
    {"bboxes", {"a SOON dataset", "name it by --dataset"}},
    {"image_id", connectivity},
    {"distance_to_goal", statistics},
};

// Objects in the place of a path of positions.
constexpr KeyedKind not_positions[] = {
    {"locations", ground_truth},
    {"success", statistics},
    {"spl", statistics},
};

std::optional<io::FileKind> first_of(std::span<const KeyedKind> kinds, json::Object object) {
  for (const KeyedKind& k : kinds) {
    if (has_key(object, k.key)) return k.kind;
  }
  return std::nullopt;
}

bool is_number(json::Value value) {
  double number;
  return value.get(number);
}

}  // namespace

std::optional<io::FileKind> foreign_dataset(json::Object object) {
  if (const auto kind = first_of(datasets, object)) return kind;
  return has_key(object, "scan") ? std::nullopt : first_of(not_datasets, object);
}

std::optional<io::FileKind> foreign_predictions(json::Object object) {
  return first_of(not_predictions, object);
}

std::optional<io::FileKind> foreign_positions(json::Object object) {
  if (has_key(object, "path") || has_key(object, "trajectory")) return std::nullopt;
  return first_of(not_positions, object);
}

std::optional<io::FileKind> foreign_path(json::Value path) {
  json::Array places, numbers;
  json::Object object;
  if (!path.get(places) || places.size() == 0) return std::nullopt;
  const json::Value first = places.at(0);
  const bool is_position = first.get(object) && has_key(object, "position");
  const bool is_point = first.get(numbers) && numbers.size() > 0 && is_number(numbers.at(0));
  return is_position || is_point ? std::optional(submission) : std::nullopt;
}

}  // namespace warpath::formats

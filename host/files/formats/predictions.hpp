#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/direction.hpp"
#include "host/files/formats/episode_data.hpp"
#include "host/files/formats/published_metrics.hpp"
#include "host/files/formats/string_table.hpp"
#include "host/files/formats/trajectory.hpp"
#include "host/files/io/input_file.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

class JsonFile;

/// Names the formats of prediction files.
enum class PredictionFormat {
  evalai,            ///< [{instr_id, trajectory: [[viewpoint, heading, elevation], …]}, …]
  viewpoints,        ///< the same with [viewpoint] or "viewpoint"
  nested,            ///< the same with [viewpoint, viewpoint, …] for each planner move (DUET)
  speaker_follower,  ///< {instr_id: {trajectory: …}, …}
  inst_idx,          ///< [{inst_idx, trajectory}, …] (NDH)
  instruction_id,    ///< {instruction_id, path: [viewpoint, …]} on each line (RxR)
  beams,             ///< {instr_id: [{trajectory: …}, …], …}; the first candidate is scored
  trajectories,      ///< [{instr_id, trajectory: {path: …} or [{path: …}, …]}, …]
  instances,         ///< {"instances": {instr_id: {agent_pano_path: …}, …}} (VELMA)
  positions,         ///< {episode: [{position, heading, stop}, …], …} (VLN-CE)
  points,            ///< {episode: [[x, y, z], …], …}
  position_lines,    ///< {instruction_id or episode_id, path: [[x, y, z], …]} on each line
};

/// Tells whether the paths of a format are positions instead of viewpoints.
bool is_of_positions(PredictionFormat format);

std::string_view name(PredictionFormat format);
std::string_view title(PredictionFormat format);
std::optional<PredictionFormat> find_prediction_format(std::string_view name);
std::vector<std::string_view> prediction_format_names();

struct Prediction {
  std::string id;
  Trajectory trajectory;
  const json::Value* entry = nullptr;    ///< in `Predictions::document`; null: not kept
  std::optional<Direction> direction{};  ///< where the agent says that the target is
  std::uint32_t part = 0;                ///< number of the trajectory within its entry
  /// The object that it names as the target; "" if it names none; nothing if it does not say.
  std::optional<std::string> object{};
};

/// The id_key of predictions whose ids are TRAJECTORY_EPISODE, as VLN-PE writes them.
inline constexpr std::string_view trajectory_and_episode_key = "path_key";

/// Holds one prediction file: the trajectories of one agent, or a shard of them.
struct Predictions {
  std::string file, hash;
  PredictionFormat format = PredictionFormat::evalai;
  std::string id_key = "instr_id", path_key = "trajectory";  ///< keys that the file uses
  bool is_lines = false;                                     ///< the file is JSON Lines
  std::vector<Prediction> entries;
  NamedPaths paths;
  std::vector<EntryTrajectory> trajectories;  ///< of entries with several, until Task::match
  std::string object_key;                    ///< under which entries name objects; empty: none does
  std::vector<std::string> object_notes;     ///< how objects were read, one sentence each
  std::vector<PublishedMetrics> published;   ///< by entry; empty: the file gives none
  std::optional<PositionData> positions{};   ///< the paths, if the format is of positions
  std::vector<std::string> notes;            ///< how the file was interpreted, one sentence each
  std::shared_ptr<const JsonFile> document;  ///< owns what the entries are; null: not kept

  /// Appends the entries of another shard, whose document is not kept.
  /// @throws InputError if its format differs; lists may differ in their paths' form.
  void append(const Predictions& shard);
};

/// Reads a prediction file.
/// @param forced the format; absent: it is derived from the content.
/// @param keep_document keep the parsed file and each prediction's entry in it: the whole entry
/// with its other keys, the value in a dict, or the candidate that is scored.
/// @param reading see read_input.
/// @throws InputError if the file as a whole is not a prediction file.
Predictions read_predictions(const std::string& file, std::optional<PredictionFormat> forced,
                             StringTable& viewpoints, bool keep_document = false,
                             const io::Reading& reading = {});

/// Predictions that were read before the viewpoints of other files had numbers.
struct EarlyPredictions {
  StringTable viewpoints;  ///< of their paths
  Predictions predictions;

  /// Numbers the viewpoints as other files do.
  Predictions numbered(StringTable& all_viewpoints) &&;
};

/// Reads the predictions of a large file in chunks, on all cores. Other files may be read at the
/// same time.
/// @returns nothing if read_predictions has to read the file, see read_in_chunks
std::optional<EarlyPredictions> read_early_predictions(const std::string& file,
                                                       std::optional<PredictionFormat> forced,
                                                       const io::Reading& reading = {});

/// Reads predictions from the text that a file has, or is to have.
/// @param name of the file, for messages and reports
/// @throws InputError as read_predictions
Predictions parse_predictions(std::string name, std::string text, StringTable& viewpoints);

}  // namespace warpath::formats

#include "host/files/formats/step_log.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "host/files/formats/positions.hpp"

namespace warpath::formats {
namespace {

constexpr std::string_view sample_key = "sample_idx", kind_key = "type";

bool is_of_means(const json::object& line) {
  const KeyValue kind = find_key(line, kind_key);
  std::string_view text;
  return kind.count > 0 && kind.value.get(text) == simdjson::SUCCESS &&
         text == "environment_summary";
}

class StepLogReader {
 public:
  explicit StepLogReader(Predictions& out) : out_(out), positions_(*out.positions) {}

  void read(const json::object& line, const InputError::Where& where) {
    if (is_of_means(line)) return;
    const InputError::Where at{where.file, where.item, std::string(sample_key)};
    std::string id = id_text(require(line, sample_key, where), at);
    if (out_.entries.empty() || id != out_.entries.back().id) {
      end_path();
      if (!seen_.insert(id).second) {
        throw InputError(at, fmt::format("goes back to sample {}, which has ended", id),
                         "keep the lines of one run, in one environment");
      }
      out_.entries.push_back({.id = std::move(id), .trajectory = {}});
      add(line, "start_position", where);
    }
    add(line, "final_position", where);
  }

  void end_path() {
    if (out_.entries.size() == positions_.paths.size()) return;
    out_.entries.back().trajectory.path = positions_.points.end_path();
    positions_.distances.end_path();
    positions_.paths.emplace_back();
  }

 private:
  void add(const json::object& line, std::string_view key, const InputError::Where& where) {
    positions_.points.elements.push_back(
        as_point(require(line, key, where), {where.file, where.item, std::string(key)}));
  }

  Predictions& out_;
  PositionData& positions_;
  std::unordered_set<std::string> seen_;  // samples
};

}  // namespace

bool is_step_log(const json::array& lines) {
  for (const json::element first : lines) {
    const auto line = object_in(first);
    return line &&
           (is_of_means(*line) || (has_key(*line, sample_key) && has_key(*line, "final_position")));
  }
  return false;
}

void read_step_log(const json::array& lines, const JsonFile& document, Predictions& out) {
  StepLogReader reader(out);
  std::size_t position = 0;
  for (const json::element line : lines) {
    const InputError::Where where{out.file, document.place(position++)};
    reader.read(as_object(line, where), where);
  }
  reader.end_path();
  out.format = PredictionFormat::position_lines;
  out.id_key = sample_key;
  out.path_key = "final_position";
  if (out.entries.empty()) {
    throw InputError({out.file}, "has lines of means alone, and no step of a sample",
                     "samples that stop at once have no line; name a log that has steps");
  }
  out.notes.emplace_back(
      "a log of steps: every sample is scored once, at its last step; the log's own means are over "
      "steps, and a sample that stops at once has no line");
}

}  // namespace warpath::formats

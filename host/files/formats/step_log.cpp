#include "host/files/formats/step_log.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "host/files/formats/positions.hpp"

namespace warpath::formats {
namespace {

constexpr std::string_view sample_key = "sample_idx", kind_key = "type",
                           start_key = "start_position", final_key = "final_position",
                           steps_key = "steps_taken";
constexpr std::string_view one_run = "keep the lines of one run, in one environment";

bool is_of_means(const json::Object& line) {
  const KeyValue kind = find_key(line, kind_key);
  std::string_view text;
  return kind.count > 0 && kind.value.get(text) && text == "environment_summary";
}

class StepLogReader {
 public:
  explicit StepLogReader(Predictions& out) : out_(out), positions_(*out.positions) {}

  void read(const json::Object& line, const InputError::Where& where) {
    if (is_of_means(line)) return;
    const InputError::Where at{where.file, where.item, std::string(sample_key)};
    std::string id = id_text(require(line, sample_key, where), at);
    if (out_.entries.empty() || id != out_.entries.back().id) {
      end_path();
      if (!seen_.insert(id).second) {
        throw InputError(at, fmt::format("goes back to sample {}, which has ended", id), one_run);
      }
      out_.entries.push_back({.id = std::move(id), .trajectory = {}});
      start_ = point(line, start_key, where);
      positions_.points.elements.push_back(start_);
      steps_ = 0.0;
    } else {
      check_start(line, where);
    }
    check_steps(line, where);
    positions_.points.elements.push_back(point(line, final_key, where));
  }

  void end_path() {
    if (out_.entries.size() == positions_.paths.size()) return;
    out_.entries.back().trajectory.path = positions_.points.end_path();
    positions_.distances.end_path();
    positions_.paths.emplace_back();
  }

 private:
  static Point point(const json::Object& line, std::string_view key,
                     const InputError::Where& where) {
    return as_point(require(line, key, where), {where.file, where.item, std::string(key)});
  }

  // Logs of two runs or environments may meet at a sample of one number.
  void check_start(const json::Object& line, const InputError::Where& where) const {
    if (point(line, start_key, where) == start_) return;
    throw InputError(
        {where.file, where.item, std::string(start_key)},
        fmt::format("differs from that of sample {}'s first line", out_.entries.back().id),
        one_run);
  }

  void check_steps(const json::Object& line, const InputError::Where& where) {
    const KeyValue found = find_key(line, steps_key);
    if (found.count == 0) return;
    const InputError::Where at{where.file, where.item, std::string(steps_key)};
    const double steps = as_number(found.value, at);
    if (steps <= steps_) {
      throw InputError(at,
                       fmt::format("is {}, and {} before it in sample {}", steps, steps_,
                                   out_.entries.back().id),
                       one_run);
    }
    steps_ = steps;
  }

  Predictions& out_;
  PositionData& positions_;
  std::unordered_set<std::string> seen_;  // samples
  Point start_{};                         // of the current sample
  double steps_ = 0.0;                    // taken by its last line
};

}  // namespace

bool is_step_log(const json::Array& lines) {
  for (const json::Value first : lines) {
    const auto line = object_in(first);
    return line &&
           (is_of_means(*line) || (has_key(*line, sample_key) && has_key(*line, final_key)));
  }
  return false;
}

void read_step_log(const json::Array& lines, const JsonFile& document, Predictions& out) {
  StepLogReader reader(out);
  std::size_t position = 0;
  for (const json::Value line : lines) {
    const InputError::Where where{out.file, document.place(position++)};
    reader.read(as_object(line, where), where);
  }
  reader.end_path();
  out.format = PredictionFormat::position_lines;
  out.id_key = sample_key;
  out.path_key = final_key;
  if (out.entries.empty()) {
    throw InputError({out.file}, "has lines of means alone, and no step of a sample",
                     "samples that stop at once have no line; name a log that has steps");
  }
  out.notes.emplace_back(
      "a log of steps: every sample is scored once, at its last step; the log's own means are over "
      "steps, and a sample that stops at once has no line");
}

}  // namespace warpath::formats

// UAV-ON: utils/classify_metric.py, for folders <scene>/[success_|oracle_]<scene>.json/task_*/. The
// folder's name is the outcome. A task has log/trajectory.jsonl, of which the last line counts, and
// object_description.json. What cannot be read there counts 0, or leaves its mean.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "host/files/aggregate/folder_files.hpp"
#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

namespace uav_fs = std::filesystem;
using Kind = formats::DumpValue::Kind;

constexpr std::string_view flights_remedy =
    "name the folder of UAV-ON's logs: <scene>/[success_|oracle_]<scene>.json/task_<number>/";

// The endings of which a share is printed.
constexpr std::string_view endings[]{"collision", "step limit", "stop"};

struct Outcome {
  std::string_view prefix;
  double success, oracle_success;
};
// In the order in which the program takes the folders.
constexpr Outcome outcomes[]{{"success_", 1.0, 1.0}, {"oracle_", 0.0, 1.0}, {"", 0.0, 0.0}};

bool is_task(const uav_fs::path& entry) {
  return entry.filename().string().starts_with("task_");
}

// Returns the text behind the last line feed but a closing one, as readlines()[-1] has it.
std::string last_line_of(std::string_view text, std::size_t& lines) {
  lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (!text.empty() && text.back() != '\n') ++lines;
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

struct LastState {
  bool is_there = false, has_lines = false;
  std::size_t lines = 0;
  std::unique_ptr<formats::JsonFile> json{};  // of the last line; null: it is no JSON

  formats::DumpValue value(std::string_view key) const {
    const auto object = json ? lone_object(*json) : std::nullopt;
    const auto found = object ? formats::find_key(*object, key) : formats::KeyValue{};
    return found.count == 0 ? formats::DumpValue{} : formats::dump_value(found.value);
  }
};

LastState read_last_state(const std::string& path, const io::Reading& reading, ProgramDump& dump) {
  LastState state;
  std::error_code error;
  state.is_there = uav_fs::is_regular_file(path, error);
  if (!state.is_there) return state;
  const std::string text = io::read_input(path, reading);
  dump.add_beside(path, io::content_hash(text));
  state.has_lines = !text.empty();
  std::string line = last_line_of(text, state.lines);
  if (state.has_lines) state.json = parse_document(path, std::move(line));
  return state;
}

// Says how a task ended: one of the endings, or another word, which no share counts.
std::string_view ending_of(const LastState& state) {
  constexpr double max_frame = 150.0;
  constexpr std::size_t max_lines = 151;
  if (!state.is_there) return "missing";
  if (!state.has_lines) return "unknown";
  if (!state.json || !lone_object(*state.json)) return "error";
  const formats::DumpValue collision = state.value("is_collision");
  if (collision.kind == Kind::other || (collision.is_number() && collision.number != 0.0)) {
    return endings[0];
  }
  const bool is_last_frame = state.value("frame").number == max_frame;
  return is_last_frame || state.lines == max_lines ? endings[1] : endings[2];
}

// What is not known stays absent: the rule leaves it out, `ours` refuses it.
void set_ending(const LastState& state, ProgramDump& dump) {
  const std::string_view ending = ending_of(state);
  for (const std::string_view name : endings) {
    if (std::ranges::find(endings, ending) == std::end(endings)) continue;
    dump.set(name, ending == name ? 1.0 : 0.0);
  }
  // An exception at the frame skips the length, too.
  const formats::DumpValue frame = state.value("frame"), length = state.value("move_distance");
  if (frame.is_number()) dump.set("steps", frame);
  if (length.is_number() && (frame.is_number() || frame.kind == Kind::absent)) {
    dump.set("PL", length);
  }
}

// Returns the geodesic distance and sets the group by size.
formats::DumpValue read_description(const std::string& path, const io::Reading& reading,
                                    ProgramDump& dump) {
  std::error_code error;
  if (!uav_fs::is_regular_file(path, error)) return {};
  std::string text = io::read_input(path, reading);
  dump.add_beside(path, io::content_hash(text));
  const auto file = parse_document(path, std::move(text));
  const auto root = file ? lone_object(*file) : std::nullopt;
  if (!root) return {};
  const auto size = formats::find_key(*root, "size");
  if (size.count > 0 && size.value.is_string()) {
    const std::string_view word = size.value.text();
    for (const std::string_view group : {"small", "mid", "big"}) {
      if (!dump.episode().group.empty() || word.find(group) == word.npos) continue;
      dump.episode().group = group;
    }
  }
  const auto info = formats::find_key(*root, "info");
  const auto object = info.count > 0 ? formats::object_in(info.value) : std::nullopt;
  const auto found = object ? formats::find_key(*object, "geodesic_distance") : formats::KeyValue{};
  return found.count == 0 ? formats::DumpValue{} : formats::dump_value(found.value);
}

// A success without a length or a distance counts 0, where Python's `if p and l and p > 0` fails.
void set_spl(bool is_success, const formats::DumpValue& length, const formats::DumpValue& geodesic,
             ProgramDump& dump) {
  if (!is_success) return dump.set("SPL", 0.0);
  if (length.kind == Kind::other || geodesic.kind == Kind::other) {
    dump.fail("TypeError", "has no number for move_distance or geodesic_distance");
  }
  const bool has_both = length.is_number() && geodesic.is_number();
  const double p = length.number, l = geodesic.number;
  if (has_both) dump.set("SPL", l != 0.0 && p > 0.0 ? l / python_max(p, l) : 0.0);
}

void add_task(const uav_fs::path& task, const std::string& scene, const Outcome& outcome,
              const DumpRequest& request, ProgramDump& dump) {
  dump.add_file(task.string(), io::content_hash(""), "a folder per task");
  dump.add_episode(task.filename().string(), scene);
  const LastState state =
      read_last_state((task / "log" / "trajectory.jsonl").string(), request.reading, dump);
  const formats::DumpValue geodesic =
      read_description((task / "object_description.json").string(), request.reading, dump);
  dump.set("SR", outcome.success);
  dump.set("OSR", outcome.oracle_success);
  dump.set("DTS", state.value("distance_to_end"));
  set_spl(outcome.success == 1.0, state.value("move_distance"), geodesic, dump);
  set_ending(state, dump);
}

std::string folder_of(const Outcome& outcome, const std::string& scene) {
  return fmt::format("{}{}.json", outcome.prefix, scene);
}

// Returns the mean of the distances that are there; "N/A" where none is.
RuleMean mean_distance(const formats::ResultDump& dump, std::optional<std::string_view> group) {
  RuleMean mean{"DTS", {}, 0, 0, 0, {}};
  const formats::DumpMeasure& column = *dump.find("DTS");
  double sum = 0.0;
  for (std::size_t e = 0; e < column.values.size(); ++e) {
    if (group && dump.episodes[e].group != *group) continue;
    const bool is_there = column.values[e].is_number();
    if (is_there) sum += column.values[e].number;
    ++(is_there ? mean.n : mean.dropped);
  }
  if (mean.n > 0) mean.mean = sum / static_cast<double>(mean.n);
  return mean;
}

// Returns SPL over all tasks: what has no value counts 0.
RuleMean mean_spl(const formats::ResultDump& dump, std::optional<std::string_view> group) {
  RuleMean mean = sum_over_sum(dump, "SPL", group);
  const std::uint64_t all = sum_over_sum(dump, "SR", group).n;
  mean.mean =
      (mean.n == 0 ? 0.0 : *mean.mean * static_cast<double>(mean.n)) / static_cast<double>(all);
  mean.zeroed = all - mean.n;
  mean.dropped = 0;
  mean.n = all;
  mean.divisor.reset();
  return mean;
}

// Returns the exception of a distance that is no number, or of none at all; or nothing.
std::string find_no_distance(const formats::ResultDump& dump) {
  const formats::DumpMeasure& column = *dump.find("DTS");
  const auto has = [&](Kind kind) {
    return std::ranges::find(column.values, kind, &formats::DumpValue::kind);
  };
  if (const auto other = has(Kind::other); other != column.values.end()) {
    return exception_at(dump, "TypeError", static_cast<std::size_t>(other - column.values.begin()),
                        "has no number for distance_to_end");
  }
  return has(Kind::number) != column.values.end()
             ? ""
             : "TypeError: no task has a distance_to_end, and printing their mean fails";
}

std::vector<RuleMean> means_in(const formats::ResultDump& dump,
                               std::optional<std::string_view> group) {
  return {sum_over_sum(dump, "SR", group), sum_over_sum(dump, "OSR", group),
          mean_distance(dump, group), mean_spl(dump, group)};
}

}  // namespace

bool recognizes_uavon(const DumpRequest& request) {
  if (request.words.size() != 1) return false;
  for (const uav_fs::path& scene : entries_of(request.words.front())) {
    for (const Outcome& outcome : outcomes) {
      const uav_fs::path folder = scene / folder_of(outcome, scene.filename().string());
      if (std::ranges::any_of(entries_of(folder), is_task)) return true;
    }
  }
  return false;
}

formats::ResultDump read_uavon(const DumpRequest& request) {
  const uav_fs::path root = only_folder(request, "uavon", flights_remedy);
  ProgramDump dump("uavon");
  for (const char* name : {"SR", "OSR", "DTS", "SPL"}) dump.declare(name, true);
  for (const uav_fs::path& scene : entries_of(root)) {
    const std::string name = scene.filename().string();
    for (const Outcome& outcome : outcomes) {
      for (const uav_fs::path& task : entries_of(scene / folder_of(outcome, name))) {
        if (is_task(task)) add_task(task, name, outcome, request, dump);
      }
    }
  }
  return dump.finish(request.words.front(), flights_remedy);
}

RuleResult apply_uavon(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "uavon")) return *failed;
  RuleResult result;
  const std::string no_distance = find_no_distance(dump);
  if (!no_distance.empty()) return {.means = {}, .failure = no_distance, .refusal = {}};
  result.means = means_in(dump, std::nullopt);
  for (const std::string_view name : {"steps", "PL", "collision", "step limit", "stop"}) {
    if (dump.find(name) != nullptr) result.means.push_back(sum_over_sum(dump, name));
  }
  for (const std::string_view group : {"small", "mid", "big"}) {
    const bool is_there = std::ranges::find(dump.episodes, group, &formats::DumpEpisode::group) !=
                          dump.episodes.end();
    if (is_there) result.groups.push_back({std::string(group), means_in(dump, group)});
  }
  return result;
}

}  // namespace warpath::aggregate

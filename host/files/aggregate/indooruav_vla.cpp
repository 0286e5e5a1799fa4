// IndoorUAV-Agent: eval_metric/vla_metric.py, for short flights: a folder of a file per flight, and
// the dataset's vla_ins/ and without_screenshot/. Its program passes over whatever raises an
// exception, and takes the mean of nDTW over flights that stop and are below 1.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/files/aggregate/folder_files.hpp"
#include "host/files/aggregate/pose_scores.hpp"
#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath::aggregate {
namespace {

namespace vla_fs = std::filesystem;

constexpr std::string_view vla_rule = "indooruav-vla";
constexpr std::string_view vla_remedy =
    "name the folder of an agent's short flights: trajectories/<flight>.json";
constexpr std::string_view dataset_remedy =
    "name the folder of IndoorUAV's data, with vla_ins/ and without_screenshot/";

constexpr std::size_t max_moves = 15;  // the poses behind these are not read

// Columns of the dump. A flight whose program raises an exception has no value of `stopped`.
constexpr const char* vla_columns[]{"NE", "SR", "nDTW", "angle", "stopped"};

std::size_t size_of(json::Array list) {
  return static_cast<std::size_t>(std::distance(list.begin(), list.end()));
}

Pose read_pose(json::Value value, bool is_exact, const InputError::Where& where) {
  const json::Array list = formats::as_array(value, where);
  const std::size_t size = size_of(list);
  if (size < 4 || (is_exact && size > 4)) {
    throw InputError(where, fmt::format("has {}, not [x, y, z, yaw]", io::counted(size, "number")),
                     "repair the flight");
  }
  std::array<double, 4> numbers{};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const formats::DumpValue number = formats::dump_value(list.at(k));
    if (!number.is_number()) {
      throw InputError(where, "has no number for x, y, z or yaw", "repair the flight");
    }
    numbers[k] = number.number;
  }
  return {{numbers[0], numbers[1], numbers[2]}, numbers[3]};
}

struct Query {
  std::vector<Pose> poses;
  bool is_stopped = false;
};

// Reads the poses behind the first, up to the stop: what is behind it is not looked at.
Query read_query(json::Value trajectory, const InputError::Where& where) {
  Query query;
  std::size_t k = 0;
  for (const json::Value value : formats::as_array(trajectory, where)) {
    const std::size_t number = k++;
    if (number == 0) continue;
    if (number > max_moves) break;
    const Pose pose =
        read_pose(value, false, {where.file, where.item, fmt::format("trajectory[{}]", number)});
    query.is_stopped = !query.poses.empty() && is_stop(query.poses.back(), pose);
    if (query.is_stopped) break;
    query.poses.push_back(pose);
  }
  if (query.poses.empty()) {
    throw InputError(
        where, fmt::format("has {}, of which the first is passed over", io::counted(k, "pose")),
        "fly it again");
  }
  return query;
}

// Returns the place that a Python slice begins or ends at.
std::size_t slice_bound(std::int64_t index, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  return static_cast<std::size_t>(
      std::clamp(index < 0 ? index + count : index, std::int64_t{0}, count));
}

// Returns "group/scene/flight/vla_ins_1.json", of which each name is one of a file.
std::string flight_of(std::string_view key, const InputError::Where& where) {
  key.remove_prefix(std::min(key.find_first_not_of('/'), key.size()));
  std::vector<std::string> names;
  while (names.size() < 4) {
    const std::size_t end = std::min(key.find('/'), key.size());
    names.emplace_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
    const bool is_name = !names.back().empty() && names.back() != "." && names.back() != ".." &&
                         names.back().find('\0') == std::string::npos;
    if (is_name) continue;
    throw InputError(where, "is not <group>/<scene>/<flight>/<instruction>.json",
                     "repair the file, or move it away");
  }
  return fmt::format("{}", fmt::join(names, "/"));
}

class ShortFlights {
 public:
  explicit ShortFlights(const DumpRequest& request) : request_(request), dump_(vla_rule) {
    for (const char* column : vla_columns) dump_.declare(column, true);
  }

  formats::ResultDump read(const vla_fs::path& folder) {
    for (const vla_fs::path& file : entries_of(folder)) {
      const std::string name = file.filename().string();
      std::error_code error;
      const bool is_flight = name.ends_with(".json") && name != "final_results.json" &&
                             vla_fs::is_regular_file(file, error);
      if (is_flight) add(file.string(), name);
    }
    add_notes();
    return dump_.finish(request_.words.front(), vla_remedy);
  }

 private:
  // What its program raises an exception at is an InputError here, and leaves the flight out.
  void add(const std::string& path, const std::string& name) {
    std::string text = io::read_input(path, request_.reading);
    dump_.add_file(path, io::content_hash(text), "a file per flight");
    dump_.add_episode(name);
    try {
      const formats::JsonFile file(path, std::move(text));
      score(file);
    } catch (const InputError& error) {
      if (unusable_.count == 0) first_fault_ = error.what();
      unusable_.add(dump_.episode().id);
    }
  }

  void score(const formats::JsonFile& file) {
    const auto result = lone_object(file);
    if (!result) throw InputError({file.path()}, "is no flight", "move it away");
    const InputError::Where at{file.path(), {}, "episode_key"};
    const std::string id = flight_of(
        formats::as_string(formats::require(*result, "episode_key", {file.path()}), at), at);
    dump_.episode().id = id;
    const InputError::Where where{file.path(), id, {}};
    const json::Value trajectory = formats::require(*result, "trajectory", where);
    const std::vector<Pose> reference = read_reference(id);
    const Query query = read_query(trajectory, {where.file, id, "trajectory"});
    set(id, score_poses(query.poses, reference), query.is_stopped);
  }

  void set(const std::string& id, const PoseScores& scores, bool is_stopped) {
    dump_.set("NE", scores.error);
    dump_.set("SR", scores.is_success ? 1.0 : 0.0);
    dump_.set("nDTW", scores.ndtw);
    dump_.set("angle", scores.angle);
    if (scores.has_overflowed) return overflowed_.add(id);
    dump_.set("stopped", is_stopped ? 1.0 : 0.0);
    if (!is_stopped) return unstopped_.add(id);
    if (scores.ndtw == 1.0) return perfect_.add(id);
    if (!(scores.ndtw < 1.0)) above_.add(id);
  }

  // Returns the frames that `source` names, from 1, as far as posture.json has them.
  std::vector<Pose> read_reference(const std::string& id) {
    const vla_fs::path root = request_.dataset, flight = vla_fs::path(id).parent_path();
    const formats::JsonFile instruction((root / "vla_ins" / id).string(), request_.reading);
    dump_.add_beside(instruction.path(), instruction.hash());
    const auto [first, last] = read_source(instruction, id);
    const vla_fs::path path = root / "without_screenshot" / flight / "posture.json";
    const formats::JsonFile posture(path.string(), request_.reading);
    dump_.add_beside(posture.path(), posture.hash());
    const json::Array frames = formats::as_array(posture.root(), {posture.path(), id});
    const std::size_t size = size_of(frames);
    const std::size_t begin = slice_bound(first - 1, size), end = slice_bound(last, size);
    std::vector<Pose> poses;
    std::size_t k = 0;
    for (const json::Value frame : frames) {
      const std::size_t number = k++;
      if (number < begin || number >= end) continue;
      poses.push_back(read_pose(frame, true, {posture.path(), id, fmt::format("[{}]", number)}));
      poses.back().yaw = poses.back().yaw * std::numbers::pi / 180.0;
    }
    if (poses.empty()) {
      throw InputError(
          {instruction.path(), id, "source"},
          fmt::format("is [{}, {}], but posture.json has the frames 1 to {}", first, last, size),
          "repair the dataset");
    }
    if (first < 1 || last > static_cast<std::int64_t>(size)) cut_.add(id);
    return poses;
  }

  static std::pair<std::int64_t, std::int64_t> read_source(const formats::JsonFile& instruction,
                                                           const std::string& id) {
    constexpr std::int64_t max_frame = std::int64_t{1} << 40;
    const InputError::Where where{instruction.path(), id, "source"};
    const json::Object object = formats::as_object(instruction.root(), {instruction.path(), id});
    const json::Array list =
        formats::as_array(formats::require(object, "source", {instruction.path(), id}), where);
    std::int64_t first = 0, last = 0;
    const bool is_read = list.at(0).get(first) && list.at(1).get(last);
    if (is_read && std::abs(first) < max_frame && std::abs(last) < max_frame) return {first, last};
    throw InputError(where, "is not [first frame, last frame]", "repair the dataset");
  }

  void add_notes() {
    const auto note = [&](const io::CountedIds& ids, std::string_view text) {
      if (ids.count == 0) return;
      dump_.add_note(fmt::format("{}: {} {}: {}", vla_rule, io::counted(ids.count, "flight"), text,
                                 ids.examples));
    };
    note(unusable_, "left out, as its program fails at what they have");
    if (unusable_.count > 0) dump_.add_note("the first of these: " + first_fault_);
    note(overflowed_, "left out, as exp of yaws that differ by over 2π overflows");
    note(unstopped_, "without a stop within 15 moves, left out of nDTW");
    note(perfect_, "with an nDTW of exactly 1, left out of it");
    note(above_, "with an nDTW above 1 or of NaN, left out of it");
    note(cut_, "whose source goes beyond posture.json, scored by the frames that are there");
  }

  const DumpRequest& request_;
  ProgramDump dump_;
  std::string first_fault_;
  io::CountedIds unusable_, overflowed_, unstopped_, perfect_, above_, cut_;
};

vla_fs::path trajectories_in(const vla_fs::path& folder) {
  std::error_code error;
  vla_fs::path inner = folder / "trajectories";
  return vla_fs::is_directory(inner, error) ? inner : folder;
}

// Returns the mean over the flights that the program counts; of nDTW over fewer.
RuleMean mean_of_flights(const formats::ResultDump& dump, std::string_view measure) {
  RuleMean mean{std::string(measure), {}, 0, 0, 0, {}};
  const auto &column = dump.find(measure)->values, &stopped = dump.find("stopped")->values;
  double sum = 0.0;
  for (std::size_t e = 0; e < column.size(); ++e) {
    const bool is_counted =
        stopped[e].is_number() &&
        (measure != "nDTW" || (stopped[e].number == 1.0 && column[e].number < 1.0));
    if (is_counted) sum += column[e].number;
    ++(is_counted ? mean.n : mean.dropped);
  }
  const bool is_printed = measure == "SR" || measure == "nDTW";  // then 0 where it has no flight
  if (mean.n > 0) mean.mean = sum / static_cast<double>(mean.n);
  if (mean.n == 0 && is_printed) mean.mean = 0.0;
  return mean;
}

}  // namespace

bool recognizes_indooruav_vla(const DumpRequest& request) {
  std::error_code error;
  return request.words.size() == 1 &&
         vla_fs::is_directory(vla_fs::path(request.dataset) / "vla_ins", error) &&
         vla_fs::is_directory(request.words.front(), error);
}

formats::ResultDump read_indooruav_vla(const DumpRequest& request) {
  if (request.dataset.empty()) {
    throw UsageError(
        fmt::format("--rules {} needs --dataset FOLDER: {}", vla_rule, dataset_remedy));
  }
  const vla_fs::path folder = only_folder(request, vla_rule, vla_remedy);
  for (const char* name : {"vla_ins", "without_screenshot"}) {
    std::error_code error;
    if (vla_fs::is_directory(vla_fs::path(request.dataset) / name, error)) continue;
    throw InputError({request.dataset}, fmt::format("has no folder {}", name),
                     std::string(dataset_remedy));
  }
  return ShortFlights(request).read(trajectories_in(folder));
}

RuleResult apply_indooruav_vla(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, vla_rule)) return *failed;
  RuleResult result;
  for (const char* column : vla_columns) result.means.push_back(mean_of_flights(dump, column));
  return result;
}

}  // namespace warpath::aggregate

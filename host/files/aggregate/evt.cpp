// EVT-Bench (TrackVLA): analyze_results.py, for a folder of <scene>/<id>.json. Numbers that are
// NaN, infinite or missing leave their own sum, so the numerator and the divisor of TR may lose
// different episodes.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "host/files/aggregate/folder_files.hpp"
#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

namespace evt_fs = std::filesystem;

constexpr std::string_view tracks_remedy =
    "name the folder of EVT-Bench's results: <scene>/<id>.json, or results/<scene>/<id>.json with "
    "track_episode_step/<scene>/<id>.json";
constexpr std::string_view recorded_folder = "track_episode_step";

bool is_result(const evt_fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with(".json") && name.find("info") == name.npos;
}

// Collects the results below a folder, scene by scene.
void collect_results(const evt_fs::path& folder, int depth, std::vector<evt_fs::path>& files) {
  constexpr int max_depth = 16;
  for (const evt_fs::path& entry : entries_of(folder)) {
    std::error_code error;
    if (evt_fs::is_symlink(entry, error) && evt_fs::is_directory(entry, error)) continue;
    if (!evt_fs::is_directory(entry, error)) {
      if (is_result(entry) && evt_fs::is_regular_file(entry, error)) files.push_back(entry);
    } else if (depth < max_depth && entry.filename() != recorded_folder) {
      collect_results(entry, depth + 1, files);
    }
  }
}

evt_fs::path results_in(const evt_fs::path& folder) {
  std::error_code error;
  evt_fs::path inner = folder / "results";
  return evt_fs::is_directory(inner, error) ? inner : folder;
}

// Returns the folder of recorded numbers of steps: in the named folder, or beside it.
evt_fs::path recorded_in(const evt_fs::path& folder) {
  std::error_code error;
  evt_fs::path inner = folder / recorded_folder;
  if (evt_fs::is_directory(inner, error)) return inner;
  return evt_fs::absolute(folder, error).lexically_normal() / ".." / recorded_folder;
}

// Sets a number as it is; a missing key leaves its sum. Null ends the program.
formats::DumpValue set_key(json::Object result, std::string_view key, std::string_view measure,
                           ProgramDump& dump) {
  const auto [value, count] = formats::find_key(result, key);
  const formats::DumpValue read = count == 0 ? formats::DumpValue{} : formats::dump_value(value);
  if (count > 0 && !read.is_number()) {
    dump.fail("TypeError",
              fmt::format("has {} for {}",
                          read.kind == formats::DumpValue::Kind::null ? "null" : "no number", key));
  }
  dump.set(measure, read);
  return read;
}

// Returns the larger one of an episode's steps and the recorded ones; NaN or infinity where the
// episode has no such number.
double count_steps(const evt_fs::path& recorded, double total, const io::Reading& reading,
                   ProgramDump& dump) {
  std::error_code error;
  if (!evt_fs::is_regular_file(recorded, error)) return total;
  if (!std::isfinite(total)) {
    dump.add_beside(recorded.string());
    return total;
  }
  const formats::JsonFile file(recorded.string(), reading);
  dump.add_beside(recorded.string(), file.hash());
  const auto object = formats::object_in(file.root());
  const auto steps = object ? formats::find_key(*object, "total_step") : formats::KeyValue{};
  const formats::DumpValue value =
      steps.count == 0 ? formats::DumpValue{} : formats::dump_value(steps.value);
  if (steps.count == 0) dump.fail("KeyError", "has no total_step in " + recorded.string());
  if (steps.count > 0 && !value.is_number()) {
    dump.fail("TypeError", "has no number for total_step in " + recorded.string());
  }
  return value.is_number() ? python_max(value.number, total) : total;
}

void set_result(json::Object result, const evt_fs::path& recorded, const io::Reading& reading,
                ProgramDump& dump) {
  set_key(result, "success", "SR", dump);
  set_key(result, "following_rate", "following_rate", dump);
  const formats::DumpValue following = set_key(result, "following_step", "following_step", dump);
  const formats::DumpValue total = set_key(result, "total_step", "total_step", dump);
  dump.set("TR", following, count_steps(recorded, total.number, reading, dump));
  set_key(result, "collision", "CR", dump);
}

// Returns the sum of what is finite; the other episodes count 0.
RuleMean share_of_files(const formats::ResultDump& dump, std::string_view measure) {
  RuleMean mean{std::string(measure), {}, dump.episodes.size(), 0, 0, {}};
  const bool is_truth = measure == "SR";
  double sum = 0.0;
  for (const formats::DumpValue& value : dump.find(measure)->values) {
    const bool is_taken = value.is_number() && (is_truth || std::isfinite(value.number));
    if (!is_taken) {
      ++mean.zeroed;
    } else {
      sum += is_truth ? (value.number != 0.0 ? 1.0 : 0.0) : value.number;  // NaN is true
    }
  }
  mean.mean = sum / static_cast<double>(mean.n);
  return mean;
}

RuleMean tracking_rate(const formats::ResultDump& dump) {
  RuleMean mean{"TR", {}, 0, 0, 0, {}};
  const formats::DumpMeasure& column = *dump.find("TR");
  double following = 0.0, steps = 0.0;
  for (std::size_t e = 0; e < column.values.size(); ++e) {
    const double added = column.values[e].number, count = column.counts[e];
    if (std::isfinite(added)) following += added;
    if (std::isfinite(count)) steps += count;
    ++(std::isfinite(added) && std::isfinite(count) ? mean.n : mean.dropped);
  }
  mean.mean = following / steps;
  mean.divisor = steps;
  return mean;
}

}  // namespace

bool recognizes_evt(const DumpRequest& request) {
  std::error_code error;
  const evt_fs::path folder = request.words.front();
  return request.words.size() == 1 && evt_fs::is_directory(folder, error) &&
         evt_fs::is_directory(folder / recorded_folder, error);
}

formats::ResultDump read_evt(const DumpRequest& request) {
  const evt_fs::path folder = only_folder(request, "evt", tracks_remedy);
  std::vector<evt_fs::path> files;
  collect_results(results_in(folder), 0, files);
  ProgramDump dump("evt");
  for (const char* name : {"SR", "TR", "CR"}) dump.declare(name, true);
  for (const evt_fs::path& path : files) {
    const formats::JsonFile file(path.string(), request.reading);
    const auto result = lone_object(file);
    if (!result)
      throw InputError({file.path()}, "is no result of an episode", std::string(tracks_remedy));
    const std::string scene = path.parent_path().filename().string();
    dump.add_file(file.path(), file.hash(), "a file per episode");
    dump.add_episode(path.stem().string(), scene);
    set_result(*result, recorded_in(folder) / scene / path.filename(), request.reading, dump);
  }
  return dump.finish(request.words.front(), tracks_remedy);
}

RuleResult apply_evt(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "evt")) return *failed;
  RuleResult result;
  result.means = {share_of_files(dump, "SR"), tracking_rate(dump), share_of_files(dump, "CR")};
  if (result.means[1].divisor == 0.0) {
    return {.means = {},
            .failure = "ZeroDivisionError: no episode has a finite total_step above 0",
            .refusal = {}};
  }
  return result;
}

}  // namespace warpath::aggregate

// ActiveVLN: eval/vlnce/analyze_results.py, for a file per run of an episode. Means are first over
// the runs of an id, then over the ids with as many runs, apart for each number of runs. Its
// bootstraps (best@k, worst@k) are left out.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "host/files/aggregate/folder_files.hpp"
#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath::aggregate {
namespace {

constexpr std::string_view runs_remedy =
    "name ActiveVLN's folder of results, whose log/ has stats_<episode>_<run>.json";

struct RunKey {
  std::string_view key, measure;
  bool is_whole = false;    // read by int(), which takes neither NaN nor infinity
  bool is_guarded = false;  // NaN and infinity count 0
};

// In the order in which the program reads a file; an exception skips the rest of it.
constexpr std::array<RunKey, 5> run_keys{{{"success", "SR", true, true},
                                          {"spl", "SPL", false, true},
                                          {"distance_to_goal", "NE", false, true},
                                          {"oracle_success", "OSR", true, true},
                                          {"path_length", "PL"}}};

std::vector<std::string> files_of(const std::string& word) {
  std::error_code error;
  const std::filesystem::path folder = word;
  if (!std::filesystem::is_directory(folder, error)) return {word};
  const bool has_log = std::filesystem::is_directory(folder / "log", error);
  std::vector<std::string> files;
  for (const std::filesystem::path& entry : entries_of(has_log ? folder / "log" : folder)) {
    if (std::filesystem::is_regular_file(entry, error)) files.push_back(entry.string());
  }
  if (files.empty()) throw InputError({word}, "has no file", std::string(runs_remedy));
  return files;
}

// Adds a file's run. A run without an id stays, for `ours`, under an empty one.
void add_run(const std::string& name, const io::Reading& reading, ProgramDump& dump,
             std::vector<std::string>& unreadable) {
  std::string text = io::read_input(name, reading);
  const std::string hash = io::content_hash(text);
  dump.add_file(name, hash, "a file per run");
  const auto file = parse_document(name, std::move(text));
  const auto run = file ? lone_object(*file) : std::nullopt;
  const auto id = run ? formats::find_key(*run, "id") : formats::KeyValue{};
  const bool has_id = id.count > 0 && (id.value.is_string() || id.value.is_integer());
  if (!has_id) unreadable.push_back(name);
  dump.add_episode(has_id ? formats::id_text(id.value, {name}) : "");
  for (const RunKey& key : run_keys) {
    const auto value = run ? formats::find_key(*run, key.key) : formats::KeyValue{};
    if (value.count > 0) dump.set(key.measure, formats::dump_value(value.value));
  }
}

struct RunValues {
  std::vector<std::string> ids;                            // of the runs
  std::array<std::vector<double>, run_keys.size()> lists;  // by run, as far as they were read
  std::array<std::uint64_t, run_keys.size()> zeroed{};
  std::string failure;
};

// Reads a value as the program does; nothing if that is an exception.
std::optional<double> taken(const RunKey& key, const formats::DumpValue& value) {
  if (!value.is_number()) return std::nullopt;
  if (key.is_whole) {
    return std::isfinite(value.number) ? std::optional(std::trunc(value.number)) : std::nullopt;
  }
  return key.is_guarded && !std::isfinite(value.number) ? 0.0 : value.number;
}

// Fills the lists of measures, from which an exception leaves out the rest of a run.
RunValues read_runs(const formats::ResultDump& dump) {
  RunValues runs;
  std::array<std::string, run_keys.size()> first_gap;
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    if (dump.episodes[e].id.empty()) continue;
    runs.ids.push_back(dump.episodes[e].id);
    std::string gap;
    for (std::size_t k = 0; k < run_keys.size(); ++k) {
      const formats::DumpMeasure* column = dump.find(run_keys[k].measure);
      const formats::DumpValue value = column == nullptr ? formats::DumpValue{} : column->values[e];
      const auto number = taken(run_keys[k], value);
      if (gap.empty() && !number) {
        const bool is_null_length =
            !run_keys[k].is_guarded && value.kind != formats::DumpValue::Kind::absent;
        gap = exception_at(dump, is_null_length ? "TypeError" : "IndexError", e,
                           fmt::format("has no usable {}: the lists of measures get out of step",
                                       run_keys[k].key));
      }
      if (!gap.empty()) {
        if (first_gap[k].empty()) first_gap[k] = gap;
        continue;
      }
      runs.lists[k].push_back(*number);
      runs.zeroed[k] += run_keys[k].is_guarded && !std::isfinite(value.number) ? 1 : 0;
    }
  }
  // A measure that no run has makes no list, which the program does not notice.
  for (std::size_t k = 0; k < run_keys.size() && runs.failure.empty(); ++k) {
    const bool is_typed = first_gap[k].starts_with("TypeError");
    if ((!runs.lists[k].empty() || is_typed) && !first_gap[k].empty()) runs.failure = first_gap[k];
  }
  return runs;
}

using RunsById = std::map<std::string, std::vector<std::size_t>>;

double mean_over(const std::vector<double>& list, const std::vector<std::size_t>& runs) {
  double sum = 0.0;
  for (const std::size_t run : runs) sum += list[run];
  return sum / static_cast<double>(runs.size());
}

// Returns the population's standard deviation, as NumPy's.
double deviation_over(const std::vector<double>& list, const std::vector<std::size_t>& runs) {
  const double mean = mean_over(list, runs);
  double sum = 0.0;
  for (const std::size_t run : runs) sum += (list[run] - mean) * (list[run] - mean);
  return std::sqrt(sum / static_cast<double>(runs.size()));
}

// Returns the means over the ids that have so many runs.
std::vector<RuleMean> means_at(const RunValues& values, const RunsById& by_id, std::size_t count,
                               decltype(&mean_over) of_runs) {
  std::vector<RuleMean> means;
  for (std::size_t k = 0; k < run_keys.size(); ++k) {
    if (values.lists[k].empty()) continue;
    RuleMean mean{std::string(run_keys[k].measure), {}, 0, 0, 0, {}};
    double sum = 0.0;
    for (const auto& [id, runs] : by_id) {
      if (runs.size() != count) continue;
      sum += of_runs(values.lists[k], runs);
      ++mean.n;
    }
    mean.mean = sum / static_cast<double>(mean.n);
    means.push_back(std::move(mean));
  }
  return means;
}

}  // namespace

formats::ResultDump read_activevln(const DumpRequest& request) {
  ProgramDump dump("activevln");
  for (const RunKey& key : run_keys) dump.declare(key.measure);
  std::vector<std::string> unreadable;
  for (const std::string& word : request.words) {
    for (const std::string& file : files_of(word)) {
      add_run(file, request.reading, dump, unreadable);
    }
  }
  if (!unreadable.empty()) {
    dump.add_note(
        fmt::format("no JSON or no id, so activevln leaves out: {}", io::first_ids(unreadable)));
  }
  return dump.finish(request.words.front(), runs_remedy);
}

RuleResult apply_activevln(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "activevln")) return *failed;
  const RunValues values = read_runs(dump);
  if (!values.failure.empty()) return {.means = {}, .failure = values.failure, .refusal = {}};
  RunsById by_id;
  for (std::size_t run = 0; run < values.ids.size(); ++run) by_id[values.ids[run]].push_back(run);
  std::map<std::size_t, std::size_t> counts;  // ids by number of runs
  for (const auto& [id, runs] : by_id) ++counts[runs.size()];
  RuleResult result;
  for (const auto& [count, ids] : counts) {
    std::vector<RuleMean> means = means_at(values, by_id, count, mean_over);
    if (counts.size() == 1) result.means = means;
    if (counts.size() == 1 && count == 1) break;
    result.groups.push_back({fmt::format("mean@{}", count), std::move(means)});
    if (count == 1) continue;
    result.groups.push_back(
        {fmt::format("std@{}", count), means_at(values, by_id, count, deviation_over)});
  }
  for (std::size_t k = 0, m = 0; k < run_keys.size() && m < result.means.size(); ++k) {
    if (!values.lists[k].empty()) result.means[m++].zeroed = values.zeroed[k];
  }
  return result;
}

}  // namespace warpath::aggregate

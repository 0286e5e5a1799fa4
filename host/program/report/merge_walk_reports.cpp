#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "host/core/definitions/presets.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/report/walk_report.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

// Lists what all shards of a run have in common, as text for messages.
Properties properties_of(const WalkReport& report) {
  std::vector<std::string> steps;
  for (const auto& [number, count] : report.steps) {
    steps.push_back(fmt::format("{}:{}", number, count));
  }
  std::vector<std::string_view> metrics;
  for (const Metric m : report.metrics) metrics.push_back(info(m).name);
  const bool is_double = report.statistics.precision == Precision::double_precision;
  const std::string preset(definitions::find_preset_use(report.convention.preset).preset);
  Properties properties{{"the number of walks", fmt::format("{}", report.walks)},
                        {"the seed", fmt::format("{}", report.seed)},
                        {"the number of shards", fmt::format("{}", report.shard->of)},
                        {"--sample", std::string(name(report.sample))},
                        {"the hash of the dataset", report.dataset_hash},
                        {"the reading of the dataset", report.dataset_description},
                        {"the hash of the graphs", report.graphs_hash},
                        {"the reading of the graphs", report.graphs_detection},
                        {"the number of references", fmt::format("{}", report.references)},
                        {"the counts of steps", fmt::format("{}", fmt::join(steps, " "))},
                        {"the precision", is_double ? "double" : "single"},
                        {"the preset", preset},
                        {"the list of metrics", fmt::format("{}", fmt::join(metrics, ","))}};
  for (const Setting& setting : settings()) {
    properties.emplace_back(fmt::format("--{}", setting.name), setting.get(report.convention));
  }
  return properties;
}

void check_is_shard(const WalkReport& report, const std::string& file) {
  if (!report.shard) {
    throw InputError({file}, "is the report of a whole run, not of a shard",
                     "leave it out, or score the run with --shard k/n");
  }
  if (report.is_complete()) return;
  throw InputError({file},
                   fmt::format("was interrupted after {} of {}", report.done(),
                               io::counted(report.count(), "walk")),
                   fmt::format("score --shard {} again", shard_text(*report.shard)));
}

void check_same_run(const WalkReport& report, const std::string& file, const WalkReport& first,
                    const std::string& first_file) {
  const Properties here = properties_of(report), there = properties_of(first);
  for (std::size_t p = 0; p < here.size(); ++p) {
    if (here[p].second == there[p].second) continue;
    throw InputError({file},
                     fmt::format("is a shard of another run: {} is {}, but {} in {}", here[p].first,
                                 here[p].second, there[p].second, first_file),
                     "merge the shards of one run");
  }
}

void check_all_there(const std::vector<WalkReport>& shards, const std::vector<std::string>& files) {
  std::map<std::uint64_t, std::string> file_of;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const auto [other, is_new] = file_of.emplace(shards[s].shard->number, files[s]);
    if (is_new) continue;
    throw InputError(
        {files[s]},
        fmt::format("is shard {} as {} is", shard_text(*shards[s].shard), other->second),
        "name each shard once");
  }
  constexpr std::size_t max_named = 5;
  const std::uint64_t of = shards.front().shard->of;
  std::vector<std::string> missing;
  for (std::uint64_t k = 1; k <= of && missing.size() <= max_named; ++k) {
    if (!file_of.contains(k)) missing.push_back(shard_text({k, of}));
  }
  if (missing.empty()) return;
  if (missing.size() > max_named) missing.back() = "…";
  throw InputError(
      {},
      fmt::format("{} of {} {} missing: {}", of - file_of.size(), io::counted(of, "shard"),
                  of - file_of.size() == 1 ? "is" : "are", fmt::join(missing, ", ")),
      "score them too, and name the files of all");
}

// Adds the statistics of a shard.
void add(const WalkReport& shard, const std::string& file, WalkReport& merged) {
  try {
    merged.statistics.merge(shard.statistics);
  } catch (const std::overflow_error&) {
    throw InputError({file}, "has sums that are too large to be added to those of other shards",
                     "this file or one of the others was changed: write them again");
  }
}

}  // namespace

WalkReport merge_walk_reports(const std::vector<WalkReport>& shards,
                              const std::vector<std::string>& files) {
  std::size_t first = 0;  // the shard whose names of files the report takes
  for (std::size_t s = 0; s < shards.size(); ++s) {
    check_is_shard(shards[s], files[s]);
    check_same_run(shards[s], files[s], shards.front(), files.front());
    if (shards[s].shard->number == 1) first = s;
  }
  check_all_there(shards, files);
  WalkReport merged = shards[first];
  for (std::size_t s = 0; s < shards.size(); ++s) {
    if (s != first) add(shards[s], files[s], merged);
  }
  merged.shard.reset();
  return merged;
}

}  // namespace warpath::report

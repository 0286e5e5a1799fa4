#include "warpath/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "host/cpu/tables.hpp"
#include "host/inputs.hpp"

namespace warpath {
namespace {

// "folder/agent.json.gz" → "agent".
std::string stem(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".jsonl"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

void name_runs(std::vector<Run>& runs) {
  for (Run& run : runs) run.name = stem(run.file);
  std::map<std::string, int> uses;
  for (const Run& run : runs) ++uses[run.name];
  for (Run& run : runs) {
    if (uses[run.name] > 1) run.name = run.file;
  }
}

std::string shards(const EvalFiles& files) {
  return files.merge ? fmt::format(" in {} shards", files.predictions.size()) : "";
}

void add(Summary& summary, const Run& run, const ItemRow& row, const Convention& convention) {
  ++summary.statuses[static_cast<std::size_t>(row.status)];
  if (!row.in_dataset || row.status == Status::not_scored) return;
  ++summary.items;
  for (const MetricInfo& m : metric_table()) {
    Aggregate& aggregate = summary.metrics[static_cast<int>(m.metric)];
    const double value = row.pair ? run.scores.at(m.metric, *row.pair)
                                  : std::numeric_limits<double>::quiet_NaN();
    const bool counts_as_zero =
        convention.missing == Missing::zero && m.unit == Unit::fraction && !std::isfinite(value);
    aggregate.add(counts_as_zero ? 0.0 : value);
  }
  if (!row.pair) return;
  const std::uint8_t rules = run.scores.zero_rules[*row.pair];
  summary.zero_spl += (rules & zero_spl) != 0;
  summary.zero_ls += (rules & zero_ls) != 0;
  summary.zero_sed += (rules & zero_sed) != 0;
}

}  // namespace

std::vector<Group> group(const Run& run, GroupBy by, const Convention& convention) {
  // Lengths are ordered as numbers, names by letter.
  std::map<std::pair<std::uint32_t, std::string>, Summary> groups;
  for (const ItemRow& row : run.rows) {
    if (!row.in_dataset) continue;
    auto key = by == GroupBy::length ? std::pair(row.n_reference, std::to_string(row.n_reference))
                                     : std::pair(0u, row.scan);
    add(groups[std::move(key)], run, row, convention);
  }
  std::vector<Group> result;
  for (auto& [key, summary] : groups) result.push_back({key.second, summary});
  return result;
}

Evaluator::Evaluator(EvalFiles files) : inputs_(std::make_unique<Inputs>(std::move(files))) {}
Evaluator::~Evaluator() = default;

std::vector<Run> Evaluator::evaluate(const Convention& convention, Backend backend) {
  Packer packer(inputs_->dataset, inputs_->graphs, inputs_->viewpoints);
  std::vector<Run> runs;
  for (std::size_t a = 0; a < inputs_->agents.size(); ++a) {
    const Predictions& agent = inputs_->agents[a];
    PackedRun packed = packer.pack(agent, convention, inputs_->success_of(a));
    Run run;
    run.file = agent.file;
    run.hash = agent.hash;
    run.format = name(agent.format);
    if (!inputs_->task_success.empty()) run.task_success_hash = inputs_->success_of(a)->hash;
    run.detection = inputs_->dataset.format == DatasetFormat::pairs
                        ? fmt::format("pairs, {}", agent.entries.size())
                        : fmt::format("{}, {} predictions{}", title(agent.format),
                                      agent.entries.size(), shards(inputs_->files));
    run.rows = std::move(packed.rows);
    run.scores = score(packed.batch, convention, backend);
    for (ItemRow& row : run.rows) {
      if (row.pair) row.status = first_of(row.status, run.scores.status[*row.pair]);
      add(run.summary, run, row, convention);
    }
    runs.push_back(std::move(run));
  }
  name_runs(runs);
  return runs;
}

std::size_t Evaluator::most_predictions() const {
  std::size_t most = 0;
  for (const Predictions& agent : inputs_->agents) most = std::max(most, agent.entries.size());
  return most;
}

const EvalFiles& Evaluator::files() const { return inputs_->files; }
std::string Evaluator::dataset_hash() const { return inputs_->dataset.hash; }
std::string Evaluator::graph_hash() const { return inputs_->graphs.hash(); }

std::string Evaluator::dataset_detection() const {
  const Dataset& d = inputs_->dataset;
  const std::string reference = d.format == DatasetFormat::ndh
                                    ? fmt::format(" (reference: {})", inputs_->files.ndh_reference)
                                    : "";
  return fmt::format("{}{}, {} items in {} {}", title(d.format), reference, d.items.size(),
                     d.scans.size(), d.scans.size() == 1 ? "scan" : "scans");
}

std::vector<std::string> Evaluator::notices() const {
  std::vector<std::string> notices;
  std::string isolated, large;
  const auto add = [](std::string& list, const Scan& scan, std::size_t viewpoints) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", scan.id(), viewpoints);
  };
  for (const Scan* scan : inputs_->graphs.scans()) {
    const std::size_t count = scan->isolated().size();
    if (count > 0) add(isolated, *scan, count);
    if (scan->size() > cpu::Tables::largest_scan) add(large, *scan, scan->size());
  }
  if (!large.empty()) {
    notices.push_back("scans of too many viewpoints for a table of all distances, whose items the "
                      "back end reference scores: " + large);
  }
  if (!isolated.empty()) {
    notices.push_back("viewpoints without any edge, which no path can use: " + isolated);
  }
  const NamedPaths& references = inputs_->dataset.references;
  bool only_starts = references.size() > 1;
  for (std::size_t r = 0; r < references.size(); ++r) only_starts &= references[r].size() == 1;
  if (only_starts) {
    notices.push_back("every reference has one viewpoint: a test split holds only the starts, so "
                      "these scores say nothing about its goals");
  }
  return notices;
}

}  // namespace warpath

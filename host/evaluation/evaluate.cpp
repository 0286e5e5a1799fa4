#include "warpath/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "host/batch/distance_tables.hpp"
#include "host/evaluation/inputs.hpp"
#include "host/evaluation/item_summary.hpp"
#include "host/evaluation/pack.hpp"
#include "host/evaluation/refusals.hpp"
#include "host/io/counted.hpp"
#include "warpath/scorer.hpp"

namespace warpath {
namespace {

// Returns the name of a file without its folder and endings: "folder/agent.json.gz" → "agent".
std::string stem(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".jsonl"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

// Names the agents. Without a given name it is the file's name, with its folder if two would be
// equal.
void name_runs(std::vector<AgentResult>& runs, const std::vector<std::string>& names) {
  std::map<std::string, int> uses;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const bool is_given = r < names.size() && !names[r].empty();
    runs[r].name = is_given ? names[r] : stem(runs[r].file);
    ++uses[runs[r].name];
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const bool is_given = r < names.size() && !names[r].empty();
    if (!is_given && uses[runs[r].name] > 1) runs[r].name = runs[r].file;
  }
}

std::string shards(const EvalFiles& files) {
  return files.merge ? fmt::format(" in {} shards", files.predictions.size()) : "";
}

std::string_view as_lines(bool is_lines) {
  return is_lines ? " (JSON Lines)" : "";
}

// Lists scans, each with its number of viewpoints, the first ones by name.
struct ScanList {
  std::string first;
  std::size_t scans = 0;

  void add(const Scan& scan, std::size_t viewpoints) {
    constexpr std::size_t max_named = 2;
    if (scans < max_named) {
      first += fmt::format("{}{} ({})", scans == 0 ? "" : ", ", scan.id(), viewpoints);
    }
    if (scans++ == max_named) first += ", …";
  }

  std::string text() const {
    return scans < 3 ? first : fmt::format("in {} scans, {}", scans, first);
  }
};

// Describes what is known of an agent's result before it is scored.
AgentResult describe(const Inputs& inputs, std::size_t agent) {
  const Predictions& predictions = inputs.agents[agent];
  AgentResult run;
  run.file = predictions.file;
  run.hash = predictions.hash;
  run.format = name(predictions.format);
  if (const TaskSuccess* success = inputs.success_of(agent)) run.task_success_hash = success->hash;
  run.format_description =
      inputs.dataset.format == DatasetFormat::pairs
          ? fmt::format("pairs, {}", predictions.entries.size())
          : fmt::format("{}{}, {}{}", title(predictions.format), as_lines(predictions.is_lines),
                        counted(predictions.entries.size(), "prediction"), shards(inputs.files));
  return run;
}

// Returns how files were read: each sentence once, after the names of the files that it applies to.
std::vector<std::string> reading_notes(const Inputs& inputs) {
  std::vector<std::pair<std::string, std::string>> files_of;  // by sentence
  const auto add = [&](const std::string& file, const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      const auto it = std::ranges::find(files_of, note, [](const auto& e) { return e.first; });
      if (it == files_of.end())
        files_of.emplace_back(note, file);
      else
        it->second += ", " + file;
    }
  };
  add(inputs.files.graphs, inputs.graphs.notes());
  add(inputs.dataset.file, inputs.dataset.notes);
  for (const Predictions& agent : inputs.agents) add(agent.file, agent.notes);
  for (std::size_t t = 0; t < inputs.task_success.size(); ++t) {
    add(inputs.files.task_success[t], inputs.task_success[t].notes);
  }
  std::vector<std::string> notes;
  for (const auto& [note, files] : files_of) notes.push_back(files + ": " + note);
  return notes;
}

}  // namespace

Evaluator::Evaluator(EvalFiles files) : inputs_(std::make_unique<Inputs>(std::move(files))) {
  refuse_test_split(inputs_->dataset);
}
Evaluator::~Evaluator() = default;

std::vector<AgentResult> Evaluator::evaluate(const Convention& convention,
                                             const EvalOptions& options) {
  check(convention);
  const Backend backend = resolve_for_evaluation(options.backend, items(), convention).backend;
  Packer packer(inputs_->dataset, inputs_->graphs, inputs_->viewpoints);
  std::vector<AgentResult> runs;
  for (std::size_t a = 0; a < inputs_->agents.size(); ++a) {
    AgentResult run = describe(*inputs_, a);
    if (inputs_->files.merge) {
      refuse_disagreeing_shards(inputs_->dataset, inputs_->agents[a], convention);
    }
    PackedRun packed = packer.pack(inputs_->agents[a], convention, inputs_->success_of(a));
    run.rows = std::move(packed.rows);
    run.scores = score(packed.batch, convention, backend);
    for (ItemRow& row : run.rows) {
      if (row.pair) row.status = more_severe(row.status, run.scores.status[*row.pair]);
    }
    refuse_unscored(run, inputs_->dataset, inputs_->agents[a], convention, options.strict);
    std::vector<std::uint32_t> rows(run.rows.size());
    std::iota(rows.begin(), rows.end(), 0u);
    run.summary = summarize_items(run, rows, convention, options.interval);
    runs.push_back(std::move(run));
  }
  name_runs(runs, inputs_->files.names);
  return runs;
}

std::size_t Evaluator::items() const {
  return inputs_->dataset.items.size() * inputs_->agents.size();
}

const EvalFiles& Evaluator::files() const {
  return inputs_->files;
}
std::string Evaluator::dataset_hash() const {
  return inputs_->dataset.hash;
}
std::string Evaluator::graph_hash() const {
  return inputs_->graphs.hash();
}

std::string Evaluator::graph_description() const {
  return fmt::format("{}, {}", inputs_->graphs.format_description(),
                     counted(inputs_->graphs.scans().size(), "scan"));
}

std::string Evaluator::dataset_description() const {
  const Dataset& d = inputs_->dataset;
  const std::string reference = d.format == DatasetFormat::ndh
                                    ? fmt::format(" (reference: {})", inputs_->files.ndh_reference)
                                    : "";
  return fmt::format("{}{}{}, {} in {}", title(d.format), as_lines(d.is_lines), reference,
                     counted(d.items.size(), "item"), counted(d.scans.size(), "scan"));
}

std::vector<std::string> Evaluator::warnings() const {
  std::vector<std::string> warnings = reading_notes(*inputs_);
  ScanList isolated, large;
  for (const Scan* scan : inputs_->graphs.scans()) {
    const std::size_t count = scan->isolated().size();
    if (count > 0) isolated.add(*scan, count);
    if (scan->size() > batch::DistanceTables::max_viewpoints) large.add(*scan, scan->size());
  }
  if (large.scans > 0) {
    warnings.push_back(
        "scans of too many viewpoints for a table of all distances, whose items the "
        "back end reference scores: " +
        large.text());
  }
  if (isolated.scans > 0) {
    warnings.push_back("viewpoints without any edge, which no path can use: " + isolated.text());
  }
  return warnings;
}

}  // namespace warpath

#include "warpath/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "host/evaluation/describe_inputs.hpp"
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

}  // namespace

Evaluator::Evaluator(EvalFiles files) : Evaluator(std::make_unique<Inputs>(std::move(files))) {}
Evaluator::Evaluator(std::unique_ptr<Inputs> inputs) : inputs_(std::move(inputs)) {
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
  return describe_graphs(inputs_->graphs);
}
std::string Evaluator::dataset_description() const {
  return describe_dataset(*inputs_);
}
std::vector<std::string> Evaluator::warnings() const {
  return input_warnings(*inputs_);
}

}  // namespace warpath

#include "warpath/evaluate.hpp"

#include <numeric>

#include "host/evaluation/describe_agents.hpp"
#include "host/evaluation/describe_inputs.hpp"
#include "host/evaluation/inputs.hpp"
#include "host/evaluation/item_summary.hpp"
#include "host/evaluation/pack.hpp"
#include "host/evaluation/published_scores.hpp"
#include "host/evaluation/refusals.hpp"
#include "host/evaluation/shared_work.hpp"
#include "host/evaluation/target_scores.hpp"
#include "warpath/scorer.hpp"

namespace warpath {

Evaluator::Evaluator(EvalFiles files) : Evaluator(std::make_unique<Inputs>(std::move(files))) {}
Evaluator::Evaluator(std::unique_ptr<Inputs> inputs) : inputs_(std::move(inputs)) {
  refuse_test_split(inputs_->dataset);
}
Evaluator::~Evaluator() = default;

namespace {

// Scores an agent's pairs, or those of this process's part of them if others have the rest.
Scores score_pairs(const Inputs& inputs, const AgentResult& run, const Scorer& scorer,
                   const PairBatchView& batch, const Watch& watch) {
  const SharedWork* shared = SharedWork::current();
  if (shared == nullptr) return scorer.score(batch, watch);
  shared->check_same({{inputs.dataset.file, inputs.dataset.hash},
                      {run.file, run.hash},
                      {"the task successes of " + run.file, run.task_success_hash},
                      {"the graphs", inputs.graphs.hash()}});
  return shared->score(scorer, batch, watch);
}

// Scores one agent against the references that the items have now.
AgentResult evaluate_agent(const Inputs& inputs, Packer& packer, std::size_t agent,
                           const Convention& convention, const EvalOptions& options) {
  AgentResult run = describe_agent(inputs, agent);
  PackedRun packed = packer.pack(inputs.agents[agent], convention, inputs.success_of(agent));
  const Scorer scorer(packed.batch.scans, without_goals(convention), {.backend = options.backend});
  run.scores = score_pairs(inputs, run, scorer, packed.batch, options.watch);
  score_targets(inputs, packed, convention, run.scores);
  run.published = compare_published(inputs.agents[agent], packed, run.scores);
  run.rows = std::move(packed.rows);
  for (ItemRow& row : run.rows) {
    if (row.pair) row.status = more_severe(row.status, run.scores.status[*row.pair]);
  }
  refuse_unscored(run, inputs.dataset, inputs.agents[agent], convention, options.strict);
  std::vector<std::uint32_t> rows(run.rows.size());
  std::iota(rows.begin(), rows.end(), 0u);
  run.summary = summarize_items(run, rows, convention, options.interval);
  return run;
}

}  // namespace

std::vector<AgentResult> Evaluator::evaluate(const Convention& convention,
                                             const EvalOptions& options) {
  check(convention);
  check_targets(*inputs_, convention);
  EvalOptions resolved = options;
  resolved.backend = resolve_for_evaluation(options.backend, items(), convention).backend;
  Packer packer(inputs_->dataset, inputs_->graphs, inputs_->viewpoints);
  const std::vector<NdhReference> references = inputs_->references();
  std::vector<AgentResult> runs;
  for (std::size_t a = 0; a < inputs_->agents.size(); ++a) {
    if (inputs_->files.merge) {
      refuse_disagreeing_shards(inputs_->dataset, inputs_->agents[a], convention);
    }
    for (const NdhReference reference : references) {
      inputs_->refer_to(reference);
      runs.push_back(evaluate_agent(*inputs_, packer, a, convention, resolved));
      if (references.size() > 1) runs.back().reference = name(reference);
    }
  }
  name_agents(runs, inputs_->files.names, references.size());
  return runs;
}

std::size_t Evaluator::items() const {
  return inputs_->dataset.items.size() * inputs_->agents.size() * inputs_->references().size();
}

MetricSet Evaluator::metrics() const {
  return available_metrics(*inputs_);
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

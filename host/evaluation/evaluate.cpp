#include "warpath/evaluate.hpp"

#include <numeric>

#include "host/evaluation/describe_agents.hpp"
#include "host/evaluation/describe_inputs.hpp"
#include "host/evaluation/grounding_scores.hpp"
#include "host/evaluation/inputs.hpp"
#include "host/evaluation/item_summary.hpp"
#include "host/evaluation/pack.hpp"
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
                      {"the graphs", inputs.graphs.hash()},
                      {"the boxes", inputs.objects ? inputs.objects->hash : ""}});
  return shared->score(scorer, batch, watch);
}

}  // namespace

std::vector<AgentResult> Evaluator::evaluate(const Convention& convention,
                                             const EvalOptions& options) {
  check(convention);
  check_targets(*inputs_, convention);
  const Backend backend = resolve_for_evaluation(options.backend, items(), convention).backend;
  Packer packer(inputs_->dataset, inputs_->graphs, inputs_->viewpoints);
  std::vector<AgentResult> runs;
  for (std::size_t a = 0; a < inputs_->agents.size(); ++a) {
    AgentResult run = describe_agent(*inputs_, a);
    if (inputs_->files.merge) {
      refuse_disagreeing_shards(inputs_->dataset, inputs_->agents[a], convention);
    }
    PackedRun packed = packer.pack(inputs_->agents[a], convention, inputs_->success_of(a));
    run.scores = score_pairs(
        *inputs_, run, Scorer(packed.batch.scans, without_goals(convention), {.backend = backend}),
        packed.batch, options.watch);
    score_targets(*inputs_, inputs_->agents[a], packed, convention, run.scores);
    run.rows = std::move(packed.rows);
    mark_without_object(*inputs_, inputs_->agents[a], packed, run.rows);
    for (ItemRow& row : run.rows) {
      if (row.pair) row.status = more_severe(row.status, run.scores.status[*row.pair]);
    }
    refuse_unscored(run, inputs_->dataset, inputs_->agents[a], convention, options.strict);
    if (options.metrics.contains_any({Metric::RGS, Metric::RGSPL})) {
      refuse_without_object(run, convention);
    }
    std::vector<std::uint32_t> rows(run.rows.size());
    std::iota(rows.begin(), rows.end(), 0u);
    run.summary = summarize_items(run, rows, convention, options.interval);
    runs.push_back(std::move(run));
  }
  name_agents(runs, inputs_->files.names);
  return runs;
}

std::size_t Evaluator::items() const {
  return inputs_->dataset.items.size() * inputs_->agents.size();
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
std::string Evaluator::objects_description() const {
  return inputs_->objects ? describe_objects(*inputs_->objects) : "";
}
std::string Evaluator::objects_hash() const {
  return inputs_->objects ? inputs_->objects->hash : "";
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

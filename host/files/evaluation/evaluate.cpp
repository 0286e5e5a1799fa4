#include "warpath/evaluate.hpp"

#include <algorithm>

#include "host/core/batch/request.hpp"
#include "host/files/evaluation/describe_agents.hpp"
#include "host/files/evaluation/describe_inputs.hpp"
#include "host/files/evaluation/episode_scores.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/own_metrics.hpp"
#include "host/files/evaluation/pack.hpp"
#include "host/files/evaluation/published_scores.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/evaluation/shared_work.hpp"
#include "host/files/evaluation/target_scores.hpp"
#include "host/files/evaluation/tour_scores.hpp"
#include "host/files/io/input_file.hpp"
#include "warpath/scorer.hpp"

namespace warpath {

Evaluator::Evaluator(EvalFiles files)
    : Evaluator(std::make_unique<evaluation::Inputs>(std::move(files), evaluation::Kept{},
                                                     evaluation::EpisodeUse::taken)) {}
Evaluator::Evaluator(std::unique_ptr<evaluation::Inputs> inputs) : inputs_(std::move(inputs)) {
  evaluation::refuse_test_split(inputs_->dataset);
}
Evaluator::~Evaluator() = default;

namespace {

// Checks that the processes which share the work have read the same.
void check_same(const evaluation::SharedWork& shared, const evaluation::Inputs& inputs,
                const AgentResult& run) {
  shared.check_same({{inputs.dataset.file, inputs.dataset.hash},
                     {run.file, run.hash},
                     {"the task successes of " + run.file, run.task_success_hash},
                     {"the graphs", inputs.graphs.hash()},
                     {"the boxes", inputs.objects ? inputs.objects->hash : ""}});
}

// Scores an agent's pairs, or those of this process's part of them if others have the rest.
Scores score_pairs(const evaluation::Inputs& inputs, const AgentResult& run, const Scorer& scorer,
                   const PairBatchView& batch, const Watch& watch) {
  const evaluation::SharedWork* shared = inputs.files.shared;
  if (shared == nullptr) return scorer.score(batch, watch);
  check_same(*shared, inputs, run);
  return shared->score(scorer, batch, watch);
}

// Gives each row the most severe status of reading and scoring, and refuses items that the
// convention does not take: before metrics of the caller, which may take long.
void finish_rows(const evaluation::Inputs& inputs, std::size_t agent, const Convention& convention,
                 const EvalOptions& options, AgentResult& run) {
  for (ItemRow& row : run.rows) {
    if (row.pair) row.status = more_severe(row.status, run.scores.status[*row.pair]);
  }
  evaluation::refuse_unscored(run, inputs.dataset, inputs.agents[agent], convention,
                              options.strict);
  evaluation::refuse_gaps(run, inputs.dataset, convention, options.metrics);
}

// Scores an agent's paths of viewpoints against the references that the items have now.
void score_viewpoints(const evaluation::Inputs& inputs, std::size_t agent,
                      evaluation::Packer& packer, const Convention& convention,
                      const EvalOptions& options, AgentResult& run) {
  const formats::Predictions& predictions = inputs.agents[agent];
  if (inputs.grids) inputs.grids->refuse_far(agent, convention);
  evaluation::PackedRun packed = packer.pack(predictions, convention, inputs.success_of(agent));
  const Scorer scorer(packed.batch.scans, evaluation::for_scorers(convention),
                      {.backend = options.backend, .graphs = inputs.graphs.store()});
  run.scores = score_pairs(inputs, run, scorer, packed.batch, options.watch);
  evaluation::score_targets(inputs, predictions, packed, convention, run.scores);
  run.published = evaluation::compare_published(predictions, packed, run.scores);
  run.rows = std::move(packed.rows);
  if (const auto mark = inputs.dataset.task->mark_rows) mark(inputs, predictions, packed, run.rows);
  evaluation::score_tours(inputs, packer, packed.batch, convention, options.metrics, run);
  finish_rows(inputs, agent, convention, options, run);
  evaluation::add_own_metrics(options.own, packed.batch, convention, run);
}

// Scores an agent's paths of positions. Processes that share the work each score all of them.
void score_positions(const evaluation::Inputs& inputs, std::size_t agent,
                     const Convention& convention, const EvalOptions& options, AgentResult& run) {
  if (const evaluation::SharedWork* shared = inputs.files.shared) check_same(*shared, inputs, run);
  const formats::Predictions& predictions = inputs.agents[agent];
  evaluation::PackedEpisodes packed =
      evaluation::pack_episodes(inputs.dataset, predictions, convention, inputs.success_of(agent),
                                options.metrics.contains(Metric::OSR));
  run.scores = evaluation::score_episodes(inputs, predictions, packed, convention, options.backend,
                                          options.watch);
  run.rows = std::move(packed.rows);
  evaluation::score_tours(inputs, packed.batch, convention, options.metrics, run);
  finish_rows(inputs, agent, convention, options, run);
  evaluation::add_own_metrics(options.own, inputs, packed, convention, run);
}

// Scores an agent's items.
AgentResult score_agent(const evaluation::Inputs& inputs, std::size_t agent,
                        evaluation::Packer& packer, const Convention& convention,
                        const EvalOptions& options) {
  AgentResult run = evaluation::describe_agent(inputs, agent);
  if (inputs.dataset.has_positions()) {
    score_positions(inputs, agent, convention, options, run);
  } else {
    score_viewpoints(inputs, agent, packer, convention, options, run);
  }
  return run;
}

// Scores pairs window by window. Returns nothing if the file has to be read whole: it is faulty, or
// its pairs are refused, which only a message about all of them may say.
std::optional<AgentResult> evaluate_windows(evaluation::Inputs& inputs,
                                            const Convention& convention,
                                            const EvalOptions& options) {
  evaluation::SummaryBuilder summary(convention, options.interval);
  std::vector<ItemRow> first_rows;
  const bool is_read = inputs.for_each_window([&] {
    inputs.graphs.require(inputs.dataset.scans);
    evaluation::Packer packer(inputs.dataset, inputs.graphs, inputs.viewpoints);
    const AgentResult run = score_agent(inputs, 0, packer, convention, options);
    summary.add(run, evaluation::all_rows(run));
    evaluation::add_isolated(inputs, inputs.windows->isolated);
    for (const ItemRow& row : run.rows) {
      const bool is_first =
          std::ranges::find(first_rows, row.status, &ItemRow::status) == first_rows.end();
      if (is_first) first_rows.push_back(row);
    }
    return true;
  });
  if (!is_read) return std::nullopt;
  AgentResult run = evaluation::describe_agent(inputs, 0);
  run.rows = std::move(first_rows);
  for (ItemRow& row : run.rows) row.pair.reset();
  run.summary = summary.finish();
  return run;
}

}  // namespace

std::vector<AgentResult> Evaluator::evaluate(const Convention& convention,
                                             const EvalOptions& options) {
  check(convention);
  evaluation::check_targets(*inputs_, convention);
  evaluation::check_own_metrics(options.own);
  EvalOptions resolved = options;
  resolved.backend = resolve(options.backend, convention).backend;
  std::vector<AgentResult> runs;
  if (inputs_->windows) {
    if (auto run = evaluate_windows(*inputs_, convention, resolved)) {
      runs.push_back(std::move(*run));
      evaluation::name_agents(runs, inputs_->files);
      return runs;
    }
    inputs_->read_whole_pairs(io::Reading(inputs_->files.max_input_bytes));
    inputs_->graphs.require(inputs_->dataset.scans);
  }
  evaluation::Packer packer(inputs_->dataset, inputs_->graphs, inputs_->viewpoints);
  const std::vector<formats::ReferenceChoice> references = inputs_->references();
  for (std::size_t a = 0; a < inputs_->agents.size(); ++a) {
    if (inputs_->files.merge) {
      evaluation::refuse_disagreeing_shards(inputs_->dataset, inputs_->agents[a], convention);
    }
    for (const formats::ReferenceChoice reference : references) {
      inputs_->refer_to(reference);
      AgentResult& run = runs.emplace_back(score_agent(*inputs_, a, packer, convention, resolved));
      run.summary = evaluation::summarize_items(run, evaluation::all_rows(run), convention,
                                                resolved.interval);
      if (references.size() > 1) runs.back().reference = evaluation::name(reference);
    }
  }
  evaluation::name_agents(runs, inputs_->files, references.size());
  return runs;
}

ResolvedBackend Evaluator::resolve(Backend backend, const Convention& convention) const {
  const bool is_automatic = backend == Backend::automatic && items() > max_reference_items;
  if (inputs_->dataset.has_positions() && batch::fits_single_precision(convention)) {
    if (!batch::points_fit_single_precision(convention))
      return {Backend::reference, batch::points_beyond_single_precision};
    if (is_automatic) return {Backend::cpu, "auto takes cpu for positions"};
  }
  return resolve_for_evaluation(backend, items(), convention);
}

std::size_t Evaluator::items() const {
  return inputs_->item_count() * inputs_->agents.size() * inputs_->references().size();
}

MetricSet Evaluator::metrics() const {
  return evaluation::available_metrics(*inputs_);
}

const EvalFiles& Evaluator::files() const {
  return inputs_->files;
}
InputDescription Evaluator::description() const {
  return evaluation::describe_inputs(*inputs_);
}

}  // namespace warpath

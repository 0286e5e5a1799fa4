#include "warpath/random_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/describe_inputs.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/evaluation/shared_work.hpp"
#include "host/files/evaluation/walk_inputs.hpp"
#include "host/files/formats/pair_line.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

EvalFiles eval_files(const RandomBaselineFiles& files) {
  EvalFiles eval;
  eval.graphs = files.graphs;
  eval.dataset = files.dataset;
  eval.dataset_format = files.dataset_format;
  eval.ndh_reference = files.ndh_reference;
  eval.max_input_bytes = files.max_input_bytes;
  eval.graph_store = files.graph_store;
  eval.texts = files.texts;
  return eval;
}

RandomBaselineFiles checked(RandomBaselineFiles files) {
  if (files.steps && !files.steps_from.empty()) {
    throw UsageError("--steps gives the number of steps, --steps-from counts it: give one of them");
  }
  evaluation::find_reference_choice(files.ndh_reference);  // refuses several
  const std::vector inputs{files.dataset, files.steps_from};
  io::check_standard_input(inputs);
  evaluation::refuse_standard_input(files.shared, inputs);
  return files;
}

// Holds the numbers of steps, and where they come from.
struct StepSource {
  StepCounts counts;
  std::string description, hash;
  std::vector<std::string> notes{};  // how the file was read
};

StepSource counted_in(const formats::Dataset& dataset) {
  return {evaluation::count_steps(dataset),
          fmt::format("the references of {} of {}", io::counted(dataset.items.size(), "item"),
                      dataset.file),
          dataset.hash};
}

StepSource step_source(const RandomBaselineFiles& files, evaluation::Inputs& inputs) {
  if (files.steps) return {{{*files.steps, 1}}, "a given number", {}};
  if (files.steps_from.empty()) return counted_in(inputs.dataset);
  const formats::Dataset dataset = formats::read_dataset(
      files.steps_from, nullptr, evaluation::find_reference_choice(files.ndh_reference),
      inputs.viewpoints, {files.max_input_bytes, &files.texts});
  StepSource source = counted_in(dataset);
  for (const std::string& note : dataset.notes) source.notes.push_back(dataset.file + ": " + note);
  return source;
}

// Chooses how many walks are scored at a time, so that each part takes about a second. The first
// ones are small, because the rate is not known.
class PartSizes {
 public:
  std::uint64_t next(std::uint64_t left) {
    begin_ = Clock::now();
    return std::min(part_, left);
  }

  void done() {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double factor = std::clamp(wanted_seconds / std::max(seconds, 1e-9), 0.125, 8.0);
    const double part = std::clamp(factor * static_cast<double>(part_), 4096.0, 0x1p40);
    part_ = static_cast<std::uint64_t>(part);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double wanted_seconds = 1.0;

  std::uint64_t part_ = 16'384;
  Clock::time_point begin_;
};

// Scores walks one part after the other, until all are done or it is stopped.
void add_walks(const WalkScorer& scorer, const RandomBaselineOptions& options,
               RandomBaselineResult& result) {
  base::Progress progress("walking", options.walks, "walks");
  PartSizes parts;
  while (result.walks < options.walks && !(options.is_stopped && options.is_stopped())) {
    const std::uint64_t count = parts.next(options.walks - result.walks);
    result.statistics.merge(scorer.statistics(options.first + result.walks, count, options.watch));
    parts.done();
    result.walks += count;
    progress.add(count);
  }
}

// Adds failures: items whose fractions are 0 and which have no other value.
void add_failures(std::uint64_t count, const MetricSet& metrics, BatchStatistics& statistics) {
  for (const Metric m : metrics) {
    if (info(m).unit != Unit::fraction) continue;
    const Statistics zeros(Unit::fraction,
                           {.n = count, .sum = {}, .squares = {}, .minimum = 0.0, .maximum = 0.0});
    statistics.summary.metrics[m].merge(zeros);
    std::array<std::uint64_t, Histogram::bins_of(Unit::fraction).count + 2> cells{};
    cells[1] = count;
    statistics.histograms[m].merge(Histogram(Unit::fraction, cells));
  }
}

}  // namespace

struct RandomBaseline::State {
  State(RandomBaselineFiles of_files, std::uint64_t seed, WalkSample sample)
      : files(checked(std::move(of_files))), inputs(eval_files(files)) {
    evaluation::refuse_test_split(inputs.dataset);
    steps = step_source(files, inputs);
    files.graphs = inputs.files.graphs;
    files.texts.clear();
    const bool may_move = steps.counts.rbegin()->first > 0;
    references = evaluation::collect_references(inputs, may_move);
    walks.emplace(references.scans, references.paths, references.scan_of, steps.counts, seed,
                  sample);
  }

  const formats::Item& item_of(std::uint32_t path) const {
    return inputs.dataset.items[references.item_of[path]];
  }

  RandomBaselineFiles files;
  evaluation::Inputs inputs;
  StepSource steps;
  evaluation::WalkReferences references;
  std::optional<RandomWalks> walks;
};

RandomBaseline::RandomBaseline(RandomBaselineFiles files, std::uint64_t seed, WalkSample sample)
    : state_(std::make_unique<State>(std::move(files), seed, sample)) {}
RandomBaseline::~RandomBaseline() = default;

const RandomBaselineFiles& RandomBaseline::files() const {
  return state_->files;
}
const RandomWalks& RandomBaseline::walks() const {
  return *state_->walks;
}

RandomBaselineResult RandomBaseline::statistics(const Convention& convention,
                                                const RandomBaselineOptions& options) const {
  check_of_paths(convention);
  if (convention.invalid == Invalid::error) {
    const std::vector<std::uint32_t> unreachable =
        evaluation::unreachable_paths(state_->references);
    if (!unreachable.empty()) {
      throw InputError(
          {state_->inputs.dataset.file},
          fmt::format("{} of {} {} viewpoints that no path of the graph joins, so no walk can be "
                      "scored against {}: the first is that of {}",
                      unreachable.size(), io::counted(state_->references.paths.size(), "reference"),
                      unreachable.size() == 1 ? "has" : "have",
                      unreachable.size() == 1 ? "it" : "them",
                      state_->item_of(unreachable.front()).id),
          "mend them, or say --invalid zero (their walks count as failures) or --invalid skip "
          "(leave them out)");
    }
  }
  const WalkScorer scorer(
      walks(), convention,
      {.backend = options.backend, .metrics = options.metrics, .threads = options.threads});
  RandomBaselineResult result;
  result.backend = scorer.backend();
  if (const evaluation::SharedWork* shared = state_->files.shared) {
    shared->check_same({{state_->inputs.dataset.file, state_->inputs.dataset.hash},
                        {state_->files.steps_from, steps_hash()},
                        {"the graphs", state_->inputs.graphs.hash()}});
    const evaluation::SharedWork::Range own = shared->part_of(options.walks);
    RandomBaselineOptions part = options;
    part.first += own.first;
    part.walks = own.count;
    part.is_stopped = {};  // a part would leave a hole in the walks
    add_walks(scorer, part, result);
    result.walks = options.walks;
    result.statistics = shared->merge(result.statistics);
  } else {
    add_walks(scorer, options, result);
  }
  const std::uint64_t invalid =
      result.statistics.summary.statuses[static_cast<std::size_t>(Status::unreachable)];
  if (convention.invalid == Invalid::error && invalid > 0) {
    throw InputError(
        {state_->inputs.dataset.file},
        fmt::format("{} of {} come where no way leads on to their reference, since the "
                    "graph is directed",
                    invalid, io::counted(result.walks, "walk")),
        "say --invalid zero (they count as failures) or --invalid skip (leave them "
        "out)");
  }
  if (convention.invalid == Invalid::zero && invalid > 0) {
    add_failures(invalid, options.metrics, result.statistics);
  }
  result.summary = evaluation::summarize_independent(result.statistics.summary);
  return result;
}

void RandomBaseline::append_pairs(std::uint64_t first, std::uint64_t count,
                                  std::string& lines) const {
  const evaluation::WalkReferences& references = state_->references;
  std::vector<Node> nodes;
  for (std::uint64_t walk = first; walk < first + count; ++walk) {
    nodes.clear();
    walks().append(walk, nodes);
    const std::uint32_t path = walks().reference(walk);
    const std::uint32_t scan = references.scan_of[path];
    const std::string id = fmt::format("walk_{}", walk);
    formats::append_line({.id = id,
                          .scan = state_->inputs.dataset.scans[scan],
                          .graph = *references.scans[scan],
                          .reference = references.paths[path],
                          .prediction = nodes},
                         lines);
  }
}

InputDescription RandomBaseline::description() const {
  InputDescription description = evaluation::describe_inputs(state_->inputs);
  const std::vector<std::string>& notes = state_->steps.notes;
  description.warnings.insert(description.warnings.end(), notes.begin(), notes.end());
  return description;
}
std::string RandomBaseline::steps_description() const {
  return state_->steps.description;
}
std::string RandomBaseline::steps_hash() const {
  return state_->steps.hash;
}

}  // namespace warpath

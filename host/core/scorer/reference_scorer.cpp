#include "warpath/reference_scorer.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/device.hpp"
#include "host/core/cuda/score_engine.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "host/core/scorer/host_score_engine.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/views/statistics.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

/// @throws InputError if a column is given for a metric that no kernel writes
void check_columns(const ScoreArrays& scores, const MetricSet& metrics) {
  const auto refuse = [](Metric m, const char* why, const char* remedy) {
    throw InputError({{}, {}, fmt::format("column[{}]", info(m).name)}, why, remedy);
  };
  for (const Metric m : MetricSet::of_paths()) {
    if (scores.column[m] == nullptr) continue;
    if (!metrics[m]) {
      refuse(m, "is given, and the scorer does not compute that metric",
             "name it in ReferenceScorerOptions::metrics");
    }
    if (static_cast<std::uint32_t>(index_of(m)) >= kernels::first_count) {
      refuse(m, "is given, and no kernel writes that metric",
             "leave it out: it follows from the lengths; statistics have it");
    }
  }
}

}  // namespace

/// Keeps an engine that set_references replaces as a whole. Several threads may use it.
struct ReferenceScorer::State {
  State(std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const Convention& with,
        const ReferenceScorerOptions& given)
      : convention(with), options(given) {
    check_of_paths(convention);
    set_references(scans, references, scan_of);
  }

  /// Returns the engine of now; who holds it may go on with it.
  std::shared_ptr<batch::ScoreEngine> standing() const {
    const std::lock_guard lock(mutex_);
    return standing_;
  }

  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of) {
    std::shared_ptr<batch::ScoreEngine> made = options.place.is_gpu
                                                   ? make_on_gpu(scans, references, scan_of)
                                                   : make_on_host(scans, references, scan_of);
    const std::lock_guard lock(mutex_);
    standing_ = std::move(made);
  }

  const Convention convention;
  const ReferenceScorerOptions options;

 private:
  std::unique_ptr<batch::ScoreEngine> make_on_host(std::span<const Scan* const> scans,
                                                   const PathSet& references,
                                                   std::span<const std::uint32_t> scan_of) const {
    batch::check_references(scans, references, scan_of);
    return scorer::make_host_engine(scans, references, scan_of, convention, options);
  }

  // What is wrong with the input is said on machines without a GPU, too.
  std::unique_ptr<batch::ScoreEngine> make_on_gpu(std::span<const Scan* const> scans,
                                                  const PathSet& references,
                                                  std::span<const std::uint32_t> scan_of) {
    cuda::check_precision(convention);
    batch::check_table_size(scans, ", or score them on the host");
    const batch::DistanceTables tables(scans, convention, options.graphs.get(),
                                       batch::LargeTables::all);
    batch::check_references(scans, references, scan_of);
    if (device_ == nullptr) device_ = &cuda::device_or_error();
    const cuda::CurrentDevice current(*device_);
    return cuda::make_score_engine(*device_, references, scan_of, tables, convention, options);
  }

  cuda::Device* device_ = nullptr;  ///< null on the host
  mutable std::mutex mutex_;
  std::shared_ptr<batch::ScoreEngine> standing_;
};

ReferenceScorer::ReferenceScorer(std::span<const Scan* const> scans, const PathSet& references,
                                 std::span<const std::uint32_t> scan_of,
                                 const Convention& convention,
                                 const ReferenceScorerOptions& options)
    : state_(std::make_unique<State>(scans, references, scan_of, convention, options)) {}
ReferenceScorer::ReferenceScorer(const Convention& convention,
                                 const ReferenceScorerOptions& options)
    : ReferenceScorer({}, PathSet(), {}, convention, options) {}
ReferenceScorer::ReferenceScorer(ReferenceScorer&&) noexcept = default;
ReferenceScorer& ReferenceScorer::operator=(ReferenceScorer&&) noexcept = default;
ReferenceScorer::~ReferenceScorer() = default;

Place ReferenceScorer::place() const {
  return state_->options.place;
}

void ReferenceScorer::set_references(std::span<const Scan* const> scans, const PathSet& references,
                                     std::span<const std::uint32_t> scan_of) {
  state_->set_references(scans, references, scan_of);
}

void ReferenceScorer::write_references(std::uint32_t first, std::uint32_t count,
                                       const PathsView& paths, Integers scan_of,
                                       CUstream_st* stream) {
  state_->standing()->write_references(first, count, paths, scan_of, stream);
}

std::size_t ReferenceScorer::workspace_bytes(const Batch& batch) const {
  return state_->standing()->workspace_bytes(batch);
}

void ReferenceScorer::warm_up(const Batch& batch, const Call& call) const {
  state_->standing()->warm_up(batch, call);
}

void ReferenceScorer::score(const Batch& batch, const ScoreArrays& scores, const Call& call) const {
  check_columns(scores, state_->options.metrics);
  state_->standing()->score(batch, scores, call);
}

std::size_t ReferenceScorer::statistics_bytes() {
  return sizeof(kernels::BatchTotals);
}

void ReferenceScorer::clear_statistics(void* statistics, CUstream_st* stream) const {
  state_->standing()->clear_statistics(statistics, stream);
}

void ReferenceScorer::add_to_statistics(const Batch& batch, void* statistics,
                                        const Call& call) const {
  state_->standing()->add_to_statistics(batch, statistics, call);
}

BatchStatistics ReferenceScorer::read_statistics(const void* statistics,
                                                 CUstream_st* stream) const {
  return state_->standing()->read_statistics(statistics, stream);
}

Status ReferenceScorer::status(std::uint32_t flags) const {
  return definitions::status_of(flags & definitions::flags_of(state_->options.metrics));
}

std::uint8_t ReferenceScorer::zero_rules(std::uint32_t flags) const {
  return kernels::zero_rules_of(flags & definitions::flags_of(state_->options.metrics));
}

}  // namespace warpath

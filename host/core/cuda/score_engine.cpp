#include "host/core/cuda/score_engine.hpp"

#include <fmt/format.h>

#include <limits>

#include "host/core/batch/check_views.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/cuda/resident_scorer.hpp"
#include "host/core/cuda/totals.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

using batch::check_integers;
using batch::check_layout;

/// @throws InputError if a batch of points has more than can be numbered
void check_point_room(const Batch& batch) {
  batch::check_count(batch.count);
  if (!batch.has_points()) return;
  const PointRoom room = room_of(batch);
  const std::uint64_t points =
      std::uint64_t{room.count} * (std::uint64_t{room.max_length} + room.max_reference_length);
  if (points <= std::numeric_limits<std::uint32_t>::max()) return;
  throw InputError({{}, {}, "max_length"},
                   fmt::format("makes room for {} points, and there may be 2^32 - 1", points),
                   "score fewer pairs at a time");
}

// Where references may change there is room for more of them than a batch has.
void check_scored_batch(const Batch& batch, const ResidentReferences& references,
                        const Convention& convention) {
  if (batch.has_points())
    batch::check_threshold_between_points(convention, ", or score on the host");
  check_point_room(batch);
  if (batch.count == 0) return;
  batch::check_no_groups(batch);
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
  if (batch.has_points()) return check_layout(batch.references.layout, "references.layout");
  const bool is_room = references.may_change() && batch.count <= references.size();
  batch::check_reference_given(batch, is_room ? batch.count : references.size());
}

class ScoresOnGpu final : public batch::ScoreEngine {
 public:
  ScoresOnGpu(Device& device, const PathSet& references, std::span<const std::uint32_t> scan_of,
              const batch::DistanceTables& tables, const Convention& convention,
              const ReferenceScorerOptions& options)
      : device_(device),
        metrics_(options.metrics),
        convention_(convention),
        resident_(device, references, scan_of, tables, convention, options) {}

  std::size_t workspace_bytes(const Batch& batch) const override {
    check_point_room(batch);
    const CurrentDevice current(device_);
    return resident_.workspace_bytes(batch);
  }
  void warm_up(const Batch& batch, const Call& call) const override {
    check_point_room(batch);
    const CurrentDevice current(device_);
    resident_.warm_up(batch, call.workspace, call.stream);
  }
  void score(const Batch& batch, const ScoreArrays& scores, const Call& call) const override {
    check_scored_batch(batch, resident_.references(), convention_);
    const CurrentDevice current(device_);
    check(batch, call);
    resident_.score(batch, scores, call.workspace, call.stream);
  }
  void write_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                        Integers scan_of, CUstream_st* stream) override;

  void clear_statistics(void* statistics, CUstream_st* stream) const override {
    const CurrentDevice current(device_);
    device_.fill(statistics, 0, sizeof(kernels::BatchTotals), stream);
  }
  void add_to_statistics(const Batch& batch, void* statistics, const Call& call) const override {
    check_scored_batch(batch, resident_.references(), convention_);
    const kernels::AggregateView totals =
        totals_view(metrics_, static_cast<kernels::BatchTotals*>(statistics));
    const CurrentDevice current(device_);
    check(batch, call);
    resident_.add_to_statistics(batch, totals, call.workspace, call.stream);
  }
  BatchStatistics read_statistics(const void* statistics, CUstream_st* stream) const override {
    const CurrentDevice current(device_);
    const PinnedArray<kernels::BatchTotals> totals(device_, 1);
    const WaitAtEnd wait(device_, stream);
    device_.download(totals.data(), statistics, sizeof(kernels::BatchTotals), stream);
    device_.wait(stream);
    BatchStatistics read = statistics_of(totals[0]);
    read.precision = Precision::single_precision;
    return read;
  }

 private:
  void check(const Batch& batch, const Call& call) const {
    if (call.check) batch::report(resident_.check(batch, call.workspace, call.stream));
  }

  Device& device_;
  const MetricSet metrics_;
  const Convention convention_;
  ResidentScorer resident_;
};

void ScoresOnGpu::write_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                                   Integers scan_of, CUstream_st* stream) {
  const InputError::Where where{{}, {}, "write_references"};
  ResidentReferences& references = resident_.references();
  const std::uint64_t end = std::uint64_t{first} + count;
  const std::uint32_t room_for = references.may_change() ? references.size() : 0;
  if (end > room_for) {
    throw InputError(
        where, fmt::format("writes references up to {}, and there is room for {}", end, room_for),
        "ask for more by ReferenceScorerOptions::max_references");
  }
  const std::uint32_t room = references.max_length();
  if (paths.layout.max_length > room) {
    throw InputError(where,
                     fmt::format("writes references of up to {} viewpoints, and there is room for "
                                 "{}",
                                 paths.layout.max_length, room),
                     "ask for more by ReferenceScorerOptions::max_reference_length");
  }
  if (count == 0) return;
  check_integers(paths.viewpoints, "paths.viewpoints");
  check_layout(paths.layout, "paths.layout");
  check_integers(scan_of, "scan_of");
  const CurrentDevice current(device_);
  references.store(first, count, batch::view_of(paths), batch::view_of(scan_of), stream);
}

}  // namespace

void check_precision(const Convention& convention) {
  if (batch::fits_single_precision(convention)) return;
  throw InputError(
      {{}, {}, "convention"},
      fmt::format("single precision does not reach a threshold of {}, an "
                  "ndtw_threshold of {} and an spl_min_denominator of {}",
                  convention.threshold, convention.ndtw_threshold, convention.spl_min_denominator),
      "give thresholds from 1e-12 to 1e30, or score on the host");
}

std::unique_ptr<batch::ScoreEngine> make_score_engine(Device& device, const PathSet& references,
                                                      std::span<const std::uint32_t> scan_of,
                                                      const batch::DistanceTables& tables,
                                                      const Convention& convention,
                                                      const ReferenceScorerOptions& options) {
  return std::make_unique<ScoresOnGpu>(device, references, scan_of, tables, convention, options);
}

}  // namespace warpath::cuda

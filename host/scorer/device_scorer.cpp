#include "warpath/device_scorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/batch/check_views.hpp"
#include "host/batch/request.hpp"
#include "host/cuda/resident_scorer.hpp"
#include "host/cuda/totals.hpp"
#include "kernels/metrics/flags.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using namespace batch;

/// @throws InputError if a batch of points has more than can be numbered
void check_room(const Batch& batch) {
  check_count(batch.count);
  if (!batch.has_points()) return;
  const cuda::PointRoom room = cuda::room_of(batch);
  const std::uint64_t points =
      std::uint64_t{room.count} * (std::uint64_t{room.max_length} + room.max_reference_length);
  if (points <= std::numeric_limits<std::uint32_t>::max()) return;
  throw InputError({{}, {}, "max_length"},
                   fmt::format("makes room for {} points, and there may be 2^32 - 1", points),
                   "score fewer pairs at a time");
}

// Where references may change there is room for more of them than a batch has.
void check_batch(const Batch& batch, const cuda::ResidentReferences& references,
                 const Convention& convention) {
  if (batch.has_points())
    batch::check_threshold_between_points(convention, ", or score on the host");
  check_room(batch);
  if (batch.count == 0) return;
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
  if (batch.has_points()) return check_layout(batch.references.layout, "references.layout");
  const bool is_room = references.may_change() && batch.count <= references.size();
  check_reference_given(batch.reference, batch.count, is_room ? batch.count : references.size());
}

/// @throws InputError if a column is given for a metric that no kernel writes
void check_columns(const ScoreArrays& scores, const MetricSet& metrics) {
  for (const Metric m : MetricSet::of_paths()) {
    if (scores.column[m] == nullptr) continue;
    const InputError::Where where{{}, {}, fmt::format("column[{}]", info(m).name)};
    if (!metrics[m]) {
      throw InputError(where, "is given, and the scorer does not compute that metric",
                       "name it in DeviceScorerOptions::metrics");
    }
    if (static_cast<std::uint32_t>(index_of(m)) >= kernels::first_count) {
      throw InputError(where, "is given, and no kernel writes that metric",
                       "leave it out: it follows from the lengths; statistics have it");
    }
  }
}

}  // namespace

struct DeviceScorer::State {
  cuda::Device& device;
  MetricSet metrics;
  Convention convention;
  cuda::ResidentScorer resident;
};

DeviceScorer::DeviceScorer(std::span<const Scan* const> scans, const PathSet& references,
                           std::span<const std::uint32_t> scan_of, const Convention& convention,
                           const DeviceScorerOptions& options) {
  check_of_paths(convention);
  if (!batch::fits_single_precision(convention)) {
    throw InputError({{}, {}, "convention"},
                     fmt::format("single precision does not reach a threshold of {} and an "
                                 "spl_min_denominator of {}",
                                 convention.threshold, convention.spl_min_denominator),
                     "give a threshold from 1e-12 to 1e30, or score on the host");
  }
  const batch::DistanceTables tables(scans, convention, options.graphs.get());
  check_references(scans, references, scan_of, tables);
  cuda::Device& device = cuda::device_or_error();
  const cuda::CurrentDevice current(device);
  state_.reset(
      new State{device, options.metrics, convention,
                cuda::ResidentScorer(device, references, scan_of, tables, convention, options)});
}

DeviceScorer::DeviceScorer(DeviceScorer&&) noexcept = default;
DeviceScorer& DeviceScorer::operator=(DeviceScorer&&) noexcept = default;
DeviceScorer::~DeviceScorer() = default;

std::size_t DeviceScorer::workspace_bytes(const Batch& batch) const {
  check_room(batch);
  const cuda::CurrentDevice current(state_->device);
  return state_->resident.workspace_bytes(batch);
}

void DeviceScorer::warm_up(const Batch& batch, void* workspace, CUstream_st* stream) const {
  check_room(batch);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.warm_up(batch, workspace, stream);
}

void DeviceScorer::score(const Batch& batch, const ScoreArrays& scores, void* workspace,
                         CUstream_st* stream) const {
  check_batch(batch, state_->resident.references(), state_->convention);
  check_columns(scores, state_->metrics);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.score(batch, scores, workspace, stream);
}

void DeviceScorer::check(const Batch& batch, void* workspace, CUstream_st* stream) const {
  check_batch(batch, state_->resident.references(), state_->convention);
  const cuda::CurrentDevice current(state_->device);
  report(state_->resident.check(batch, workspace, stream));
}

void DeviceScorer::set_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                                  Integers scan_of, CUstream_st* stream) {
  const InputError::Where where{{}, {}, "set_references"};
  const cuda::ResidentReferences& references = state_->resident.references();
  const std::uint64_t end = std::uint64_t{first} + count;
  const std::uint32_t room_for = references.may_change() ? references.size() : 0;
  if (end > room_for) {
    throw InputError(
        where, fmt::format("writes references up to {}, and there is room for {}", end, room_for),
        "ask for more by DeviceScorerOptions::max_references");
  }
  const std::uint32_t room = references.max_length();
  if (paths.layout.max_length > room) {
    throw InputError(where,
                     fmt::format("writes references of up to {} viewpoints, and there is room for "
                                 "{}",
                                 paths.layout.max_length, room),
                     "ask for more by DeviceScorerOptions::max_reference_length");
  }
  if (count == 0) return;
  check_integers(paths.viewpoints, "paths.viewpoints");
  check_layout(paths.layout, "paths.layout");
  check_integers(scan_of, "scan_of");
  const cuda::CurrentDevice current(state_->device);
  state_->resident.references().store(first, count, view_of(paths), {scan_of.data, scan_of.bytes},
                                      stream);
}

std::size_t DeviceScorer::statistics_bytes() {
  return sizeof(kernels::BatchTotals);
}

void DeviceScorer::clear_statistics(void* statistics, CUstream_st* stream) const {
  const cuda::CurrentDevice current(state_->device);
  state_->device.fill(statistics, 0, sizeof(kernels::BatchTotals), stream);
}

void DeviceScorer::add_to_statistics(const Batch& batch, void* statistics, void* workspace,
                                     CUstream_st* stream) const {
  check_batch(batch, state_->resident.references(), state_->convention);
  const kernels::AggregateView totals =
      cuda::totals_view(state_->metrics, static_cast<kernels::BatchTotals*>(statistics));
  const cuda::CurrentDevice current(state_->device);
  state_->resident.add_to_statistics(batch, totals, workspace, stream);
}

BatchStatistics DeviceScorer::read_statistics(const void* statistics, CUstream_st* stream) const {
  cuda::Device& device = state_->device;
  const cuda::CurrentDevice current(device);
  const cuda::PinnedArray<kernels::BatchTotals> totals(device, 1);
  const cuda::WaitAtEnd wait(device, stream);
  device.download(totals.data(), statistics, sizeof(kernels::BatchTotals), stream);
  device.wait(stream);
  BatchStatistics batch = cuda::statistics_of(totals[0]);
  batch.precision = Precision::single_precision;
  return batch;
}

Status DeviceScorer::status(std::uint32_t flags) const {
  return status_of(flags & flags_of(state_->metrics));
}

std::uint8_t DeviceScorer::zero_rules(std::uint32_t flags) const {
  return kernels::zero_rules_of(flags & flags_of(state_->metrics));
}

}  // namespace warpath

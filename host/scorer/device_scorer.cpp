#include "warpath/device_scorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/batch/request.hpp"
#include "host/cuda/resident_scorer.hpp"
#include "host/cuda/totals.hpp"
#include "kernels/metrics/flags.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using kernels::PairFault;

void check_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const batch::DistanceTables& tables) {
  if (scan_of.size() != references.size()) {
    throw InputError(
        {{}, {}, "scan_of"},
        fmt::format("has {} values for {} references", scan_of.size(), references.size()),
        "give one for each reference");
  }
  for (std::uint32_t s = 0; s < scans.size(); ++s) {
    if (tables.has(s)) continue;
    throw InputError(
        {{}, "scan " + scans[s]->id()},
        fmt::format("has {} viewpoints, too many for a table of all distances", scans[s]->size()),
        fmt::format("score scans of over {} viewpoints on the host",
                    batch::DistanceTables::max_viewpoints));
  }
  for (std::size_t r = 0; r < references.size(); ++r) {
    const auto path = references[r];
    const InputError::Where where{{}, fmt::format("reference {}", r)};
    if (path.empty()) throw InputError(where, "has no viewpoint", "give at least one");
    if (scan_of[r] >= scans.size()) {
      throw InputError(where, fmt::format("is in scan {} of {}", scan_of[r], scans.size()),
                       "number scans from 0");
    }
    const Scan& scan = *scans[scan_of[r]];
    if (std::ranges::max(path) >= scan.size()) {
      throw InputError(where,
                       fmt::format("names viewpoint {} of {}", std::ranges::max(path), scan.size()),
                       "number viewpoints from 0, by scan");
    }
  }
}

/// @throws InputError unless there is no problem
void report(const kernels::PairProblem& p) {
  const InputError::Where where{{}, fmt::format("pair {}", p.pair)};
  switch (p.fault) {
    case PairFault::none:
      return;
    case PairFault::reference:
      throw InputError(where, fmt::format("names reference {} of {}", p.value, p.limit),
                       "number references from 0");
    case PairFault::no_reference:
      throw InputError(
          where, fmt::format("names reference {}, which is empty", p.value),
          "give it elements; set_references stores a reference as empty if its scan or "
          "one of its viewpoints does not exist");
    case PairFault::length:
      throw InputError(where, fmt::format("has a query of length {}", p.value),
                       "give at least one element, or leave the pair out by `active`");
    case PairFault::too_long:
      throw InputError(where, fmt::format("has a query of length {}", p.value),
                       fmt::format("max_length says that none has more than {}", p.limit));
    case PairFault::viewpoint:
      throw InputError(where,
                       fmt::format("names viewpoint {} of {}, at position {} of its query", p.value,
                                   p.limit, p.at),
                       "number viewpoints from 0, by scan");
  }
}

/// @throws InputError unless kernels can read such integers
void check_integers(const DeviceIntegers& integers, const char* field) {
  const std::size_t width = integers.bytes;
  if (width != 1 && width != 2 && width != 4 && width != 8) {
    throw InputError({{}, {}, field}, fmt::format("has integers of {} bytes", width),
                     "give 1, 2, 4 or 8");
  }
  if (reinterpret_cast<std::uintptr_t>(integers.data) % width != 0) {
    throw InputError({{}, {}, field}, fmt::format("is not aligned to its {} bytes", width),
                     "give an address that is a multiple of them");
  }
}

/// @throws InputError if kernels would read outside of the arrays whatever is in them
void check_layout(const DeviceLayout& layout, const char* field) {
  const InputError::Where where{{}, {}, field};
  check_integers(layout.offsets, field);
  check_integers(layout.lengths, field);
  if (layout.max_length == 0) {
    throw InputError(where, "has a max_length of 0", "give the length of the longest path");
  }
  if (layout.offsets.data != nullptr) return;
  if (layout.lengths.data == nullptr) {
    throw InputError(where, "has neither offsets nor lengths", "give one of them");
  }
  if (layout.pitch < layout.max_length) {
    throw InputError(where,
                     fmt::format("has rows of {} elements and a max_length of {}", layout.pitch,
                                 layout.max_length),
                     "give rows that hold the longest path");
  }
}

constexpr std::uint32_t max_count = 0x7ffffffe;  // the toolkit's sorts count with int

void check_count(std::uint32_t count) {
  if (count <= max_count) return;
  throw InputError({{}, {}, "count"}, fmt::format("is {}", count),
                   fmt::format("score at most {} pairs at a time", max_count));
}

void check_batch(const DeviceBatch& batch) {
  check_count(batch.count);
  if (batch.count == 0) return;
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
}

/// @throws InputError if a batch of points has more than can be numbered
void check_room(const cuda::PointRoom& room) {
  check_count(room.count);
  const std::uint64_t points =
      std::uint64_t{room.count} * (std::uint64_t{room.max_length} + room.max_reference_length);
  if (points <= std::numeric_limits<std::uint32_t>::max()) return;
  throw InputError({{}, {}, "max_length"},
                   fmt::format("makes room for {} points, and there may be 2^32 - 1", points),
                   "score fewer pairs at a time");
}

void check_batch(const DevicePointBatch& batch, const Convention& convention) {
  if (!batch::points_fit_single_precision(convention)) {
    throw InputError({{}, {}, "convention"},
                     fmt::format("single precision does not reach a threshold of {} m between "
                                 "points",
                                 convention.threshold),
                     "give a threshold from 1e-6 to 1e15, or score on the host");
  }
  check_room(cuda::room_of(batch));
  if (batch.count == 0) return;
  check_layout(batch.queries.layout, "queries.layout");
  check_layout(batch.references.layout, "references.layout");
  check_integers(batch.reference, "reference");
}

/// @throws InputError if a column is given for a metric that no kernel writes
void check_columns(const DeviceScores& scores, const MetricSet& metrics) {
  for (const Metric m : MetricSet::all()) {
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
  if (!batch::fits_single_precision(convention)) {
    throw InputError({{}, {}, "convention"},
                     fmt::format("single precision does not reach a threshold of {} and an "
                                 "spl_min_denominator of {}",
                                 convention.threshold, convention.spl_min_denominator),
                     "give a threshold from 1e-12 to 1e30, or score on the host");
  }
  const batch::DistanceTables tables(scans, convention);
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

std::size_t DeviceScorer::workspace_bytes(std::uint32_t count, std::uint32_t max_length) const {
  check_count(count);
  const cuda::CurrentDevice current(state_->device);
  return state_->resident.workspace_bytes(count, max_length);
}

void DeviceScorer::warm_up(std::uint32_t count, std::uint32_t max_length, void* workspace,
                           CUstream_st* stream) const {
  check_count(count);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.warm_up(count, max_length, workspace, stream);
}

void DeviceScorer::score(const DeviceBatch& batch, const DeviceScores& scores, void* workspace,
                         CUstream_st* stream) const {
  check_batch(batch);
  check_columns(scores, state_->metrics);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.score(batch, scores, workspace, stream);
}

void DeviceScorer::check(const DeviceBatch& batch, void* workspace, CUstream_st* stream) const {
  check_batch(batch);
  const cuda::CurrentDevice current(state_->device);
  report(state_->resident.check(batch, workspace, stream));
}

void DeviceScorer::set_references(std::uint32_t first, std::uint32_t count,
                                  const DevicePaths& paths, DeviceIntegers scan_of,
                                  CUstream_st* stream) {
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
  state_->resident.references().store(first, count, cuda::view_of(paths),
                                      {scan_of.data, scan_of.bytes}, stream);
}

std::size_t DeviceScorer::workspace_bytes(const DevicePointBatch& batch) const {
  const cuda::PointRoom room = cuda::room_of(batch);
  check_room(room);
  const cuda::CurrentDevice current(state_->device);
  return state_->resident.workspace_bytes(room);
}

void DeviceScorer::warm_up(const DevicePointBatch& batch, void* workspace,
                           CUstream_st* stream) const {
  check_room(cuda::room_of(batch));
  const cuda::CurrentDevice current(state_->device);
  state_->resident.warm_up(cuda::room_of(batch), workspace, stream);
}

void DeviceScorer::check(const DevicePointBatch& batch, void* workspace,
                         CUstream_st* stream) const {
  check_batch(batch, state_->convention);
  const cuda::CurrentDevice current(state_->device);
  report(state_->resident.check(batch, workspace, stream));
}

void DeviceScorer::score(const DevicePointBatch& batch, const DeviceScores& scores, void* workspace,
                         CUstream_st* stream) const {
  check_batch(batch, state_->convention);
  check_columns(scores, state_->metrics);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.score(batch, scores, workspace, stream);
}

void DeviceScorer::add_to_statistics(const DevicePointBatch& batch, void* statistics,
                                     void* workspace, CUstream_st* stream) const {
  check_batch(batch, state_->convention);
  const kernels::AggregateView totals =
      cuda::totals_view(state_->metrics, static_cast<kernels::BatchTotals*>(statistics));
  const cuda::CurrentDevice current(state_->device);
  state_->resident.add_to_statistics(batch, totals, workspace, stream);
}

std::size_t DeviceScorer::statistics_bytes() {
  return sizeof(kernels::BatchTotals);
}

void DeviceScorer::clear_statistics(void* statistics, CUstream_st* stream) const {
  const cuda::CurrentDevice current(state_->device);
  state_->device.fill(statistics, 0, sizeof(kernels::BatchTotals), stream);
}

void DeviceScorer::add_to_statistics(const DeviceBatch& batch, void* statistics, void* workspace,
                                     CUstream_st* stream) const {
  check_batch(batch);
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

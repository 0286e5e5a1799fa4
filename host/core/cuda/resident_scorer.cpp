#include "host/core/cuda/resident_scorer.hpp"

#include <algorithm>
#include <bit>

#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/totals.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

using namespace kernels;
using batch::view_of;

/// Names the arrays in the caller's workspace.
struct ResidentScorer::Workspace {
  PackCapacity capacity;
  std::span<std::uint8_t> inactive;  ///< [count], for warm_up
  std::span<BatchTotals> totals;     ///< for warm_up
  std::span<std::uint32_t> flags, first_bad;
  std::span<PairProblem> problem;
  std::span<float> results;  ///< [metric][count]
  PackArrays packed;

  void list(ArenaLayout& layout, std::size_t metrics) {
    const std::size_t count = capacity.room.pairs;
    layout.add_device(inactive, count);
    layout.add_device(totals, 1);
    layout.add_device(flags, count);
    layout.add_device(first_bad, 1);
    layout.add_device(problem, 1);
    layout.add_device(results, metrics * count);
    packed.list(layout, capacity);
  }
};

ResidentScorer::ResidentScorer(Device& device, const PathSet& references,
                               std::span<const std::uint32_t> scan_of,
                               const batch::DistanceTables& tables, const Convention& convention,
                               const ReferenceScorerOptions& options)
    : device_(device),
      metrics_(options.metrics),
      convention_(convention),
      are_symmetric_(tables.are_symmetric()) {
  if (definitions::takes_own_lengths(convention)) {
    throw InputError({"preset " + convention.preset}, "has lengths of its own inside CLS",
                     "set cls-step to shortest and cls-length to edges, or score on the host");
  }
  view_.rules = batch::make_rules(metrics_, convention, false, tables.are_connected());
  set_ = quantity_set_covering(view_.rules.quantities, convention.edit_unit);
  point_set_ = point_quantity_set(view_.rules.quantities, convention.edit_unit, false);
  const UniqueStream stream(device);
  tables_.emplace(device, tables, tables.size(), stream.get());
  references_.emplace(device, references, scan_of, *tables_, options, stream.get());
  shape_ = kernels::group_shape(static_cast<int>(references_->max_length()), false);
  view_.distance = tables_->distance.data();
  view_.scans = tables_->scans.data();
  view_.references = references_->terms();
  for (const OwnTable own : {OwnTable::none, OwnTable::plain, OwnTable::replicated}) {
    for (const bool is_long : {false, true}) {
      const std::uint32_t max_query = is_long ? 2 * max_tile_query : max_tile_query;
      dispatch_[static_cast<int>(own)][is_long] =
          make_dispatch(references, scan_of, own, max_query, options.max_references > 0);
    }
  }
}

// References that may be replaced may have any length, in any scan.
Dispatch ResidentScorer::make_dispatch(const PathSet& references,
                                       std::span<const std::uint32_t> scan_of, OwnTable own,
                                       std::uint32_t max_query, bool may_change) const {
  Dispatch dispatch{.policy = {.set = set_,
                               .by_reference = own != OwnTable::none,
                               .in_small_groups = false,
                               .max_viewpoints = {}},
                    .bits = {},
                    .max_scan = max_viewpoints(tables_->host),
                    .wanted_slices = slices_for_each_multiprocessor * device_.multiprocessors(),
                    .kernels = {},
                    .max_runs = 0};
  set_scan_sizes(dispatch.policy, tables_->host, device_.shared_floats());
  if (own == OwnTable::replicated) {
    dispatch.policy.max_replicated_rows =
        max_replicated_rows(tables_->host, device_.shared_floats());
  }
  const std::size_t scans = tables_->host.size();
  dispatch.bits =
      key_bits(dispatch.policy.by_reference, references_->size(), scans, max_tile_query);
  std::vector<KernelNumbers> of_scans(scans, 0);
  const auto add = [&](std::uint32_t scan, std::uint32_t n) {
    of_scans[scan] |= kernels_for(dispatch.policy, n, max_query,
                                  static_cast<std::uint32_t>(tables_->host[scan].pad));
  };
  for (std::size_t r = 0; r < references.size(); ++r) {
    add(scan_of[r], static_cast<std::uint32_t>(references.size_of(r)));
  }
  for (std::uint32_t s = 0; may_change && s < scans; ++s) {
    for (std::uint32_t n = 1; n <= references_->max_length(); ++n) add(s, n);
  }
  dispatch.set_kernels(of_scans, references_->size());
  return dispatch;
}

bool ResidentScorer::is_packed(std::uint32_t count) const {
  return count >= small_batch;
}

// A reference's own table pays as it does for batches of the host; of the lengths of queries only
// a bound is known.
const Dispatch& ResidentScorer::dispatch_for(std::uint32_t count, std::uint32_t max_length) const {
  const std::uint32_t viewpoints = max_viewpoints(tables_->host);
  const double uses = static_cast<double>(count) / references_->size();
  const bool by_reference =
      are_symmetric_ && own_table_pays(set_, uses, max_length, viewpoints, device_.shared_floats());
  const OwnTable own = !by_reference                ? OwnTable::none
                       : uses < min_replicated_uses ? OwnTable::plain
                                                    : OwnTable::replicated;
  return dispatch_[static_cast<int>(own)][max_length > max_tile_query];
}

PackCapacity ResidentScorer::direct_capacity(std::uint32_t count, std::uint32_t max_length) const {
  return {.room = {.pairs = count,
                   .runs = 0,
                   .query_nodes = std::uint64_t{count} * max_length,
                   .max_query = max_length},
          .max_rows = 0,
          .border_groups = has_border(shape_) ? border_groups(count) : 0,
          .scratch_bytes = 0};
}

PackCapacity ResidentScorer::packed_capacity(std::uint32_t count, std::uint32_t max_length,
                                             const Dispatch& dispatch) const {
  PackCapacity capacity = direct_capacity(count, max_length);
  capacity.room.runs = dispatch.max_runs;
  capacity.max_rows = dispatch.max_rows();
  capacity.border_groups = dispatch.has_groups() ? border_groups(count) : 0;
  capacity.scratch_bytes = device_.scratch_bytes(capacity.max_elements());
  return capacity;
}

PackCapacity ResidentScorer::capacity(std::uint32_t count, std::uint32_t max_length) const {
  return is_packed(count) ? packed_capacity(count, max_length, dispatch_for(count, max_length))
                          : direct_capacity(count, max_length);
}

std::size_t ResidentScorer::bytes_of(const PackCapacity& capacity) const {
  Workspace arrays;
  arrays.capacity = capacity;
  ArenaLayout layout;
  arrays.list(layout, batch::kernel_metrics(metrics_).size());
  return layout.bytes().device;
}

ResidentScorer::Workspace ResidentScorer::workspace(void* memory, std::uint32_t count,
                                                    std::uint32_t max_length) const {
  Workspace arrays;
  arrays.capacity = capacity(count, max_length);
  ArenaLayout layout(static_cast<char*>(memory), nullptr, nullptr);
  arrays.list(layout, batch::kernel_metrics(metrics_).size());
  return arrays;
}

// What is enough for a batch is enough for every smaller one, whichever way it takes.
std::size_t ResidentScorer::workspace_bytes(const Batch& batch) const {
  if (batch.has_points()) return point_workspace_bytes(room_of(batch));
  const std::uint32_t count = batch.count, max_length = batch.queries.layout.max_length;
  const auto direct = std::min(count, static_cast<std::uint32_t>(small_batch - 1));
  std::size_t bytes = bytes_of(direct_capacity(direct, max_length));
  if (!is_packed(count)) return bytes;
  for (const auto& dispatches : dispatch_) {
    for (const Dispatch& dispatch : dispatches) {
      bytes = std::max(bytes, bytes_of(packed_capacity(count, max_length, dispatch)));
    }
  }
  return bytes;
}

PairsView ResidentScorer::pairs(const Batch& batch) const {
  return {.count = batch.count,
          .reference_of = view_of(batch.reference),
          .active = batch.active,
          .references = references_->view(),
          .queries = view_of(batch.queries),
          .scan_of = references_->scan_of(),
          .scans = tables_->scans.data()};
}

void ResidentScorer::start(const Batch& batch, const BatchView& view, bool by_place,
                           const Workspace& memory, Stream stream) const {
  const PairsView here = pairs(batch);
  if (!is_packed(batch.count)) return start_directly(here, view, memory, stream);
  const PackedPairs packed(device_, memory.packed, memory.capacity,
                           dispatch_for(batch.count, batch.queries.layout.max_length), here);
  packed.pack(by_place, view.results, stream);
  packed.score(view, stream);
}

void ResidentScorer::start_directly(const PairsView& pairs, const BatchView& view,
                                    const Workspace& memory, Stream stream) const {
  const GroupView groups{.batch = view,
                         .pairs = pairs,
                         .slots = nullptr,
                         .range = nullptr,
                         .count = pairs.count,
                         .border_columns = memory.capacity.room.max_query,
                         .border_groups = memory.capacity.border_groups,
                         .border = memory.packed.border.data(),
                         .border_carry = memory.packed.border_carry.data()};
  device_.launch(ScoreGroups{.view = groups, .shape = shape_, .set = set_}, stream);
}

ResultView ResidentScorer::results_in(std::span<float> columns, std::span<std::uint32_t> flags,
                                      std::uint32_t count) const {
  ResultView results{};
  std::size_t column = 0;
  for (const Metric m : batch::kernel_metrics(metrics_)) {
    results.column[index_of(m)] = columns.data() + column++ * count;
  }
  results.flags = flags.data();
  return results;
}

void ResidentScorer::score(const Batch& batch, const ScoreArrays& scores, void* workspace_at,
                           Stream stream) const {
  if (batch.count == 0) return;
  if (batch.has_points()) return score_points(batch, scores, workspace_at, stream);
  const Workspace memory = workspace(workspace_at, batch.count, batch.queries.layout.max_length);
  BatchView view = view_;
  view.task_success = batch.task_success;
  view.rules.given_success = batch.task_success != nullptr;
  std::copy_n(scores.column.begin(), path_metric_count, view.results.column);
  view.results.flags = scores.flags != nullptr ? scores.flags : memory.flags.data();
  start(batch, view, false, memory, stream);
}

void ResidentScorer::add_to_statistics(const Batch& batch, const AggregateView& totals,
                                       void* workspace_at, Stream stream) const {
  if (batch.count == 0) return;
  if (batch.has_points()) return add_points(batch, totals, workspace_at, stream);
  const Workspace memory = workspace(workspace_at, batch.count, batch.queries.layout.max_length);
  const bool by_place = is_packed(batch.count) && batch.task_success == nullptr;
  BatchView view = view_;
  view.task_success = batch.task_success;
  view.rules.given_success = batch.task_success != nullptr;
  view.results = results_in(memory.results, memory.flags, batch.count);
  start(batch, view, by_place, memory, stream);
  aggregate(totals, view.results, pairs(batch), by_place ? &memory.packed : nullptr, stream);
}

// In sorted order the active pairs come first.
void ResidentScorer::aggregate(const AggregateView& totals, const ResultView& results,
                               const PairsView& pairs, const PackArrays* by_place,
                               Stream stream) const {
  AggregateView all = totals;
  all.results = results;
  all.count = pairs.count;
  all.reference_of = pairs.reference_of;
  all.references = pairs.references.layout;
  all.queries = pairs.queries.layout;
  if (by_place != nullptr) {
    all.pair_of = by_place->sorted_pair.data();
    all.device_count = by_place->active_pairs.data();
  } else {
    all.active = pairs.active;
  }
  device_.launch(all, stream);
}

// No pair is active, so nothing is scored, but every kernel is loaded.
void ResidentScorer::warm_up(const Batch& room, void* workspace_at, Stream stream) const {
  const std::uint32_t count = room.count, max_length = room.queries.layout.max_length;
  if (count == 0) return;
  if (room.has_points()) return warm_up_points(room_of(room), workspace_at, stream);
  const Workspace memory = workspace(workspace_at, count, max_length);
  device_.fill(memory.inactive.data(), 0, count, stream);
  device_.fill(memory.totals.data(), 0, sizeof(BatchTotals), stream);
  const Integers zeros = memory.inactive.data();
  const Batch batch{
      .count = count,
      .queries = {zeros, {.lengths = zeros, .pitch = max_length, .max_length = max_length}},
      .active = memory.inactive.data()};
  score(batch, {}, workspace_at, stream);
  add_to_statistics(batch, totals_view(metrics_, memory.totals.data()), workspace_at, stream);
}

PairProblem ResidentScorer::check(const Batch& batch, void* workspace_at, Stream stream) const {
  if (batch.count == 0) return {};
  if (batch.has_points()) return check_points(batch, workspace_at, stream);
  const Workspace memory = workspace(workspace_at, batch.count, batch.queries.layout.max_length);
  return check({.pairs = pairs(batch),
                .references = references_->size(),
                .first_bad = memory.first_bad.data(),
                .problem = memory.problem.data()},
               stream);
}

PairProblem ResidentScorer::check(const CheckView& view, Stream stream) const {
  const PinnedArray<PairProblem> problem(device_, 1);
  const WaitAtEnd wait(device_, stream);
  device_.launch(CheckPairs{view}, stream);
  device_.download(problem.data(), view.problem, sizeof(PairProblem), stream);
  device_.wait(stream);
  return problem[0];
}

}  // namespace warpath::cuda

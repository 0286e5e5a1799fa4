#include <algorithm>

#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/resident_scorer.hpp"
#include "host/core/cuda/totals.hpp"
#include "kernels/views/points.hpp"

namespace warpath::cuda {

using namespace kernels;
using batch::view_of;

/// Names the arrays in the caller's workspace.
struct ResidentScorer::PointWorkspace {
  PointRoom room;
  std::uint32_t border_groups;
  std::span<DevicePoint> points;  ///< [pair][longest reference, then longest query]
  std::span<DevicePointPair> pairs;
  std::span<std::uint8_t> inactive;  ///< [count], for warm_up, as the next
  std::span<BatchTotals> totals;
  std::span<std::uint32_t> flags, first_bad;
  std::span<PairProblem> problem;
  std::span<float> results;  ///< [metric][count]
  std::span<float> border;
  std::span<std::uint32_t> border_carry;

  std::uint32_t pitch() const { return room.max_reference_length + room.max_length; }
  void list(ArenaLayout& layout, std::size_t metrics) {
    const std::size_t entries = std::size_t{border_groups} * room.max_length;
    layout.add_device(points, std::size_t{room.count} * pitch());
    layout.add_device(pairs, room.count);
    layout.add_device(inactive, room.count);
    layout.add_device(totals, 1);
    layout.add_device(flags, room.count);
    layout.add_device(first_bad, 1);
    layout.add_device(problem, 1);
    layout.add_device(results, metrics * room.count);
    layout.add_device(border, 4 * entries);
    layout.add_device(border_carry, 2 * entries);
  }
};

namespace {

/// Returns the pairs of a batch with the lengths of their paths, and nothing else of them.
PairsView lengths_of(const Batch& batch) {
  return {.count = batch.count,
          .reference_of = view_of(batch.reference),
          .active = batch.active,
          .references = {{}, view_of(batch.references.layout)},
          .queries = {{}, view_of(batch.queries.layout)},
          .scan_of = nullptr,
          .scans = nullptr};
}

}  // namespace

// As batch::point_rules: all points are connected, and steps have the same length inside CLS.
Rules ResidentScorer::point_rules(bool given_success) const {
  return batch::make_rules(metrics_, convention_, given_success, true);
}

ResidentScorer::PointWorkspace ResidentScorer::point_workspace(void* memory,
                                                               const PointRoom& room) const {
  PointWorkspace arrays;
  arrays.room = room;
  arrays.border_groups = point_set_ == QuantitySet::goal ? 0 : border_groups(room.count);
  ArenaLayout layout(static_cast<char*>(memory), nullptr, nullptr);
  arrays.list(layout, batch::kernel_metrics(metrics_).size());
  return arrays;
}

std::size_t ResidentScorer::point_workspace_bytes(const PointRoom& room) const {
  PointWorkspace arrays = point_workspace(nullptr, room);
  ArenaLayout layout;
  arrays.list(layout, batch::kernel_metrics(metrics_).size());
  return layout.bytes().device;
}

void ResidentScorer::start_points(const Batch& batch, const Rules& rules, const ResultView& results,
                                  const PointWorkspace& memory, Stream stream) const {
  device_.launch(PreparePointsView{.references = view_of(batch.references),
                                   .queries = view_of(batch.queries),
                                   .count = batch.count,
                                   .reference_of = view_of(batch.reference),
                                   .active = batch.active,
                                   .task_success = batch.task_success,
                                   .threshold = convention_.threshold,
                                   .flat = convention_.distance == Distance::euclid_2d,
                                   .needs_ids = (swept_of(point_set_) & quantity_edits) != 0,
                                   .pitch = memory.pitch(),
                                   .points = memory.points.data(),
                                   .pairs = memory.pairs.data()},
                 stream);
  const PointView view{.rules = rules,
                       .points = memory.points.data(),
                       .pairs = memory.pairs.data(),
                       .count = batch.count,
                       .border_columns = memory.room.max_length,
                       .border_groups = memory.border_groups,
                       .border = memory.border.data(),
                       .border_carry = memory.border_carry.data(),
                       .results = results};
  const auto longest = static_cast<int>(memory.room.max_reference_length);
  device_.launch(
      ScorePoints{.view = view, .shape = kernels::group_shape(longest, true), .set = point_set_},
      stream);
}

void ResidentScorer::score_points(const Batch& batch, const ScoreArrays& scores, void* workspace,
                                  Stream stream) const {
  if (batch.count == 0) return;
  const PointWorkspace memory = point_workspace(workspace, room_of(batch));
  ResultView results{};
  std::copy_n(scores.column.begin(), path_metric_count, results.column);
  results.flags = scores.flags != nullptr ? scores.flags : memory.flags.data();
  start_points(batch, point_rules(batch.task_success != nullptr), results, memory, stream);
}

void ResidentScorer::add_points(const Batch& batch, const AggregateView& totals, void* workspace,
                                Stream stream) const {
  if (batch.count == 0) return;
  const PointWorkspace memory = point_workspace(workspace, room_of(batch));
  const ResultView results = results_in(memory.results, memory.flags, batch.count);
  start_points(batch, point_rules(batch.task_success != nullptr), results, memory, stream);
  aggregate(totals, results, lengths_of(batch), nullptr, stream);
}

// As for paths of viewpoints.
void ResidentScorer::warm_up_points(const PointRoom& room, void* workspace, Stream stream) const {
  if (room.count == 0) return;
  const PointWorkspace memory = point_workspace(workspace, room);
  device_.fill(memory.inactive.data(), 0, room.count, stream);
  device_.fill(memory.totals.data(), 0, sizeof(BatchTotals), stream);
  const auto paths = [&](std::uint32_t max_length) -> PathsView {
    return {static_cast<const float*>(nullptr),
            {.lengths = memory.inactive.data(), .pitch = max_length, .max_length = max_length}};
  };
  const Batch batch{.count = room.count,
                    .queries = paths(room.max_length),
                    .references = paths(room.max_reference_length),
                    .active = memory.inactive.data()};
  score_points(batch, {}, workspace, stream);
  add_points(batch, totals_view(metrics_, memory.totals.data()), workspace, stream);
}

PairProblem ResidentScorer::check_points(const Batch& batch, void* workspace, Stream stream) const {
  if (batch.count == 0) return {};
  const PointWorkspace memory = point_workspace(workspace, room_of(batch));
  return check({.pairs = lengths_of(batch),
                .references = batch.reference.data != nullptr ? batch.reference_count : batch.count,
                .first_bad = memory.first_bad.data(),
                .problem = memory.problem.data()},
               stream);
}

}  // namespace warpath::cuda

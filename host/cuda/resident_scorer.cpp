#include "host/cuda/resident_scorer.hpp"

#include <algorithm>
#include <numeric>

#include "host/batch/request.hpp"
#include "host/cuda/arena.hpp"
#include "host/cuda/plan.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

/// Names the arrays in the caller's workspace.
struct Workspace {
  std::span<GroupPair> pairs;
  std::span<float> border;
  std::span<std::uint32_t> border_carry;

  /// @param groups number of groups with borders
  void list(ArenaLayout& layout, std::size_t rollouts, std::size_t max_length, std::size_t groups) {
    layout.add_device(pairs, rollouts);
    layout.add_device(border, 4 * groups * max_length);
    layout.add_device(border_carry, 2 * groups * max_length);
  }
};

// Copies values to the device through pinned memory, which is released afterwards.
template <class T>
DeviceArray<T> uploaded(Device& device, auto&& values, Stream stream) {
  HostDeviceArray<T> copy(device, std::size(values));
  const WaitAtEnd wait(device, stream);
  std::ranges::transform(values, copy.host.data(), [](auto v) { return static_cast<T>(v); });
  copy.upload(device, std::size(values), stream);
  device.wait(stream);
  return std::move(copy.device);
}

}  // namespace

ResidentScorer::ResidentScorer(Device& device, const PathSet& references,
                               std::span<const std::uint32_t> scan_of,
                               const batch::DistanceTables& tables, const Convention& convention,
                               const MetricSet& metrics, std::uint32_t max_rollouts)
    : device_(device), max_rollouts_(max_rollouts) {
  view_.rules = batch::make_rules(metrics, convention, false, tables.are_connected());
  set_ = quantity_set_covering(view_.rules.quantities, convention.edit_unit);
  if (convention.cls_step == ClsStep::edge) {
    throw InputError({"preset " + convention.preset}, "has lengths by edge inside CLS",
                     "set cls-step to another value, or score on the host");
  }
  std::size_t max_length = 1;
  for (std::size_t r = 0; r < references.size(); ++r) {
    max_length = std::max(max_length, references.size_of(r));
  }
  shape_ = kernels::group_shape(static_cast<int>(max_length), false);

  const UniqueStream stream(device);
  const std::size_t scans = scan_of.empty() ? 0 : std::ranges::max(scan_of) + std::size_t{1};
  std::vector<std::uint32_t> order(max_rollouts);
  std::iota(order.begin(), order.end(), 0u);
  tables_.emplace(device, tables, scans, stream.get());
  nodes_ = uploaded<std::uint16_t>(device, references.elements, stream.get());
  offsets_ = uploaded<std::uint32_t>(device, references.offsets, stream.get());
  scan_of_ = uploaded<std::uint32_t>(device, scan_of, stream.get());
  in_order_ = uploaded<std::uint32_t>(device, order, stream.get());
  run_ = uploaded<KeyRun>(device, std::vector<KeyRun>(1), stream.get());
  terms_ = {device, references.size()};
  device.launch(
      TermsView<std::uint16_t>{.references = {.nodes = nodes_.data(), .offsets = offsets_.data()},
                               .count = static_cast<std::uint32_t>(references.size()),
                               .scan_of = scan_of_.data(),
                               .scans = tables_->scans.data(),
                               .distance = tables_->distance.data(),
                               .cls_length = nullptr,
                               .terms = terms_.data()},
      stream.get());
  device.wait(stream.get());
  view_.distance = tables_->distance.data();
  view_.scans = tables_->scans.data();
  view_.references = terms_.data();
}

std::uint32_t ResidentScorer::groups(std::uint32_t rollouts) const {
  return has_border(shape_) ? border_groups(rollouts) : 0;
}

std::size_t ResidentScorer::workspace_bytes(std::uint32_t rollouts,
                                            std::uint32_t max_length) const {
  ArenaLayout layout;
  Workspace().list(layout, rollouts, max_length, groups(rollouts));
  return layout.bytes().device;
}

void ResidentScorer::score_async(const Rollouts& rollouts, const RolloutScores& scores,
                                 void* workspace, Stream stream) const {
  if (rollouts.count > max_rollouts_) {
    throw InputError({"score_async"}, std::to_string(rollouts.count) + " rollouts",
                     "make room for so many when the scorer is made");
  }
  const std::uint32_t groups_at_once = groups(rollouts.count);
  ArenaLayout layout(static_cast<char*>(workspace), nullptr, nullptr);
  Workspace arrays;
  arrays.list(layout, rollouts.count, rollouts.max_length, groups_at_once);
  device_.launch(PlaceView{.pairs = {.count = rollouts.count,
                                     .reference_of = rollouts.reference,
                                     .query_length = nullptr,
                                     .reference_offsets = offsets_.data(),
                                     .scan_of = scan_of_.data(),
                                     .scans = tables_->scans.data()},
                           .sorted = in_order_.data(),
                           .runs = run_.data(),
                           .run_count = 1,
                           .slots = arrays.pairs.data(),
                           .tile_columns = nullptr,
                           .tile_slots = 0,
                           .by_place = false},
                 stream);
  BatchView view = view_;
  view.task_success = rollouts.task_success;
  view.rules.given_success = rollouts.task_success != nullptr;
  std::ranges::copy(scores.column, view.results.column);
  view.results.flags = scores.flags;
  const GroupView view_of_pairs{.batch = view,
                                .references = {.nodes = nodes_.data(), .offsets = offsets_.data()},
                                .queries = {.nodes = rollouts.nodes, .offsets = rollouts.offsets},
                                .pairs = arrays.pairs.data(),
                                .count = rollouts.count,
                                .border_columns = rollouts.max_length,
                                .border_groups = groups_at_once,
                                .border = arrays.border.data(),
                                .border_carry = arrays.border_carry.data()};
  device_.launch(ScoreGroups{.view = view_of_pairs, .shape = shape_, .set = set_}, stream);
}

}  // namespace warpath::cuda

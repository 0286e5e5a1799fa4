#include "host/cuda/resident_scorer.hpp"

#include <algorithm>
#include <numeric>

#include "host/batch/request.hpp"
#include "host/cuda/plan.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// To the device, by way of pinned memory that is given back.
template <class T>
DeviceArray<T> uploaded(Device& device, auto&& values, Stream stream) {
  HostDeviceArray<T> mirror(device, std::size(values));
  std::ranges::transform(values, mirror.host.data(), [](auto v) { return static_cast<T>(v); });
  mirror.upload(device, std::size(values), stream);
  device.wait(stream);
  return std::move(mirror.device);
}

}  // namespace

ResidentScorer::ResidentScorer(Device& device, const PathSet& references,
                               std::span<const std::uint32_t> scan_of,
                               const batch::DistanceTables& tables, const Convention& convention,
                               const MetricSet& metrics, std::uint32_t max_rollouts)
    : device_(device), max_rollouts_(max_rollouts) {
  view_.rules = batch::make_rules(metrics, convention, false, tables.are_connected());
  parts_ = quantity_set_covering(view_.rules.quantities, convention.edit_unit);
  if (convention.cls_step == ClsStep::edge) {
    throw InputError({"preset " + convention.preset}, "has lengths by edge inside CLS",
                     "set cls-step to another value, or score on the host");
  }
  std::size_t longest = 1;
  for (std::size_t r = 0; r < references.size(); ++r) {
    longest = std::max(longest, references.size_of(r));
  }
  shape_ = kernels::group_shape(static_cast<int>(longest), false);

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

std::size_t ResidentScorer::workspace_bytes(std::uint32_t rollouts, std::uint32_t longest) const {
  const std::size_t entries = std::size_t{groups(rollouts)} * longest;
  return aligned(rollouts * sizeof(GroupPair)) + aligned(4 * entries * sizeof(float)) +
         2 * entries * sizeof(std::uint32_t);
}

void ResidentScorer::score_async(const Rollouts& rollouts, const RolloutScores& scores,
                                 void* workspace, Stream stream) const {
  if (rollouts.count > max_rollouts_) {
    throw InputError({"score_async"}, std::to_string(rollouts.count) + " rollouts",
                     "make room for so many when the scorer is made");
  }
  auto* pairs = static_cast<GroupPair*>(workspace);
  char* after = static_cast<char*>(workspace) + aligned(rollouts.count * sizeof(GroupPair));
  auto* border = reinterpret_cast<float*>(after);
  const std::uint32_t with_border = groups(rollouts.count);
  after += aligned(4 * std::size_t{with_border} * rollouts.max_length * sizeof(float));
  device_.launch(PlaceView{.pairs = {.count = rollouts.count,
                                     .reference_of = rollouts.reference,
                                     .query_length = nullptr,
                                     .reference_offsets = offsets_.data(),
                                     .scan_of = scan_of_.data(),
                                     .scans = tables_->scans.data()},
                           .sorted = in_order_.data(),
                           .runs = run_.data(),
                           .run_count = 1,
                           .slots = pairs,
                           .tile_columns = nullptr,
                           .tile_slots = 0,
                           .by_place = false},
                 stream);
  BatchView view = view_;
  view.task_success = rollouts.task_success;
  view.rules.given_success = rollouts.task_success != nullptr;
  std::ranges::copy(scores.column, view.results.column);
  view.results.flags = scores.flags;
  const GroupView groups{.batch = view,
                         .references = {.nodes = nodes_.data(), .offsets = offsets_.data()},
                         .queries = {.nodes = rollouts.nodes, .offsets = rollouts.offsets},
                         .pairs = pairs,
                         .count = rollouts.count,
                         .border_columns = rollouts.max_length,
                         .border_groups = with_border,
                         .border = border,
                         .border_carry = reinterpret_cast<std::uint32_t*>(after)};
  device_.launch(ScoreGroups{.view = groups, .shape = shape_, .parts = parts_}, stream);
}

}  // namespace warpath::cuda

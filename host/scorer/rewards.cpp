#include "host/scorer/rewards.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "host/batch/arena.hpp"
#include "host/batch/check_ids.hpp"
#include "host/batch/check_views.hpp"
#include "kernels/bodies/device_batch.hpp"
#include "kernels/rewards/returns.hpp"
#include "warpath/error.hpp"

namespace warpath {

namespace {

using kernels::CheckView;

// Views the references of tables as the check of pairs reads them.
struct CheckedReferences {
  explicit CheckedReferences(const rewards::RewardTables& all) : tables(all) {
    for (std::size_t s = 0; s < tables.distances.size(); ++s) {
      scans.push_back(tables.distances[static_cast<std::uint32_t>(s)]);
    }
  }

  CheckView view(const RolloutBatch& batch) const {
    const PathSet& paths = tables.references;
    const auto count = static_cast<std::uint32_t>(paths.size());
    return {{.count = batch.count,
             .reference_of = batch::view_of(batch.reference),
             .active = batch.active,
             .references = {{paths.elements.data(), sizeof(Node)},
                            {{paths.offsets.data(), sizeof(std::uint64_t)}, {}, 0, ~0u}},
             .queries = batch::view_of(batch.queries),
             .scan_of = tables.scan_of.data(),
             .scans = scans.data()},
            count,
            nullptr,
            nullptr};
  }

  const rewards::RewardTables& tables;
  std::vector<kernels::ScanTable> scans;
};

// Refuses the first pair that has a problem.
void check_pairs(const CheckView& view) {
  const kernels::PairsView& pairs = view.pairs;
  CheckView without_nodes = view;
  without_nodes.pairs.queries.nodes = {nullptr, 4};
  for (std::uint32_t i = 0; i < pairs.count; ++i) {
    if (!pairs.is_active(i)) continue;
    batch::report(problem_of(without_nodes, i), "rollout");
    const kernels::PathsView& queries = pairs.queries;
    if (!queries.nodes.exist()) continue;
    const auto viewpoints =
        static_cast<std::uint32_t>(pairs.scans[pairs.scan_of[pairs.reference(i)]].pad);
    if (batch::are_below(queries.path(i), queries.length(i), viewpoints)) continue;
    batch::report(problem_of(view, i), "rollout");
  }
}

void check_rollouts(const RolloutBatch& batch, const CheckedReferences& references) {
  batch::check_count(batch.count);
  if (batch.count == 0) return;
  batch::check_integers(batch.queries.viewpoints, "queries.viewpoints");
  batch::check_given(batch.queries.viewpoints.data, "queries.viewpoints");
  batch::check_layout(batch.queries.layout, "queries.layout");
  batch::check_integers(batch.reference, "reference");
  batch::check_reference_given(batch.reference, batch.count, references.tables.references.size());
  check_pairs(references.view(batch));
}

// Refuses points of active rollouts that kernels cannot take, and references that are cut or run
// backwards.
void check_points_of(const CheckView& view, const kernels::PointsView& queries,
                     const kernels::PointsView& references) {
  for (std::uint32_t k = 0; k < view.pairs.count; ++k) {
    if (!view.pairs.is_active(k)) continue;
    const std::uint32_t r = view.pairs.reference(k);
    scorer::check_reference_length(references.layout, r, references.layout.max_length, "rollout",
                                   k);
    scorer::check_points(queries.path(k), queries.length(k), "rollout", k);
    scorer::check_points(references.path(r), references.length(r), "rollout", k);
  }
}

void check_rollouts(const PointRolloutBatch& batch, const Convention& convention) {
  batch::check_count(batch.count);
  if (batch.count == 0) return;
  batch::check_threshold_between_points(convention);
  batch::check_given(batch.queries.points, "queries.points");
  batch::check_given(batch.references.points, "references.points");
  batch::check_layout(batch.queries.layout, "queries.layout");
  batch::check_layout(batch.references.layout, "references.layout");
  batch::check_integers(batch.reference, "reference");
  const kernels::PointsView queries = batch::view_of(batch.queries),
                            references = batch::view_of(batch.references);
  const std::uint32_t count = batch.reference.data != nullptr ? batch.reference_count : batch.count;
  const CheckView view{{.count = batch.count,
                        .reference_of = batch::view_of(batch.reference),
                        .active = batch.active,
                        .references = {{}, references.layout},
                        .queries = {{}, queries.layout},
                        .scan_of = nullptr,
                        .scans = nullptr},
                       count,
                       nullptr,
                       nullptr};
  check_pairs(view);
  check_points_of(view, queries, references);
}

}  // namespace

void scorer::check_points(const float* points, std::size_t count, std::string_view kind,
                          std::uint32_t number) {
  const auto is_usable = [](float x) { return std::abs(x) <= 1e12f; };
  bool are_usable = true;
  for (std::size_t k = 0; k < 3 * count; ++k) are_usable &= is_usable(points[k]);
  if (are_usable) return;
  const float* const wrong = std::find_if_not(points, points + 3 * count, is_usable);
  throw InputError({{}, fmt::format("{} {}", kind, number)},
                   fmt::format("has the coordinate {} at point {}", *wrong, (wrong - points) / 3),
                   "give metres, at most 1e12");
}

void scorer::check_reference_length(const kernels::PathLayout& layout, std::uint32_t path,
                                    std::uint32_t max_length, std::string_view kind,
                                    std::uint32_t number) {
  const std::int64_t n = layout.exact_length(path);
  if (n >= 1 && n <= max_length) return;
  throw InputError({{}, fmt::format("{} {}", kind, number)},
                   fmt::format("has a reference of {} points", n),
                   fmt::format("give from 1 to {}", max_length));
}

Rewards::State::State(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const RewardSettings& with,
                      const RewardOptions& options)
    : settings(with), threads(options.threads), graphs(options.graphs) {
  set_references(scans, references, scan_of, options.goals);
}

std::shared_ptr<const Rewards::State::Standing> Rewards::State::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

void Rewards::State::set_references(std::span<const Scan* const> scans, const PathSet& references,
                                    std::span<const std::uint32_t> scan_of, const PathSet& goals) {
  tbb::task_arena arena(batch::arena_size(threads));
  const auto made = arena.execute(
      [&] { return std::make_shared<const Standing>(*this, scans, references, scan_of, goals); });
  const std::lock_guard lock(mutex_);
  standing_ = made;
}

Rewards::Rewards(std::span<const Scan* const> scans, const PathSet& references,
                 std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                 const RewardOptions& options)
    : state_(std::make_unique<State>(scans, references, scan_of, settings, options)) {}
Rewards::Rewards(const RewardSettings& settings, const RewardOptions& options)
    : state_(std::make_unique<State>(std::span<const Scan* const>(), PathSet(),
                                     std::span<const std::uint32_t>(), settings,
                                     RewardOptions{{}, options.threads, options.graphs})) {}
Rewards::Rewards(Rewards&&) noexcept = default;
Rewards& Rewards::operator=(Rewards&&) noexcept = default;
Rewards::~Rewards() = default;

const RewardSettings& Rewards::settings() const {
  return state_->settings;
}

void Rewards::set_references(std::span<const Scan* const> scans, const PathSet& references,
                             std::span<const std::uint32_t> scan_of, const PathSet& goals) {
  state_->set_references(scans, references, scan_of, goals);
}

void Rewards::compute(const RolloutBatch& batch, const RewardArrays& out,
                      const Watch& watch) const {
  const auto standing = state_->standing();
  check_rollouts(batch, CheckedReferences(standing->tables));
  if (batch.count > 0) batch::check_given(out.reward, "reward");
  standing->rewarder.compute(batch, out, watch);
}

void Rewards::compute(const PointRolloutBatch& batch, const RewardArrays& out,
                      const Watch& watch) const {
  const auto standing = state_->standing();
  check_rollouts(batch, state_->settings.convention);
  if (batch.count > 0) batch::check_given(out.reward, "reward");
  standing->rewarder.compute(batch, out, watch);
}

void Rewards::add_up(const ReturnsBatch& batch) {
  const kernels::ReturnsView view = batch::view_of(batch);
  for (std::uint32_t k = 0; k < view.count; ++k) {
    const bool is_active = view.active == nullptr || view.active[k] != 0;
    if (!is_active) continue;
    const std::int64_t n = view.layout.exact_length(k);
    if (n >= 0 && n <= view.layout.max_length) continue;
    throw InputError({{}, fmt::format("rollout {}", k)}, fmt::format("has {} rewards", n),
                     "give lengths from 0 to max_length");
  }
  for (std::uint32_t k = 0; k < view.count; ++k) kernels::add_up_rewards(view, k);
}

}  // namespace warpath

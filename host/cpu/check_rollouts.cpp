#include "host/cpu/check_rollouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/batch/check_ids.hpp"
#include "host/batch/check_views.hpp"
#include "kernels/bodies/device_batch.hpp"
#include "warpath/error.hpp"

namespace warpath::cpu {

namespace {

using kernels::CheckView;

// Views the references of tables as the check of pairs reads them.
struct CheckedReferences {
  explicit CheckedReferences(const rewards::RewardTables& all) : tables(all) {
    for (std::size_t s = 0; s < tables.distances.size(); ++s) {
      scans.push_back(tables.distances[static_cast<std::uint32_t>(s)]);
    }
  }

  CheckView view(const Batch& batch) const {
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
    const kernels::PathArray& queries = pairs.queries;
    if (!queries.nodes.exist()) continue;
    const auto viewpoints =
        static_cast<std::uint32_t>(pairs.scans[pairs.scan_of[pairs.reference(i)]].pad);
    if (batch::are_below(queries.path(i), queries.length(i), viewpoints)) continue;
    batch::report(problem_of(view, i), "rollout");
  }
}

// Refuses points of active rollouts that kernels cannot take, and references that are cut or run
// backwards.
void check_points_of(const CheckView& view, const kernels::PathArray& queries,
                     const kernels::PathArray& references) {
  for (std::uint32_t k = 0; k < view.pairs.count; ++k) {
    if (!view.pairs.is_active(k)) continue;
    const std::uint32_t r = view.pairs.reference(k);
    check_reference_length(references.layout, r, references.layout.max_length, "rollout", k);
    check_points(queries.points_of(k), queries.length(k), "rollout", k);
    check_points(references.points_of(r), references.length(r), "rollout", k);
  }
}

void check_viewpoint_rollouts(const Batch& batch, const rewards::RewardTables& tables) {
  batch::check_integers(batch.queries.viewpoints, "queries.viewpoints");
  batch::check_given(batch.queries.viewpoints.data, "queries.viewpoints");
  batch::check_layout(batch.queries.layout, "queries.layout");
  batch::check_integers(batch.reference, "reference");
  batch::check_reference_given(batch.reference, batch.count, tables.references.size());
  const CheckedReferences references(tables);
  check_pairs(references.view(batch));
}

void check_point_rollouts(const Batch& batch, const Convention& convention) {
  batch::check_threshold_between_points(convention);
  batch::check_given(batch.queries.points, "queries.points");
  batch::check_given(batch.references.points, "references.points");
  batch::check_layout(batch.queries.layout, "queries.layout");
  batch::check_layout(batch.references.layout, "references.layout");
  batch::check_integers(batch.reference, "reference");
  const kernels::PathArray queries = batch::view_of(batch.queries),
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

void check_points(const float* points, std::size_t count, std::string_view kind,
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

void check_reference_length(const kernels::PathLayout& layout, std::uint32_t path,
                            std::uint32_t max_length, std::string_view kind, std::uint32_t number) {
  const std::int64_t n = layout.exact_length(path);
  if (n >= 1 && n <= max_length) return;
  throw InputError({{}, fmt::format("{} {}", kind, number)},
                   fmt::format("has a reference of {} points", n),
                   fmt::format("give from 1 to {}", max_length));
}

void check_rollouts(const Batch& batch, const rewards::RewardTables& tables) {
  if (batch.has_points())
    check_point_rollouts(batch, tables.settings.convention);
  else
    check_viewpoint_rollouts(batch, tables);
}

}  // namespace warpath::cpu

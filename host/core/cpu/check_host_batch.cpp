#include "host/core/cpu/check_host_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/core/batch/check_ids.hpp"
#include "host/core/batch/check_views.hpp"
#include "kernels/bodies/device_batch.hpp"
#include "warpath/error.hpp"

namespace warpath::cpu {
namespace {

using batch::check_given;
using batch::check_integers;
using batch::check_layout;
using batch::view_of;
using kernels::CheckView;

// Refuses the first pair that has a problem.
void check_pairs(const CheckView& view, std::string_view kind) {
  const kernels::PairsView& pairs = view.pairs;
  CheckView without_nodes = view;
  without_nodes.pairs.queries.nodes = {nullptr, 4};
  for (std::uint32_t i = 0; i < pairs.count; ++i) {
    if (!pairs.is_active(i)) continue;
    batch::report(problem_of(without_nodes, i), kind);
    const kernels::PathArray& queries = pairs.queries;
    if (!queries.nodes.exist()) continue;
    const auto viewpoints =
        static_cast<std::uint32_t>(pairs.scans[pairs.scan_of[view.reference(i)]].pad);
    if (batch::are_below(queries.path(i), queries.length(i), viewpoints)) continue;
    batch::report(problem_of(view, i), kind);
  }
}

// Refuses points of active pairs that kernels cannot take, and references that are cut or run
// backwards.
void check_points_of(const CheckView& view, const kernels::PathArray& queries,
                     const kernels::PathArray& references, std::string_view kind) {
  for (std::uint32_t k = 0; k < view.pairs.count; ++k) {
    if (!view.pairs.is_active(k)) continue;
    const auto r = static_cast<std::uint32_t>(view.reference(k));
    check_reference_length(references.layout, r, references.layout.max_length, kind, k);
    check_coordinates(queries.points_of(k), queries.length(k), kind, k);
    check_coordinates(references.points_of(r), references.length(r), kind, k);
  }
}

}  // namespace

void check_host_batch(const Batch& batch, const StandingReferences& references,
                      std::string_view kind) {
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_given(batch.queries.viewpoints.data, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
  batch::check_reference_given(batch, references.paths.size());
  std::vector<kernels::ScanTable> scans;  // of which a check reads the number of viewpoints
  for (const Scan* scan : references.scans) {
    scans.push_back({0, 0, static_cast<std::int32_t>(scan->size())});
  }
  check_pairs(
      {{.count = batch.count,
        .reference_of = view_of(batch.reference),
        .active = batch.active,
        .references = {{references.paths.elements.data(), sizeof(Node)},
                       {{references.paths.offsets.data(), sizeof(std::uint64_t)}, {}, 0, ~0u}},
        .queries = view_of(batch.queries),
        .scan_of = references.scan_of.data(),
        .scans = scans.data()},
       static_cast<std::uint32_t>(references.paths.size()),
       batch::rows_of_reference(batch),
       nullptr,
       nullptr},
      kind);
}

void check_host_points(const Batch& batch, std::string_view kind) {
  check_given(batch.queries.points, "queries.points");
  check_given(batch.references.points, "references.points");
  check_layout(batch.queries.layout, "queries.layout");
  check_layout(batch.references.layout, "references.layout");
  check_integers(batch.reference, "reference");
  const kernels::PathArray queries = view_of(batch.queries), references = view_of(batch.references);
  const CheckView view{{.count = batch.count,
                        .reference_of = view_of(batch.reference),
                        .active = batch.active,
                        .references = {{}, references.layout},
                        .queries = {{}, queries.layout},
                        .scan_of = nullptr,
                        .scans = nullptr},
                       batch::point_references(batch),
                       batch::rows_of_reference(batch),
                       nullptr,
                       nullptr};
  check_pairs(view, kind);
  check_points_of(view, queries, references, kind);
}

void check_coordinates(const float* points, std::size_t count, std::string_view kind,
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

}  // namespace warpath::cpu

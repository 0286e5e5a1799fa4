#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/launch.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/packing.hpp"
#include "kernels/views/points.hpp"

// Starts from the host the kernels that pack pairs (kernels/bodies/pack_pairs.hpp), and the
// toolkit's sorts and sums. As in launch.hpp, each call returns 0 or a cudaError_t and neither
// allocates nor waits.

namespace warpath::kernels {

/// Writes to `bytes` the scratch memory that sort_pairs, find_runs and exclusive_sum need at most
/// for up to `count` elements; it is never 0. @pre count < 2^31 − 1; otherwise this call and
/// those three return invalid value.
[[nodiscard]] int scratch_bytes(std::uint32_t count, std::size_t& bytes);

/// Sorts by key, stably. Returns invalid value if `scratch` is too small, as do the others.
[[nodiscard]] int sort_pairs(const SortView& view, Scratch scratch, Stream stream);

/// Finds the runs.
[[nodiscard]] int find_runs(const RunsView& view, Scratch scratch, Stream stream);

[[nodiscard]] int exclusive_sum(const LengthSumView& view, Scratch scratch, Stream stream);
[[nodiscard]] int exclusive_sum(const TileSumView& view, Scratch scratch, Stream stream);

/// Runs a body of kernels/bodies/pack_pairs.hpp for all elements.
[[nodiscard]] int make_all_terms(const TermsView& view, Stream stream);
[[nodiscard]] int make_all_keys(const KeyView& view, Stream stream);
[[nodiscard]] int place_all_pairs(const PlaceView& view, Stream stream);
[[nodiscard]] int pack_tiles(const PackView& view, Stream stream);

/// Runs bodies of kernels/bodies/device_batch.hpp.
[[nodiscard]] int store_references(const StoreView& view, Stream stream);
/// Checks all pairs, then describes the first that has a fault.
[[nodiscard]] int check_pairs(const CheckView& view, Stream stream);
/// Runs the body of kernels/bodies/prepare_points.hpp.
[[nodiscard]] int prepare_all_points(const PreparePointsView& view, Stream stream);

/// Plans all runs (kernels/bodies/plan_runs.hpp).
[[nodiscard]] int plan_all_runs(const PlanView& view, Stream stream);

}  // namespace warpath::kernels

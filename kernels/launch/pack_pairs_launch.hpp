#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/bodies/device_batch.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/bodies/plan_runs.hpp"
#include "kernels/bodies/prepare_points.hpp"
#include "kernels/launch/launch.hpp"

// Starts from the host the kernels that pack pairs (kernels/bodies/pack_pairs.hpp), and the
// toolkit's sorts and sums. As in launch.hpp, each call returns 0 or a cudaError_t and neither
// allocates nor waits.

namespace warpath::kernels {

/// Names device memory that the toolkit works in.
struct Scratch {
  void* memory;
  std::size_t bytes;
};

/// Writes to `bytes` the scratch memory that sort_pairs, find_runs and exclusive_sum need at most
/// for up to `count` elements; it is never 0. @pre count < 2^31 − 1; otherwise this call and
/// those three return invalid value.
[[nodiscard]] int scratch_bytes(std::uint32_t count, std::size_t& bytes);

/// Holds keys, and the pairs that are sorted along with them.
struct SortView {
  const std::uint64_t* key;
  std::uint64_t* sorted_key;
  const std::uint32_t* pair;
  std::uint32_t* sorted_pair;
  std::uint32_t count;
  int bits;  ///< the sort looks at this many lowest bits only
};
/// Sorts by key, stably. Returns invalid value if `scratch` is too small, as do the others.
[[nodiscard]] int sort_pairs(const SortView& view, Scratch scratch, Stream stream);

/// Holds sorted keys and their runs: keys that differ at most in their lowest `m_bits` bits.
struct RunsView {
  const std::uint64_t* key;
  std::uint32_t count;
  int m_bits;
  std::uint64_t* run_key;  ///< by run: the higher bits; has room for every run, as run_length has
  std::uint32_t* run_length;  ///< by run: number of keys
  std::uint32_t* runs;        ///< number of runs
};
/// Finds the runs.
[[nodiscard]] int find_runs(const RunsView& view, Scratch scratch, Stream stream);

/// Names numbers to add up: sums[i] = counts[0] + … + counts[i − 1] for i = 0 … `count`, count + 1
/// numbers.
struct LengthSumView {
  Integers counts;
  std::uint32_t* sums;
  std::uint32_t count;
};
/// Names sizes of tiles to add up, as LengthSumView does.
struct TileSumView {
  const TileStart* sizes;
  TileStart* starts;
  std::uint32_t count;
};
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

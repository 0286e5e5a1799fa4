#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/launch/launch.hpp"

// Starts for the host what lays pairs out (kernels/bodies/pack_pairs.hpp), and the toolkit's sorts
// and sums. As in launch.hpp, each call returns 0 or a cudaError_t, and nothing here allocates or
// waits.

namespace warpath::kernels {

/// Names memory of the device that the toolkit works in.
struct Scratch {
  void* memory;
  std::size_t bytes;
};

/// Returns in `bytes` the most scratch memory that sort_pairs, find_runs or exclusive_sum take for
/// up to `count` elements: never 0. @pre count < 2^31 − 1, else invalid value; so of all three.
[[nodiscard]] int scratch_bytes(std::uint32_t count, std::size_t& bytes);

/// Leads to keys and the pairs that are sorted along with them.
struct SortView {
  const std::uint64_t* key;
  std::uint64_t* sorted_key;
  const std::uint32_t* pair;
  std::uint32_t* sorted_pair;
  std::uint32_t count;
  int bits;  ///< the lowest so many are sorted by
};
/// Sorts by key; pairs of equal keys stay in order. Invalid value where `scratch` is too small; so
/// with the others.
[[nodiscard]] int sort_pairs(const SortView& view, Scratch scratch, Stream stream);

/// Leads to sorted keys and to their runs: keys that are equal but for their lowest `m_bits` bits.
struct RunsView {
  const std::uint64_t* key;
  std::uint32_t count;
  int m_bits;
  std::uint64_t* run_key;     ///< by run: those higher bits; room for `count`, as the next
  std::uint32_t* run_length;  ///< by run: how many keys
  std::uint32_t* runs;        ///< how many there are: one number
};
/// Finds the runs.
[[nodiscard]] int find_runs(const RunsView& view, Scratch scratch, Stream stream);

/// Adds up: sums[i] = counts[0] + … + counts[i − 1], for i up to `count` inclusive: count + 1
/// numbers.
[[nodiscard]] int exclusive_sum(const std::uint32_t* counts, std::uint32_t* sums,
                                std::uint32_t count, Scratch scratch, Stream stream);

/// Run the bodies of kernels/bodies/pack_pairs.hpp, each for all elements.
[[nodiscard]] int make_all_terms(const TermsView<std::uint8_t>& view, Stream stream);
[[nodiscard]] int make_all_terms(const TermsView<std::uint16_t>& view, Stream stream);
[[nodiscard]] int widen_all_lengths(const LengthsView& view, Stream stream);
[[nodiscard]] int make_all_keys(const KeyView& view, Stream stream);
[[nodiscard]] int place_all_pairs(const PlaceView& view, Stream stream);

}  // namespace warpath::kernels

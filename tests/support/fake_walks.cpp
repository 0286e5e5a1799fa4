#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/bodies/score_walks.hpp"
#include "kernels/views/shapes.hpp"
#include "tests/support/fake_kernels.hpp"
#include "tests/support/fiber_lanes.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

/// A block of one warp of fibers.
struct FiberBlock {
  void sync() const { FiberLanes<1>::block_sync(); }
  std::uint32_t next(std::uint32_t* word) const { return (*word)++; }
};

/// Narrow words are tested with other rows than the view's memory is for.
template <int Bits>
std::size_t block_bytes(const WalkView& view) {
  return Bits == 32 ? view.block_bytes : std::size_t{1} << 20;
}

template <int K, unsigned Quantities, bool Edges, bool Replicated, int Bits>
void run_blocks(const WalkView& view, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto blocks = static_cast<std::uint32_t>(1 + random() % 4);
  FiberWarp warp(random());
  for (std::uint32_t s = view.first_slice; s < view.end_slice; ++s) {
    const auto viewpoints = static_cast<std::uint32_t>(view.batch.scans[view.slices[s].scan].pad);
    const int shift = view.walk_scans[view.slices[s].scan].shift;
    EXPECT_LE(walk_block_bytes(Replicated, K, viewpoints, edge_entries(viewpoints, shift),
                               uses_known_columns(Quantities)),
              block_bytes<Bits>(view));
  }
  for (std::uint32_t block = 0; block < blocks; ++block) {
    // As long as asked for, so that a sanitizer sees accesses behind its end.
    std::vector<Quad> own((block_bytes<Bits>(view) + sizeof(Quad) - 1) / sizeof(Quad));
    WalkOrder order;
    EXPECT_EQ(warp.run(FiberWarp::max_lanes,
                       [&](int lane) {
                         const ThreadId me{block, blocks, static_cast<std::uint32_t>(lane), 32};
                         score_walk_slices<FiberLanes<1>, K, Quantities, Edges, Replicated, Bits>(
                             view, me, own.data(), order, FiberBlock{});
                       }),
              "");
  }
}

template <int K, QuantitySet set, int Bits>
void run_slices(const WalkView& view, bool replicated, std::uint64_t seed) {
  constexpr unsigned Quantities = quantities_of(set);
  constexpr bool Edges = compares_edges(set);
  replicated ? run_blocks<K, Quantities, Edges, true, Bits>(view, seed)
             : run_blocks<K, Quantities, Edges, false, Bits>(view, seed);
}

template <QuantitySet set, int Bits, int... K>
void run_rows(const WalkView& view, bool replicated, int rows, std::uint64_t seed, RowList<K...>) {
  const bool found =
      ((rows == K && (run_slices<K, set, Bits>(view, replicated, seed), true)) || ...);
  if (!found) throw std::logic_error("no kernel of so many rows");
}

/// Calls body.operator()<set>() for a set that has kernels.
template <class Body>
void with_walk_set(QuantitySet set, Body body) {
  using enum QuantitySet;
  if (set == alignment) return body.template operator()<alignment>();
  if (set == all_edges) return body.template operator()<all_edges>();
  if (set == all_viewpoints) return body.template operator()<all_viewpoints>();
  throw std::logic_error("no kernel of that set");
}

}  // namespace

template <int Bits>
void run_walks_plainly(const WalkView& view, bool replicated, QuantitySet set, int rows,
                       std::uint64_t seed) {
  with_walk_set(set, [&]<QuantitySet known>() {
    using Rows = std::conditional_t<Bits == 32, CoarseRows, RowList<20>>;  // narrow words: any K
    run_rows<known, Bits>(view, replicated, Bits == 32 ? rows : 20, seed, Rows{});
  });
}

template <int Bits>
void repeat_walks_plainly(const WalkView& view, QuantitySet set) {
  with_walk_set(set, [&]<QuantitySet known>() {
    for (std::uint32_t i = 0; i < *view.noted_count; ++i) {
      score_noted_walk<ScalarLanes, 20, quantities_of(known), compares_edges(known), Bits>(view, i);
    }
  });
}

template void run_walks_plainly<32>(const WalkView&, bool, QuantitySet, int, std::uint64_t);
template void run_walks_plainly<8>(const WalkView&, bool, QuantitySet, int, std::uint64_t);
template void repeat_walks_plainly<32>(const WalkView&, QuantitySet);
template void repeat_walks_plainly<8>(const WalkView&, QuantitySet);

}  // namespace warpath::testing

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/bodies/score_walks.hpp"
#include "kernels/bodies/shapes.hpp"
#include "tests/support/fake_kernels.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

struct PlainCounter {
  std::uint32_t next(std::uint32_t* word) const { return (*word)++; }
};

/// Names the threads of a block; each pass of all of them takes another order.
class Threads {
 public:
  explicit Threads(std::uint64_t seed)
      : random_(seed), threads_(static_cast<std::uint32_t>(32 * (1 + random_() % 5))) {}

  /// Calls body(thread) for all threads: what a block does between two barriers.
  template <class Body>
  void pass(Body body) {
    std::vector<std::uint32_t> order(threads_);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::shuffle(order, random_);
    for (const std::uint32_t t : order) body(ThreadId{0, 1, t, threads_});
  }

 private:
  std::mt19937_64 random_;
  const std::uint32_t threads_;
};

template <int K, unsigned Quantities, bool Edges, bool Replicated, int Bits>
void run_slice(const WalkView& view, std::uint32_t s, Threads& threads) {
  const WalkSlice slice = view.slices[s];
  const std::uint32_t wanted = wanted_columns(view.batch.results);
  const auto viewpoints = static_cast<std::uint32_t>(view.batch.scans[slice.scan].pad);
  // Memory of no more than the slice needs, so that a sanitizer sees reads behind its end.
  std::vector<Quad> own(walk_row_quads(Replicated, K, viewpoints, uses_known_columns(Quantities)));
  std::vector<WalkEdge> edges(edge_entries(viewpoints, view.walk_scans[slice.scan].shift));
  WalkOrder order;
  const PlainCounter counter;
  threads.pass([&](const ThreadId& me) {
    fill_walk_rows<K, Quantities, Replicated>(view, slice, me, own.data());
    fill_edges(view, slice, me, edges.data());
    clear_kinds(view, me, order);
  });
  threads.pass([&](const ThreadId& me) { count_kinds<Bits>(view, slice, me, order, counter); });
  threads.pass([&](const ThreadId& me) { begin_kinds(view, me, order); });
  threads.pass([&](const ThreadId& me) { place_walks(slice, me, order); });
  const WalkEdgeTable graph = edges_of(view, slice, edges.data());
  threads.pass([&](const ThreadId& me) {
    auto rows = walk_rows<K, Quantities, Replicated>(own.data(), lane_of(me));
    const StridedRange tiles = tiles_of(me);
    for (std::uint32_t p = tiles.first * tile_pairs + lane_of(me); p < slice.count;
         p += tiles.step * tile_pairs) {
      score_walk<ScalarLanes, K, Quantities, Edges, Bits>(view, slice, s, p, order, graph, rows,
                                                          wanted, counter);
    }
  });
}

template <int K, QuantitySet set, int Bits>
void run_slices(const WalkView& view, bool replicated, std::uint64_t seed) {
  constexpr unsigned Quantities = quantities_of(set);
  constexpr bool Edges = compares_edges(set);
  Threads threads(seed);
  for (std::uint32_t s = view.first_slice; s < view.end_slice; ++s) {
    replicated ? run_slice<K, Quantities, Edges, true, Bits>(view, s, threads)
               : run_slice<K, Quantities, Edges, false, Bits>(view, s, threads);
  }
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
    run_rows<known, Bits>(view, replicated, rows, seed, CoarseRows{});
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

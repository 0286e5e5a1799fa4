#pragma once

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/score_pair.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/views/walks.hpp"
#include "kernels/walks/walk.hpp"
#include "kernels/walks/walk_pair_query.hpp"

// Makes random walks and scores them: what the threads of a block do with a slice of walks.
//
//   fill_edges, fill_walk_rows   the scan's edges and the reference's own table to shared memory
//   count_kinds                  draw each walk's number of steps, and count those of each kind
//   begin_kinds, place_walks     sort the walks by it, so that lanes of a warp end together
//   score_walk                   make one walk and score it
//
// A barrier follows each. Walks whose words may have to be drawn again are noted; in the end
// score_noted_walk makes them once more, exactly.

namespace warpath::kernels {

WARPATH_HD std::uint32_t number_of_walk(const WalkView& view, const WalkSlice& slice,
                                        std::uint32_t walk) {
  return slice.stride == 0 ? view.list[slice.number + walk] : slice.number + walk * slice.stride;
}

/// Returns the edges of a slice's scan, which lie in `edges`.
WARPATH_HD WalkEdgeTable edges_of(const WalkView& view, const WalkSlice& slice,
                                  const WalkEdge* edges) {
  return {edges, view.walk_scans[slice.scan].shift,
          static_cast<std::uint32_t>(view.batch.scans[slice.scan].pad)};
}

/// Copies the edges of a slice's scan, and the one that leads to the start of its walks.
WARPATH_HD void fill_edges(const WalkView& view, const WalkSlice& slice, const ThreadId& me,
                           WalkEdge* to) {
  const WalkScan from = view.walk_scans[slice.scan];
  const std::uint32_t entries = view.batch.scans[slice.scan].pad << from.shift;
  for (std::uint32_t e = me.thread; e < entries; e += me.threads) {
    to[e] = {view.next[from.base + e], view.length[from.base + e]};
  }
  if (me.thread == 0) to[entries] = {slice.start, 0.0f};
}

/// Names a slice's reference, in K rows.
template <int K>
WARPATH_HD OwnTable<PathReference> own_table(const WalkView& view, const WalkSlice& slice) {
  const auto viewpoints = static_cast<std::uint32_t>(view.batch.scans[slice.scan].pad);
  return {plain_table(view.batch, slice.scan),
          viewpoints,
          {view.references.path(slice.reference), static_cast<int>(viewpoints)},
          static_cast<int>(slice.size) - K};
}

/// Fills the own table of a slice's reference: in replicated rows, or in plain ones.
template <int K, unsigned Quantities, bool Replicated>
WARPATH_HD void fill_walk_rows(const WalkView& view, const WalkSlice& slice, const ThreadId& me,
                               Quad* to) {
  if constexpr (Replicated) {
    fill_replicated_rows<K, Quantities>(own_table<K>(view, slice), me.thread, me.threads, to);
  } else {
    fill_reference_table<K>(own_table<K>(view, slice), me.thread, me.threads, to, PlainCopy{});
  }
}

/// Returns where the edges of a slice's scan lie: behind its reference's own table.
template <int K, unsigned Quantities, bool Replicated>
WARPATH_HD WalkEdge* edges_behind(const WalkView& view, const WalkSlice& slice, Quad* own) {
  const auto viewpoints = static_cast<std::uint32_t>(view.batch.scans[slice.scan].pad);
  return reinterpret_cast<WalkEdge*>(
      own + walk_row_quads(Replicated, K, viewpoints, uses_known_columns(Quantities)));
}

/// Reads what fill_walk_rows has filled.
template <int K, unsigned Quantities, bool Replicated>
WARPATH_HD auto walk_rows(const Quad* own, std::uint32_t lane) {
  using L = ScalarLanes;
  if constexpr (Replicated) {
    using Rows = ReplicatedRows<K, Quantities>;
    return WalkRows<L, Rows>{Rows{own, {}, lane}};
  } else {
    return WalkRows<L, ReferenceRows<K>>{{own, {}}};
  }
}

/// Prepares a slice's order: no walk is counted yet.
WARPATH_HD void clear_kinds(const WalkView& view, const ThreadId& me, WalkOrder& order) {
  const auto kinds = static_cast<std::uint32_t>(view.steps.kinds);
  for (std::uint32_t k = me.thread; k < StepTable::max_kinds; k += me.threads) {
    order.below[k] = k < kinds ? view.steps.below[k] : ~0u;
    order.count[k] = 0;
  }
}

/// Draws which kind of walk one is: number `kind` of the table's, by bisection.
template <int Bits>
WARPATH_HD std::uint32_t draw_kind(const WalkView& view, const WalkOrder& order,
                                   std::uint32_t number) {
  using L = ScalarLanes;
  const int kinds = view.steps.kinds;
  if (kinds == 1) return 0;
  const WalkNumbers<L> walk{number, view.high, view.seed};
  std::uint32_t words[4] = {walk.low, walk.high, 0, 0}, kind = 0;
  philox(words, view.keys);
  const std::uint32_t choice =
      ExactChoices<L, L, Bits>{}.choose(walk, 0, words[0], view.steps.below[kinds - 1]);
  WARPATH_UNROLL for (std::uint32_t step = StepTable::max_kinds / 2; step > 0; step /= 2) {
    kind += choice >= order.below[kind + step - 1] ? step : 0;
  }
  return kind;
}

/// Draws the kinds of a thread's share of the walks, and counts them. @pre clear_kinds
/// @param block see score_walk_slices
template <int Bits, class Block>
WARPATH_HD void count_kinds(const WalkView& view, const WalkSlice& slice, const ThreadId& me,
                            WalkOrder& order, const Block& block) {
  WARPATH_ROLLED for (std::uint32_t w = me.thread; w < slice.count; w += me.threads) {
    const std::uint32_t kind = draw_kind<Bits>(view, order, number_of_walk(view, slice, w));
    order.place[w] = kind + 64 * block.next(order.count + kind);
  }
}

/// Finds where the walks of each kind begin.
WARPATH_HD void begin_kinds(const WalkView& view, const ThreadId& me, WalkOrder& order) {
  const auto kinds = static_cast<std::uint32_t>(view.steps.kinds);
  for (std::uint32_t k = me.thread; k < kinds; k += me.threads) {
    std::uint32_t begin = 0;
    WARPATH_ROLLED for (std::uint32_t before = 0; before < k; ++before) {
      begin += order.count[before];
    }
    order.begin[k] = begin;
  }
}

/// Sorts a thread's share of the walks by their kinds.
WARPATH_HD void place_walks(const WalkSlice& slice, const ThreadId& me, WalkOrder& order) {
  for (std::uint32_t w = me.thread; w < slice.count; w += me.threads) {
    const std::uint32_t place = order.place[w];
    order.walk[order.begin[place % 64] + place / 64] = static_cast<std::uint16_t>(w);
  }
}

/// Names where a walk's results go.
struct WalkSlot {
  std::uint32_t slot, of_reference;
  WARPATH_HD std::uint32_t row() const { return slot; }
  WARPATH_HD std::uint32_t reference() const { return of_reference; }
};

/// Writes the lengths of a walk's paths, where they are counted.
WARPATH_HD void write_sizes(const WalkView& view, const WalkSlot& where, std::uint32_t size) {
  if (view.size != nullptr) view.size[where.slot] = size;
  if (view.reference_of != nullptr) view.reference_of[where.slot] = where.of_reference;
}

/// Makes and scores the walk in place p of a slice.
/// @param block see score_walk_slices
template <class L, int K, unsigned Quantities, bool Edges, int Bits, class Rows, class Block>
WARPATH_HD void score_walk(const WalkView& view, const WalkSlice& slice, std::uint32_t s,
                           std::uint32_t p, const WalkOrder& order, const WalkEdgeTable& edges,
                           Rows& rows, std::uint32_t wanted, const Block& block) {
  const std::uint32_t w = order.walk[p];
  const std::uint32_t number = number_of_walk(view, slice, w);
  const std::uint32_t m = view.steps.steps[order.place[w] % 64] + 1;
  const PairSize size{static_cast<int>(slice.size), static_cast<int>(m)};
  const WalkSlot where{slice.first_slot + p, slice.reference};
  WalkPairQuery<ScalarLanes, Bits> query(edges, {number, view.high, &view.keys}, size.m);
  score<L, K, 2, Quantities, Edges>(view.batch, size, rows, query, Border<false>{}, where, wanted);
  write_sizes(view, where, m);
  if (query.min_rest() <= view.max_noted_rest) {
    view.noted[block.next(view.noted_count)] = {where.slot, s, number};
  }
}

/// Makes and scores the walks of a block's slices.
/// @param own memory of view.block_bytes
/// @param Block sync() waits for all threads of the block; next(word) adds 1 and returns what was
/// there, as one of many threads
template <class L, int K, unsigned Quantities, bool Edges, bool Replicated, int Bits, class Block>
WARPATH_HD void score_walk_slices(const WalkView& view, const ThreadId& me, Quad* own,
                                  WalkOrder& order, const Block& block) {
  const StridedRange slices = slices_of(me), tiles = tiles_of(me);
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  auto rows = walk_rows<K, Quantities, Replicated>(own, lane_of(me));
  std::uint32_t loaded = no_row;
  for (std::uint32_t s = view.first_slice + slices.first; s < view.end_slice; s += slices.step) {
    const WalkSlice slice = view.slices[s];
    WalkEdge* edges = edges_behind<K, Quantities, Replicated>(view, slice, own);
    block.sync();  // nothing of the previous slice is needed any more
    if (slice.reference != loaded) {
      loaded = slice.reference;
      fill_walk_rows<K, Quantities, Replicated>(view, slice, me, own);
      fill_edges(view, slice, me, edges);
    }
    clear_kinds(view, me, order);
    block.sync();
    count_kinds<Bits>(view, slice, me, order, block);
    block.sync();
    begin_kinds(view, me, order);
    block.sync();
    place_walks(slice, me, order);
    block.sync();
    const WalkEdgeTable graph = edges_of(view, slice, edges);
    for (std::uint32_t p = tiles.first * tile_pairs + lane_of(me); p < slice.count;
         p += tiles.step * tile_pairs) {
      score_walk<L, K, Quantities, Edges, Bits>(view, slice, s, p, order, graph, rows, wanted,
                                                block);
    }
  }
}

/// Makes and scores noted walk i once more, exactly.
template <class L, int K, unsigned Quantities, bool Edges, int Bits>
WARPATH_HD void score_noted_walk(const WalkView& view, std::uint32_t i) {
  const NotedWalk noted = view.noted[i];
  const WalkSlice slice = view.slices[noted.slice];
  const WalkScan from = view.walk_scans[slice.scan];
  const WalkGraph graph{view.next + from.base, view.length + from.base, from.shift};
  WalkQuery<ScalarLanes, ExactChoices<ScalarLanes, ScalarLanes, Bits>> query(
      graph, {noted.number, view.high, view.seed}, view.steps, slice.start);
  const PairSize size{static_cast<int>(slice.size), query.size()};
  const auto own = own_table<K>(view, slice);
  WalkRows<ScalarLanes, TableRows<L, K, PlainTable, PathReference>> rows{
      {own.table, own.reference, {}}};
  score<L, K, 1, Quantities, Edges>(view.batch, size, rows, query, Border<false>{},
                                    WalkSlot{noted.slot, slice.reference},
                                    wanted_columns(view.batch.results));
}

}  // namespace warpath::kernels

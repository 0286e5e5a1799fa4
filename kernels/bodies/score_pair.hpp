#pragma once

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/rows.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/views.hpp"

// Scores one pair, from the views to its row of the results: the bodies of the kernels. A kernel
// only finds its pair; everything else is here, where the tests run it on the host.

namespace warpath::kernels {

/// Writes a pair's row of the results.
struct RowResults {
  const ResultView& results;
  std::uint32_t row;

  WARPATH_HD void set(Metric m, float value) const {
    float* column = results.column[static_cast<int>(m)];
    if (column != nullptr) column[row] = value;
  }
  WARPATH_HD void flags(std::uint32_t bits) const { results.flags[row] = bits; }
};

struct PairSize {
  int n, m;
};

/// Sweeps and scores one pair with all lanes of its group. Inputs that only the scores need are
/// read after the sweep, when registers are free again.
template <class L, int K, int C, unsigned Quantities, bool Edges, class Rows, class Query,
          class Borders>
WARPATH_HD void score(const BatchView& batch, PairSize size, Rows& rows, const Query& query,
                      const Borders& border, const std::uint32_t& row,
                      const std::uint32_t& reference) {
  Sweep<L, K, C, Quantities, Edges, Rows, Query, Borders> sweep(
      rows, query, size.n, size.m, -1.0f / batch.rules.threshold, border);
  const SweepResult<L> swept = sweep.run();
  if (!sweep.has_result()) return;
  const ReferenceTerms shared = batch.references[reference];
  const float none = __builtin_nanf("");
  const PairInputs<L> inputs{
      .n = size.n,
      .m = size.m,
      .reference_length = shared.length,
      .cls_query_length = batch.cls_query_length != nullptr ? batch.cls_query_length[row] : none,
      .cls_reference_length = shared.cls_length,
      .start_to_goal = shared.start_to_goal,
      .task_success = batch.task_success != nullptr ? batch.task_success[row] : none};
  RowResults results{batch.results, row};
  MetricFormulas<L, Quantities, RowResults>(swept, inputs, batch.rules, results).run();
}

/// Scores the pair in `lane` of a tile, if there is one. @pre |R| <= K, or Quantities needs only
/// the last row.
template <class L, int K, unsigned Quantities, bool Edges, class Rows>
WARPATH_HD void score_slot(const TileView& view, std::uint32_t tile, std::uint32_t lane,
                           Rows& rows) {
  const std::uint32_t slot = tile * tile_pairs + lane;
  const std::uint32_t lengths = view.lengths[slot];
  if (lengths == 0) return;
  const PairSize size{static_cast<int>(lengths & 0xffff), static_cast<int>(lengths >> 16)};
  const TileQuery<2> query{view.query +
                           static_cast<std::size_t>(view.query_start[tile]) * tile_pairs + lane};
  score<L, K, 2, Quantities, Edges>(view.batch, size, rows, query, Border<false>{}, view.row[slot],
                                    view.reference_of[slot]);
}

template <int K>
WARPATH_HD TileReference tile_reference(const TileView& view, std::uint32_t tile,
                                        std::uint32_t lane) {
  return {view.reference + static_cast<std::size_t>(tile) * K * tile_pairs + lane};
}

template <class L, int K, unsigned Quantities, bool Edges, class Table>
WARPATH_HD void score_by_table(const TileView& view, const Table& table, std::uint32_t tile,
                               std::uint32_t lane) {
  TableRows<L, K, Table, TileReference> rows{table, tile_reference<K>(view, tile, lane), {}};
  score_slot<L, K, Quantities, Edges>(view, tile, lane, rows);
}

/// Copies an entry that the thread may read immediately.
struct PlainCopy {
  WARPATH_HD void operator()(float* to, const float* from) const { *to = *from; }
};

/// Copies a scan's table; `thread` of `threads` copies its share of the entries.
template <class Copy>
WARPATH_HD void copy_table(const BatchView& batch, const ScanTable& place, std::uint32_t thread,
                           std::uint32_t threads, float* to, Copy copy) {
  const float* from = batch.distance + place.base;
  const std::uint32_t entries = place.pad * place.pitch;
  for (std::uint32_t e = thread; e < entries; e += threads) copy(to + e, from + e);
}

/// Fills the table of a slice's own reference, that of its first pair; padding takes the scan's
/// column of +inf. `thread` of `threads` fills its share of the entries: those of a warp are
/// neighbours in one row of the scan's table, which is symmetric.
template <int K, class Copy>
WARPATH_HD void fill_reference_table(const TileView& view, const Slice& slice, std::uint32_t thread,
                                     std::uint32_t threads, Quad* own, Copy copy) {
  const PlainTable table = plain_table(view.batch, slice.scan);
  const TileReference reference = tile_reference<K>(view, slice.first_tile, 0);
  const std::uint32_t viewpoints = view.batch.scans[slice.scan].pad, lane = thread % 32;
  const std::uint32_t parts = (viewpoints + 31) / 32;  // of a row, each for one warp
  for (std::uint32_t part = thread / 32; part < parts * K; part += threads / 32) {
    const std::uint32_t i = part / parts, v = part % parts * 32 + lane;
    if (v >= viewpoints) continue;
    const std::uint32_t node = reference.node(0, i);
    const bool is_padding = node == viewpoints;
    copy(own[v * ReferenceRows<K>::units + i / 4].value + i % 4,
         table.address(table.row(is_padding ? v : node) + table.column(is_padding ? node : v)));
  }
}

template <class L, int K, unsigned Quantities, bool Edges>
WARPATH_HD void score_by_reference(const TileView& view, const Quad* own, const PlainTable& table,
                                   std::uint32_t tile, std::uint32_t lane) {
  ReferenceRows<K> rows{own, table};
  score_slot<L, K, Quantities, Edges>(view, tile, lane, rows);
}

/// Returns a group's part of the borders' memory.
template <bool Strips, class View>
WARPATH_HD Border<Strips> border_of(const View& view, std::uint32_t group) {
  if constexpr (!Strips) return {};
  const std::size_t m = view.border_columns;
  float* real = view.border + group * 4 * m;
  std::uint32_t* word = view.border_carry + group * 2 * m;
  return {{real, real + m, word}, {real + 2 * m, real + 3 * m, word + m}};
}

template <class L, int K, class Table>
WARPATH_HD auto group_rows(const GroupView& view, const GroupPair& pair, const Table& table,
                           const std::uint16_t* reference) {
  return TableRows<L, K, Table, PathReference>{
      table, {reference, view.batch.scans[pair.scan].pad}, {}};
}

/// Returns a thread's part of its block's chain. Of each group's border one row is in use, and the
/// first two entries of the other row, for the sums.
template <class L, class View>
WARPATH_HD Chain<L> chain_of(const View& view, const ThreadId& me) {
  const StridedRange strips = strips_of<L::W>(me);
  const std::uint32_t first = me.block * strips.step;
  const Border<true> mine = border_of<true>(view, first + strips.first);
  const Border<true> above =
      border_of<true>(view, first + (strips.first + strips.step - 1) % strips.step);
  return {above.out,
          mine.out,
          above.in.dtw,
          mine.in.dtw,
          static_cast<int>(strips.first),
          static_cast<int>(strips.step)};
}

/// @param table of the pair's scan
template <class L, int K, int C, unsigned Quantities, bool Edges, class Table, class Borders>
WARPATH_HD void score_paths(const GroupView& view, std::uint32_t p, const Table& table,
                            const Borders& border) {
  const GroupPair& pair = view.pairs[p];
  const std::uint32_t r = view.references.offsets[pair.reference];
  const std::uint32_t q = view.queries.offsets[pair.query];
  const PairSize size{static_cast<int>(view.references.offsets[pair.reference + 1] - r),
                      static_cast<int>(view.queries.offsets[pair.query + 1] - q)};
  auto rows = group_rows<L, K>(view, pair, table, view.references.nodes + r);
  const PathQuery<L, C, std::uint16_t> query{view.queries.nodes + q, size.m};
  score<L, K, C, Quantities, Edges>(view.batch, size, rows, query, border, pair.row,
                                    pair.reference);
}

/// Scores pair p with group `group`. @pre |R| <= W K, or Strips.
template <class L, int K, int C, unsigned Quantities, bool Edges, bool Strips>
WARPATH_HD void score_by_group(const GroupView& view, std::uint32_t p, std::uint32_t group) {
  score_paths<L, K, C, Quantities, Edges>(view, p, plain_table(view.batch, view.pairs[p].scan),
                                          border_of<Strips>(view, group));
}

/// Scores pair p with group `group`, in strips. @param table of the pair's scan, of any kind
template <class L, int K, int C, unsigned Quantities, bool Edges, class Table>
WARPATH_HD void score_by_group_with_table(const GroupView& view, const Table& table,
                                          std::uint32_t p, std::uint32_t group) {
  score_paths<L, K, C, Quantities, Edges>(view, p, table, border_of<true>(view, group));
}

/// Scores pair p with all groups of a block, two or more.
template <class L, int K, int C, unsigned Quantities, bool Edges>
WARPATH_HD void score_by_chain(const GroupView& view, std::uint32_t p, const ThreadId& me) {
  score_paths<L, K, C, Quantities, Edges>(view, p, plain_table(view.batch, view.pairs[p].scan),
                                          chain_of<L>(view, me));
}

/// Writes the paths of a slot into its tile, padded as in layout.hpp.
template <class Id>
WARPATH_HD void pack_slot(const PackView<Id>& view, std::uint32_t slot) {
  const GroupPair pair = view.pairs[slot];
  view.row[slot] = pair.row;
  view.lengths[slot] = 0;
  if (pair.row == no_row) return;
  const std::uint32_t tile = slot / tile_pairs, lane = slot % tile_pairs;
  const std::uint32_t r = view.references.offsets[pair.reference];
  const int n = static_cast<int>(view.references.offsets[pair.reference + 1] - r);
  std::uint16_t* to =
      view.reference + static_cast<std::size_t>(tile) * view.rows * tile_pairs + lane;
  const auto pad = static_cast<std::uint16_t>(view.scans[pair.scan].pad);
  for (int row = 0; row < view.rows; ++row, to += tile_pairs) {
    const int i = reference_index(row, view.rows, n);
    *to = i < 0 ? pad : view.references.nodes[r + i];
  }
  const std::uint32_t q = view.queries.offsets[pair.query];
  const int m = static_cast<int>(view.queries.offsets[pair.query + 1] - q);
  const std::uint32_t first = view.query_start[tile];
  const int columns = static_cast<int>(view.query_start[tile + 1] - first);
  to = view.query + static_cast<std::size_t>(first) * tile_pairs + lane;
  for (int j = 0; j < columns; ++j, to += tile_pairs) {
    *to = view.queries.nodes[q + query_index(j, m)];
  }
  view.lengths[slot] = static_cast<std::uint32_t>(n) | static_cast<std::uint32_t>(m) << 16;
  view.reference_of[slot] = pair.reference;
}

}  // namespace warpath::kernels

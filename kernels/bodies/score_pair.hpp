#pragma once

#include <type_traits>

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

/// Writes the row of a pair that cannot be scored.
WARPATH_HD void write_no_scores(const ResultView& results, std::uint32_t row) {
  for (float* const column : results.column) {
    if (column != nullptr) column[row] = __builtin_nanf("");
  }
  results.flags[row] = flag_invalid;
}

struct PairSize {
  int n, m;
};

/// Sweeps and scores one pair with all lanes of its group. Inputs that only the scores need are
/// read after the sweep, when registers are free again.
/// @param where row() and reference() are the pair's
template <class L, int K, int C, unsigned Quantities, bool Edges, class Rows, class Query,
          class Borders, class Where>
WARPATH_HD void score(const BatchView& batch, PairSize size, Rows& rows, const Query& query,
                      const Borders& border, const Where& where) {
  Sweep<L, K, C, Quantities, Edges, Rows, Query, Borders> sweep(
      rows, query, size.n, size.m, -1.0f / batch.rules.threshold, border);
  const SweepResult<L> swept = sweep.run();
  if (!sweep.has_result()) return;
  const std::uint32_t row = where.row();
  const ReferenceTerms shared = batch.references[where.reference()];
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

/// Reads what a slot of a tile holds besides its paths.
struct TileSlot {
  const TileView& view;
  std::uint32_t slot;
  WARPATH_HD std::uint32_t row() const { return view.row[slot]; }
  WARPATH_HD std::uint32_t reference() const { return view.reference_of[slot]; }
};

/// Scores the pair in `lane` of a tile, if there is one. @pre |R| <= K, or Quantities needs only
/// the last row.
template <class L, int K, unsigned Quantities, bool Edges, class Rows>
WARPATH_HD void score_slot(const TileView& view, std::uint32_t tile, std::uint32_t lane,
                           Rows& rows) {
  const std::uint32_t slot = tile * tile_pairs + lane;
  const std::uint32_t lengths = view.lengths[slot];
  if (lengths == 0) return;
  const PairSize size{static_cast<int>(lengths & 0xffff), static_cast<int>(lengths >> 16)};
  const TileQuery<2> query{view.query + std::size_t{view.start[tile].column} * tile_pairs + lane};
  score<L, K, 2, Quantities, Edges>(view.batch, size, rows, query, Border<false>{},
                                    TileSlot{view, slot});
}

WARPATH_HD TileReference tile_reference(const TileView& view, std::uint32_t tile,
                                        std::uint32_t lane) {
  return {view.reference + std::size_t{view.start[tile].row} * tile_pairs + lane};
}

template <class L, int K, unsigned Quantities, bool Edges, class Table>
WARPATH_HD void score_by_table(const TileView& view, const Table& table, std::uint32_t tile,
                               std::uint32_t lane) {
  TableRows<L, K, Table, TileReference> rows{table, tile_reference(view, tile, lane), {}};
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
  const TileReference reference = tile_reference(view, slice.first, 0);
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

/// Reads which pair entry p of a group view is.
struct GroupEntry {
  const GroupView& view;
  std::uint32_t p;

  WARPATH_HD std::uint32_t row() const { return view.slots != nullptr ? view.slots[p].row : p; }
  WARPATH_HD std::uint32_t query() const { return view.slots != nullptr ? view.slots[p].query : p; }
  WARPATH_HD std::uint32_t reference() const {
    return view.slots != nullptr ? view.slots[p].reference : view.pairs.reference(p);
  }
  WARPATH_HD bool is_active() const { return view.slots != nullptr || view.pairs.is_active(p); }
};

/// Returns the entries of a group view, first … end − 1.
struct EntryRange {
  std::uint32_t first, end;
};
WARPATH_HD EntryRange entries_of(const GroupView& view) {
  if (view.range == nullptr) return {0, view.count};
  return {view.range->first_slot, view.range->first_slot + view.range->slots};
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

/// Returns the tables of scans in global memory.
struct PlainTables {
  const BatchView& batch;
  WARPATH_HD PlainTable operator()(std::uint32_t scan) const { return plain_table(batch, scan); }
};

/// Scores entry p of a view with all lanes of a group, if it is active and neither path is empty.
/// @param table_of returns the table of a scan
template <class L, int K, int C, unsigned Quantities, bool Edges, class TableOf, class Borders>
WARPATH_HD void score_paths(const GroupView& view, std::uint32_t p, const TableOf& table_of,
                            const Borders& border) {
  const GroupEntry entry{view, p};
  if (!entry.is_active()) return;
  const PairsView& pairs = view.pairs;
  const std::uint32_t r = entry.reference(), q = entry.query(), scan = pairs.scan_of[r];
  const PairSize size{static_cast<int>(pairs.references.length(r)),
                      static_cast<int>(pairs.queries.length(q))};
  if (size.n == 0 || size.m == 0) {
    if (border.template has_result<L>(1)) write_no_scores(view.batch.results, entry.row());
    return;
  }
  const auto table = table_of(scan);
  TableRows<L, K, std::remove_const_t<decltype(table)>, PathReference> rows{
      table, {pairs.references.path(r), view.batch.scans[scan].pad}, {}};
  const PathQuery<L, C> query{pairs.queries.path(q), size.m};
  score<L, K, C, Quantities, Edges>(view.batch, size, rows, query, border, entry);
}

/// Scores entry p with group `group`. @pre |R| <= W K, or Strips.
template <class L, int K, int C, unsigned Quantities, bool Edges, bool Strips>
WARPATH_HD void score_by_group(const GroupView& view, std::uint32_t p, std::uint32_t group) {
  score_paths<L, K, C, Quantities, Edges>(view, p, PlainTables{view.batch},
                                          border_of<Strips>(view, group));
}

/// Scores entry p with group `group`, in strips. @param table of the pair's scan, of any kind
template <class L, int K, int C, unsigned Quantities, bool Edges, class Table>
WARPATH_HD void score_by_group_with_table(const GroupView& view, const Table& table,
                                          std::uint32_t p, std::uint32_t group) {
  const auto of_slice = [&](std::uint32_t) { return table; };
  score_paths<L, K, C, Quantities, Edges>(view, p, of_slice, border_of<true>(view, group));
}

/// Scores entry p with all groups of a block, two or more.
template <class L, int K, int C, unsigned Quantities, bool Edges>
WARPATH_HD void score_by_chain(const GroupView& view, std::uint32_t p, const ThreadId& me) {
  score_paths<L, K, C, Quantities, Edges>(view, p, PlainTables{view.batch}, chain_of<L>(view, me));
}

}  // namespace warpath::kernels

#pragma once

#include <type_traits>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/rows.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/views/pairs.hpp"

// Scores one pair, from the views to its row of the results: the bodies of the kernels. A kernel
// only finds its pair; everything else is here, where the tests run it on the host.

namespace warpath::kernels {

/// Returns the bit of a metric's column. Bit 15 stays free, because nvcc needs two instructions to
/// test it, and one for any other.
WARPATH_HD constexpr std::uint32_t column_bit(unsigned metric) {
  return 1u << (metric < 15 ? metric : metric + 1);
}
static_assert(path_metric_count < 32);

/// Returns column_bit of all metrics whose columns are wanted.
WARPATH_HD std::uint32_t wanted_columns(const ResultView& results) {
  std::uint32_t bits = 0;
  WARPATH_UNROLL for (int m = 0; m < path_metric_count; ++m) {
    if (results.column[m] != nullptr) bits |= column_bit(m);
  }
  return bits;
}

/// Reads what is given by row when it is asked for, which it seldom is.
template <class L>
struct RowInputs : PairInputs<L> {
  const BatchView& batch;
  std::uint32_t row;

  WARPATH_HD float given_task_success() const { return value_of(batch.task_success); }
  WARPATH_HD float given_query_length() const { return value_of(batch.cls_query_length); }
  WARPATH_HD float value_of(const float* by_row) const {
    return by_row != nullptr ? by_row[row] : __builtin_nanf("");
  }
};

/// Writes a pair's row of the results.
struct RowResults {
  const ResultView& results;
  std::uint32_t row;
  std::uint32_t wanted;  ///< see wanted_columns

  WARPATH_HD void set(Metric m, float value) const {
    const auto k = static_cast<unsigned>(m);
    if (wanted & column_bit(k)) results.column[k][row] = value;
  }
  /// Makes metrics NaN if the pair is unreachable, which few are: one branch for all of them.
  WARPATH_HD void clear(bool is_unreachable, std::uint32_t metrics) const {
    if (!is_unreachable) return;
    WARPATH_ROLLED for (std::uint32_t k = 0; k < path_metric_count; ++k) {
      if (metrics >> k & 1 && wanted & column_bit(k)) results.column[k][row] = __builtin_nanf("");
    }
  }
  WARPATH_HD void flags(std::uint32_t bits) const { results.flags[row] = bits; }
};

/// Writes the row of a pair that cannot be scored.
WARPATH_HD void write_no_scores(const ResultView& results, std::uint32_t row) {
  WARPATH_ROLLED for (int m = 0; m < path_metric_count; ++m) {
    if (results.column[m] != nullptr) results.column[m][row] = __builtin_nanf("");
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
WARPATH_HD void score(const BatchView& batch, PairSize size, Rows& rows, Query& query,
                      const Borders& border, const Where& where, std::uint32_t wanted) {
  Sweep<L, K, C, Quantities, Edges, Rows, Query, Borders> sweep(
      rows, query, size.n, size.m, -1.0f / batch.rules.threshold, border);
  const SweepResult<L> swept = sweep.run();
  if (!sweep.has_result()) return;
  const std::uint32_t row = where.row();
  const ReferenceTerms shared = batch.references[where.reference()];
  const RowInputs<L> inputs{{.n = size.n,
                             .m = size.m,
                             .reference_length = shared.length,
                             .cls_query_length = {},
                             .cls_reference_length = shared.cls_length,
                             .start_to_goal = shared.start_to_goal,
                             .task_success = {}},
                            batch,
                            row};
  RowResults results{batch.results, row, wanted};
  WARPATH_KEEP(results.row);  // else nvcc makes addresses in two instructions instead of one
  MetricFormulas<L, Quantities, RowResults, RowInputs<L>>(swept, inputs, batch.rules, results)
      .run();
}

/// Reads what a slot of a tile holds besides its paths.
struct TileSlot {
  const TileView& view;
  std::uint32_t slot;
  WARPATH_HD std::uint32_t row() const { return view.row[slot]; }
  WARPATH_HD std::uint32_t reference() const { return view.reference_of[slot]; }
};

/// Scores the pair in `lane` of a tile, if there is one. @pre |R| <= K, or Quantities needs only
/// the last row. @param wanted wanted_columns of the view
template <class L, int K, unsigned Quantities, bool Edges, class Rows>
WARPATH_HD void score_slot(const TileView& view, std::uint32_t tile, std::uint32_t lane,
                           std::uint32_t wanted, Rows& rows) {
  const std::uint32_t slot = tile * tile_pairs + lane;
  const std::uint32_t lengths = view.lengths[slot];
  if (lengths == 0) return;
  const PairSize size{static_cast<int>(lengths & 0xffff), static_cast<int>(lengths >> 16)};
  const TileQuery<2> query{view.query + std::size_t{view.start[tile].column} * tile_pairs + lane};
  // Else every step would wait for memory, not for L2. Each lane asks for one line, of two columns;
  // what the scores need lies in two.
  if (2 * lane < lengths >> 16) prefetch(query.ids + std::size_t{lane} * (2 * tile_pairs - 1));
  if (lane < 2) prefetch((lane == 0 ? view.row : view.reference_of) + slot);
  score<L, K, 2, Quantities, Edges>(view.batch, size, rows, query, Border<false>{},
                                    TileSlot{view, slot}, wanted);
}

WARPATH_HD TileReference tile_reference(const TileView& view, std::uint32_t tile,
                                        std::uint32_t lane) {
  return {view.reference + std::size_t{view.start[tile].row} * tile_pairs + lane};
}

template <class L, int K, unsigned Quantities, bool Edges, class Table>
WARPATH_HD void score_by_table(const TileView& view, const Table& table, std::uint32_t tile,
                               std::uint32_t lane, std::uint32_t wanted) {
  TableRows<L, K, Table, TileReference> rows{table, tile_reference(view, tile, lane), {}};
  score_slot<L, K, Quantities, Edges>(view, tile, lane, wanted, rows);
}

/// Copies a value that the thread may read immediately.
struct PlainCopy {
  template <class T>
  WARPATH_HD void operator()(T* to, const T* from) const {
    *to = *from;
  }
};

/// Copies a scan's table, 16 bytes at a time; `thread` of `threads` copies its share.
template <class Copy>
WARPATH_HD void copy_table(const BatchView& batch, const ScanTable& place, std::uint32_t thread,
                           std::uint32_t threads, Quad* to, Copy copy) {
  const auto* from = reinterpret_cast<const Quad*>(batch.distance + place.base);
  const std::uint32_t quads = table_entries<std::uint32_t>(place.pad) / 4;
  for (std::uint32_t e = thread; e < quads; e += threads) copy(to + e, from + e);
}

/// Returns the reference of a slice that has only one: that of its first pair.
WARPATH_HD std::uint32_t reference_of(const TileView& view, const Slice& slice) {
  return view.reference_of[slice.first * tile_pairs];
}

/// Names a reference whose own table is to be filled.
template <class Reference>
struct OwnTable {
  PlainTable table;          ///< of its scan, which is symmetric
  std::uint32_t viewpoints;  ///< of its scan
  Reference reference;       ///< node(first, i) is the viewpoint of row i; `viewpoints`: padding
  int first;

  /// Returns the entry of row i for viewpoint v; padding takes the scan's column of +inf.
  WARPATH_HD std::uint32_t offset(int i, std::uint32_t v) const {
    const std::uint32_t node = reference.node(first, i);
    const bool is_padding = node == viewpoints;
    return table.row(is_padding ? v : node) + table.column(is_padding ? node : v);
  }
};

/// Names the reference of a slice that has only one.
WARPATH_HD OwnTable<TileReference> own_table(const TileView& view, const Slice& slice) {
  return {plain_table(view.batch, slice.scan),
          static_cast<std::uint32_t>(view.batch.scans[slice.scan].pad),
          tile_reference(view, slice.first, 0), 0};
}

/// Fills a reference's own table. `thread` of `threads` fills its share of the entries: those of a
/// warp are neighbours in one row of the scan's table.
template <int K, class Reference, class Copy>
WARPATH_HD void fill_reference_table(const OwnTable<Reference>& from, std::uint32_t thread,
                                     std::uint32_t threads, Quad* own, Copy copy) {
  const std::uint32_t lane = thread % 32;
  const std::uint32_t parts = (from.viewpoints + 31) / 32;  // of a row, each for one warp
  for (std::uint32_t part = thread / 32; part < parts * K; part += threads / 32) {
    const std::uint32_t i = part / parts, v = part % parts * 32 + lane;
    if (v >= from.viewpoints) continue;
    copy(own[v * ReferenceRows<K>::units + i / 4].value + i % 4,
         from.table.address(from.offset(static_cast<int>(i), v)));
  }
}

/// Fills the replicated rows of a reference. `thread` of `threads` fills the rows of its share of
/// the viewpoints. Each store of 16 bytes is free of bank conflicts, too:
///
///   lane       0   1   2  …  7    8  …
///   viewpoint  v  v+1 v+2 … v+7  v+8 …
///   copy k     k  k+1 k+2 … k+7   k  …    modulo 8
template <int K, unsigned Quantities, class Reference>
WARPATH_HD void fill_replicated_rows(const OwnTable<Reference>& from, std::uint32_t thread,
                                     std::uint32_t threads, Quad* own) {
  using Rows = ReplicatedRows<K, Quantities>;
  static_assert(K % 4 == 0);
  for (std::uint32_t v = thread; v < from.viewpoints; v += threads) {
    Quad* row = own + v * (Rows::units * row_copies);
    const auto store = [&](int unit, const Quad& quad) {
      WARPATH_UNROLL for (std::uint32_t k = 0; k < row_copies; ++k) {
        row[unit * row_copies + (v + k) % row_copies] = quad;
      }
    };
    KnownColumn known{__builtin_inff(), 0};
    WARPATH_UNROLL for (int u = 0; u < Rows::quads; ++u) {
      Quad quad{};
      WARPATH_UNROLL for (int i = 4 * u; i < 4 * u + 4; ++i) {
        const float d = from.table.at(from.offset(i, v));
        quad.value[i % 4] = d;
        known.minimum = d < known.minimum ? d : known.minimum;
        if (d == 0.0f) known.zero_rows |= 1u << (32 - K + i);
      }
      store(u, quad);
    }
    if constexpr (Rows::units > Rows::quads) {
      const KnownColumn both[2] = {known, known};
      Quad quad;
      __builtin_memcpy(&quad, both, sizeof quad);
      store(Rows::quads, quad);
    }
  }
}

template <class L, int K, unsigned Quantities, bool Edges>
WARPATH_HD void score_by_replicated_rows(const TileView& view, const Quad* own,
                                         const PlainTable& table, std::uint32_t tile,
                                         std::uint32_t lane, std::uint32_t wanted) {
  ReplicatedRows<K, Quantities> rows{own, table, lane};
  score_slot<L, K, Quantities, Edges>(view, tile, lane, wanted, rows);
}

template <class L, int K, unsigned Quantities, bool Edges>
WARPATH_HD void score_by_reference(const TileView& view, const Quad* own, const PlainTable& table,
                                   std::uint32_t tile, std::uint32_t lane, std::uint32_t wanted) {
  ReferenceRows<K> rows{own, table};
  score_slot<L, K, Quantities, Edges>(view, tile, lane, wanted, rows);
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
  const PairsView& pairs = view.pairs;
  // These loads do not wait for each other; those of a reference would, if the pair is not active.
  const bool is_active = entry.is_active();
  const std::uint32_t q = entry.query();
  std::uint32_t r = entry.reference(), m = pairs.queries.length(q);
  WARPATH_KEEP(r);
  WARPATH_KEEP(m);
  if (!is_active) return;
  const std::uint32_t scan = pairs.scan_of[r];
  const PairSize size{static_cast<int>(pairs.references.length(r)), static_cast<int>(m)};
  if (size.n == 0 || size.m == 0) {
    if (border.template has_result<L>(1)) write_no_scores(view.batch.results, entry.row());
    return;
  }
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  const auto table = table_of(scan);
  TableRows<L, K, std::remove_const_t<decltype(table)>, PathReference> rows{
      table, {pairs.references.path(r), view.batch.scans[scan].pad}, {}};
  const PathQuery<L, C> query{pairs.queries.path(q), size.m};
  score<L, K, C, Quantities, Edges>(view.batch, size, rows, query, border, entry, wanted);
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

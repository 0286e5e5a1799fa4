#pragma once

#include "host/core/cpu/cpu_kernels.hpp"
#include "kernels/lanes/simd_lanes.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/sweep.hpp"

// Connects staged paths and distance tables to the sweep, and its results to their columns: the
// building blocks of all CPU kernels. The device has its own rows (kernels/bodies/rows.hpp),
// because a thread there reads a path as it was uploaded.

namespace warpath::cpu {
namespace {

using namespace kernels;

// Looks distances up in the scans' tables; each lane has its own table.
template <class L>
struct GatherTable {
  using F = typename L::F;
  using I = typename L::I;

  const float* distance;
  I base, pitch;

  WARPATH_HD I row(const I& a) const { return a * pitch + base; }
  WARPATH_HD F at(const I& entry) const { return L::gather(distance, entry); }
  WARPATH_HD F at(const I& a, const I& b) const { return at(row(a) + b); }
};

// Loads the viewpoints of each lane's K rows.
template <class L, int K, class Id>
struct StagedRows {
  const Id* staged;  // [strip][K][Lanes], padded as layout.hpp says
  typename L::I row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row[i] = L::load_ids(staged + (static_cast<std::size_t>(strip) * K + i) * L::Lanes);
    }
  }
};

// Takes distances from the scans' tables.
template <class L, int K, class Id>
struct TableRows : StagedRows<L, K, Id> {
  GatherTable<L> table;

  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) const {
    const auto first = table.row(node);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = table.at(first + this->row[i]);
  }
  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return table.at(a, b);
  }
};

// Compares viewpoints, for the edit distance alone; looks no distance up.
template <class L, int K>
struct IdRows : StagedRows<L, K, StagedNode> {
  WARPATH_HD void column(const typename L::I&, typename L::F (&)[K]) const {}
  WARPATH_HD typename L::B same(const typename L::I& node) const {
    return equal_rows<L>(this->row, node);
  }
};

// Takes distances from a reference's own table, if all pairs of a group have that reference. The
// reference's distances to a viewpoint are one row, so one load per lane and a transpose replace K
// look-ups.
//   lane 0:  row of its viewpoint  a0 a1 a2 …            a0 b0 c0 …  row 0 of the reference
//   lane 1:  row of its viewpoint  b0 b1 b2 …    ->      a1 b1 c1 …  row 1
template <class L, int K>
struct SharedRows {
  static constexpr int loaded = (K + 3) / 4 * 4;  // the last K are used

  const float* own;  // the reference's own table, from the first entry that is loaded
  int pitch;

  WARPATH_HD SharedRows(const ReferenceTable& table)
      : own(table.distance + table.pitch - loaded), pitch(table.pitch) {}

  WARPATH_HD void load(const typename L::I&, int) {}
  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) const {
    alignas(64) int ids[L::Lanes];
    L::store(ids, node);
    typename L::F row[loaded];
    L::template load_transposed<loaded>(own, ids, pitch, row);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = row[loaded - K + i];
  }
};

// Does the same for a reference in strips.
template <class L, int K>
struct SharedStripRows : SharedRows<L, K> {
  const float* first;  // of the first strip

  WARPATH_HD SharedStripRows(const ReferenceTable& table, int strips)
      : SharedRows<L, K>(table), first(this->own - (strips - 1) * K) {}
  WARPATH_HD void load(const typename L::I&, int strip) { this->own = first + strip * K; }
};

// Takes the steps of queries from the scans' tables.
template <class L, int K>
struct SharedPairRows : SharedRows<L, K> {
  GatherTable<L> table;

  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return table.at(a, b);
  }
};

// Reads the columns of one query per lane: [column][lane].
template <class L>
struct GroupQuery {
  const StagedNode* staged;

  WARPATH_HD typename L::I node(int t, int) const {
    return L::load_ids(staged + static_cast<std::size_t>(t) * L::Lanes);
  }
};

// Reads the columns of one query for all lanes.
template <class L>
struct LongQuery {
  const int* staged;
  ReversedColumns<L::W, 1> columns;

  WARPATH_HD typename L::I node(int t, int) const {
    return L::load_ids(staged + columns.first_entry(t));
  }
};

// Places one reference for W lanes of K rows: row i of lane l in strip s goes to staged[(s * K + i)
// * pitch + l].
template <int W, int K, class T, class Element>
void stage_rows(const Element* reference, int n, int strips, T padding, int pitch, T* staged) {
  const int rows = strips * W * K;
  int row = 0;
  for (int s = 0; s < strips; ++s, staged += static_cast<std::size_t>(K) * pitch) {
    for (int l = 0; l < W; ++l) {
      for (int i = 0; i < K; ++i, ++row) {
        const int index = reference_index(row, rows, n);
        staged[static_cast<std::size_t>(i) * pitch + l] =
            index < 0 ? padding : static_cast<T>(reference[index]);
      }
    }
  }
}

// Places array c of one query's columns. Only columns outside of the query need to compute which
// viewpoint they repeat.
template <int W, int C, class T, class Element>
void stage_columns(const Element* query, int m, int c, const ReversedColumns<W, C>& columns,
                   T* staged) {
  const auto repeated = [&](int j) { return static_cast<T>(query[query_index(j, m)]); };
  int k = 0, j = columns.column(0, c);
  for (; j >= m; j -= C) staged[k++] = repeated(j);
  for (; j >= 0; j -= C) staged[k++] = static_cast<T>(query[j]);
  for (; k < columns.entries(); j -= C) staged[k++] = repeated(j);
}

// Gives all lanes the inputs of one pair.
template <class L>
WARPATH_HD PairInputs<L> in_all_lanes(const PairInputs<ScalarOps>& pair) {
  return {.n = L::integer(pair.n),
          .m = L::integer(pair.m),
          .reference_length = L::real(pair.reference_length),
          .cls_query_length = L::real(pair.cls_query_length),
          .cls_reference_length = L::real(pair.cls_reference_length),
          .start_to_goal = L::real(pair.start_to_goal),
          .task_success = L::real(pair.task_success)};
}

// Writes results to their columns, from entry p on: one per lane, or that of the one pair of all
// lanes.
template <class L>
struct Writer {
  static constexpr float none = __builtin_nanf("");
  const ResultView& out;
  std::size_t p;

  WARPATH_HD void set(Metric m, const typename L::F& value) const {
    float* column = out.column[index_of(m)];
    if (column == nullptr) return;
    if constexpr (L::W == 1)
      L::store(column + p, value);
    else
      column[p] = L::last(value);
  }
  WARPATH_HD void clear(const typename L::M& where, std::uint32_t metrics) const {
    const typename L::I is_there = L::select(where, L::integer(1), L::integer(0));
    if constexpr (L::W == 1) {
      if (L::highest(is_there) == 0) return;
    } else {
      if (L::last(is_there) == 0) return;
    }
    for (std::size_t k = 0; k < path_metric_count; ++k) {
      float* column = out.column[k];
      if (column == nullptr || !(metrics >> k & 1)) continue;
      if constexpr (L::W == 1)
        L::store(column + p, L::select(where, L::real(none), L::load(column + p)));
      else
        column[p] = none;
    }
  }
  WARPATH_HD void flags(const typename L::B& bits) const {
    if constexpr (L::W == 1)
      L::store(out.flags + p, bits);
    else
      out.flags[p] = L::last(bits);
  }
};

// Returns the two rows of a border, each of that many entries.
template <bool Strips>
Border<Strips> make_border(Workspace& workspace, std::size_t entries) {
  if constexpr (!Strips) return {};
  auto* real = static_cast<float*>(workspace.border(entries * 6 * sizeof(float)));
  auto* word = reinterpret_cast<std::uint32_t*>(real + 4 * entries);
  return {{real, real + entries, word}, {real + 2 * entries, real + 3 * entries, word + entries}};
}

// Computes the metrics of what was swept, and writes them.
template <class L, unsigned Quantities>
WARPATH_HD_LONG void write_metrics(const SweepResult<L>& swept, const PairInputs<L>& inputs,
                                   const Rules& rules, const ResultView& out, std::size_t p) {
  Writer<L> writer{out, p};
  MetricFormulas<L, Quantities, Writer<L>>(swept, inputs, rules, writer).run();
}

// Sweeps a group or a pair and writes its results.
// @param border_columns length of the border's rows, in entries
template <class L, int K, int C, unsigned Quantities, bool Edges, bool Strips, class Rows,
          class Query>
WARPATH_HD void sweep_and_write(Rows& rows, Query&& query, const PairInputs<L>& inputs,
                                const KernelArguments& arguments, Workspace& workspace,
                                std::size_t border_columns, const ResultView& out, std::size_t p) {
  const auto border = make_border<Strips>(workspace, border_columns);
  Sweep<L, K, C, Quantities, Edges, Rows, std::remove_reference_t<Query>, Border<Strips>> sweep(
      rows, query, inputs.n, inputs.m, -1.0f / arguments.rules.threshold, border);
  const SweepResult<L> swept = sweep.run();
  write_metrics<L, Quantities>(swept, inputs, arguments.rules, out, p);
}

}  // namespace
}  // namespace warpath::cpu

#pragma once

#include "host/cpu/cpu_kernels.hpp"
#include "kernels/lanes/simd_lanes.hpp"

// What every kernel of the CPU back end is made of: where distances come from, staged in the order
// in which the sweep reads them, and where results go.

namespace warpath::cpu {
namespace {

using namespace kernels;

// Rows of the scans' tables.
template <class L, int K, class Id>
struct TableRows {
  const float* distance;
  const Id* staged;  // [strip][K][Lanes], padded and aligned to the end
  typename L::I base, pitch;
  typename L::I row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row[i] = L::load_ids(staged + (static_cast<std::size_t>(strip) * K + i) * L::Lanes);
    }
  }
  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) const {
    const auto at = node * pitch + base;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = L::gather(distance, at + row[i]);
  }
  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return L::gather(distance, a * pitch + base + b);
  }
};

// For the edit distance alone: viewpoints are compared, no distance is looked up.
template <class L, int K>
struct IdRows {
  const StagedNode* staged;  // as in TableRows
  typename L::I row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row[i] = L::load_ids(staged + (static_cast<std::size_t>(strip) * K + i) * L::Lanes);
    }
  }
  WARPATH_HD void column(const typename L::I&, typename L::F (&)[K]) const {}
  WARPATH_HD typename L::B same(const typename L::I& node) const {
    auto mask = L::bits(0);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      mask = L::select(row[i] == node, mask | L::bits(1u << i), mask);
    }
    return mask;
  }
};

// A whole group on one reference: its distances to a viewpoint are one row of a table of its own,
// so a load for each lane and a transpose take the place of K look-ups.
//   lane 0:  row of its viewpoint  a0 a1 a2 …            a0 b0 c0 …  row 0 of the reference
//   lane 1:  row of its viewpoint  b0 b1 b2 …    ->      a1 b1 c1 …  row 1
template <class L, int K>
struct SharedRows {
  const float *table, *distance;
  const StagedNode* column_ids;  // of the next column, by lane
  typename L::I base, pitch;

  WARPATH_HD void load(const typename L::I&, int) {}
  WARPATH_HD void column(const typename L::I&, typename L::F (&d)[K]) {
    L::template load_transposed<K>(table, column_ids, shared_pitch, d);
    column_ids += L::Lanes;
  }
  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return L::gather(distance, a * pitch + base + b);
  }
};

// Columns of one query per lane: [column][lane]. All lanes on one query: the columns reversed, so
// that what the lanes see in one step lies side by side.
//   step t:  lane 0 sees column t, lane 1 column t − 1, …    memory: … t+1  t  t−1  t−2 …
//                                                                           ^ step t reads from
//                                                                           here
template <class L, class Id>
struct StagedQuery {
  const Id* staged;
  int end = 0;

  WARPATH_HD typename L::I node(int t, int) const {
    if constexpr (L::W == 1) return L::load_ids(staged + static_cast<std::size_t>(t) * L::Lanes);
    return L::load_ids(staged + end - t);
  }
};

template <class L>
struct Writer {
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
  WARPATH_HD void flags(const typename L::B& bits) const {
    if constexpr (L::W == 1)
      L::store(out.flags + p, bits);
    else
      out.flags[p] = L::last(bits);
  }
};

template <bool Strips>
Border<Strips> make_border(Workspace& workspace, std::size_t entries) {
  if constexpr (!Strips) return {};
  auto* real = static_cast<float*>(workspace.border(entries * 6 * sizeof(float)));
  auto* word = reinterpret_cast<std::uint32_t*>(real + 4 * entries);
  return {{real, real + entries, word}, {real + 2 * entries, real + 3 * entries, word + entries}};
}

template <class L, int K, int C, unsigned Quantities, bool Edges, bool Strips, class Rows,
          class Query>
WARPATH_HD void sweep_and_finish(Rows& rows, const Query& query, const PairInputs<L>& terms,
                                 const KernelArguments& job, Workspace& workspace,
                                 std::size_t columns, const ResultView& out, std::size_t p) {
  const auto border = make_border<Strips>(workspace, columns);
  Sweep<L, K, C, Quantities, Edges, Rows, Query, Border<Strips>> sweep(
      rows, query, terms.n, terms.m, -1.0f / job.rules.threshold, border);
  const SweepResult<L> sums = sweep.run();
  Writer<L> writer{out, p};
  MetricFormulas<L, Quantities, Writer<L>>(sums, terms, job.rules, writer).run();
}

}  // namespace
}  // namespace warpath::cpu

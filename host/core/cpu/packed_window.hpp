#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "warpath/paths.hpp"

namespace warpath::cpu {

/// Sorts, places and scores a number of pairs together. One object per thread; its memory is kept
/// from window to window.
class PackedWindow {
 public:
  /// Places the pairs of `rows` (not empty), sorted by (|R|, |Q|) so that neighbouring pairs are of
  /// similar size. Returns false if a viewpoint does not exist in its scan: such a window must not
  /// be scored.
  /// @param one_reference whether all pairs have the same reference, which is then placed once
  [[nodiscard]] bool pack(std::span<const std::uint32_t> rows, const PairBatchView& batch,
                          const batch::DistanceTables& tables, const batch::ClsLengths& cls_lengths,
                          const CpuKernels& isa, bool one_reference = false);

  /// Returns first, first + 1, …; valid until the next call.
  std::span<const std::uint32_t> consecutive_rows(std::uint32_t first, std::size_t count);

  /// Makes room for the results of these metrics.
  const ResultView& outputs(std::span<const Metric> metrics);

  std::size_t pairs() const { return items_.size(); }
  std::size_t groups() const { return groups_.size(); }
  const PairGroupData& tasks() const { return tasks_; }
  /// Returns the row of the batch of pair p.
  std::uint32_t row(std::size_t p) const { return rows_[p]; }
  const std::uint32_t* rows() const { return rows_.data(); }
  /// Tells whether pair p is row row(0) + p for every p.
  bool in_order() const { return in_order_; }

  Workspace workspace;
  std::vector<float> shared_table;

 private:
  struct Item {
    const Node *reference, *query;
    std::uint32_t n, m, row;
  };

  void read(std::span<const std::uint32_t> rows, const PairBatchView& batch);
  void sort();
  void plan(int lanes, bool one_reference);
  void resize_fields(std::size_t entries);
  void fill_fields(const PairBatchView& batch, const batch::DistanceTables& tables,
                   const batch::ClsLengths& cls_lengths);
  // These functions return whether all viewpoints exist in their scans.
  bool stage_references(std::size_t g, const CpuKernels& isa);
  bool stage_queries(std::size_t g, const CpuKernels& isa);
  bool check_single_pairs(std::size_t g, int lanes) const;
  const Item& item(std::size_t p) const { return items_[order_[p]]; }

  std::vector<Item> items_;  // in the order of the batch
  // For every entry, including those that fill up the last group with its last pair: the item, its
  // row, and the padding column of its scan.
  std::vector<std::uint32_t> order_, rows_;
  std::vector<Node> pads_;
  std::vector<std::uint32_t> consecutive_, scratch_;
  std::vector<Group> groups_;
  std::vector<StagedNode> ids_;
  std::vector<std::int32_t> integers_;
  std::vector<float> reals_, values_;
  std::vector<std::uint32_t> flags_;
  PairGroupData tasks_{};
  ResultView outputs_{};
  bool in_order_ = false;
};

}  // namespace warpath::cpu

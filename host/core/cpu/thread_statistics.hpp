#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "host/core/cpu/cpu_kernels.hpp"
#include "kernels/metrics/flags.hpp"
#include "warpath/batch_statistics.hpp"

namespace warpath::cpu {

/// Adds up the results of one thread, a column at a time. Everything has the bits of
/// BatchStatistics::add.
class ThreadStatistics {
 public:
  /// @param max_values values of a column that are counted before they are folded: so few that the
  /// counts of its cells do not overflow
  explicit ThreadStatistics(const CpuKernels& kernels,
                            std::uint64_t max_values = std::uint64_t{1} << 31)
      : isa_(kernels), max_values_(max_values) {}

  /// Adds the finite values of a column. @throws std::overflow_error as Statistics::add
  void add(Metric metric, std::span<const float> values);
  /// Adds one number of viewpoints to a column of them. @throws as above
  void add_count(Metric metric, std::size_t viewpoints) {
    Column& column = columns_[metric];
    const bool is_quick = viewpoints < kernels::small_integers && column.integers != nullptr &&
                          column.added < max_values_;
    if (!is_quick) return add_rare_count(metric, viewpoints, 1);
    ++column.integers->times[column.added++ % 4][viewpoints];
  }
  /// Adds a number of viewpoints that many times. @throws as above
  void add_count(Metric metric, std::size_t viewpoints, std::uint32_t times) {
    add_rare_count(metric, viewpoints, times);
  }
  /// Counts items by their flags, after `mask`.
  void count_items(std::span<const std::uint32_t> flags, std::uint32_t mask);

  /// Returns the statistics of everything that was added.
  /// @throws std::overflow_error as Statistics::merge
  const BatchStatistics& fold();

 private:
  struct Column {
    std::uint64_t added = 0;  // values since the last fold
    ColumnSums sums;
    std::unique_ptr<IntegerCounts> integers;  // of metrics that have small integers, once needed
  };

  void add_rare_count(Metric metric, std::size_t viewpoints, std::uint32_t times);
  IntegerCounts& integers_of(Column& column);
  bool add_quickly(Metric metric, Column& column, std::span<const float> values);
  void make_room(Metric metric, std::size_t values);
  void fold(Metric metric);

  const CpuKernels& isa_;
  const std::uint64_t max_values_;
  BatchStatistics statistics_;
  MetricMap<Column> columns_;  // not yet in statistics_, as are:
  std::array<std::uint64_t, kernels::flag_sets> flags_{};
};

}  // namespace warpath::cpu

#include "host/core/cpu/thread_statistics.hpp"

#include <algorithm>

#include "host/core/batch/request.hpp"
#include "kernels/metrics/fixed_point.hpp"
#include "kernels/metrics/quick_sums.hpp"

namespace warpath::cpu {
namespace {

using namespace kernels;

bool is_quick(Unit unit, float value) {
  if (unit == Unit::fraction) return QuickSums<ScalarValues, Unit::fraction>::takes(value);
  return QuickSums<ScalarValues, Unit::length>::takes(value);
}

Statistics::Integer words_of(Int128 x) {
  return {low_word(x), high_word(x)};
}

template <std::size_t size>
std::uint64_t count_in(const std::uint32_t (&tables)[4][size], std::size_t cell) {
  std::uint64_t sum = 0;
  for (const auto& table : tables) sum += table[cell];
  return sum;
}

void add_sums(const ColumnSums& column, Metric metric, BatchStatistics& to) {
  std::array<std::uint64_t, Histogram::max_cells> cells{};
  std::uint64_t n = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) n += cells[c] = count_in(column.cells, c);
  if (n == 0) return;
  const Unit unit = info(metric).unit;
  to.summary.metrics[metric].merge(Statistics(unit, {.n = n,
                                                     .sum = words_of(column.sum),
                                                     .squares = words_of(column.squares),
                                                     .minimum = column.minimum,
                                                     .maximum = column.maximum}));
  to.histograms[metric].merge(Histogram(unit, cells));
}

void add_integers(const IntegerCounts& counts, Metric metric, BatchStatistics& to) {
  const Unit unit = info(metric).unit;
  std::array<std::uint64_t, Histogram::max_cells> cells{};
  Statistics::Moments moments;
  Int128 sum = 0, squares = 0;
  for (std::uint32_t v = 0; v < small_integers; ++v) {
    const std::uint64_t times = count_in(counts.times, v);
    if (times == 0) continue;
    const auto value = static_cast<float>(v);
    if (moments.n == 0) moments.minimum = value;
    moments.maximum = value;
    moments.n += times;
    sum += Int128{times} * v;
    squares += Int128{times} * v * v;
    cells[histogram_cell(value, Histogram::bins_of(unit))] += times;
  }
  if (moments.n == 0) return;
  moments.sum = words_of(sum << Statistics::grid_bits(unit));
  moments.squares = words_of(squares << Statistics::grid_bits(unit));
  to.summary.metrics[metric].merge(Statistics(unit, moments));
  to.histograms[metric].merge(Histogram(unit, cells));
}

}  // namespace

IntegerCounts& ThreadStatistics::integers_of(Column& column) {
  if (column.integers == nullptr) column.integers = std::make_unique<IntegerCounts>();
  return *column.integers;
}

bool ThreadStatistics::add_quickly(Metric metric, Column& column, std::span<const float> values) {
  const Unit unit = info(metric).unit;
  if (has_small_integers(metric, unit)) {
    return isa_.count_integers(values.data(), values.size(), integers_of(column));
  }
  const auto add = unit == Unit::fraction ? isa_.add_fractions : isa_.add_lengths;
  return add(values.data(), values.size(), column.sums);
}

void ThreadStatistics::add(Metric metric, std::span<const float> values) {
  make_room(metric, values.size());
  if (add_quickly(metric, columns_[metric], values)) return;
  const Unit unit = info(metric).unit;
  const bool integers = has_small_integers(metric, unit);
  for (const float value : values) {
    const bool added = integers ? is_small_integer(value) : is_quick(unit, value);
    if (!added) statistics_.add(metric, value);
  }
}

void ThreadStatistics::add_rare_count(Metric metric, std::size_t viewpoints, std::uint32_t times) {
  if (viewpoints >= small_integers) {
    for (std::uint32_t k = 0; k < times; ++k) {
      statistics_.add(metric, static_cast<double>(viewpoints));
    }
    return;
  }
  make_room(metric, times);
  Column& column = columns_[metric];
  integers_of(column).times[column.added % 4][viewpoints] += times;
}

void ThreadStatistics::count_items(std::span<const std::uint32_t> flags, std::uint32_t mask) {
  constexpr std::size_t block = 64;
  statistics_.summary.items += flags.size();
  for (; !flags.empty(); flags = flags.subspan(std::min(block, flags.size()))) {
    const auto part = flags.first(std::min(block, flags.size()));
    std::uint32_t any = 0;
    for (const std::uint32_t set : part) any |= set;
    if ((any & mask) == 0) {  // as nearly always
      flags_[0] += part.size();
    } else {
      for (const std::uint32_t set : part) ++flags_[set & mask];
    }
  }
}

void ThreadStatistics::make_room(Metric metric, std::size_t values) {
  Column& column = columns_[metric];
  column.added += values;
  if (column.added <= max_values_) return;
  fold(metric);
  column.added = values;
}

void ThreadStatistics::fold(Metric metric) {
  Column& column = columns_[metric];
  if (column.added == 0) return;
  add_sums(column.sums, metric, statistics_);
  if (column.integers != nullptr) add_integers(*column.integers, metric, statistics_);
  column = {};
}

const BatchStatistics& ThreadStatistics::fold() {
  for (const Metric m : MetricSet::of_paths()) fold(m);
  for (std::uint32_t set = 0; set < flag_sets; ++set) {
    if (flags_[set] == 0) continue;
    statistics_.summary.count(definitions::status_of(set), zero_rules_of(set), flags_[set]);
  }
  flags_ = {};
  return statistics_;
}

}  // namespace warpath::cpu

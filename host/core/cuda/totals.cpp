#include "host/core/cuda/totals.hpp"

#include <bit>
#include <stdexcept>

#include "host/core/batch/request.hpp"
#include "kernels/metrics/fixed_point.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

/// Adds up four limbs with their carries. The part above 128 bits goes to `rest`.
Int128 carried(const std::uint64_t (&limbs)[4], std::uint64_t& rest) {
  Int128 sum = 0, carry = 0;
  for (int limb = 0; limb < 4; ++limb) {
    carry += limbs[limb];
    sum |= (carry & 0xffffffff) << 32 * limb;
    carry >>= 32;
  }
  rest = static_cast<std::uint64_t>(carry);
  return sum;
}

double value_of_key(std::uint32_t key, Metric metric) {
  if (definitions::traits(metric).count != nullptr) return key - 1;
  return std::bit_cast<float>(key >> 31 ? key & 0x7fffffff : ~key);
}

}  // namespace

ColumnRules column_rules(Unit unit) {
  const int bits = Statistics::grid_bits(unit);
  return {unit, bits, too_large_for(bits), Histogram::bins_of(unit)};
}

Statistics read_statistics(const ColumnTotals& column, Metric metric) {
  std::uint64_t above_sum = 0, above_squares = 0;
  Statistics::Moments moments;
  moments.n = column.n;
  const Int128 sum = carried(column.sum, above_sum);
  const Int128 squares = carried(column.squares, above_squares);
  moments.sum = {low_word(sum), high_word(sum)};
  moments.squares = {low_word(squares), high_word(squares)};
  if (column.overflows > 0 || above_squares > 0 || high_word(squares) >> 63 != 0) {
    throw std::overflow_error("values too large to be averaged");
  }
  if (column.n > 0) {
    moments.minimum = value_of_key(~static_cast<std::uint32_t>(column.least), metric);
    moments.maximum = value_of_key(static_cast<std::uint32_t>(column.greatest), metric);
  }
  return {info(metric).unit, moments};
}

AggregateView totals_view(const MetricSet& metrics, BatchTotals* totals) {
  AggregateView view{};
  view.asked_metrics = static_cast<std::uint32_t>(metrics.bits());
  view.asked_flags = batch::flags_of(metrics);
  for (const MetricInfo& m : path_metric_table()) {
    view.rules[index_of(m.metric)] = column_rules(m.unit);
  }
  view.totals = totals;
  return view;
}

BatchStatistics statistics_of(const BatchTotals& totals) {
  BatchStatistics batch;
  batch.summary.items = totals.pairs;
  for (const MetricInfo& m : path_metric_table()) {
    const ColumnTotals& column = totals.column[index_of(m.metric)];
    batch.summary.metrics[m.metric] = read_statistics(column, m.metric);
    batch.histograms[m.metric] = Histogram(m.unit, column.cells);
  }
  std::uint64_t without_flags = totals.pairs;
  for (std::uint32_t flags = 1; flags < flag_sets; ++flags) {
    without_flags -= totals.flags[flags];
    batch.summary.count(definitions::status_of(flags), kernels::zero_rules_of(flags),
                        totals.flags[flags]);
  }
  batch.summary.count(Status::ok, 0, without_flags);
  return batch;
}

DeviceTotals::DeviceTotals(Device& device, const MetricSet& metrics)
    : device_(device),
      totals_(device, 1),
      view_(totals_view(metrics, totals_.device.data())),
      stream_(device) {
  clear_async(stream_.get());
  device.wait(stream_.get());
}

void DeviceTotals::clear_async(Stream stream) {
  device_.fill(view_.totals, 0, sizeof(BatchTotals), stream);
}

BatchStatistics DeviceTotals::read() {
  totals_.download(device_, 1, stream_.get());
  device_.wait(stream_.get());
  return statistics_of(totals_.host[0]);
}

}  // namespace warpath::cuda

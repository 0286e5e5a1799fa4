#include "host/checks/benchmark/resident.hpp"

#include <limits>

#include "host/checks/benchmark/timing.hpp"
#include "host/core/cuda/prepared_batch.hpp"
#include "host/core/cuda/prepared_points.hpp"
#include "host/core/cuda/totals.hpp"

namespace warpath::benchmark {
namespace {

/// Times the kernels on a chunk. @pre it is uploaded
template <class Chunk>
ResidentRate rate_of(Chunk& chunk, double seconds) {
  return resident_rate(chunk.count(), seconds, [&](int times) {
    for (int k = 0; k < times; ++k) chunk.score();
    chunk.finish();
  });
}

}  // namespace

ResidentRate resident_rate(std::size_t pairs, double seconds,
                           const std::function<void(int)>& again) {
  constexpr double long_enough = 0.005;
  int times = 1;
  while (times < 1024 && times / rate(times, 0.0, [&] { again(times); }) < long_enough) times *= 2;
  return {measure(times * pairs, seconds, [&] { again(times); }), pairs};
}

ResidentRate resident_rate(cuda::Device& device, const PairBatch& batch,
                           const batch::DistanceTables& tables, const MetricSet& metrics,
                           double seconds) {
  const cuda::Options options{.metrics = metrics};
  const cuda::DeviceTotals totals(device, metrics);
  const cuda::PreparedBatch prepared(device, batch, tables, Convention(), options, &totals.view());
  const cuda::PreparedSpan span(prepared, 0);
  cuda::Chunk chunk(device, span.context(), span.capacity(span.context().rows.size(), 1));
  chunk.upload(0);
  return rate_of(chunk, seconds);
}

ResidentRate resident_rate(cuda::Device& device, const PointBatch& batch, const MetricSet& metrics,
                           double seconds) {
  const cuda::PointOptions options{.metrics = metrics,
                                   .chunk_pairs = static_cast<std::uint32_t>(batch.pairs.size())};
  const Convention convention;
  const cuda::PreparedPoints prepared(device, batch, convention, options);
  constexpr std::uint64_t max_points = std::numeric_limits<std::uint32_t>::max();
  cuda::PointChunk chunk(device, prepared.context(), prepared.capacity(max_points, 1));
  chunk.upload(0);
  return rate_of(chunk, seconds);
}

}  // namespace warpath::benchmark

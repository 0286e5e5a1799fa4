#include "host/core/cuda/points.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "host/core/base/progress.hpp"
#include "host/core/batch/point_results.hpp"
#include "host/core/cuda/chunk_pipeline.hpp"
#include "host/core/cuda/prepared_points.hpp"

namespace warpath::cuda {
namespace {

// Points of a chunk (64 MiB), unless a single pair has more.
constexpr std::uint64_t max_points = 1u << 22;

template <class T>
void write(const PointChunk& chunk, std::span<const Metric> metrics,
           const batch::PointResults<T>& results, const ScoreColumns<T>& columns) {
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, chunk.count()), [&](const auto& range) {
    for (std::size_t c = 0; c < metrics.size(); ++c) {
      std::copy(chunk.column(c) + range.begin(), chunk.column(c) + range.end(),
                columns.column[metrics[c]] + chunk.first() + range.begin());
    }
    for (std::uint32_t k = range.begin(); k < range.end(); ++k) {
      results.write(chunk.first() + k, chunk.flags()[k]);
    }
  });
}

}  // namespace

template <class T>
void score(Device& device, const PointBatchView& batch, const Convention& convention,
           const PointOptions& options, const ScoreColumns<T>& columns) {
  using Pipeline = ChunkPipeline<PointChunk>;
  if (batch.pairs.empty()) return;
  const CurrentDevice current(device);
  const batch::PointResults<T> results(batch, columns);
  const PreparedPoints prepared(device, batch, convention, options);
  const PointContext& context = prepared.context();
  Pipeline pipeline(device, context, prepared.capacity(max_points, Pipeline::chunks_at_once));
  base::Progress progress("scoring", batch.pairs.size(), "pairs", options.watch);
  pipeline.run(batch.pairs.size(), [&](const PointChunk& chunk) {
    write(chunk, context.metrics, results, columns);
    progress.add(chunk.count());
  });
}

template void score(Device&, const PointBatchView&, const Convention&, const PointOptions&,
                    const ScoreColumns<float>&);
template void score(Device&, const PointBatchView&, const Convention&, const PointOptions&,
                    const ScoreColumns<double>&);

Scores score(Device& device, const PointBatchView& batch, const Convention& convention,
             const PointOptions& options) {
  Scores scores(batch.pairs.size(), options.metrics);
  score(device, batch, convention, options, columns_of(scores));
  return scores;
}

}  // namespace warpath::cuda

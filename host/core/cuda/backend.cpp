#include "host/core/cuda/backend.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "host/core/base/progress.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/chunk_pipeline.hpp"
#include "host/core/cuda/prepared_batch.hpp"
#include "host/core/cuda/totals.hpp"

namespace warpath::cuda {
namespace {

// A batch is cut into this many chunks, so that their copies and kernels overlap, but not into
// chunks with fewer pairs than fill a device.
constexpr std::size_t chunks_of_batch = 8, min_chunk = std::size_t{1} << 19;

std::size_t pairs_per_chunk(std::size_t pairs, const Options& options) {
  const std::size_t chunks = std::clamp<std::size_t>(pairs / min_chunk, 1, chunks_of_batch);
  return std::min<std::size_t>((pairs + chunks - 1) / chunks, options.chunk_pairs);
}

template <class T>
void write(const Chunk& chunk, const ChunkContext& context, const batch::ResultWriter<T>& writer) {
  const Rows rows = context.rows.part(chunk.first(), chunk.count());
  const auto write_block = [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
    std::array<std::uint32_t, block_elements> of;
    for (std::uint32_t k = begin; k < end; ++k) of[k - begin] = rows[k];
    const batch::ResultRows there{{of.data(), end - begin}, rows.listed.empty()};
    for (std::size_t c = 0; c < context.metrics.size(); ++c) {
      writer.write(context.metrics[c], there, chunk.column(c) + begin);
    }
    writer.write_flags(there, chunk.flags() + begin);
  };
  for_each_block(chunk.count(), write_block);
}

/// @param writer null: results are added up
template <class T>
void score_all(const PreparedBatch& batch, const Options& options,
               const batch::ResultWriter<T>* writer) {
  using Pipeline = ChunkPipeline<Chunk>;
  base::Progress progress("scoring", batch.rows().size(), "pairs", options.watch);
  for (std::size_t first = 0; first < batch.rows().size();) {
    const PreparedSpan span(batch, first);
    const ChunkContext& context = span.context();
    const std::size_t pairs = pairs_per_chunk(context.rows.size(), options);
    Pipeline pipeline(batch.device(), context, span.capacity(pairs, Pipeline::chunks_at_once));
    pipeline.run(context.rows.size(), [&](const Chunk& chunk) {
      if (writer != nullptr) write(chunk, context, *writer);
      progress.add(chunk.count());
    });
    first = span.end();
  }
}

}  // namespace

template <class T>
void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, const ScoreColumns<T>& columns,
           KeptInputs* kept) {
  const CurrentDevice current(device);
  const batch::ResultWriter<T> writer(batch, columns);
  score_all(PreparedBatch(device, batch, tables, convention, options, nullptr, kept), options,
            &writer);
}

template void score(Device&, const PairBatchView&, const batch::DistanceTables&, const Convention&,
                    const Options&, const ScoreColumns<float>&, KeptInputs*);
template void score(Device&, const PairBatchView&, const batch::DistanceTables&, const Convention&,
                    const Options&, const ScoreColumns<double>&, KeptInputs*);

void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores) {
  scores.resize(batch.pairs.size(), options.metrics);
  score(device, batch, tables, convention, options, columns_of(scores));
}

BatchStatistics statistics(Device& device, const PairBatchView& batch,
                           const batch::DistanceTables& tables, const Convention& convention,
                           const Options& options, KeptInputs* kept) {
  const CurrentDevice current(device);
  DeviceTotals totals(device, options.metrics);
  const PreparedBatch prepared(device, batch, tables, convention, options, &totals.view(), kept);
  score_all<float>(prepared, options, nullptr);
  return totals.read();
}

}  // namespace warpath::cuda

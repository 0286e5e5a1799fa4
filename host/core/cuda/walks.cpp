#include "host/core/cuda/walks.hpp"

#include <algorithm>
#include <tuple>

#include "host/core/base/progress.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/chunk_pipeline.hpp"
#include "host/core/cuda/memory_budget.hpp"
#include "host/core/cuda/totals.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

// Walks of a chunk: some two slices for each block that a device holds at once.
constexpr std::uint32_t chunk_walks = 1u << 20;

// Slices that a chunk has room for. References with fewer walks than that need more chunks.
std::uint32_t slices_for(std::uint32_t walks) {
  return std::max(walks / 32, std::min(walks, 1024u));
}

}  // namespace

DeviceWalks::DeviceWalks(Device& device, const RandomWalks& walks, const walks::WalkTables& tables,
                         const Convention& convention, const Options& options)
    : device_(device),
      walks_(walks),
      options_(options),
      metrics_(batch::kernel_metrics(options.metrics)),
      is_taken_(walks.references().size()) {
  const CurrentDevice current(device);
  device.bound_memory(memory_budget(device, options.memory));
  const Rules rules =
      batch::make_rules(options.metrics, convention, false, tables.distances.are_connected());
  set_ = walk_set(quantity_set_covering(rules.quantities, rules.edit_unit));
  choose_kernels(tables);
  if (references_.empty()) return;
  const UniqueStream stream(device);
  inputs_ = std::make_unique<WalkInputs>(device, walks, tables, stream.get());
  view_ = inputs_->view(tables);
  view_.batch.rules = rules;
  if (options.repeat_walks) view_.max_noted_rest = ~0u;
}

void DeviceWalks::choose_kernels(const walks::WalkTables& tables) {
  const unsigned block_floats = device_.shared_floats();
  for (std::uint32_t r = 0; r < is_taken_.size(); ++r) {
    const std::uint32_t s = walks_.scan_of()[r];
    const Scan& scan = *walks_.scans()[s];
    const auto path = walks_.references()[r];
    const auto viewpoints = static_cast<std::uint32_t>(scan.size());
    const WalkShape shape{static_cast<std::uint32_t>(path.size()), viewpoints,
                          edge_entries(viewpoints, tables.edges[s].view().shift)};
    const auto kernel = choose_walk_kernel(shape, set_, block_floats);
    is_taken_[r] = kernel.has_value();
    if (!kernel) continue;
    references_.push_back({*kernel, s, r, shape.size, walks::start_word(scan, path[0])});
  }
  std::ranges::stable_sort(references_, {}, [](const WalkReference& r) {
    const auto& k = r.kernel;
    return std::tuple(k.replicated, k.rows, k.blocks, r.scan);
  });
}

WalkCapacity DeviceWalks::capacity(std::size_t budget, std::uint64_t count) const {
  const auto of_walks = [&](std::uint32_t walks, int) {
    return WalkCapacity{.walks = walks,
                        .slices = slices_for(walks),
                        .metrics = static_cast<std::uint32_t>(metrics_.size()),
                        .are_listed = walks_.sample() == WalkSample::uniform,
                        .are_counted = !batch::counted_metrics(options_.metrics).empty()};
  };
  return capacity_that_fits<WalkChunk>(
      {.budget = budget,
       .taken = inputs_->bytes() + sizeof(BatchTotals),
       .chunks = ChunkPipeline<WalkChunk>::chunks_at_once},
      std::min<std::uint64_t>({chunk_walks, options_.chunk_pairs, count}), of_walks);
}

BatchStatistics DeviceWalks::statistics(std::uint64_t first, std::uint64_t count,
                                        const Watch* watch) {
  using walks::WalkPieces;
  const std::lock_guard lock(mutex_);
  const CurrentDevice current(device_);
  BatchStatistics none;
  none.precision = Precision::single_precision;
  if (references_.empty() || count == 0) return none;
  const std::size_t budget = memory_budget(device_, options_.memory);
  device_.bound_memory(budget);
  DeviceTotals totals(device_, options_.metrics);
  const WalkCapacity capacity = this->capacity(budget, count);
  base::Progress progress("walking", count, "walks", watch);
  const auto score = [&](const WalkPieces& pieces) {
    const WalkContext context{.references = references_,
                              .pieces = &pieces,
                              .metrics = metrics_,
                              .set = set_,
                              .view = view_,
                              .totals = totals.view()};
    ChunkPipeline<WalkChunk>(device_, context, capacity)
        .run(context.piece_count(), [&](const WalkChunk& chunk) { progress.add(chunk.walks()); });
  };
  WalkPieces::for_each_cut(walks_, first, count, std::min(max_slice_walks, capacity.walks), score);
  BatchStatistics all = totals.read();
  all.precision = Precision::single_precision;
  return all;
}

}  // namespace warpath::cuda

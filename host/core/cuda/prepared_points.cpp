#include "host/core/cuda/prepared_points.hpp"

#include <algorithm>

#include "host/core/batch/point_results.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/chunk_pipeline.hpp"
#include "host/core/cuda/memory_budget.hpp"
#include "host/core/cuda/plan.hpp"

namespace warpath::cuda {
namespace {

struct Sizes {
  std::uint64_t points = 0;  ///< of all paths; a reference that neighbours share counts once
  std::uint64_t max_pair = 0;
  std::uint32_t max_query = 0;
};

Sizes sizes_of(const PointBatchView& batch) {
  Sizes sizes;
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    const PointPair& pair = batch.pairs[k];
    const bool shares = k > 0 && batch.pairs[k - 1].reference == pair.reference;
    const std::uint64_t n = batch.references.size_of(pair.reference);
    const std::uint64_t m = batch.queries.size_of(pair.query);
    sizes.max_pair = std::max(sizes.max_pair, n + m);
    sizes.points += shares ? m : n + m;
    sizes.max_query = std::max(sizes.max_query, static_cast<std::uint32_t>(m));
  }
  return sizes;
}

}  // namespace

PreparedPoints::PreparedPoints(Device& device, const PointBatchView& batch,
                               const Convention& convention, const PointOptions& options)
    : device_(device),
      batch_(batch),
      options_(options),
      metrics_(batch::kernel_metrics(options.metrics)),
      rules_(batch::point_rules(batch, convention, options.metrics)),
      stages_([this, &convention] { return batch::PointStage(convention, rules_.quantities); }),
      context_{.batch = batch, .rules = rules_, .metrics = metrics_, .stages = stages_} {}

PointCapacity PreparedPoints::capacity(std::uint64_t max_points, std::size_t chunks) const {
  const Sizes sizes = sizes_of(batch_);
  const bool sweeps = kernels::point_quantity_set(rules_.quantities, rules_.edit_unit, false) !=
                      kernels::QuantitySet::goal;
  const auto of_pairs = [&](std::uint32_t pairs, int halvings) {
    const std::uint64_t points = std::min(
        {sizes.points, pairs * sizes.max_pair, std::max(max_points >> halvings, sizes.max_pair)});
    return PointCapacity{.pairs = pairs,
                         .points = static_cast<std::uint32_t>(points),
                         .metrics = static_cast<std::uint32_t>(metrics_.size()),
                         .border_columns = sizes.max_query,
                         .border_groups = sweeps ? border_groups(pairs) : 0};
  };
  const std::size_t pairs = std::min<std::size_t>(batch_.pairs.size(), options_.chunk_pairs);
  const std::size_t budget = memory_budget(device_, options_.memory);
  device_.bound_memory(budget);
  return capacity_that_fits<PointChunk>({.budget = budget, .chunks = chunks}, pairs, of_pairs);
}

}  // namespace warpath::cuda

#include "host/cuda/points.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "host/batch/point_results.hpp"
#include "host/batch/results.hpp"
#include "host/cuda/memory_budget.hpp"
#include "host/cuda/plan.hpp"
#include "host/cuda/point_chunk.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

// Chunks on their way at a time: one is staged while another computes and a third is read back.
constexpr std::size_t chunks_at_once = 3;
// Points of a chunk, unless one pair has more; 64 MiB.
constexpr std::uint64_t max_points = 1u << 22;
constexpr std::uint64_t max_addressed = std::numeric_limits<std::uint32_t>::max();

class PointScorer {
 public:
  PointScorer(Device& device, const PointBatchView& batch, const Convention& convention,
              const PointOptions& options, const Repeat* repeat)
      : device_(device),
        batch_(batch),
        options_(options),
        repeat_(repeat),
        metrics_(batch::kernel_metrics(options.metrics)),
        scores_(batch.pairs.size(), options.metrics),
        results_(batch, columns_of(scores_)),
        rules_(batch::point_rules(batch, convention, options.metrics)),
        stages_([this, &convention] { return batch::PointStage(convention, rules_.quantities); }),
        job_{batch, rules_, metrics_, stages_},
        capacity_(capacity()) {}

  Scores run() {
    if (repeat_ != nullptr && !batch_.pairs.empty()) {
      repeat_chunks();
    } else {
      run_chunks();
    }
    return std::move(scores_);
  }

 private:
  void run_chunks() {
    std::vector<std::optional<PointChunk>> chunks(chunks_at_once);
    std::size_t turn = 0;
    for (std::size_t first = 0; first < batch_.pairs.size(); ++turn) {
      auto& chunk = chunks[turn % chunks_at_once];
      chunk ? finish(*chunk) : static_cast<void>(chunk.emplace(device_, job_, capacity_));
      first += chunk->begin(first);
      chunk->score();
      chunk->deliver();
    }
    for (std::size_t k = 0; k < chunks_at_once; ++k) {
      auto& chunk = chunks[(turn + k) % chunks_at_once];
      if (chunk) finish(*chunk);
    }
  }

  void repeat_chunks() {
    PointChunk chunk(device_, job_, capacity_);
    for (std::size_t first = 0; first < batch_.pairs.size();) {
      const std::uint32_t count = chunk.begin(first);
      const auto again = [&](int times) {
        for (int k = 0; k < times; ++k) chunk.score();
        chunk.finish();
      };
      again(1);
      (*repeat_)(count, again);
      chunk.deliver();
      finish(chunk);
      first += count;
    }
  }

  // The most that the budget has room for.
  PointCapacity capacity() const {
    PointCapacity most;
    std::uint64_t longest = 0, all = 0;
    for (std::size_t k = 0; k < batch_.pairs.size(); ++k) {
      const PointPair& pair = batch_.pairs[k];
      const bool shares = k > 0 && batch_.pairs[k - 1].reference == pair.reference;
      const std::uint64_t n = batch_.references.size_of(pair.reference);
      const std::uint64_t m = batch_.queries.size_of(pair.query);
      longest = std::max(longest, n + m);
      all += shares ? m : n + m;
      most.border_columns = std::max(most.border_columns, static_cast<std::uint32_t>(m));
    }
    const std::size_t budget = memory_budget(device_, options_.memory);
    const bool sweeps = kernels::point_quantity_set(rules_.quantities, rules_.edit_unit, false) !=
                        kernels::QuantitySet::goal;
    most.metrics = static_cast<std::uint32_t>(metrics_.size());
    const std::size_t at_once = repeat_ != nullptr ? 1 : chunks_at_once;
    std::uint64_t points = repeat_ != nullptr ? max_addressed : max_points;
    std::size_t pairs = std::min<std::size_t>(batch_.pairs.size(), options_.chunk_pairs);
    for (; pairs > 0; pairs /= 2, points /= 2) {
      most.pairs = static_cast<std::uint32_t>(pairs);
      most.points =
          static_cast<std::uint32_t>(std::min({all, pairs * longest, std::max(points, longest)}));
      most.border_groups = sweeps ? border_groups(pairs) : 0;
      if (at_once * most.bytes() <= budget) return most;
    }
    if (batch_.pairs.empty()) return most;
    throw InputError({"device memory"},
                     fmt::format("not even one pair fits the budget of {} MiB", budget >> 20),
                     "allow more memory (WARPATH_GPU_MEMORY, in MiB), or use --backend cpu");
  }

  void finish(PointChunk& chunk) {
    chunk.finish();
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, chunk.count()), [&](const auto& range) {
      for (std::size_t c = 0; c < metrics_.size(); ++c) {
        std::copy(chunk.column(c) + range.begin(), chunk.column(c) + range.end(),
                  scores_.column[metrics_[c]].data() + chunk.first() + range.begin());
      }
      for (std::uint32_t k = range.begin(); k < range.end(); ++k) {
        results_.write(chunk.first() + k, chunk.flags()[k]);
      }
    });
  }

  Device& device_;
  const PointBatchView batch_;
  const PointOptions& options_;
  const Repeat* const repeat_;
  const std::vector<Metric> metrics_;
  Scores scores_;
  const batch::PointResults<double> results_;
  const kernels::Rules rules_;
  tbb::enumerable_thread_specific<batch::PointStage> stages_;
  const PointJob job_;
  const PointCapacity capacity_;
};

}  // namespace

Scores score(Device& device, const PointBatchView& batch, const Convention& convention,
             const PointOptions& options) {
  return PointScorer(device, batch, convention, options, nullptr).run();
}

Scores score_repeatedly(Device& device, const PointBatchView& batch, const Convention& convention,
                        const PointOptions& options, const Repeat& repeat) {
  return PointScorer(device, batch, convention, options, &repeat).run();
}

}  // namespace warpath::cuda

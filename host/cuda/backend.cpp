#include "host/cuda/backend.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include "host/batch/request.hpp"
#include "host/batch/results.hpp"
#include "host/cuda/chunk.hpp"
#include "host/cuda/device_tables.hpp"
#include "host/cuda/memory_budget.hpp"
#include "host/cuda/references.hpp"
#include "host/cuda/totals.hpp"
#include "host/io/progress.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

using namespace kernels;

// Chunks on their way at a time: one is staged while another computes and a third is read back.
constexpr std::size_t chunks_at_once = 3;
// A batch is cut into so many chunks, so that all of these overlap, unless they had fewer pairs
// than it takes to fill a device.
constexpr std::size_t chunks_of_batch = 8, min_chunk = std::size_t{1} << 19;
// A batch below this cannot fill a device with a thread for each pair.
constexpr std::size_t small_batch = 30'000;

std::uint32_t max_length_of(const warpath::PathView<Node>& paths) {
  const auto count = static_cast<std::uint32_t>(paths.size());
  std::vector<std::size_t> longest(staged_blocks(count) + 1, 0);
  for_staged_blocks(count, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    std::size_t of_block = 0;
    for (std::uint32_t p = begin; p < end; ++p) of_block = std::max(of_block, paths.size_of(p));
    longest[block] = of_block;
  });
  return static_cast<std::uint32_t>(*std::ranges::max_element(longest));
}

// Where results go: to scores on the host, or added up on the device.
struct Destination {
  Scores* scores = nullptr;
  const AggregateView* totals = nullptr;
  const Repeat* repeat = nullptr;
};

template <class Id>
class Scorer {
 public:
  Scorer(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
         const Convention& convention, const Options& options, const Destination& destination)
      : device_(device),
        batch_(batch),
        options_(options),
        metrics_(batch::kernel_metrics(options.metrics)),
        totals_(destination.totals),
        repeat_(destination.repeat),
        stream_(device),
        rules_(batch::make_rules(options.metrics, convention, !batch.task_success.empty(),
                                 tables.are_connected())),
        are_symmetric_(tables.are_symmetric()),
        listed_(tables.has_all() ? std::vector<std::uint32_t>()
                                 : batch::rows_with_table(batch, tables)),
        rows_{listed_, 0, tables.has_all() ? batch.pairs.size() : listed_.size()},
        budget_(memory_budget(device, options.memory)),
        tables_(device, tables, batch.scans.size(), stream_.get()),
        max_query_(max_length_of(batch.queries)),
        cls_(batch::make_cls_lengths(batch, convention, options.metrics)) {
    if (destination.scores) writer_.emplace(batch, columns_of(*destination.scores));
  }

  /// How many pairs it scored.
  std::size_t run() {
    for (std::size_t first = 0; first < rows_.size();) {
      const References references(batch_, rows_, first, budget_ / 4);
      score_span(first, references);
      first = references.end();
    }
    return rows_.size();
  }

 private:
  void score_span(std::size_t first, const References& references) {
    BatchView view{rules_, tables_.distance.data(), tables_.scans.data(), nullptr, nullptr, nullptr,
                   {}};
    const DeviceReferences<Id> there(device_, batch_, references, cls_.reference, view,
                                     stream_.get());
    view.references = there.terms.data();
    const std::size_t count = references.end() - first;
    const std::size_t taken =
        tables_.bytes() + references.bytes() + (totals_ ? sizeof(BatchTotals) : 0);
    const DispatchPolicy policy = share(references, count);
    const std::uint32_t ids = policy.by_reference ? static_cast<std::uint32_t>(references.size())
                                                  : static_cast<std::uint32_t>(batch_.scans.size());
    const std::uint32_t max_m = std::min<std::uint32_t>(max_query_, kernels::max_tile_query);
    const ChunkContext span{
        batch_,
        rows_.part(first, count),
        references.of_rows(),
        references.scan_of(),
        tables_.host,
        metrics_,
        cls_.query,
        view,
        there.nodes.data(),
        there.offsets.data(),
        there.scan_of.data(),
        policy,
        {static_cast<int>(std::bit_width(max_m)), static_cast<int>(std::bit_width(ids))},
        totals_};
    const Capacity most = capacity(span, ids, taken);
    repeat_ ? repeat_chunks(span, most) : run_chunks(span, most);
  }

  // A reference's own table pays once its queries have half as many cells again as the table.
  DispatchPolicy share(const References& references, std::size_t pairs) const {
    std::uint32_t largest = 0;
    for (const ScanTable& t : tables_.host) {
      largest = std::max(largest, static_cast<std::uint32_t>(t.pad));
    }
    const double uses = static_cast<double>(pairs) / static_cast<double>(references.size());
    const double query = static_cast<double>(batch_.queries.elements.size()) /
                         static_cast<double>(batch_.queries.size());
    const unsigned shared = device_.shared_floats();
    const QuantitySet parts = quantity_set_covering(rules_.quantities, rules_.edit_unit);
    const bool fits = shared_floats(TileKernel::shared_reference, 20, largest) <= shared;
    std::uint32_t max_shared_viewpoints = 0;
    while (shared_floats(TileKernel::shared_table, 0, max_shared_viewpoints + 1) <= shared) {
      ++max_shared_viewpoints;
    }
    return {parts,
            parts != QuantitySet::goal && fits && are_symmetric_ && uses >= tile_pairs &&
                uses * query > 1.5 * largest,
            rows_.size() < small_batch, max_shared_viewpoints};
  }

  std::size_t chunk_of(std::size_t pairs) const {
    if (repeat_) return pairs;
    const std::size_t chunks = std::clamp<std::size_t>(pairs / min_chunk, 1, chunks_of_batch);
    return (pairs + chunks - 1) / chunks;
  }

  // As many pairs as the budget has room for beside what is taken.
  Capacity capacity(const ChunkContext& span, std::uint32_t ids, std::size_t taken) const {
    Capacity most;
    most.room.runs = std::max(16 * static_cast<std::uint32_t>(batch_.scans.size()), ids) + 3;
    most.room.max_query = max_query_;
    most.max_rows = span.policy.parts == QuantitySet::goal ? 1 : 32;
    most.metrics = static_cast<std::uint32_t>(span.metrics.size());
    most.task_success = !batch_.task_success.empty();
    most.cls_lengths = !cls_.query.empty();
    most.query_raw = totals_ && options_.metrics[Metric::n_query_raw];
    const double mean = static_cast<double>(batch_.queries.elements.size()) /
                        static_cast<double>(batch_.queries.size());
    const std::size_t wanted =
        std::min<std::size_t>(chunk_of(span.rows.size()), options_.chunk_pairs);
    for (std::size_t pairs = wanted; pairs > 0; pairs /= 2) {
      most.room.pairs = static_cast<std::uint32_t>(pairs);
      most.room.query_nodes =
          static_cast<std::uint64_t>(1.2 * mean * static_cast<double>(pairs)) + max_query_;
      if constexpr (sizeof(Id) > 1) {
        most.border_groups = border_groups(pairs);
      }
      const std::uint64_t bytes =
          most.bytes(sizeof(Id)) + device_.scratch_bytes(most.max_elements());
      if (taken + chunks_at_once * bytes <= budget_) return most;
    }
    throw InputError(
        {"device memory"},
        "not even one pair fits the budget of " + std::to_string(budget_ >> 20) + " MiB",
        "allow more memory (WARPATH_GPU_MEMORY, in MiB), or use --backend cpu");
  }

  void run_chunks(const ChunkContext& span, const Capacity& capacity) {
    std::vector<std::optional<Chunk<Id>>> chunks(chunks_at_once);
    Chunk<Id>* begun = nullptr;
    std::size_t turn = 0;
    for (std::size_t first = 0; first < span.rows.size(); ++turn) {
      auto& chunk = chunks[turn % chunks_at_once];
      if (!chunk) chunk.emplace(device_, span, capacity);
      if (chunk->is_busy()) finish(*chunk, span);
      first += chunk->begin(first);
      if (begun != nullptr) score(*begun);
      begun = &*chunk;
    }
    if (begun != nullptr) score(*begun);
    for (std::size_t k = 0; k < chunks_at_once; ++k) {
      auto& chunk = chunks[(turn + k) % chunks_at_once];
      if (chunk && chunk->is_busy()) finish(*chunk, span);
    }
  }

  void repeat_chunks(const ChunkContext& span, const Capacity& capacity) {
    Chunk<Id> chunk(device_, span, capacity);
    for (std::size_t first = 0; first < span.rows.size();) {
      const std::uint32_t count = chunk.begin(first);
      const auto again = [&](int times) {
        for (int k = 0; k < times; ++k) chunk.score();
        chunk.finish();
      };
      chunk.arrange();
      again(1);
      (*repeat_)(count, again);
      chunk.deliver();
      finish(chunk, span);
      first += count;
    }
  }

  static void score(Chunk<Id>& chunk) {
    chunk.arrange();
    chunk.score();
    chunk.deliver();
  }

  void finish(Chunk<Id>& chunk, const ChunkContext& span) {
    chunk.finish();
    if (writer_) write(chunk, span);
    progress_.add(chunk.count());
    chunk.clear();
  }

  void write(const Chunk<Id>& chunk, const ChunkContext& span) {
    const Rows rows = span.rows.part(chunk.first(), chunk.count());
    const auto write_block = [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
      std::array<std::uint32_t, staged_together> of;
      for (std::uint32_t k = begin; k < end; ++k) of[k - begin] = rows[k];
      const batch::ResultRows there{{of.data(), end - begin}, rows.listed.empty()};
      for (std::size_t c = 0; c < span.metrics.size(); ++c) {
        writer_->write(span.metrics[c], there, chunk.column(c) + begin);
      }
      writer_->write_flags(there, chunk.flags() + begin);
    };
    for_staged_blocks(chunk.count(), write_block);
  }

  Device& device_;
  const PairBatchView batch_;
  const Options& options_;
  const std::vector<Metric> metrics_;
  const AggregateView* const totals_;
  const Repeat* const repeat_;
  std::optional<const batch::ResultWriter<double>> writer_;
  UniqueStream stream_;
  const Rules rules_;
  const bool are_symmetric_;  // the scans' tables
  const std::vector<std::uint32_t> listed_;
  const Rows rows_;
  Progress progress_{"scoring", rows_.size(), "pairs"};
  const std::size_t budget_;
  const DeviceTables tables_;
  const std::uint32_t max_query_;
  const batch::ClsLengths cls_;
};

// Whether viewpoints go up as bytes: only tiles read those.
bool are_bytes_enough(const PairBatchView& batch, const batch::DistanceTables& tables,
                      const Convention& convention, const Options& options) {
  const kernels::Rules rules = batch::make_rules(
      options.metrics, convention, !batch.task_success.empty(), tables.are_connected());
  const bool goal = quantity_set_covering(rules.quantities, rules.edit_unit) == QuantitySet::goal;
  return std::ranges::all_of(batch.scans, [](const Scan* s) { return s->size() <= 256; }) &&
         (goal || max_length_of(batch.references) <= 20) &&
         max_length_of(batch.queries) <= kernels::max_tile_query &&
         (goal || batch.pairs.size() >= small_batch);
}

std::size_t run(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
                const Convention& convention, const Options& options,
                const Destination& destination) {
  if (are_bytes_enough(batch, tables, convention, options)) {
    return Scorer<std::uint8_t>(device, batch, tables, convention, options, destination).run();
  }
  return Scorer<std::uint16_t>(device, batch, tables, convention, options, destination).run();
}

}  // namespace

void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores) {
  scores.resize(batch.pairs.size(), options.metrics);
  run(device, batch, tables, convention, options, {.scores = &scores});
  batch::score_without_table(batch, tables, convention, columns_of(scores));
}

namespace {

BatchStatistics summarize_on(Device& device, const PairBatchView& batch,
                             const batch::DistanceTables& tables, const Convention& convention,
                             const Options& options, const Repeat* repeat) {
  DeviceTotals totals(device, options.metrics);
  const Destination destination{.totals = &totals.view(), .repeat = repeat};
  BatchStatistics summary =
      totals.read(run(device, batch, tables, convention, options, destination));
  batch::add_statistics_without_table(batch, tables, convention, options.metrics, summary);
  return summary;
}

}  // namespace

BatchStatistics statistics(Device& device, const PairBatchView& batch,
                           const batch::DistanceTables& tables, const Convention& convention,
                           const Options& options) {
  return summarize_on(device, batch, tables, convention, options, nullptr);
}

BatchStatistics statistics_repeatedly(Device& device, const PairBatchView& batch,
                                      const batch::DistanceTables& tables,
                                      const Convention& convention, const Options& options,
                                      const Repeat& repeat) {
  return summarize_on(device, batch, tables, convention, options, &repeat);
}

}  // namespace warpath::cuda

#include "host/cuda/prepared_batch.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "host/batch/request.hpp"
#include "host/cuda/chunk_pipeline.hpp"
#include "host/cuda/memory_budget.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

// With fewer pairs, a thread per pair cannot fill a device.
constexpr std::size_t small_batch = 30'000;
// References are kept for the next call from this many pairs to each on: for fewer, comparing them
// costs as much as it saves.
constexpr std::size_t min_uses_to_keep = 4;
// Offsets of nodes are 32 bits wide.
constexpr std::uint64_t max_addressed = std::numeric_limits<std::uint32_t>::max();

std::uint32_t max_length_of(const warpath::PathView<Node>& paths) {
  const auto count = static_cast<std::uint32_t>(paths.size());
  std::vector<std::size_t> max_length(block_count(count) + 1, 0);
  for_each_block(count, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    std::size_t of_block = 0;
    for (std::uint32_t p = begin; p < end; ++p) of_block = std::max(of_block, paths.size_of(p));
    max_length[block] = of_block;
  });
  return static_cast<std::uint32_t>(*std::ranges::max_element(max_length));
}

double mean_length_of(const warpath::PathView<Node>& paths) {
  return static_cast<double>(paths.elements.size()) / static_cast<double>(paths.size());
}

}  // namespace

PreparedBatch::PreparedBatch(Device& device, const PairBatchView& batch,
                             const batch::DistanceTables& tables, const Convention& convention,
                             const Options& options, const AggregateView* totals, KeptInputs* kept)
    : device_(device),
      batch_(batch),
      asked_metrics_(options.metrics),
      metrics_(batch::kernel_metrics(options.metrics)),
      totals_(totals),
      stream_(device),
      rules_(batch::make_rules(options.metrics, convention, !batch.task_success.empty(),
                               tables.are_connected())),
      are_symmetric_(tables.are_symmetric()),
      listed_(tables.has_all() ? std::vector<std::uint32_t>()
                               : batch::rows_with_table(batch, tables)),
      rows_{listed_, 0, tables.has_all() ? batch.pairs.size() : listed_.size()},
      budget_(memory_budget(device, options.memory)),
      kept_(kept != nullptr ? *kept : own_),
      tables_(kept_.tables(device, tables, batch.scans.size(), stream_.get())),
      max_query_(max_length_of(batch.queries)),
      cls_(batch::make_cls_lengths(batch, convention, options.metrics)) {
  device.bound_memory(budget_);
}

bool PreparedBatch::are_bytes_enough() const {
  const bool goal = quantity_set_covering(rules_.quantities, rules_.edit_unit) == QuantitySet::goal;
  return std::ranges::all_of(batch_.scans, [](const Scan* s) { return s->size() <= 256; }) &&
         (goal || max_length_of(batch_.references) <= 20) && max_query_ <= max_tile_query &&
         (goal || batch_.pairs.size() >= small_batch);
}

// A reference's own table pays once its queries have half as many cells again as the table has
// entries.
DispatchPolicy PreparedBatch::policy(const References& references, std::size_t pairs) const {
  std::uint32_t max_viewpoints = 0;
  for (const ScanTable& t : tables_->host) {
    max_viewpoints = std::max(max_viewpoints, static_cast<std::uint32_t>(t.pad));
  }
  const double uses = static_cast<double>(pairs) / static_cast<double>(references.size());
  const unsigned shared = device_.shared_floats();
  const QuantitySet set = quantity_set_covering(rules_.quantities, rules_.edit_unit);
  const bool fits = shared_floats(TileKernel::shared_reference, 20, max_viewpoints) <= shared;
  std::uint32_t max_shared_viewpoints = 0;
  while (shared_floats(TileKernel::shared_table, 0, max_shared_viewpoints + 1) <= shared) {
    ++max_shared_viewpoints;
  }
  const bool pays = uses >= tile_pairs && uses * mean_length_of(batch_.queries) >
                                              1.5 * static_cast<double>(max_viewpoints);
  return {.set = set,
          .by_reference = set != QuantitySet::goal && fits && are_symmetric_ && pays,
          .in_small_groups = rows_.size() < small_batch,
          .max_shared_viewpoints = max_shared_viewpoints};
}

template <class Id>
PreparedSpan<Id>::PreparedSpan(const PreparedBatch& batch, std::size_t first)
    : batch_(batch),
      references_(batch.batch_, batch.rows_, first, batch.budget_ / 4),
      device_references_(upload(first)),
      context_(make_context(first)) {}

template <class Id>
std::shared_ptr<const DeviceReferences<Id>> PreparedSpan<Id>::upload(std::size_t first) const {
  const std::size_t rows = batch_.rows_.size();
  const bool has_all = first == 0 && references_.end() == rows;
  return batch_.kept_.template references<Id>(
      batch_.device_, batch_.batch_, references_, batch_.cls_.reference, tables(),
      has_all && min_uses_to_keep * references_.size() <= rows, batch_.stream_.get());
}

template <class Id>
BatchView PreparedSpan<Id>::tables() const {
  return {.rules = batch_.rules_,
          .distance = batch_.tables_->distance.data(),
          .scans = batch_.tables_->scans.data(),
          .references = nullptr,
          .task_success = nullptr,
          .cls_query_length = nullptr,
          .results = {}};
}

template <class Id>
BatchView PreparedSpan<Id>::view() const {
  BatchView view = tables();
  view.references = device_references_->terms.data();
  return view;
}

template <class Id>
ChunkContext PreparedSpan<Id>::make_context(std::size_t first) const {
  const std::size_t pairs = references_.end() - first;
  const DispatchPolicy policy = batch_.policy(references_, pairs);
  const std::size_t ids = policy.by_reference ? references_.size() : batch_.batch_.scans.size();
  const std::uint32_t max_m = std::min<std::uint32_t>(batch_.max_query_, max_tile_query);
  return {.batch = batch_.batch_,
          .rows = batch_.rows_.part(first, pairs),
          .reference = references_.of_rows(),
          .scan_of = references_.scan_of(),
          .scans = batch_.tables_->host,
          .metrics = batch_.metrics_,
          .cls_query_length = batch_.cls_.query,
          .view = view(),
          .reference_nodes = device_references_->nodes.device.data(),
          .reference_offsets = device_references_->offsets.device.data(),
          .device_scan_of = device_references_->scan_of.device.data(),
          .policy = policy,
          .bits = {.m_bits = static_cast<int>(std::bit_width(max_m)),
                   .id_bits = static_cast<int>(std::bit_width(ids))},
          .aggregate = batch_.totals_};
}

template <class Id>
std::uint32_t PreparedSpan<Id>::ids() const {
  return static_cast<std::uint32_t>(context_.policy.by_reference ? references_.size()
                                                                 : batch_.batch_.scans.size());
}

template <class Id>
ChunkCapacity PreparedSpan<Id>::capacity(std::size_t pairs, std::size_t chunks) const {
  ChunkCapacity most;
  const auto scans = static_cast<std::uint32_t>(batch_.batch_.scans.size());
  most.room.runs = std::max(16 * scans, ids()) + 3;
  most.room.max_query = batch_.max_query_;
  most.max_rows = context_.policy.set == QuantitySet::goal ? 1 : 32;
  most.metrics = static_cast<std::uint32_t>(context_.metrics.size());
  most.task_success = !batch_.batch_.task_success.empty();
  most.cls_lengths = !batch_.cls_.query.empty();
  most.query_raw = batch_.totals_ != nullptr && batch_.asked_metrics_[Metric::n_query_raw];
  most.are_results_returned = batch_.totals_ == nullptr;
  const double mean = mean_length_of(batch_.batch_.queries);
  const auto of_pairs = [&](std::uint32_t count, int) {
    most.room.pairs = count;
    const auto nodes = static_cast<std::uint64_t>(1.2 * mean * count) + batch_.max_query_;
    most.room.query_nodes = std::min<std::uint64_t>(nodes, max_addressed);
    if constexpr (sizeof(Id) > 1) most.border_groups = border_groups(count);
    most.scratch_bytes = batch_.device_.scratch_bytes(most.max_elements());
    return most;
  };
  const std::size_t taken = batch_.tables_->bytes() + references_.bytes() +
                            (batch_.totals_ != nullptr ? sizeof(BatchTotals) : 0);
  return capacity_that_fits<Chunk<Id>>({.budget = batch_.budget_, .taken = taken, .chunks = chunks},
                                       pairs, of_pairs);
}

template class PreparedSpan<std::uint8_t>;
template class PreparedSpan<std::uint16_t>;

}  // namespace warpath::cuda

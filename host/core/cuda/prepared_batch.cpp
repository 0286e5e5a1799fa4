#include "host/core/cuda/prepared_batch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "host/core/batch/request.hpp"
#include "host/core/cuda/chunk_pipeline.hpp"
#include "host/core/cuda/memory_budget.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

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
      small_batch_(options.small_batch),
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

std::uint32_t PreparedBatch::id_bytes() const {
  const bool fit =
      std::ranges::all_of(batch_.scans, [](const Scan* s) { return s->size() <= 256; });
  return fit ? 1 : 2;
}

DispatchPolicy PreparedBatch::policy(const References& references, std::size_t pairs) const {
  DispatchPolicy policy{.set = quantity_set_covering(rules_.quantities, rules_.edit_unit),
                        .by_reference = false,
                        .in_small_groups = rows_.size() < small_batch_,
                        .max_viewpoints = {}};
  const unsigned shared = device_.shared_floats();
  set_scan_sizes(policy, tables_->host, shared);
  const std::uint32_t viewpoints = max_viewpoints(tables_->host);
  const double uses = static_cast<double>(pairs) / static_cast<double>(references.size());
  policy.by_reference =
      are_symmetric_ &&
      own_table_pays(policy.set, uses, mean_length_of(batch_.queries), viewpoints, shared);
  if (uses >= min_replicated_uses) {
    policy.max_replicated_rows = max_replicated_rows(tables_->host, shared);
  }
  return policy;
}

Dispatch PreparedBatch::dispatch(const References& references, std::size_t pairs) const {
  Dispatch dispatch{.policy = policy(references, pairs),
                    .bits = {},
                    .max_scan = max_viewpoints(tables_->host),
                    .wanted_slices = slices_for_each_multiprocessor * device_.multiprocessors(),
                    .kernels = {},
                    .max_runs = 0};
  dispatch.bits =
      key_bits(dispatch.policy.by_reference, references.size(), batch_.scans.size(), max_query_);
  std::vector<KernelNumbers> of_scans(batch_.scans.size(), 0);
  const auto count = static_cast<std::uint32_t>(references.size());
  for_each_block(count, [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t r = begin; r < end; ++r) {
      const auto n = static_cast<std::uint32_t>(batch_.references.size_of(references[r]));
      const std::uint32_t scan = references.scan_of()[r];
      const auto viewpoints = static_cast<std::uint32_t>(tables_->host[scan].pad);
      const KernelNumbers numbers = kernels_for(dispatch.policy, n, max_query_, viewpoints);
      const std::atomic_ref known(of_scans[scan]);
      constexpr auto relaxed = std::memory_order_relaxed;
      if ((known.load(relaxed) & numbers) != numbers) known.fetch_or(numbers, relaxed);
    }
  });
  dispatch.set_kernels(of_scans, references.size());
  return dispatch;
}

PreparedSpan::PreparedSpan(const PreparedBatch& batch, std::size_t first)
    : batch_(batch),
      references_(batch.batch_, batch.rows_, first, batch.budget_ / 4),
      device_references_(upload(first)),
      context_(make_context(first)) {}

std::shared_ptr<const DeviceReferences> PreparedSpan::upload(std::size_t first) const {
  const std::size_t rows = batch_.rows_.size();
  const bool has_all = first == 0 && references_.end() == rows;
  return batch_.kept_.references(batch_.device_, batch_.batch_, references_, batch_.cls_.reference,
                                 tables(), batch_.id_bytes(),
                                 has_all && min_uses_to_keep * references_.size() <= rows,
                                 batch_.stream_.get());
}

BatchView PreparedSpan::tables() const {
  return {.rules = batch_.rules_,
          .distance = batch_.tables_->distance.data(),
          .scans = batch_.tables_->scans.data(),
          .references = nullptr,
          .task_success = nullptr,
          .cls_query_length = nullptr,
          .results = {}};
}

ChunkContext PreparedSpan::make_context(std::size_t first) const {
  const std::size_t pairs = references_.end() - first;
  BatchView view = tables();
  view.references = device_references_->terms.data();
  return {.batch = batch_.batch_,
          .rows = batch_.rows_.part(first, pairs),
          .reference = references_.of_rows(),
          .metrics = batch_.metrics_,
          .cls_query_length = batch_.cls_.query,
          .view = view,
          .references = device_references_->view,
          .scan_of = device_references_->scan_of.device.data(),
          .dispatch = batch_.dispatch(references_, pairs),
          .aggregate = batch_.totals_};
}

ChunkCapacity PreparedSpan::capacity(std::size_t pairs, std::size_t chunks) const {
  ChunkCapacity most;
  Room& room = most.packed.room;
  room.runs = context_.dispatch.max_runs;
  room.max_query = batch_.max_query_;
  most.packed.max_rows = context_.dispatch.max_rows();
  most.id_bytes = batch_.id_bytes();
  most.length_bytes = batch_.max_query_ < 65536 ? 2 : 4;
  most.metrics = static_cast<std::uint32_t>(context_.metrics.size());
  most.task_success = !batch_.batch_.task_success.empty();
  most.cls_lengths = !batch_.cls_.query.empty();
  most.query_raw = batch_.totals_ != nullptr && batch_.asked_metrics_[Metric::n_query_raw];
  most.are_results_returned = batch_.totals_ == nullptr;
  const double mean = mean_length_of(batch_.batch_.queries);
  const auto of_pairs = [&](std::uint32_t count, int) {
    room.pairs = count;
    const auto nodes = static_cast<std::uint64_t>(1.2 * mean * count) + batch_.max_query_;
    room.query_nodes = std::min<std::uint64_t>(nodes, max_addressed);
    if (context_.dispatch.has_groups()) most.packed.border_groups = border_groups(count);
    most.packed.scratch_bytes = batch_.device_.scratch_bytes(most.packed.max_elements());
    return most;
  };
  const std::size_t taken = batch_.tables_->bytes() + references_.bytes() +
                            (batch_.totals_ != nullptr ? sizeof(BatchTotals) : 0);
  return capacity_that_fits<Chunk>({.budget = batch_.budget_, .taken = taken, .chunks = chunks},
                                   pairs, of_pairs);
}

}  // namespace warpath::cuda

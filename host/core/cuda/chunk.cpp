#include "host/core/cuda/chunk.hpp"

#include <algorithm>
#include <numeric>

namespace warpath::cuda {

using namespace kernels;

namespace {

/// Calls body(pointer) with `bytes` as an array of unsigned integers of that width.
template <class Body>
void with_width(std::span<std::uint8_t> bytes, std::uint32_t width, Body body) {
  if (width == 1) body(bytes.data());
  if (width == 2) body(reinterpret_cast<std::uint16_t*>(bytes.data()));
  if (width == 4) body(reinterpret_cast<std::uint32_t*>(bytes.data()));
}

}  // namespace

std::uint32_t Chunk::query_size(std::uint32_t k) const {
  const PairBatchView& batch = context_.batch;
  return static_cast<std::uint32_t>(
      batch.queries.size_of(batch.pairs[context_.rows[first_ + k]].query));
}

// Fills the pairs' lengths first, since they decide how many pairs fit and where each query's nodes
// go; then the nodes.
void Chunk::fill_pinned() {
  const std::size_t left = context_.rows.size() - first_;
  count_ = static_cast<std::uint32_t>(std::min<std::size_t>(left, capacity_.packed.room.pairs));
  std::vector<std::uint64_t> block_nodes(block_count(count_) + 1, 0);
  for_each_block(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    block_nodes[block + 1] = fill_columns(begin, end);
  });
  std::partial_sum(block_nodes.begin(), block_nodes.end(), block_nodes.begin());
  const std::uint64_t nodes = keep_fitting(block_nodes);
  copy_query_nodes(block_nodes);
  arrays_->nodes.upload(device_, nodes * capacity_.id_bytes, stream_.get());
}

/// Returns the number of the queries' nodes.
std::uint64_t Chunk::fill_columns(std::uint32_t begin, std::uint32_t end) {
  ChunkArrays& a = *arrays_;
  const PairBatchView& batch = context_.batch;
  const Rows rows = context_.rows.part(first_, count_);
  const bool own_numbers = context_.reference.empty();
  std::uint64_t nodes = 0;
  with_width(a.query_length.host, capacity_.length_bytes, [&](auto* lengths) {
    for (std::uint32_t k = begin; k < end; ++k) {
      const Pair& pair = batch.pairs[rows[k]];
      const std::size_t m = batch.queries.size_of(pair.query);
      a.reference_of.host[k] = own_numbers ? pair.reference : context_.reference[first_ + k];
      lengths[k] = static_cast<std::remove_reference_t<decltype(*lengths)>>(m);
      nodes += m;
    }
  });
  const auto fill_column = [&](bool is_wanted, auto& column, auto value) {
    if (!is_wanted) return;
    for (std::uint32_t k = begin; k < end; ++k) column.host[k] = value(rows[k]);
  };
  fill_column(capacity_.task_success, a.task_success,
              [&](std::uint32_t row) { return static_cast<float>(batch.task_success[row]); });
  fill_column(capacity_.cls_lengths, a.cls_query_length,
              [&](std::uint32_t row) { return context_.cls_query_length[batch.pairs[row].query]; });
  fill_column(capacity_.query_raw, a.query_raw,
              [&](std::uint32_t row) { return batch.raw_query_size(row); });
  return nodes;
}

/// @param block_nodes per block: nodes of the blocks before it; last, of all blocks
void Chunk::copy_query_nodes(const std::vector<std::uint64_t>& block_nodes) {
  const PairBatchView& batch = context_.batch;
  with_width(arrays_->nodes.host, capacity_.id_bytes, [&](auto* nodes) {
    for_each_block(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
      const auto query_of = [&](std::uint32_t k) {
        return batch.pairs[context_.rows[first_ + k]].query;
      };
      copy_nodes(batch.queries, begin, end, query_of, nodes + block_nodes[block]);
    });
  });
}

/// Drops the pairs whose nodes do not fit. Returns the number of nodes of the others.
/// @param block_nodes as in copy_query_nodes
std::uint64_t Chunk::keep_fitting(const std::vector<std::uint64_t>& block_nodes) {
  const std::uint64_t room = capacity_.packed.room.query_nodes;
  const auto over = std::ranges::upper_bound(block_nodes, room);
  if (over == block_nodes.end()) return block_nodes.back();
  const auto block = static_cast<std::uint32_t>(over - block_nodes.begin() - 1);
  std::uint64_t nodes = block_nodes[block];
  count_ = block * block_elements;
  while (nodes + query_size(count_) <= room) nodes += query_size(count_++);
  return nodes;
}

PairsView Chunk::pairs() const {
  const ChunkArrays& a = *arrays_;
  return {.count = count_,
          .reference_of = integers(a.reference_of.device.data()),
          .active = nullptr,
          .references = context_.references,
          .queries = {.nodes = {a.nodes.device.data(), capacity_.id_bytes},
                      .layout = {.offsets = integers(a.query_offsets.data()),
                                 .lengths = {a.query_length.device.data(), capacity_.length_bytes},
                                 .pitch = 0,
                                 .max_length = capacity_.packed.room.max_query}},
          .scan_of = context_.scan_of,
          .scans = context_.view.scans};
}

PackedPairs Chunk::packed() const {
  return {device_, arrays_->packed, capacity_.packed, context_.dispatch, pairs()};
}

std::uint32_t Chunk::upload(std::size_t first) {
  first_ = first;
  fill_pinned();
  ChunkArrays& a = *arrays_;
  const Stream stream = stream_.get();
  a.reference_of.upload(device_, count_, stream);
  a.query_length.upload(device_, std::size_t{count_} * capacity_.length_bytes, stream);
  if (capacity_.task_success) a.task_success.upload(device_, count_, stream);
  if (capacity_.cls_lengths) a.cls_query_length.upload(device_, count_, stream);
  if (capacity_.query_raw) a.query_raw.upload(device_, count_, stream);
  device_.launch(LengthSum{.view = {.counts = pairs().queries.layout.lengths,
                                    .sums = a.query_offsets.data(),
                                    .count = count_},
                           .scratch = {a.packed.scratch.data(), a.packed.scratch.size()}},
                 stream);
  packed().pack(are_rows_places(), view().results, stream);
  return count_;
}

// Totals need no order, and consecutive writes take a fraction of the time.
bool Chunk::are_rows_places() const {
  return context_.aggregate != nullptr && !capacity_.task_success && !capacity_.cls_lengths;
}

BatchView Chunk::view() const {
  BatchView view = context_.view;
  view.task_success = arrays_->task_success.device.data();
  view.cls_query_length = arrays_->cls_query_length.device.data();
  for (std::size_t c = 0; c < context_.metrics.size(); ++c) {
    view.results.column[index_of(context_.metrics[c])] =
        arrays_->results.device.data() + c * count_;
  }
  view.results.flags = arrays_->flags.device.data();
  return view;
}

void Chunk::score() {
  packed().score(view(), stream_.get(), sides_.get());
}

void Chunk::start_output() {
  context_.aggregate == nullptr ? read_back() : aggregate();
}

void Chunk::read_back() {
  arrays_->results.download(device_, std::size_t{count_} * context_.metrics.size(), stream_.get());
  arrays_->flags.download(device_, count_, stream_.get());
}

void Chunk::aggregate() {
  AggregateView all = *context_.aggregate;
  all.results = view().results;
  const PairsView chunk = pairs();
  all.count = chunk.count;
  all.pair_of = are_rows_places() ? arrays_->packed.sorted_pair.data() : nullptr;
  all.reference_of = chunk.reference_of;
  all.references = chunk.references.layout;
  all.queries = chunk.queries.layout;
  all.query_raw = arrays_->query_raw.device.data();
  device_.launch(all, stream_.get());
}

}  // namespace warpath::cuda

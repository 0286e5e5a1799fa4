#include "host/cuda/chunk.hpp"

#include <algorithm>
#include <numeric>

namespace warpath::cuda {

using namespace kernels;

template <class Id>
Chunk<Id>::Chunk(Device& device, const ChunkContext& context, const ChunkCapacity& capacity)
    : device_(device),
      context_(context),
      capacity_(capacity),
      arrays_(device, capacity),
      stream_(device) {}

// Uploads the pairs' lengths first, since they decide how many pairs fit and where each query's
// nodes go; then the nodes.
template <class Id>
void Chunk<Id>::fill_pinned() {
  Arrays& a = *arrays_;
  const PairBatchView& batch = context_.batch;
  const std::size_t left = context_.rows.size() - first_;
  count_ = static_cast<std::uint32_t>(std::min<std::size_t>(left, capacity_.room.pairs));
  std::vector<std::uint64_t> block_nodes(block_count(count_) + 1, 0);
  std::vector<std::uint32_t> max_in_block(block_nodes.size(), 0);
  for_each_block(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    fill_columns(begin, end);
    std::uint64_t nodes = 0;
    typename Arrays::Length longest = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      nodes += a.query_length.host[k];
      longest = std::max(longest, a.query_length.host[k]);
    }
    block_nodes[block + 1] = nodes;
    max_in_block[block] = longest;
  });
  std::partial_sum(block_nodes.begin(), block_nodes.end(), block_nodes.begin());
  max_query_ = *std::ranges::max_element(max_in_block);
  const std::uint64_t nodes = keep_fitting(block_nodes);
  for_each_block(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    const auto query_of = [&](std::uint32_t k) {
      return batch.pairs[context_.rows[first_ + k]].query;
    };
    copy_nodes(batch.queries, begin, end, query_of, a.nodes.host.data() + block_nodes[block]);
  });
  a.nodes.upload(device_, nodes, stream_.get());
}

template <class Id>
void Chunk<Id>::fill_columns(std::uint32_t begin, std::uint32_t end) {
  Arrays& a = *arrays_;
  const PairBatchView& batch = context_.batch;
  const Rows rows = context_.rows.part(first_, count_);
  const bool own_numbers = context_.reference.empty();
  for (std::uint32_t k = begin; k < end; ++k) {
    const Pair& pair = batch.pairs[rows[k]];
    a.reference_of.host[k] = own_numbers ? pair.reference : context_.reference[first_ + k];
    a.query_length.host[k] =
        static_cast<typename Arrays::Length>(batch.queries.size_of(pair.query));
  }
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
}

/// Drops the pairs whose nodes do not fit. Returns the number of nodes of the others.
/// @param block_nodes per block: nodes of the blocks before it; last, of all blocks
template <class Id>
std::uint64_t Chunk<Id>::keep_fitting(const std::vector<std::uint64_t>& block_nodes) {
  const auto lengths = arrays_->query_length.host;
  const std::uint64_t room = capacity_.room.query_nodes;
  const auto over = std::ranges::upper_bound(block_nodes, room);
  if (over == block_nodes.end()) return block_nodes.back();
  const auto block = static_cast<std::uint32_t>(over - block_nodes.begin() - 1);
  std::uint64_t nodes = block_nodes[block];
  count_ = block * block_elements;
  while (nodes + lengths[count_] <= room) nodes += lengths[count_++];
  return nodes;
}

template <class Id>
void Chunk<Id>::widen_lengths() {
  if constexpr (Arrays::are_lengths_short) {
    device_.launch(LengthsView{.count = count_,
                               .from = arrays_->query_length.device.data(),
                               .to = arrays_->wide_length.data()},
                   stream_.get());
  }
}

template <class Id>
const std::uint32_t* Chunk<Id>::query_length() const {
  if constexpr (Arrays::are_lengths_short) {
    return arrays_->wide_length.data();
  } else {
    return arrays_->query_length.device.data();
  }
}

template <class Id>
PairsView Chunk<Id>::pairs() const {
  return {.count = count_,
          .reference_of = arrays_->reference_of.device.data(),
          .query_length = query_length(),
          .reference_offsets = context_.reference_offsets,
          .scan_of = context_.device_scan_of,
          .scans = context_.view.scans};
}

template <class Id>
std::uint32_t Chunk<Id>::upload(std::size_t first) {
  first_ = first;
  fill_pinned();
  const Stream stream = stream_.get();
  arrays_->reference_of.upload(device_, count_, stream);
  arrays_->query_length.upload(device_, count_, stream);
  widen_lengths();
  if (capacity_.task_success) arrays_->task_success.upload(device_, count_, stream);
  if (capacity_.cls_lengths) arrays_->cls_query_length.upload(device_, count_, stream);
  if (capacity_.query_raw) arrays_->query_raw.upload(device_, count_, stream);
  start_sort();
  return count_;
}

template <class Id>
void Chunk<Id>::start_sort() {
  Arrays& a = *arrays_;
  const Stream stream = stream_.get();
  device_.launch(ExclusiveSum{.counts = query_length(),
                              .sums = a.query_offsets.data(),
                              .count = count_,
                              .scratch = scratch()},
                 stream);
  device_.launch(KeyView{.pairs = pairs(),
                         .policy = context_.policy,
                         .bits = context_.bits,
                         .key = a.key.data(),
                         .pair = a.pair.data()},
                 stream);
  device_.launch(SortPairs{.view = {.key = a.key.data(),
                                    .sorted_key = a.sorted_key.data(),
                                    .pair = a.pair.data(),
                                    .sorted_pair = a.sorted_pair.data(),
                                    .count = count_,
                                    .bits = context_.bits.total()},
                           .scratch = scratch()},
                 stream);
  device_.launch(FindRuns{.view = {.key = a.sorted_key.data(),
                                   .count = count_,
                                   .m_bits = context_.bits.m_bits,
                                   .run_key = a.run_key.device.data(),
                                   .run_length = a.run_length.device.data(),
                                   .runs = a.run_count.device.data()},
                          .scratch = scratch()},
                 stream);
  a.run_count.download(device_, 1, stream);
  const std::size_t runs = std::min<std::size_t>(a.run_key.host.size(), count_);
  a.run_key.download(device_, runs, stream);
  a.run_length.download(device_, runs, stream);
}

// Totals need no order, and consecutive writes take a fraction of the time.
template <class Id>
bool Chunk<Id>::are_rows_places() const {
  return context_.aggregate != nullptr && !capacity_.task_success && !capacity_.cls_lengths;
}

template <class Id>
void Chunk<Id>::place_pairs(const Plan& plan) {
  Arrays& a = *arrays_;
  const Stream stream = stream_.get();
  std::ranges::copy(plan.runs, a.runs.host.data());
  std::ranges::copy(plan.slices, a.slices.host.data());
  a.runs.upload(device_, plan.runs.size(), stream);
  a.slices.upload(device_, plan.slices.size(), stream);
  device_.fill(a.slots.data(), 0xff, plan.slots * sizeof(GroupPair), stream);
  const std::uint32_t tiles = plan.tile_slots / tile_pairs;
  device_.fill(a.tile_columns.data(), 0, tiles * sizeof(std::uint32_t), stream);
  device_.launch(PlaceView{.pairs = pairs(),
                           .sorted = a.sorted_pair.data(),
                           .runs = a.runs.device.data(),
                           .run_count = static_cast<std::uint32_t>(plan.runs.size() - 1),
                           .slots = a.slots.data(),
                           .tile_columns = a.tile_columns.data(),
                           .tile_slots = plan.tile_slots,
                           .by_place = are_rows_places()},
                 stream);
  device_.launch(ExclusiveSum{.counts = a.tile_columns.data(),
                              .sums = a.query_start.data(),
                              .count = tiles,
                              .scratch = scratch()},
                 stream);
}

template <class Id>
BatchView Chunk<Id>::view() const {
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

template <class Id>
void Chunk<Id>::pack_tiles(const Launch& launch) {
  Arrays& a = *arrays_;
  const std::uint32_t slot = launch.first_slot;
  const std::uint32_t slots = (launch.slots + tile_pairs - 1) / tile_pairs * tile_pairs;
  device_.launch(
      PackView<Id>{.references = {.nodes = static_cast<const Id*>(context_.reference_nodes),
                                  .offsets = context_.reference_offsets},
                   .queries = {.nodes = a.nodes.device.data(), .offsets = a.query_offsets.data()},
                   .pairs = a.slots.data() + slot,
                   .scans = context_.view.scans,
                   .slots = slots,
                   .rows = launch.rows,
                   .query_start = a.query_start.data() + slot / tile_pairs,
                   .reference = a.tile_reference.data() + launch.first_entry,
                   .query = a.tile_query.data(),
                   .lengths = a.lengths.data() + slot,
                   .row = a.row.data() + slot,
                   .reference_of = a.slot_reference.data() + slot},
      stream_.get());
}

template <class Id>
void Chunk<Id>::start_tiles(const Launch& launch, const BatchView& view) {
  Arrays& a = *arrays_;
  const std::uint32_t slot = launch.first_slot;
  const TileView tiles{.batch = view,
                       .slices = a.slices.device.data() + launch.first_slice,
                       .slice_count = launch.slices,
                       .max_scan = launch.max_viewpoints,
                       .reference = a.tile_reference.data() + launch.first_entry,
                       .query = a.tile_query.data(),
                       .query_start = a.query_start.data() + slot / tile_pairs,
                       .lengths = a.lengths.data() + slot,
                       .row = a.row.data() + slot,
                       .reference_of = a.slot_reference.data() + slot};
  device_.launch(ScoreTiles{.view = tiles,
                            .kernel = tile_kernel(launch.target),
                            .set = context_.policy.set,
                            .rows = launch.rows},
                 stream_.get());
}

template <class Id>
void Chunk<Id>::start_groups(const Launch& launch, const BatchView& view) {
  // Viewpoints are uploaded as bytes only if no pair goes to groups.
  if constexpr (std::is_same_v<Id, std::uint16_t>) {
    Arrays& a = *arrays_;
    const GroupView groups{
        .batch = view,
        .references = {.nodes = static_cast<const Id*>(context_.reference_nodes),
                       .offsets = context_.reference_offsets},
        .queries = {.nodes = a.nodes.device.data(), .offsets = a.query_offsets.data()},
        .pairs = a.slots.data() + launch.first_slot,
        .count = launch.slots,
        .border_columns = max_query_,
        .border_groups = capacity_.border_groups,
        .border = a.border.data(),
        .border_carry = a.border_carry.data()};
    device_.launch(
        ScoreGroups{
            .view = groups, .shape = group_shape(launch.target), .set = context_.policy.set},
        stream_.get());
  }
}

template <class Id>
void Chunk<Id>::pack() {
  device_.wait(stream_.get());
  const std::uint32_t runs = arrays_->run_count.host[0];
  const Plan plan =
      make_plan(arrays_->run_key.host.first(runs), arrays_->run_length.host.first(runs),
                context_.bits, context_.scans, context_.scan_of);
  launches_ = plan.launches;
  place_pairs(plan);
  for (const Launch& launch : launches_) {
    if (in_tiles(launch.target)) pack_tiles(launch);
  }
}

template <class Id>
void Chunk<Id>::score() {
  const BatchView all = view();
  for (const Launch& launch : launches_) {
    in_tiles(launch.target) ? start_tiles(launch, all) : start_groups(launch, all);
  }
}

template <class Id>
void Chunk<Id>::start_output() {
  context_.aggregate == nullptr ? read_back() : aggregate();
}

template <class Id>
void Chunk<Id>::read_back() {
  arrays_->results.download(device_, std::size_t{count_} * context_.metrics.size(), stream_.get());
  arrays_->flags.download(device_, count_, stream_.get());
}

template <class Id>
void Chunk<Id>::aggregate() {
  AggregateView all = *context_.aggregate;
  all.results = view().results;
  all.pairs = pairs();
  all.pair_of = are_rows_places() ? arrays_->sorted_pair.data() : nullptr;
  all.query_raw = arrays_->query_raw.device.data();
  device_.launch(all, stream_.get());
}

template class Chunk<std::uint8_t>;
template class Chunk<std::uint16_t>;

}  // namespace warpath::cuda

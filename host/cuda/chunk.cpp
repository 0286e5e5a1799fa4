#include "host/cuda/chunk.hpp"

#include <algorithm>
#include <numeric>

namespace warpath::cuda {

using namespace kernels;

namespace {

std::uint64_t max_slices(const Room& room) {
  return room.runs + room.slots() / (tile_pairs * slice_tiles) + 1;
}

std::uint64_t max_tiles(const Room& room) {
  return room.slots() / tile_pairs + 2;
}

}  // namespace

std::uint64_t Capacity::bytes(std::size_t id_bytes) const {
  const std::uint64_t lengths = id_bytes == 1 ? 2 + 4 : 4;
  const std::uint64_t by_pair = lengths + 4 + 4 + 4 + 4 + 8 + 8 + 4 + 4 * metrics +
                                4 * task_success + 4 * cls_lengths + 4 * query_raw;
  const std::uint64_t by_slot = sizeof(GroupPair) + 4 + 4 + 4 + 2 * max_rows;
  return room.pairs * by_pair + room.query_nodes * id_bytes + room.runs * (12 + sizeof(KeyRun)) +
         max_slices(room) * sizeof(Slice) + room.slots() * by_slot + max_tiles(room) * 8 +
         room.columns() * tile_pairs * 2 +
         std::uint64_t{border_groups} * 24 * std::max(room.max_query, 1u);
}

std::uint32_t Capacity::max_elements() const {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(room.pairs, max_tiles(room)));
}

template <class Id>
Chunk<Id>::Chunk(Device& device, const ChunkContext& span, const Capacity& capacity)
    : device_(device), span_(span), capacity_(capacity), stream_(device) {
  const Room& room = capacity.room;
  const std::size_t pairs = room.pairs, runs = room.runs, slots = room.slots();
  reference_of_ = {device, pairs};
  query_length_ = {device, pairs};
  nodes_ = {device, room.query_nodes};
  if (capacity.task_success) task_success_ = {device, pairs};
  if (capacity.cls_lengths) cls_query_length_ = {device, pairs};
  if (capacity.query_raw) query_raw_ = {device, pairs};
  if (are_lengths_short) wide_length_ = {device, pairs};
  query_offsets_ = {device, pairs + 1};
  pair_ = {device, pairs};
  sorted_pair_ = {device, pairs};
  key_ = {device, pairs};
  sorted_key_ = {device, pairs};
  run_key_ = {device, pairs < runs ? pairs : runs};
  run_length_ = {device, run_key_.host.size()};
  run_count_ = {device, 1};
  runs_ = {device, run_key_.host.size() + 1};
  slices_ = {device, max_slices(room)};
  slots_ = {device, slots};
  tile_columns_ = {device, max_tiles(room)};
  query_start_ = {device, max_tiles(room)};
  lengths_ = {device, slots};
  row_ = {device, slots};
  slot_reference_ = {device, slots};
  tile_reference_ = {device, slots * capacity.max_rows};
  tile_query_ = {device, room.columns() * tile_pairs};
  if (capacity.border_groups > 0) {
    const std::size_t entries = std::size_t{capacity.border_groups} * room.max_query;
    border_ = {device, 4 * entries};
    border_carry_ = {device, 2 * entries};
  }
  scratch_ = {device, device.scratch_bytes(capacity.max_elements())};
  results_.device = {device, pairs * capacity.metrics};
  flags_.device = {device, pairs};
  if (span.aggregate == nullptr) {
    results_.host = {device, pairs * capacity.metrics};
    flags_.host = {device, pairs};
  }
}

// The pairs' lengths first, which say how many fit and where each query's nodes go; then the nodes.
template <class Id>
void Chunk<Id>::stage() {
  const PairBatchView& batch = span_.batch;
  const std::size_t left = span_.rows.size() - first_;
  count_ = static_cast<std::uint32_t>(std::min<std::size_t>(left, capacity_.room.pairs));
  std::vector<std::uint64_t> block_nodes(staged_blocks(count_) + 1, 0);
  std::vector<std::uint32_t> max_in_block(block_nodes.size(), 0);
  for_staged_blocks(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    stage_pairs(begin, end);
    std::uint64_t nodes = 0;
    Length longest = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      nodes += query_length_.host[k];
      longest = std::max(longest, query_length_.host[k]);
    }
    block_nodes[block + 1] = nodes;
    max_in_block[block] = longest;
  });
  std::partial_sum(block_nodes.begin(), block_nodes.end(), block_nodes.begin());
  max_query_ = *std::ranges::max_element(max_in_block);
  const std::uint64_t nodes = keep_fitting(block_nodes);
  for_staged_blocks(count_, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    const auto query_of = [&](std::uint32_t k) {
      return batch.pairs[span_.rows[first_ + k]].query;
    };
    stage_nodes(batch.queries, begin, end, query_of, nodes_.host.data() + block_nodes[block]);
  });
  nodes_.upload(device_, nodes, stream_.get());
}

template <class Id>
void Chunk<Id>::stage_pairs(std::uint32_t begin, std::uint32_t end) {
  const PairBatchView& batch = span_.batch;
  const Rows rows = span_.rows.part(first_, count_);
  const bool own_numbers = span_.reference.empty();
  for (std::uint32_t k = begin; k < end; ++k) {
    const Pair& pair = batch.pairs[rows[k]];
    reference_of_.host[k] = own_numbers ? pair.reference : span_.reference[first_ + k];
    query_length_.host[k] = static_cast<Length>(batch.queries.size_of(pair.query));
  }
  const auto stage_column = [&](bool is_wanted, auto& column, auto value) {
    if (!is_wanted) return;
    for (std::uint32_t k = begin; k < end; ++k) column.host[k] = value(rows[k]);
  };
  stage_column(capacity_.task_success, task_success_,
               [&](std::uint32_t row) { return static_cast<float>(batch.task_success[row]); });
  stage_column(capacity_.cls_lengths, cls_query_length_,
               [&](std::uint32_t row) { return span_.cls_query_length[batch.pairs[row].query]; });
  stage_column(capacity_.query_raw, query_raw_,
               [&](std::uint32_t row) { return batch.raw_query_size(row); });
}

/// Leaves out the pairs whose nodes there is no room for; how many nodes the others have.
/// @param block_nodes by block: nodes of those before it, and of all
template <class Id>
std::uint64_t Chunk<Id>::keep_fitting(const std::vector<std::uint64_t>& block_nodes) {
  const std::uint64_t room = capacity_.room.query_nodes;
  const auto over = std::ranges::upper_bound(block_nodes, room);
  if (over == block_nodes.end()) return block_nodes.back();
  const auto block = static_cast<std::uint32_t>(over - block_nodes.begin() - 1);
  std::uint64_t nodes = block_nodes[block];
  count_ = block * staged_together;
  while (nodes + query_length_.host[count_] <= room) nodes += query_length_.host[count_++];
  return nodes;
}

template <class Id>
void Chunk<Id>::widen_lengths() {
  if constexpr (are_lengths_short) {
    device_.widen_lengths({count_, query_length_.device.data(), wide_length_.data()},
                          stream_.get());
  }
}

template <class Id>
const std::uint32_t* Chunk<Id>::query_length() const {
  if constexpr (are_lengths_short) {
    return wide_length_.data();
  } else {
    return query_length_.device.data();
  }
}

template <class Id>
PairsView Chunk<Id>::pairs() const {
  return {count_,
          reference_of_.device.data(),
          query_length(),
          span_.reference_offsets,
          span_.device_scan_of,
          span_.view.scans};
}

template <class Id>
std::uint32_t Chunk<Id>::begin(std::size_t first) {
  first_ = first;
  stage();
  const Stream stream = stream_.get();
  reference_of_.upload(device_, count_, stream);
  query_length_.upload(device_, count_, stream);
  widen_lengths();
  if (capacity_.task_success) task_success_.upload(device_, count_, stream);
  if (capacity_.cls_lengths) cls_query_length_.upload(device_, count_, stream);
  if (capacity_.query_raw) query_raw_.upload(device_, count_, stream);
  device_.exclusive_sum(query_length(), query_offsets_.data(), count_, scratch(), stream);
  device_.make_keys({pairs(), span_.policy, span_.bits, key_.data(), pair_.data()}, stream);
  device_.sort({key_.data(), sorted_key_.data(), pair_.data(), sorted_pair_.data(), count_,
                span_.bits.total()},
               scratch(), stream);
  device_.find_runs({sorted_key_.data(), count_, span_.bits.m_bits, run_key_.device.data(),
                     run_length_.device.data(), run_count_.device.data()},
                    scratch(), stream);
  run_count_.download(device_, 1, stream);
  const std::size_t runs = std::min<std::size_t>(run_key_.host.size(), count_);
  run_key_.download(device_, runs, stream);
  run_length_.download(device_, runs, stream);
  return count_;
}

// Totals do not ask for an order, and values side by side are written in a fraction of the time.
template <class Id>
bool Chunk<Id>::are_rows_places() const {
  return span_.aggregate != nullptr && !capacity_.task_success && !capacity_.cls_lengths;
}

template <class Id>
void Chunk<Id>::lay_out(const Plan& plan) {
  const Stream stream = stream_.get();
  std::ranges::copy(plan.runs, runs_.host.data());
  std::ranges::copy(plan.slices, slices_.host.data());
  runs_.upload(device_, plan.runs.size(), stream);
  slices_.upload(device_, plan.slices.size(), stream);
  device_.fill(slots_.data(), 0xff, plan.slots * sizeof(GroupPair), stream);
  const std::uint32_t tiles = plan.tile_slots / tile_pairs;
  device_.fill(tile_columns_.data(), 0, tiles * sizeof(std::uint32_t), stream);
  device_.place_pairs({pairs(), sorted_pair_.data(), runs_.device.data(),
                       static_cast<std::uint32_t>(plan.runs.size() - 1), slots_.data(),
                       tile_columns_.data(), plan.tile_slots, are_rows_places()},
                      stream);
  device_.exclusive_sum(tile_columns_.data(), query_start_.data(), tiles, scratch(), stream);
  for (const Launch& launch : launches_) {
    if (in_tiles(launch.target)) pack(launch);
  }
}

template <class Id>
BatchView Chunk<Id>::view() const {
  BatchView view = span_.view;
  view.task_success = task_success_.device.data();
  view.cls_query_length = cls_query_length_.device.data();
  for (std::size_t c = 0; c < span_.metrics.size(); ++c) {
    view.results.column[index_of(span_.metrics[c])] = results_.device.data() + c * count_;
  }
  view.results.flags = flags_.device.data();
  return view;
}

template <class Id>
void Chunk<Id>::pack(const Launch& launch) {
  const std::uint32_t slot = launch.first_slot;
  const std::uint32_t slots = (launch.slots + tile_pairs - 1) / tile_pairs * tile_pairs;
  device_.pack_tiles(
      PackView<Id>{{static_cast<const Id*>(span_.reference_nodes), span_.reference_offsets},
                   {nodes_.device.data(), query_offsets_.data()},
                   slots_.data() + slot,
                   span_.view.scans,
                   slots,
                   launch.rows,
                   query_start_.data() + slot / tile_pairs,
                   tile_reference_.data() + launch.first_entry,
                   tile_query_.data(),
                   lengths_.data() + slot,
                   row_.data() + slot,
                   slot_reference_.data() + slot},
      stream_.get());
}

template <class Id>
void Chunk<Id>::start_tiles(const Launch& launch, const BatchView& view) {
  const std::uint32_t slot = launch.first_slot;
  const TileView tiles{view,
                       slices_.device.data() + launch.first_slice,
                       launch.slices,
                       launch.max_viewpoints,
                       tile_reference_.data() + launch.first_entry,
                       tile_query_.data(),
                       query_start_.data() + slot / tile_pairs,
                       lengths_.data() + slot,
                       row_.data() + slot,
                       slot_reference_.data() + slot};
  device_.score_tiles(tiles, tile_kernel(launch.target), span_.policy.parts, launch.rows,
                      stream_.get());
}

template <class Id>
void Chunk<Id>::start_groups(const Launch& launch, const BatchView& view) {
  // Bytes are uploaded only where nothing goes to groups.
  if constexpr (std::is_same_v<Id, std::uint16_t>) {
    const GroupView groups{view,
                           {static_cast<const Id*>(span_.reference_nodes), span_.reference_offsets},
                           {nodes_.device.data(), query_offsets_.data()},
                           slots_.data() + launch.first_slot,
                           launch.slots,
                           max_query_,
                           capacity_.border_groups,
                           border_.data(),
                           border_carry_.data()};
    device_.score_groups(groups, group_shape(launch.target), span_.policy.parts, stream_.get());
  }
}

template <class Id>
void Chunk<Id>::arrange() {
  device_.wait(stream_.get());
  const std::uint32_t runs = run_count_.host[0];
  const Plan plan = make_plan({run_key_.host.data(), runs}, {run_length_.host.data(), runs},
                              span_.bits, span_.scans, span_.scan_of);
  launches_ = plan.launches;
  lay_out(plan);
}

template <class Id>
void Chunk<Id>::score() {
  const BatchView all = view();
  for (const Launch& launch : launches_) {
    in_tiles(launch.target) ? start_tiles(launch, all) : start_groups(launch, all);
  }
}

template <class Id>
void Chunk<Id>::deliver() {
  span_.aggregate == nullptr ? read_back() : aggregate();
}

template <class Id>
void Chunk<Id>::read_back() {
  results_.download(device_, std::size_t{count_} * span_.metrics.size(), stream_.get());
  flags_.download(device_, count_, stream_.get());
}

template <class Id>
void Chunk<Id>::aggregate() {
  AggregateView all = *span_.aggregate;
  all.results = view().results;
  all.pairs = pairs();
  all.pair_of = are_rows_places() ? sorted_pair_.data() : nullptr;
  all.query_raw = query_raw_.device.data();
  device_.aggregate(all, stream_.get());
}

template <class Id>
void Chunk<Id>::finish() {
  device_.wait(stream_.get());
}

template class Chunk<std::uint8_t>;
template class Chunk<std::uint16_t>;

}  // namespace warpath::cuda

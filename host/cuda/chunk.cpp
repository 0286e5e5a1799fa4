#include "host/cuda/chunk.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>

namespace warpath::cuda {

using namespace kernels;

namespace {

// Pairs that one thread stages at a time.
constexpr std::uint32_t staged_together = 8192;

std::uint64_t most_slices(const Room& room) {
  return room.runs + room.slots() / (tile_pairs * slice_tiles) + 1;
}

std::uint64_t most_tiles(const Room& room) {
  return room.slots() / tile_pairs + 2;
}

}  // namespace

std::uint64_t Capacity::bytes(std::size_t id_bytes) const {
  const std::uint64_t by_pair = 4 + 4 + 4 + 4 + 4 + 8 + 8 + 4 + 4 * metrics + 4 * task_success +
                                4 * cls_lengths + 4 * query_raw;
  const std::uint64_t by_slot = sizeof(GroupPair) + 4 + 4 + 4 + 2 * longest_row;
  return room.pairs * by_pair + room.query_nodes * id_bytes + room.runs * (12 + sizeof(Run)) +
         most_slices(room) * sizeof(Slice) + room.slots() * by_slot + most_tiles(room) * 8 +
         room.columns() * tile_pairs * 2 +
         std::uint64_t{border_groups} * 24 * std::max(room.longest_query, 1u);
}

std::uint32_t Capacity::most_elements() const {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(room.pairs, most_tiles(room)));
}

template <class Id>
Chunk<Id>::Chunk(Device& device, const Span& span, const Capacity& capacity)
    : device_(device), span_(span), capacity_(capacity), stream_(device) {
  const Room& room = capacity.room;
  const std::size_t pairs = room.pairs, runs = room.runs, slots = room.slots();
  reference_of_ = {device, pairs};
  query_length_ = {device, pairs + 1};
  nodes_ = {device, room.query_nodes};
  if (capacity.task_success) task_success_ = {device, pairs};
  if (capacity.cls_lengths) cls_query_length_ = {device, pairs};
  if (capacity.query_raw) query_raw_ = {device, pairs};
  query_offsets_ = {device, pairs + 1};
  pair_ = {device, pairs};
  sorted_pair_ = {device, pairs};
  key_ = {device, pairs};
  sorted_key_ = {device, pairs};
  run_key_ = {device, pairs < runs ? pairs : runs};
  run_length_ = {device, run_key_.host.size()};
  run_count_ = {device, 1};
  runs_ = {device, run_key_.host.size() + 1};
  slices_ = {device, most_slices(room)};
  slots_ = {device, slots};
  tile_columns_ = {device, most_tiles(room)};
  query_start_ = {device, most_tiles(room)};
  lengths_ = {device, slots};
  row_ = {device, slots};
  slot_reference_ = {device, slots};
  tile_reference_ = {device, slots * capacity.longest_row};
  tile_query_ = {device, room.columns() * tile_pairs};
  if (capacity.border_groups > 0) {
    const std::size_t entries = std::size_t{capacity.border_groups} * room.longest_query;
    border_ = {device, 4 * entries};
    border_carry_ = {device, 2 * entries};
  }
  scratch_ = {device, device.scratch_bytes(capacity.most_elements())};
  results_.device = {device, pairs * capacity.metrics};
  flags_.device = {device, pairs};
  if (span.aggregate == nullptr) {
    results_.host = {device, pairs * capacity.metrics};
    flags_.host = {device, pairs};
  }
}

// The pairs' lengths first, which say where each query's nodes go; then the nodes.
template <class Id>
void Chunk<Id>::stage() {
  const PairBatch& batch = span_.batch;
  const std::uint32_t blocks = (count_ + staged_together - 1) / staged_together;
  std::vector<std::uint64_t> block_nodes(blocks + 1, 0);
  std::vector<std::uint32_t> block_longest(blocks, 0);
  const auto for_pairs = [&](auto body) {
    tbb::parallel_for(0u, blocks, [&](std::uint32_t b) {
      const std::uint32_t begin = b * staged_together;
      body(b, begin, std::min(begin + staged_together, count_));
    });
  };
  for_pairs([&](std::uint32_t b, std::uint32_t begin, std::uint32_t end) {
    std::uint64_t nodes = 0;
    for (std::uint32_t k = begin; k < end; ++k) {
      const std::uint32_t row = span_.rows[first_ + k];
      const std::uint32_t query = batch.pairs[row].query;
      const auto m = static_cast<std::uint32_t>(batch.queries.length(query));
      reference_of_.host[k] = span_.reference[first_ + k];
      query_length_.host[k] = m;
      nodes += m;
      block_longest[b] = std::max(block_longest[b], m);
      if (capacity_.task_success) {
        task_success_.host[k] = static_cast<float>(batch.task_success[row]);
      }
      if (capacity_.cls_lengths) cls_query_length_.host[k] = span_.cls_query_length[query];
      if (capacity_.query_raw) query_raw_.host[k] = batch.n_query_raw[row];
    }
    block_nodes[b + 1] = nodes;
  });
  for (std::uint32_t b = 0; b < blocks; ++b) block_nodes[b + 1] += block_nodes[b];
  longest_query_ = *std::ranges::max_element(block_longest);
  for_pairs([&](std::uint32_t b, std::uint32_t begin, std::uint32_t end) {
    Id* to = nodes_.host.data() + block_nodes[b];
    for (std::uint32_t k = begin; k < end; ++k) {
      const auto query = batch.queries[batch.pairs[span_.rows[first_ + k]].query];
      to = std::ranges::transform(query, to, [](Node n) { return static_cast<Id>(n); }).out;
    }
  });
  nodes_.upload(device_, block_nodes[blocks], stream_.get());
}

template <class Id>
PairsView Chunk<Id>::pairs() const {
  return {count_,
          reference_of_.device.data(),
          query_length_.device.data(),
          span_.reference_offsets,
          span_.device_scan_of,
          span_.view.scans};
}

template <class Id>
void Chunk<Id>::begin(std::size_t first, std::uint32_t count) {
  first_ = first;
  count_ = count;
  stage();
  const Stream stream = stream_.get();
  reference_of_.upload(device_, count_, stream);
  query_length_.upload(device_, count_, stream);
  if (capacity_.task_success) task_success_.upload(device_, count_, stream);
  if (capacity_.cls_lengths) cls_query_length_.upload(device_, count_, stream);
  if (capacity_.query_raw) query_raw_.upload(device_, count_, stream);
  device_.exclusive_sum(query_length_.device.data(), query_offsets_.data(), count_, scratch(),
                        stream);
  device_.make_keys({pairs(), span_.sharing, span_.bits, key_.data(), pair_.data()}, stream);
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
  device_.fill(tile_columns_.data(), 0, (tiles + 1) * sizeof(std::uint32_t), stream);
  device_.place_pairs({pairs(), sorted_pair_.data(), runs_.device.data(),
                       static_cast<std::uint32_t>(plan.runs.size() - 1), slots_.data(),
                       tile_columns_.data(), plan.tile_slots},
                      stream);
  device_.exclusive_sum(tile_columns_.data(), query_start_.data(), tiles, scratch(), stream);
}

template <class Id>
BatchView Chunk<Id>::view() const {
  BatchView view = span_.view;
  view.task_success = task_success_.device.data();
  view.cls_query_length = cls_query_length_.device.data();
  for (std::size_t c = 0; c < span_.metrics.size(); ++c) {
    view.results.column[span_.metrics[c]] = results_.device.data() + c * count_;
  }
  view.results.flags = flags_.device.data();
  return view;
}

template <class Id>
void Chunk<Id>::start_tiles(const Launch& launch, const BatchView& view) {
  const std::uint32_t slot = launch.first_slot, tile = slot / tile_pairs;
  const std::uint32_t slots = (launch.slots + tile_pairs - 1) / tile_pairs * tile_pairs;
  const PathView<Id> references{static_cast<const Id*>(span_.reference_nodes),
                                span_.reference_offsets};
  std::uint16_t* reference = tile_reference_.data() + launch.first_entry;
  device_.pack_tiles(PackView<Id>{references,
                                  {nodes_.device.data(), query_offsets_.data()},
                                  slots_.data() + slot,
                                  view.scans,
                                  slots,
                                  launch.rows,
                                  query_start_.data() + tile,
                                  reference,
                                  tile_query_.data(),
                                  lengths_.data() + slot,
                                  row_.data() + slot,
                                  slot_reference_.data() + slot},
                     stream_.get());
  const TileView tiles{view,
                       slices_.device.data() + launch.first_slice,
                       launch.slices,
                       launch.largest_scan,
                       reference,
                       tile_query_.data(),
                       query_start_.data() + tile,
                       lengths_.data() + slot,
                       row_.data() + slot,
                       slot_reference_.data() + slot};
  device_.score_tiles(tiles, tile_kernel(launch.target), span_.sharing.parts, launch.rows,
                      stream_.get());
}

template <class Id>
void Chunk<Id>::start_groups(const Launch& launch, const BatchView& view) {
  // Bytes are uploaded only where nothing goes to groups.
  if constexpr (std::is_same_v<Id, std::uint16_t>) {
    const GroupView groups{
        view,
        {static_cast<const Id*>(span_.reference_nodes), span_.reference_offsets},
        {nodes_.device.data(), query_offsets_.data()},
        slots_.data() + launch.first_slot,
        launch.slots,
        longest_query_,
        capacity_.border_groups,
        border_.data(),
        border_carry_.data()};
    device_.score_groups(groups, group_shape(launch.target), span_.sharing.parts, stream_.get());
  }
}

template <class Id>
void Chunk<Id>::score() {
  device_.wait(stream_.get());
  const std::uint32_t runs = run_count_.host[0];
  const Plan plan = make_plan({run_key_.host.data(), runs}, {run_length_.host.data(), runs},
                              span_.bits, span_.scans, span_.scan_of);
  lay_out(plan);
  const BatchView all = view();
  for (const Launch& launch : plan.launches) {
    in_tiles(launch.target) ? start_tiles(launch, all) : start_groups(launch, all);
  }
  span_.aggregate == nullptr ? read_back() : aggregate(all.results);
}

template <class Id>
void Chunk<Id>::read_back() {
  results_.download(device_, std::size_t{count_} * span_.metrics.size(), stream_.get());
  flags_.download(device_, count_, stream_.get());
}

template <class Id>
void Chunk<Id>::aggregate(const ResultView& results) {
  AggregateView view = *span_.aggregate;
  view.results = results;
  view.pairs = pairs();
  view.query_raw = query_raw_.device.data();
  device_.aggregate(view, stream_.get());
}

template <class Id>
void Chunk<Id>::finish() {
  device_.wait(stream_.get());
}

template class Chunk<std::uint8_t>;
template class Chunk<std::uint16_t>;

}  // namespace warpath::cuda

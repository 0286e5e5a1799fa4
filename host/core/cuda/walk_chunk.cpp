#include "host/core/cuda/walk_chunk.hpp"

#include <algorithm>

namespace warpath::cuda {

using namespace kernels;

void WalkArrays::list(ArenaLayout& layout, const WalkCapacity& capacity) {
  const std::size_t walks = capacity.walks;
  layout.add(slices, capacity.slices);
  layout.add(numbers, capacity.are_listed ? walks : 0);
  layout.add_device(results, walks * capacity.metrics);
  layout.add_device(flags, walks);
  layout.add_device(size, capacity.are_counted ? walks : 0);
  layout.add_device(reference_of, capacity.are_counted ? walks : 0);
  layout.add_device(noted_count, 1);
  layout.add_device(noted, walks);
}

std::size_t WalkChunk::upload(std::size_t first) {
  launches_.clear();
  walks_ = slices_ = 0;
  std::size_t next = first;
  for (; next < context_.piece_count(); ++next) {
    const walks::WalkPiece piece = context_.piece(next);
    if (piece.count == 0) continue;
    if (slices_ == capacity_.slices || walks_ + piece.count > capacity_.walks) break;
    add(context_.references[next / context_.pieces->pieces_each()], piece);
  }
  arrays_->slices.upload(device_, slices_, stream_.get());
  if (capacity_.are_listed) arrays_->numbers.upload(device_, walks_, stream_.get());
  return next - first;
}

void WalkChunk::add(const WalkReference& reference, const walks::WalkPiece& piece) {
  const bool is_listed = piece.list != nullptr;
  high_ = piece.high;
  arrays_->slices.host[slices_] = {.reference = reference.number,
                                   .scan = reference.scan,
                                   .size = reference.size,
                                   .start = reference.start,
                                   .number = is_listed ? walks_ : piece.low,
                                   .stride = is_listed ? 0 : piece.stride,
                                   .count = piece.count,
                                   .first_slot = walks_};
  if (is_listed) std::copy_n(piece.list, piece.count, arrays_->numbers.host.data() + walks_);
  if (launches_.empty() || !is_same_launch(launches_.back().kernel, reference.kernel)) {
    launches_.push_back({reference.kernel, slices_, slices_, 0});
  }
  Launch& launch = launches_.back();
  launch.end_slice = ++slices_;
  launch.block_bytes = std::max(launch.block_bytes, reference.kernel.block_bytes);
  walks_ += piece.count;
}

WalkView WalkChunk::view() const {
  const WalkArrays& a = *arrays_;
  WalkView view = context_.view;
  for (std::size_t c = 0; c < context_.metrics.size(); ++c) {
    view.batch.results.column[index_of(context_.metrics[c])] =
        a.results.data() + c * capacity_.walks;
  }
  view.batch.results.flags = a.flags.data();
  view.high = high_;
  view.slices = a.slices.device.data();
  view.list = a.numbers.device.data();
  view.size = a.size.data();
  view.reference_of = a.reference_of.data();
  view.noted_count = a.noted_count.data();
  view.noted = a.noted.data();
  return view;
}

void WalkChunk::start() {
  if (walks_ == 0) return;
  score();
  aggregate();
}

void WalkChunk::score() {
  device_.fill(arrays_->noted_count.data(), 0, sizeof(std::uint32_t), stream_.get());
  WalkView walks = view();
  for (const Launch& launch : launches_) {
    walks.first_slice = launch.first_slice;
    walks.end_slice = launch.end_slice;
    walks.block_bytes = launch.block_bytes;
    device_.launch(ScoreWalks{walks, launch.kernel.replicated, context_.set, launch.kernel.rows},
                   stream_.get());
  }
  device_.launch(RepeatWalks{walks, context_.set}, stream_.get());
}

void WalkChunk::aggregate() {
  AggregateView all = context_.totals;
  all.results = view().batch.results;
  all.count = walks_;
  if (capacity_.are_counted) {
    all.reference_of = integers(arrays_->reference_of.data());
    all.references = context_.view.references.layout;
    all.queries.lengths = integers(arrays_->size.data());
    all.queries.max_length = ~0u;
  }
  device_.launch(all, stream_.get());
}

}  // namespace warpath::cuda

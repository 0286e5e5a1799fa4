#include "host/core/cuda/point_chunk.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <limits>

namespace warpath::cuda {

using namespace kernels;

namespace {

void write_points(const float* const (&axes)[3], const std::int32_t* ids, std::int32_t count,
                  DevicePoint* to) {
  for (std::int32_t k = 0; k < count; ++k) {
    to[k] = {axes[0][k], axes[1][k], axes[2][k], ids != nullptr ? ids[k] : 0};
  }
}

// Estimates the work of a pair: steps of eight lanes with eight rows each, whose warps wait for the
// longest of four pairs. For larger groups it is only a measure of the work.
std::uint64_t steps_of(const DevicePointPair& pair) {
  constexpr int strip = 64;
  return static_cast<std::uint64_t>((pair.n + strip - 1) / strip) * pair.m;
}

}  // namespace

void PointChunkArrays::list(ArenaLayout& layout, const PointCapacity& capacity) {
  layout.add(points, capacity.points);
  layout.add(pairs, capacity.pairs);
  const std::size_t border_entries = std::size_t{capacity.border_groups} * capacity.border_columns;
  layout.add_device(border, 4 * border_entries);
  layout.add_device(border_carry, 2 * border_entries);
  layout.add(results, std::size_t{capacity.pairs} * capacity.metrics);
  layout.add(flags, capacity.pairs);
}

std::uint32_t PointChunk::upload(std::size_t first) {
  first_ = first;
  place();
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, count_), [&](const auto& range) {
    batch::PointStage& own = context_.stages.local();
    for (std::uint32_t k = range.begin(); k < range.end(); ++k) fill_pinned(k, own);
  });
  sort();
  arrays_->points.upload(device_, points_used_, stream_.get());
  arrays_->pairs.upload(device_, count_, stream_.get());
  return count_;
}

void PointChunk::start_output() {
  arrays_->results.download(device_, count_ * context_.metrics.size(), stream_.get());
  arrays_->flags.download(device_, count_, stream_.get());
}

// Decides where each path lies among the points. Neighbouring pairs with one reference share it.
void PointChunk::place() {
  const PointBatchView& batch = context_.batch;
  std::uint64_t end = 0;
  std::uint32_t reference = 0;
  for (count_ = 0; count_ < capacity_.pairs && first_ + count_ < batch.pairs.size(); ++count_) {
    const PointPair& pair = batch.pairs[first_ + count_];
    const bool shares = count_ > 0 && batch.pairs[first_ + count_ - 1].reference == pair.reference;
    const std::size_t n = batch.references.size_of(pair.reference);
    const std::size_t m = batch.queries.size_of(pair.query);
    if (end + (shares ? 0 : n) + m > capacity_.points) break;
    if (!shares) {
      reference = static_cast<std::uint32_t>(end);
      end += n;
    }
    DevicePointPair& to = arrays_->pairs.host[count_];
    to.row = count_;
    to.reference = reference;
    to.query = static_cast<std::uint32_t>(end);
    end += m;
  }
  points_used_ = static_cast<std::uint32_t>(end);
}

void PointChunk::fill_pinned(std::uint32_t k, batch::PointStage& own) {
  const PointBatchView& batch = context_.batch;
  const PointPair& pair = batch.pairs[first_ + k];
  const double success = batch.task_success.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                    : batch.task_success[first_ + k];
  const kernels::PointTask& task =
      own.task(batch.references[pair.reference], batch.queries[pair.query], success);
  DevicePointPair& to = arrays_->pairs.host[k];
  // The first pair of those that share a reference writes it.
  if (k == 0 || arrays_->pairs.host[k - 1].reference != to.reference) {
    write_points(task.reference, task.reference_id, task.n,
                 arrays_->points.host.data() + to.reference);
  }
  write_points(task.query, task.query_id, task.m, arrays_->points.host.data() + to.query);
  static_cast<PointPairInputs&>(to) = task;
}

PointChunk::Kernel PointChunk::kernel_of(const DevicePointPair& pair) const {
  const QuantitySet set =
      point_quantity_set(context_.rules.quantities, context_.rules.edit_unit, pair.edits >= 0);
  // Without a sweep all shapes are the same.
  return {set, set == QuantitySet::goal ? GroupShape::lanes_8 : group_shape(pair.n, true)};
}

// Groups the pairs by kernel, the longest first.
void PointChunk::sort() {
  const auto is_before = [&](const DevicePointPair& a, const DevicePointPair& b) {
    const Kernel of_a = kernel_of(a), of_b = kernel_of(b);
    return of_a != of_b ? of_a < of_b : steps_of(a) > steps_of(b);
  };
  tbb::parallel_sort(arrays_->pairs.host.data(), arrays_->pairs.host.data() + count_, is_before);
}

PointView PointChunk::view() const {
  const PointChunkArrays& a = *arrays_;
  PointView view{.rules = context_.rules,
                 .points = a.points.device.data(),
                 .pairs = a.pairs.device.data(),
                 .count = 0,
                 .border_columns = capacity_.border_columns,
                 .border_groups = capacity_.border_groups,
                 .border = a.border.data(),
                 .border_carry = a.border_carry.data(),
                 .results = {.column = {}, .flags = a.flags.device.data()}};
  for (std::size_t c = 0; c < context_.metrics.size(); ++c) {
    view.results.column[index_of(context_.metrics[c])] = a.results.device.data() + c * count_;
  }
  return view;
}

void PointChunk::score() {
  PointView launch = view();
  for (std::uint32_t begin = 0, end; begin < count_; begin = end) {
    const Kernel kernel = kernel_of(arrays_->pairs.host[begin]);
    end = begin + 1;
    while (end < count_ && kernel_of(arrays_->pairs.host[end]) == kernel) ++end;
    launch.pairs = arrays_->pairs.device.data() + begin;
    launch.count = end - begin;
    device_.launch(ScorePoints{.view = launch, .shape = kernel.shape, .set = kernel.set},
                   stream_.get());
  }
}

}  // namespace warpath::cuda

#include "host/cuda/point_chunk.hpp"

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

// Steps of eight lanes with eight rows each, whose warps wait for the longest of four pairs; for
// larger groups a measure of the work.
std::uint64_t steps_of(const DevicePointPair& pair) {
  constexpr int strip = 64;
  return static_cast<std::uint64_t>((pair.n + strip - 1) / strip) * pair.m;
}

}  // namespace

std::uint64_t PointCapacity::bytes() const {
  const std::uint64_t by_pair = sizeof(DevicePointPair) + sizeof(float) * (metrics + 1);
  return pairs * by_pair + points * sizeof(DevicePoint) +
         std::uint64_t{border_groups} * 6 * sizeof(float) * border_columns;
}

PointChunk::PointChunk(Device& device, const PointJob& job, const PointCapacity& capacity)
    : device_(device), job_(job), capacity_(capacity), stream_(device) {
  points_ = {device, capacity.points};
  pairs_ = {device, capacity.pairs};
  const std::size_t entries = std::size_t{capacity.border_groups} * capacity.border_columns;
  border_ = {device, 4 * entries};
  border_carry_ = {device, 2 * entries};
  results_ = {device, std::size_t{capacity.pairs} * capacity.metrics};
  flags_ = {device, capacity.pairs};
}

std::uint32_t PointChunk::begin(std::size_t first) {
  first_ = first;
  place();
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, count_), [&](const auto& range) {
    batch::PointStage& own = job_.stages.local();
    for (std::uint32_t k = range.begin(); k < range.end(); ++k) stage(k, own);
  });
  sort();
  points_.upload(device_, points_used_, stream_.get());
  pairs_.upload(device_, count_, stream_.get());
  return count_;
}

void PointChunk::deliver() {
  results_.download(device_, count_ * job_.metrics.size(), stream_.get());
  flags_.download(device_, count_, stream_.get());
}

// Where paths lie among the points. Neighbours with one reference share it.
void PointChunk::place() {
  const PointBatchView& batch = job_.batch;
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
    DevicePointPair& to = pairs_.host[count_];
    to.row = count_;
    to.reference = reference;
    to.query = static_cast<std::uint32_t>(end);
    end += m;
  }
  points_used_ = static_cast<std::uint32_t>(end);
}

void PointChunk::stage(std::uint32_t k, batch::PointStage& own) {
  const PointBatchView& batch = job_.batch;
  const PointPair& pair = batch.pairs[first_ + k];
  const double success = batch.task_success.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                    : batch.task_success[first_ + k];
  const kernels::PointTask& task =
      own.task(batch.references[pair.reference], batch.queries[pair.query], success);
  DevicePointPair& to = pairs_.host[k];
  // The first of those that share a reference writes it.
  if (k == 0 || pairs_.host[k - 1].reference != to.reference) {
    write_points(task.reference, task.reference_id, task.n, points_.host.data() + to.reference);
  }
  write_points(task.query, task.query_id, task.m, points_.host.data() + to.query);
  static_cast<PointPairInputs&>(to) = task;
}

PointChunk::Kernel PointChunk::kernel_of(const DevicePointPair& pair) const {
  const QuantitySet parts =
      point_quantity_set(job_.rules.quantities, job_.rules.edit_unit, pair.edits >= 0);
  // Without a sweep all shapes are one.
  return {parts, parts == QuantitySet::goal ? GroupShape::lanes_8 : group_shape(pair.n, true)};
}

// Those of one kernel lie together, the longest first.
void PointChunk::sort() {
  const auto is_before = [&](const DevicePointPair& a, const DevicePointPair& b) {
    const Kernel of_a = kernel_of(a), of_b = kernel_of(b);
    return of_a != of_b ? of_a < of_b : steps_of(a) > steps_of(b);
  };
  tbb::parallel_sort(pairs_.host.data(), pairs_.host.data() + count_, is_before);
}

PointView PointChunk::view() const {
  PointView view{job_.rules,
                 points_.device.data(),
                 pairs_.device.data(),
                 0,
                 capacity_.border_columns,
                 capacity_.border_groups,
                 border_.data(),
                 border_carry_.data(),
                 {{}, flags_.device.data()}};
  for (std::size_t c = 0; c < job_.metrics.size(); ++c) {
    view.results.column[index_of(job_.metrics[c])] = results_.device.data() + c * count_;
  }
  return view;
}

void PointChunk::score() {
  PointView launch = view();
  for (std::uint32_t begin = 0, end; begin < count_; begin = end) {
    const Kernel kernel = kernel_of(pairs_.host[begin]);
    end = begin + 1;
    while (end < count_ && kernel_of(pairs_.host[end]) == kernel) ++end;
    launch.pairs = pairs_.device.data() + begin;
    launch.count = end - begin;
    device_.score_points(launch, kernel.shape, kernel.parts, stream_.get());
  }
}

}  // namespace warpath::cuda

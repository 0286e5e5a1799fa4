#include "host/checks/selftest/resident_arrays.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "host/core/batch/results.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::selftest {
namespace {

constexpr std::uint8_t mark_byte = 0xee;
constexpr std::uint32_t mark_word = 0xeeeeeeee;

// Copies values to the device through pinned memory, which is released afterwards.
template <class T>
cuda::DeviceArray<T> uploaded(cuda::Device& device, std::span<const T> values) {
  if (values.empty()) return {};
  cuda::HostDeviceArray<T> copy(device, values.size());
  const cuda::UniqueStream stream(device);
  std::ranges::copy(values, copy.host.data());
  copy.upload(device, values.size(), stream.get());
  device.wait(stream.get());
  return std::move(copy.device);
}

// Keeps the lowest bytes of each value.
std::vector<std::uint8_t> in_bytes(std::span<const std::int64_t> values, std::uint8_t width) {
  std::vector<std::uint8_t> bytes(values.size() * width);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::memcpy(bytes.data() + k * width, &values[k], width);
  }
  return bytes;
}

constexpr std::uint32_t gap = 3;  // behind the longest path of rows

std::uint32_t max_of(std::span<const std::int64_t> sizes) {
  return sizes.empty() ? 0 : static_cast<std::uint32_t>(std::ranges::max(sizes));
}

// Returns where each path begins, and where the last one ends.
std::vector<std::int64_t> begins_of(std::span<const std::int64_t> sizes, bool in_rows) {
  const std::int64_t pitch = max_of(sizes) + gap;
  std::vector<std::int64_t> begins{0};
  for (const std::int64_t size : sizes) begins.push_back(begins.back() + (in_rows ? pitch : size));
  return begins;
}

std::vector<std::int64_t> numbers_of(std::span<const std::int64_t> sizes, bool in_rows) {
  if (in_rows) return {sizes.begin(), sizes.end()};
  return begins_of(sizes, false);
}

template <class T>
std::vector<std::int64_t> sizes_of(const PathStore<T>& paths, const Order& which) {
  std::vector<std::int64_t> sizes;
  for (const std::size_t p : which) sizes.push_back(static_cast<std::int64_t>(paths.size_of(p)));
  return sizes;
}

std::vector<std::int64_t> viewpoints_of(const PathSet& paths, const Order& which, bool in_rows) {
  const auto begins = begins_of(sizes_of(paths, which), in_rows);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(begins.back()), -1);
  for (std::size_t k = 0; k < which.size(); ++k) {
    std::ranges::copy(paths[which[k]], ids.begin() + begins[k]);
  }
  return ids;
}

std::vector<float> coordinates_of(const PointSet& paths, const Order& which, bool in_rows) {
  const auto begins = begins_of(sizes_of(paths, which), in_rows);
  std::vector<float> coordinates(static_cast<std::size_t>(3 * begins.back()),
                                 std::numeric_limits<float>::quiet_NaN());
  for (std::size_t k = 0; k < which.size(); ++k) {
    auto to = coordinates.begin() + 3 * begins[k];
    for (const auto& point : paths[which[k]]) {
      for (const double x : point) *to++ = static_cast<float>(x);
    }
  }
  return coordinates;
}

std::vector<float> as_floats(std::span<const double> values) {
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return floats;
}

}  // namespace

IntegersOnDevice::IntegersOnDevice(cuda::Device& device, std::span<const std::int64_t> values,
                                   std::uint8_t width)
    : width_(width), bytes_(uploaded<std::uint8_t>(device, in_bytes(values, width))) {}

LayoutOnDevice::LayoutOnDevice(cuda::Device& device, std::span<const std::int64_t> sizes,
                               const Form& form)
    : max_length_(max_of(sizes)),
      in_rows_(form.in_rows),
      numbers_(device, numbers_of(sizes, form.in_rows), form.number_bytes) {}

Layout LayoutOnDevice::view() const {
  Layout layout;
  layout.max_length = max_length_;
  (in_rows_ ? layout.lengths : layout.offsets) = numbers_.view();
  if (in_rows_) layout.pitch = max_length_ + gap;
  return layout;
}

PathsOnDevice::PathsOnDevice(cuda::Device& device, const PathSet& paths, const Order& which,
                             const Form& form)
    : layout_(device, sizes_of(paths, which), form),
      viewpoints_(device, viewpoints_of(paths, which, form.in_rows), form.id_bytes) {}

PointsOnDevice::PointsOnDevice(cuda::Device& device, const PointSet& paths, const Order& which,
                               const Form& form)
    : layout_(device, sizes_of(paths, which), form),
      points_(uploaded<float>(device, coordinates_of(paths, which, form.in_rows))) {}

PairsOnDevice::PairsOnDevice(cuda::Device& device, std::span<const std::int64_t> reference_of,
                             std::span<const std::uint8_t> active,
                             std::span<const double> task_success, const Form& form)
    : reference_of_(device, reference_of, form.number_bytes),
      active_(uploaded(device, active)),
      task_success_(uploaded<float>(device, as_floats(task_success))) {}

ResultsOnDevice::ResultsOnDevice(cuda::Device& device, const MetricSet& metrics,
                                 std::uint32_t count)
    : device_(device), metrics_(metrics), count_(count), flags_(device, count) {
  for (const Metric m : batch::kernel_metrics(metrics)) columns_.insert(m);
  values_ = {device, static_cast<std::size_t>(columns_.size()) * count};
}

void ResultsOnDevice::mark(cuda::Stream stream) {
  device_.fill(values_.device.data(), mark_byte, values_.device.size() * sizeof(float), stream);
  device_.fill(flags_.device.data(), mark_byte, count_ * sizeof(std::uint32_t), stream);
}

ScoreArrays ResultsOnDevice::view() const {
  ScoreArrays scores;
  float* column = values_.device.data();
  for (const Metric m : columns_) {
    scores.column[m] = column;
    column += count_;
  }
  scores.flags = flags_.device.data();
  return scores;
}

void ResultsOnDevice::download(cuda::Stream stream) {
  values_.download(device_, values_.host.size(), stream);
  flags_.download(device_, count_, stream);
}

Scores ResultsOnDevice::scores(const Order& rows) const {
  const std::uint32_t asked = definitions::flags_of(metrics_);
  Scores scores(rows.size(), columns_);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const float* value = values_.host.data() + rows[k];
    for (const Metric m : columns_) {
      scores.at(m, k) = double{*value};
      value += count_;
    }
    scores.status[k] = definitions::status_of(flags_.host[rows[k]] & asked);
    scores.zero_rules[k] = kernels::zero_rules_of(flags_.host[rows[k]] & asked);
  }
  return scores;
}

bool ResultsOnDevice::is_marked(std::size_t row) const {
  bool marked = flags_.host[row] == mark_word;
  for (std::size_t at = row; at < values_.host.size(); at += count_) {
    marked = marked && std::bit_cast<std::uint32_t>(values_.host[at]) == mark_word;
  }
  return marked;
}

}  // namespace warpath::selftest

#include "host/core/cuda/device_tables.hpp"

#include <algorithm>
#include <map>

namespace warpath::cuda {
namespace {

constexpr std::size_t max_piece = std::size_t{1} << 24;  // floats; bounds the pinned memory

// Copies entries of tables, a part of one after the other, through pinned memory.
class TableUpload {
 public:
  TableUpload(Device& device, DeviceArray<float>& to, Stream stream)
      : device_(device), to_(to), stream_(stream), piece_(device, std::min(to.size(), max_piece)) {}

  void add(std::span<const float> entries) {
    while (!entries.empty()) {
      if (size_ == piece_.size()) flush();
      const std::size_t count = std::min(entries.size(), piece_.size() - size_);
      std::ranges::copy(entries.first(count), piece_.data() + size_);
      size_ += count;
      entries = entries.subspan(count);
    }
  }
  void flush() {
    if (size_ == 0) return;
    const WaitAtEnd wait(device_, stream_);
    device_.upload(to_.data() + done_, piece_.data(), size_ * sizeof(float), stream_);
    device_.wait(stream_);
    done_ += size_;
    size_ = 0;
  }

 private:
  Device& device_;
  DeviceArray<float>& to_;
  const Stream stream_;
  PinnedArray<float> piece_;
  std::size_t done_ = 0, size_ = 0;  // entries on the device, in the piece
};

}  // namespace

DeviceTables::DeviceTables(Device& device, const batch::DistanceTables& tables, std::size_t count,
                           Stream stream) {
  std::map<std::uint32_t, std::uint32_t> base_of;  // on the device, by base on the host
  std::vector<std::uint32_t> first;                // scan of each table
  std::size_t entries = 0;
  for (std::uint32_t s = 0; s < count; ++s) {
    kernels::ScanTable& table = host.emplace_back(tables[s]);
    // A scan without viewpoints has the base of the table behind it.
    if (!tables.has(s) || tables.entries_of(s) == 0) continue;
    const auto [place, is_new] =
        base_of.try_emplace(table.base, static_cast<std::uint32_t>(entries));
    table.base = place->second;
    if (!is_new) continue;
    first.push_back(s);
    entries += tables.entries_of(s);
  }
  scans = uploaded<kernels::ScanTable>(device, host, stream);
  distance = {device, entries};
  TableUpload upload(device, distance, stream);
  for (const std::uint32_t s : first) {
    upload.add({tables.distance() + tables[s].base, tables.entries_of(s)});
  }
  upload.flush();
}

}  // namespace warpath::cuda

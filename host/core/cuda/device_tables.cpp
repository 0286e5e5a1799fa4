#include "host/core/cuda/device_tables.hpp"

#include <algorithm>

namespace warpath::cuda {

DeviceTables::DeviceTables(Device& device, const batch::DistanceTables& tables, std::size_t count,
                           Stream stream) {
  for (std::uint32_t s = 0; s < count; ++s) host.push_back(tables[s]);
  HostDeviceArray<kernels::ScanTable> all_scans(device, count);
  HostDeviceArray<float> all_distances(device, tables.entries());
  const WaitAtEnd wait(device, stream);
  std::ranges::copy(host, all_scans.host.data());
  std::copy_n(tables.distance(), tables.entries(), all_distances.host.data());
  all_scans.upload(device, count, stream);
  all_distances.upload(device, tables.entries(), stream);
  device.wait(stream);
  scans = std::move(all_scans.device);
  distance = std::move(all_distances.device);
}

}  // namespace warpath::cuda

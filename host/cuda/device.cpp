#include "host/cuda/device.hpp"

#include <utility>

#include "warpath/error.hpp"

namespace warpath::cuda {

Device& device_of(const FoundDevice& found) {
  if (found.device == nullptr) {
    throw InputError({"--backend cuda"}, found.reason, "use --backend cpu");
  }
  return *found.device;
}

std::unique_ptr<Device> device_or_error() {
  FoundDevice found = find_device();
  static_cast<void>(device_of(found));
  return std::move(found.device);
}

}  // namespace warpath::cuda

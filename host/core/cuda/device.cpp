#include "host/core/cuda/device.hpp"

#include "warpath/error.hpp"

namespace warpath::cuda {

Device& device_of(const FoundDevice& found) {
  if (found.device == nullptr) {
    throw InputError({"--backend cuda"}, found.reason, "use --backend cpu");
  }
  return *found.device;
}

Device& device_or_error() {
  return device_of(find_device());
}

}  // namespace warpath::cuda

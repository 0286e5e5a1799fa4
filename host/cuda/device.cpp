#include "host/cuda/device.hpp"

#include <utility>

#include "warpath/error.hpp"

namespace warpath::cuda {

std::unique_ptr<Device> device_or_error() {
  FoundDevice found = find_device();
  if (found.device == nullptr) {
    throw InputError({"--backend cuda"}, found.reason, "use --backend cpu");
  }
  return std::move(found.device);
}

}  // namespace warpath::cuda

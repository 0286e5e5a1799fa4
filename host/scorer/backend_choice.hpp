#pragma once

#include <cstddef>
#include <mutex>

#include "host/cuda/device.hpp"
#include "warpath/backend.hpp"

namespace warpath::scorer {

/// Chooses back ends on this machine. Reads the measured break-even and looks for a device at most
/// once, each when it is first needed. Several threads may use one chooser.
class BackendChooser {
 public:
  /// Resolves `wanted` as warpath::resolve_backend() does.
  ResolvedBackend resolve(Backend wanted, std::size_t pairs);

  /// Returns the device. @throws InputError if there is none
  cuda::Device& device() { return cuda::device_of(found_device()); }

 private:
  ResolvedBackend choose(std::size_t pairs);
  const cuda::FoundDevice& found_device();

  std::once_flag is_found_, is_read_;
  cuda::FoundDevice found_{};
  std::size_t cuda_from_pairs_ = 0;
};

}  // namespace warpath::scorer

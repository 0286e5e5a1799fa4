#pragma once

#include <cstddef>
#include <mutex>

#include "host/core/cuda/device.hpp"
#include "warpath/backend.hpp"

namespace warpath::scorer {

/// Resolves a back end on this machine. Reads the measured break-even at most once, when it is
/// first needed, and keeps the first device that it finds: the current one of the thread that makes
/// a chooser of `cuda`, else of the thread that first needs one. Where it finds none, it looks
/// again. Several threads may use one chooser.
class BackendChooser {
 public:
  explicit BackendChooser(Backend wanted);

  /// Resolves `wanted` as warpath::resolve_backend() does.
  ResolvedBackend resolve(std::size_t pairs);

  /// Returns the device. @throws InputError if there is none
  cuda::Device& device() { return cuda::device_of(find_device()); }

 private:
  ResolvedBackend choose(std::size_t pairs);
  cuda::FoundDevice find_device();

  const Backend wanted_;
  std::once_flag is_read_;
  std::size_t cuda_from_pairs_ = 0;
  std::mutex mutex_;
  cuda::FoundDevice found_{};  // guarded by mutex_
};

}  // namespace warpath::scorer

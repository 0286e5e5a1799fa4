#include "host/core/cuda/device.hpp"

#ifndef WARPATH_HAS_CUDA

namespace warpath::cuda {

FoundDevice find_device() {
  return {nullptr,
          "this build has no CUDA back end: configure it with -DWARPATH_CUDA=ON and the CUDA "
          "Toolkit's nvcc on PATH, and build again"};
}

std::size_t release_kept_memory() {
  return 0;
}

}  // namespace warpath::cuda

#endif

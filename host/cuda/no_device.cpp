#include "host/cuda/device.hpp"

#ifndef WARPATH_HAS_CUDA

namespace warpath::cuda {

FoundDevice find_device() {
  return {nullptr,
          "this build has no CUDA back end: configure it with -DWARPATH_CUDA=ON and the CUDA "
          "Toolkit's nvcc on PATH, and build again"};
}

}  // namespace warpath::cuda

#endif

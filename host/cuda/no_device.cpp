#include "host/cuda/device.hpp"

#ifndef WARPATH_HAS_CUDA

namespace warpath::cuda {

FoundDevice find_device() {
  return {nullptr,
          "this build has no CUDA back end, for it was made without nvcc: put the CUDA Toolkit's "
          "nvcc on PATH and build again"};
}

}  // namespace warpath::cuda

#endif

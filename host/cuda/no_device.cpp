#include "host/cuda/device.hpp"

#ifndef WARPATH_HAS_CUDA

namespace warpath::cuda {

FoundDevice find_device() {
  return {nullptr, "this build has no CUDA back end: it was made without nvcc"};
}

}  // namespace warpath::cuda

#endif

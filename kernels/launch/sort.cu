#include <cub/device/device_radix_sort.cuh>

#include "kernels/launch/toolkit.cuh"

namespace warpath::kernels {

cudaError_t sort(void* memory, std::size_t& bytes, const SortView& v, Stream stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, v.key, v.sorted_key, v.pair, v.sorted_pair,
                                         v.count, 0, v.bits, stream);
}

}  // namespace warpath::kernels

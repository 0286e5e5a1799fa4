#pragma once

#include <cuda_pipeline_primitives.h>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/score_pair.hpp"

// Wraps what only the device has: the indices of a thread, and shared memory.

namespace warpath::kernels {

WARPATH_HD ThreadId this_thread() {
  return {blockIdx.x, gridDim.x, threadIdx.x, blockDim.x};
}

/// Looks distances up in a scan's table in shared memory. Columns are addresses and rows are
/// offsets, so one addition makes an address.
class SharedTable {
 public:
  WARPATH_HD SharedTable(const float* first, std::int32_t pitch)
      : first_(static_cast<std::uint32_t>(__cvta_generic_to_shared(first))), pitch_(pitch) {
    // Makes all look-ups depend on this statement, so that none moves before the barrier after
    // which the table is complete.
    asm volatile("" : "+r"(first_)::"memory");
  }

  WARPATH_HD std::uint32_t column(std::uint32_t node) const { return first_ + 4 * node; }
  WARPATH_HD std::uint32_t row(std::uint32_t node) const { return 4 * node * pitch_; }
  WARPATH_HD float at(std::uint32_t address) const {
    float value;
    asm("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
    return value;
  }

 private:
  std::uint32_t first_;
  std::int32_t pitch_;
};

WARPATH_HD Quad* shared_memory() {
  extern __shared__ Quad memory[];
  return memory;
}

/// Copies to shared memory without waiting: all values of a thread are in flight at once.
struct AsyncCopy {
  template <class T>
  WARPATH_HD void operator()(T* to, const T* from) const {
    __pipeline_memcpy_async(to, from, sizeof(T));
  }
};

/// Waits until all copies of the block have arrived.
WARPATH_HD void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/// Names what lies in a block's shared memory: a scan or a reference. Slices that follow each other
/// often have the same one, which stays.
class Loaded {
 public:
  /// Tells whether another one must be loaded, once the block has finished with the previous one.
  WARPATH_HD bool needs(std::uint32_t id) {
    if (id == id_) return false;
    id_ = id;
    __syncthreads();
    return true;
  }

 private:
  std::uint32_t id_ = no_row;
};

/// Loads the table of a slice's scan unless it is there.
WARPATH_HD SharedTable load_table(const BatchView& batch, std::uint32_t scan, Loaded& loaded) {
  const ScanTable place = batch.scans[scan];
  if (loaded.needs(scan)) {
    copy_table(batch, place, threadIdx.x, blockDim.x, shared_memory(), AsyncCopy{});
    wait_for_copies();
  }
  return {reinterpret_cast<const float*>(shared_memory()), place.pitch};
}

/// Fills the replicated rows of a slice's reference unless they are there.
template <int K, unsigned Quantities>
WARPATH_HD const Quad* load_replicated_rows(const TileView& view, const Slice& slice,
                                            Loaded& loaded) {
  Quad* own = shared_memory();
  if (loaded.needs(reference_of(view, slice))) {
    fill_replicated_rows<K, Quantities>(own_table(view, slice), threadIdx.x, blockDim.x, own);
    __syncthreads();
  }
  return own;
}

/// Fills the table of a slice's reference unless it is there.
template <int K>
WARPATH_HD const Quad* load_reference(const TileView& view, const Slice& slice, Loaded& loaded) {
  Quad* own = shared_memory();
  if (loaded.needs(reference_of(view, slice))) {
    fill_reference_table<K>(own_table(view, slice), threadIdx.x, blockDim.x, own, AsyncCopy{});
    wait_for_copies();
  }
  return own;
}

}  // namespace warpath::kernels

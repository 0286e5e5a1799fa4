#pragma once

#include "warpath/watch.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpath {

/// Where an object works: on the host or on a GPU. The arrays of its calls lie in the same memory.
struct Place {
  /// Host memory. @param threads 0: all cores
  static constexpr Place host(int threads = 0) { return {false, threads}; }
  /// The memory of the GPU that is current when the object is made.
  static constexpr Place gpu() { return {true, 0}; }

  bool is_gpu = false;
  int threads = 0;
};

/// Gives a call what depends on the object's place.
///
/// On the host a call checks its arrays, computes and returns. On a GPU it starts kernels on the
/// stream and returns: it neither waits nor allocates, and may be captured in a CUDA graph after
/// warm_up. A graph repeats the call with the same pointers, count and max_length. Nothing checks
/// there what lies in memory unless `check` asks for it: a viewpoint that the scan does not have, a
/// reference beyond the last, or a negative length makes a kernel read outside of its memory, which
/// ends the process's use of the GPU.
struct Call {
  /// GPU: 256-byte-aligned memory of the object's workspace_bytes for such a call.
  void* workspace = nullptr;
  CUstream_st* stream = nullptr;  ///< GPU
  /// GPU: reads the arrays first, waits, and throws InputError as on the host where one of them
  /// cannot be right; nothing is started then.
  bool check = false;
  /// Host: is told how many pairs are done. An exception that it throws ends the call.
  Watch watch{};
};

}  // namespace warpath

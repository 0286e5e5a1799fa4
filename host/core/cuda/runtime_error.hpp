#pragma once

#ifdef WARPATH_HAS_CUDA

#include <cuda_runtime_api.h>

#include <string_view>

// Reports errors of the CUDA runtime. The runtime keeps a thread's last error until it is read.
// What other code of the process left there is neither cleared nor taken for an error of ours.

namespace warpath::cuda {

/// Says where a call stands, as std::source_location does, which Clang 14 lacks.
struct CallSite {
  const char* file;
  unsigned line;

  static CallSite current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Returns a remedy for an error code; empty if none is known.
std::string_view remedy_of(cudaError_t code);

/// Does nothing after cudaSuccess; else clears the error that the call left. @throws CudaError
/// @pre expect_nothing_pending was called on this thread before the call
void check(int result, std::string_view call, const CallSite& where = CallSite::current());

/// Refuses to go on while an error of other code is pending: the next launch would be blamed for
/// it. @throws CudaError that says so; the error remains
void expect_nothing_pending(const CallSite& where = CallSite::current());

/// Clears, at the end of its scope, the error that a call in it left, unless one was pending
/// before.
class ForgetOwnErrors {
 public:
  ForgetOwnErrors() : is_clear_(cudaPeekAtLastError() == cudaSuccess) {}
  ForgetOwnErrors(const ForgetOwnErrors&) = delete;
  ForgetOwnErrors& operator=(const ForgetOwnErrors&) = delete;
  ~ForgetOwnErrors() {
    if (is_clear_) static_cast<void>(cudaGetLastError());
  }

 private:
  const bool is_clear_;
};

}  // namespace warpath::cuda

#endif

#include "host/core/cuda/runtime_error.hpp"

#ifdef WARPATH_HAS_CUDA

#include <string>

#include "warpath/error.hpp"

namespace warpath::cuda {

std::string_view remedy_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "allow less memory (WARPATH_GPU_MEMORY, in MiB), or use --backend cpu";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return "build for this device's architecture (CMAKE_CUDA_ARCHITECTURES), or use --backend "
             "cpu";
    case cudaErrorInsufficientDriver:
    case cudaErrorUnsupportedPtxVersion:
      return "update the NVIDIA driver, or use --backend cpu";
    case cudaErrorSystemDriverMismatch:
      return "the NVIDIA driver was updated under way: restart the machine";
    case cudaErrorStubLibrary:
      return "take the CUDA Toolkit's stubs off LD_LIBRARY_PATH";
    case cudaErrorNoDevice:
      return "see whether nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES does not hide it";
    case cudaErrorDevicesUnavailable:
      return "another process holds the GPU: wait for it, or use --backend cpu";
    case cudaErrorLaunchTimeout:
      return "this GPU stops what runs long, for it drives a display: allow less memory "
             "(WARPATH_GPU_MEMORY, in MiB), so that there is less to do at a time, or use "
             "--backend cpu";
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
      return "the GPU has a fault: take another one, or use --backend cpu";
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
      return "a kernel failed, and this process cannot use the GPU any more: please report it, and "
             "use --backend cpu";
    default:
      return {};
  }
}

void check(int result, std::string_view call, const CallSite& where) {
  if (result == cudaSuccess) return;
  const auto code = static_cast<cudaError_t>(result);
  static_cast<void>(cudaGetLastError());
  throw CudaError({std::string(call), code, cudaGetErrorName(code), cudaGetErrorString(code),
                   where.file, where.line},
                  remedy_of(code));
}

void expect_nothing_pending(const CallSite& where) {
  const cudaError_t code = cudaPeekAtLastError();
  if (code == cudaSuccess) return;
  if (code == cudaErrorNotReady) {  // an answer of cudaEventQuery or cudaStreamQuery, not an error
    static_cast<void>(cudaGetLastError());
    return;
  }
  throw CudaError({"an earlier CUDA call of this process, not warpath's,", code,
                   cudaGetErrorName(code), cudaGetErrorString(code), where.file, where.line},
                  "its error was pending when warpath was called: check the results of the calls "
                  "before, and clear the error with cudaGetLastError");
}

}  // namespace warpath::cuda

#endif

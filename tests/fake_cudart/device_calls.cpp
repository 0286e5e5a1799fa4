#include <cuda_runtime_api.h>

#include <cstring>
#include <utility>

#include "tests/fake_cudart/capture.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls for devices and errors.

using namespace warpath::testing;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  const Call call("cudaGetDevice");
  *device = current_device();
  return call.code();
}
cudaError_t cudaSetDevice(int device) {
  const Call call("cudaSetDevice");
  if (call.fails()) return call.code();
  if (device < 0 || device >= cudart().devices) return fail(cudaErrorInvalidDevice);
  current_device() = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  const Call call("cudaGetDeviceCount");
  *count = cudart().devices;
  return call.code();
}
cudaError_t cudaDriverGetVersion(int* version) {
  const Call call("cudaDriverGetVersion");
  *version = 13000;
  return call.code();
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  const Call call("cudaRuntimeGetVersion");
  *version = 13000;
  return call.code();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  const Call call("cudaGetDeviceProperties");
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "a fake GPU");
  properties->major = 9;
  return call.code();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const Call call("cudaDeviceGetAttribute");
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = cudart().multiprocessors;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 * 1024;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 0x7fffffff;
      break;
    default:
      *value = 0;
  }
  return call.code();
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  const Call call("cudaMemGetInfo");
  *free = *all = std::size_t{1} << 30;
  return call.code();
}
cudaError_t cudaDeviceSynchronize() {
  const Call call("cudaDeviceSynchronize");
  if (const auto code = refuse_if_captured(Disturbance::forbidden, current_device())) return code;
  finish_device(current_device());
  return call.code();
}

// ---------------------------------------------------------------- errors

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return last_error;
}
const char* cudaGetErrorName(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorOfTheFake";
}
const char* cudaGetErrorString(cudaError_t) {
  return cudart().fault.empty() ? "the fake was told to fail" : cudart().fault.c_str();
}

}  // extern "C"

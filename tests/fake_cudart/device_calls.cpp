#include <cuda_runtime_api.h>

#include <cstring>
#include <utility>

#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls for devices and errors.

using namespace warpath::testing;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = cudart().device;
  return begin_call("cudaGetDevice");
}
cudaError_t cudaSetDevice(int) {
  return begin_call("cudaSetDevice");
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = cudart().devices;
  return begin_call("cudaGetDeviceCount");
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return begin_call("cudaDriverGetVersion");
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return begin_call("cudaRuntimeGetVersion");
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "a fake GPU");
  properties->major = 9;
  return begin_call("cudaGetDeviceProperties");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
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
  return begin_call("cudaDeviceGetAttribute");
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = std::size_t{1} << 30;
  return begin_call("cudaMemGetInfo");
}
cudaError_t cudaDeviceSynchronize() {
  streams().finish();
  return begin_call("cudaDeviceSynchronize");
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

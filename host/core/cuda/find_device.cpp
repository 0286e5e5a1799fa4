#ifdef WARPATH_HAS_CUDA

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "host/core/cuda/device.hpp"
#include "host/core/cuda/real_device.hpp"
#include "host/core/cuda/runtime_error.hpp"
#include "kernels/launch/statistics_launch.hpp"

namespace warpath::cuda {
namespace {

std::string reason_of(cudaError_t code, std::string_view doing) {
  const std::string_view remedy = remedy_of(code);
  return fmt::format("{} failed with {}, {}: {}", doing, cudaGetErrorName(code),
                     cudaGetErrorString(code),
                     remedy.empty() ? "see whether nvidia-smi works" : remedy);
}

/// Returns why the machine has no device, or none that the driver reports; empty if it has one.
std::string why_no_device() {
  int driver = 0, runtime = 0, devices = 0;
  cudaRuntimeGetVersion(&runtime);
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "there is no NVIDIA driver: install one, or start the container with its GPUs "
           "(docker run --gpus all)";
  }
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaErrorInsufficientDriver) {
    return fmt::format(
        "the NVIDIA driver is for CUDA {}, and this build needs {}: update the driver",
        version(driver), version(runtime));
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && devices == 0)) {
    return fmt::format("the NVIDIA driver finds no GPU: {}", remedy_of(cudaErrorNoDevice));
  }
  return code != cudaSuccess ? reason_of(code, "looking for a GPU") : std::string();
}

/// Returns why the current device runs no kernel of this build; empty if it does.
std::string why_no_kernels() {
  const auto code = static_cast<cudaError_t>(kernels::can_run_kernels());
  if (code == cudaSuccess) return {};
  cudaDeviceProp properties{};
  int ordinal = 0;
  const bool lacks_image =
      code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction;
  if (!lacks_image || cudaGetDevice(&ordinal) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) {
    return reason_of(code, "using the GPU");
  }
  return fmt::format(
      "this build has no kernels for {}, of compute capability {}.{}: configure it with "
      "-DCMAKE_CUDA_ARCHITECTURES={}{}",
      properties.name, properties.major, properties.minor, properties.major, properties.minor);
}

/// Holds the devices that were found, for as long as the process lives.
struct Devices {
  std::mutex mutex;
  std::map<int, std::unique_ptr<RealDevice>> of_ordinal;
};
Devices& devices() {
  static auto& kept = *new Devices;  // never destroyed, see RealDevice
  return kept;
}

}  // namespace

FoundDevice find_device() {
  const ForgetOwnErrors own;
  const std::lock_guard lock(devices().mutex);
  auto& kept = devices().of_ordinal;
  int ordinal = 0;
  const cudaError_t code = cudaGetDevice(&ordinal);
  if (code == cudaSuccess && kept.contains(ordinal)) return {kept.at(ordinal).get(), {}};
  std::string reason = why_no_device();
  if (reason.empty() && code != cudaSuccess) reason = reason_of(code, "asking for the current GPU");
  if (reason.empty()) reason = why_no_kernels();
  if (!reason.empty()) return {nullptr, reason};
  return {(kept[ordinal] = std::make_unique<RealDevice>(ordinal)).get(), {}};
}

std::size_t release_kept_memory() {
  const std::lock_guard lock(devices().mutex);
  std::size_t bytes = 0;
  for (const auto& [ordinal, device] : devices().of_ordinal) bytes += device->release_kept();
  return bytes;
}

}  // namespace warpath::cuda

#endif

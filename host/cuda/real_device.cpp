#ifdef WARPATH_HAS_CUDA

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "host/cuda/caching_allocator.hpp"
#include "host/cuda/device.hpp"
#include "kernels/launch/statistics_launch.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

/// Says where a call stands, as std::source_location does, which Clang 14 lacks.
struct CallSite {
  const char* file;
  unsigned line;

  static CallSite current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Returns a remedy for an error code; empty if none is known.
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
             "--backend "
             "cpu";
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

// Clears the last error: CUDA keeps it until it is read, and the next call that reads it would be
// blamed.
void forget_last_error() {
  static_cast<void>(cudaGetLastError());
}

void check(int result, std::string_view call, const CallSite& where = CallSite::current()) {
  if (result == cudaSuccess) return;
  const auto code = static_cast<cudaError_t>(result);
  forget_last_error();
  throw CudaError({std::string(call), code, cudaGetErrorName(code), cudaGetErrorString(code),
                   where.file, where.line},
                  remedy_of(code));
}

/// Names the call of kernels/launch/ that started work, and its return code.
struct Launched {
  std::string_view call;
  int result;
};

Launched launch(const kernels::TermsView& view, Stream stream) {
  return {"make_all_terms", kernels::make_all_terms(view, stream)};
}
Launched launch(const kernels::StoreView& view, Stream stream) {
  return {"store_references", kernels::store_references(view, stream)};
}
Launched launch(const kernels::PreparePointsView& view, Stream stream) {
  return {"prepare_all_points", kernels::prepare_all_points(view, stream)};
}
Launched launch(const CheckPairs& check, Stream stream) {
  return {"check_pairs", kernels::check_pairs(check.view, stream)};
}
Launched launch(const LengthSum& sum, Stream stream) {
  return {"exclusive_sum", kernels::exclusive_sum(sum.view, sum.scratch, stream)};
}
Launched launch(const TileSum& sum, Stream stream) {
  return {"exclusive_sum", kernels::exclusive_sum(sum.view, sum.scratch, stream)};
}
Launched launch(const kernels::KeyView& view, Stream stream) {
  return {"make_all_keys", kernels::make_all_keys(view, stream)};
}
Launched launch(const SortPairs& sort, Stream stream) {
  return {"sort_pairs", kernels::sort_pairs(sort.view, sort.scratch, stream)};
}
Launched launch(const FindRuns& find, Stream stream) {
  return {"find_runs", kernels::find_runs(find.view, find.scratch, stream)};
}
Launched launch(const kernels::PlaceView& view, Stream stream) {
  return {"place_all_pairs", kernels::place_all_pairs(view, stream)};
}
Launched launch(const kernels::PlanView& view, Stream stream) {
  return {"plan_all_runs", kernels::plan_all_runs(view, stream)};
}
Launched launch(const kernels::PackView& view, Stream stream) {
  return {"pack_tiles", kernels::pack_tiles(view, stream)};
}
Launched launch(const ScoreTiles& s, Stream stream) {
  return {"score_tiles", kernels::score_tiles(s.view, s.kernel, s.set, s.rows, stream)};
}
Launched launch(const ScoreGroups& s, Stream stream) {
  return {"score_groups", kernels::score_groups(s.view, s.shape, s.set, stream)};
}
Launched launch(const ScoreGroupSlices& s, Stream stream) {
  return {"score_group_slices", kernels::score_group_slices(s.view, s.shape, s.set, stream)};
}
Launched launch(const ScorePoints& s, Stream stream) {
  return {"score_points", kernels::score_points(s.view, s.shape, s.set, stream)};
}
Launched launch(const kernels::AggregateView& view, Stream stream) {
  return {"aggregate", kernels::aggregate(view, stream)};
}

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// Reads the current device and those of its properties that can be read.
cudaError_t get_properties(cudaDeviceProp& properties) {
  int device = 0;
  const cudaError_t code = cudaGetDevice(&device);
  return code != cudaSuccess ? code : cudaGetDeviceProperties(&properties, device);
}

class RealDevice final : public Device {
 public:
  std::string name() override {
    cudaDeviceProp properties{};
    int driver = 0, runtime = 0;
    check(get_properties(properties), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    return fmt::format("{}, compute capability {}.{}, driver for CUDA {}, runtime {}",
                       properties.name, properties.major, properties.minor, version(driver),
                       version(runtime));
  }
  std::size_t free_memory() override {
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    return free + memory_.kept();
  }
  unsigned shared_floats() override {
    unsigned floats = 0;
    check(kernels::max_shared_floats(floats), "cudaDeviceGetAttribute");
    return floats;
  }
  std::uint32_t multiprocessors() override {
    int device = 0, count = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute");
    return static_cast<std::uint32_t>(count);
  }

  // Released memory may be reused at once, so both releases wait. An error here is that of the work
  // that is waited for; the stream's wait() reports it, if it is called.
  void* allocate(std::size_t bytes) override { return memory_.take(bytes); }
  void release(void* memory) noexcept override {
    cudaDeviceSynchronize();
    memory_.give_back(memory);
    forget_last_error();
  }
  void* allocate_pinned(std::size_t bytes) override { return pinned_.take(bytes); }
  void release_pinned(void* memory) noexcept override {
    cudaDeviceSynchronize();
    pinned_.give_back(memory);
    forget_last_error();
  }

  Stream make_stream() override {
    Stream stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
  }
  // cudaStreamDestroy would return at once while the stream's work still runs.
  void release_stream(Stream stream) noexcept override {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    forget_last_error();
  }
  void wait(Stream stream) override {
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  void upload(void* to, const void* from, std::size_t bytes, Stream stream) override {
    copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
  }
  void download(void* to, const void* from, std::size_t bytes, Stream stream) override {
    copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
  }
  void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) override {
    if (bytes == 0) return;
    check(cudaMemsetAsync(memory, byte, bytes, stream),
          fmt::format("cudaMemsetAsync of {} bytes", bytes));
  }

  std::size_t scratch_bytes(std::uint32_t count) override {
    std::size_t bytes = 0;
    forget_last_error();
    check(kernels::scratch_bytes(count, bytes), "scratch_bytes");
    return bytes;
  }
  void launch(const Work& work, Stream stream) override {
    forget_last_error();  // clears an error that other code of the process left behind
    const Launched launched =
        std::visit([&](const auto& view) { return warpath::cuda::launch(view, stream); }, work);
    check(launched.result, launched.call);
  }

 private:
  static void* get(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), fmt::format("cudaMalloc of {} bytes", bytes));
    return memory;
  }
  static void* get_pinned(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), fmt::format("cudaMallocHost of {} bytes", bytes));
    return memory;
  }
  static void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   Stream stream) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, kind, stream),
          fmt::format("cudaMemcpyAsync of {} bytes", bytes));
  }

  CachingAllocator memory_{get, cudaFree}, pinned_{get_pinned, cudaFreeHost};
};

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
  const bool lacks_image =
      code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction;
  if (!lacks_image || get_properties(properties) != cudaSuccess) {
    return reason_of(code, "using the GPU");
  }
  return fmt::format(
      "this build has no kernels for {}, of compute capability {}.{}: configure it with "
      "-DCMAKE_CUDA_ARCHITECTURES={}{}",
      properties.name, properties.major, properties.minor, properties.major, properties.minor);
}

}  // namespace

FoundDevice find_device() {
  std::string reason = why_no_device();
  if (reason.empty()) reason = why_no_kernels();
  forget_last_error();
  if (!reason.empty()) return {nullptr, reason};
  return {std::make_unique<RealDevice>(), {}};
}

}  // namespace warpath::cuda

#endif

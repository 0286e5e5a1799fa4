#pragma once

#ifdef WARPATH_HAS_CUDA

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/core/cuda/caching_allocator.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::cuda {

/// Returns a version of CUDA as text: 13.0 for 13000.
std::string version(int number);

/// Forwards to the CUDA runtime, CUB and the kernels. Keeps memory and streams that were released,
/// so that calls after the first neither allocate nor create any, and nothing is freed while other
/// code captures a graph. It is never destroyed (see find_device), because static objects of a
/// program may release memory when the driver is gone.
class RealDevice final : public Device {
 public:
  explicit RealDevice(int ordinal);

  std::string name() override;
  std::size_t free_memory() override;
  unsigned shared_floats() override;
  std::uint32_t multiprocessors() override;

  ThreadState enter() override;
  void leave(const ThreadState& before) noexcept override;

  void* allocate(std::size_t bytes) override { return memory_.take(bytes); }
  void release(void* memory) noexcept override { memory_.give_back(memory); }
  void* allocate_pinned(std::size_t bytes) override { return pinned_.take(bytes); }
  void release_pinned(void* memory) noexcept override { pinned_.give_back(memory); }
  void bound_memory(std::size_t bytes) override;
  std::size_t release_kept() override;

  Stream make_stream() override;
  void release_stream(Stream stream) noexcept override;
  void wait(Stream stream) override;
  void wait_quietly(Stream stream) noexcept override;
  void order(Stream earlier, Stream later) override;

  void upload(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void download(void* to, const void* from, std::size_t bytes, Stream stream) override;
  void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) override;

  std::size_t scratch_bytes(std::uint32_t count) override;
  void launch(const Work& work, Stream stream) override;
  std::unique_ptr<RecordedWork> record(Stream stream,
                                       const std::function<void()>& start_work) override;

 private:
  void* get(std::size_t bytes);
  void* get_pinned(std::size_t bytes);

  const int ordinal_;
  CachingAllocator memory_, pinned_;
  std::mutex mutex_;              // of all that follow
  std::vector<Stream> streams_;   // kept
  std::size_t stream_count_ = 0;  // also those in use
  cudaEvent_t event_ = nullptr;   // made when order() is first called
};

}  // namespace warpath::cuda

#endif
